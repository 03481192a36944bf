"""Starts a program, and is there for what outlives it.

    python -IS adopter.py LC_CTYPE PROGRAM [ARGUMENT]...

A process whose parent has ended gets this one for its parent: so it stays where the gate sees it, and no ``wait`` of
the program returns a child that it has not started. When the program ends, all that it has left is killed, and this
process ends with its code; a program that a signal has ended has 128 and the number, as in a shell.

Linux alone has such parents. The options keep what is in the environment of the program out of this interpreter.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

PR_SET_CHILD_SUBREAPER: Final = 36


def main(locale: str, words: list[str]) -> int:
    """Run a program to its end. Returns its code. locale: its LC_CTYPE; empty: it has none."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    program = os.fork()
    if not program:
        _become(locale, words)
    for each in (0, 1):  # the end of the program must be the end of its pipes
        os.close(each)
    ended, status = os.wait()
    while ended != program:
        ended, status = os.wait()
    _kill_children()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _become(locale: str, words: list[str]) -> NoReturn:
    # Python itself may have changed this variable (PEP 538), and ignores these signals.
    os.environ["LC_CTYPE"] = locale
    if not locale:
        del os.environ["LC_CTYPE"]
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)  # noqa: S606  # a scenario's own command
    except OSError as error:
        sys.exit(f"{words[0]}: {error.strerror}")


def _kill_children() -> None:
    """Kill all children, and theirs, which become children of this process."""
    with suppress(OSError):  # none is left, or the kernel lists none
        while True:
            for each in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                os.kill(int(each), signal.SIGKILL)
            os.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))

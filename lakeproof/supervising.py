"""The command as a process that another one watches: user code cannot end it with an exit code that says nothing.

A file that a command is given with ``--from`` may do anything to the process that it is loaded into: ``os._exit(0)``
would end the command with exit code 0 and without a verdict. So such a command runs in a child process, which reports
its exit code on a pipe when it has come to its end. If the child ends without a report, that is an error.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NoReturn

PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that reach the child, too."""

LAST_SECONDS: Final = 10.0
"""How long the child may take to end after its report: a thread that the file began may keep it."""

_FROM_A_TERMINAL: Final = 0x80
"""``si_code`` of a signal that the kernel sent: Ctrl-C reaches the child by itself."""

_DIE_WITH_PARENT: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux' prctl."""


def supervised() -> NoReturn:
    """The entry point: the command line, in a process of its own where it loads a user's file. Cost: a fork."""
    if not _loads_a_file(sys.argv[1:]) or not hasattr(signal, "sigwaitinfo"):
        _command()
    signals = {*PASSED_ON, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _report(writer)
    os.close(writer)
    sys.exit(_watched(child, reader, signals))


def _loads_a_file(arguments: Sequence[str]) -> bool:
    return any(argument == "--from" or argument.startswith("--from=") for argument in arguments)


def _command() -> NoReturn:
    from lakeproof.cli import main

    main.main(prog_name="lakeproof")
    raise AssertionError("the command line ends by exiting")


def _report(writer: int) -> NoReturn:
    """In the child: run the command, and report how it ended."""
    with suppress(OSError, AttributeError):  # elsewhere than on Linux
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    try:
        _command()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        with suppress(OSError):
            sys.stdout.flush()
        os.write(writer, bytes([code & 0xFF]))
        sys.exit(code)


def _watched(child: int, reader: int, signals: set[signal.Signals]) -> int:
    """The exit code of the child: what it reported, or that it did not."""
    status = None
    while status is None:
        came = signal.sigtimedwait(signals, LAST_SECONDS)
        if came is not None and came.si_signo in PASSED_ON and came.si_code != _FROM_A_TERMINAL:
            os.kill(child, came.si_signo)
        ended, found = os.waitpid(child, os.WNOHANG)
        if ended:
            status = found
        elif came is None and _has_reported(reader):
            os.kill(child, signal.SIGKILL)
    report = os.read(reader, 1)
    if report:
        return report[0]
    sys.stderr.write(f"lakeproof: {_unreported(status)}; nothing is established\n")
    return 2


def _has_reported(reader: int) -> bool:
    import select

    return bool(select.select([reader], [], [], 0)[0])


def _unreported(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the command was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return (
        f"the file named with --from, or a flow in it, ended the process (exit code {os.WEXITSTATUS(status)}); take "
        f"the exit out of it"
    )

"""A process that calls functions of a user's file, one after the other, as lines of JSON say.

    python -m lakeproof.gate.child FILE.py [PID]...

A line ``{"call": NAME, "args": [...]}`` is answered by ``{"ok": VALUE}``, or by ``{"error": TYPE, "message": TEXT}`` if
the function raises. What a function prints goes to stderr. The process ends with its stdin, in the middle of a call,
too, and with it the processes that are named: who has started them is gone.
"""

import json
import os
import runpy
import select
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn


def main(file: str, others: Sequence[int] = ()) -> None:
    """Serve until stdin ends. others: what ends then, too."""
    # A thread, as the main one may be in a call that waits for the gate and never returns.
    threading.Thread(target=_end_with_stdin, args=(tuple(others),), daemon=True).start()
    # The copy is not inherited by what the user's file starts (PEP 446). Descriptor 1 is stderr from here on, so that
    # no output gets among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, str(Path(file).resolve().parent))
    functions = runpy.run_path(file)
    print(json.dumps({"ok": "ready"}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            value = functions[request["call"]](*request["args"])
            try:
                result = json.dumps({"ok": value})
            # A result that JSON does not have, or that contains itself, is shown to invariants by its repr.
            except (TypeError, ValueError, RecursionError):
                result = json.dumps({"ok": repr(value)})
        except Exception as error:  # noqa: BLE001  # whatever the user's function raises is the call's result
            result = json.dumps({"error": type(error).__name__, "message": str(error)[:2000]})
        try:
            print(result, file=answers, flush=True)
        except BrokenPipeError:
            break  # the reader is gone: no traceback
    _end(others)


def _end_with_stdin(others: Sequence[int]) -> None:
    """Wait, asleep, until stdin is closed."""
    if not hasattr(select, "poll"):
        return
    gone = select.poll()
    gone.register(0, 0)  # that the other end is closed is reported in any case
    gone.poll()
    _end(others)


def _end(others: Sequence[int]) -> NoReturn:
    """End this process and the others, whichever thread has noticed first: neither waits for the other's."""
    # Each leads a group, in which is what it has started; this process is the last one.
    for pid in (*others, os.getpid()):
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    # `sys.exit` would end the thread alone, and wait for others that may never end.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], [int(each) for each in sys.argv[2:]])

"""A process that calls functions of a user's file, one after the other, as lines of JSON say.

    python -m lakeproof.gate.child FILE.py [PID]...

A line ``{"call": NAME, "args": [...]}`` is answered by ``{"ok": VALUE}``, or by ``{"error": TYPE, "message": TEXT}`` if
the function raises. What a function prints goes to stderr; to read, it has nothing. The process ends with its stdin, in
the middle of a call, too, and with it the processes that are named: who has started them is gone.
"""

import json
import os
import runpy
import select
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from lakeproof.gate.quiet import kill_all


def main(file: str, others: Sequence[int] = ()) -> None:
    """Serve until stdin ends. others: what ends then, too."""
    # The copies are not inherited by what the user's file starts (PEP 446). Descriptor 1 is stderr from here on, so
    # that no output gets among the answers; and 0 is empty, so that the calls are not taken away, or closed.
    calls, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as empty:  # noqa: PTH123  # no Path is needed
        os.dup2(empty.fileno(), 0)
    os.dup2(2, 1)
    # A thread, as the main one may be in a call that waits for the gate and never returns.
    threading.Thread(target=_end_with_calls, args=(calls.fileno(), tuple(others)), daemon=True).start()
    own = os.getpid()
    sys.path.insert(0, str(Path(file).resolve().parent))
    functions = runpy.run_path(file)
    print(json.dumps({"ok": "ready"}), file=answers, flush=True)
    for line in calls:
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
        if os.getpid() != own:
            os._exit(0)  # a fork of this process: it has no part in the answer, nor in the calls that follow
        try:
            print(result, file=answers, flush=True)
        except BrokenPipeError:
            break  # the reader is gone: no traceback
    _end(others)


def _end_with_calls(calls: int, others: Sequence[int]) -> None:
    """Wait, asleep, until no calls can come any more."""
    if not hasattr(select, "poll"):
        return
    gone = select.poll()
    gone.register(calls, 0)  # that the other end is closed is reported in any case
    gone.poll()
    _end(others)


def _end(others: Sequence[int]) -> NoReturn:
    """End this process and the others, whichever thread has noticed first: neither waits for the other's."""
    for pid in (*others, os.getpid()):  # this process is the last one
        kill_all(pid)
    # `sys.exit` would end the thread alone, and wait for others that may never end.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], [int(each) for each in sys.argv[2:]])

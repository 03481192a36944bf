"""A process that calls functions of a user's file, one after the other, as lines of JSON say.

    python -m lakeproof.gate.child FILE.py

A line ``{"call": NAME, "args": [...], "environment": {...}}`` is answered by ``{"ok": VALUE}``, or by ``{"error": TYPE,
"message": TEXT}`` if the function raises. What a function prints goes to stderr. The process ends with its stdin.
"""

import json
import os
import runpy
import sys
from pathlib import Path


def main(file: str) -> None:
    """Serve until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, str(Path(file).resolve().parent))
    functions = runpy.run_path(file)
    print(json.dumps({"ok": "ready"}), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        os.environ.update(asked["environment"])
        answer: dict[str, object]
        try:
            answer = {"ok": functions[asked["call"]](*asked["args"])}
        except Exception as error:  # noqa: BLE001  # whatever the user's function raises is the call's result
            answer = {"error": type(error).__name__, "message": str(error)[:2000]}
        try:
            told = json.dumps(answer)
        except TypeError:
            told = json.dumps({"ok": repr(answer["ok"])})
        try:
            print(told, file=answers, flush=True)
        except BrokenPipeError:
            os._exit(0)  # nobody listens any more: no traceback for them


if __name__ == "__main__":
    main(sys.argv[1])

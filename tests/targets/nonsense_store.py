"""A correct store that speaks nonsense now and then, of the kind that its first argument names; its data is in a file.

What it was asked is done before, after, or not at all: nobody can know. Which lines are no answers at all is a matter
of `tests.targets.test_protocol`.
"""

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.targets.planted_store import Planted

HUGE = (16 << 20) + 10
SAYS = {
    "cut": "is no JSON",
    "wrong-id": "an answer to 1000000000",
    "twice": "answered already",
    "surrogate": "\\ud800 \\x1b[31m \\x00",
    "silence": "no answer within",
    "huge-line": "a line of more than 16,777,216 bytes",
    "closed-stdout": "it closed its stdout",
    "half-a-line": "within a line",
    "much-on-stderr": "",
    "slow-pieces": "",
}
"""By kind, a part of what the user is told."""


def dsn(kind: str, file: Path) -> str:
    return f"exec:{shlex.join([sys.executable, __file__, kind, str(file)])}"


def line(told: object) -> bytes:
    return json.dumps(told).encode() + b"\n"


class Nonsense(Planted):
    def __init__(self, kind: str, file: Path) -> None:
        super().__init__("prompt correct", file)
        self.kind = kind
        self.answered = 0

    async def answer(self, line_: bytes) -> None:
        self.answered += 1
        if self.answered % 100:
            await super().answer(line_)
            return
        request = json.loads(line_)
        reply = {"id": request["id"], "error": {"kind": "unknown"}}
        if request["op"] in {"set", "delete"} and self.rng.random() < 0.5:
            await self.do(request)
        sys.stdout.flush()
        match self.kind:
            case "cut":
                os.write(1, line(reply)[:-5] + b"\n")
            case "wrong-id":
                os.write(1, line({**reply, "id": 10**9}))
            case "twice":
                os.write(1, line(reply) * 2)
            case "surrogate":
                os.write(1, line({"id": reply["id"], "error": {"kind": "unknown", "message": "\ud800 \x1b[31m \0"}}))
            case "huge-line":
                sys.stdout.write('"' + "x" * HUGE + '"\n')
                sys.stdout.flush()
            case "closed-stdout":
                os.close(1)
                await asyncio.sleep(60)
            case "half-a-line":
                os.write(1, line(reply)[:5])
                os._exit(0)
            case "much-on-stderr":
                sys.stderr.write("complaint\n" * 100_000)
                await super().answer(line_)
            case "slow-pieces":
                for byte in line(reply):
                    os.write(1, bytes([byte]))


if __name__ == "__main__":
    asyncio.run(Nonsense(sys.argv[1], Path(sys.argv[2])).serve())

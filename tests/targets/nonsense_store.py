"""A correct store that speaks nonsense now and then, of the kind that its first argument names; its data is in a file.

What it was asked is done before, after, or not at all: nobody can know.
"""

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.targets.planted_store import Planted

HUGE = (16 << 20) + 10
DEEP = b"[" * 960 + b"]" * 960
"""Not too deep to be read, but too deep to be shown where it is."""

Reply = Mapping[str, object]


def numbered(shape: bytes, reply: Reply) -> bytes:
    return shape % str(reply["id"]).encode()


def line(told: object) -> bytes:
    return json.dumps(told).encode() + b"\n"


def error(message: str) -> Callable[[Reply], bytes]:
    return lambda reply: line({"id": reply["id"], "error": {"kind": "unknown", "message": message}})


def ok(told: object) -> Callable[[Reply], bytes]:
    return lambda reply: line({"id": reply["id"], "ok": told})


KINDS: dict[str, Callable[[Reply], bytes]] = {
    "cut": lambda reply: line(reply)[:-5] + b"\n",
    "words": lambda reply: b"Warning: this is deprecated\n",
    "empty-line": lambda reply: b"\n",
    "wrong-id": lambda reply: line({**reply, "id": 10**9}),
    "text-id": lambda reply: line({**reply, "id": str(reply["id"])}),
    "no-id": lambda reply: line({"error": {}}),
    "twice": lambda reply: line(reply) * 2,
    "two-ids": lambda reply: b'{"id": 1, ' + line(reply)[1:],
    "not-utf-8": lambda reply: b"\xff\xfe" + line(reply),
    "utf-16": lambda reply: json.dumps(reply).encode("utf-16") + b"\n",
    "nul": lambda reply: b"\0" * 10 + line(reply),
    "deep": lambda reply: b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "deep-token": lambda reply: numbered(b'{"id": %s, "ok": {"value": "", "predicate": ' + DEEP + b"}}\n", reply),
    "deep-entry": lambda reply: numbered(b'{"id": %s, "ok": {"entries": [' + DEEP + b"]}}\n", reply),
    "long-number": lambda reply: b'{"id": %s}\n' % (b"9" * 5_000),
    "infinite-token": lambda reply: numbered(b'{"id": %s, "ok": {"value": "", "predicate": 1e999}}\n', reply),
    "both": lambda reply: line({**reply, "ok": {}}),
    "neither": lambda reply: line({"id": reply["id"]}),
    "list": ok([]),
    "no-base64": ok({"value": "?", "predicate": 1, "entries": [{"key": "?", "value": "?"}]}),
    "unknown-kind": lambda reply: line({"id": reply["id"], "error": {"kind": "sorry"}}),
    "surrogate": error("\ud800 \x1b[31m \0"),
    "many-lines": error("one\ntwo\r\nthree\u2028four"),
    "long-words": error("x" * 1_000_000),
    "silence": lambda reply: b"",
    "huge-line": lambda reply: b'"' + b"x" * HUGE + b'"\n',
}
"""What comes instead of an answer."""
SAY_OK = frozenset({"deep-token", "deep-entry", "infinite-token", "no-base64"})
"""Nonsense of reads alone: a write takes them for success."""
ALSO = ("closed-stdout", "half-a-line", "much-on-stderr", "slow-pieces")
SAYS = {
    "cut": "is no JSON", "words": "b'Warning: ", "empty-line": "b'' is no JSON", "wrong-id": "an answer to 1000000000",
    "text-id": "number of a request", "no-id": "number of a request", "twice": "answered already",
    "two-ids": "a name occurs twice", "not-utf-8": "is no JSON", "utf-16": "is no JSON", "nul": "is no JSON",
    "deep": "nested too deeply", "long-number": "more than 4,300 digits", "infinite-token": "does not fit",
    "both": 'either "ok" or "error"', "neither": 'either "ok" or "error"', "list": 'either "ok" or "error"',
    "unknown-kind": "error of kind 'sorry'", "surrogate": "\\ud800 \\x1b[31m \\x00", "long-words": "xxx...",
    "many-lines": "one two three four", "silence": "no answer within",
    "huge-line": "a line of more than 16,777,216 bytes",
    "closed-stdout": "it closed its stdout", "half-a-line": "within a line",
}  # fmt: skip
"""A part of what the user is told."""


def dsn(kind: str, file: Path) -> str:
    return f"exec:{shlex.join([sys.executable, __file__, kind, str(file)])}"


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
        says_ok = self.kind in SAY_OK
        if says_ok and request["op"] == "set_if":
            await super().answer(line_)
            return
        if request["op"] in {"set", "delete"} and (says_ok or self.rng.random() < 0.5):
            await self.do(request)
        sys.stdout.flush()
        match self.kind:
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
            case kind:
                sys.stdout.buffer.write(KINDS[kind](reply))
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(Nonsense(sys.argv[1], Path(sys.argv[2])).serve())

"""A store that speaks the protocol ``exec:`` and has the bug that its first argument names; a program of its own.

``correct`` and ``doubtful`` are none: a doubtful one often does not know what became of a write. ``spurious`` is weaker
than others: a conditional write may fail without a reason.

Predicates are version numbers: opaque. With a file as its second argument it keeps its data there. Operations wait a
little before they look and after they are done, so that requests really overlap; with ``prompt`` before the name of
the bug they only let others go first.
"""

import asyncio
import json
import os
import shlex
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from random import Random

Address = tuple[bytes, bytes]
Held = tuple[bytes, int]
"""A value, and its version."""

LINE_MAX = 1 << 26
WINDOW = 0.004
"""Seconds between the get and the set of a set_if that is both: also of a prompt store, or who asks slowly never meets
anybody there."""
ANY = "any"
"""The predicate of who asks for nothing."""


def dsn(bug: str, file: Path | None = None) -> str:
    """What names it."""
    return f"exec:{shlex.join([sys.executable, __file__, bug, *([] if file is None else [str(file)])])}"


class Answer(Exception):
    """An error, by its kind."""


def text(value: bytes) -> str:
    return b64encode(value).decode()


class Planted:
    def __init__(self, bug: str, file: Path | None) -> None:
        self.bug = bug.removeprefix("prompt ")
        self.wait = 0.0 if bug.startswith("prompt") else 0.002
        self.rng = Random(7)
        self.data: dict[Address, Held] = {}
        self.ghosts: dict[Address, int] = {}
        """Versions of what was deleted last."""
        self.versions = 0
        self.log = -1
        if file is not None:
            for line in file.read_text().splitlines() if file.exists() else ():
                partition, key, value, self.versions = json.loads(line)
                at = b64decode(partition), b64decode(key)
                self.data.pop(at, None)
                if value is not None:
                    self.data[at] = b64decode(value), self.versions
            self.log = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def pause(self) -> None:
        await asyncio.sleep(self.rng.random() * self.wait)

    def seldom(self, bug: str, share: float) -> bool:
        return self.bug == bug and self.rng.random() < share

    def put(self, at: Address, value: bytes | None) -> None:
        self.versions += 1
        if value is not None:
            self.data[at] = value, self.versions
        elif at in self.data:
            self.ghosts[at] = self.data.pop(at)[1]
        if self.log >= 0:
            # A line a write, whole or not at all: a process that is killed loses nothing that it acknowledged.
            entry = [text(at[0]), text(at[1]), None if value is None else text(value), self.versions]
            os.write(self.log, json.dumps(entry).encode() + b"\n")

    def put_late(self, at: Address, value: bytes | None, predicate: object) -> None:
        """Do what nobody waits for any more, as it is to be done."""
        if predicate == ANY or self.holds(at, predicate):  # type: ignore[arg-type]
            self.put(at, value)

    def holds(self, at: Address, predicate: Mapping[str, object] | None) -> bool:
        found = self.data.get(at)
        if predicate is None:
            return found is None
        if "exists" in predicate:
            return found is not None
        if found is None:
            return self.bug == "resurrecting" and predicate["value"] == self.ghosts.get(at)
        return found[1] == predicate["value"]

    def get(self, at: Address) -> dict[str, object]:
        found = self.data.get(at)
        if found is None:
            raise Answer("not_found")
        return {"value": text(found[0]), "predicate": found[1]}

    def scan(self, partition: bytes, start: bytes, limit: int) -> dict[str, object]:
        keys = sorted(key for part, key in self.data if part == partition and key >= start)
        if len(keys) > 3 and self.seldom("skipping-scan", 0.05):
            del keys[2]
        if self.seldom("unordered-scan", 0.05):
            keys.reverse()
        entries = [{"key": text(key), "value": text(self.data[partition, key][0])} for key in keys]
        return {"entries": entries[: limit or None]}

    async def do(self, request: Mapping[str, str]) -> dict[str, object]:
        op, partition = request["op"], b64decode(request["partition"])
        if not partition:
            raise Answer("missing_partition_key")
        if op == "scan":
            await self.pause()
            return self.scan(partition, b64decode(request["start"]), int(request["limit"]))
        at = partition, b64decode(request["key"])
        if not at[1]:
            raise Answer("missing_key")
        if op.startswith("set") and request["value"] is None:
            raise Answer("missing_value")
        await self.pause()
        if op == "get":
            return self.get(at)
        if op == "set_if":
            predicate = request["predicate"]
            if not self.holds(at, predicate):  # type: ignore[arg-type]  # an object in fact
                raise Answer("predicate_failed")
            if self.seldom("spurious", 0.05):
                raise Answer("predicate_failed")
            if self.bug == "get-then-set":
                await asyncio.sleep(WINDOW)
        value = None if op == "delete" else b64decode(request["value"])
        if self.seldom("doubtful", 0.02):
            if self.rng.random() < 0.5:
                wait = self.rng.random() * 0.2
                asyncio.get_running_loop().call_later(wait, self.put_late, at, value, request.get("predicate", ANY))
            raise Answer("unknown")
        if not self.seldom("lost-write", 0.005):
            self.put(at, value)
        if op == "set_if" and self.seldom("false-failure", 0.05):
            raise Answer("predicate_failed")
        await self.pause()
        return {}

    async def answer(self, line: bytes) -> None:
        request = json.loads(line)
        reply: dict[str, object] = {"id": request["id"]}
        try:
            reply["ok"] = await self.do(request)
        except Answer as error:
            reply["error"] = {"kind": str(error), "message": ""}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()

    async def serve(self) -> None:
        reader = asyncio.StreamReader(limit=LINE_MAX)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        tasks: set[asyncio.Task[None]] = set()
        while line := await reader.readline():
            task = asyncio.create_task(self.answer(line))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(Planted(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None).serve())

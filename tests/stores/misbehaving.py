"""A program that misbehaves as its first argument, a seed, says; between its misdeeds it is a store in memory.

It answers so many requests rightly (none, by most seeds), and then does one thing that no store does. It is small, so
that it starts fast: tests start hundreds.
"""

import json
import os
import signal
import sys
import time
from base64 import b64decode, b64encode
from random import Random

JUNK = (
    b"{}", b"[]", b"null", b"1", b'"', b"\0", b"\xff\xfe", b"Welcome", b"", b" ", b"[" * 5_000, b"9" * 5_000,
    b'{"id": 1}', b'{"id": null, "ok": {}}', b'{"id": -1, "ok": {}}', b'{"id": 1e999}', b'{"id": 1, "id": 1}',
    b'{"id": 1, "ok": {}, "error": {}}', b'{"id": 1, "ok": {"value": "?", "predicate": 1}}',
    b'{"id": 1, "ok": {"value": "", "predicate": null}}', b'{"id": 1, "error": {"kind": "sorry"}}',
    b'{"id": 1, "error": {"kind": "predicate_failed"}}', b'{"id": 1, "error": {"kind": 5}}',
    b'{"id": 1, "ok": {"entries": [1]}}', b"HTTP/1.1 400 Bad Request\r",
)  # fmt: skip
MISDEEDS = (
    "junk", "junk", "junk", "bytes", "bytes", "echo", "echo-as-answer", "wrong-id", "twice", "exit", "kill", "mute",
    "close", "half", "endless-line", "endless-lines", "deaf", "nonsense-value", "child-holds-stdout", "slow",
)  # fmt: skip
data: dict[tuple[bytes, bytes], tuple[bytes, int]] = {}


def answered(request: dict[str, str]) -> dict[str, object]:
    op, partition = request["op"], b64decode(request["partition"])
    if not partition:
        return {"error": {"kind": "missing_partition_key"}}
    if op == "scan":
        start, limit = b64decode(request["start"]), int(request["limit"])
        keys = sorted(key for part, key in data if part == partition and key >= start)[: limit or None]
        return {"ok": {"entries": [{"key": text(key), "value": text(data[partition, key][0])} for key in keys]}}
    at = partition, b64decode(request["key"])
    if op == "get":
        return {"ok": {"value": text(data[at][0]), "predicate": 1}} if at in data else {"error": {"kind": "not_found"}}
    if op == "delete":
        data.pop(at, None)
        return {"ok": {}}
    data[at] = b64decode(request["value"] or ""), 1
    return {"ok": {}}


def text(value: bytes) -> str:
    return b64encode(value).decode()


def say(line: bytes) -> None:
    os.write(1, line)


def endless(piece: bytes) -> None:
    while True:
        say(piece)


def misbehave(kind: str, line: bytes, rng: Random) -> None:
    request = json.loads(line)
    right = json.dumps({"id": request["id"], **answered(request)}).encode()
    match kind:
        case "junk":
            say(b"".join(rng.choice(JUNK) + rng.choice((b"\n", b"\n", b"")) for _ in range(rng.randrange(1, 4))))
        case "bytes":
            say(rng.randbytes(rng.randrange(1, 40)) + rng.choice((b"\n", b"")))
        case "echo":
            say(line)
        case "echo-as-answer":
            say(json.dumps({"id": request["id"], "ok": request}).encode() + b"\n")
        case "wrong-id":
            reply = {"id": request["id"] + rng.choice((-1, 1, 10**9)), **answered(request)}
            say(json.dumps(reply).encode() + b"\n")
        case "twice":
            say((right + b"\n") * 2)
        case "exit":
            sys.exit(rng.choice((0, 1, 3)))
        case "kill":
            os.kill(os.getpid(), rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGABRT)))
        case "mute":
            time.sleep(60)
        case "close":
            os.close(1)
            time.sleep(60)
        case "half":
            say(right[: len(right) // 2])
            sys.exit(0)
        case "endless-line":
            endless(b"x" * 65_536)
        case "endless-lines":
            endless((right + b"\n") * 100)
        case "deaf":
            os.close(0)
            time.sleep(60)
        case "nonsense-value":
            reply = {"id": request["id"], "ok": {"value": "", "predicate": rng.choice((None, [[]], {}))}}
            say(json.dumps(reply).encode() + b"\n")
        case "child-holds-stdout":
            if os.fork() == 0:
                os.setsid()
                sys.stdin.buffer.read()
            sys.exit(0)
        case "slow":
            for byte in right + b"\n":
                say(bytes([byte]))


def main() -> None:
    seed = int(sys.argv[1])
    rng = Random(seed)
    kind, rightly = MISDEEDS[seed % len(MISDEEDS)], rng.choice((0, 0, 1, 5, 40))
    if len(sys.argv) > 2:
        rightly = int(sys.argv[2])
    for number, line in enumerate(sys.stdin.buffer):
        request = json.loads(line)
        if number >= rightly:
            misbehave(kind, line, rng)
        else:
            say(json.dumps({"id": request["id"], **answered(request)}).encode() + b"\n")


if __name__ == "__main__":
    main()

"""The Redis front answers what a Redis answers, byte for byte."""

import re
import socket
from collections.abc import Iterator
from contextlib import suppress

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.work import Work
from tests.gate.redis_requests import ALL, LISTS, LUA, REST, SETS, Local, Real, sent, words
from tests.gate.stores import telling


@pytest.fixture(scope="module")
def open_gate() -> Iterator[str]:
    with telling("redis") as address:
        yield address.removeprefix("redis://")


def whole(family: socket.AddressFamily, address: str, data: bytes) -> bytes:
    """All that is answered to some bytes, until the connection is closed."""
    host, _, port = address.rpartition(":")
    with socket.socket(family) as connection:
        connection.settimeout(10)
        connection.connect((host, int(port)) if family is socket.AF_INET else address)
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        with suppress(ConnectionResetError):
            while more := connection.recv(1 << 16):
                found += more
        return re.sub(rb"\$\d+\r\n7[.]0[.]\d+|id\r\n:\d+", b"of HELLO", found)


SORTED = (b"KEYS", b"SCAN", b"SMEMBERS", b"SINTER", b"SUNION", b"SDIFF", b"SSCAN")


def ordered(command: Words, answer: bytes) -> object:
    """An answer, without the order of the keys in it if Redis promises none, and with the time to live that a key was
    given: a part of it is over in Redis."""
    answer = re.sub(rb":(9\d{4}|1\d{5})\r", lambda found: b":%d\r" % round(int(found[1]), -4), answer)
    keys = command[0].upper() in SORTED and answer[:1] in (b"*", b"~")
    return sorted(answer.split(b"\r\n")) if keys else answer


def differ(real: Real, asked: list[tuple[int, Words]], protocol: int = 2) -> str:
    """Where the answers differ; empty: nowhere."""
    local = Local()
    for connection in (0, 1):
        real.ask(connection, (b"RESET",))
        for each in (real, local):
            each.ask(connection, (b"HELLO", b"%d" % protocol))
        real.ask(connection, (b"SELECT", b"0"))
    real.ask(0, (b"FLUSHALL",))
    real.ask(0, (b"SCRIPT", b"FLUSH"))
    queued: list[list[Words]] = [[], []]
    in_transaction = [False, False]
    for at, (connection, command) in enumerate(asked):
        if in_transaction[connection] and command[0].upper() == b"CLIENT":
            continue  # it is refused there, and Redis does it
        mine = local.ask(connection, command)
        if local.unknown:
            return ""  # what follows is not judged
        its = real.ask(connection, command)
        if its == b"+QUEUED\r\n":
            queued[connection].append(command)
        loose = command
        if command[0].upper() == b"EXEC" and any(each[0].upper() in SORTED for each in queued[connection]):
            loose = (b"KEYS",)
        if command[0].upper() in (b"EXEC", b"DISCARD", b"RESET"):
            queued[connection].clear()
            in_transaction[connection] = False
        if command == (b"MULTI",):
            in_transaction[connection] = True
        if ordered(loose, mine) != ordered(loose, its):
            return f"step {at}: {command!r} is answered {mine!r}, and by Redis {its!r}"
    return ""


def told(*lines: str) -> list[tuple[int, Words]]:
    """``1 GET a`` is a command on the second connection."""
    return [(int(line[0]), words(line[1:])) for line in lines]


SEQUENCES = st.one_of([st.lists(st.tuples(st.integers(0, 1), each), max_size=20) for each in (ALL, LISTS | SETS)])
PROTOCOLS = st.sampled_from([2, 3])


@settings(max_examples=200)
@given(SEQUENCES, PROTOCOLS)
@example(told("0 WATCH a", "1 SET a 1", "1 SET a 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SET a 1", "0 WATCH a", "0 SET a 1", "0 MULTI", "0 GET a", "0 EXEC"), 3)
@example(told("0 WATCH a", "1 DEL a", "0 MULTI", "0 EXEC"), 2)
@example(told("0 WATCH a", "1 FLUSHDB", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SET a 1", "0 WATCH a", "1 FLUSHDB", "1 SET a 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 WATCH a", "1 SET a 1", "0 WATCH a", "0 MULTI", "0 EXEC"), 2)
@example(told("0 WATCH a", "1 SET a 1", "0 UNWATCH", "0 MULTI", "0 EXEC"), 2)
@example(told("0 MULTI", "0 SET a 1", "0 INCR b c", "0 EXEC", "0 GET a"), 2)
@example(told("0 MULTI", "0 SET a x", "0 INCR a", "0 SET b 1", "0 EXEC", "0 GET b"), 2)
@example(told("0 MULTI", "0 MULTI", "0 WATCH a", "0 UNWATCH", "0 EXEC"), 2)
@example(told("0 MULTI", "0 PING", "0 ECHO x", "0 SELECT 0", "0 EXEC"), 2)
@example(told("0 ZADD a 1 f", "0 WATCH a", "1 ZADD a 1 f", "0 MULTI", "0 EXEC"), 2)
@example(told("0 HSET a f 1", "0 WATCH a", "1 HSET a f 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SET a 1", "0 WATCH a", "1 SET a 2 NX", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SET a 1", "0 WATCH a", "1 APPEND a 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SET a 1 PX 9223372036854775807", "0 SET a 1 EX 1 ex 100", "0 TTL a"), 2)
@example(told("0 PSETEX a 9223372036854775807 1", "0 SETEX a 9223372036854775 1"), 2)
@example(told("0 PEXPIRE a 9223372036854775807", "0 EXPIRE a 9223372036854775", "0 EXPIRE a -9223372036854775"), 2)
@example(told("0 EXPIRE a x NX", "0 EXPIRE a x ÿ"), 2)
@example(told("0 HSCAN k 0 MATCH", "0 HSET k f 1", "0 HSCAN k 0 MATCH"), 2)
@example(told("0 ZADD z 1e400 a", "0 ZADD z -1e-400 a", "0 ZADD z 0e400 a 0e-9 b +inf c", "0 ZSCORE z c"), 2)
@example(told("0 ZADD z 0x10 a", "0 ZSCORE z a"), 2)
@example(told("0 ZADD z 0 a 0 b", "0 ZRANGEBYLEX z - + LIMIT 0 1 LIMIT 1 2", "0 ZRANGEBYLEX z - + LIMIT 0 x y"), 2)
@example(told("0 ZADD z -0 f 0 g", "0 ZADD z INCR -0 h", "0 ZPOPMAX z 2", "0 ZPOPMIN z", "0 ZPOPMIN z", "0 TYPE z"), 3)
@example(told("0 ZADD z inf f", "0 ZINCRBY z -inf f", "0 WATCH z", "1 ZADD z LT CH inf f", "0 MULTI", "0 EXEC"), 3)
@example(told("0 ZADD z 0 f 0 g", "0 ZRANGE z [g - BYLEX REV LIMIT 1 1", "0 ZRANGE z (1 0 BYSCORE REV WITHSCORES"), 3)
@example(told("0 RPUSH l 1", "0 WATCH l", "1 LTRIM l 0 -1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 RPUSH l 1", "0 EXPIRE l 100", "0 RPOPLPUSH l l", "0 TTL l"), 2)
@example(told("0 RPUSH m 1", "0 BLPOP l m 0", "0 BLPOP l 0.001", "0 BRPOPLPUSH l m 0.001", "0 BLPOP l 0"), 2)
@example(told("0 ZADD z 1 f 2 g 3 h", "0 BZPOPMIN a z 0", "0 BZPOPMAX z 1", "0 ZREM z g", "0 BZPOPMIN z 0.001"), 3)
@example(told("0 SET a 1", "0 BZPOPMAX z a 1", "0 MULTI", "0 BZPOPMIN z 0", "0 EXEC", "0 BZPOPMIN z x"), 2)
@example(told("0 MULTI", "0 BLPOP l 1", "0 BRPOPLPUSH l m 1", "0 BLMOVE l m LEFT LEFT 1", "0 EXEC"), 2)
@example(told("0 RPUSH l a b c b", "0 LREM l -1 b", "0 LINDEX l 1", "0 LPOP l 0", "0 LPOP k 1", "0 BLPOP k 0.0001"), 2)
@example(told("0 RPUSH l a b c", "0 LINSERT l AFTER b x", "0 LRANGE l -3 -1", "0 LINDEX l -4", "0 SMOVE k l a"), 2)
@example(told("0 SADD s 1", "0 WATCH s", "1 SADD s 1", "1 SREM s 2", "1 SMOVE s s 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SADD s 1", "0 SADD t 1 2", "0 WATCH t", "1 SMOVE s t 1", "0 MULTI", "0 EXEC"), 2)
@example(told("0 SADD s 1", "0 SADD t 1 2", "0 EXPIRE t 100", "0 SINTERSTORE t s t", "0 TTL t", "0 SMEMBERS t"), 3)
@example(told("0 SADD s 1", "0 SADD s 2 3 4 5 6 7 8 9 10", "0 SSCAN s 0", "0 SADD s x", "0 SSCAN s 0"), 2)
@example(told("0 RESET", "0 GET a", "0 RESET x", "0 DISCARD", "0 EXEC"), 2)
def test_a_sequence_of_commands_is_answered_as_by_redis(
    real: Real, asked: list[tuple[int, Words]], protocol: int
) -> None:
    assert not differ(real, asked, protocol)


def test_each_script_is_answered_as_by_redis(real: Real) -> None:
    for text in LUA:
        assert not differ(real, [(0, (b"EVAL", text.replace("|", "\n").encode(), b"1", b"l", b"v"))]), text


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 1), ALL | REST), max_size=6), PROTOCOLS)
def test_what_is_answered_otherwise_is_said_not_to_be_known(
    real: Real, asked: list[tuple[int, Words]], protocol: int
) -> None:
    assert not differ(real, asked, protocol)


@settings(max_examples=50)
@given(REST)
@example((b"EVAL", b"while true do end", b"0"))
def test_what_the_front_does_not_have_is_said_to_be_so(asked: Words) -> None:
    local = Local()
    local.ask(0, asked)
    assert local.unknown


HEADS = ["*1", "*2", "*0", "*-1", "*-0", "*01", "*x", "*"]
INNER = ["$4", "$04", "$-1", "$+4", "$0", "$", ":1", "", "x", "ECHOxx$1"]
PARTS = [f"{each}\r\n".encode() for each in (*HEADS, *INNER)]
LINES = ["PING", "PING y", "QUIT", "EXEC", "RESET", "HELLO 4", "HELLO x", "HELLO 2 SETNAME", "SELECT x", "EXEC x"]
MORE = ["SCRIPT LOAD", "AUTH a b c", "GET", "ECHO", "y"]
TYPED = [b"PING\n", b" echo\t1\r \r\n", b"ECHO 'x'\n"]
PIECES = st.sampled_from([*PARTS, *(sent(words(each)) for each in (*LINES, *MORE)), b"$4\r\nECHOxx", b"x", *TYPED])
CURSORS = ("0" * 5_000, f"{'0' * 5_000}{(1 << 64) - 1}", str(1 << 64), "9" * 5_000)
SCANS = [f"{command} {each}" for command in ("SCAN", "HSCAN k") for each in CURSORS]


@settings(max_examples=80)
@given(st.lists(PIECES, max_size=8).map(b"".join))
@example(b"".join(sent(words(each)) for each in ("FLUSHALL", *SCANS)))
@example(sent((b"PING",)) + b"*0\r\n" + sent((b"PING", b"x")) + b"*1\r\n$1")
@example(sent((b"PING",)) + b"*1\r\nx\r\n")
@example(b"*1\r\n+GET\r\n")
@example(b"PING\n" + sent((b"PING",)) + b"\r\n\n get  a b\r\nECHO x")
def test_bytes_of_any_kind_are_answered_as_by_redis(real: Real, open_gate: str, data: bytes) -> None:
    mine, its = whole(socket.AF_INET, open_gate, data), whole(socket.AF_UNIX, real.path, data)
    before, line, _ = mine.partition(b"-ERR Protocol error: this line of words")  # what follows is not judged
    assert its.startswith(before) if line else mine == its


def test_an_answer_that_is_not_redis_is_seen(real: Real, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = told("0 WATCH a", "1 DEL a", "1 SET a 1", "0 MULTI", "0 EXEC")
    assert not differ(real, asked)
    read = Work.read
    monkeypatch.setattr(Work, "read", lambda work, key: attrs.evolve(read(work, key), version=0))
    assert differ(real, asked).startswith("step 4: (b'EXEC',) is answered b'*0")

"""Commands of Redis for tests: a store without sockets, one that is real, and commands at random."""

import hashlib
import socket
from collections.abc import Sequence
from itertools import chain

import redis.lock
from hypothesis import strategies as st

from lakeproof.gate.fronts.redis.commands import find_command
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import CommandError, encode_reply
from lakeproof.gate.fronts.redis.scripts import SCRIPTS
from lakeproof.gate.fronts.redis.session import Session
from lakeproof.gate.fronts.redis.state import RedisState
from lakeproof.stores import redis_scripts

_IF_OWNER = """
                if redis.call('get', KEYS[1]) == ARGV[1] then
                    %s
                else
                    return 0
                end
            """
OF_POTTERY = tuple(
    _IF_OWNER % then
    for then in (
        f"local pttl = redis.call('pttl', KEYS[1])\n{' ' * 20}return (pttl > 0) and pttl or 0",
        "return redis.call('pexpire', KEYS[1], ARGV[2])",
        "return redis.call('del', KEYS[1])",
    )
)
"""The scripts of `pottery.Redlock` 3.0."""
TEXTS = {
    hashlib.sha1(text.encode()).hexdigest(): text.encode()  # noqa: S324  # as Redis does
    for text in (
        *(text for name, text in vars(redis_scripts).items() if name.isupper()),
        *(getattr(redis.lock.Lock, f"LUA_{name}_SCRIPT") for name in ("RELEASE", "EXTEND", "REACQUIRE")),
        *OF_POTTERY,
    )
}
"""The texts of the scripts that are known, by sha."""
NOW = 1_700_000_000_000_000


def words(text: str) -> Words:
    """A command of plain words."""
    return tuple(text.encode().split())


def sent(command: Words) -> bytes:
    """Its bytes."""
    return b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%b\r\n" % (len(each), each) for each in command)


class Local:
    """The front behind two connections, without sockets."""

    def __init__(self) -> None:
        self.state = RedisState(expires=True)
        self.sessions = [Session(1), Session(2)]
        self.front = RedisFront()
        self.unknown = ""
        """The first thing that was asked for and that the front does not have."""

    def ask(self, connection: int, command: Words) -> bytes:
        session = self.sessions[connection]
        found = session.taken(command)
        if isinstance(found, RedisRequest):
            self.state, reply, _ = self.front.perform(self.state, found, NOW)
            assert self.front.label_of(found)
            session.answered(found, reply)
        else:
            reply = found
        self.unknown = self.unknown or reply.unknown
        return encode_reply(reply.value, session.protocol)


class Real:
    """A Redis behind a socket of its file system, with two connections."""

    def __init__(self, address: str) -> None:
        self.path = address.removeprefix("unix://")
        self.sockets = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for each in self.sockets:
            each.connect(self.path)
        self.files = [each.makefile("rb") for each in self.sockets]

    def ask(self, connection: int, command: Words) -> bytes:
        self.sockets[connection].sendall(sent(command))
        return self._answer(connection)

    def _answer(self, connection: int) -> bytes:
        """The bytes of one answer, whatever is in it."""
        line: bytes = self.files[connection].readline()
        kind, rest = line[:1], line[1:].strip()
        if kind in b"$=" and int(rest) >= 0:
            return line + self.files[connection].read(int(rest) + 2)
        inner = {b"*": 1, b"~": 1, b"%": 2}.get(kind, 0) * max(0, int(rest) if kind in b"*~%" else 0)
        return line + b"".join(self._answer(connection) for _ in range(inner))

    def close(self) -> None:
        for file in self.files:
            file.close()
        for each in self.sockets:
            each.close()


KEYS = st.sampled_from([b"a", b"b", b"ab", b"h", b"z", b"\x00\xff%"])
VALUES = st.sampled_from([b"", b"1", b"-7", b"9223372036854775807", b"01", b"x", b"y z", b"\r\n"])
FIELDS = st.sampled_from([b"f", b"g", b""])
NUMBERS = st.sampled_from([b"1", b"-1", b"0", b"-9223372036854775808", b"9223372036854775807", b"x", b"1.0", b""])
PATTERNS = st.sampled_from([b"*", b"a*", b"?", b"[ab]", b"[^a]", b"[b-a]b", b"\\a", b"[", b"[]", b"a[", b"[^]", b"**b"])
SCORES = st.sampled_from([b"0", b"1", b"-1.5", b"x", b"inf", b"nan"])
BOUNDS = st.sampled_from([b"-", b"+", b"[f", b"(f", b"[", b"(g", b"f", b"[g"])


SORTS = {"K": KEYS, "V": VALUES, "F": FIELDS, "N": NUMBERS, "P": PATTERNS, "S": SCORES, "B": BOUNDS}
"""What the single letters of a line stand for; all else stands for itself."""


def asked(*lines: str) -> st.SearchStrategy[Words]:
    """One of these commands. What stands in brackets at the end of a line comes one to three times."""
    return st.one_of([_asked(line) for line in lines])


def _asked(line: str) -> st.SearchStrategy[Words]:
    head, _, group = line.removesuffix(")").partition("(")
    several = st.lists(_words(group), min_size=1, max_size=3) if group else st.just([])
    return st.builds(lambda first, more: (*first, *chain(*more)), _words(head), several)


def _words(text: str) -> st.SearchStrategy[Words]:
    return st.tuples(*(SORTS.get(each, st.just(each.encode())) for each in text.split()))


def command(name: str, *parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[Words]:
    """Words, and then what is drawn."""
    return st.tuples(*(st.just(each) for each in name.encode().split()), *parts)


def options(*words: bytes) -> st.SearchStrategy[list[bytes]]:
    return st.lists(st.sampled_from(words), max_size=2)


def _set(key: bytes, value: bytes, more: Sequence[bytes]) -> Words:
    return (b"SET", key, value, *more)


TIMED = st.sampled_from([(b"EX", b"100"), (b"px", b"100000"), (b"EX", b"0"), (b"PX", b"x"), (b"EX",), (b"KEEPTTL",)])
MORE = options(b"NX", b"GET", b"KEEPTTL")
SPANS = st.sampled_from([b"100", b"x", b"9223372036854775807"])
STRINGS = st.one_of(
    st.builds(_set, KEYS, VALUES, options(b"nx", b"XX", b"GET", b"KEEPTTL", b"what")),
    st.builds(lambda *found: _set(found[0], found[1], (*found[2], *found[3])), KEYS, VALUES, TIMED, MORE),
    asked("get K", "SETNX K V", "GETSET K V", "GETDEL K", "MGET (K)", "MSET (K V)", "MSETNX (K V)", "APPEND K V"),
    asked("STRLEN K", "INCR K", "DECR K", "INCRBY K N", "DECRBY K N"),
)
KEYSPACE = st.one_of(
    asked("DEL (K)", "UNLINK (K)", "EXISTS (K)", "TYPE K", "KEYS P", "SCAN 0 COUNT 1000 MATCH P", "DBSIZE", "FLUSHDB"),
    asked("FLUSHALL SYNC", "FLUSHDB V", "TTL K", "PTTL K", "PERSIST K", "SCAN x", "SCAN 99999999999999999999999"),
    command("SCAN 0 TYPE string COUNT", st.sampled_from([b"1000", b"0", b"-1", b"x"])),
    command("EXPIRE", KEYS, SPANS | st.sampled_from([b"0", b"-1"])),
    command("PEXPIRE", KEYS, st.sampled_from([b"100000", b"-1"])),
    command("SETEX", KEYS, SPANS, VALUES),
    command("PSETEX", KEYS, st.sampled_from([b"100000", b"0"]), VALUES),
)
HASHES = st.one_of(
    asked("HGET K F", "HMGET K (F)", "HSET K (F V)", "HMSET K (F V)", "HSETNX K F V", "HDEL K (F)", "HGETALL K"),
    asked("HKEYS K", "HVALS K", "HEXISTS K F", "HLEN K", "HINCRBY K F N", "HSCAN K 0 MATCH P", "ZADD K (S F)"),
    asked("ZREM K (F)", "ZCARD K", "ZSCORE K F", "ZRANGEBYLEX K B B", "ZRANGEBYLEX K B B LIMIT N N"),
)
ANYTHING = st.one_of(
    st.tuples(st.sampled_from([b"GET", b"SET", b"MSET", b"HSET", b"WATCH", b"Foo", b"ZADD", b"EVAL"]), KEYS),
    asked("NONE", "NONE (V)", "PING", "PING V", "ECHO V", "SELECT 0", "SELECT x", "CLIENT GETNAME", "CLIENT NONE"),
    asked("CLIENT SETNAME me", "SCRIPT NONE"),
    command("CLIENT SETNAME", st.just(b"you and me")),
    command("CLIENT", st.just(b"GETNAME x")),
)
TRANSACTIONS = asked("WATCH (K)", "UNWATCH", "MULTI", "EXEC", "EXEC", "DISCARD")


@st.composite
def _of_scripts(draw: st.DrawFn) -> Words:
    script = draw(st.sampled_from(SCRIPTS))
    way = draw(st.sampled_from([b"EVAL", b"EVALSHA", b"LOAD", b"EXISTS", b"FLUSH"]))
    text, sha = TEXTS[script.sha], script.sha.encode()
    if way in (b"EVAL", b"EVALSHA"):
        keys = (draw(st.sampled_from([b"h", b"a"])), draw(st.sampled_from([b"z", b"a"])))
        args = [draw(FIELDS), draw(VALUES), draw(VALUES)]
        if script.keys == 1:
            more = (b"100000", draw(st.sampled_from([b"0", b"1"]))) if script.args > 1 else ()
            return (way, text if way == b"EVAL" else sha, b"1", keys[1], draw(VALUES), *more)
        if script.name == "transact":
            what = st.sampled_from([b"absent", b"exists", b"equal", b"set", b"delete"])
            args = [draw(each) for each in (FIELDS, FIELDS, what, what, VALUES, VALUES)]
            return (way, text if way == b"EVAL" else sha, b"4", *keys, *keys[:1], b"z", *args)
        if script.name == "scan":
            args = [draw(st.sampled_from([b"-", b"[f"])), draw(st.sampled_from([b"-1", b"1", b"2"]))]
        return (way, text if way == b"EVAL" else sha, b"2", *keys, *args)
    return {b"LOAD": (b"SCRIPT", way, text), b"EXISTS": (b"SCRIPT", way, sha), b"FLUSH": (b"SCRIPT", way)}[way]


REST = st.one_of(
    st.builds(_set, KEYS, VALUES, st.sampled_from([(each, b"9999999999") for each in (b"EXAT", b"PXAT")])),
    st.builds(
        lambda key, more: (b"ZADD", key, more, b"1", b"f"), KEYS, st.sampled_from([b"NX", b"XX", b"CH", b"INCR"])
    ),
    asked("EXPIRE K 100 NX", "EXPIRE K 100 gt", "EXPIREAT K 9999999999", "GETEX K", "LPUSH K V", "SETRANGE K 1 V"),
    asked("INCRBYFLOAT K 1", "HRANDFIELD K", "COPY a K", "SELECT 1", "CLIENT LIST", "SCRIPT HELP", "OBJECT HELP"),
    asked("SWAPDB 0 1", "PUBLISH a b", "SCAN -1", "HSCAN K +1"),
    command("EVAL", st.just(b"return 1"), st.just(b"0")),
    command("SCAN", st.sampled_from([b"", b"0\0"])),
)
"""What a Redis has, and the front has not."""
SCRIPTED = _of_scripts()
STEPS = st.one_of(STRINGS, KEYSPACE, HASHES, SCRIPTED)
"""Commands that ask something of the store."""
ALL = st.one_of(STEPS, STRINGS, TRANSACTIONS, TRANSACTIONS, ANYTHING)


def _possible(command: Words) -> bool:
    """Whether it is asked of the store: others are answered by the connection."""
    try:
        return find_command(command).do is not None
    except CommandError:
        return False


_COMMANDS = STEPS.filter(_possible)
_WATCHED = st.dictionaries(KEYS, st.integers(0, 2), max_size=2).map(lambda found: tuple(found.items()))
AT_ONCE = st.one_of(
    st.builds(lambda command: RedisRequest("c", (command,)), _COMMANDS),
    st.builds(lambda keys: RedisRequest("c", ((b"WATCH", *keys),)), st.lists(KEYS, min_size=1, max_size=2)),
    st.builds(RedisRequest, st.just("c"), st.lists(_COMMANDS, max_size=3).map(tuple), st.just(True), _WATCHED),
)
"""Requests of the store, before which nothing expires."""

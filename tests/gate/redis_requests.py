"""Commands of Redis for tests: a store without sockets, one that is real, and commands at random."""

import hashlib
import socket
from collections.abc import Sequence

import redis.lock
from hypothesis import strategies as st

from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import Reply, encoded
from lakeproof.gate.fronts.redis.scripts import SCRIPTS
from lakeproof.gate.fronts.redis.session import Session
from lakeproof.gate.fronts.redis.state import State
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
        self.state = State(expires=True)
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
        return encoded(reply.value, session.protocol)


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


def command(name: str, *parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[Words]:
    return st.tuples(*(st.just(each) for each in name.encode().split()), *parts)


def several(name: str, *parts: st.SearchStrategy[bytes], least: int = 1) -> st.SearchStrategy[Words]:
    """A command whose last parts come several times."""
    inner = st.lists(st.tuples(*parts), min_size=least, max_size=3)
    return inner.map(lambda found: (name.encode(), *(each for group in found for each in group)))


def behind(name: str, first: st.SearchStrategy[bytes], *parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[Words]:
    """A command with one argument, and then others several times."""
    return st.tuples(first, several(name, *parts)).map(lambda each: (each[1][0], each[0], *each[1][1:]))


def options(*words: bytes) -> st.SearchStrategy[list[bytes]]:
    return st.lists(st.sampled_from(words), max_size=2)


def _set(key: bytes, value: bytes, more: Sequence[bytes]) -> Words:
    return (b"SET", key, value, *more)


TIMED = st.sampled_from([(b"EX", b"100"), (b"px", b"100000"), (b"EX", b"0"), (b"PX", b"x"), (b"EX",), (b"KEEPTTL",)])
MORE = options(b"NX", b"GET", b"KEEPTTL")
SPANS = st.sampled_from([b"100", b"x", b"9223372036854775807"])
STRINGS = st.one_of(
    command("get", KEYS),
    st.builds(_set, KEYS, VALUES, options(b"nx", b"XX", b"GET", b"KEEPTTL", b"what")),
    st.builds(lambda *found: _set(found[0], found[1], (*found[2], *found[3])), KEYS, VALUES, TIMED, MORE),
    command("SETNX", KEYS, VALUES),
    command("GETSET", KEYS, VALUES),
    command("GETDEL", KEYS),
    several("MGET", KEYS),
    several("MSET", KEYS, VALUES),
    several("MSETNX", KEYS, VALUES),
    command("APPEND", KEYS, VALUES),
    command("STRLEN", KEYS),
    command("INCR", KEYS),
    command("DECR", KEYS),
    command("INCRBY", KEYS, NUMBERS),
    command("DECRBY", KEYS, NUMBERS),
)
KEYSPACE = st.one_of(
    several("DEL", KEYS),
    several("UNLINK", KEYS),
    several("EXISTS", KEYS),
    command("TYPE", KEYS),
    command("KEYS", PATTERNS),
    command("SCAN 0 COUNT 1000 MATCH", PATTERNS),
    command("SCAN 0 TYPE string COUNT", st.sampled_from([b"1000", b"0", b"-1", b"x"])),
    command("SCAN", st.sampled_from([b"x", b"99999999999999999999999"])),
    command("DBSIZE"),
    command("FLUSHDB"),
    command("FLUSHALL SYNC"),
    command("FLUSHDB", VALUES),
    command("TTL", KEYS),
    command("PTTL", KEYS),
    command("PERSIST", KEYS),
    command("EXPIRE", KEYS, SPANS | st.sampled_from([b"0", b"-1"])),
    command("PEXPIRE", KEYS, st.sampled_from([b"100000", b"-1"])),
    command("SETEX", KEYS, SPANS, VALUES),
    command("PSETEX", KEYS, st.sampled_from([b"100000", b"0"]), VALUES),
)
HASHES = st.one_of(
    command("HGET", KEYS, FIELDS),
    behind("HMGET", KEYS, FIELDS),
    behind("HSET", KEYS, FIELDS, VALUES),
    behind("HMSET", KEYS, FIELDS, VALUES),
    command("HSETNX", KEYS, FIELDS, VALUES),
    behind("HDEL", KEYS, FIELDS),
    command("HGETALL", KEYS),
    command("HKEYS", KEYS),
    command("HVALS", KEYS),
    command("HEXISTS", KEYS, FIELDS),
    command("HLEN", KEYS),
    command("HINCRBY", KEYS, FIELDS, NUMBERS),
    command("HSCAN", KEYS, st.just(b"0"), st.just(b"MATCH"), PATTERNS),
    behind("ZADD", KEYS, SCORES, FIELDS),
    behind("ZREM", KEYS, FIELDS),
    command("ZCARD", KEYS),
    command("ZSCORE", KEYS, FIELDS),
    command("ZRANGEBYLEX", KEYS, BOUNDS, BOUNDS),
    command("ZRANGEBYLEX", KEYS, BOUNDS, BOUNDS, st.just(b"LIMIT"), NUMBERS, NUMBERS),
)
ANYTHING = st.one_of(
    st.tuples(st.sampled_from([b"GET", b"SET", b"MSET", b"HSET", b"WATCH", b"Foo", b"ZADD", b"EVAL"]), KEYS),
    several("NONE", VALUES, least=0),
    command("PING"),
    command("PING", VALUES),
    command("ECHO", VALUES),
    command("SELECT", st.sampled_from([b"0", b"x"])),
    command("CLIENT GETNAME"),
    command("CLIENT SETNAME", st.sampled_from([b"me", b"you and me"])),
    command("CLIENT", st.sampled_from([b"NONE", b"GETNAME x"])),
    command("SCRIPT NONE"),
)
TRANSACTIONS = st.one_of(
    several("WATCH", KEYS), command("UNWATCH"), command("MULTI"), command("EXEC"), command("EXEC"), command("DISCARD")
)


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
        if script.name == "scan":
            args = [draw(st.sampled_from([b"-", b"[f"])), draw(st.sampled_from([b"-1", b"1", b"2"]))]
        return (way, text if way == b"EVAL" else sha, b"2", *keys, *args)
    return {b"LOAD": (b"SCRIPT", way, text), b"EXISTS": (b"SCRIPT", way, sha), b"FLUSH": (b"SCRIPT", way)}[way]


REST = st.one_of(
    st.builds(_set, KEYS, VALUES, st.sampled_from([(each, b"9999999999") for each in (b"EXAT", b"PXAT")])),
    st.builds(
        lambda key, more: (b"ZADD", key, more, b"1", b"f"), KEYS, st.sampled_from([b"NX", b"XX", b"CH", b"INCR"])
    ),
    command("EXPIRE", KEYS, st.just(b"100"), st.sampled_from([b"NX", b"gt"])),
    command("EXPIREAT", KEYS, st.just(b"9999999999")),
    command("GETEX", KEYS),
    command("LPUSH", KEYS, VALUES),
    command("SETRANGE", KEYS, st.just(b"1"), VALUES),
    command("INCRBYFLOAT", KEYS, st.just(b"1")),
    command("HRANDFIELD", KEYS),
    command("COPY a", KEYS),
    command("EVAL", st.just(b"return 1"), st.just(b"0")),
    command("SELECT 1"),
    st.sampled_from([b"CLIENT LIST", b"SCRIPT HELP", b"OBJECT HELP", b"SWAPDB 0 1", b"PUBLISH a b"]).map(
        lambda line: tuple(line.split())
    ),
)
"""What a Redis has, and the front has not."""
SCRIPTED = _of_scripts()
STEPS = st.one_of(STRINGS, KEYSPACE, HASHES, SCRIPTED)
"""Commands that ask something of the store."""
ALL = st.one_of(STEPS, STRINGS, TRANSACTIONS, TRANSACTIONS, ANYTHING)


def performed(state: State, asked: RedisRequest) -> tuple[State, Reply, Footprint]:
    return RedisFront().perform(state, asked, NOW)

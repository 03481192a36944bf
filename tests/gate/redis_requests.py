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
LOCKS = (*(getattr(redis.lock.Lock, f"LUA_{name}_SCRIPT") for name in ("RELEASE", "EXTEND", "REACQUIRE")), *OF_POTTERY)
"""Of redis-py, too."""
_LINES = r"""
return {1, 'x', {2.9, {ok = 'fine'}}, false, true, nil, 3}
return {redis.status_reply('FINE'), redis.error_reply('NO way'), redis.error_reply('-y'), redis.error_reply(1)}
return {-3.99, 1e300, 0 / 0, 9007199254740993, tostring(1e15), tostring(0.1), tostring(nil), -0}
return {KEYS, ARGV, #KEYS, KEYS[9], _VERSION, redis.sha1hex(1), redis.sha1hex(''), type(redis.call), redis.LOG_WARNING}
return {string.find('hello', 'l'), ('x'):rep(3), string.format('%d', 3.7), tonumber('12abc'), 'a' .. 1}
return {pcall(error, 'x'), select(2, pcall(function() error('x') end)), pcall(redis.call, 'get'), redis.pcall('get')}
return coroutine.wrap(function() return redis.call('type', KEYS[1]).ok end)()
return redis.call('set', KEYS[1], 1.5)['ok']
redis.call('set', KEYS[1], 12345678901234567) return redis.call('get', KEYS[1])
return redis.call('set', KEYS[1], ARGV[1], 'NX')
return redis.call('incr', KEYS[1]) + 0.5
return redis.call('hgetall', KEYS[1])
return redis.call('mget', KEYS[1], 'h', 'none')
redis.call('rpush', KEYS[1], ARGV[1], 'x') return {redis.call('lpop', KEYS[1], 1), redis.call('lrange', KEYS[1], 0, 1)}
redis.call('sadd', KEYS[1], ARGV[1]) return {#redis.call('smembers', KEYS[1]), redis.call('sdiff', KEYS[1], KEYS[1])}
redis.call('rpush', KEYS[1], 1) return {redis.pcall('blpop', KEYS[1], 0), redis.pcall('brpoplpush', KEYS[1], 'h', 1)}
return {redis.pcall('incr', KEYS[1]), redis.pcall('hget', KEYS[1], 'f'), redis.call('exists', KEYS[1])}
redis.call('append', KEYS[1], 'y') redis.call('hset', KEYS[1], 'f', 1) return redis.call('dbsize')
local function read() return redis.call('get', KEYS[1]) end local found = read() return found
local x = 1|return redis.call('get', KEYS[1], x)
local function deep() error({err = 'MINE deep'}) end||deep()
for number, key in ipairs(KEYS) do|redis.call('set', key, number) end
return redis.call('multi')
return redis.call('unwatch')
return redis.call('eval', 'return 1', 0)
return redis.call(KEYS[1], nil)
return redis.call()
return redis.call('get', {})
return redis.foo()
return {redis.REPL_NONE, redis.REPL_AOF, redis.REPL_REPLICA, redis.REPL_ALL, type(redis.REDIS_VERSION)}
return {redis.log(3, 'x'), redis.pcall('echo', 1), type(redis.log('1', 'x'))}
return redis.log(3)
return redis.log('x', 'y')
return redis.log(4, 'x')
return setmetatable({1}, {__index = error})
return foo
foo = 1
KEYS = {}
string.foo = 1
KEYS[1] = 'z' return KEYS
local none = nil return none.x
error('a|b')
error('x', 0)
error(5)
error()
assert(false, 'msg')
assert(nil)
return (
return 1 2
return {err = 'zz'}
return {ok = 'zz'}
return {{err = 'x'}, {ok = 1}, function() end}

"""
LUA = _LINES.split("\n")[1:]
"""A script in each line, of which a bar breaks the line."""
SCRIPTS = {
    **{text: (2, 3) for name, text in vars(redis_scripts).items() if name.isupper()},
    redis_scripts.TRANSACT: (4, 6),
    **dict.fromkeys(LOCKS, (1, 3)),
    **{text.replace("|", "\n"): (1, 1) for text in LUA},
}
"""How many keys and arguments each has."""
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
SCORES = st.sampled_from([b"0", b"-0", b"1", b"-1.5", b"1e-3", b"x", b"inf", b"-inf", b"nan"])
BOUNDS = st.sampled_from([b"-", b"+", b"[f", b"(f", b"[", b"(g", b"f", b"[g"])
SCORE_BOUNDS = st.sampled_from(b"-inf,+inf,0,(0,1,(1,-1.5,x,,(, 1,1 ,1_0,1e400,nan".split(b","))
RANKS = st.sampled_from([b"0", b"1", b"2", b"-1", b"-2", b"-9223372036854775808", b"9223372036854775807", b"x"])
ADDING = st.sampled_from([b"nx", b"XX", b"GT", b"lt", b"CH", b"INCR"])
RANGING = st.sampled_from([b"REV", b"WITHSCORES", b"byscore", b"BYLEX", b"LIMIT"])
ZKEYS = st.sampled_from([b"z", b"z", b"a"])
OF_LISTS, OF_SETS = st.sampled_from([b"l", b"l", b"m", b"a"]), st.sampled_from([b"s", b"s", b"t", b"a"])
ENDS = st.sampled_from([b"LEFT", b"right", b"LEFT", b"RIGHT", b"x"])
TIMEOUTS = st.sampled_from([b"0.001", b"0.0001", b"-1", b"0"])
SORTS = {"K": KEYS, "V": VALUES, "F": FIELDS, "N": NUMBERS, "P": PATTERNS, "S": SCORES, "B": BOUNDS, "Z": ZKEYS}
SORTS |= {"T": SCORE_BOUNDS, "R": RANKS, "A": ADDING, "O": RANGING}
SORTS |= {"L": OF_LISTS, "M": OF_SETS, "E": ENDS, "W": TIMEOUTS}
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
    asked("HKEYS K", "HVALS K", "HEXISTS K F", "HLEN K", "HINCRBY K F N", "HSCAN K 0 MATCH P"),
)
ZSETS = st.one_of(
    asked("ZADD Z (0 F)", "ZADD Z (S F)", "ZADD Z A (S F)", "ZADD Z A S F", "ZADD Z A A S F", "ZADD Z A A A (S F)"),
    asked("ZINCRBY Z S F", "ZREM K (F)", "ZPOPMIN Z", "ZPOPMIN Z (R)", "ZPOPMAX Z", "ZPOPMAX Z R", "BZPOPMAX Z W"),
    asked("ZREMRANGEBYRANK Z R R", "ZREMRANGEBYSCORE Z T T", "ZCOUNT Z T T", "ZCARD K", "ZSCORE K F", "ZMSCORE K (F)"),
    asked("ZRANK K F", "ZREVRANK K F", "ZRANGE Z R R (O)", "ZRANGE Z T T BYSCORE (O)", "ZRANGE Z B B BYLEX (O)"),
    asked("ZRANGE Z R R", "ZRANGE Z R R LIMIT R R", "ZREVRANGE Z R R", "ZREVRANGE Z R R (O)", "ZRANGEBYLEX K B B"),
    asked("ZRANGE Z T T BYSCORE REV LIMIT R R", "ZRANGE Z B B bylex rev LIMIT R R", "ZRANGEBYLEX K B B LIMIT R R"),
    asked("ZRANGEBYSCORE Z T T", "ZRANGEBYSCORE Z T T (O)", "ZRANGEBYSCORE Z T T withscores LIMIT R R"),
    asked("ZREVRANGEBYSCORE Z T T", "ZREVRANGEBYSCORE Z T T (O)", "ZREVRANGEBYSCORE Z T T LIMIT R R"),
)
LISTS = st.one_of(
    asked("LPUSH L (F)", "RPUSH L (F)", "RPUSH L F F F", "LPUSHX L (F)", "RPUSHX L (F)", "LPOP L", "RPOP L"),
    asked("LPOP L R", "RPOP L R", "LPOP L 1 1", "LLEN L", "LRANGE L R R", "LRANGE L 0 -1", "LINDEX L R", "LSET L R F"),
    asked("LINSERT L BEFORE F F", "LINSERT L after F F", "LINSERT L x F F", "LREM L R F", "LTRIM L R R"),
    asked("RPOPLPUSH L L", "LMOVE L L E E", "BLPOP L W", "BRPOP L L W", "BRPOPLPUSH L L W", "BLMOVE L L E E W"),
)
SETS = st.one_of(
    asked("SADD M (F)", "SADD M F F F", "SREM M (F)", "SMEMBERS M", "SISMEMBER M F", "SMISMEMBER M (F)", "SCARD M"),
    asked("SMOVE M M F", "SINTER (M)", "SUNION (M)", "SDIFF (M)", "SINTERSTORE M (M)", "SUNIONSTORE M (M)"),
    asked("SDIFFSTORE M (M)", "SSCAN M 0 MATCH P", "SSCAN M 0 COUNT N", "SSCAN M 0 F"),
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
    script = draw(st.sampled_from(list(SCRIPTS)))
    text, sha = script.encode(), hashlib.sha1(script.encode()).hexdigest().encode()  # noqa: S324  # as Redis does
    counts = zip((OF_KEYS, OF_ARGS), SCRIPTS[script], strict=True)
    keys, args = (draw(st.lists(each, min_size=count, max_size=count)) for each, count in counts)
    run = (b"%d" % len(keys), *keys, *args)
    return draw(
        st.sampled_from(
            [
                (b"EVAL", text, *run),
                (b"EVALSHA", sha, *run),
                (b"SCRIPT", b"LOAD", text),
                (b"SCRIPT", b"EXISTS", sha.upper()),
                (b"SCRIPT", b"FLUSH"),
            ]
        )
    )


OF_KEYS = st.sampled_from([b"h", b"z", b"a"])
OF_ARGS = FIELDS | VALUES | st.sampled_from([b"absent", b"exists", b"equal", b"set", b"delete", b"-", b"100000"])
REST = st.one_of(
    st.builds(_set, KEYS, VALUES, st.sampled_from([(each, b"9999999999") for each in (b"EXAT", b"PXAT")])),
    asked("EXPIRE K 100 NX", "EXPIRE K 100 gt", "EXPIREAT K 9999999999", "GETEX K", "LPOS K V", "SETRANGE K 1 V"),
    asked("SPOP K", "SRANDMEMBER K", "BLPOP K 0", "BRPOPLPUSH K K -0.001", "BLMOVE K K LEFT LEFT 1e-3"),
    asked("INCRBYFLOAT K 1", "HRANDFIELD K", "COPY a K", "SELECT 1", "CLIENT LIST", "SCRIPT HELP", "OBJECT HELP"),
    asked("SWAPDB 0 1", "PUBLISH a b", "SCAN -1", "HSCAN K +1"),
    command("EVAL", st.sampled_from([b"return math.random()", b"return cjson.encode({})", b"#!lua"]), st.just(b"0")),
    command("EVAL", st.sampled_from([b"return {map = {}}", b"local t = {} t[1] = t return t"]), st.just(b"0")),
    command("SCAN", st.sampled_from([b"", b"0\0"])),
)
"""What a Redis has, and the front has not."""
SCRIPTED = _of_scripts()
STEPS = st.one_of(STRINGS, KEYSPACE, HASHES, ZSETS, LISTS, SETS, SCRIPTED)
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

"""The commands by name: how many words each has, what it does, and how a line shows it.

Example: a label leaves out values, and a cursor, which differ from run to run; so requests of two runs can be compared.

>>> label_of([b"set", b"lock", b"owner-1", b"NX", b"PX", b"9000"]), label_of([b"HSET", b"h", b"f", b"1", b"g", b"2"])
('SET lock nx px 9000', 'HSET h f g')
>>> label_of([b"ZADD", b"q", b"XX", b"7", b"job"]), label_of([b"ZRANGEBYSCORE", b"q", b"0", b"7", b"WITHSCORES"])
('ZADD q xx', 'ZRANGEBYSCORE q withscores')
>>> label_of([b"SCAN", b"17", b"MATCH", b"a*"]), label_of([b"CLIENT", b"ID"])
('SCAN more match a*', 'CLIENT ID')
>>> label_of([b"LPUSH", b"queue", b"job-1"]), label_of([b"BLPOP", b"queue", b"2.5"])
('LPUSH queue', 'BLPOP queue')
>>> find_command([b"GET"])
Traceback (most recent call last):
    ...
lakeproof.gate.fronts.redis.replies.CommandError: ERR wrong number of arguments for 'get' command

Source: https://redis.io/docs/latest/commands/.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

import attrs

from lakeproof.gate.fronts.redis import hashes, keyspace, lists, lua, scripts, sets, sorted_sets, strings
from lakeproof.gate.fronts.redis.arguments import Args, integer, wrong_number
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Failure, Members, Pairs, Simple, Value
from lakeproof.gate.fronts.redis.work import Work, escape_key
from lakeproof.stores import redis_scripts

ARGS_SHOWN_BYTES: Final = 128
"""Of what is no command, in its error."""

SHA_SHOWN: Final = 8
OURS: Final = {
    lua.sha_of(text.encode()): name.lower() for name, text in vars(redis_scripts).items() if name.isupper()
}
"""The scripts of lakeproof's own driver, by their SHA-1."""

READS: Final = lua.sha_of(redis_scripts.SCAN.encode())
"""A script that writes nothing. Of others that is not known."""

Telling = Callable[[Args], Sequence[str]]


@attrs.frozen
class Command:
    """words: how many, with the name; below 0: at least so many. do: None for what is of a connection, and for a
    transaction. shown: the words of its label behind its name."""

    words: int
    do: Callable[[Work, Args], Value] | None
    writes: bool = False
    shown: Telling = attrs.field(default=lambda args: [escape_key(each) for each in args])

    def admits(self, count: int) -> bool:
        """Whether it has so many words."""
        return count == self.words or (self.words < 0 and count >= -self.words)


def _only(end: int | None, step: int = 1) -> Telling:
    return lambda args: [escape_key(each) for each in args[:end:step]]


_first, _first_two, _every_other = _only(1), _only(2), _only(None, 2)
_without_timeout = _only(-1)  # it may be what is left of a time, which differs from run to run


def _of_hset(args: Args) -> Sequence[str]:
    return [escape_key(each) for each in (args[0], *args[1::2])]


def _of_set(args: Args) -> Sequence[str]:
    return [escape_key(args[0]), *(escape_key(each).lower() for each in args[2:])]  # without args[1], the value


def _of_zadd(args: Args) -> Sequence[str]:
    return [escape_key(args[0]), *(each.decode().lower() for each in takewhile(sorted_sets.is_option, args[1:]))]


def _of_scores(args: Args) -> Sequence[str]:
    """A range of scores may end at the time of day: its bounds have no place in a label."""
    return [escape_key(args[0]), *(escape_key(each).lower() for each in args[3:])]


def _of_zrange(args: Args) -> Sequence[str]:
    shown = _of_scores(args)
    return shown if "byscore" in shown[1:] else [shown[0], *map(escape_key, args[1:3]), *shown[1:]]


def _of_scan(args: Args) -> Sequence[str]:
    """A cursor may come of keys that are minted: it has no place in a label."""
    more = [] if args[0] == b"0" else ["more"]
    return [*more, *(escape_key(each).lower() if at % 2 == 0 else escape_key(each) for at, each in enumerate(args[1:]))]


def _of_hscan(args: Args) -> Sequence[str]:
    return [escape_key(args[0]), *_of_scan(args[1:])]


def _of_eval(text: bool, args: Args) -> Sequence[str]:
    """The script, in short, and its keys. Arguments may be minted, such as the token of a lock."""
    try:
        count = max(0, integer(args[1]))  # a label must not fail where the command will
    except CommandError:
        count = 0
    return [*_of_scripts(text, args[:1]), *(escape_key(each) for each in args[2 : 2 + count])]


def _of_scripts(text: bool, args: Args) -> Sequence[str]:
    """text: whether these are texts, and not yet names."""
    named = [lua.sha_of(each) if text else escape_key(each).lower() for each in args]
    return [OURS.get(each, each[:SHA_SHOWN]) for each in named]


def _ping(work: Work, args: Args) -> Value:
    if len(args) > 1:
        raise wrong_number("ping")
    return args[0] if args else Simple("PONG")


def _select(work: Work, args: Args) -> Value:
    if integer(args[0]) != 0:
        # This is the answer of a Redis with one database. One with more would take it: so the number is unknown here.
        raise CommandError("ERR DB index is out of range", f"SELECT {integer(args[0])}")
    return OK


COMMANDS: Final[Mapping[bytes, Command]] = {
    b"GET": Command(2, lambda work, args: work.string(args[0])),
    b"SET": Command(-3, strings.set_, True, _of_set),
    b"SETNX": Command(3, strings.setnx, True, _first),
    b"GETSET": Command(3, strings.getset, True, _first),
    b"GETDEL": Command(2, strings.getdel, True),
    b"MGET": Command(-2, strings.mget),
    b"MSET": Command(-3, strings.mset, True, _every_other),
    b"MSETNX": Command(-3, strings.msetnx, True, _every_other),
    b"APPEND": Command(3, strings.append, True, _first),
    b"STRLEN": Command(2, lambda work, args: len(work.string(args[0]) or b"")),
    b"INCR": Command(2, lambda work, args: strings.add_number(work, args[0], 1), True),
    b"DECR": Command(2, lambda work, args: strings.add_number(work, args[0], -1), True),
    b"INCRBY": Command(3, lambda work, args: strings.add_number(work, args[0], integer(args[1])), True),
    b"DECRBY": Command(3, strings.decrby, True),
    b"DEL": Command(-2, keyspace.delete, True),
    b"UNLINK": Command(-2, keyspace.delete, True),
    # A key that is named twice counts twice.
    b"EXISTS": Command(-2, lambda work, args: sum(work.get(key) is not None for key in args)),
    b"TYPE": Command(2, keyspace.type_),
    b"KEYS": Command(2, keyspace.keys),
    b"SCAN": Command(-2, keyspace.scan, shown=_of_scan),
    b"DBSIZE": Command(1, lambda work, args: len(work.named())),
    b"FLUSHDB": Command(-1, keyspace.flush, True),
    b"FLUSHALL": Command(-1, keyspace.flush, True),
    b"TTL": Command(2, keyspace.ttl),
    b"PTTL": Command(2, keyspace.pttl),
    b"PERSIST": Command(2, keyspace.persist, True),
    **{each: Command(-3, partial(keyspace.expire, each), True) for each in (b"EXPIRE", b"PEXPIRE")},
    **{each: Command(4, partial(strings.set_for, each), True, _first) for each in (b"SETEX", b"PSETEX")},
    b"HGET": Command(3, lambda work, args: work.hash(args[0]).get(args[1])),
    b"HMGET": Command(-3, lambda work, args: tuple(map(work.hash(args[0]).get, args[1:]))),
    b"HSET": Command(-4, hashes.hset, True, _of_hset),
    b"HMSET": Command(-4, hashes.hmset, True, _of_hset),
    b"HSETNX": Command(4, hashes.hsetnx, True, _of_hset),
    b"HDEL": Command(-3, hashes.hdel, True),
    b"HGETALL": Command(2, lambda work, args: Pairs(tuple(work.hash(args[0]).items()))),
    b"HKEYS": Command(2, lambda work, args: tuple(work.hash(args[0]))),
    b"HVALS": Command(2, lambda work, args: tuple(work.hash(args[0]).values())),
    b"HEXISTS": Command(3, lambda work, args: int(args[1] in work.hash(args[0]))),
    b"HLEN": Command(2, lambda work, args: len(work.hash(args[0]))),
    b"HINCRBY": Command(4, hashes.hincrby, True),
    b"HSCAN": Command(-3, hashes.hscan, shown=_of_hscan),
    **{each: Command(-3, partial(lists.push, each), True, _first) for each in b"LPUSH RPUSH LPUSHX RPUSHX".split()},
    **{each: Command(-2, partial(lists.pop, each), True) for each in (b"LPOP", b"RPOP")},
    b"LLEN": Command(2, lambda work, args: len(work.list(args[0]))),
    b"LRANGE": Command(4, lists.lrange),
    b"LINDEX": Command(3, lists.lindex),
    b"LSET": Command(4, lists.lset, True, _first_two),
    b"LINSERT": Command(5, lists.linsert, True, _first_two),
    b"LREM": Command(4, lists.lrem, True, _first_two),
    b"LTRIM": Command(4, lists.ltrim, True),
    b"LMOVE": Command(5, partial(lists.move, b"LMOVE"), True),
    b"RPOPLPUSH": Command(3, partial(lists.move, b"RPOPLPUSH"), True),
    b"BLMOVE": Command(6, partial(lists.move, b"BLMOVE"), True, _without_timeout),
    b"BRPOPLPUSH": Command(4, partial(lists.move, b"BRPOPLPUSH"), True, _without_timeout),
    **{each: Command(-3, partial(lists.blocking_pop, each), True, _without_timeout) for each in (b"BLPOP", b"BRPOP")},
    b"SADD": Command(-3, partial(sets.change, frozenset.union), True, _first),
    b"SREM": Command(-3, partial(sets.change, frozenset.difference), True, _first),
    b"SMEMBERS": Command(2, lambda work, args: Members(work.set(args[0]))),
    b"SISMEMBER": Command(3, lambda work, args: int(args[1] in work.set(args[0])), shown=_first),
    b"SMISMEMBER": Command(-3, sets.smismember, shown=_first),
    b"SCARD": Command(2, lambda work, args: len(work.set(args[0]))),
    b"SMOVE": Command(4, sets.smove, True, _first_two),
    b"SINTER": Command(-2, partial(sets.combine, frozenset.intersection)),
    b"SUNION": Command(-2, partial(sets.combine, frozenset.union)),
    b"SDIFF": Command(-2, partial(sets.combine, frozenset.difference)),
    b"SINTERSTORE": Command(-3, partial(sets.store, frozenset.intersection), True),
    b"SUNIONSTORE": Command(-3, partial(sets.store, frozenset.union), True),
    b"SDIFFSTORE": Command(-3, partial(sets.store, frozenset.difference), True),
    b"SSCAN": Command(-3, sets.sscan, shown=_of_hscan),
    b"ZADD": Command(-4, sorted_sets.zadd, True, _of_zadd),
    b"ZINCRBY": Command(4, lambda work, args: sorted_sets.zadd(work, args, b"INCR"), True, _first),
    b"ZREM": Command(-3, sorted_sets.zrem, True),
    b"ZPOPMIN": Command(-2, partial(sorted_sets.zpop, reverse=False), True),
    b"ZPOPMAX": Command(-2, partial(sorted_sets.zpop, reverse=True), True),
    **{
        each: Command(-3, partial(sorted_sets.blocking_zpop, each), True, _without_timeout)
        for each in (b"BZPOPMIN", b"BZPOPMAX")
    },
    b"ZREMRANGEBYRANK": Command(4, sorted_sets.zremrange, True),
    b"ZREMRANGEBYSCORE": Command(4, partial(sorted_sets.zremrange, kind=b"BYSCORE"), True, _first),
    b"ZCARD": Command(2, lambda work, args: len(work.sorted_set(args[0]).scores)),
    b"ZCOUNT": Command(4, sorted_sets.zcount, shown=_first),
    b"ZSCORE": Command(3, lambda work, args: work.sorted_set(args[0]).scores.get(args[1])),
    b"ZMSCORE": Command(-3, lambda work, args: tuple(map(work.sorted_set(args[0]).scores.get, args[1:]))),
    b"ZRANK": Command(3, sorted_sets.zrank),
    b"ZREVRANK": Command(3, partial(sorted_sets.zrank, reverse=True)),
    b"ZRANGE": Command(-4, sorted_sets.zrange, shown=_of_zrange),
    b"ZREVRANGE": Command(-4, partial(sorted_sets.zrange, fixed=(b"REV",)), shown=_of_zrange),
    b"ZRANGEBYLEX": Command(-4, partial(sorted_sets.zrange, fixed=(b"BYLEX",))),
    b"ZRANGEBYSCORE": Command(-4, partial(sorted_sets.zrange, fixed=(b"BYSCORE",)), shown=_of_scores),
    b"ZREVRANGEBYSCORE": Command(-4, partial(sorted_sets.zrange, fixed=(b"BYSCORE", b"REV")), shown=_of_scores),
    b"EVAL": Command(-3, lambda work, args: scripts.eval_(_call, work, args), True, partial(_of_eval, True)),
    b"EVALSHA": Command(-3, lambda work, args: scripts.evalsha(_call, work, args), True, partial(_of_eval, False)),
    b"SCRIPT|LOAD": Command(3, scripts.load, True, partial(_of_scripts, True)),  # two words of these are the name
    b"SCRIPT|EXISTS": Command(-3, scripts.exists, shown=partial(_of_scripts, False)),
    b"SCRIPT|FLUSH": Command(-2, scripts.flush, True),
    b"PING": Command(-1, _ping),
    b"ECHO": Command(2, lambda work, args: args[0]),
    b"SELECT": Command(2, _select),
    b"WATCH": Command(-2, None),
    b"UNWATCH": Command(1, lambda work, args: OK),  # in a transaction: since its EXEC it has watched nothing any more
    b"MULTI": Command(1, None),
    b"DISCARD": Command(1, None),
    b"EXEC": Command(1, None),
    b"HELLO": Command(-1, None),
    b"AUTH": Command(-2, None),
    b"QUIT": Command(-1, None),
    b"RESET": Command(1, None),
    b"INFO": Command(-1, None),
    b"COMMAND": Command(-1, None),
    b"COMMAND|COUNT": Command(2, None),
    b"COMMAND|DOCS": Command(-2, None),
    b"COMMAND|INFO": Command(-2, None),
    b"CLIENT|SETNAME": Command(3, None),
    b"CLIENT|GETNAME": Command(2, None),
    b"CLIENT|SETINFO": Command(4, None),
    b"CLIENT|ID": Command(2, None),
}
YOUNGER: Final = frozenset({b"CLIENT|MAINT_NOTIFICATIONS", b"CLIENT|NO-TOUCH"})
"""Of a Redis after 7.0, whose refusal libraries expect as they connect: they go on without."""
CONTAINERS: Final = frozenset({b"CLIENT", b"SCRIPT", b"COMMAND"})
"""Those of which the second word is a part of the name."""


def name_of(words: Words) -> bytes:
    """The name of a command, such as ``GET`` or ``CLIENT|ID``."""
    name = words[0].upper()
    return name + b"|" + words[1].upper() if name in CONTAINERS and len(words) > 1 else name


def args_of(words: Words) -> Args:
    """What follows its name."""
    # One word, or the two of a container such as CLIENT.
    return words[1 + name_of(words).count(b"|") :]


def find_command(words: Words) -> Command:
    """The command. Raises CommandError: there is none, or it has another number of words."""
    name = name_of(words)
    command = COMMANDS.get(name)
    if command is None and words[0].upper() in CONTAINERS:
        if len(words) == 1:
            raise wrong_number(name.decode("latin-1").lower())
        quoted = _quote_word(words[1], ARGS_SHOWN_BYTES).decode("latin-1")
        container = words[0].decode("latin-1").upper()
        unknown = "" if name in YOUNGER else f"{container} {quoted}"
        raise CommandError(f"ERR unknown subcommand '{quoted}'. Try {container} HELP.", unknown)
    if command is None:
        raise _unknown(words)
    if not command.admits(len(words)):
        raise wrong_number(name.decode("latin-1").lower())
    return command


def _unknown(words: Words) -> CommandError:
    quoted = b""
    # As Redis: all arguments together are quoted up to this many bytes.
    for each in words[1:]:
        if len(quoted) >= ARGS_SHOWN_BYTES:
            break
        quoted += b"'%b' " % _quote_word(each, ARGS_SHOWN_BYTES - len(quoted))
    name = _quote_word(words[0], ARGS_SHOWN_BYTES)
    error = b"ERR unknown command '%b', with args beginning with: %b" % (name, quoted)
    return CommandError(error.decode("latin-1"), name.decode("latin-1").upper())


def _quote_word(word: bytes, most: int) -> bytes:
    """As Redis quotes it: up to a zero."""
    return word.partition(b"\0")[0][:most]  # C ends a text there


def label_of(words: Words) -> str:
    """The request in one line, without values."""
    return " ".join(
        (name_of(words).decode("latin-1").replace("|", " "), *COMMANDS[name_of(words)].shown(args_of(words)))
    )


def writes(words: Words) -> bool:
    """Whether it may change anything. EVAL may always load its script."""
    if words[0].upper() == b"EVALSHA":  # it loads nothing, so only the script counts
        return words[1].decode("latin-1").lower() != READS
    return COMMANDS[name_of(words)].writes


def perform_command(work: Work, words: Words) -> Value:
    """Do it. An error is an answer; what was done before it stays."""
    do = COMMANDS[name_of(words)].do
    assert do is not None, words
    try:
        return do(work, args_of(words))
    except CommandError as error:
        work.note(error.unknown)
        return Failure(str(error))


_NOT_IN_SCRIPTS: Final = frozenset((
    *lists.POPS, *lists.MOVES, *b"EVAL EVALSHA SCRIPT|LOAD SCRIPT|EXISTS SCRIPT|FLUSH UNWATCH".split()
))
_IN_SCRIPTS: Final = (b"INFO", b"COMMAND")
"""What Redis allows in scripts, of what is answered by the connection here."""


def _call(work: Work, words: Words) -> Value:
    """A command that a script calls."""
    try:
        command = find_command(words)
    except CommandError as error:
        work.note(error.unknown)
        wrong = "wrong number" in str(error) and name_of(words) in COMMANDS
        what = "Wrong number of args calling Redis command" if wrong else "Unknown Redis command called"
        return Failure(f"ERR {what} from script")
    if command.do is None or name_of(words) in _NOT_IN_SCRIPTS:
        work.note(f"{name_of(words).decode()} in a script" if words[0].upper() in _IN_SCRIPTS else "")
        return Failure("ERR This Redis command is not allowed from script")
    return perform_command(work, words)

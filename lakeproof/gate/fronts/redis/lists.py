"""Commands on lists.

The gate holds a command that blocks as it holds any other one, and this is how it waits: if it is let go before its
element is there, it answers as after its timeout, and else it takes the element. Without a timeout it then waits for
ever: `lakeproof.gate.server` says why that is enough. (What no schedule has: a transaction that pushes to several lists
serves one that waited for all of them from the list that it has pushed to first, not from the one that is named first.
This is seen, and not judged.)
"""

import math
import re
from typing import Final

from lakeproof.gate.fronts.redis.arguments import SYNTAX, Args, integer, wrong_number
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.replies import OK, CommandError, NilArray, Value
from lakeproof.gate.fronts.redis.state import RedisState, SortedSet
from lakeproof.gate.fronts.redis.work import Work

_NO_COUNT: Final = "ERR value is out of range, must be positive"
_NO_TIMEOUT: Final = "ERR timeout is not a float or out of range"
POPS: Final = (b"BLPOP", b"BRPOP", b"BZPOPMIN", b"BZPOPMAX")
MOVES: Final = (b"BLMOVE", b"BRPOPLPUSH")
"""When they have waited, they fill a key together with the command that has ended their wait."""
_PLAIN_TIMEOUT: Final = re.compile(rb"-[0-9]{1,12}|[0-9]{1,12}(\.[0-9]{1,12})?")


def push(word: bytes, work: Work, args: Args) -> Value:
    """``LPUSH key value ...``, or what word says; with an X only onto a list that is there."""
    key, *values = args
    found = work.list(key)
    if not found and word.endswith(b"X"):
        return 0
    after = (*reversed(values), *found) if word.startswith(b"L") else (*found, *values)
    work.put(key, after)
    return len(after)


def pop(word: bytes, work: Work, args: Args) -> Value:
    """``LPOP key [count]``, or RPOP."""
    key, *counts = args
    if len(counts) > 1:
        raise wrong_number(word.decode().lower())
    count = integer(counts[0], _NO_COUNT) if counts else 1
    if count < 0:
        raise CommandError(_NO_COUNT)
    found = work.list(key)
    taken = _take(work, key, count, left=word.startswith(b"L"))
    if counts:
        return taken if found else NilArray()
    return taken[0] if taken else None


def _take(work: Work, key: bytes, count: int, *, left: bool) -> tuple[bytes, ...]:
    """Remove up to so many values from one end."""
    step = 1 if left else -1
    found = work.list(key)[::step]
    if found[:count]:
        work.put(key, found[count:][::step] or None)  # an empty list is no key
    return found[:count]


def move(word: bytes, work: Work, args: Args) -> Value:
    """``LMOVE source destination LEFT|RIGHT LEFT|RIGHT [timeout]``, or what word says."""
    source, destination, *more = args
    begin, end, *last = (b"RIGHT", b"LEFT", *more) if word.endswith(b"RPOPLPUSH") else (each.upper() for each in more)
    if not {begin, end} <= {b"LEFT", b"RIGHT"}:
        raise CommandError(SYNTAX)
    timeout = [parse_timeout(each) for each in last]
    found = work.list(source)
    if not found:
        return find_nothing(word, work, timeout[0], None) if timeout else None
    to = work.list(destination)
    value, rest = (found[0], found[1:]) if begin == b"LEFT" else (found[-1], found[:-1])
    if source == destination:
        to = rest  # one change: its time to live stays, also if it has no other value
    else:
        work.put(source, rest or None)
    work.put(destination, (value, *to) if end == b"LEFT" else (*to, value))
    return value


def blocking_pop(word: bytes, work: Work, args: Args) -> Value:
    """``BLPOP key ... timeout``, or BRPOP: of the first list that is there."""
    *keys, text = args
    timeout = parse_timeout(text)
    for key in keys:
        if taken := _take(work, key, 1, left=word == b"BLPOP"):
            return key, *taken
    return find_nothing(word, work, timeout, NilArray())


def parse_timeout(text: bytes) -> int:
    """A timeout. Raises CommandError: it is none."""
    if not _PLAIN_TIMEOUT.fullmatch(text):  # Redis reads some more than these
        raise CommandError(_NO_TIMEOUT, f"the timeout {text.decode('latin-1')!r}")
    found = math.ceil(float(text) * 1000)
    if found < 0:
        raise CommandError("ERR timeout is negative")
    return found


def find_nothing(word: bytes, work: Work, timeout: int, at_once: Value) -> Value:
    """What a command answers that blocks if nothing is there. at_once: in a transaction, where none waits."""
    if not work.waits:
        return at_once
    work.blocks = timeout == 0
    if timeout == 0:  # what CLIENT UNBLOCK gives it, where nothing else can
        raise CommandError("UNBLOCKED client unblocked via CLIENT UNBLOCK", f"{word.decode()} that waits for ever")
    return NilArray()


def count_awaited(state: RedisState, words: Words) -> int | None:
    """Of the keys that a command would wait for, how many hold something; None: it never waits. One that holds another
    type ends no wait."""
    name = words[0].upper()
    if name not in POPS + MOVES:
        return None
    keys = {*(words[1:-1] if name in POPS else words[1:2])}
    found = [stored for key in keys if (stored := state.stored(key)) is not None]
    kind = SortedSet if name.startswith(b"BZ") else tuple
    return len(found) - (len(found) == 1 and not isinstance(found[0], kind))


def lrange(work: Work, args: Args) -> Value:
    first, last = map(integer, args[1:])
    return _part(work.list(args[0]), first, last)


def ltrim(work: Work, args: Args) -> Value:
    first, last = map(integer, args[1:])
    if found := work.list(args[0]):
        work.put(args[0], _part(found, first, last) or None)  # touched also if all of it stays
    return OK


def _part(found: tuple[bytes, ...], first: int, last: int) -> tuple[bytes, ...]:
    """From one place to another one; below 0 they count from the end."""
    begin, end = (each + len(found) if each < 0 else each for each in (first, last))
    return found[max(0, begin) : max(0, end + 1)]


def lindex(work: Work, args: Args) -> Value:
    found = work.list(args[0])
    if not found:
        return None  # Redis looks at no index then
    index = integer(args[1])
    return found[index] if -len(found) <= index < len(found) else None


def lset(work: Work, args: Args) -> Value:
    key, text, value = args
    found = work.list(key)
    if not found:
        raise CommandError("ERR no such key")
    index = integer(text)
    if not -len(found) <= index < len(found):
        raise CommandError("ERR index out of range")
    at = index % len(found)
    work.put(key, (*found[:at], value, *found[at + 1 :]))
    return OK


def linsert(work: Work, args: Args) -> Value:
    """``LINSERT key BEFORE|AFTER pivot value``; -1: there is no such pivot."""
    key, where, pivot, value = args
    if where.upper() not in (b"BEFORE", b"AFTER"):
        raise CommandError(SYNTAX)
    found = work.list(key)
    if pivot not in found:
        return -1 if found else 0
    at = found.index(pivot) + (where.upper() == b"AFTER")
    work.put(key, (*found[:at], value, *found[at:]))
    return len(found) + 1


def lrem(work: Work, args: Args) -> Value:
    """``LREM key count value``: the first so many of these values; below 0 the last ones, and 0 is all."""
    key, text, value = args
    count = integer(text)
    found = work.list(key)
    places = [at for at, each in enumerate(found) if each == value]
    gone = places[:count] if count > 0 else places[count:]
    if gone:
        work.put(key, tuple(each for at, each in enumerate(found) if at not in gone) or None)
    return len(gone)

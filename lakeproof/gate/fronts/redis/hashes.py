"""Commands on hashes and sorted sets."""

import math
from typing import Final

from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.arguments import (
    SYNTAX,
    Args,
    cursor,
    integer,
    not_known,
    pairs,
    scan_options,
    sum_of,
)
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Value
from lakeproof.gate.fronts.redis.state import Hash, SortedSet
from lakeproof.gate.fronts.redis.work import Work

_NO_FLOAT: Final = "ERR value is not a valid float"
_NO_RANGE: Final = "ERR min or max not valid string range item"


def hget(work: Work, args: Args) -> Value:
    return work.hash(args[0]).get(args[1])


def hmget(work: Work, args: Args) -> Value:
    found = work.hash(args[0])
    return tuple(found.get(field) for field in args[1:])


def hset(work: Work, args: Args) -> Value:
    return _write_fields(work, args, "hset")


def hmset(work: Work, args: Args) -> Value:
    _write_fields(work, args, "hmset")
    return OK


def _write_fields(work: Work, args: Args, name: str) -> int:
    key, given = args[0], pairs(args[1:], name)
    found = work.hash(key)
    before = len(found)
    found.update(given)
    work.put(key, Hash(found))  # equal values touch the key, too
    return len(found) - before


def hsetnx(work: Work, args: Args) -> Value:
    key, field, value = args
    found = work.hash(key)
    if field in found:
        return 0
    work.put(key, Hash({**found, field: value}))
    return 1


def hdel(work: Work, args: Args) -> Value:
    key, *fields = args
    found = work.hash(key)
    gone = [field for field in dict.fromkeys(fields) if found.pop(field, None) is not None]  # a field counts once
    if gone:
        work.put(key, Hash(found) if found else None)  # an empty hash is no key
    return len(gone)


def hexists(work: Work, args: Args) -> Value:
    return int(args[1] in work.hash(args[0]))


def hincrby(work: Work, args: Args) -> Value:
    key, field, text = args
    number = integer(text)
    found = work.hash(key)
    # A hash has an error of its own: it is not that of INCR.
    after = sum_of(integer(found.get(field, b"0"), "ERR hash value is not an integer"), number)
    work.put(key, Hash({**found, field: b"%d" % after}))
    return after


def hscan(work: Work, args: Args) -> Value:
    """All at once, whatever COUNT says, as Redis does with a small hash."""
    cursor(args[1])
    found = work.hash(args[0])
    if not found:
        return b"0", ()  # Redis looks at no option then
    matches = globs.compile_glob(scan_options(args[2:]).get(b"MATCH", b"*")).fullmatch
    return b"0", tuple(each for pair in found.items() if matches(pair[0]) for each in pair)  # 0: no further page


_ZADD_OPTIONS: Final = frozenset({b"NX", b"XX", b"GT", b"LT", b"CH", b"INCR"})


def zadd(work: Work, args: Args) -> Value:
    """``ZADD key score member ...``, without options. What changes nothing touches nothing."""
    key, *rest = args
    # Options stand before the scores: if the first word is none, no other one is.
    if rest[0].upper() in _ZADD_OPTIONS:
        raise not_known(f"ZADD {rest[0].decode('latin-1').upper()}")
    if len(rest) % 2:
        raise CommandError(SYNTAX)
    scores = [_score(text) for text in rest[::2]]
    found = dict(work.sorted_set(key).scores)
    before, touched = len(found), False
    for member, score in zip(rest[1::2], scores, strict=True):
        touched |= found.get(member) != score  # a score that stays is no change to WATCH
        found[member] = score
    if touched:
        work.put(key, SortedSet(found))
    return len(found) - before


def _score(text: bytes) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if text.lower().lstrip(b"+-").startswith(b"0x"):
        raise not_known("a score in hexadecimal")
    # Python reads `1_0` and blanks around a number, Redis does not; it refuses nan as well, and what no double is near.
    mantissa = text.lower().partition(b"e")[0]
    overflows = math.isinf(found) and b"inf" not in mantissa
    underflows = found == 0 and bool(mantissa.strip(b"+-.0"))
    if math.isnan(found) or overflows or underflows or text != text.strip() or b"_" in text:
        raise CommandError(_NO_FLOAT)
    return found


def zrem(work: Work, args: Args) -> Value:
    key, *members = args
    found = dict(work.sorted_set(key).scores)
    gone = [member for member in dict.fromkeys(members) if found.pop(member, None) is not None]
    if gone:
        work.put(key, SortedSet(found) if found else None)
    return len(gone)


def zrangebylex(work: Work, args: Args) -> Value:
    """``ZRANGEBYLEX key min max [LIMIT offset count]``; a count below 0 is all."""
    key, low, high, *options = args
    offset, count = 0, -1
    while options:
        if len(options) < 3 or options[0].upper() != b"LIMIT":
            raise CommandError(SYNTAX)
        offset, count = map(integer, options[1:3])
        options = options[3:]  # Redis takes the last of several
    lower, upper = _parse_bound(low, excluded=2), _parse_bound(high, excluded=0)
    # The third number is 0 before a member, 1 at it, 2 behind it: a bound that is left out lies beside its member.
    inside = [member for member in work.sorted_set(key).members if lower <= (0, member, 1) <= upper]
    # A negative offset finds nothing, as in Redis.
    return () if offset < 0 else tuple(inside[offset:] if count < 0 else inside[offset : offset + count])


def _parse_bound(text: bytes, excluded: int) -> tuple[int, bytes, int]:
    """Where a range begins or ends among all ``(0, member, 1)``. excluded: for a member that is no part of it."""
    if text in (b"-", b"+"):
        return (-1 if text == b"-" else 1), b"", 1
    if text[:1] not in (b"[", b"("):
        raise CommandError(_NO_RANGE)
    return 0, text[1:], 1 if text[:1] == b"[" else excluded

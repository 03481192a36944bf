"""Commands on sorted sets."""

import math
from collections.abc import Collection, Mapping
from typing import Final

from lakeproof.gate.fronts.redis.arguments import SYNTAX, Args, integer, not_known
from lakeproof.gate.fronts.redis.lists import find_nothing, parse_timeout
from lakeproof.gate.fronts.redis.replies import CommandError, NilArray, Pairs, Value
from lakeproof.gate.fronts.redis.state import SortedSet
from lakeproof.gate.fronts.redis.work import Work

_OPTIONS: Final = frozenset({b"NX", b"XX", b"GT", b"LT", b"CH", b"INCR"})
_NO_RANGE: Final = {
    b"BYSCORE": "ERR min or max is not a float",
    b"BYLEX": "ERR min or max not valid string range item",
}
"""The kinds of ranges beside those by rank, with the error of a wrong bound."""
_EXCLUDES: Final[Mapping[bytes, Collection[bytes]]] = {**dict.fromkeys(_NO_RANGE, _NO_RANGE), b"REV": {b"REV"}}
"""The options of ZRANGE that come once, with those that must not stand before them."""


def is_option(word: bytes) -> bool:
    """Whether it is one of ZADD."""
    return word.upper() in _OPTIONS


def zadd(work: Work, args: Args, *fixed: bytes) -> Value:
    """``ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member ...``. What changes nothing touches nothing. fixed: an
    option that the name of the command says."""
    key, *rest = args
    options = set(fixed)
    while rest and is_option(rest[0]):
        options.add(rest.pop(0).upper())
    if len(rest) % 2 or not rest:
        raise CommandError(SYNTAX)
    if {b"NX", b"XX"} <= options:
        raise CommandError("ERR XX and NX options at the same time are not compatible")
    if len(options & {b"GT", b"LT", b"NX"}) > 1:
        raise CommandError("ERR GT, LT, and/or NX options at the same time are not compatible")
    if b"INCR" in options and len(rest) > 2:
        raise CommandError("ERR INCR option supports a single increment-element pair")
    scores = [_score(text) for text in rest[::2]]
    found = dict(work.sorted_set(key).scores)
    before, changed = len(found), 0
    after: float | None = None
    for member, score in zip(rest[1::2], scores, strict=True):
        old = found.get(member)
        after = _changed_score(old, score, options)
        if after is not None and after != old:  # a score that stays is no change to WATCH
            found[member] = after + 0.0  # -0 becomes 0, as in a small sorted set of Redis
            changed += 1
    if changed:
        work.put(key, SortedSet(found))
    if b"INCR" in options:
        return after
    return changed if b"CH" in options else len(found) - before


def _changed_score(old: float | None, score: float, options: Collection[bytes]) -> float | None:
    """The score that a member gets. old: its score, if it has one. None: nothing changes."""
    if old is None:
        return None if b"XX" in options else score
    after = old + score if b"INCR" in options else score
    if math.isnan(after) and b"NX" not in options:  # of inf and -inf
        raise CommandError("ERR resulting score is not a number (NaN)")
    stays = b"NX" in options or (b"GT" in options and after <= old) or (b"LT" in options and after >= old)
    return None if stays else after


def _score(text: bytes) -> float:
    found = _parse_float(text, "ERR value is not a valid float")
    # Redis refuses a blank in front and what no double is near.
    mantissa = text.lower().partition(b"e")[0]
    overflows = math.isinf(found) and b"inf" not in mantissa
    underflows = found == 0 and bool(mantissa.strip(b"+-.0"))
    if overflows or underflows or text != text.lstrip():
        raise CommandError("ERR value is not a valid float")
    return found


def _parse_float(text: bytes, error: str) -> float:
    if text.lower().lstrip(b" \t\n\v\f\r+-").startswith(b"0x"):
        raise not_known("a score in hexadecimal")
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    # Python reads `1_0` and blanks behind a number, C does not.
    if math.isnan(found) or text != text.rstrip() or b"_" in text:
        raise CommandError(error)
    return found


def zrank(work: Work, args: Args, *, reverse: bool = False) -> Value:
    found = work.sorted_set(args[0])
    if args[1] not in found.scores:
        return None
    rank = found.members.index(args[1])
    return len(found.scores) - 1 - rank if reverse else rank


def zrem(work: Work, args: Args) -> Value:
    key, *members = args
    return _remove(work, key, work.sorted_set(key).scores.keys() & members)


def zpop(work: Work, args: Args, *, reverse: bool) -> Value:
    """``ZPOPMIN key [count]``; reverse: ZPOPMAX."""
    if len(args) > 2:
        raise CommandError(SYNTAX)
    positive = "ERR value is out of range, must be positive"
    count = integer(args[1], positive) if args[1:] else 1
    if count < 0:
        raise CommandError(positive)
    found = _within(work, b"", args[0], b"0", b"-1", reverse=reverse)[:count]
    _remove(work, args[0], dict(found))
    # Only an answer to a count has pairs in RESP3.
    return Pairs(found, nested=True) if args[1:] else tuple(each for pair in found for each in pair)


def blocking_zpop(word: bytes, work: Work, args: Args) -> Value:
    """``BZPOPMIN key ... timeout``, or BZPOPMAX: of the first sorted set that is there."""
    *keys, text = args
    timeout = parse_timeout(text)
    for key in keys:
        if found := zpop(work, (key,), reverse=word == b"BZPOPMAX"):
            assert isinstance(found, tuple)
            return key, *found
    return find_nothing(word, work, timeout, NilArray())


def zremrange(work: Work, args: Args, *, kind: bytes = b"") -> Value:
    """``ZREMRANGEBYRANK key start stop``, or by kind."""
    return _remove(work, args[0], dict(_within(work, kind, *args)))


def _remove(work: Work, key: bytes, gone: Collection[bytes]) -> int:
    left = {member: score for member, score in work.sorted_set(key).scores.items() if member not in gone}
    if gone:
        work.put(key, SortedSet(left) if left else None)
    return len(gone)


def zcount(work: Work, args: Args) -> Value:
    return len(_within(work, b"BYSCORE", *args))


def zrange(work: Work, args: Args, fixed: Collection[bytes] | None = None) -> Value:
    """``ZRANGE key min max [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]``; a count below 0 is all. fixed:
    what the name of another command says of this, so that no option may say it."""
    key, low, high, *rest = args
    options = set(fixed or ())
    offset, count = 0, -1
    while rest:
        word = rest.pop(0).upper()
        if word == b"LIMIT" and len(rest) > 1:  # the last one of several counts
            offset, count = integer(rest.pop(0)), integer(rest.pop(0))
        elif word == b"WITHSCORES" or (fixed is None and word in _EXCLUDES and options.isdisjoint(_EXCLUDES[word])):
            options.add(word)
        else:
            raise CommandError(SYNTAX)
    kind = next(iter(options & _NO_RANGE.keys()), b"")
    if not kind and count != -1:
        raise CommandError(f"{SYNTAX}, LIMIT is only supported in combination with either BYSCORE or BYLEX")
    if {b"WITHSCORES", b"BYLEX"} <= options:
        raise CommandError(f"{SYNTAX}, WITHSCORES not supported in combination with BYLEX")
    found = _within(work, kind, key, low, high, reverse=b"REV" in options)
    if kind:  # a negative offset finds nothing, as in Redis
        found = () if offset < 0 else found[offset:][: None if count < 0 else count]
    return Pairs(found, nested=True) if b"WITHSCORES" in options else tuple(member for member, _ in found)


def _within(
    work: Work, kind: bytes, key: bytes, low: bytes, high: bytes, *, reverse: bool = False
) -> tuple[tuple[bytes, float], ...]:
    """The members of a range, with their scores. kind: ``BYSCORE``, ``BYLEX``, or empty: by rank. reverse: the order,
    and that of the bounds. A wrong bound is refused whatever is at the key."""
    if not kind:
        start, end = integer(low), integer(high)
        found = work.sorted_set(key)
        members = found.members[:: -1 if reverse else 1]
        start, end = (each + len(members) if each < 0 else each for each in (start, end))
        return tuple((each, found.scores[each]) for each in members[max(0, start) : max(0, end + 1)])
    low, high = (high, low) if reverse else (low, high)
    lower, upper = _parse_bound(kind, low, excluded=2), _parse_bound(kind, high, excluded=0)
    found = work.sorted_set(key)
    by_score = kind == b"BYSCORE"
    if not by_score and len({*found.scores.values()}) > 1:  # what Redis answers then is not specified
        raise not_known("a range by bytes of members whose scores differ")
    # The third part is 0 before a member, 1 at it, 2 behind it: a bound that is left out lies beside its member.
    places = ((each, (found.scores[each], b"", 1) if by_score else (0, each, 1)) for each in found.members)
    inside = [(each, found.scores[each]) for each, place in places if lower <= place <= upper]
    return tuple(inside[:: -1 if reverse else 1])


def _parse_bound(kind: bytes, text: bytes, excluded: int) -> tuple[float, bytes, int]:
    """Where a range begins or ends among all places. excluded: for a bound that is no part of it."""
    side = excluded if text[:1] == b"(" else 1
    text_of_c = text.partition(b"\0")[0]
    if kind == b"BYSCORE":
        return _parse_float(text_of_c.removeprefix(b"(") or b"0", _NO_RANGE[kind]), b"", side  # without digits: 0
    if text_of_c in (b"-", b"+"):
        return (-1 if text_of_c == b"-" else 1), b"", 1
    if text[:1] not in (b"[", b"("):
        raise CommandError(_NO_RANGE[kind])
    return 0, text[1:], side

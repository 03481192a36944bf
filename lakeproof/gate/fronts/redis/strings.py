"""Commands on strings."""

from lakeproof.gate.fronts.redis.arguments import SYNTAX, TIMES, Args, fits, integer, lifetime, pairs, sum_of
from lakeproof.gate.fronts.redis.replies import OK, CommandError, Value
from lakeproof.gate.fronts.redis.work import Work


def set_(work: Work, args: Args) -> Value:
    """``SET key value [NX | XX] [GET] [KEEPTTL | EX seconds | PX milliseconds]``. One that is refused only reads."""
    key, value, *options = args
    words: set[bytes] = set()
    time = word = b""
    while options:
        word = options.pop(0).upper()
        # One kind of time at most, and none with KEEPTTL.
        if word in TIMES and options and not words & {*TIMES, b"KEEPTTL"} - {word}:
            time = options.pop(0)
        elif word not in (b"NX", b"XX", b"GET", b"KEEPTTL") or (word == b"KEEPTTL" and words & {*TIMES}):
            raise CommandError(SYNTAX)
        words.add(word)
    if {b"NX", b"XX"} <= words:
        raise CommandError(SYNTAX)
    word = next(iter(words & {*TIMES}), b"")  # the one that has a time, if any
    life = lifetime(word, time, work.expires) if word else None
    # A plain SET overwrites a value of any type. Only with GET a hash is an error, and then nothing is set.
    before = work.string(key) if b"GET" in words else None
    if (b"NX" in words and work.get(key) is not None) or (b"XX" in words and work.get(key) is None):
        return before
    work.put(key, value, lives_on=b"KEEPTTL" in words)  # else a SET ends the time to live
    if life is not None:
        work.live(key, life)
    return before if b"GET" in words else OK


def set_for(word: bytes, work: Work, args: Args) -> Value:
    """``SETEX key seconds value``, or what word says."""
    key, time, value = args
    life = lifetime(word, time, work.expires)
    work.put(key, value)
    work.live(key, life)
    return OK


def setnx(work: Work, args: Args) -> Value:
    if work.get(args[0]) is not None:
        return 0
    work.put(args[0], args[1])
    return 1


def getset(work: Work, args: Args) -> Value:
    before = work.string(args[0])
    work.put(args[0], args[1], lives_on=False)
    return before


def getdel(work: Work, args: Args) -> Value:
    before = work.string(args[0])
    if before is not None:
        work.put(args[0], None)
    return before


def mget(work: Work, args: Args) -> Value:
    stored = [work.get(key) for key in args]
    # A value of another type is nil, not an error.
    return tuple(each if isinstance(each, bytes) else None for each in stored)


def mset(work: Work, args: Args) -> Value:
    for key, value in pairs(args, "mset"):
        work.put(key, value, lives_on=False)
    return OK


def msetnx(work: Work, args: Args) -> Value:
    given = pairs(args, "msetnx")
    # `any` stops at the first key that is there: the answer depends on no other one.
    if any(work.get(key) is not None for key, _ in given):
        return 0
    for key, value in given:
        work.put(key, value)
    return 1


def append(work: Work, args: Args) -> Value:
    value = (work.string(args[0]) or b"") + args[1]
    work.put(args[0], value)
    return len(value)


def decrby(work: Work, args: Args) -> Value:
    number = integer(args[1])
    if not fits(-number):  # -2**63 has no negative of 64 bits
        raise CommandError("ERR decrement would overflow")
    return add_number(work, args[0], -number)


def add_number(work: Work, key: bytes, number: int) -> Value:
    """INCR and its like: of what is stored there, or of 0."""
    stored = work.string(key)
    found = sum_of(0 if stored is None else integer(stored), number)
    work.put(key, b"%d" % found)
    return found

"""Commands on keys, whatever they hold."""

from collections.abc import Sequence
from itertools import dropwhile
from typing import Final

from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.arguments import SYNTAX, Args, check_flush, cursor, lifetime, not_known, scan_options
from lakeproof.gate.fronts.redis.replies import OK, Simple, Value
from lakeproof.gate.fronts.redis.state import Hash, SortedSet, Stored, place
from lakeproof.gate.fronts.redis.work import Work

PAGE: Final = 10
"""What a scan returns at once if it does not say."""


def delete(work: Work, args: Args) -> Value:
    """Of a key that is not there it only reads that."""
    # A key counts once, also if it is named twice.
    there = [key for key in dict.fromkeys(args) if work.get(key) is not None]
    for key in there:
        work.put(key, None)
    return len(there)


_TYPES: Final = {bytes: "string", tuple: "list", frozenset: "set", Hash: "hash", SortedSet: "zset", type(None): "none"}


def type_(work: Work, args: Args) -> Value:
    return Simple(_type_of(work.get(args[0])))


def _type_of(stored: Stored | None) -> str:
    return _TYPES[type(stored)]


def keys(work: Work, args: Args) -> Value:
    pattern = globs.compile_glob(args[0])
    # The literal beginning of the pattern keeps the footprint small.
    return tuple(key for key in work.named(globs.literal(args[0])) if pattern.fullmatch(key))


def flush(work: Work, args: Args) -> Value:
    check_flush(args, SYNTAX)
    work.clear()
    return OK


def scan(work: Work, args: Args) -> Value:
    """A page of the keys, in an order that depends on nothing but each key. The cursor is the place in it at which the
    next page begins. So a key that is there throughout is returned, once."""
    begin = cursor(args[0])
    options = scan_options(args[1:], b"TYPE")
    count, pattern = int(options.get(b"COUNT", PAGE)), options.get(b"MATCH", b"*")
    matches = globs.compile_glob(pattern).fullmatch
    found = [key for key in work.named(globs.literal(pattern)) if matches(key)]
    # Places are compared, not keys: the key at which the cursor was made may be gone.
    rest = list(dropwhile(lambda key: place(key) < begin, found))
    page = _whole_places(rest, count)
    following = place(rest[len(page)]) if len(page) < len(rest) else 0
    # After the page was cut: as in Redis, a page with none of the type is no end of the scan.
    kind = options.get(b"TYPE", b"").lower()
    shown = [key for key in page if b"TYPE" not in options or _type_of(work.get(key)).encode() == kind]
    return b"%d" % following, tuple(shown)


def _whole_places(rest: Sequence[bytes], count: int) -> Sequence[bytes]:
    """The first so many keys, and those that share the place of the last of them: a cursor cannot tell them apart."""
    end = min(count, len(rest))
    while end < len(rest) and place(rest[end]) == place(rest[end - 1]):
        end += 1
    return rest[:end]


def ttl(work: Work, args: Args) -> Value:
    life = pttl(work, args)
    return (life + 500) // 1000 if life > 0 else life  # rounded, as Redis does


def pttl(work: Work, args: Args) -> int:
    """-1: it has no time to live; -2: there is no such key."""
    found = work.read(args[0])
    if found.stored is None:
        return -2
    return -1 if found.life is None else found.life


def persist(work: Work, args: Args) -> Value:
    if work.read(args[0]).life is None:
        return 0
    work.live(args[0], None)
    return 1


def expire(word: bytes, work: Work, args: Args) -> Value:
    """``EXPIRE key seconds``, or what word says. A time that is over removes the key."""
    # Before the time, as Redis does. Bytes are capitalised, not text: the capital of \xff is none of latin-1.
    if args[2:]:
        raise not_known(b" ".join((word, *args[2:])).upper().decode("latin-1"))
    key, life = args[0], lifetime(word, args[1], work.expires, positive=False)  # a wrong time is refused without a key
    if work.get(key) is None:
        return 0
    if life <= 0:
        work.put(key, None)
    else:
        work.live(key, life)
    return 1

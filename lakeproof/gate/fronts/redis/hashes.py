"""Commands on hashes."""

from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.arguments import Args, cursor, integer, pairs, scan_options, sum_of
from lakeproof.gate.fronts.redis.replies import OK, Value
from lakeproof.gate.fronts.redis.state import Hash
from lakeproof.gate.fronts.redis.work import Work


def hmset(work: Work, args: Args) -> Value:
    hset(work, args, "hmset")
    return OK


def hset(work: Work, args: Args, name: str = "hset") -> int:
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

"""Commands on sets. Redis promises no order of members; here it is that of their bytes."""

from collections.abc import Callable, Iterable

from lakeproof.gate.fronts.redis import globs
from lakeproof.gate.fronts.redis.arguments import Args, cursor, not_known, scan_options
from lakeproof.gate.fronts.redis.keyspace import PAGE
from lakeproof.gate.fronts.redis.replies import Members, Value
from lakeproof.gate.fronts.redis.work import Work

Combination = Callable[[frozenset[bytes], *tuple[Iterable[bytes], ...]], frozenset[bytes]]
"""`frozenset.union`, `frozenset.intersection` or `frozenset.difference`."""


def change(how: Combination, work: Work, args: Args) -> Value:
    """``SADD key member ...``, or SREM. What changes nothing touches nothing."""
    found = work.set(args[0])
    after = how(found, args[1:])
    if after != found:
        work.put(args[0], after or None)  # an empty set is no key
    return abs(len(after) - len(found))


def smismember(work: Work, args: Args) -> Value:
    found = work.set(args[0])
    return tuple(int(each in found) for each in args[1:])


def smove(work: Work, args: Args) -> Value:
    source, destination, member = args
    found = work.set(source)
    if not found:
        return 0  # Redis does not look at the destination then
    to = work.set(destination)
    if member not in found:
        return 0
    if source != destination:
        work.put(source, found - {member} or None)
        if member not in to:
            work.put(destination, to | {member})
    return 1


def combine(how: Combination, work: Work, args: Args) -> Value:
    """SINTER, SUNION and SDIFF. All keys are read, whatever is in the first ones."""
    return Members(how(*map(work.set, args)))


def store(how: Combination, work: Work, args: Args) -> Value:
    """SINTERSTORE and its like. What the destination holds is overwritten, whatever its type; by nothing, removed."""
    destination, *keys = args
    found = how(*map(work.set, keys))
    if found:
        work.put(destination, found, lives_on=False)
    elif work.get(destination) is not None:
        work.put(destination, None)
    return len(found)


def sscan(work: Work, args: Args) -> Value:
    """All at once, as Redis does with up to COUNT members. In which pages it returns more is not known here."""
    place = cursor(args[1])
    found = sorted(work.set(args[0]))
    if not found:
        return b"0", ()  # Redis looks at no option then
    options = scan_options(args[2:])
    if place or len(found) > int(options.get(b"COUNT", PAGE)):
        raise not_known("SSCAN in several pages")
    matches = globs.compile_glob(options.get(b"MATCH", b"*")).fullmatch
    return b"0", tuple(each for each in found if matches(each))

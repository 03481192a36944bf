"""What a key-value store that can change several keys in one step must do."""

from contextlib import suppress

import trio

from lakeproof.impl.stores._kv_claims import INCREMENTS, P
from lakeproof.impl.stores.base import TRANSACT, Store
from lakeproof.impl.stores.kv_answers import equal, expect, scan_all
from lakeproof.model import kv


async def transact_is_atomic_or_refused(store: Store) -> None:
    await store.set(P, b"a", b"9")
    if TRANSACT not in store.capabilities:
        await expect(store, kv.Transact((), ((P, b"a", b"1"),)), kv.Refused())
        equal("get after a refused transact", (await store.get(P, b"a")).value, b"9")
        return
    await store.transact(checks=[(P, b"b", None), (P, b"a", kv.EXISTS)], writes=[(P, b"b", b"0")])
    # The first check holds and the second does not, so the number is 1. None of the three writes may show.
    failing = kv.Transact(((P, b"a", b"9"), (P, b"b", b"1")), ((P, b"a", b"x"), (P, b"c", b"x"), (P, b"b", None)))
    await expect(store, failing, kv.CheckFailed(1))
    equal("get after a failed transact", (await store.get(P, b"a")).value, b"9")
    await expect(store, kv.Get(P, b"c"), kv.NotFound())

    for number in range(INCREMENTS):
        await _move_once(store, also_alone=number % 2 == 1)
    equal("keys after transacts", [entry.key for entry in await scan_all(store, P)], [b"a", b"b"])
    await store.transact(writes=[(P, b"a", None), (P, b"b", None)])
    equal("scan after a transact removed all keys", await scan_all(store, P), [])


async def _move_once(store: Store, *, also_alone: bool) -> None:
    """Of tasks that read the same two values, and want to move a unit from one to the other, at most one does.
    also_alone: one of them writes one of the keys by ``set_if``."""
    read = {key: await store.get(P, key) for key in (b"a", b"b")}
    checks = [(P, key, found.predicate) for key, found in read.items()]
    before = {key: int(found.value) for key, found in read.items()}
    made, halves = list[dict[bytes, int]](), list[str]()

    async def move(source: bytes, target: bytes) -> None:
        after = {source: before[source] - 1, target: before[target] + 1}
        with suppress(kv.PredicateFailed, kv.Refused):  # where two meet, a store may refuse both
            await store.transact(checks=checks, writes=[(P, key, b"%d" % units) for key, units in after.items()])
            made.append(after)

    async def write_alone() -> None:
        with suppress(kv.PredicateFailed, kv.Refused):
            await store.set_if(P, b"a", b"%d" % (before[b"a"] + 2), read[b"a"].predicate)
            made.append({**before, b"a": before[b"a"] + 2})

    async def look(first: bytes, second: bytes) -> None:
        for _ in range(INCREMENTS):
            moved, other = [int((await store.get(P, key)).value) - before[key] for key in (first, second)]
            # A transact moves one unit, the write alone two.
            if abs(moved) == 1 and other != -moved:  # by a transact, which has written the other key, too
                halves.append(f"{first!r} by {moved}, then {second!r} by {other}")

    async with trio.open_nursery() as nursery:
        for source, target in ((b"a", b"b"), (b"b", b"a"), (b"a", b"b")):
            nursery.start_soon(move, source, target)
            nursery.start_soon(look, source, target)
        if also_alone:
            nursery.start_soon(write_alone)
    equal("transacts and set_ifs that succeeded, all with the same checks, after the first", made[1:], [])
    equal("halves of a transact that were seen", halves, [])
    after = {key: int((await store.get(P, key)).value) for key in (b"a", b"b")}
    equal("two keys after one of them succeeded", after, made[0] if made else before)

"""What a key-value store must do, claim by claim: the name is the claim. A store that ignores predicates:

>>> from lakeproof.impl.stores.memory import MemoryStore
>>> class Careless(MemoryStore):
...     async def apply(self, op):
...         return await super().apply(kv.Set(op.partition, op.key, op.value) if isinstance(op, kv.SetIf) else op)
>>> try: trio.run(set_if_none_creates, Careless())
... except NotConforming as error: print(error)
SetIf(partition=b'p', key=b'k', value=b'2', predicate=None): expected PredicateFailed(), found None
"""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final, cast

import trio

from lakeproof.impl.stores.base import DELETE_IF, OPAQUE, Store
from lakeproof.impl.stores.kv_answers import LeftOut, NotConforming, equal, expect, scan_all
from lakeproof.model import kv

Claim = Callable[[Store], Coroutine[Any, Any, None]]  # type: ignore[explicit-any]  # what trio calls an async function

P: Final = b"p"
TASKS: Final = 5
INCREMENTS: Final = 8
MANY: Final = 120
PARTITIONS: Final = (b"p", b"p\0", b"q")
KEYS: Final = (b"\0", b"\0a", b"a", b"a\0", b"a/", b"b", b"\x7f", b"\x80", b"\xff", b"\xff\xff")
VALUES: Final = (b"", b"\0", b"x", b"y")
NESTED: Final = (b"p", b"p\0", b"p/", b"pp", b"p/p", b"p//p", b"P", b"p%", b"p_", b"p*", b"p ", b"p" * 256, b"p" * 257)
"""Names that begin with each other, or that a careless pattern takes for each other."""
ALIKE: Final = (b"X", b"x", b"x ", b"x", b"x\0", b"x\n", b"1", b"01", b"\x80", b"\xff", b"x" * 999, b"x" * 998 + b"y")
"""Values, each next to one that a careless comparison takes for it."""


async def an_absent_key_is_not_found(store: Store) -> None:
    await expect(store, kv.Get(P, b"k"), kv.NotFound())
    await store.set(P, b"k", b"v")
    await store.delete(P, b"k")
    await expect(store, kv.Get(P, b"k"), kv.NotFound())


async def a_value_is_read_as_written(store: Store) -> None:
    for value in (b"v", b"", b"\0", b" v \r\n", bytes(range(256)), b"x" * 100_000):
        await store.set(P, b"k", value)
        equal("get after set", (await store.get(P, b"k")).value, value)


async def keys_and_partitions_are_any_bytes(store: Store) -> None:
    addresses = [(partition, key) for partition in (*PARTITIONS, b"\xff", b"\0") for key in KEYS]
    for number, (partition, key) in enumerate(addresses):
        await store.set(partition, key, str(number).encode())
    for number, (partition, key) in enumerate(addresses):
        equal(f"get({partition!r}, {key!r})", (await store.get(partition, key)).value, str(number).encode())


async def set_if_replaces_just_what_get_returned(store: Store) -> None:
    # ALIKE has each value beside one that a careless comparison takes for it, so the old predicate must fail over the
    # new value.
    for before, after in pairwise(ALIKE):
        await store.set(P, b"k", before)
        read = await store.get(P, b"k")
        await store.set_if(P, b"k", after, read.predicate)
        await expect(store, kv.SetIf(P, b"k", b"3", read.predicate), kv.PredicateFailed())
        equal("get after a failed set_if", (await store.get(P, b"k")).value, after)
        await store.delete(P, b"k")
        await expect(store, kv.SetIf(P, b"k", b"3", read.predicate), kv.PredicateFailed())
        await expect(store, kv.Get(P, b"k"), kv.NotFound())


async def set_if_none_creates(store: Store) -> None:
    await store.set_if(P, b"k", b"", None)
    await expect(store, kv.SetIf(P, b"k", b"2", None), kv.PredicateFailed())  # an empty value is a value
    equal("get after a failed set_if", (await store.get(P, b"k")).value, b"")


async def set_if_exists_only_updates(store: Store) -> None:
    await expect(store, kv.SetIf(P, b"k", b"1", kv.EXISTS), kv.PredicateFailed())
    await expect(store, kv.Get(P, b"k"), kv.NotFound())
    await store.set(P, b"k", b"")
    await store.set_if(P, b"k", b"2", kv.EXISTS)
    equal("get after set_if", (await store.get(P, b"k")).value, b"2")


async def deleting_an_absent_key_is_no_error(store: Store) -> None:
    await store.delete(P, b"k")
    await store.set(P, b"other", b"v")
    await store.delete(P, b"k")
    equal("get of another key", (await store.get(P, b"other")).value, b"v")


async def a_missing_partition_key_or_value_is_its_own_error(store: Store) -> None:
    none = cast("bytes", None)  # what a caller without a type checker may pass
    mistakes: list[tuple[kv.Op, kv.KVError]] = [
        (kv.Get(b"", b"k"), kv.MissingPartition()),
        (kv.Set(b"", b"k", b"v"), kv.MissingPartition()),
        (kv.SetIf(b"", b"k", b"v", None), kv.MissingPartition()),
        (kv.Delete(b"", b"k"), kv.MissingPartition()),
        (kv.ScanBatch(b""), kv.MissingPartition()),
        (kv.Get(P, b""), kv.MissingKey()),
        (kv.Set(P, b"", b"v"), kv.MissingKey()),
        (kv.SetIf(P, b"", b"v", None), kv.MissingKey()),
        (kv.Delete(P, b""), kv.MissingKey()),
        (kv.Set(P, b"k", none), kv.MissingValue()),
        (kv.SetIf(P, b"k", none, None), kv.MissingValue()),
    ]
    for op, expected in mistakes:
        await expect(store, op, expected)
    await expect(store, kv.Get(P, b"k"), kv.NotFound())


async def a_scan_is_in_byte_order_within_its_partition(store: Store) -> None:
    # Written in another order than that of bytes, or a store that keeps the order of writing would pass.
    for key in sorted(KEYS, key=lambda key: key[::-1]):
        await store.set(P, key, b"v" + key)
        # A neighbour whose name begins like P: a scan by prefix would show its keys.
        await store.set(b"p\0", key, b"other")
    everything = [kv.Entry(key, b"v" + key) for key in sorted(KEYS)]
    equal("scan", await scan_all(store, P), everything)
    equal("scan of an empty partition", await scan_all(store, b"empty"), [])
    for start in (*KEYS, b"a/b", b"\xff\xff\xff"):
        expected = [entry for entry in everything if entry.key >= start]
        equal(f"scan from {start!r}", await scan_all(store, P, start), expected)


async def a_scan_is_paged(store: Store) -> None:
    for key in KEYS:
        await store.set(P, key, b"v")
    for size in range(1, len(KEYS) + 2):  # one more than there are keys: a batch that is not full
        equal(f"scan in batches of {size}", [e.key for e in await scan_all(store, P, batch_size=size)], sorted(KEYS))
        # The batch itself, too: `scan` would hide one that is too small or too large.
        batch = await store.perform(kv.ScanBatch(P, b"", size))
        assert isinstance(batch, kv.Batch)
        equal(f"first batch of {size}", [entry.key for entry in batch.entries], sorted(KEYS)[:size])


async def a_scan_is_not_a_snapshot(store: Store) -> None:
    for key in (b"a", b"b", b"c", b"d"):
        await store.set(P, key, b"old")
    seen = []
    async for entry in store.scan(P, batch_size=2):
        seen.append(entry)
        if entry.key == b"b":  # between two batches: the first has been read, the second has not
            # Behind the scan's position (``a``, ``aa``): not seen. Ahead of it (``c``, ``d``, ``e``): seen.
            await store.set(P, b"a", b"new")
            await store.set(P, b"aa", b"new")
            await store.delete(P, b"c")
            await store.set(P, b"d", b"new")
            await store.set(P, b"e", b"new")
    expected = [kv.Entry(b"a", b"old"), kv.Entry(b"b", b"old"), kv.Entry(b"d", b"new"), kv.Entry(b"e", b"new")]
    equal("scan with writes between its batches", seen, expected)


async def a_scan_may_lose_its_footing(store: Store) -> None:
    for key in (b"a", b"b", b"c"):
        await store.set(P, key, b"v")
    seen = []
    async for entry in store.scan(P, batch_size=1):
        seen.append(entry.key)
        await store.delete(P, entry.key)  # the key that the next batch continues from
    equal("keys of a scan that deletes what it meets", seen, [b"a", b"b", b"c"])


async def any_byte_may_be_in_a_key_a_partition_and_a_value(store: Store) -> None:
    everything = bytes(range(256))
    await store.set(everything, everything[::-1], everything)
    equal("get of all bytes", (await store.get(everything, everything[::-1])).value, everything)
    keys = [bytes([byte]) for byte in everything]
    # Backwards, so that the order of bytes is not that of writing.
    for key in reversed(keys):
        await store.set(P, key, key)
    equal("scan of all keys of one byte", [entry.key for entry in await scan_all(store, P)], keys)


async def an_empty_value_is_a_value(store: Store) -> None:
    await store.set(P, b"k", b"")
    equal("scan", await scan_all(store, P), [kv.Entry(b"k", b"")])
    read = await store.get(P, b"k")
    equal("get", read.value, b"")
    await store.set_if(P, b"k", b"1", read.predicate)
    await expect(store, kv.SetIf(P, b"k", b"2", read.predicate), kv.PredicateFailed())
    await store.delete(P, b"k")
    await expect(store, kv.SetIf(P, b"k", b"2", read.predicate), kv.PredicateFailed())
    await expect(store, kv.Get(P, b"k"), kv.NotFound())


async def a_predicate_is_of_its_key_and_partition(store: Store) -> None:
    if OPAQUE in store.capabilities:
        raise LeftOut  # no contract says what a token of another key means
    await store.set(P, b"k", b"1")
    read = await store.get(P, b"k")
    await store.set(P, b"other", b"2")
    await store.set(b"q", b"k", b"3")
    await expect(store, kv.SetIf(P, b"other", b"4", read.predicate), kv.PredicateFailed())
    await expect(store, kv.SetIf(b"q", b"k", b"4", read.predicate), kv.PredicateFailed())
    await expect(store, kv.SetIf(P, b"absent", b"4", read.predicate), kv.PredicateFailed())
    equal("get of another key", (await store.get(P, b"other")).value, b"2")
    equal("get in another partition", (await store.get(b"q", b"k")).value, b"3")


async def a_predicate_does_not_outlive_what_it_was_got_from(store: Store) -> None:
    await store.set(P, b"k", b"1")
    read = await store.get(P, b"k")
    await store.delete(P, b"k")
    await expect(store, kv.SetIf(P, b"k", b"2", read.predicate), kv.PredicateFailed())
    # The key is there again. A predicate by version would be old, and one by value compares with another value.
    await store.set_if(P, b"k", b"3", None)
    await expect(store, kv.SetIf(P, b"k", b"4", read.predicate), kv.PredicateFailed())
    equal("get", (await store.get(P, b"k")).value, b"3")


async def keys_that_begin_alike_are_apart(store: Store) -> None:
    for name in NESTED:
        await store.set(P, name, name)
    await store.delete(P, b"p")
    await store.set_if(P, b"pp", b"new", kv.EXISTS)
    kept = [kv.Entry(name, b"new" if name == b"pp" else name) for name in sorted(NESTED) if name != b"p"]
    equal("scan", await scan_all(store, P), kept)
    await expect(store, kv.Get(P, b"p"), kv.NotFound())


async def partitions_that_begin_alike_are_apart(store: Store) -> None:
    for name in NESTED:
        await store.set(name, b"k", name)
        await store.set(name, b"only" + name, name)
    for name in NESTED:
        whole = [kv.Entry(b"k", name), kv.Entry(b"only" + name, name)]
        equal(f"scan of partition {name!r}", await scan_all(store, name), whole)
    await store.delete(b"p", b"k")
    for name in NESTED[1:]:
        equal(f"get in partition {name!r}", (await store.get(name, b"k")).value, name)


async def a_long_scan_loses_nothing_between_its_batches(store: Store) -> None:
    keys = [b"%04d" % number for number in range(MANY)]
    for key in keys:
        await store.set(P, key, key)
    # All at once; batches that do not divide the number; and each edge of the last batch.
    for size in (0, 7, MANY - 1, MANY, MANY + 1):
        found = [entry.key for entry in await scan_all(store, P, batch_size=size)]
        equal(f"scan of {MANY} keys in batches of {size}", found, keys)
    half = [entry.key for entry in await scan_all(store, P, keys[MANY // 2], 10)]
    equal("scan of the second half", half, keys[MANY // 2 :])


async def a_cancelled_operation_leaves_the_store_usable(store: Store) -> None:
    """It has happened, or not, or will: nothing else, and no other operation gets its answer."""

    async def task(name: bytes) -> None:
        for number in range(INCREMENTS):
            mine, doubtful = b"%s-%d" % (name, number), b"%s-%d?" % (name, number)
            await store.set(P, name, mine)
            # With 0 it is cancelled at its first checkpoint; a later moment may meet any outcome.
            with trio.move_on_after(0.0002 * number):
                await store.get(P, name)
            with trio.move_on_after(0.0002 * number):
                await store.set(P, name + b"?", doubtful)
            # The next answer belongs to the next question: a connection that keeps an unread answer would shift them.
            equal(f"get({name!r}) beside cancelled operations", (await store.get(P, name)).value, mine)
        allowed = {b"%s-%d?" % (name, number) for number in range(INCREMENTS)}
        for entry in await scan_all(store, P, name + b"?", 1):
            if entry.key == name + b"?" and entry.value not in allowed:
                raise NotConforming(f"{entry.key!r}: expected one of {sorted(allowed)}, found {entry.value!r}")

    async with trio.open_nursery() as nursery:
        for number in range(TASKS):
            nursery.start_soon(task, b"t%d" % number)


async def delete_if_is_atomic_or_refused(store: Store) -> None:
    await store.set(P, b"k", b"1")
    if DELETE_IF not in store.capabilities:
        await expect(store, kv.DeleteIf(P, b"k", b"1"), kv.Refused())
        equal("get after a refused delete_if", (await store.get(P, b"k")).value, b"1")
        return
    read = await store.get(P, b"k")
    await store.set(P, b"k", b"2")
    await expect(store, kv.DeleteIf(P, b"k", read.predicate), kv.PredicateFailed())
    await store.delete_if(P, b"k", (await store.get(P, b"k")).predicate)
    await expect(store, kv.DeleteIf(P, b"k", read.predicate), kv.PredicateFailed())
    await expect(store, kv.Get(P, b"k"), kv.NotFound())
    for _ in range(INCREMENTS):
        await store.set(P, b"k", b"1")
        read = await store.get(P, b"k")
        done = await _do_at_once(store, [kv.DeleteIf(P, b"k", read.predicate)] * TASKS)
        equal("concurrent delete_ifs of one value that succeeded", len(done), 1)


async def concurrent_increments_by_set_if_are_all_kept(store: Store) -> None:
    await store.set(P, b"n", b"0")

    async def increment() -> None:
        read = await store.get(P, b"n")
        # A predicate fails only because another task has counted meanwhile.
        for _ in range(TASKS * INCREMENTS):
            try:
                await store.set_if(P, b"n", str(int(read.value) + 1).encode(), read.predicate)
            except kv.PredicateFailed:
                read = await store.get(P, b"n")
            else:
                return
        raise NotConforming(f"set_if failed {TASKS * INCREMENTS} times, more often than others can have written")

    async def task() -> None:
        for _ in range(INCREMENTS):
            await increment()

    async with trio.open_nursery() as nursery:
        for _ in range(TASKS):
            nursery.start_soon(task)
    equal("the counter", int((await store.get(P, b"n")).value), TASKS * INCREMENTS)


async def one_of_many_concurrent_creators_wins(store: Store) -> None:
    for round_ in range(INCREMENTS):
        key = b"%d" % round_
        done = await _do_at_once(store, [kv.SetIf(P, key, b"%d" % me, None) for me in range(TASKS)])
        # As lists: no winner, and more than one, both differ.
        equal("creators that won", [b"%d" % me for me in done], [(await store.get(P, key)).value])


async def a_concurrent_delete_is_not_undone_by_set_if(store: Store) -> None:
    for round_ in range(INCREMENTS):
        key = b"%d" % round_
        await store.set(P, key, b"old")
        updates: list[kv.Op] = [kv.SetIf(P, key, b"new", kv.EXISTS)] * (TASKS // 2)
        await _do_at_once(store, [*updates, kv.Delete(P, key), *updates])
        # Before the delete an update was overwritten by it, and after it nothing is there to update.
        await expect(store, kv.Get(P, key), kv.NotFound())


async def _do_at_once(store: Store, ops: Sequence[kv.Op]) -> list[int]:
    """Do operations all at once; the numbers of those that were done. The predicates of the others have failed."""
    done: list[int] = []

    async def perform(number: int, op: kv.Op) -> None:
        with suppress(kv.PredicateFailed):
            await store.perform(op)
            done.append(number)

    async with trio.open_nursery() as nursery:
        for number, op in enumerate(ops):
            nursery.start_soon(perform, number, op)
    return done


CLAIMS: Final[tuple[Claim, ...]] = (
    an_absent_key_is_not_found,
    a_value_is_read_as_written,
    keys_and_partitions_are_any_bytes,
    set_if_replaces_just_what_get_returned,
    set_if_none_creates,
    set_if_exists_only_updates,
    deleting_an_absent_key_is_no_error,
    a_missing_partition_key_or_value_is_its_own_error,
    a_scan_is_in_byte_order_within_its_partition,
    a_scan_is_paged,
    a_scan_is_not_a_snapshot,
    a_scan_may_lose_its_footing,
    any_byte_may_be_in_a_key_a_partition_and_a_value,
    an_empty_value_is_a_value,
    a_predicate_is_of_its_key_and_partition,
    a_predicate_does_not_outlive_what_it_was_got_from,
    keys_that_begin_alike_are_apart,
    partitions_that_begin_alike_are_apart,
    a_long_scan_loses_nothing_between_its_batches,
    a_cancelled_operation_leaves_the_store_usable,
    delete_if_is_atomic_or_refused,
    concurrent_increments_by_set_if_are_all_kept,
    one_of_many_concurrent_creators_wins,
    a_concurrent_delete_is_not_undone_by_set_if,
)

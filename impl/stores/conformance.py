"""The suite that holds every store driver to the contract: one claim after the other, each on an empty store.

``await check_store(make_store)`` returns silently or raises `NotConforming`, which names the claim and what was seen.
It shows conformance only as far as it looks: its concurrent claims find lost updates with the schedules that happen,
not with all that could.
"""

import random
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Final, cast

import trio

from impl.stores.base import DELETE_IF, Store
from model import kv

MakeStore = Callable[[], AbstractAsyncContextManager[Store]]
"""Opens a store that holds nothing, and closes it on leaving."""

Claim = Callable[[Store], Coroutine[Any, Any, None]]  # type: ignore[explicit-any]  # what trio calls an async function

P: Final = b"p"
TASKS: Final = 5
INCREMENTS: Final = 8
OPERATIONS: Final = 300
PARTITIONS: Final = (b"p", b"p\0", b"q")
KEYS: Final = (b"\0", b"\0a", b"a", b"a\0", b"a/", b"b", b"\x7f", b"\x80", b"\xff", b"\xff\xff")
VALUES: Final = (b"", b"\0", b"x", b"y")


class NotConforming(AssertionError):
    """A store does not do what its contract says."""


async def check_store(make_store: MakeStore, *, seed: int = 0) -> None:
    """Check every claim. ``seed`` decides the random operations of the last one.

    Raises:
        NotConforming: names the claim, and what was done, expected and found.
    """
    for claim in CLAIMS:
        async with make_store() as store:
            with _named(claim):
                await claim(store)
    async with make_store() as store:
        rng, delete_if = random.Random(seed), DELETE_IF in store.capabilities
        await check_operations(store, random_operations(rng, OPERATIONS, delete_if=delete_if))


async def check_operations(store: Store, operations: Iterable[kv.Op]) -> None:
    """Do operations one after the other, on an empty store, and compare with `model.kv.step`.

    Raises:
        NotConforming: an answer differs, with the history that led to it.
    """
    state: kv.Store = {}
    history: list[kv.Op] = []
    for op in operations:
        history.append(op)
        if isinstance(op, kv.DeleteIf) and DELETE_IF not in store.capabilities:
            expected: kv.Reply = kv.Refused()
        else:
            state, expected = kv.step(state, op)
        found = await _reply(store, op)
        if not _agree(op, expected, found):
            past = "".join(f"\n  {done!r}" for done in history[-12:])
            raise NotConforming(
                f"expected {expected!r}, found {found!r} from the last of {len(history)} operations:{past}"
            )


def random_operations(rng: random.Random, count: int, *, delete_if: bool) -> Iterator[kv.Op]:
    """Operations on few keys, so that they meet each other."""
    for _ in range(count):
        partition, key, value = rng.choice(PARTITIONS), rng.choice(KEYS), rng.choice(VALUES)
        predicate = rng.choice((*VALUES, None, kv.EXISTS))
        choices: list[kv.Op] = [
            kv.Get(partition, key),
            kv.Set(partition, key, value),
            kv.SetIf(partition, key, value, predicate),
            kv.SetIf(partition, key, value, predicate),
            kv.Delete(partition, key),
            kv.ScanBatch(partition, rng.choice((b"", key)), rng.randrange(4)),
        ]
        if delete_if:
            choices.append(kv.DeleteIf(partition, key, rng.choice(VALUES)))
        yield rng.choice(choices)


@contextmanager
def _named(claim: Claim) -> Iterator[None]:
    """Say which claim does not hold. What is neither a finding nor an answer passes: it is a bug, with a traceback."""
    name = getattr(claim, "__name__", repr(claim)).replace("_", " ")
    try:
        yield
    except NotConforming as error:
        raise NotConforming(f"{name}: {error}") from error
    except (kv.KVError, ExceptionGroup) as error:
        raise NotConforming(f"{name}: unexpectedly raised {error!r}") from error


async def _reply(store: Store, op: kv.Op) -> kv.Reply:
    try:
        return await store.perform(op)
    except kv.KVError as error:
        return error


def _agree(op: kv.Op, expected: kv.Reply, found: kv.Reply) -> bool:
    """Whether an answer is right. Errors are compared by class: their words are the driver's own. A full batch may
    say that there is more where there is nothing."""
    if isinstance(expected, kv.KVError):
        return type(found) is type(expected)
    if isinstance(expected, kv.Batch) and isinstance(found, kv.Batch) and isinstance(op, kv.ScanBatch):
        full = 0 < op.batch_size == len(found.entries)
        return found.entries == expected.entries and (found.more == expected.more or (found.more and full))
    return found == expected


async def _expect(store: Store, op: kv.Op, expected: kv.Reply) -> None:
    found = await _reply(store, op)
    if not _agree(op, expected, found):
        raise NotConforming(f"{op!r}: expected {expected!r}, found {found!r}")


def _equal(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise NotConforming(f"{what}: expected {_short(expected)}, found {_short(found)}")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else f"{shown[:200]}... ({len(shown)} characters)"


async def _all(store: Store, batch_size: int = 0) -> list[kv.Entry]:
    return [entry async for entry in store.scan(P, batch_size=batch_size)]


async def an_absent_key_is_not_found(store: Store) -> None:
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())
    await store.set(P, b"k", b"v")
    await store.delete(P, b"k")
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())


async def a_value_is_read_as_written(store: Store) -> None:
    for value in (b"v", b"", b"\0", bytes(range(256)), b"x" * 100_000):
        await store.set(P, b"k", value)
        _equal("get after set", (await store.get(P, b"k")).value, value)


async def keys_and_partitions_are_any_bytes(store: Store) -> None:
    addresses = [(partition, key) for partition in (*PARTITIONS, b"\xff", b"\0") for key in KEYS]
    for number, (partition, key) in enumerate(addresses):
        await store.set(partition, key, str(number).encode())
    for number, (partition, key) in enumerate(addresses):
        _equal(f"get({partition!r}, {key!r})", (await store.get(partition, key)).value, str(number).encode())


async def set_if_replaces_just_what_get_returned(store: Store) -> None:
    await store.set(P, b"k", b"1")
    read = await store.get(P, b"k")
    await store.set_if(P, b"k", b"2", read.predicate)
    await _expect(store, kv.SetIf(P, b"k", b"3", read.predicate), kv.PredicateFailed())
    _equal("get after a failed set_if", (await store.get(P, b"k")).value, b"2")
    await store.delete(P, b"k")
    await _expect(store, kv.SetIf(P, b"k", b"3", read.predicate), kv.PredicateFailed())
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())


async def set_if_none_creates(store: Store) -> None:
    await store.set_if(P, b"k", b"", None)
    await _expect(store, kv.SetIf(P, b"k", b"2", None), kv.PredicateFailed())  # an empty value is a value
    _equal("get after a failed set_if", (await store.get(P, b"k")).value, b"")


async def set_if_exists_only_updates(store: Store) -> None:
    await _expect(store, kv.SetIf(P, b"k", b"1", kv.EXISTS), kv.PredicateFailed())
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())
    await store.set(P, b"k", b"")
    await store.set_if(P, b"k", b"2", kv.EXISTS)
    _equal("get after set_if", (await store.get(P, b"k")).value, b"2")


async def deleting_an_absent_key_is_no_error(store: Store) -> None:
    await store.delete(P, b"k")
    await store.set(P, b"other", b"v")
    await store.delete(P, b"k")
    _equal("get of another key", (await store.get(P, b"other")).value, b"v")


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
        await _expect(store, op, expected)
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())


async def a_scan_is_in_byte_order_within_its_partition(store: Store) -> None:
    for key in sorted(KEYS, key=lambda key: key[::-1]):
        await store.set(P, key, b"v" + key)
        await store.set(b"p\0", key, b"other")
    everything = [kv.Entry(key, b"v" + key) for key in sorted(KEYS)]
    _equal("scan", await _all(store), everything)
    _equal("scan of an empty partition", [entry async for entry in store.scan(b"empty")], [])
    for start in (*KEYS, b"a/b", b"\xff\xff\xff"):
        expected = [entry for entry in everything if entry.key >= start]
        _equal(f"scan from {start!r}", [entry async for entry in store.scan(P, start)], expected)


async def a_scan_is_paged(store: Store) -> None:
    for key in KEYS:
        await store.set(P, key, b"v")
    for size in range(1, len(KEYS) + 2):
        _equal(f"scan in batches of {size}", [e.key for e in await _all(store, size)], sorted(KEYS))
        batch = await store.perform(kv.ScanBatch(P, b"", size))
        assert isinstance(batch, kv.Batch)
        _equal(f"first batch of {size}", [entry.key for entry in batch.entries], sorted(KEYS)[:size])


async def a_scan_is_not_a_snapshot(store: Store) -> None:
    for key in (b"a", b"b", b"c", b"d"):
        await store.set(P, key, b"old")
    seen = []
    async for entry in store.scan(P, batch_size=2):
        seen.append(entry)
        if entry.key == b"b":  # between two batches: the first has been read, the second has not
            await store.set(P, b"a", b"new")
            await store.set(P, b"aa", b"new")
            await store.delete(P, b"c")
            await store.set(P, b"d", b"new")
            await store.set(P, b"e", b"new")
    expected = [kv.Entry(b"a", b"old"), kv.Entry(b"b", b"old"), kv.Entry(b"d", b"new"), kv.Entry(b"e", b"new")]
    _equal("scan with writes between its batches", seen, expected)


async def a_scan_may_lose_its_footing(store: Store) -> None:
    for key in (b"a", b"b", b"c"):
        await store.set(P, key, b"v")
    seen = []
    async for entry in store.scan(P, batch_size=1):
        seen.append(entry.key)
        await store.delete(P, entry.key)  # the key that the next batch continues from
    _equal("keys of a scan that deletes what it meets", seen, [b"a", b"b", b"c"])


async def delete_if_is_atomic_or_refused(store: Store) -> None:
    await store.set(P, b"k", b"1")
    if DELETE_IF not in store.capabilities:
        await _expect(store, kv.DeleteIf(P, b"k", b"1"), kv.Refused())
        _equal("get after a refused delete_if", (await store.get(P, b"k")).value, b"1")
        return
    read = await store.get(P, b"k")
    await store.set(P, b"k", b"2")
    await _expect(store, kv.DeleteIf(P, b"k", read.predicate), kv.PredicateFailed())
    await store.delete_if(P, b"k", (await store.get(P, b"k")).predicate)
    await _expect(store, kv.DeleteIf(P, b"k", read.predicate), kv.PredicateFailed())
    await _expect(store, kv.Get(P, b"k"), kv.NotFound())


async def concurrent_increments_by_set_if_are_all_kept(store: Store) -> None:
    await store.set(P, b"n", b"0")

    async def increment() -> None:
        read = await store.get(P, b"n")
        # A predicate fails only because somebody else has counted meanwhile.
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
    _equal("the counter", int((await store.get(P, b"n")).value), TASKS * INCREMENTS)


async def one_of_many_concurrent_creators_wins(store: Store) -> None:
    for round_ in range(INCREMENTS):
        key = str(round_).encode()
        winners: list[bytes] = []

        async def create(me: bytes, key: bytes = key, winners: list[bytes] = winners) -> None:
            try:
                await store.set_if(P, key, me, None)
            except kv.PredicateFailed:
                return
            winners.append(me)

        async with trio.open_nursery() as nursery:
            for task in range(TASKS):
                nursery.start_soon(create, str(task).encode())
        _equal("creators that won", winners, [(await store.get(P, key)).value])


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
    delete_if_is_atomic_or_refused,
    concurrent_increments_by_set_if_are_all_kept,
    one_of_many_concurrent_creators_wins,
)

"""The store in memory keeps the contract; the conformance suite catches stores that do not."""

from collections.abc import Callable
from functools import partial

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.stores import DELETE_IF, MemoryStore, Store, memory
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.conformance import NotConforming, check_operations
from lakeproof.model import kv
from tests.conformance import check_store, opens
from tests.model.test_kv import operations
from tests.planting import text_fault

MISTAKES: list[kv.Op] = [kv.Get(b"", b"k"), kv.Set(b"p", b"", b"v"), kv.ScanBatch(b"")]


@pytest.mark.parametrize("delete_if", [False, True])
def test_the_store_in_memory_conforms(delete_if: bool) -> None:
    trio.run(check_store, opens(lambda: MemoryStore(delete_if=delete_if)))


@given(st.lists(operations | st.sampled_from(MISTAKES), max_size=40), st.booleans())
def test_it_answers_any_operations_as_the_specification_does_and_holds_the_same(
    ops: list[kv.Op], delete_if: bool
) -> None:
    store, state = MemoryStore(delete_if=delete_if), dict[kv.Address, bytes]()
    trio.run(check_operations, store, ops)
    for op in ops:
        if delete_if or not isinstance(op, kv.DeleteIf):
            state = dict(kv.step(state, op)[0])
    assert store.contents() == state
    assert MemoryStore(state).contents() == state


def test_every_operation_is_one_schedule_point_even_if_it_fails() -> None:
    async def main() -> None:
        store = MemoryStore()
        order: list[str] = []

        async def client(name: str) -> None:
            for op in (kv.Set(b"p", b"k", b"v"), kv.Get(b"p", b"absent"), kv.Get(b"", b"k")):
                try:
                    await store.perform(op)
                except kv.KVError as error:
                    order.append(f"{name} {type(error).__name__}")
                else:
                    order.append(f"{name} {type(op).__name__}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(client, "a")
            nursery.start_soon(client, "b")
        # Each round lets each client do just one operation.
        rounds = [sorted(order[at : at + 2]) for at in (0, 2, 4)]
        assert rounds == [
            ["a Set", "b Set"],
            ["a NotFound", "b NotFound"],
            ["a MissingPartition", "b MissingPartition"],
        ]

    trio.run(main)


def test_an_operation_that_is_cancelled_has_not_happened() -> None:
    async def main() -> None:
        store = MemoryStore()
        with trio.CancelScope() as scope:
            scope.cancel()
            await store.set(b"p", b"k", b"v")
        assert scope.cancelled_caught
        assert store.contents() == {}

    trio.run(main)


class LosesUpdates(MemoryStore):
    """Planted: looks at the predicate and writes in two steps."""

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.SetIf):
            found = self._find(op.partition, op.key)
            await trio.lowlevel.checkpoint()
            if not kv.predicate_holds(found, op.predicate):
                raise kv.PredicateFailed
            op = kv.Set(op.partition, op.key, op.value)
        return await super().apply(op)


class ScansASnapshot(MemoryStore):
    """Planted: reads the whole partition, and cuts batches from what it remembers."""

    def __init__(self) -> None:
        super().__init__()
        self.remembered: dict[bytes, kv.Batch] = {}

    async def apply(self, op: kv.Op) -> Answer:
        if not isinstance(op, kv.ScanBatch):
            return await super().apply(op)
        if not op.start:
            self.remembered[op.partition] = self._scan(op.partition, b"", 0)
        entries = [e for e in self.remembered.get(op.partition, kv.Batch((), more=False)).entries if e.key >= op.start]
        cut = entries[: op.batch_size or None]
        return kv.Batch(tuple(cut), more=len(cut) < len(entries))


class ForgetsPartitions(MemoryStore):
    """Planted: partition and key are run together."""

    def _put(self, partition: bytes, key: bytes, value: bytes) -> None:
        super()._put(b"all", partition + key, value)

    def _find(self, partition: bytes, key: bytes) -> bytes | None:
        return super()._find(b"all", partition + key)

    def _remove(self, partition: bytes, key: bytes) -> None:
        super()._remove(b"all", partition + key)


class TransactsInParts(MemoryStore):
    """Planted: looks at all keys, and writes them one by one."""

    async def apply_all(self, op: kv.Transact) -> None:
        for number, check in enumerate(op.checks):
            if not kv.predicate_holds(self._find(*check[:2]), check[2]):
                raise kv.CheckFailed(number)
        for partition, key, value in op.writes:
            await trio.lowlevel.checkpoint()
            await self.apply(kv.Delete(partition, key) if value is None else kv.Set(partition, key, value))


class TransactsBeforeItChecks(MemoryStore):
    """Planted: writes what stands before a check that fails."""

    async def apply_all(self, op: kv.Transact) -> None:
        await super().apply_all(kv.Transact(op.checks[:1], op.writes[:1]))
        await super().apply_all(kv.Transact(op.checks[1:], op.writes[1:]))


class TransactsApart(MemoryStore):
    """Planted: transacts exclude each other, and no write of one key."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = trio.Lock()

    async def perform_all(self, op: kv.Transact) -> None:
        async with self.lock:
            await Store.perform_all(self, kv.Transact(op.checks, ()))
            await trio.testing.wait_all_tasks_blocked(0.001)
            await Store.perform_all(self, kv.Transact((), op.writes))

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.SetIf):
            await trio.testing.wait_all_tasks_blocked()  # it meets a transact between its checks and its writes
        return await super().apply(op)


class BoastsOfTransact(MemoryStore):
    """Planted: says that it has it."""

    async def apply_all(self, op: kv.Transact) -> None:
        await Store.apply_all(self, op)


HOLDS = "if not kv.predicate_holds(self._find(partition, key), predicate)"
REMOVES = "case kv.Delete(partition, key):\n"
MORE = "more=next(found, None) is not None"
MINDS = text_fault(memory, REMOVES, f"{REMOVES}                self._do(kv.Get(partition, key))\n")
"""An absent key is an error to delete."""


@pytest.mark.parametrize(
    ("planted", "claim"),
    [
        (LosesUpdates, "concurrent increments by set if are all kept"),
        # An empty value is taken for none.
        (text_fault(memory, "else values.get(key)", "else values.get(key) or None"), "a value is read as written"),
        (ScansASnapshot, "a scan is not a snapshot"),
        # It is forgotten to say that there is more; the start of a scan is exclusive.
        (text_fault(memory, MORE, "more=False"), "a scan is paged"),
        (
            text_fault(memory, "values.irange(start)", "values.irange(start and start + b'\\0')"),
            "a scan is in byte order within its partition",
        ),
        (MINDS, "deleting an absent key is no error"),
        (ForgetsPartitions, "keys and partitions are any bytes"),
        (text_fault(memory, "if self._find(partition, key) !=", "if None is"), "delete if is atomic or refused"),
        (TransactsInParts, "transact is atomic or refused"),
        (TransactsBeforeItChecks, "transact is atomic or refused"),
        (TransactsApart, "transact is atomic or refused: transacts and set_ifs that succeeded"),
        (BoastsOfTransact, "transact is atomic or refused"),
        # Under contention no predicate ever holds, and nobody gets anywhere.
        (text_fault(memory, HOLDS, f"{HOLDS} or key == b'n'"), "concurrent increments by set if are all kept"),
    ],
)
def test_the_suite_names_the_claim_that_a_broken_store_breaks(
    planted: type[Store] | Callable[[pytest.MonkeyPatch], None], claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not isinstance(planted, type):
        planted(monkeypatch)
    with pytest.raises(NotConforming, match=claim):
        trio.run(check_store, opens(planted if isinstance(planted, type) else partial(MemoryStore, delete_if=True)))


def test_a_full_batch_may_say_that_there_is_more_where_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text_fault(memory, MORE, f"{MORE} or 0 < batch_size == len(entries)")(monkeypatch)
    trio.run(check_store, opens(MemoryStore))


def test_random_operations_end_in_the_history_that_led_to_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    MINDS(monkeypatch)
    ops: list[kv.Op] = [kv.Set(b"p", b"k", b"v"), kv.Delete(b"p", b"k"), kv.Delete(b"p", b"k")]
    with pytest.raises(NotConforming, match=r"expected None, found NotFound\(\) from the last of 3 operations:\n  Set"):
        trio.run(check_operations, MemoryStore(), ops)


def test_delete_if_is_refused_unless_it_is_named_a_capability() -> None:
    assert DELETE_IF not in MemoryStore().capabilities
    with pytest.raises(kv.Refused, match="MemoryStore has no delete_if; use the five operations"):
        trio.run(MemoryStore().delete_if, b"p", b"k", b"v")


class Plain(MemoryStore):
    """Without the capability."""

    def __init__(self) -> None:
        super().__init__()
        self.capabilities = frozenset()


def test_transact_is_refused_unless_it_is_named_a_capability() -> None:
    trio.run(check_store, opens(Plain))
    with pytest.raises(kv.Refused, match="Plain has no transact; use the five operations"):
        trio.run(partial(Plain().transact, writes=[(b"p", b"k", b"v")]))


@pytest.mark.parametrize(
    ("writes", "wrong"),
    [
        ([(b"p", b"k", b"1"), (b"p", b"k", None)], kv.Refused),
        ([(b"", b"k", b"1")], kv.MissingPartition),
        ([(b"p", b"", None)], kv.MissingKey),
    ],
)
def test_mistakes_of_a_transaction_are_found_before_the_store_is_touched(
    writes: list[kv.Write], wrong: type[kv.KVError]
) -> None:
    store = MemoryStore()
    with pytest.raises(wrong):
        trio.run(partial(store.transact, writes=writes))
    assert store.contents() == {}

"""Each claim of the conformance suite that is not told of a store in memory's own tests finds a planted fault."""

from collections import Counter
from collections.abc import Callable
from traceback import format_exception

import pytest
import trio

from lakeproof.impl.stores import MemoryStore, Store, _kv_claims, memory
from lakeproof.impl.stores._transact_claims import transact_is_atomic_or_refused
from lakeproof.impl.stores.base import OPAQUE, Answer
from lakeproof.impl.stores.conformance import NotConforming, check_operations, name_claim
from lakeproof.impl.stores.kv_answers import scan_all
from lakeproof.model import kv
from tests.conformance import check_store, opens
from tests.planting import text_fault
from tests.stores.mute import raising_at_predicates


class TakesKeysForText(MemoryStore):
    """Planted: bytes that are no UTF-8 all become the same replacement."""

    def _find(self, partition: bytes, key: bytes) -> bytes | None:
        return super()._find(partition, self._text(key))

    def _put(self, partition: bytes, key: bytes, value: bytes) -> None:
        super()._put(partition, self._text(key), value)

    @staticmethod
    def _text(key: bytes) -> bytes:
        return key if len(key) != 1 or key in b"\x00\x7f\x80\xff" else key.decode("ascii", "replace").encode()


class ScansByPrefix(MemoryStore):
    """Planted: scans all partitions that begin with the one that is named, and no NUL after it."""

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        entries: dict[bytes, bytes] = {}
        for (part, key), value in self.contents().items():
            if part.startswith(partition) and b"\0" not in part[len(partition) :] and key >= start:
                entries.setdefault(key, value)
        cut = [kv.Entry(key, entries[key]) for key in sorted(entries)][: batch_size or None]
        return kv.Batch(tuple(cut), more=len(cut) < len(entries))


class LosesTheHundredth(MemoryStore):
    """Planted: a page ends after a hundred entries with long keys, and says that there is no more."""

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        found = super()._scan(partition, start, batch_size)
        if found.entries and len(found.entries[-1].key) < 4:
            return found
        return kv.Batch(found.entries[:100], more=found.more and len(found.entries) <= 100)


class AnswersTheNextOne(MemoryStore):
    """Planted: one connection for reads; the answer to who was cancelled is given to who comes next."""

    def __init__(self) -> None:
        super().__init__()
        self.unread: list[Answer | kv.KVError] = []

    async def apply(self, op: kv.Op) -> Answer:
        try:
            answer: Answer | kv.KVError = await super().apply(op)
        except kv.KVError as error:
            answer = error
        if not isinstance(op, kv.Get):
            return _answered(answer)
        self.unread.append(answer)
        await trio.sleep(0.0005)  # whoever is cancelled here has not read its answer
        return _answered(self.unread.pop(0))


def _answered(answer: Answer | kv.KVError) -> Answer:
    if isinstance(answer, kv.KVError):
        raise answer
    return answer


class Tokens(MemoryStore):
    """A store of opaque predicates: versions of each key. ``fresh``: whether a new life of a key has new ones."""

    def __init__(self, *, fresh: bool = True) -> None:
        super().__init__()
        self.capabilities = frozenset({OPAQUE})
        self.fresh = fresh
        self.versions: dict[kv.Address, int] = {}
        self.last = Counter[kv.Address]()

    def _put(self, partition: bytes, key: bytes, value: bytes) -> None:
        super()._put(partition, key, value)
        self.last[at := (partition, key)] += 1
        self.versions[at] = self.last[at] if self.fresh else self.versions.get(at, 0) + 1

    def _remove(self, partition: bytes, key: bytes) -> None:
        super()._remove(partition, key)
        self.versions.pop((partition, key), None)

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes):
            at = (op.partition, op.key)
            if str(self.versions.get(at)).encode() != op.predicate:
                raise kv.PredicateFailed
            return await super().apply(kv.Set(*at, op.value))
        answer = await super().apply(op)
        if isinstance(op, kv.Get) and isinstance(answer, kv.ValueWithPredicate):
            return kv.ValueWithPredicate(answer.value, str(self.versions[op.partition, op.key]).encode())
        return answer


class CutsKeys(MemoryStore):
    """Planted: keys have a column of 255 bytes."""

    def _put(self, partition: bytes, key: bytes, value: bytes) -> None:
        super()._put(partition, key[:255], value)

    def _find(self, partition: bytes, key: bytes) -> bytes | None:
        return super()._find(partition, key[:255])


class ChecksSome(MemoryStore):
    """Planted: a transact leaves checks out."""

    def __init__(self, kept: Callable[[kv.Transact, kv.Check], bool]) -> None:
        super().__init__()
        self.kept = kept

    async def apply_all(self, op: kv.Transact) -> None:
        checks = tuple(check for check in op.checks if self.kept(op, check))
        await super().apply_all(kv.Transact(checks, op.writes))


class WritesOneByOne(MemoryStore):
    """Planted: the writes of a transact are seen one after the other; no other write comes between."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = trio.Lock()

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Get | kv.ScanBatch):
            return await super().apply(op)
        async with self.writing:
            return await super().apply(op)

    async def apply_all(self, op: kv.Transact) -> None:
        async with self.writing:
            await super().apply_all(kv.Transact(op.checks, ()))
            for write in op.writes:
                await super().apply_all(kv.Transact((), (write,)))
                await trio.sleep(0.001)


class LooksThenWrites(MemoryStore):
    """Planted: others come between the comparison and what is done."""

    def __init__(self, kind: type[kv.SetIf | kv.DeleteIf], predicate: type) -> None:
        super().__init__(delete_if=True)
        self.kind, self.predicate = kind, predicate

    async def apply(self, op: kv.Op) -> Answer:
        if not isinstance(op, self.kind) or not isinstance(op.predicate, self.predicate):
            return await super().apply(op)
        if not kv.predicate_holds(self._find(op.partition, op.key), op.predicate):
            raise kv.PredicateFailed
        await trio.lowlevel.checkpoint()
        at = (op.partition, op.key)
        return await super().apply(kv.Set(*at, op.value) if isinstance(op, kv.SetIf) else kv.Delete(*at))


SPECIFIED = "random operations are answered as specified: "


Fault = Callable[[pytest.MonkeyPatch], None]
HOLDS = "if not kv.predicate_holds(self._find(partition, key), predicate)"
REMOVES = "case kv.Delete(partition, key):\n                self._remove(partition, key)"
REMOVES_MORE = """case kv.Delete(partition, key):
                for part, each in self.contents():
                    if part == partition and each.startswith(key) and key in (b"p", each):
                        self._remove(part, each)"""


def also_if(condition: str) -> Fault:
    """A set_if is done where this holds, too, of what was found."""
    found = "found = self._find(partition, key)\n                if not (kv.predicate_holds(found, predicate) or ("
    return text_fault(memory, HOLDS, f"{found}{condition}))")


MADE: list[tuple[Callable[[], Store], str]] = [
    (CutsKeys, "keys that begin alike are apart: "),
    (lambda: ChecksSome(lambda op, check: check[2] is not None), SPECIFIED),
    (lambda: ChecksSome(lambda op, check: check[2] is not kv.EXISTS), SPECIFIED),
    (lambda: ChecksSome(lambda op, check: check[0] in {part for part, *_ in op.writes}), SPECIFIED),
    (WritesOneByOne, "transact is atomic or refused: "),
    (lambda: LooksThenWrites(kv.SetIf, type(None)), "one of many concurrent creators wins: "),
    (lambda: LooksThenWrites(kv.SetIf, kv.Presence), "a concurrent delete is not undone by set if: "),
    (lambda: LooksThenWrites(kv.DeleteIf, bytes), "delete if is atomic or refused: "),
    (TakesKeysForText, "any byte may be in a key a partition and a value: "),
    (lambda: Tokens(fresh=False), "a predicate does not outlive what it was got from: "),
    (ScansByPrefix, "partitions that begin alike are apart: "),
    (LosesTheHundredth, "a long scan loses nothing between its batches: "),
    (AnswersTheNextOne, "a cancelled operation leaves the store usable: "),
]
BOTH = "isinstance(found, bytes) and isinstance(predicate, bytes)"
CHANGED: list[tuple[Fault, str]] = [
    # As a column of text without case, padding, what is long, or what is no text does.
    *(
        (also_if(f"{BOTH} and found{seen} == predicate{seen}"), "set if replaces just what get returned: ")
        for seen in (".lower()", ".rstrip()", "[:255]", ".decode(errors='replace')")
    ),
    (also_if("found is None and predicate == b''"), "an empty value is a value: "),
    (also_if("key == b'other' and predicate in self.contents().values()"), "a predicate is of its key and "),
    (text_fault(memory, REMOVES, REMOVES_MORE), "keys that begin alike are apart: "),
]


@pytest.mark.parametrize(
    ("make", "fault", "claim"),
    [*((make, None, claim) for make, claim in MADE), *((MemoryStore, fault, claim) for fault, claim in CHANGED)],
)
def test_a_planted_fault_is_found_by_the_claim_that_is_about_it(
    make: Callable[[], Store], fault: Fault | None, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault is not None:
        fault(monkeypatch)
    with pytest.raises(NotConforming) as caught:
        trio.run(check_store, opens(make))
    assert str(caught.value).startswith(claim)


SCAN = "return self._scan(partition, start, batch_size)"


def test_a_scan_of_empty_batches_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text_fault(memory, SCAN, "return kv.Batch((), more=True)")(monkeypatch)
    with pytest.raises(kv.ScanInterrupted, match=r"expected a key from b'a' on in a batch .*, found none"):
        trio.run(scan_all, MemoryStore(), b"p", b"a")


@pytest.mark.parametrize(
    "claim",
    [
        _kv_claims.a_scan_is_paged,
        _kv_claims.a_scan_is_not_a_snapshot,
        _kv_claims.a_long_scan_loses_nothing_between_its_batches,
    ],
)
def test_a_scan_that_begins_again_and_again_comes_to_an_end(
    claim: _kv_claims.Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    text_fault(memory, SCAN, "return self._scan(partition, b'', batch_size)")(monkeypatch)
    with pytest.raises(kv.ScanInterrupted, match=r"expected a key from b'.*' on, found b"):
        trio.run(claim, MemoryStore())


def test_a_value_that_is_no_number_is_a_finding_of_the_claim_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    text_fault(memory, "(value, value)", "(value.replace(b'0', b'O'), value)")(monkeypatch)

    async def main() -> None:
        with name_claim(transact_is_atomic_or_refused):
            await transact_is_atomic_or_refused(MemoryStore())

    with pytest.raises(NotConforming, match="invalid literal for int"):
        trio.run(main)


@pytest.mark.parametrize("claim", [_kv_claims.set_if_none_creates, _kv_claims.one_of_many_concurrent_creators_wins])
def test_a_bug_of_the_driver_is_no_finding_also_in_a_claim_with_tasks(claim: _kv_claims.Claim) -> None:
    async def main() -> None:
        with name_claim(claim):
            await claim(raising_at_predicates(AttributeError("a bug of the driver")))

    with pytest.raises((AttributeError, ExceptionGroup)) as caught:
        trio.run(main)
    assert "a bug of the driver" in "".join(format_exception(caught.value))


def test_a_finding_of_a_claim_with_tasks_is_in_its_own_words() -> None:
    claim = _kv_claims.concurrent_increments_by_set_if_are_all_kept

    async def main() -> None:
        with name_claim(claim):
            await claim(raising_at_predicates(kv.PredicateFailed()))

    with pytest.raises(NotConforming, match=r"^concurrent increments by set if are all kept: set_if failed 40 times"):
        trio.run(main)


def test_a_store_of_opaque_predicates_conforms() -> None:
    trio.run(check_store, opens(Tokens))


def test_a_value_in_a_predicate_stands_for_the_token_that_was_got_with_it() -> None:
    set_if = kv.SetIf(b"p", b"k", b"2", b"1")
    ops: list[kv.Op] = [
        set_if,
        kv.Set(b"p", b"k", b"1"),
        set_if,
        kv.Get(b"p", b"k"),
        set_if,
        kv.Delete(b"p", b"k"),
        set_if,
    ]
    trio.run(check_operations, Tokens(), ops)

    class Takes(Tokens):
        """Planted: takes any token where there is a value."""

        async def apply(self, op: kv.Op) -> Answer:
            if isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes):
                op = kv.SetIf(op.partition, op.key, op.value, kv.EXISTS)
            return await super().apply(op)

    with pytest.raises(NotConforming, match="expected PredicateFailed"):
        trio.run(check_operations, Takes(), ops)

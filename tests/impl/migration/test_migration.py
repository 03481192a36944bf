"""Migration: what was in the tables is in the store, all or nothing, whatever fails on the way."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Final

import attrs
import pytest

from lakeproof.impl.codec import decode_commit, decode_repository, encode
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.checks import problems
from lakeproof.impl.migration.migration import AlreadyMigrated, Different, HalfMigrated, NotEmpty, Superseded
from lakeproof.impl.migration.rows import MemoryTables, Row, UnusableTables
from lakeproof.impl.staging import tombstone
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.records import Repository
from tests.impl.hand import Hand, Running
from tests.impl.migration.moving import ROWS, migrated, rows_in, version

SWITCH: Final = (migration.METADATA, migration.VERSION_KEY)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    ("held", "error", "told"),
    [
        ({SWITCH: b"3"}, AlreadyMigrated, "schema version 3: the store is in use"),
        ({(keys.GRAVELER, b"repos/mine"): b""}, NotEmpty, "'repos/mine' is there, and no schema version"),
    ],
)
def test_a_store_that_is_in_use_is_refused_and_left_alone(
    held: Mapping[kv.Address, bytes], error: type[Exception], told: str, restart: bool
) -> None:
    store = MemoryStore(held)
    with pytest.raises(error, match=told):
        migrated(store, MemoryTables(ROWS), restart=restart)
    assert store.contents() == held


class FailsAt(Store):
    """Does ``good`` operations, then fails at one, for good or after having done it."""

    def __init__(self, inner: MemoryStore, good: int, how: str) -> None:
        self.inner, self.left, self.how = inner, good, how

    async def apply(self, op: kv.Op) -> Answer:
        self.left -= 1
        if self.left >= 0:
            return await self.inner.perform(op)
        if self.how == "lost":
            await self.inner.perform(op)
            raise kv.OutcomeUnknown("no answer")
        raise kv.Refused("out of order")


@pytest.mark.parametrize("how", ["refused", "lost"])
def test_after_a_failure_at_any_step_the_store_is_refused_until_a_restart_which_ends_as_a_clean_run(how: str) -> None:
    good = 0
    while True:
        store = MemoryStore()
        try:
            migrated(FailsAt(store, good, how), MemoryTables(ROWS))
        except kv.KVError:
            pass
        else:
            break
        state = version(store)
        if state is None:
            migrated(store, MemoryTables(ROWS))
        elif state == migration.VERSION:
            assert rows_in(store) == set(ROWS)
        else:
            with pytest.raises(HalfMigrated, match="make sure that it is dead"):
                migrated(store, MemoryTables(ROWS))
            restarts = count()  # each fails, too, one step later, until one comes to its end
            while version(store) != migration.VERSION:
                with suppress(kv.KVError):
                    migrated(FailsAt(store, next(restarts), how), MemoryTables(ROWS), restart=True)
        assert version(store) == migration.VERSION
        assert rows_in(store) == set(ROWS)
        instances = [decode_repository(v) for (p, _), v in store.contents().items() if p == keys.GRAVELER]
        partitions = {keys.repository_partition(each.repository_id, each.instance_uid) for each in instances}
        left = {p for p, _ in store.contents()} - partitions - {keys.GRAVELER, migration.METADATA}
        assert left == {b"r-main:t", b"nobodys"}, "what a failed run has left is cleared away"
        noted = {key for p, key in store.contents() if p == migration.METADATA} - {migration.VERSION_KEY}
        assert noted <= {migration.JOURNAL + p for p, _ in store.contents()}, "and so are its notes"
        good += 1
    assert good > 20


class Mangles(MemoryStore):
    """Writes something else in the place of what it is given for a key."""

    def __init__(self, key: bytes, instead: Callable[[kv.Set], Sequence[kv.Set]]) -> None:
        super().__init__()
        self.key, self.instead = key, instead

    async def apply(self, op: kv.Op) -> Answer:
        for each in self.instead(op) if isinstance(op, kv.Set) and op.key == self.key else ():
            await super().apply(each)
        return None if isinstance(op, kv.Set) and op.key == self.key else await super().apply(op)


def dated_back(op: kv.Set) -> list[kv.Set]:
    """From -1 to -2, which have the same hash in Python."""
    return [attrs.evolve(op, value=encode(attrs.evolve(decode_commit(op.value), creation_date=-2)))]


@pytest.mark.parametrize(
    ("key", "instead", "told"),
    [
        (b"tags/v1", lambda _: [], "graveler_tags r/v1: missing in the store"),
        (b"tags/v1", lambda op: [op, attrs.evolve(op, key=b"tags/v2")], "graveler_tags r/v1: there twice"),
        (b"commits/c1", dated_back, "graveler_commits r/c1: not the same in the store"),
        (b"x", lambda op: [attrs.evolve(op, key=b"key/x")], "graveler_staging_kv r-main:t/x: missing in the store"),
        (b"x", lambda op: [op, attrs.evolve(op, key=b"w", value=encode(tombstone(b"w")))],
         "graveler_staging_kv r-main:t/w: not in the tables"),
    ],
)  # fmt: skip
def test_a_store_that_holds_something_else_is_found_out_and_not_switched(
    key: bytes, instead: Callable[[kv.Set], Sequence[kv.Set]], told: str
) -> None:
    store = Mangles(key, instead)
    with pytest.raises(Different, match=told):
        migrated(store, MemoryTables(ROWS))
    assert version(store) != migration.VERSION


def row(number: int, owner: str = "", **fields: object) -> Row:
    """One of the rows, with another owner or other fields."""
    found = ROWS[number]
    return Row(owner or found.owner, attrs.evolve(found.record, **fields))  # type: ignore[arg-type]


def changed(number: int, owner: str = "", **fields: object) -> list[Row]:
    """The rows, one of them with another owner or other fields."""
    return [*ROWS[:number], row(number, owner, **fields), *ROWS[number + 1 :]]


ELSEWHERE = row(1, "q", commit_id="d")
IDS = ("repository_id", "commit_id", "branch_id", "tag_id")
TAKEN = "partition of that name is taken"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[3:4], "expected a repository 'r'"),
        ([*ROWS[:1], *ROWS[2:3]], "main: commit 'c1' is not in graveler_commits"),
        (changed(3, commit_id="gone"), "v1: commit 'gone' is not in"),
        ([*changed(3, commit_id="d"), ELSEWHERE], "v1: commit 'd' is not in"),
        (changed(1, parents=("gone",)), "c1: parent 'gone' is not in"),
        ([*changed(1, parents=("d",)), ELSEWHERE], "c1: parent 'd' is not in"),
        (changed(1, generation=2**31), "generation 2147483648: expected a 32-bit number"),
        (changed(1, version=-(2**31)), "version -2147483648: expected a 32-bit number"),
        *((changed(number, **{name: "a\0"}), "expected a name without NUL") for number, name in enumerate(IDS)),
        (changed(2, staging_token="graveler"), TAKEN),
        (changed(2, staging_token="kv-internal-metadata"), TAKEN),
        (changed(4, "graveler"), TAKEN),
        (changed(4, "kv-internal-metadata"), TAKEN),
        (changed(4, key=b""), "expected at least one byte"),
        (ROWS[:2], "expected its default branch 'main'"),
        ([*ROWS, ROWS[3]], "graveler_tags r/v1: expected one row of that key"),
        (
            [*ROWS, row(2, branch_id="two")],
            "graveler_branches r/two: expected a staging token of its own, and 'r-main:t' is that of r/main",
        ),
    ],
)
def test_rows_that_cannot_be_migrated_are_named_and_nothing_is_written(rows: Sequence[Row], message: str) -> None:
    store = MemoryStore()
    assert any(message in problem for problem in problems(MemoryTables(tuple(rows))))
    with pytest.raises(UnusableTables):
        migrated(store, MemoryTables(tuple(rows)))
    assert store.contents() == {}


def before_the_switch(hand: Hand, *, restart: bool = False) -> Running[migration.Migrated]:
    """A run that has written and compared all."""
    running = hand.begin(migration.migrate(hand.env, MemoryTables(ROWS), restart=restart))
    while not (isinstance(running.op, kv.SetIf) and running.op.value == migration.VERSION):
        running.step()
    return running


@pytest.mark.parametrize("whose", ["its own", "another run's", "nobody's"])
def test_a_run_that_finds_the_store_switched_looks_whether_it_was_this_run(whose: str) -> None:
    hand = Hand()
    running, at = before_the_switch(hand), (keys.GRAVELER, b"repos/r")
    hand.perform(kv.Set(*SWITCH, migration.VERSION))  # its own: the store repeats a `SetIf` whose answer was lost
    if whose == "its own":
        assert dict(running.finish().counts)["graveler_tags"] == 1
        return
    entry = hand.snapshot().store[at]
    assert isinstance(entry, Repository)
    other = encode(attrs.evolve(entry, instance_uid=InstanceUID("other")))
    hand.perform(kv.Set(*at, other) if whose == "another run's" else kv.Delete(*at))
    with pytest.raises(Superseded):
        running.finish()


def test_of_two_restarts_one_clears_and_nothing_is_reachable_that_is_half_gone() -> None:
    hand = Hand()
    before_the_switch(hand)
    flow = partial(migration.migrate, hand.env, MemoryTables(ROWS), restart=True)
    one, other = (hand.begin(flow()).step() for _ in range(2))  # both have read the mark of the first run
    one.step()
    done = len(hand.ops)
    with pytest.raises(Superseded):
        other.finish()
    assert not any(isinstance(op, kv.Delete) for op in hand.ops[done:])
    while one.op is not None:
        one.step()
        found = {key for _, key in hand.snapshot().store}
        assert b"repos/r" not in found or b"branches/main" in found


def test_what_is_written_is_where_lakefs_looks() -> None:
    """By hand, from lakeFS' key schema (pkg/graveler/model.go, pkg/kv/store.go), and by nothing of the writer."""
    store = MemoryStore()
    empty = row(0, repository_id="empty")
    migrated(store, MemoryTables((*ROWS, empty)))
    held = store.contents()
    assert held[b"kv-internal-metadata", b"kv/schema/version"] == b"4"
    (home,) = {partition for partition, _ in held if partition.startswith(b"r-") and b":" not in partition}
    assert {key for partition, key in held if partition == home} == {b"branches/main", b"commits/c1", b"tags/v1"}
    assert {key for partition, key in held if partition == b"r-main:t"} == {b"x", b"y"}
    assert {key for partition, key in held if partition == b"nobodys"} == {b"z"}
    bare = {key: decode_repository(value).bare for (where, key), value in held.items() if where == b"graveler"}
    assert bare == {b"repos/r": False, b"repos/empty": True}, "one without branches is bare"

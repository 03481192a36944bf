"""Migration: what was in the tables is in the store, all or nothing, whatever fails on the way."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
import trio

from lakeproof.impl.codec import decode_commit, decode_repository, encode
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.checks import problems
from lakeproof.impl.migration.migration import AlreadyMigrated, Different, HalfMigrated, NotEmpty
from lakeproof.impl.migration.rows import (
    BranchRow,
    CommitRow,
    MemoryTables,
    RepositoryRow,
    Row,
    StagedRow,
    TagRow,
    UnusableTables,
)
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import CommitID, TagID
from tests.impl.migration.moving import ROWS, migrated, rows_in, version


def test_a_migrated_store_is_refused_and_left_alone() -> None:
    store = MemoryStore()
    migrated(store, MemoryTables(ROWS))
    before = store.contents()
    for restart in (False, True):
        with pytest.raises(AlreadyMigrated):
            migrated(store, MemoryTables(ROWS[:1]), restart=restart)
    assert store.contents() == before


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
            migrated(store, MemoryTables(ROWS), restart=True)
        assert version(store) == migration.VERSION
        assert rows_in(store) == set(ROWS)
        instances = [decode_repository(v) for (p, _), v in store.contents().items() if p == keys.GRAVELER]
        partitions = {keys.repository_partition(each.repository_id, each.instance_uid) for each in instances}
        left = {p for p, _ in store.contents()} - partitions - {keys.GRAVELER, migration.METADATA}
        assert left == {b"r-main:t", b"nobodys"}, "what a failed run has left is cleared away"
        good += 1
    assert good > 20


class Forgets(MemoryStore):
    """Loses every write of one key."""

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Set) and op.key == keys.tag_key(TagID("v1")):
            return None
        return await super().apply(op)


def test_a_store_that_loses_a_row_is_found_out_and_not_switched() -> None:
    store = Forgets()
    with pytest.raises(Different, match="graveler_tags r/v1: missing in the store"):
        migrated(store, MemoryTables(ROWS))
    assert version(store) != migration.VERSION


class DatesBack(MemoryStore):
    """Changes the date of a commit from -1 to -2, which have the same hash in Python."""

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Set) and op.key == keys.commit_key(CommitID("c1")):
            commit = attrs.evolve(decode_commit(op.value), creation_date=-2)
            op = attrs.evolve(op, value=encode(commit))
        return await super().apply(op)


def test_a_store_that_changes_a_number_by_one_is_found_out() -> None:
    rows = [attrs.evolve(row, creation_date=-1) if isinstance(row, CommitRow) else row for row in ROWS]
    with pytest.raises(Different, match="graveler_commits r/c1: not the same in the store"):
        migrated(DatesBack(), MemoryTables(tuple(rows)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([TagRow(repository_id="q", id="v", commit_id="c")], "expected a repository 'q'"),
        ([*ROWS[:1], *ROWS[2:3]], "commit 'c1' is not in graveler_commits"),
        ([*ROWS, TagRow(repository_id="r", id="v2", commit_id="gone")], "v2: commit 'gone' is not in"),
        ([RepositoryRow(id="a/b", storage_namespace="", creation_date=0, default_branch="m")], "expected no '/'"),
        ([StagedRow(staging_token="graveler", key=b"k", identity=b"", data=b"")], "partition of that name is taken"),
        ([StagedRow(staging_token="t", key=b"", identity=b"", data=b"")], "expected at least one byte"),
        ([StagedRow(staging_token="kv-internal-metadata", key=b"k", identity=b"", data=b"")], "that name is taken"),
        (ROWS[:2], "expected its default branch 'main'"),
        ([*ROWS, ROWS[3]], "graveler_tags r/v1: expected one row of that key"),
        (
            [*ROWS, BranchRow(repository_id="r", id="two", staging_token="r-main:t", commit_id="c1")],
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


def test_a_repository_without_branches_is_bare(tmp_path: Path) -> None:
    store = MemoryStore()
    empty = RepositoryRow(id="empty", storage_namespace="", creation_date=0, default_branch="main")
    migrated(store, MemoryTables((*ROWS, empty)))
    entries = [decode_repository(value) for (where, _), value in store.contents().items() if where == keys.GRAVELER]
    assert {each.repository_id: each.bare for each in entries} == {"r": False, "empty": True}


@pytest.mark.parametrize("restart", [False, True])
def test_a_store_that_is_used_without_a_version_is_refused_and_left_alone(restart: bool) -> None:
    store = MemoryStore()
    trio.run(store.set, keys.GRAVELER, b"repos/mine", b"")
    before = store.contents()
    with pytest.raises(NotEmpty, match="'repos/mine' is there, and no schema version"):
        migrated(store, MemoryTables(ROWS), restart=restart)
    assert store.contents() == before


class ForgetsTheAnswer(MemoryStore):
    """Applies the switch, and says that it failed."""

    async def apply(self, op: kv.Op) -> Answer:
        answer = await super().apply(op)
        if isinstance(op, kv.SetIf) and op.value == migration.VERSION:
            raise kv.PredicateFailed
        return answer


def test_a_switch_that_was_applied_and_reported_as_failed_is_recognised() -> None:
    store = ForgetsTheAnswer()
    assert dict(migrated(store, MemoryTables(ROWS)).counts)["graveler_tags"] == 1
    assert version(store) == migration.VERSION


def test_of_no_rows_there_is_nothing_but_the_version() -> None:
    store = MemoryStore()
    migrated(store, MemoryTables(()))
    assert set(store.contents()) == {(migration.METADATA, migration.VERSION_KEY)}


def test_what_is_written_is_where_lakefs_looks() -> None:
    """By hand, from lakeFS' key schema (pkg/graveler/model.go, pkg/kv/store.go), and by nothing of the writer."""
    store = MemoryStore()
    migrated(store, MemoryTables(ROWS))
    held = store.contents()
    assert held[b"kv-internal-metadata", b"kv/schema/version"] == b"4"
    (home,) = {partition for partition, _ in held if partition.startswith(b"r-") and b":" not in partition}
    assert {key for partition, key in held if partition == home} == {b"branches/main", b"commits/c1", b"tags/v1"}
    assert {key for partition, key in held if partition == b"r-main:t"} == {b"x", b"y"}
    assert {key for partition, key in held if partition == b"nobodys"} == {b"z"}
    assert [key for partition, key in held if partition == b"graveler"] == [b"repos/r"]


def test_an_entry_that_is_not_under_its_path_is_not_taken_for_migrated() -> None:
    class Renames(MemoryStore):
        async def apply(self, op: kv.Op) -> Answer:
            if isinstance(op, kv.Set) and op.partition == b"r-main:t":
                op = kv.Set(op.partition, b"key/" + op.key, op.value)
            return await super().apply(op)

    with pytest.raises(Different, match="missing in the store"):
        migrated(Renames(), MemoryTables(ROWS))

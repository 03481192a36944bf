"""Migration: what was in the tables is in the store, all or nothing, whatever fails on the way."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings

from impl.codec import decode_repository
from impl.effects import Env
from impl.live import live_env, run
from impl.migration import migrating
from impl.migration.checking import problems
from impl.migration.extracting import extract
from impl.migration.migrating import AlreadyMigrated, Different, HalfMigrated, MigrationError, Superseded, migrate
from impl.migration.rows import (
    TABLES,
    BranchRow,
    CommitRow,
    MemoryTables,
    RepositoryRow,
    Row,
    StagedRow,
    Tables,
    TagRow,
    UnusableTables,
    key_of,
)
from impl.migration.sources import PostgresTables, SQLiteTables
from impl.stores import MemoryStore, Store
from impl.stores.base import Answer
from impl.stores.sqlite import SQLiteStore
from model import keys, kv
from model.identifiers import TagID
from tests.impl.migration.databases import databases, fill_postgres, fill_sqlite
from tests.servers import postgres

ROWS: tuple[Row, ...] = (
    RepositoryRow(id="r", storage_namespace="mem://r", creation_date=1, default_branch="main"),
    CommitRow(
        repository_id="r",
        id="c1",
        committer="me",
        message="first",
        creation_date=2,
        meta_range_id="m",
        metadata=(("a", "b"),),
        parents=(),
        version=1,
        generation=1,
    ),
    BranchRow(repository_id="r", id="main", staging_token="r-main:t", commit_id="c1"),
    TagRow(repository_id="r", id="v1", commit_id="c1"),
    StagedRow(staging_token="r-main:t", key=b"x", identity=b"i", data=b"d"),
    StagedRow(staging_token="r-main:t", key=b"y", identity=b"", data=None),
    StagedRow(staging_token="nobodys", key=b"z", identity=b"i", data=b""),
)


def migrated(store: Store, tables: Tables, *, restart: bool = False) -> migrating.Migrated:
    return trio.run(run, migrate(live_env(), tables, batch_size=2, restart=restart), store)


def held_by(tables: Tables) -> set[Row]:
    return {row for table in TABLES for row in tables.rows(table)}


def rows_in(store: Store) -> set[Row]:
    async def collect(env: Env) -> tuple[Row, ...]:
        async def journal() -> AsyncIterator[bytes]:
            async for entry in env.store.scan(migrating.METADATA, migrating.JOURNAL):
                if entry.key.startswith(migrating.JOURNAL):
                    yield entry.key.removeprefix(migrating.JOURNAL)

        return tuple([row async for row in extract(env, journal())])

    return set(trio.run(run, collect(live_env()), store))


def version(store: MemoryStore) -> bytes | None:
    return store.contents().get((migrating.METADATA, migrating.VERSION_KEY))


@settings(max_examples=60, deadline=None)
@given(databases())
def test_what_was_in_sqlite_is_in_the_store(rows: tuple[Row, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fill_sqlite(Path(folder) / "old.db", rows)
        with SQLiteTables(Path(folder) / "old.db") as tables:
            assert held_by(tables) == set(rows)
            store = MemoryStore()
            counts = migrated(store, tables).counts
    assert sum(count for _, count in counts) == len(rows)
    assert rows_in(store) == set(rows)
    assert version(store) == migrating.VERSION


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as found:
        yield found


def test_what_was_in_postgresql_is_in_the_store(address: str) -> None:
    @settings(max_examples=15, deadline=None)
    @given(databases())
    def check(rows: tuple[Row, ...]) -> None:
        fill_postgres(address, rows)
        with PostgresTables(address) as tables:
            assert held_by(tables) == set(rows)
            for table in TABLES:
                found = list(tables.rows(table))
                assert found == sorted(found, key=key_of)
            store = MemoryStore()
            migrated(store, tables)
        assert rows_in(store) == set(rows)

    check()


def test_postgresql_is_seen_as_it_was_at_one_moment(address: str) -> None:
    fill_postgres(address, ROWS)
    with PostgresTables(address) as tables:
        before = list(tables.rows("graveler_tags"))
        import psycopg

        with psycopg.connect(address) as other:
            other.execute("DELETE FROM graveler_tags")
        assert list(tables.rows("graveler_tags")) == before


@pytest.mark.parametrize("dsn", ["postgresql://nobody@127.0.0.1:1/none?connect_timeout=2"])
def test_a_postgresql_that_is_not_there_is_named(dsn: str) -> None:
    with pytest.raises(UnusableTables, match="PostgreSQL: connect"):
        PostgresTables(dsn)


def test_a_postgresql_without_the_tables_is_named(address: str) -> None:
    import psycopg

    with psycopg.connect(address) as connection:
        connection.execute("DROP TABLE IF EXISTS " + ", ".join(TABLES))
    with pytest.raises(UnusableTables, match="graveler_repositories"):
        PostgresTables(address)


def test_it_ends_in_the_same_rows_on_a_real_file(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "kv.db") as store:
        migrated(store, MemoryTables(ROWS))
        assert rows_in(store) == set(ROWS)


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
        elif state == migrating.VERSION:
            assert rows_in(store) == set(ROWS)
        else:
            with pytest.raises(HalfMigrated, match="make sure that it is dead"):
                migrated(store, MemoryTables(ROWS))
            migrated(store, MemoryTables(ROWS), restart=True)
        assert version(store) == migrating.VERSION
        assert rows_in(store) == set(ROWS)
        instances = [decode_repository(v) for (p, _), v in store.contents().items() if p == keys.GRAVELER]
        partitions = {keys.repository_partition(each.repository_id, each.instance_uid) for each in instances}
        left = {p for p, _ in store.contents()} - partitions - {keys.GRAVELER, migrating.METADATA}
        assert left == {b"r-main:t", b"nobodys"}, "what a failed run has left is cleared away"
        good += 1
    assert good > 20


def test_of_two_runs_at_once_at_most_one_switches() -> None:
    outcomes: list[object] = []

    async def both(restart: bool) -> None:
        store = MemoryStore()

        async def one(restart: bool) -> None:
            try:
                outcomes.append(await run(migrate(live_env(), MemoryTables(ROWS), restart=restart), store))
            except (MigrationError, kv.KVError) as error:
                outcomes.append(type(error))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(one, False)
            nursery.start_soon(one, restart)

    for restart in (False, True):
        for _ in range(20):
            outcomes.clear()
            trio.run(both, restart)
            done = [each for each in outcomes if isinstance(each, migrating.Migrated)]
            assert len(done) <= 1
            assert set(map(type, outcomes)) <= {migrating.Migrated, type}
            assert {each for each in outcomes if isinstance(each, type)} <= {
                HalfMigrated,
                Superseded,
                Different,
                AlreadyMigrated,
            }


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
    assert version(store) != migrating.VERSION


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([TagRow(repository_id="q", id="v", commit_id="c")], "expected a repository 'q'"),
        ([*ROWS[:1], *ROWS[2:3]], "commit 'c1' is not in graveler_commits"),
        ([*ROWS, TagRow(repository_id="r", id="v2", commit_id="gone")], "v2: commit 'gone' is not in"),
        ([RepositoryRow(id="a/b", storage_namespace="", creation_date=0, default_branch="m")], "expected no '/'"),
        ([StagedRow(staging_token="graveler", key=b"k", identity=b"", data=b"")], "partition of that name is taken"),
        ([StagedRow(staging_token="t", key=b"", identity=b"", data=b"")], "expected at least one byte"),
        (ROWS[:2], "expected its default branch 'main'"),
    ],
)
def test_rows_that_cannot_be_migrated_are_named_and_nothing_is_written(rows: Sequence[Row], message: str) -> None:
    store = MemoryStore()
    assert any(message in problem for problem in problems(MemoryTables(tuple(rows))))
    with pytest.raises(UnusableTables):
        migrated(store, MemoryTables(tuple(rows)))
    assert store.contents() == {}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE graveler_commits SET metadata = '{'", "metadata '{'"),
        ("UPDATE graveler_commits SET parents = '\"c\"'", "expected a list of commit ids"),
        ("UPDATE graveler_repositories SET creation_date = 'yesterday'", "creation_date 'yesterday'"),
        ("UPDATE graveler_branches SET commit_id = NULL", "commit_id None: expected text"),
        ("UPDATE graveler_commits SET generation = 'x'", "generation 'x': expected a number"),
        ("UPDATE graveler_staging_kv SET identity = 'text'", "identity 'text': expected bytes"),
    ],
)
def test_a_malformed_column_is_named(tmp_path: Path, statement: str, message: str) -> None:
    import sqlite3

    fill_sqlite(tmp_path / "old.db", ROWS)
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with SQLiteTables(tmp_path / "old.db") as tables, pytest.raises(UnusableTables) as refused:
        migrated(MemoryStore(), tables)
    assert message in str(refused.value)
    assert "mend the row" in str(refused.value)


def test_a_file_that_is_not_there_or_no_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnusableTables, match="no such file"):
        SQLiteTables(tmp_path / "old.db")
    (tmp_path / "notes").write_text("no database " * 100)
    with pytest.raises(UnusableTables, match="file is not a database"):
        SQLiteTables(tmp_path / "notes")


def test_the_clock_and_ids_are_the_only_other_things_it_asks() -> None:
    store = MemoryStore()
    trio.run(partial(run, migrate(live_env(), MemoryTables(())), store))
    assert set(store.contents()) == {(migrating.METADATA, migrating.VERSION_KEY)}

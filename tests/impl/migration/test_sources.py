"""What is read from SQLite and PostgreSQL is what was written there, of one moment, or named."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest
from hypothesis import given, settings

from lakeproof.impl.migration import migration
from lakeproof.impl.migration.rows import TABLES, Row, Tables, UnusableTables, key_of
from lakeproof.impl.migration.sources import PostgresTables, SQLiteTables
from lakeproof.impl.stores import MemoryStore
from tests.impl.migration.databases import databases, fill_postgres, fill_sqlite
from tests.impl.migration.moving import C1, ROWS, held_by, migrated, rows_in, version
from tests.servers import postgres


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as found:
        yield found


@attrs.frozen
class Old:  # type: ignore[explicit-any]  # a connection is of either library
    """Tables of one kind: how they are filled, changed and read."""

    fill: Callable[[Sequence[Row]], None]
    connect: Callable[[], Any]  # type: ignore[explicit-any]  # the same
    read: Callable[[], AbstractContextManager[Tables]]


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    if request.param == "sqlite":
        path = tmp_path / "old.db"
        connect = partial(sqlite3.connect, path, isolation_level=None)
        return Old(partial(fill_sqlite, path), connect, partial(SQLiteTables, path))
    server: str = request.getfixturevalue("address")
    connect_there = partial(psycopg.connect, server, autocommit=True)
    return Old(partial(fill_postgres, server), connect_there, partial(PostgresTables, server))


def test_what_was_in_the_tables_is_in_the_store(old: Old) -> None:
    @settings(max_examples=40)
    @given(databases())
    def check(rows: tuple[Row, ...]) -> None:
        old.fill(rows)
        store = MemoryStore()
        with old.read() as tables:
            assert held_by(tables) == set(rows)
            for table in TABLES:
                found = list(tables.rows(table))
                assert found == sorted(found, key=key_of)
            counts = migrated(store, tables).counts
        assert sum(count for _, count in counts) == len(rows)
        assert rows_in(store) == set(rows)
        assert version(store) == migration.VERSION

    check()


def changed(old: Old, *statements: str) -> None:
    """The tables with the rows of all tests, after these statements."""
    old.fill(ROWS)
    with closing(old.connect()) as connection:
        for statement in statements:
            connection.execute(statement)


def test_tables_are_seen_as_they_were_at_one_moment(old: Old) -> None:
    changed(old)
    with closing(old.connect()) as other:
        if isinstance(other, sqlite3.Connection):
            other.execute("PRAGMA journal_mode = WAL")
        with old.read() as tables:
            before = list(tables.rows("graveler_tags"))
            other.execute("DELETE FROM graveler_tags")
            assert list(tables.rows("graveler_tags")) == before


NULLS = (
    "UPDATE graveler_commits SET parents = NULL, metadata = NULL, generation = NULL",
    "UPDATE graveler_staging_kv SET identity = NULL WHERE data IS NULL",
    "UPDATE graveler_repositories SET creation_date = '1970-01-01T02:00:00.000001+02:00'",
)

READ: tuple[Row, ...] = tuple(
    attrs.evolve(row, record=attrs.evolve(C1, metadata=(), generation=0)) if row.record == C1 else row for row in ROWS
)


def test_null_is_read_as_nothing_where_the_tables_allow_it_and_a_date_with_its_offset(old: Old) -> None:
    changed(old, *NULLS)
    store = MemoryStore()
    with old.read() as tables:
        migrated(store, tables)
    assert rows_in(store) == set(READ)


def test_a_postgresql_that_is_not_there_is_named() -> None:
    with pytest.raises(UnusableTables, match="PostgreSQL: connect"):
        PostgresTables("postgresql://nobody@127.0.0.1:1/none?connect_timeout=2")


def test_a_postgresql_without_the_tables_is_named(address: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("DROP TABLE IF EXISTS " + ", ".join(TABLES))
    with pytest.raises(UnusableTables, match="graveler_repositories"):
        PostgresTables(address)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE graveler_commits SET metadata = '{'", "metadata '{'"),
        ("UPDATE graveler_commits SET parents = '\"c\"'", "expected a list of commit ids"),
        ("UPDATE graveler_repositories SET creation_date = 'yesterday'", "creation_date 'yesterday'"),
        ("UPDATE graveler_branches SET commit_id = NULL", "commit_id None: expected text"),
        ("UPDATE graveler_commits SET parents = '[\"\\ud800\"]'", "surrogates not allowed"),
        ("UPDATE graveler_commits SET metadata = '{\"a\": 1}'", "expected an object of strings"),
        ("UPDATE graveler_commits SET version = NULL", "version None: expected a number"),
        ("UPDATE graveler_staging_kv SET identity = NULL WHERE key = x'78'", "data without an identity"),
        ("UPDATE graveler_staging_kv SET identity = x'' WHERE key = x'78'", "data without an identity"),
        ("UPDATE graveler_commits SET generation = 'x'", "generation 'x': expected a number"),
        ("UPDATE graveler_staging_kv SET identity = 'text'", "identity 'text': expected bytes"),
    ],
)
@pytest.mark.parametrize("old", ["sqlite"], indirect=True)
def test_a_malformed_column_is_named(old: Old, statement: str, message: str) -> None:
    changed(old, statement)
    with old.read() as tables, pytest.raises(UnusableTables) as refused:
        migrated(MemoryStore(), tables)
    assert message in str(refused.value)
    assert "mend the row" in str(refused.value)


def test_a_file_that_is_not_there_or_no_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnusableTables, match="no such file"):
        SQLiteTables(tmp_path / "old.db")
    (tmp_path / "notes").write_text("no database " * 100)
    with pytest.raises(UnusableTables, match="file is not a database"):
        SQLiteTables(tmp_path / "notes")

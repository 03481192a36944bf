"""The store in an SQLite file keeps the contract, also among processes, and says clearly what it cannot open."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing
from functools import partial
from itertools import count
from pathlib import Path

import pytest
import trio

from lakeproof.impl.stores import Store
from lakeproof.impl.stores.base import Unsent
from lakeproof.impl.stores.conformance import OPERATIONS, check_operations, random_operations
from lakeproof.impl.stores.sqlite import NotAStore, SQLiteStore
from lakeproof.model import kv
from tests.conformance import MakeStore, check_store


def opens(folder: Path, *, durable: bool) -> MakeStore:
    numbers = count()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        with SQLiteStore(folder / f"{next(numbers)}.db", durable=durable) as store:
            yield store

    return opened


@pytest.mark.parametrize("durable", [False, True])
def test_it_conforms(tmp_path: Path, durable: bool) -> None:
    trio.run(check_store, opens(tmp_path, durable=durable))


def test_what_was_written_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "kv.db") as store:
        trio.run(store.set, b"p", b"k", b"v")
    with SQLiteStore(tmp_path / "kv.db") as store:
        assert store.contents() == {(b"p", b"k"): b"v"}


INCREMENT = """
import sys, trio
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import kv

async def main():
    with SQLiteStore(sys.argv[1], busy_seconds=600) as store:
        for _ in range(25):
            while True:
                found = await store.get(b"p", b"n")
                try:
                    await store.set_if(b"p", b"n", str(int(found.value) + 1).encode(), found.predicate)
                    break
                except kv.PredicateFailed:
                    pass

trio.run(main)
"""


def test_several_processes_lose_no_update(tmp_path: Path) -> None:
    path = tmp_path / "kv.db"
    with SQLiteStore(path) as store:
        trio.run(store.set, b"p", b"n", b"0")
        with ExitStack() as stack:
            command = [sys.executable, "-c", INCREMENT, str(path)]
            running = [stack.enter_context(subprocess.Popen(command)) for _ in range(3)]
        assert [process.returncode for process in running] == [0, 0, 0]
        assert store.contents() == {(b"p", b"n"): b"75"}


def test_a_write_that_finds_the_file_locked_is_refused_and_did_not_happen(tmp_path: Path) -> None:
    path = tmp_path / "kv.db"
    with SQLiteStore(path, busy_seconds=0) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unsent, match="locked"):
            trio.run(store.set, b"p", b"k", b"v")
        other.execute("ROLLBACK")
        other.close()
        assert store.contents() == {}


def test_a_full_disk_is_refused_and_nothing_is_half_written(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "kv.db") as store:
        trio.run(store.set, b"p", b"k", b"v")
        store._connection.execute("PRAGMA max_page_count = 4")
        with pytest.raises(Unsent, match="full"):
            trio.run(store.set, b"p", b"big", b"x" * 100_000)
        assert store.contents() == {(b"p", b"k"): b"v"}


def test_a_closed_store_is_refused(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "kv.db")
    store.close()
    store.close()
    with pytest.raises(kv.Refused, match="open it again"):
        trio.run(partial(store.get, b"p", b"k"))


@pytest.mark.parametrize("content", [b"this is no database, but a long line of text" * 10, b"PK\x03\x04" * 100])
def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotAStore, match=r"notes\.txt: no store"):
        SQLiteStore(path)
    assert path.read_bytes() == content


def with_table(path: Path, columns: str) -> Path:
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"CREATE TABLE kv ({columns})")
    return path


@pytest.mark.parametrize("columns", ["k TEXT", "partition_key, key, value", "partition_key, key PRIMARY KEY, value"])
def test_another_table_of_that_name_is_named(columns: str, tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="no store"):
        SQLiteStore(with_table(tmp_path / "other.db", columns))


def test_the_columns_of_a_table_may_be_in_another_order_and_beside_others(tmp_path: Path) -> None:
    path = with_table(tmp_path / "kv.db", "noted, key, value, partition_key, UNIQUE (key, partition_key)")

    async def main(store: SQLiteStore) -> None:
        await check_operations(store, random_operations(random.Random(0), OPERATIONS, store.capabilities))

    with SQLiteStore(path) as store:
        trio.run(main, store)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotAStore, match="cannot be opened"):
        SQLiteStore(tmp_path / "missing" / "kv.db")

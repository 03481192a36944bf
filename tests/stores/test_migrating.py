"""``lakeproof migrate`` writes to each kind of store, and says in one line what a failure on the way leaves there."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import psycopg
import pytest
import redis
import trio

from lakeproof.commands.migrate import migrate_store
from lakeproof.impl.live import live_env, run
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.rows import MemoryTables, Row, UnusableTables
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv
from lakeproof.model.records import StagedEntry
from lakeproof.stores import Target, target
from lakeproof.stores.child import ChildStore
from lakeproof.stores.pooled import Pooled
from lakeproof.stores.postgresql import PARTITIONS
from lakeproof.words import Unusable
from tests.commands import ROOT, lakeproof
from tests.impl.migration.databases import fill_sqlite
from tests.impl.migration.moving import ROWS, collect
from tests.servers import new_database
from tests.stores import planted_store
from tests.stores.mute import jumping, target_of

KEPT = ("file", "sqlite", "postgresql", "redis", "exec")
"""Stores that outlive the command."""
HALF_MIGRATED = "the store is half-migrated: mend the cause, then --restart"


@pytest.fixture
def dsn_of(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """An empty store of a kind."""

    def found(kind: str) -> str:
        match kind:
            case "file":
                return str(tmp_path / "new.db")
            case "sqlite":
                return f"sqlite:///{tmp_path / 'new.db'}"
            case "exec":
                return planted_store.dsn("prompt correct", tmp_path / "data")
            case "postgresql":
                return new_database(request.getfixturevalue("postgresql_dsn"), "migrating")  # the table kv is in use
        address: str = request.getfixturevalue("redis_dsn")
        redis.Redis.from_url(address).flushall()
        return address

    return found


@pytest.fixture
def old(tmp_path: Path) -> Path:
    fill_sqlite(tmp_path / "old.db", ROWS)
    return tmp_path / "old.db"


def _opened(dsn: str) -> Target:
    return target(dsn if ":" in dsn else f"sqlite:///{dsn}", connections=1)


def _rows_in(dsn: str) -> tuple[bytes, set[Row]]:
    """The version, and all rows, read by another client than the one that wrote them."""

    async def read() -> tuple[bytes, set[Row]]:
        async with _opened(dsn).open() as store:
            found = await store.get(migration.METADATA, migration.VERSION_KEY)
            return found.value, await run(collect(live_env()), store)

    return trio.run(read)


@pytest.mark.parametrize("kind", KEPT)
def test_rows_are_read_back_from_each_kind_of_store_which_is_in_use_then(
    kind: str, old: Path, dsn_of: Callable[[str], str]
) -> None:
    dsn = dsn_of(kind)
    done = lakeproof("migrate", str(old), dsn)
    assert done.exit_code == 0, done.stderr
    assert "migrated and verified: 7 rows in " in done.stdout
    assert _rows_in(dsn) == (migration.VERSION, set(ROWS))
    again = lakeproof("migrate", str(old), dsn, "--restart")
    assert again.exit_code == 2
    assert again.stderr.splitlines()[-1].endswith("schema version 4: the store is in use; name another")


def test_the_table_in_postgresql_is_one_that_lakefs_can_be_started_on(old: Path, dsn_of: Callable[[str], str]) -> None:
    dsn = dsn_of("postgresql")
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "CREATE TABLE kv (partition_key bytea, key bytea, value bytea, PRIMARY KEY (partition_key, key))"
        )
    refused = lakeproof("migrate", str(old), dsn)
    assert refused.exit_code == 2
    assert "its table kv is not partitioned, and lakeFS would not start on it; expected" in refused.stderr
    with psycopg.connect(dsn) as connection:
        connection.execute("DROP TABLE kv")
    assert lakeproof("migrate", str(old), dsn).exit_code == 0
    with psycopg.connect(dsn) as connection:
        parts = connection.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'kv'::regclass").fetchone()
    assert parts == (PARTITIONS,)


def test_memory_is_a_rehearsal_and_each_table_is_counted(old: Path) -> None:
    done = lakeproof("migrate", f"sqlite:///{old}", "memory:")  # the source may be named like a store
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].split() == ["graveler_repositories", "1"]
    assert done.stdout.splitlines()[-1] == "migrated and verified: 7 rows in memory:; a rehearsal: nothing is kept"
    assert json.loads(lakeproof("migrate", str(old), "memory:", "--json").stdout)["rows"]["graveler_staging_kv"] == 3


@pytest.mark.parametrize(
    ("source", "store", "said"),
    [
        ("missing.db", "new.db", "no such file"),
        ("notes.txt", "new.db", "not a database"),
        ("old.db", "notes.txt", "no store"),
        ("old.db", "missing/new.db", "cannot be opened"),
        ("postgresql://me:secret@127.0.0.1:1/none", "new.db", "PostgreSQL: connect"),
        ("old.db", "postgresql://me:secret@127.0.0.1:1/none", "cannot be reached"),
        ("old.db", "redis://:secret@127.0.0.1:1", "start the server, or mend the address"),
    ],
)
def test_what_cannot_be_read_or_written_is_one_line_without_secrets(
    old: Path, monkeypatch: pytest.MonkeyPatch, source: str, store: str, said: str
) -> None:
    monkeypatch.chdir(old.parent)
    Path("notes.txt").write_text("no database " * 100)
    done = lakeproof("migrate", source, store)
    assert done.exit_code == 2
    assert said in done.stderr.splitlines()[-1]
    assert "secret" not in done.output


class Failing(Store):
    """A real store to which something happens before the operation of a number, and not again."""

    def __init__(self, store: Store, number: int, happens: Callable[[Store], object]) -> None:
        self.store, self.number, self.happens = store, number, happens
        self.capabilities = store.capabilities
        self.asked = 0

    async def apply(self, op: kv.Op) -> Answer:
        return await self.perform(op)

    async def perform(self, op: kv.Op) -> Answer:
        self.asked += 1
        if self.asked == self.number:
            done = self.happens(self.store)
            if hasattr(done, "__await__"):
                await done
        return await self.store.perform(op)


def _failing(dsn: str, number: int, happens: Callable[[Store], object]) -> Target:
    chosen = _opened(dsn)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        async with chosen.open() as store:
            yield Failing(store, number, happens)

    return attrs.evolve(chosen, open=opened)


async def _cut(store: Store) -> None:
    """The connections are lost, and the program is killed, while the answer is waited for."""
    if isinstance(store, Pooled):
        store.sever(store._idle[0])
    else:
        assert isinstance(store, ChildStore)
        await store.restart()
        store.command = ("no-such-program-anywhere",)


@pytest.mark.parametrize("number", [1, 3, 16])
@pytest.mark.parametrize("kind", ["postgresql", "redis", "exec"])
def test_a_connection_that_is_lost_ends_the_run_and_a_restart_completes_it(
    kind: str, number: int, old: Path, dsn_of: Callable[[str], str]
) -> None:
    dsn = dsn_of(kind)
    with pytest.raises(Unusable) as ended:
        trio.run(migrate_store, _failing(dsn, number, _cut), MemoryTables(ROWS), False, 10.0)
    said = str(ended.value)
    assert "\n" not in said
    unwritten = number == 1 or (kind == "exec" and number == 3)  # a program that cannot be started was told nothing
    assert said.endswith("nothing was written" if unwritten else HALF_MIGRATED), said
    if number > 4:  # the mark is there
        refused = lakeproof("migrate", str(old), dsn)
        assert refused.stderr.splitlines()[-1].endswith("make sure that it is dead, then restart (--restart)")
    assert lakeproof("migrate", str(old), dsn, "--restart").exit_code == 0
    assert _rows_in(dsn) == (migration.VERSION, set(ROWS))


def test_a_full_disk_ends_the_run_and_a_restart_completes_it(tmp_path: Path) -> None:
    """No file may grow beyond a limit, as on a disk without room."""
    many = tuple(Row("t", StagedEntry(key=b"%d" % n, identity=b"i", data=b"d" * 4_000)) for n in range(100))
    fill_sqlite(tmp_path / "old.db", (*ROWS, *many))
    command = [sys.executable, "-m", "lakeproof", "migrate", str(tmp_path / "old.db"), str(tmp_path / "new.db")]
    limited = subprocess.run(
        ["sh", "-c", 'ulimit -f 400; exec "$0" "$@"', *command],  # blocks of 512 bytes
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},  # torn bytecode would stay
        capture_output=True,
        text=True,
        check=False,
    )
    assert limited.returncode == 2, limited
    [_, line] = limited.stderr.splitlines()  # what is migrated, and the error
    assert line.startswith(f"lakeproof: {tmp_path / 'new.db'}: ")
    assert line.endswith(HALF_MIGRATED)
    assert lakeproof("migrate", str(tmp_path / "old.db"), str(tmp_path / "new.db"), "--restart").exit_code == 0
    assert _rows_in(str(tmp_path / "new.db")) == (migration.VERSION, {*ROWS, *many})


class Mute(MemoryStore):
    """Does what it is asked, and says nothing of a certain write."""

    def __init__(self, value: bytes) -> None:
        super().__init__()
        self.value = value

    async def apply(self, op: kv.Op) -> Answer:
        answer = await super().apply(op)
        if isinstance(op, kv.SetIf) and op.value == self.value:
            await trio.sleep_forever()
        return answer


def test_a_last_step_without_an_answer_may_have_been_done() -> None:
    store = Mute(migration.VERSION)

    async def failing() -> None:
        with pytest.raises(Unusable) as ended:
            await migrate_store(target_of(store), MemoryTables(ROWS), False, 10.0)
        assert str(ended.value) == (
            "mute: no answer within 10 s (--timeout); all rows are there, and the last step may have been done: "
            "run again, with --restart"
        )
        with pytest.raises(Unusable, match="schema version 4"):
            await migrate_store(target_of(store), MemoryTables(ROWS), True, 10.0)

    trio.run(failing, clock=jumping())


def test_tables_that_fail_half_way_leave_a_half_migrated_store() -> None:
    class Torn(MemoryTables):
        passes = 0

        def rows(self, table: str) -> Iterator[Row]:
            if table == "graveler_branches":
                type(self).passes += 1
                if self.passes == 3:
                    raise UnusableTables("PostgreSQL: graveler_branches: the connection is lost")
            return super().rows(table)

    with pytest.raises(Unusable) as ended:
        trio.run(migrate_store, target_of(MemoryStore()), Torn(ROWS), False, 10.0)
    assert str(ended.value).endswith(HALF_MIGRATED)

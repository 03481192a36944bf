"""Moving a small database of an older lakeFS, and looking at what has arrived."""

from collections.abc import AsyncIterator
from typing import Final

import attrs
import trio

from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.extraction import extract
from lakeproof.impl.migration.migration import migrate
from lakeproof.impl.migration.rows import NO_INSTANCE, TABLES, Row, Tables
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.model.records import StagedEntry
from tests.impl.records import REPOSITORY, branch, commit, tag

C1: Final = attrs.evolve(commit("c1"), committer="me", message="first", creation_date=-1, metadata=(("a", "b"),))
ROWS: Final = (
    Row("", attrs.evolve(REPOSITORY, creation_date=1, instance_uid=NO_INSTANCE)),
    Row("r", C1),
    Row("r", branch("main", "c1")),
    Row("r", attrs.evolve(tag("v1"), commit_id=C1.commit_id)),
    Row("r-main:t", StagedEntry(key=b"x", identity=b"i", data=b"d")),
    Row("r-main:t", StagedEntry(key=b"y", identity=b"", data=None)),
    Row("nobodys", StagedEntry(key=b"z", identity=b"i", data=b"")),
)


def migrated(store: Store, tables: Tables, *, restart: bool = False) -> migration.Migrated:
    return trio.run(run, migrate(live_env(), tables, batch_size=2, restart=restart), store)


def held_by(tables: Tables) -> set[Row]:
    return {row for table in TABLES for row in tables.rows(table)}


async def collect(env: Env) -> set[Row]:
    """The rows of all that the journal of a store names."""

    async def journal() -> AsyncIterator[bytes]:
        async for entry in env.store.scan(migration.METADATA, migration.JOURNAL):
            if entry.key.startswith(migration.JOURNAL):
                yield entry.key.removeprefix(migration.JOURNAL)

    return {row async for row in extract(env, journal())}


def rows_in(store: Store) -> set[Row]:
    return trio.run(run, collect(live_env()), store)


def version(store: MemoryStore) -> bytes | None:
    return store.contents().get((migration.METADATA, migration.VERSION_KEY))

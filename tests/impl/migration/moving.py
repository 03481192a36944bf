"""Moving a small database of an older lakeFS, and looking at what has arrived."""

from collections.abc import AsyncIterator

import trio

from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.migration import migration
from lakeproof.impl.migration.extraction import extract
from lakeproof.impl.migration.migration import migrate
from lakeproof.impl.migration.rows import TABLES, BranchRow, CommitRow, RepositoryRow, Row, StagedRow, Tables, TagRow
from lakeproof.impl.stores import MemoryStore, Store

ROWS: tuple[Row, ...] = (
    RepositoryRow(id="r", storage_namespace="mem://r", creation_date=1, default_branch="main"),
    CommitRow(
        repository_id="r",
        id="c1",
        committer="me",
        message="first",
        creation_date=-1,
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

"""Migration: what it answers, its effects, and what it leaves; what of its tables it refuses, and what it finds again.

The steps are those of graveler-on-kv.md, "Execution Plan"; that the store is claimed and declared valid by one record
is ours, docs/migration.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from collections.abc import AsyncIterator
from typing import Final

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.migration import checking, migrating
from lakeproof.impl.migration.comparing import differences
from lakeproof.impl.migration.extracting import extract
from lakeproof.impl.migration.rows import (
    BranchRow,
    CommitRow,
    MemoryTables,
    RepositoryRow,
    Row,
    StagedRow,
    TagRow,
    UnusableTables,
    shown,
)
from lakeproof.model import keys
from lakeproof.model.identifiers import InstanceUID
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import REPOSITORY as FOREIGN
from lakeproof.scenarios.migrations import TABLE_ROWS, TABLES

R, C, MAIN, X = TABLE_ROWS
assert isinstance(R, RepositoryRow)
assert isinstance(C, CommitRow)
assert isinstance(MAIN, BranchRow)
assert isinstance(X, StagedRow)
C2: Final = attrs.evolve(C, id="c2", parents=("c",), metadata=(("k", "v"),), generation=2)
C3: Final = attrs.evolve(C, id="c3", parents=("c2", "c"), generation=3)
DEV: Final = attrs.evolve(MAIN, id="dev", staging_token="u", commit_id="c2")  # noqa: S106  # no password
TAG: Final = TagRow(repository_id="r", id="t", commit_id="c")
GONE: Final = attrs.evolve(X, key=b"y", identity=b"", data=None)
BARE: Final = attrs.evolve(R, id="bare")
WHOLE: Final = (R, BARE, C, C2, C3, MAIN, DEV, TAG, X, GONE)


async def migrate(env: Env, *held: Row, restart: bool = False, batch_size: int = 0) -> str:
    """A migration of rows: what it has counted, or why not, in its words."""
    try:
        found = await migrating.migrate(env, MemoryTables(held), restart=restart, batch_size=batch_size)
    except (UnusableTables, migrating.MigrationError) as error:
        return f"{type(error).__name__}: {error}"
    return ", ".join(f"{table.removeprefix('graveler_')} {count}" for table, count in found.counts)


async def check(env: Env, *held: Row) -> str:
    """All that is wrong with tables; and what a migration says of it."""
    tables = MemoryTables(held)
    try:
        checking.check(tables)
    except UnusableTables as error:
        first, *more = checking.problems(tables)
        return " | ".join((first if first == str(error) else f"{error} and not {first}", *more))
    return " | ".join(("usable", *checking.problems(tables)))


async def compare(env: Env, held: tuple[Row, ...], extracted: tuple[Row, ...], at_most: int = 20) -> str:
    """What differs between tables and what was extracted."""

    async def rows() -> AsyncIterator[Row]:
        for row in extracted:
            yield row

    found, counts = await differences(MemoryTables(held), rows(), at_most)
    return " | ".join((*found, ", ".join(f"{table.removeprefix('graveler_')} {count}" for table, count in counts)))


async def extracted(env: Env, *, batch_size: int = 0) -> str:
    """The rows that the store holds."""

    async def partitions() -> AsyncIterator[bytes]:
        async for entry in env.store.scan(migrating.METADATA, prefix=migrating.JOURNAL):
            yield entry.key.removeprefix(migrating.JOURNAL)

    return " | ".join([f"{type(row).__name__} {shown(row)}" async for row in extract(env, partitions(), batch_size)])


async def write(env: Env, partition: bytes, key: bytes, value: bytes) -> None:
    """What another program writes."""
    await env.store.set(partition, key, value)


async def erase(env: Env, partition: bytes, key: bytes) -> None:
    """What another program removes."""
    await env.store.delete(partition, key)


def _check(*held: Row) -> Call:
    return Call(check, *held)


def _version(value: bytes) -> Call:
    return Call(write, migrating.METADATA, migrating.VERSION_KEY, value)


STAGED: Final = (b"t", b"x")
REPOSITORY: Final = (keys.GRAVELER, b"repos/r")
MIGRATION: Final = {
    "migrate": Call(migrate, *TABLE_ROWS),
    "migrate_whole": Call(migrate, *WHOLE),
    "migrate_paged": Call(migrate, *WHOLE, batch_size=1),
    "migrate_nothing": Call(migrate),
    "migrate_wrong": Call(migrate, R, MAIN),
    "restart": Call(migrate, *TABLE_ROWS, restart=True),
    "restart_paged": Call(migrate, *TABLE_ROWS, restart=True, batch_size=1),
    "restart_nothing": Call(migrate, restart=True),
    "plain": Call(migrating.migrate, TABLES, who="plain"),
    "rows": Call(extracted),
    "rows_paged": Call(extracted, batch_size=1),
    "version_4": _version(b"4"),
    "version_9": _version(b"9\xff"),
    "half": _version(b"migrating somebody"),
    "unversion": Call(erase, migrating.METADATA, migrating.VERSION_KEY),
    "used": Call(write, *REPOSITORY, encode(attrs.evolve(FOREIGN, instance_uid=InstanceUID("foreign")))),
    "write_staged": Call(write, *STAGED, b"no staged entry"),
    "other_path": Call(write, b"t", b"z", b"\n\x01x\x12\x01i\x1a\x01d"),
    "stray": Call(write, b"r-i1", b"other/x", b"no record"),
    "drop_staged": Call(erase, *STAGED),
    "drop_repository": Call(erase, *REPOSITORY),
}
CHECKS: Final = {
    "fine": _check(*WHOLE),
    "nothing": _check(),
    "twice": _check(R, R, C, MAIN, MAIN),
    "orphans": _check(R, C, MAIN, attrs.evolve(TAG, repository_id="q"), attrs.evolve(C, repository_id="q")),
    "orphaned_branch": _check(R, C, MAIN, attrs.evolve(DEV, repository_id="q")),
    "staged_alone": _check(X),
    "shared_token": _check(R, C, MAIN, attrs.evolve(DEV, staging_token="t", commit_id="c")),  # noqa: S106
    "dangling": _check(R, C, MAIN, attrs.evolve(TAG, commit_id="d"), DEV),
    "parentless": _check(R, C, MAIN, attrs.evolve(C2, parents=("c", "d"))),
    "other_parent": _check(R, BARE, C, C2, MAIN, attrs.evolve(MAIN, repository_id="bare", staging_token="v")),  # noqa: S106
    "no_default": _check(R, C, C2, DEV),
    "only_commits": _check(R, C),
    "bare": _check(BARE),
    "unnamed": _check(
        attrs.evolve(R, id=""), attrs.evolve(C, repository_id="", id=""), attrs.evolve(MAIN, repository_id="", id="")
    ),
    "unnamed_tag": _check(R, C, MAIN, attrs.evolve(TAG, id="")),
    "unnamed_token": _check(R, C, attrs.evolve(MAIN, staging_token="")),
    "unnamed_path": _check(R, C, MAIN, attrs.evolve(X, key=b""), attrs.evolve(X, staging_token="", key=b"z")),
    "taken": _check(
        R,
        C,
        attrs.evolve(MAIN, staging_token="kv-internal-metadata"),  # noqa: S106
        attrs.evolve(X, staging_token="kv-internal-metadata"),  # noqa: S106
    ),
    "highest": _check(R, attrs.evolve(C, version=checking.INT32_MAX, generation=-checking.INT32_MAX), MAIN),
    "too_high": _check(R, attrs.evolve(C, version=checking.INT32_MAX + 1), MAIN),
    "too_low": _check(R, attrs.evolve(C, generation=-checking.INT32_MAX - 1), MAIN),
    "both_too_high": _check(
        R, attrs.evolve(C, version=checking.INT32_MAX + 1, generation=checking.INT32_MAX + 1), MAIN
    ),
    "no_defaults": _check(R, BARE, C, attrs.evolve(C, repository_id="bare")),
    "orphan_tags": _check(
        R, C, MAIN, attrs.evolve(TAG, repository_id="q"), attrs.evolve(TAG, repository_id="q", id="u")
    ),
    "dangling_twice": _check(R, C, MAIN, DEV, attrs.evolve(DEV, id="eve", staging_token="w")),  # noqa: S106
    "parentless_twice": _check(
        R, C, MAIN, attrs.evolve(C2, parents=("d", "e")), attrs.evolve(C2, id="c3", parents=("c", "f"))
    ),
    "same": Call(compare, TABLE_ROWS, TABLE_ROWS),
    "backwards": Call(compare, WHOLE, tuple(reversed(WHOLE))),
    "lost": Call(compare, WHOLE, (R, C, MAIN, X)),
    "lost_few": Call(compare, WHOLE, (R, C), 2),
    "more": Call(compare, TABLE_ROWS, WHOLE),
    "changed": Call(compare, TABLE_ROWS, (R, C, MAIN, attrs.evolve(X, data=b"e"))),
    "doubled": Call(compare, TABLE_ROWS, (*TABLE_ROWS, X)),
}

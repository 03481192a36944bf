"""The migration itself: a flow over any store, which one record makes valid all at once.

The record is lakeFS' schema version (partition ``kv-internal-metadata``, key ``kv/schema/version``). Its value goes
from absent to ``migrating ...`` to the version, each time by a `SetIf` on what was there. Before that, the store is
not to be used. A run notes each partition before it writes to it, so that a later run can clear it: a store has no
list of its partitions. Repositories come last: before that, nothing that was written can be reached.

Example: a repository r with the commit c and the branch main, and x staged under the token t. A run writes, in order::

    kv-internal-metadata    kv/schema/version            migrating lakeproof 1700000000000000 a1, if absent
    kv-internal-metadata    migrated-partition/t
    t                       x                            under its bare path, as lakeFS has it
    kv-internal-metadata    migrated-partition/r-a2      a2: the instance that the run has made for r
    r-a2                    commits/c, branches/main
    graveler                repos/r, if absent
    kv-internal-metadata    kv/schema/version            4, if it is still the mark of this run

Before the last write all is read again and compared. If another run restarts before repos/r is written, it puts its own
mark, empties t and r-a2, and begins anew; this run then finds another repos/r, or another mark: `Superseded`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Final

import attrs

from lakeproof.impl.codec import decode_repository, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.migration.checks import METADATA as METADATA
from lakeproof.impl.migration.checks import VERSION as VERSION
from lakeproof.impl.migration.checks import VERSION_KEY as VERSION_KEY
from lakeproof.impl.migration.checks import check
from lakeproof.impl.migration.extraction import extract
from lakeproof.impl.migration.rows import NAMES, TABLES, Row, Tables, describe_key, key_of
from lakeproof.impl.repositories.records import delete_all
from lakeproof.model import keys, kv
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import InstanceUID, RepositoryID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry, Tag, name_of

MIGRATING: Final = b"migrating "
JOURNAL: Final = b"migrated-partition/"
DIFFERENCES_MAX: Final = 20
_PREFIXES: Final = {
    Branch: keys.BRANCHES_PREFIX,
    Commit: keys.COMMITS_PREFIX,
    Tag: keys.TAGS_PREFIX,
    StagedEntry: b"",  # under the bare path, as lakeFS has it, and not under the designs' key
}


class MigrationError(FlowError):
    """Base of the answers below. All are definite: the store is not migrated by this run."""


class AlreadyMigrated(MigrationError):
    """The store has a schema version: it is in use."""


class NotEmpty(MigrationError):
    """The store has repositories and no schema version: it is used by a program without versions."""


class HalfMigrated(MigrationError):
    """Another run has begun and not ended, or is still at it. Restart from scratch if it is dead."""


class Superseded(MigrationError):
    """Another run has taken the store over, or writes to it at the same time."""


class Different(MigrationError):
    """What was written is not what was read: the first differences, by name."""


@attrs.frozen
class Migrated:
    """How many rows of each table were migrated, and found again."""

    counts: tuple[tuple[str, int], ...]


async def migrate(
    env: Env, tables: Tables, *, who: str = "lakeproof", restart: bool = False, batch_size: int = 0
) -> Migrated:
    """Migrate all rows, extract them again, compare, and declare the store valid.

    restart: take over a half-migrated store, clear away what the other run has written, and begin from scratch.
    batch_size: rows per page of every scan; 0: a partition at once.
    Cost: two passes over the tables before, one effect a row, one scan of everything after.

    Raises:
        UnusableTables: nothing was written. AlreadyMigrated, NotEmpty, HalfMigrated: nothing was changed.
        Superseded, Different, store errors: the store stays half-migrated; restart.
    """
    check(tables)  # all rows, before the store is touched
    mark = await _claim(env, who, restart=restart, batch_size=batch_size)
    uids: dict[str, InstanceUID] = {}
    for repository in _repositories(tables):
        # Before the copies: entities are written under it, and the repository last.
        uids[repository.repository_id] = InstanceUID(env.ids.unique("instance"))
    branched: set[str] = set()
    noted = b""
    for row in _entities(tables):
        partition = _partition(row, uids)
        # Rows come by partition, so each is noted once per table. Noting it again changes nothing.
        if partition != noted:
            await env.store.set(METADATA, JOURNAL + partition, b"")
            noted = partition
        if isinstance(row.record, Branch):
            branched.add(row.owner)
        # Plain: no client may use the store, and nothing leads to the partition.
        await env.store.set(partition, _PREFIXES[type(row.record)] + name_of(row.record), encode(row.record))
    for repository in _repositories(tables):
        name = repository.repository_id
        # An older lakeFS has no mark of bare repositories.
        entry = encode(attrs.evolve(repository, instance_uid=uids[name], bare=name not in branched))
        try:
            # If absent: a run that was taken over must not lead readers to the partition that the new run has cleared.
            await env.store.set_if(keys.GRAVELER, keys.repository_key(name), entry, None)
        except kv.PredicateFailed:
            raise Superseded(f"repository {name!r} is there already: another run is writing") from None
    # Read again from the store, by other code than wrote it: what the codec loses shows.
    found, counts = await _differences(tables, extract(env, _journal(env, batch_size), batch_size))
    if found:
        raise Different("; ".join(found))
    # The version is the same for all runs, so if it is there already, it may be another run's.
    if not await _replace_mark(env, VERSION, mark):
        await _make_sure(env, uids)
    return Migrated(counts)


async def _claim(env: Env, who: str, *, restart: bool, batch_size: int) -> bytes:
    mark = MIGRATING + f"{who} {await env.clock.now()} {env.ids.unique('migration')}".encode()
    found = await env.store.find(METADATA, VERSION_KEY)
    if found is None:
        await _refuse_used(env)
        # The mark has a unique part, so what is there is of this run, or Superseded is raised.
        await _replace_mark(env, mark, None)
        return mark
    if not found.value.startswith(MIGRATING):
        raise AlreadyMigrated(
            f"schema version {found.value.decode(errors='replace')}: the store is in use; name another"
        )
    if not restart:
        by = found.value.removeprefix(MIGRATING).decode(errors="replace")
        raise HalfMigrated(f"a run by {by} has not ended; make sure that it is dead, then restart")
    # Only one of two restarts replaces the mark. The other one must not clear what this one writes.
    await _replace_mark(env, mark, found.predicate)
    await _clear(env, batch_size)
    return mark


async def _refuse_used(env: Env) -> None:
    async for entry in env.store.scan(keys.GRAVELER, batch_size=1):  # one entry is enough to refuse
        found = entry.key.decode("utf-8", "backslashreplace")
        raise NotEmpty(f"{found!r} is there, and no schema version: the store is in use; name an empty one")


async def _replace_mark(env: Env, mark: bytes, predicate: kv.Predicate) -> bool:
    """Whether the store has confirmed it; if not, there is now what we wanted, but perhaps not by us."""
    try:
        await env.store.set_if(METADATA, VERSION_KEY, mark, predicate)
        return True
    except kv.PredicateFailed:
        # Applied after all, if what is there is ours: its answer was lost on the way.
        # A second read, since a store may repeat a `SetIf` that it has applied, and report the repetition.
        found = await env.store.find(METADATA, VERSION_KEY)
        if found is None or found.value != mark:
            raise Superseded("another run has taken the store over") from None
        return False


async def _make_sure(env: Env, uids: dict[str, InstanceUID]) -> None:
    """All runs write the same version, and different instances. 1 effect."""
    # One is enough: a run writes all repositories, or none that counts.
    for repository_id, uid in list(uids.items())[:1]:
        try:
            found = await env.store.get(keys.GRAVELER, keys.repository_key(RepositoryID(repository_id)))
        except kv.NotFound:
            raise Superseded(f"repository {repository_id!r} is gone: another program uses the store") from None
        if decode_repository(found.value).instance_uid != uid:
            raise Superseded("another run has taken the store over, and finished")


async def _clear(env: Env, batch_size: int) -> None:
    """Repositories first, so that nothing is reachable that is half gone; the journal last."""
    await delete_all(env, keys.GRAVELER, batch_size)  # what is no repository of ours was refused before the first run
    async for partition in _journal(env, batch_size):
        await delete_all(env, partition, batch_size)
    # In a second pass: a run that dies in between finds all partitions again.
    async for partition in _journal(env, batch_size):
        await env.store.delete(METADATA, JOURNAL + partition)


async def _journal(env: Env, batch_size: int) -> AsyncIterator[bytes]:
    async for entry in env.store.scan(METADATA, batch_size=batch_size, prefix=JOURNAL):
        yield entry.key.removeprefix(JOURNAL)


def _repositories(tables: Tables) -> Iterator[Repository]:
    for row in tables.rows("graveler_repositories"):
        assert isinstance(row.record, Repository)
        yield row.record


def _entities(tables: Tables) -> Iterator[Row]:
    """All rows but the repositories; each table's by partition."""
    for table in ("graveler_staging_kv", "graveler_commits", "graveler_tags", "graveler_branches"):
        yield from tables.rows(table)


def _partition(row: Row, uids: dict[str, InstanceUID]) -> bytes:
    if isinstance(row.record, StagedEntry):
        return keys.staging_partition(StagingToken(row.owner))
    return keys.repository_partition(RepositoryID(row.owner), uids[row.owner])


async def _differences(tables: Tables, extracted: AsyncIterator[Row]) -> tuple[list[str], tuple[tuple[str, int], ...]]:
    """What differs between the tables and what was extracted, in words; and the rows counted by table.

    Memory: a fingerprint for each row, 8 bytes and its key.
    """
    found: dict[tuple[str, tuple[bytes, ...]], int] = {}
    words: list[str] = []
    async for row in extracted:
        where = NAMES[type(row.record)], key_of(row)
        if where in found:
            words.append(f"{where[0]} {describe_key(row)}: there twice")
        found[where] = _fingerprint(row)
    counts: Counter[str] = Counter()
    for table in TABLES:
        for row in tables.rows(table):
            counts[table] += 1
            copied = found.pop((table, key_of(row)), None)
            if copied is None:  # taken out: what is left at the end is not in the tables
                words.append(f"{table} {describe_key(row)}: missing in the store")
            elif copied != _fingerprint(row):
                words.append(f"{table} {describe_key(row)}: not the same in the store")
    words += [
        f"{table} {b'/'.join(key).decode('utf-8', 'backslashreplace')}: not in the tables" for table, key in found
    ]
    return words[:DIFFERENCES_MAX], tuple((table, counts[table]) for table in TABLES)


def _fingerprint(row: Row) -> int:
    """In the place of the row: the tables may be larger than the memory. Salted in each process, for this one alone."""
    # Of its text: Python's hash of -1 is that of -2.
    return hash(repr(row))

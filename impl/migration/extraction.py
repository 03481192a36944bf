"""The way back: what a store of lakeFS holds, as rows of the five tables.

It reads as lakeFS does, and knows nothing of how the rows were written: repositories under ``repos/`` of ``graveler``,
their entities in ``<id>-<uid>``, and staged entries in the partition of their token, each under its bare path.
Source: lakeFS pkg/graveler/model.go, pkg/graveler/staging/manager.go.
"""

from collections.abc import AsyncIterator

from lakeproof.impl.codec import Undecodable, decode_at, decode_repository, decode_staged_entry
from lakeproof.impl.effects import Env
from lakeproof.impl.migration.rows import BranchRow, CommitRow, RepositoryRow, Row, StagedRow, TagRow
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Commit, Record, Repository, Tag


async def extract(env: Env, partitions: AsyncIterator[bytes], batch_size: int = 0) -> AsyncIterator[Row]:
    """All rows of a store: its repositories with what they hold, and what is staged in ``partitions``.

    The order is that of the store: sort before comparing. Raises Undecodable.
    """
    owners: dict[bytes, Repository] = {}
    async for entry in env.store.scan(keys.GRAVELER, keys.REPOSITORIES_PREFIX, batch_size):
        repository = decode_repository(entry.value)
        # Only a partition that an entry leads to is a repository's. One of an instance that a dead run has begun is
        # passed over below.
        owners[keys.repository_partition(repository.repository_id, repository.instance_uid)] = repository
        yield RepositoryRow(
            id=repository.repository_id,
            storage_namespace=repository.storage_namespace,
            creation_date=repository.creation_date,
            default_branch=repository.default_branch_id,
        )
    async for partition in partitions:
        async for entry in env.store.scan(partition, b"", batch_size):
            if partition not in owners:  # of lakeFS' own: a staging token, or something that is skipped below
                row = _staged_row(StagingToken(partition.decode()), entry)
            else:
                record = decode_at(partition, entry.key, entry.value)
                row = None if record is None else _row(record, owners[partition].repository_id)
            if row is not None:
                yield row


def _staged_row(token: StagingToken, entry: kv.Entry) -> Row | None:
    """None: it is not a staged entry under its path, but something of an instance that another run began, say."""
    try:
        record = decode_staged_entry(entry.value)
    except Undecodable:
        return None
    if record.key != entry.key:  # a staged entry repeats its path
        return None
    return StagedRow(staging_token=token, key=record.key, identity=record.identity, data=record.data)


def _row(record: Record, repository_id: str) -> Row | None:
    match record:
        case Branch():
            return BranchRow(
                repository_id=repository_id,
                id=record.branch_id,
                staging_token=record.staging_token,
                commit_id=record.commit_id,
            )
        case Tag():
            return TagRow(repository_id=repository_id, id=record.tag_id, commit_id=record.commit_id)
        case Commit():
            return CommitRow(
                repository_id=repository_id,
                id=record.commit_id,
                committer=record.committer,
                message=record.message,
                creation_date=record.creation_date,
                meta_range_id=record.meta_range_id,
                metadata=record.metadata,
                parents=tuple(record.parents),
                version=record.version,
                generation=record.generation,
            )
        case _:  # not of the five tables
            return None

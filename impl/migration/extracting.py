"""The way back: what a store holds, as rows of the five tables."""

from collections.abc import AsyncIterator

from lakeproof.impl.codec import decode_at, decode_repository
from lakeproof.impl.effects import Env
from lakeproof.impl.migration.rows import BranchRow, CommitRow, RepositoryRow, Row, StagedRow, TagRow
from lakeproof.model import keys
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry, Tag


async def extract(env: Env, partitions: AsyncIterator[bytes], batch_size: int = 0) -> AsyncIterator[Row]:
    """All rows of a store: its repositories with what they hold, and what is staged in ``partitions``.

    The order is that of the store: sort before comparing. Raises Undecodable.
    """
    owners: dict[bytes, Repository] = {}
    async for entry in env.store.scan(keys.GRAVELER, keys.REPOSITORIES_PREFIX, batch_size):
        repository = decode_repository(entry.value)
        owners[keys.repository_partition(repository.repository_id, repository.instance_uid)] = repository
        yield RepositoryRow(
            id=repository.repository_id,
            storage_namespace=repository.storage_namespace,
            creation_date=repository.creation_date,
            default_branch=repository.default_branch_id,
        )
    async for partition in partitions:
        repository_id = owners[partition].repository_id if partition in owners else None
        async for entry in env.store.scan(partition, b"", batch_size):
            record = decode_at(partition, entry.key, entry.value)
            row = None if record is None else _row(record, repository_id, StagingToken(partition.decode()))
            if row is not None:
                yield row


def _row(record: Record, repository_id: str | None, token: StagingToken) -> Row | None:
    if isinstance(record, StagedEntry):
        return StagedRow(staging_token=token, key=record.key, identity=record.identity, data=record.data)
    if repository_id is None:
        return None
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
        case _:
            return None

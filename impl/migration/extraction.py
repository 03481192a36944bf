"""The way back: what a store of lakeFS holds, as rows of the five tables.

It reads as lakeFS does, and knows nothing of how the rows were written: repositories under ``repos/`` of ``graveler``,
their entities in ``<id>-<uid>``, and staged entries in the partition of their token, each under its bare path.
Source: lakeFS pkg/graveler/model.go, pkg/graveler/staging/manager.go.
"""

from collections.abc import AsyncIterator

import attrs

from lakeproof.impl.codec import Undecodable, decode_at, decode_repository, decode_staged_entry
from lakeproof.impl.effects import Env
from lakeproof.impl.migration.rows import NO_INSTANCE, Row
from lakeproof.model import keys, kv
from lakeproof.model.records import Branch, Commit, Repository, Tag


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
        yield Row("", attrs.evolve(repository, instance_uid=NO_INSTANCE, bare=False))
    async for partition in partitions:
        async for entry in env.store.scan(partition, b"", batch_size):
            if partition not in owners:  # of lakeFS' own: a staging token, or something that is skipped below
                row = _staged_row(partition.decode(), entry)
                if row is not None:
                    yield row
                continue
            record = decode_at(partition, entry.key, entry.value)
            if isinstance(record, Branch | Commit | Tag):  # all else is not of the five tables
                yield Row(owners[partition].repository_id, record)


def _staged_row(token: str, entry: kv.Entry) -> Row | None:
    """None: it is not a staged entry under its path, but something of an instance that another run began, say."""
    try:
        record = decode_staged_entry(entry.value)
    except Undecodable:
        return None
    if record.key != entry.key:  # a staged entry repeats its path
        return None
    return Row(token, record)

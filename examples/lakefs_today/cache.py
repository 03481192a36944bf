"""The repository cache: ``ref.(*Manager).GetRepository``, whose answers a server keeps for some seconds.

The cache is a server's memory: here it is in the store, under a partition of its own, so that it is an effect. Creating
and deleting a repository do not touch it, neither that of the own server nor those of others.
"""

import json
from typing import Final

import attrs

from lakefs_today import repositories
from lakeproof.impl.codec import decode_repository, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository

LIFETIME: Final = 5_000_000
"""``RepositoryCacheConfig.Expiry``, microseconds: its default."""
MEMORY: Final = b"memory-one"


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The repository, as the server knew it some seconds ago, or else as it is. 1 effect, or 3. Errors are not kept.

    Raises RepositoryNotFound, RepositoryDeleting.
    """
    key = b"cached/" + repository_id.encode()
    now = await env.clock.now()
    kept = await env.store.find(MEMORY, key)
    if kept is not None:
        until, record = json.loads(kept.value)
        if now <= until:
            return decode_repository(bytes.fromhex(record))
    found = await repositories.get_repository(env, repository_id)
    await env.store.set(MEMORY, key, json.dumps([now + LIFETIME, encode(found).hex()]).encode())
    return found


FLOWS = attrs.evolve(
    repositories.FLOWS, get_repository=get_repository, **entity_flows(get_repository, uid_partition)
)

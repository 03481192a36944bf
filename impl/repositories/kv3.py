"""Variant ``kv3``: a partition for each instance, and the entry deleted first.

"The existence/inexistence of a repository entry in this partition, solely determines if a repository exists or not."
Source: graveler-on-kv.md, "Deleting a Repository" and "Suggested Key Schema".
"""

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows, bind_reading
from lakeproof.impl.repositories.cleaner import clean
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.naive import get_repository as get_repository
from lakeproof.impl.repositories.naive import list_repositories as list_repositories
from lakeproof.impl.repositories.records import (
    claim,
    default_branch,
    delete_all,
    delete_entry,
    initial_commit,
    new_repository,
    write_branch,
    write_commit,
)
from lakeproof.impl.repositories.step1 import create_bare_repository as create_bare_repository
from lakeproof.model import keys
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import CleanupRecord, Repository


async def create_repository(env: Env, repository_id: RepositoryID, *, entry_last: bool = False) -> Repository:
    """Entry, default branch and first commit. 3 effects.

    The text does not say in which order: ``entry_last`` writes the entities before the entry. Raises NotUnique.
    """
    repository = new_repository(env, repository_id, await env.clock.now())
    branch = default_branch(env, repository)
    if not entry_last:
        await claim(env, repository)
    await write_branch(env, uid_partition(repository), branch)
    await write_commit(env, uid_partition(repository), initial_commit(repository))
    if entry_last:
        await claim(env, repository)
    return repository


async def delete_repository(
    env: Env, repository_id: RepositoryID, *, lists_first: bool = False, batch_size: int = 0
) -> None:
    """Read the entry for its partition, delete the entry, then "use the created partition key to delete all entries".

    lists_first: "by starting a repository deletion by adding its `<REPO_NAME>-<UNIQUE_ID>` partition to a `to-delete`
        list in the DB", for a garbage collector; the line goes when the partition is empty.

    3 effects and one for each entity; 2 more for the list. Raises RepositoryNotFound.
    """
    repository = await get_repository(env, repository_id)
    line = keys.cleanup_key(repository_id, repository.instance_uid)
    if lists_first:
        record = CleanupRecord(repository_id=repository_id, instance_uid=repository.instance_uid)
        # Before the entry is deleted: nothing names the partition afterwards, so a crash would leave its entities for
        # good.
        await env.store.set(keys.DELETED, line, encode(record))
    await delete_entry(env, repository_id)
    # Without the list, a crash before this line leaves them.
    await delete_all(env, uid_partition(repository), batch_size)
    if lists_first:
        # The list line goes last, or the collector could not finish a deletion that stopped half-way.
        await env.store.delete(keys.DELETED, line)


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, uid_partition),
)

LISTED = attrs.evolve(bind_reading(FLOWS, lists_first=True), clean=clean)
"""With the `to-delete` list, and the "periodic background garbage collector" that reads it."""

"""Variant ``kv3``: a partition for each instance, and the entry deleted first.

"The existence/inexistence of a repository entry in this partition, solely determines if a repository exists or not."
Source: graveler-on-kv.md, "Deleting a Repository" and "Suggested Key Schema".
"""

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows, bound
from lakeproof.impl.repositories._records import (
    default_branch,
    delete_all,
    delete_entry,
    initial_commit,
    new_repository,
    read_entry,
    scan_entries,
    write_branch,
    write_commit,
    write_entry_if,
)
from lakeproof.impl.repositories.cleaner import clean
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.errors import NotUnique, RepositoryNotFound
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import CleanupRecord, Repository


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The repository, if its entry is there. 1 effect. Raises RepositoryNotFound."""
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    return found[0]


async def create_repository(env: Env, repository_id: RepositoryID, *, entry_last: bool = False) -> Repository:
    """Entry, default branch and first commit. 3 effects.

    The text does not say in which order: ``entry_last`` writes the entities before the entry. Raises NotUnique.
    """
    repository = new_repository(env, repository_id, await env.clock.now())
    branch = default_branch(env, repository)
    if not entry_last:
        await _claim(env, repository)
    await write_branch(env, uid_partition(repository), branch)
    await write_commit(env, uid_partition(repository), initial_commit(repository))
    if entry_last:
        await _claim(env, repository)
    return repository


async def create_bare_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """Only the entry. 1 effect. Raises NotUnique."""
    repository = new_repository(env, repository_id, await env.clock.now(), bare=True)
    await _claim(env, repository)
    return repository


async def _claim(env: Env, repository: Repository) -> None:
    try:
        await write_entry_if(env, repository, None)
    except kv.PredicateFailed:
        raise NotUnique(repository.repository_id) from None


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
        await env.store.set(keys.DELETED, line, encode(record))
    await delete_entry(env, repository_id)
    await delete_all(env, uid_partition(repository), batch_size)
    if lists_first:
        await env.store.delete(keys.DELETED, line)


async def list_repositories(env: Env, *, batch_size: int = 0) -> tuple[Repository, ...]:
    """Every entry."""
    return tuple([repository async for repository in scan_entries(env, batch_size)])


_entities = entity_flows(get_repository, uid_partition)
create_branch = _entities.create_branch
get_branch = _entities.get_branch
delete_branch = _entities.delete_branch
create_tag = _entities.create_tag

FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    create_branch=create_branch,
    get_branch=get_branch,
    delete_branch=delete_branch,
    create_tag=create_tag,
)

LISTED = attrs.evolve(bound(FLOWS, lists_first=True), clean=clean)
"""With the `to-delete` list, and the "periodic background garbage collector" that reads it."""

"""Variant ``step1``: a repository state, and a unique identifier as the partition key.

Source: repository-operations-error-handling.md, the flows marked "Step 1", CreateBareRepository, ListRepositories.
"""

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows, bind_reading
from lakeproof.impl.repositories.entities import Partition, entity_flows, timestamp_partition, uid_partition
from lakeproof.impl.repositories.errors import NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.records import (
    claim,
    default_branch,
    delete_all,
    delete_entry,
    initial_commit,
    new_repository,
    read_entry,
    scan_entries,
    set_state,
    write_branch,
    write_commit,
)
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository, RepositoryState


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The repository, if it is active. 1 effect. Raises RepositoryNotFound, RepositoryDeleting."""
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    if found[0].state is not RepositoryState.ACTIVE:
        raise RepositoryDeleting(repository_id)
    return found[0]


async def create_repository(
    env: Env, repository_id: RepositoryID, *, partition_of: Partition = uid_partition
) -> Repository:
    """Look, then commit, branch, and last the entry with ``SetIf`` nil. 4 effects.

    Raises:
        NotUnique: an entry is there, at the beginning or at the end. What was written before is left unreachable.
    """
    # Only saves the writes of a create that must fail: the claim below decides.
    if await read_entry(env, repository_id) is not None:
        raise NotUnique(repository_id)
    repository = new_repository(env, repository_id, await env.clock.now())
    # The entry last, so that no reader finds a repository without its branch. A crash before leaves entities that
    # nothing leads to.
    await write_commit(env, partition_of(repository), initial_commit(repository))
    await write_branch(env, partition_of(repository), default_branch(env, repository))
    await claim(env, repository)
    return repository


async def create_bare_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """Only the entry, ``active``. 1 effect. Raises NotUnique."""
    repository = new_repository(env, repository_id, await env.clock.now(), bare=True)
    await claim(env, repository)
    return repository


async def delete_repository(
    env: Env,
    repository_id: RepositoryID,
    *,
    state_by_set_if: bool = False,
    rereads_uid: bool = False,
    partition_of: Partition = uid_partition,
    batch_size: int = 0,
) -> None:
    """Mark as ``deleting``, delete all entities, delete the entry. Continues what another delete has left.

    state_by_set_if: "Set the repository state to `deleting`" does not say how; replace just what was read.
    rereads_uid: the text's bullets in their order: "Get the `unique_identifier` from the repository entry" comes after
        the state is set. Read the entry once more for it; one that is gone by then is deleted.

    Raises:
        RepositoryNotFound.
        Conflict: with ``state_by_set_if``, the entry has changed meanwhile.
    """
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    repository, predicate = found
    # By default whatever is there by now: a second, slower delete writes its old repository over the next one.
    await set_state(env, repository, RepositoryState.DELETING, predicate if state_by_set_if else None)
    if rereads_uid:
        again = await read_entry(env, repository_id)
        if again is None:
            return
        repository = again[0]  # of another instance, perhaps: then its entities go
    # The entry is deleted by its name, whichever instance it belongs to by then.
    await delete_all(env, partition_of(repository), batch_size)
    await delete_entry(env, repository_id)


async def list_repositories(env: Env, *, batch_size: int = 0) -> tuple[Repository, ...]:
    """The active entries."""
    return tuple([r async for r in scan_entries(env, batch_size) if r.state is RepositoryState.ACTIVE])


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, uid_partition),
)

BY_TIMESTAMP = attrs.evolve(
    bind_reading(FLOWS, partition_of=timestamp_partition),
    **entity_flows(get_repository, timestamp_partition),
)
""""One option is a combination of the `RepositryID` and its creation timestamp, which will save the need to introduce
yet another field". The identifier in the records is a ghost then."""

"""Variant ``naive``: the SQL flows with their transaction taken away.

Three stand-alone writes create a repository, in the order of the text; entities are keyed by the repository id
alone; an entry that exists is a repository.
Source: repository-operations-error-handling.md, "Challenges".
"""

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.repositories.entities import entity_flows
from lakeproof.impl.repositories.errors import BranchExists, RepositoryNotFound
from lakeproof.impl.repositories.records import (
    claim,
    default_branch,
    delete_all,
    delete_entry,
    initial_commit,
    new_repository,
    read_entry,
    scan_entries,
    write_commit,
)
from lakeproof.impl.repositories.step1 import create_bare_repository as create_bare_repository
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository


def partition_of(repository: Repository) -> bytes:
    """One partition for all repositories that ever had the id."""
    return keys.naive_partition(repository.repository_id)


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The repository, if its entry is there. 1 effect. Raises RepositoryNotFound."""
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    return found[0]


async def create_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The three writes of "create a `Repository` entry, a default `Branch` entry and first `Commit`". 3 effects.

    Raises:
        NotUnique: the entry is there.
        BranchExists: another call created the default branch; the entry stays.
    """
    repository = new_repository(env, repository_id, await env.clock.now())
    await claim(env, repository)
    branch = default_branch(env, repository)
    try:
        # The partition is that of all instances of the id, so a branch may be left in it by an earlier one.
        await env.store.set_if(partition_of(repository), keys.branch_key(branch.branch_id), encode(branch), None)
    except kv.PredicateFailed:
        raise BranchExists(branch.branch_id) from None
    await write_commit(env, partition_of(repository), initial_commit(repository))
    return repository


async def delete_repository(
    env: Env, repository_id: RepositoryID, *, entry_first: bool = False, batch_size: int = 0
) -> None:
    """Delete all entities and the entry, each on its own; the text does not say in which order. Raises
    RepositoryNotFound."""
    repository = await get_repository(env, repository_id)
    if entry_first:
        await delete_entry(env, repository_id)
    # Another instance may have been created since the read, and then its entities go.
    await delete_all(env, partition_of(repository), batch_size)
    if not entry_first:
        await delete_entry(env, repository_id)


async def list_repositories(env: Env, *, batch_size: int = 0) -> tuple[Repository, ...]:
    """Every entry."""
    return tuple([repository async for repository in scan_entries(env, batch_size)])


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, partition_of),
)

"""Variant ``step2``: a state ``initial``, deletion by a record for the Cleaner, and the id free at once.

Source: repository-operations-error-handling.md, the flows marked "Step 2", "Cleaning Up an `initial` Repository",
"Decision".
"""

from contextlib import suppress
from typing import Final

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.repositories.cleaner import clean as clean
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.errors import Conflict, NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.records import (
    default_branch,
    delete_entry,
    initial_commit,
    new_repository,
    read_entry,
    set_state,
    write_branch,
    write_commit,
    write_entry_if,
)
from lakeproof.impl.repositories.step1 import create_bare_repository as create_bare_repository
from lakeproof.impl.repositories.step1 import list_repositories as list_repositories
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState

INITIAL_TIMEOUT: Final = 2 * 60 * 1_000_000
"""Microseconds after which an ``initial`` repository is declared failed."""


async def get_repository(env: Env, repository_id: RepositoryID, *, state_by_set_if: bool = False) -> Repository:
    """The repository, if it is active; one that has been ``initial`` for two minutes is declared deleted.

    1 to 3 effects. Raises RepositoryNotFound, RepositoryDeleting; Conflict: with ``state_by_set_if``, the entry has
    changed before it could be declared deleted.
    """
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    repository, predicate = found
    if repository.state is RepositoryState.ACTIVE:
        return repository
    if repository.state is RepositoryState.INITIAL:
        if await env.clock.now() - repository.creation_date < INITIAL_TIMEOUT:
            raise RepositoryNotFound(repository_id)
        # Without the predicate this also overwrites a repository that has become active since the read.
        await set_state(env, repository, RepositoryState.DELETING, predicate if state_by_set_if else None)
    raise RepositoryDeleting(repository_id)


async def create_repository(
    env: Env, repository_id: RepositoryID, *, activate_by_set_if: bool = False, declares_failed: bool = False
) -> Repository:
    """Claim the id as ``initial``, write commit and branch, become ``active``. 4 effects.

    "after a successful creation of initial-commit and default-branch, are moved to `active`" does not say how:
    ``activate_by_set_if`` replaces just the ``initial`` entry. "an attempt to create a repository, that finds a
    repository with the same name and `status` initial, may move it to status `failed`": with ``declares_failed`` it
    does, by way of `get_repository`; the id is not free for all that.

    Raises:
        NotUnique: an entry is there, in whatever state.
        Conflict: with ``activate_by_set_if``, another call has declared the repository failed.
    """
    repository = new_repository(env, repository_id, await env.clock.now(), RepositoryState.INITIAL)
    try:
        await write_entry_if(env, repository, None)
    except kv.PredicateFailed:
        if declares_failed:
            # What it answers does not matter: the id is taken either way.
            with suppress(RepositoryNotFound, RepositoryDeleting, Conflict):
                await get_repository(env, repository_id, state_by_set_if=activate_by_set_if)
        raise NotUnique(repository_id) from None
    await write_commit(env, uid_partition(repository), initial_commit(repository))
    await write_branch(env, uid_partition(repository), default_branch(env, repository))
    predicate = encode(repository) if activate_by_set_if else None
    # Without a predicate a slow create brings back what was declared failed, and deleted since.
    await set_state(env, repository, RepositoryState.ACTIVE, predicate)
    return attrs.evolve(repository, state=RepositoryState.ACTIVE)


async def delete_repository(
    env: Env, repository_id: RepositoryID, *, state_by_set_if: bool = False, through_get: bool = False
) -> None:
    """Mark as ``deleting``, leave a record for the Cleaner, delete the entry. 4 effects.

    Delete's "Get the Repository" may be a plain read, which sees every state, or (``through_get``) the flow
    `get_repository`, whose ``deleting`` a retry must see through.

    Raises:
        RepositoryNotFound.
        Conflict: with ``state_by_set_if``, the entry has changed meanwhile.
    """
    if through_get:
        # A retry must see through it: `deleting` "can only be accessed by DeleteRepository (retry)".
        with suppress(RepositoryDeleting):
            await get_repository(env, repository_id, state_by_set_if=state_by_set_if)
    found = await read_entry(env, repository_id)
    if found is None:
        raise RepositoryNotFound(repository_id)
    repository, predicate = found
    await set_state(env, repository, RepositoryState.DELETING, predicate if state_by_set_if else None)
    record = CleanupRecord(repository_id=repository_id, instance_uid=repository.instance_uid)
    # Before the entry goes: only the record leads to the partition then.
    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, repository.instance_uid), encode(record))
    await delete_entry(env, repository_id)


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, uid_partition),
    clean=clean,
)

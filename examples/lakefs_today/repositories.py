"""The life cycle of repositories: ``pkg/graveler/ref.(*Manager)``, ``pkg/graveler.(*Graveler)`` and ``pkg/catalog``.

The states of `step1`, and the same weakness: the state is a blind `Set`, and the last step of a delete removes the
entry, whichever instance it names by then. Each branch is read before it is deleted, so of two deletes that meet one
may fail with "branch not found", and has to be tried again. The repair keeps the entry: a delete ends with a `SetIf` to
a tombstone.

A delete goes through branches, tags, commits and metadata at once, in a ``multierror.Group`` of goroutines, and each of
these deletes what its iterator finds at once, too. ``parallel=True`` is that; without, it is one after the other, which
has fewer schedules, and where the search is quick enough for the largest crowds.
"""

from collections.abc import Callable, Coroutine

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows, bind_reading
from lakeproof.impl.refs.errors import BranchNotFound
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.errors import Conflict, NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.records import (
    default_branch,
    delete_entry,
    initial_commit,
    new_repository,
    read_entry,
    write_entry,
    write_entry_if,
)
from lakeproof.impl.repositories.step1 import list_repositories as list_repositories
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository, RepositoryState

METADATA_KEY = b"repo-metadata"
"""``graveler.RepoMetadataPath``, in the partition of the repository."""


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """``ref.(*Manager).GetRepository`` without its cache: the repository, if it is active. 1 effect.

    Raises RepositoryNotFound, RepositoryDeleting.
    """
    found = await read_entry(env, repository_id)
    if found is None or found[0].state is RepositoryState.DELETED:
        raise RepositoryNotFound(repository_id)
    if found[0].state is not RepositoryState.ACTIVE:
        raise RepositoryDeleting(repository_id)
    return found[0]


async def create_repository(env: Env, repository_id: RepositoryID, *, tombstones: bool = False) -> Repository:
    """``graveler.(*Graveler).CreateRepository``: look, then commit, branch and entry, each by `SetIf`. 4 effects.

    The look lets an active repository pass: it refuses only one that is being deleted; the last `SetIf` refuses the
    rest. ``tombstones``: take the place of a deleted repository's entry (ours).

    Raises:
        RepositoryDeleting; NotUnique: an entry is there, or the branch, of this very call, was reported to be. What was
            written before is left unreachable.
    """
    found = await _look(env, repository_id)
    repository = new_repository(env, repository_id, await env.clock.now())
    partition, commit = uid_partition(repository), initial_commit(repository)
    await env.store.try_set_if(partition, keys.commit_key(commit.commit_id), encode(commit), None)
    branch = default_branch(env, repository)
    if not await env.store.try_set_if(partition, keys.branch_key(branch.branch_id), encode(branch), None):
        raise NotUnique(repository_id)
    await _claim(env, repository, found if tombstones else None)
    return repository


async def create_bare_repository(env: Env, repository_id: RepositoryID, *, tombstones: bool = False) -> Repository:
    """``graveler.(*Graveler).CreateBareRepository``: look, then only the entry. 2 effects. Raises as above."""
    found = await _look(env, repository_id)
    repository = new_repository(env, repository_id, await env.clock.now(), bare=True)
    await _claim(env, repository, found if tombstones else None)
    return repository


async def _look(env: Env, repository_id: RepositoryID) -> bytes | None:
    """The predicate of a tombstone; None where there is no entry, or one that the claim is to be refused by."""
    found = await read_entry(env, repository_id)
    if found is None or found[0].state is RepositoryState.ACTIVE:
        return None
    if found[0].state is RepositoryState.DELETED:
        return found[1]
    raise RepositoryDeleting(repository_id)


async def _claim(env: Env, repository: Repository, predicate: kv.Predicate) -> None:
    try:
        await write_entry_if(env, repository, predicate)
    except kv.PredicateFailed:
        raise NotUnique(repository.repository_id) from None


async def delete_repository(
    env: Env, repository_id: RepositoryID, *, tombstones: bool = False, parallel: bool = False, batch_size: int = 0
) -> None:
    """``ref.(*Manager).DeleteRepository``: mark by `Set`, delete what the scans find, delete the entry.

    7 effects, 2 for each branch and 1 for each tag and commit. Continues what another delete has left. tombstones: mark
    by `SetIf` on what was read, and end by `SetIf` to a tombstone (ours). parallel: all entities at once, as upstream.

    Raises:
        RepositoryNotFound; BranchNotFound: another delete was faster; try again.
        Conflict: with ``tombstones``, the entry has changed meanwhile.
    """
    found = await read_entry(env, repository_id)
    if found is None or found[0].state is RepositoryState.DELETED:
        raise RepositoryNotFound(repository_id)
    repository, predicate = found
    delete_entities = _delete_at_once if parallel else _delete_entities
    deleting = attrs.evolve(repository, state=RepositoryState.DELETING)
    if not tombstones:
        if repository.state is not RepositoryState.DELETING:
            await write_entry(env, deleting)
        await delete_entities(env, repository, batch_size, sure=True)
        await delete_entry(env, repository_id)
        return
    gone = attrs.evolve(repository, state=RepositoryState.DELETED)
    if await _replaced(env, deleting, predicate):
        await delete_entities(env, repository, batch_size, sure=False)
        await _replaced(env, gone, encode(deleting))


async def _replaced(env: Env, repository: Repository, predicate: bytes) -> bool:
    """Put the entry in the place of what was read. Whether its instance is still to be deleted: not if another delete
    has ended meanwhile. A failure or a lost answer is followed by a look: no value of an entry ever returns.

    Raises:
        Conflict: the instance is there, and is as it was.
    """
    try:
        await write_entry_if(env, repository, predicate)
    except (kv.PredicateFailed, kv.OutcomeUnknown):
        now = await read_entry(env, repository.repository_id)
        if now is None or now[0].instance_uid != repository.instance_uid or now[0].state is RepositoryState.DELETED:
            return False
        if now[0] != repository:
            raise Conflict(repository.repository_id) from None
    return True


async def _delete_entities(env: Env, repository: Repository, batch_size: int, *, sure: bool) -> None:
    """``deleteRepositoryBranches``, ``-Tags``, ``-Commits``, ``-Metadata``."""
    partition = uid_partition(repository)
    branches = env.store.scan(partition, batch_size=batch_size, prefix=keys.BRANCHES_PREFIX)
    missing = False
    async for entry in branches:
        if sure and await env.store.find(partition, entry.key) is None:
            missing = True
            continue
        await env.store.delete(partition, entry.key)
    for prefix in (keys.TAGS_PREFIX, keys.COMMITS_PREFIX):
        async for entry in env.store.scan(partition, batch_size=batch_size, prefix=prefix):
            await env.store.delete(partition, entry.key)
    await env.store.delete(partition, METADATA_KEY)
    if missing:
        raise BranchNotFound(repository.repository_id)


async def _delete_at_once(env: Env, repository: Repository, batch_size: int, *, sure: bool) -> None:
    """``deleteRepository``: the same in four goroutines, and in one more for each entity. A goroutine that fails stops
    none of the others. Raises one of their errors: an indefinite one, if there is any."""
    partition = uid_partition(repository)

    async def delete(key: bytes) -> None:
        await env.store.delete(partition, key)

    async def delete_branch(key: bytes) -> None:
        if sure and await env.store.find(partition, key) is None:
            raise BranchNotFound(repository.repository_id)
        await delete(key)

    try:
        async with env.parallel(cancel=False) as group:
            group.start(_delete_each, env, partition, keys.BRANCHES_PREFIX, batch_size, delete_branch)
            group.start(_delete_each, env, partition, keys.TAGS_PREFIX, batch_size, delete)
            group.start(_delete_each, env, partition, keys.COMMITS_PREFIX, batch_size, delete)
            group.start(delete, METADATA_KEY)
    except ExceptionGroup as raised:
        errors = _flat(raised)
        raise next((error for error in errors if isinstance(error, kv.OutcomeUnknown)), errors[0]) from None


async def _delete_each(
    env: Env, partition: bytes, prefix: bytes, batch_size: int, delete: Callable[[bytes], Coroutine[None, None, None]]
) -> None:
    """``deleteRepositoryBranches``, ``-Tags``, ``-Commits``. The iterator's error is not looked at when it ends: where
    a scan breaks after its first batch, the rest is left, and the delete goes on."""
    begun = False
    async with env.parallel(cancel=False) as group:
        try:
            async for entry in env.store.scan(partition, batch_size=batch_size, prefix=prefix):
                begun = True
                group.start(delete, entry.key)
        except kv.KVError:
            if not begun:
                raise


def _flat(error: BaseException) -> list[BaseException]:
    """The errors of a group and of the groups in it."""
    parts = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [one for part in parts for one in _flat(part)] if parts else [error]


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, uid_partition),
)
WITH_TOMBSTONES = bind_reading(FLOWS, tombstones=True)
"""The repair."""
AT_ONCE = bind_reading(FLOWS, parallel=True)
"""As upstream has it: the entities are deleted in parallel."""
AT_ONCE_WITH_TOMBSTONES = bind_reading(FLOWS, tombstones=True, parallel=True)

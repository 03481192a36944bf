"""What a new repository consists of, and how entries are read. Shared by all variants.

Every record says to which instance it belongs (a ghost that the flows do not read): the entry and the initial
commit by its ``instance_uid``, a branch by its staging token, a tag by the commit that it names.
"""

from collections.abc import AsyncIterator

import attrs

from lakeproof.impl.codec import decode_repository, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.errors import Conflict, NotUnique
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
)
from lakeproof.model.records import Branch, Commit, Repository, RepositoryState

DEFAULT_BRANCH = BranchID("main")


def new_repository(
    env: Env,
    repository_id: RepositoryID,
    now: int,
    state: RepositoryState = RepositoryState.ACTIVE,
    *,
    bare: bool = False,
) -> Repository:
    """A repository with a fresh unique identifier."""
    return Repository(
        repository_id=repository_id,
        storage_namespace=StorageNamespace(f"mem://{repository_id}"),
        default_branch_id=DEFAULT_BRANCH,
        creation_date=now,
        state=state,
        instance_uid=InstanceUID(env.ids.unique("instance")),
        bare=bare,
    )


def initial_commit(repository: Repository) -> Commit:
    """The first commit of a repository: empty, and without parents."""
    return Commit(
        # The instance in the id makes commits of two instances differ, so that invariants can tell them apart.
        commit_id=CommitID(f"c.{repository.instance_uid}"),
        committer="lakeproof",
        message="Repository created",
        creation_date=repository.creation_date,
        meta_range_id=MetaRangeID(""),
        metadata=(("instance", repository.instance_uid),),
    )


def new_branch(env: Env, repository: Repository, branch_id: BranchID, commit_id: CommitID) -> Branch:
    """A branch with a fresh staging token, which holds the repository's and the branch's name."""
    unique = env.ids.unique("staging token")
    # The instance in the token is for invariants; what makes it fresh is the last part.
    token = f"{repository.repository_id}-{branch_id}:{repository.instance_uid}.{unique}"
    return Branch(branch_id=branch_id, commit_id=commit_id, staging_token=StagingToken(token))


def default_branch(env: Env, repository: Repository) -> Branch:
    """The branch that a repository starts with."""
    return new_branch(env, repository, repository.default_branch_id, initial_commit(repository).commit_id)


async def read_entry(env: Env, repository_id: RepositoryID) -> tuple[Repository, bytes] | None:
    """The repository's entry and the predicate that replaces just this value; None if there is no entry."""
    found = await env.store.find(keys.GRAVELER, keys.repository_key(repository_id))
    return None if found is None else (decode_repository(found.value), found.predicate)


async def write_entry(env: Env, repository: Repository) -> None:
    """Write an entry whatever was there."""
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))


async def write_entry_if(env: Env, repository: Repository, predicate: kv.Predicate) -> None:
    """Write an entry if the predicate holds. Raises PredicateFailed."""
    key = keys.repository_key(repository.repository_id)
    await env.store.set_if(keys.GRAVELER, key, encode(repository), predicate)


async def set_state(env: Env, repository: Repository, state: RepositoryState, predicate: kv.Predicate) -> None:
    """Write an entry with another state: by ``set``, or with a predicate by ``set_if``. Raises Conflict."""
    changed = attrs.evolve(repository, state=state)
    # None is the plain write here, and not the predicate that demands absence: a state is never set where there is no
    # entry.
    if predicate is None:
        await write_entry(env, changed)
        return
    try:
        await write_entry_if(env, changed, predicate)
    except kv.PredicateFailed:
        raise Conflict(repository.repository_id) from None


async def claim(env: Env, repository: Repository) -> None:
    """Write the entry of a new repository where there is none. Raises NotUnique."""
    try:
        await write_entry_if(env, repository, None)
    except kv.PredicateFailed:
        raise NotUnique(repository.repository_id) from None


async def delete_entry(env: Env, repository_id: RepositoryID) -> None:
    """Remove an entry, whatever it says."""
    await env.store.delete(keys.GRAVELER, keys.repository_key(repository_id))


async def write_commit(env: Env, partition: bytes, commit: Commit) -> None:
    """Write a commit record."""
    await env.store.set(partition, keys.commit_key(commit.commit_id), encode(commit))


async def write_branch(env: Env, partition: bytes, branch: Branch) -> None:
    """Write a branch record."""
    await env.store.set(partition, keys.branch_key(branch.branch_id), encode(branch))


async def delete_all(env: Env, partition: bytes, batch_size: int) -> None:
    """Scan a partition and delete what the scan finds."""
    # What is written behind the position of the scan stays; only a variant that keeps a record looks again.
    async for entry in env.store.scan(partition, batch_size=batch_size):
        await env.store.delete(partition, entry.key)


async def scan_entries(env: Env, batch_size: int) -> AsyncIterator[Repository]:
    """All repository entries, in order of their ids."""
    async for entry in env.store.scan(keys.GRAVELER, keys.REPOSITORIES_PREFIX, batch_size):
        yield decode_repository(entry.value)

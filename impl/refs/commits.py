"""Commits: immutable, under the address of their content. Source: graveler-on-kv.md, "Commit"."""

from collections.abc import AsyncIterator, Sequence

from lakeproof.impl.codec import decode_commit, encode
from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.commits import with_content_id
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import CommitID, MetaRangeID
from lakeproof.model.records import Commit, Metadata, Repository


def new_commit(
    parents: Sequence[Commit],
    meta_range_id: MetaRangeID,
    *,
    committer: str,
    message: str,
    creation_date: int,
    metadata: Metadata = (),
) -> Commit:
    """A commit on these parents, first parent first, one generation above the highest of them."""
    # 0 is left for commits without a generation: those of an older lakeFS.
    generation = 1 + max((parent.generation for parent in parents), default=0)
    commit = Commit(
        commit_id=CommitID(""),  # part of what is hashed; replaced below
        committer=committer,
        message=message,
        creation_date=creation_date,
        meta_range_id=meta_range_id,
        metadata=tuple(sorted(metadata)),  # the codec demands it, and the id must not depend on the order given
        parents=tuple(parent.commit_id for parent in parents),
        generation=generation,
    )
    return with_content_id(commit)


async def add_commit(env: Env, repository: Repository, commit: Commit) -> CommitID:
    """Write a commit record. Idempotent: its id is its content. 1 effect."""
    # Whatever was there: two clients that write one id write the same bytes.
    await env.store.set(uid_partition(repository), keys.commit_key(commit.commit_id), encode(commit))
    return commit.commit_id


async def get_commit(env: Env, repository: Repository, commit_id: CommitID) -> Commit:
    """Read a commit. 1 effect. Raises CommitNotFound."""
    try:
        found = await env.store.get(uid_partition(repository), keys.commit_key(commit_id))
    except kv.NotFound:
        raise CommitNotFound(commit_id) from None
    return decode_commit(found.value)


async def committed_entry(env: Env, repository: Repository, commit_id: CommitID, path: bytes) -> Entry | None:
    """What a commit has at a path. 1 effect, and those of `committed.get_entry`. Raises CommitNotFound, too."""
    commit = await get_commit(env, repository, commit_id)
    return await get_committed(env, repository.storage_namespace, commit.meta_range_id, path)


async def first_parents(env: Env, repository: Repository, commit_id: CommitID) -> AsyncIterator[Commit]:
    """A commit and its first parents, newest first. 1 effect a commit. Raises CommitNotFound."""
    while True:
        commit = await get_commit(env, repository, commit_id)
        yield commit
        if not commit.parents:
            return
        commit_id = commit.parents[0]


async def log(env: Env, repository: Repository, ref: Ref, *, amount: int = 0) -> tuple[Commit, ...]:
    """The line of first parents that a ref leads to, newest first; ``amount`` of them at most (0: all).

    Raises RefNotFound, CommitNotFound.
    """
    found: list[Commit] = []
    async for commit in first_parents(env, repository, await resolve(env, repository, ref)):
        found.append(commit)
        if len(found) == amount:  # never with amount 0
            break
    return tuple(found)

"""Variant ``locked``: a lock per branch, or one for all, kept as a record in the store. "as a first step we can
implement it using a naive table lock, just to get it going, or better, a `branch-key` based locking, to prevent staging
during commits".

The holder of the lock may change the branch as it likes; a writer takes the lock for every entry. A crashed holder
keeps it, unless it is leased: a client that finds it older than the lease takes it over. A slow holder does not notice.
Source: graveler-on-kv.md, "Tables".
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import flows
from lakeproof.impl.graveler.commits import Request, drop_all, write_commit
from lakeproof.impl.graveler.tokens import countdown
from lakeproof.impl.refs.branches import next_token, read_branch, replace_branch
from lakeproof.impl.refs.errors import BranchLocked
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import stage, tombstone
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry

T = TypeVar("T")

SEPARATOR: Final = b"@"


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open of a lock, and how it is read."""

    lease: int = 0
    """Microseconds after which a lock may be taken over; 0: never."""
    tries: int | None = 3
    """How often to try to take it; None: without a bound, as in the text."""
    table: bool = False
    """One lock for all branches of a repository: "a naive table lock, just to get it going"."""


AS_WRITTEN: Final = Reading()
""""or better, a `branch-key` based locking"."""
TABLE: Final = Reading(table=True)


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    reading: Reading = AS_WRITTEN,
    batch_size: int = 0,
) -> Commit:
    """Commit what is staged on a branch, alone. 1 effect for the lock, 1 to read, those of `write_commit`, 1 to
    finish, 1 to unlock.

    Raises:
        BranchNotFound; BranchLocked after ``tries`` attempts: nothing was committed.
    """

    async def work(branch: Branch) -> Commit:
        request = Request(message=message, batch_size=batch_size)
        made = await write_commit(env, repository, branch.commit_id, branch.tokens, request)
        # A fresh token, though writers wait for the lock: a write in doubt may still arrive under the old one.
        token = next_token(env, branch)
        finished = attrs.evolve(branch, commit_id=made.commit_id, staging_token=token, sealed_tokens=())
        # No predicate on the value: the lock is taken to exclude other writers. EXISTS keeps a deleted branch deleted.
        await replace_branch(env, repository, finished, kv.EXISTS)
        await drop_all(env, branch.tokens, batch_size)
        return made

    return await _run_locked(env, repository, branch_id, work, reading)


async def set_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    data: bytes = b"",
    *,
    reading: Reading = AS_WRITTEN,
) -> None:
    """Write an entry of a branch while no other client commits. 4 effects. Raises BranchNotFound, BranchLocked."""
    change = StagedEntry(key=path, identity=identity, data=data)
    await _run_locked(env, repository, branch_id, lambda branch: stage(env, branch.staging_token, change), reading)


async def delete_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Delete an entry of a branch while no other client commits. 4 effects. Raises BranchNotFound, BranchLocked."""
    change = tombstone(path)
    await _run_locked(env, repository, branch_id, lambda branch: stage(env, branch.staging_token, change), reading)


async def _run_locked(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    work: Callable[[Branch], Awaitable[T]],
    reading: Reading,
) -> T:
    await _lock(env, repository, branch_id, reading)
    try:
        branch, _ = await read_branch(env, repository, branch_id)
        result = await work(branch)
    except Exception:
        # A holder that fails comes here; one that crashes never does. If this fails too, the lock stays.
        await _unlock(env, repository, lock_key(branch_id, reading))
        raise
    await _unlock(env, repository, lock_key(branch_id, reading))
    return result


async def _unlock(env: Env, repository: Repository, key: bytes) -> None:
    """Whichever client has the lock by now: there is no conditional delete."""
    await env.store.delete(uid_partition(repository), key)


def lock_key(branch_id: BranchID, reading: Reading = AS_WRITTEN) -> bytes:
    """In the partition of a repository: ``locks/<branch>``, or ``locks``. Not lakeFS'."""
    return b"locks" if reading.table else b"locks/" + keys.branch_key(branch_id).removeprefix(keys.BRANCHES_PREFIX)


async def _lock(env: Env, repository: Repository, branch_id: BranchID, reading: Reading) -> None:
    partition, key, lease = uid_partition(repository), lock_key(branch_id, reading), reading.lease
    # Without a lease the lock needs no owner: nothing compares it.
    owner = env.ids.unique("lock").encode() if lease else b"locked"
    for _ in countdown(reading.tries):
        try:
            await env.store.set_if(partition, key, await _mark(env, owner, lease), None)
        except kv.PredicateFailed:
            if lease and await _take_over(env, partition, key, owner, lease):
                # The record names this owner now, as if the lock had been free.
                return
            continue
        return
    raise BranchLocked(branch_id)


async def _mark(env: Env, owner: bytes, lease: int) -> bytes:
    """Who holds the lock, and if it is leased, until when."""
    # On the clock of this client; another one compares it with its own.
    return owner + SEPARATOR + str(await env.clock.now() + lease).encode() if lease else owner


async def _take_over(env: Env, partition: bytes, key: bytes, owner: bytes, lease: int) -> bool:
    try:
        held = await env.store.get(partition, key)
    except kv.NotFound:
        return False  # unlocked meanwhile: the next try may find it free
    _, leased, until = held.value.rpartition(SEPARATOR)
    # A lock without a lease is never taken over.
    if not leased or await env.clock.now() < int(until):
        return False
    try:
        # Of two clients that take it over, one fails here.
        await env.store.set_if(partition, key, await _mark(env, owner, lease), held.predicate)
    except kv.PredicateFailed:
        return False
    return True


FLOWS = attrs.evolve(flows.FLOWS, commit=commit, set_entry=set_entry, delete_entry=delete_entry)

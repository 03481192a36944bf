"""Variant ``locked``: a lock per branch, or one for all, kept as a record in the store. "as a first step we can
implement it using a naive table lock, just to get it going, or better, a `branch-key` based locking, to prevent staging
during commits".

The holder of the lock may change the branch as it likes: all that stage something or change its record take the lock. A
crashed holder keeps it, unless it is leased: a client that finds it older than the lease takes it over. A slow holder
does not notice.
Source: graveler-on-kv.md, "Tables".
"""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Final, TypeVar

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.graveler import flows, merges, resets, writes
from lakeproof.impl.graveler.commits import drop_all, write_commit
from lakeproof.impl.graveler.tokens import countdown
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.branches import get_branch, next_token, replace_branch
from lakeproof.impl.refs.errors import BranchLocked
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Commit, Repository

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

    async def work() -> Commit:
        branch = await get_branch(env, repository, branch_id)
        made = await write_commit(env, repository, branch.commit_id, branch.tokens, message, batch_size=batch_size)
        # A fresh token, though writers wait for the lock: a write in doubt may still arrive under the old one.
        token = next_token(env, branch)
        finished = attrs.evolve(branch, commit_id=made.commit_id, staging_token=token, sealed_tokens=())
        # No predicate on the value: the lock is taken to exclude other writers. EXISTS keeps a deleted branch deleted.
        await replace_branch(env, repository, finished, kv.EXISTS)
        await drop_all(env, branch.tokens, batch_size)
        return made

    return await _run_locked(env, repository, branch_id, work, reading)


def _locking(flow: Flow, **options: Hashable) -> Flow:
    """The flow while no other client commits. 2 effects more. Raises BranchLocked, too."""

    async def locking(
        env: Env,
        repository: Repository,
        branch_id: BranchID,
        *arguments: object,
        reading: Reading = AS_WRITTEN,
        **given: object,
    ) -> object:
        work = partial(flow, env, repository, branch_id, *arguments, **options, **given)
        return await _run_locked(env, repository, branch_id, work, reading)

    locking.__name__ = flow.__name__  # by which specifications know the call
    return locking


# Under the lock the token cannot change, so the branch need not be read again.
set_entry: Final = _locking(writes.set_entry, reading=writes.SINGLE_READ)


async def _run_locked(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    work: Callable[[], Awaitable[T]],
    reading: Reading,
) -> T:
    await _lock(env, repository, branch_id, reading)
    try:
        result = await work()
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


FLOWS = attrs.evolve(
    flows.FLOWS,
    commit=commit,
    set_entry=set_entry,
    set_entries=_locking(writes.set_entries, reading=writes.SINGLE_READ),
    delete_entry=_locking(writes.delete_entry, reading=writes.SINGLE_READ),
    create_entry=_locking(writes.create_entry),
    replace_entry=_locking(writes.replace_entry),
    reset_branch=_locking(resets.reset_branch),
    reset_entry=_locking(resets.reset_entry),
    reset_prefix=_locking(resets.reset_prefix),
    create_branch=_locking(branches.create_branch),
    delete_branch=_locking(branches.delete_branch),
    merge=_locking(merges.merge),
    revert=_locking(merges.revert),
)

"""Variant ``hardened``: our repair. It holds every repository invariant with the five operations of the store.

Four rules carry it:

1. *The entry is never deleted.* A deleted repository leaves a tombstone (state ``DELETED``), and its id is free.
   Every change of the entry is one ``set_if`` on exactly the value that was read, and no value is ever written
   twice: each names its instance, and an instance only moves ``INITIAL -> ACTIVE -> DELETED`` or
   ``INITIAL -> DELETED``. So a predicate that has failed once fails for ever, however late a write arrives, and
   an entry never returns to an instance that it has left.
2. *Nothing is written into a partition before its name is on record.* Create first claims the id (``INITIAL``), then
   notes the instance in ``graveler_deleted``, and only then writes commit and branch.
3. *A record is a name, not an order.* The cleaner empties a partition only when the entry says that its instance is
   dead: tombstone, or another instance. By rule 1 it can then never live again. Until create has claimed the id
   there is no record, so there is nothing that could be cleaned under its hands.
4. *Records stay.* A writer may be arbitrarily late, and put an entity into a partition that has been emptied
   already; the record lets the next run find it. The price is one small record for each instance that ever was, and
   one tombstone for each id. With ``delete_if`` it could not be had for less: no operation on one key can know of a
   write to another one that is still on its way.

"PredicateFailed" may be a lie (the write was applied and the client library tried again), so it is always
followed by a read: the unique identifier tells a writer its own work. From then on, whatever keeps the flow from
reading is reported as ``OutcomeUnknown``: a definite error would claim that nothing has happened.

What it does not give: a claim blocks its id for two minutes (or until it is deleted), and a creator that is
slower than that, or whose clock is that far behind the others', loses its claim, gets an error, and tries again. Two
deletes that race may both succeed: both have seen the repository, and afterwards it is gone.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import attrs

from lakeproof.impl.codec import decode_cleanup_record, encode
from lakeproof.impl.committed.errors import CommittedError
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.errors import CreationOutrun, NotUnique, RepositoryNotFound
from lakeproof.impl.repositories.records import (
    default_branch,
    delete_all,
    initial_commit,
    new_repository,
    read_entry,
    write_branch,
    write_commit,
    write_entry_if,
)
from lakeproof.impl.repositories.step1 import list_repositories as list_repositories
from lakeproof.impl.repositories.step2 import INITIAL_TIMEOUT
from lakeproof.model import keys, kv, objects
from lakeproof.model.identifiers import InstanceUID, RepositoryID
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState

DELETE_TRIES: Final = 4
"""How often a delete looks: an instance changes its state at most twice under it, and one answer may be lost."""


async def get_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """The repository, if it is active. 1 effect. Raises RepositoryNotFound."""
    found = await read_entry(env, repository_id)
    if found is None or found[0].state is not RepositoryState.ACTIVE:
        raise RepositoryNotFound(repository_id)
    return found[0]


async def create_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """Claim, note the instance, write the entities, activate. 6 effects; 7 or 8 where a predicate fails.

    Raises:
        NotUnique: the id is taken, or another client has just claimed it. Nothing was created.
        CreationOutrun: the claim was deleted, or declared failed, before it could be confirmed (indefinite).
        OutcomeUnknown: an answer was lost. If it was not the last one, the repository will never be accessible.
    """
    return await _create(env, repository_id, bare=False)


async def create_bare_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """As `create_repository`, without commit and branch. Its partition must be on record all the same: references
    are restored into it."""
    return await _create(env, repository_id, bare=True)


async def _create(env: Env, repository_id: RepositoryID, *, bare: bool) -> Repository:
    # Before the entry is read, so the age of a claim is never overestimated by a slow read.
    now = await env.clock.now()
    found = await read_entry(env, repository_id)
    if found is not None and not _is_free(found[0], now):
        raise NotUnique(repository_id)
    claim = new_repository(env, repository_id, now, RepositoryState.INITIAL, bare=bare)
    current = await _replace(env, claim, None if found is None else found[1])
    # A predicate that failed for good: another client has the id.
    if current is None or current.instance_uid != claim.instance_uid:
        raise NotUnique(repository_id)
    # This claim, but changed since: it was deleted, or declared failed.
    if current != claim:
        raise CreationOutrun(repository_id)
    # Before the first entity: after a crash the cleaner finds whatever may have been written.
    record = CleanupRecord(repository_id=repository_id, instance_uid=claim.instance_uid)
    await env.store.set(keys.DELETED, keys.cleanup_key(repository_id, claim.instance_uid), encode(record))
    if not bare:
        await write_commit(env, uid_partition(claim), initial_commit(claim))
        await write_branch(env, uid_partition(claim), default_branch(env, claim))
    repository = attrs.evolve(claim, state=RepositoryState.ACTIVE)
    # The predicate is the claim by value, which is written once only. So activation fails for ever once the claim is
    # gone.
    if await _replace(env, repository, encode(claim)) != repository:
        raise CreationOutrun(repository_id)
    return repository


def _is_free(entry: Repository, now: int) -> bool:
    """Whether a create may replace an entry: a tombstone, or a claim that is unconfirmed for two minutes."""
    # By the clock of the creator and that of the reader: one that is two minutes ahead takes a claim at once.
    abandoned = entry.state is RepositoryState.INITIAL and now - entry.creation_date >= INITIAL_TIMEOUT
    return entry.state is RepositoryState.DELETED or abandoned


async def _replace(env: Env, repository: Repository, predicate: kv.Predicate) -> Repository | None:
    """Write an entry if the predicate holds. Returns what is there afterwards: a failed predicate is looked into."""
    try:
        await write_entry_if(env, repository, predicate)
    except kv.PredicateFailed:
        found = await _look(env, repository.repository_id, in_doubt=True)
        return None if found is None else found[0]
    return repository


async def _look(env: Env, repository_id: RepositoryID, *, in_doubt: bool) -> tuple[Repository, bytes] | None:
    """`read_entry`; ``in_doubt``, whether a write of ours may have taken place, makes its errors indefinite."""
    try:
        return await read_entry(env, repository_id)
    except kv.KVError as error:
        if in_doubt:
            raise kv.OutcomeUnknown from error
        raise


async def delete_repository(env: Env, repository_id: RepositoryID, *, instance_uid: InstanceUID | None = None) -> None:
    """Turn the entry into a tombstone. 2 effects, and 2 more for each change or lost answer that it meets.

    The entities are the cleaner's. A claim is deleted like a repository: its creator will find out. A client that
    retries a delete names the instance that it meant, so that it cannot hit the next one.

    Raises:
        RepositoryNotFound: there is no entry, or a tombstone, or another instance than the one named.
        OutcomeUnknown: a try was not answered, and what followed failed; or every one met another change. It may have
            been deleted.
    """
    target, tried = instance_uid, False
    for _ in range(DELETE_TRIES):
        found = await _look(env, repository_id, in_doubt=tried)
        if found is None:
            raise RepositoryNotFound(repository_id)
        entry, predicate = found
        # Without a name the first instance that is found is the target, and stays it.
        if entry.state is RepositoryState.DELETED or entry.instance_uid != (target or entry.instance_uid):
            if tried:
                return  # our target is gone, by this call or another one
            raise RepositoryNotFound(repository_id)
        target = entry.instance_uid
        try:
            await write_entry_if(env, attrs.evolve(entry, state=RepositoryState.DELETED), predicate)
        # In doubt, too: the next read shows the tombstone, if the write was applied.
        except (kv.PredicateFailed, kv.OutcomeUnknown):
            tried = True
        except kv.KVError as error:
            if tried:  # what an earlier try has written may arrive yet
                raise kv.OutcomeUnknown from error
            raise
        else:
            return
    raise kv.OutcomeUnknown


async def clean(env: Env, *, batch_size: int = 0) -> int:
    """Empty the partitions of dead instances. Returns how many it went through. Records are kept (rule 4).

    A claim that is older than two minutes is declared failed first. A failure skips the instance.
    """

    async def empty(record: CleanupRecord) -> None:
        await delete_all(env, keys.repository_partition(record.repository_id, record.instance_uid), batch_size)

    return await clean_each(env, empty, batch_size)


async def clean_each(env: Env, empty: Callable[[CleanupRecord], Awaitable[None]], batch_size: int) -> int:
    """`clean`, where to empty an instance is more than to delete its records. An object store that fails, and committed
    data that is missing or damaged, skip the instance, too."""
    cleaned = 0
    async for entry in env.store.scan(keys.DELETED, batch_size=batch_size):
        record = decode_cleanup_record(entry.value)
        try:
            if await is_dead(env, record):
                await empty(record)
                cleaned += 1
        except (kv.KVError, objects.ObjectError, CommittedError):
            continue
    return cleaned


async def is_dead(env: Env, record: CleanupRecord) -> bool:
    """Whether an instance can never be accessible again (rules 1 and 3)."""
    found = await read_entry(env, record.repository_id)
    if found is None or found[0].instance_uid != record.instance_uid:
        return True  # an instance that has left its entry never comes back
    entry, predicate = found
    if entry.state is RepositoryState.INITIAL and _is_free(entry, await env.clock.now()):
        # First by the entry: the creator can then not activate it any more. A failed predicate is a KVError, and skips
        # it.
        await write_entry_if(env, attrs.evolve(entry, state=RepositoryState.DELETED), predicate)
        return True
    return entry.state is RepositoryState.DELETED


FLOWS = RepositoryFlows(
    create_repository=create_repository,
    create_bare_repository=create_bare_repository,
    delete_repository=delete_repository,
    get_repository=get_repository,
    list_repositories=list_repositories,
    **entity_flows(get_repository, uid_partition, doubts=True),
    clean=clean,
)

"""Proposal 3: the staging manager tracks the physical addresses of staged objects and the tokens that refer to them.

Each reference has a state; a background job deletes an object when all of its references have been ``deleted`` for long
enough, and forgets the references of one that is ``committed``. As the text says it; where it is silent, a parameter.
Source: hard-delete-uncommitted-data.md, "3. Tracking references in staging manager".
"""

from typing import Final

from lakeproof.impl.catalog.errors import GrantExpired, ObjectBusy
from lakeproof.impl.catalog.objects import (
    Grant,
    at,
    change,
    check_grant,
    entry_at,
    find_object,
    new_address,
    owned,
    put_data,
)
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler.committing import drop_all
from lakeproof.impl.graveler.lock_free import nothing_before
from lakeproof.impl.graveler.resetting import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete._reference_states import Keyed, State, forget, mark, references
from lakeproof.impl.hard_delete._tokens import COMMIT_TRIES, Staged, commit_tokens, stage_referred
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, remove_branch
from lakeproof.impl.staging import changes_under, get_staged, tombstone, unstage
from lakeproof.model.catalog import ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Commit, Repository, StagedEntry

WAITS: Final = 3_600_000_000
"""Microseconds: the TBD of the text, how long a reference must have been ``deleted``."""
VALIDITY: Final = 1_800_000_000
"""Microseconds for which an issued address may be linked."""
DELETION_ORDER: Final = (State.DELETED, State.STAGED, State.COMMITTED)


async def upload_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    follows: bool = True,
    exchanges: bool = False,
) -> ObjectEntry:
    """1. Write the object; 2. its reference; 3. its entry; 4. mark the reference of the entry that was there deleted.

    follows: when the branch's token changes and the entry is staged again, write a reference for the new token, too.
    exchanges: replace the entry by `SetIf`, so that what was there is known for sure.

    Raises BranchNotFound: the object is left behind; ObjectBusy, WriteNotSettled (indefinite).
    """
    entry = await put_data(env, repository, content)
    staged = await _stage(env, repository, branch_id, path, entry, follows=follows, looks=True, exchanges=exchanges)
    if staged.before is not None and staged.before.address != entry.address:
        await _mark_deleted(env, repository, staged.before, staged.token)
    return entry


async def stage_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    follows: bool = True,
) -> ObjectEntry:
    """Stage an entry for an object that is there already, with a reference if it lies in the namespace."""
    entry = entry_at(repository, address, content)
    await _stage(env, repository, branch_id, path, entry, follows=follows)
    return entry


async def get_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, validity: int = VALIDITY
) -> Grant:
    """Issue an address until now + ``validity`` (microseconds), with a reference that is ``deleted``. 3 effects."""
    address = f"{repository.storage_namespace}/{new_address(env)}"
    branch = await get_branch(env, repository, branch_id)
    await mark(env, repository, address, branch.staging_token, State.DELETED)
    return Grant(address, expires=await env.clock.now() + validity)


async def link_physical_address(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    grant: Grant,
    content: bytes,
    *,
    follows: bool = True,
) -> ObjectEntry:
    """Look whether the grant has expired; set the reference staged; stage the entry.

    Raises AddressNotAllowed, GrantExpired; and as `stage_object`.
    """
    check_grant(repository, grant)
    if await env.clock.now() > grant.expires:
        raise GrantExpired(grant.address)
    return await stage_object(env, repository, branch_id, path, grant.address, content, follows=follows)


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    follows: bool = True,
) -> ObjectEntry:
    """A second entry for the same object, staged as `stage_object` does. Raises PathNotFound, BranchNotFound,
    BranchBusy, ObjectBusy; WriteNotSettled (indefinite)."""
    found = await find_object(env, repository, source_branch_id, source_path)
    await _stage(env, repository, branch_id, path, found, follows=follows)
    return found


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *, first: bool = False
) -> ObjectEntry:
    """`copy_object`, then `delete_object` of the old entry. Errors of both."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path)
    await delete_object(env, repository, branch_id, source_path, first=first)
    return found


async def delete_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, first: bool = False, creates: bool = False
) -> None:
    """Stage a tombstone; if an object was staged there under the branch's token, mark its reference deleted.

    first: mark the reference before the tombstone is staged.
    creates: mark also a reference that is not there.

    Raises PathNotFound, BranchNotFound, BranchBusy; WriteNotSettled (indefinite).
    """
    await find_object(env, repository, branch_id, path)
    if not first:
        staged = await stage_referred(env, repository, branch_id, tombstone(path), looks=True)
        if staged.before is not None:
            await _mark_deleted(env, repository, staged.before, staged.token, creates=creates)
        return

    async def refer(token: StagingToken, again: bool) -> None:
        staged = await get_staged(env, token, path)
        if staged is not None and staged[0].data is not None:
            await _mark_deleted(env, repository, decode_object_entry(staged[0].data), token, creates=creates)

    await stage_referred(env, repository, branch_id, tombstone(path), refer)


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    marks: str = "unsealed",
    drops: bool = True,
    tries: int = COMMIT_TRIES,
    batch_size: int = 0,
) -> Commit:
    """1. Mark all entries in the staging area committed; 2. swap the token; 3. create the commit; 4. update the branch.

    marks: when to mark: ``"unsealed"`` entries, as written; the ``"sealed"`` ones, after the swap; or those that are
        ``"committed"``, after the branch was updated.

    Raises BranchNotFound, BranchBusy: nothing was committed.
    """

    async def marking(under: Tokens) -> None:
        for token in under:
            for each in await changes_under(env, token, batch_size):
                await _mark_committed(env, repository, each, token)

    if marks == "unsealed":
        await marking((await get_branch(env, repository, branch_id)).tokens)
    before = marking if marks == "sealed" else nothing_before
    taken = await commit_tokens(env, repository, branch_id, message, before=before, tries=tries, batch_size=batch_size)
    if marks == "committed":
        await marking(taken.tokens)
    if drops:
        await drop_all(env, taken.tokens, batch_size)
    return taken.commit


async def reset_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    tombstones: str = "keep",
    creates: bool = False,
    batch_size: int = 0,
) -> None:
    """Swap the token; then, entry by entry, what the asynchronous drop does.

    tombstones: what to do for a tombstone: the text removes "the entry reference key", and a tombstone holds no
        address. ``"keep"`` does nothing; ``"remove"`` looks for the keys that this token has left ``deleted``.
    creates: mark also references that are not there.

    Raises BranchNotFound, BranchBusy: nothing was reset.
    """
    dropped = await forget_tokens(env, repository, branch_id)
    await _drop(env, repository, dropped, tombstones=tombstones, creates=creates, batch_size=batch_size)


async def delete_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    tombstones: str = "keep",
    creates: bool = False,
    tombstone: bool = False,
    batch_size: int = 0,
) -> None:
    """Delete the record; then the drop of `reset_branch`.

    tombstone: ours. Delete the record by replacing it, so that its tokens are known.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``tombstone``.
    """
    dropped = await remove_branch(env, repository, branch_id, tombstone=tombstone)
    await _drop(env, repository, dropped, tombstones=tombstones, creates=creates, batch_size=batch_size)


async def background_job(
    env: Env,
    repository: Repository,
    *,
    waits: int = WAITS,
    oldest: bool = True,
    order: tuple[State, ...] = DELETION_ORDER,
    rereads: bool = False,
    keys_first: bool = False,
    keeps_committed: bool = False,
    batch_size: int = 0,
) -> int:
    """Scan the references; for each object: found ``committed``, delete its keys by state; all of them ``deleted``, and
    the oldest for longer than ``waits`` (microseconds), hard-delete it and then its keys. How many were hard-deleted.

    oldest: judge by the oldest ``last_modified``; else by the newest.
    order: in which keys are deleted, by their state.
    rereads: read the references of an object again before it is hard-deleted.
    keys_first: delete the keys before the object.
    keeps_committed: ours. Never delete a ``committed`` key.
    """
    deleted = 0
    async for scanned in references(env, repository, batch_size=batch_size):
        found = scanned
        if any(each.reference.state is State.COMMITTED for each in found):
            kept = (State.COMMITTED,) if keeps_committed else ()
            await _forget_all(env, repository, found, tuple(state for state in order if state not in kept))
            continue
        if not _all_deleted(found) or not _waited(found, await env.clock.now(), waits, oldest=oldest):
            continue
        if rereads:
            found = tuple([each async for again in references(env, repository, found[0].address) for each in again])
            if not _all_deleted(found) or not _waited(found, await env.clock.now(), waits, oldest=oldest):
                continue
        if keys_first:
            await _forget_all(env, repository, found, order)
        await env.objects.delete(found[0].address)
        deleted += 1
        if not keys_first:
            await _forget_all(env, repository, found, order)
    return deleted


def _all_deleted(found: tuple[Keyed, ...]) -> bool:
    return bool(found) and all(each.reference.state is State.DELETED for each in found)


def _waited(found: tuple[Keyed, ...], now: int, waits: int, *, oldest: bool) -> bool:
    times = [each.reference.last_modified for each in found]
    return (min(times) if oldest else max(times)) < now - waits


async def _forget_all(env: Env, repository: Repository, found: tuple[Keyed, ...], order: tuple[State, ...]) -> None:
    """Delete keys by state, in this order; those of other states stay."""
    for each in [each for state in order for each in found if each.reference.state is state]:
        await forget(env, repository, each.address, each.token)


async def _stage(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    entry: ObjectEntry,
    *,
    follows: bool,
    looks: bool = False,
    exchanges: bool = False,
) -> Staged:
    """Stage an entry, after its reference if the object is lakeFS' own."""

    async def refer(token: StagingToken, first: bool) -> None:
        if owned(repository, entry) and (first or follows):
            await mark(env, repository, at(repository, entry), token, State.STAGED)

    return await stage_referred(
        env, repository, branch_id, change(path, entry), refer, looks=looks, exchanges=exchanges
    )


async def _mark_deleted(
    env: Env, repository: Repository, entry: ObjectEntry, token: StagingToken, *, creates: bool = False
) -> None:
    """Whoever comes between as often as `mark` tries leaves the reference as it is: the entry is gone already."""
    if owned(repository, entry):
        try:
            await mark(env, repository, at(repository, entry), token, State.DELETED, creates=creates)
        except ObjectBusy:
            return


async def _mark_committed(env: Env, repository: Repository, staged: StagedEntry, token: StagingToken) -> None:
    if staged.data is not None:
        entry = decode_object_entry(staged.data)
        if owned(repository, entry):
            await mark(env, repository, at(repository, entry), token, State.COMMITTED)


async def _drop(
    env: Env, repository: Repository, dropped: Tokens, *, tombstones: str, creates: bool, batch_size: int
) -> None:
    for token in dropped:
        for each in await changes_under(env, token, batch_size):
            if each.data is not None:
                await _mark_deleted(env, repository, decode_object_entry(each.data), token, creates=creates)
            elif tombstones == "remove":
                await _forget_deleted(env, repository, token)
            await unstage(env, token, each.key)


async def _forget_deleted(env: Env, repository: Repository, token: StagingToken) -> None:
    async for found in references(env, repository):
        for each in found:
            if each.token == token and each.reference.state is State.DELETED:
                await forget(env, repository, each.address, token)


FLOWS = ObjectFlows(
    upload_object=upload_object,
    stage_object=stage_object,
    get_physical_address=get_physical_address,
    link_physical_address=link_physical_address,
    copy_object=copy_object,
    move_object=move_object,
    delete_object=delete_object,
    read_object=read_object,
    commit=commit,
    reset_branch=reset_branch,
    delete_branch=delete_branch,
    create_branch=create_branch,
    background_job=background_job,
)

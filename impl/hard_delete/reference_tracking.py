"""Proposal 3: the staging manager tracks the physical addresses of staged objects and the tokens that refer to them.

Each reference has a state; a background job deletes an object when all of its references have been ``deleted`` for long
enough, and forgets the references of one that is ``committed``. As the text says it; where it is silent, a `Reading`.
Source: hard-delete-uncommitted-data.md, "3. Tracking references in staging manager".

Example: two uploads to x on b, whose token is t, then a commit; the job runs two hours later. In the partition of the
repository, ``references/<object>/t`` says::

                       of s                       of a
    upload of s        staged
    upload of a        deleted, since 00:00       staged
    commit             deleted, since 00:00       committed
    job, at 02:00      key and object deleted     key deleted: the object is left to the commit
"""

from contextlib import suppress
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects
from lakeproof.impl.catalog.errors import GrantExpired, ObjectBusy
from lakeproof.impl.catalog.objects import Grant, at, change, entry_of, is_owned
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler.commits import drop_all
from lakeproof.impl.graveler.lock_free import nothing_before
from lakeproof.impl.graveler.resets import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete._reference_states import Keyed, ReferenceState, forget, mark, references
from lakeproof.impl.hard_delete._tokens import Refer, commit_tokens, stage_referred
from lakeproof.impl.refs.branches import create_branch, get_branch, remove_branch
from lakeproof.impl.staging import changes_under, get_staged, tombstone, unstage
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Commit, Repository

WAITS: Final = 3_600_000_000
"""Microseconds: the TBD of the text, how long a reference must have been ``deleted``."""
VALIDITY: Final = 1_800_000_000
"""Microseconds for which an issued address may be linked."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read. The defaults are the literal sentences; a named value rests on the
    sentences of the fields that it sets."""

    follows: bool = True
    """When the branch's token changes and an entry is staged again, write a reference for the new token, too: "the
    staging tokens referencing them"."""
    exchanges: bool = False
    """An upload replaces the entry by `SetIf`, so that what was there is known for sure: "If entry exists in current
    staging token"."""
    marks_first: bool = False
    """A delete marks the reference before its tombstone is staged. Silent."""
    creates: bool = False
    """Deletes, resets and deletions of branches mark a reference that is not there, too: "modify reference state"."""
    commit_marks: Literal["unsealed", "sealed", "committed"] = "unsealed"
    """What a commit marks: ``"unsealed"`` entries, before the swap: "1. Mark all entries [...] 2. Swap staging token";
    the ``"sealed"`` ones, after it; or those that are ``"committed"``, after the branch was updated."""
    tombstones: Literal["keep", "remove"] = "keep"
    """What a drop does for a tombstone: "remove entry reference key", and a tombstone holds no address. ``"keep"`` does
    nothing; ``"remove"`` looks for the keys that the token has left ``deleted``."""
    by_tombstone: bool = False
    """Ours. A branch is deleted by replacing its record, so that its tokens are known."""
    oldest: bool = True
    """The job judges by the oldest ``last_modified``, "min(`last_modified`)"; else by the newest."""
    order: tuple[ReferenceState, ...] = (ReferenceState.DELETED, ReferenceState.STAGED, ReferenceState.COMMITTED)
    """In which the job deletes keys, by their state; those of other states stay: "by order of state: deleted -> staged
    -> committed"."""
    rereads: bool = False
    """The job reads the references of an object again before it is hard-deleted: "read all entries of it", once."""
    keys_first: bool = False
    """The job deletes the keys before the object: "1. Hard-delete object 2. Delete all keys"."""


# fmt: off
AS_WRITTEN: Final = Reading()
FIRST_TOKEN: Final = Reading(follows=False)
EXCHANGES: Final = Reading(exchanges=True)
DELETE_MARKS_FIRST: Final = Reading(marks_first=True)
MARKS_CREATE: Final = Reading(creates=True)
COMMIT_MARKS_SEALED: Final = Reading(commit_marks="sealed")
COMMIT_MARKS_LAST: Final = Reading(commit_marks="committed")
TOMBSTONES_REMOVE: Final = Reading(tombstones="remove")
BRANCH_TOMBSTONES: Final = Reading(by_tombstone=True)
NEWEST: Final = Reading(oldest=False)
COMMITTED_FIRST: Final = Reading(order=(ReferenceState.COMMITTED, ReferenceState.STAGED, ReferenceState.DELETED))
"""A control: against "by order of state"."""
KEEPS_COMMITTED: Final = Reading(order=(ReferenceState.DELETED, ReferenceState.STAGED))
"""Ours. Keys that say ``committed`` stay for good."""
JOB_REREADS: Final = Reading(rereads=True)
KEYS_FIRST: Final = Reading(keys_first=True)
"""A control: against "1. Hard-delete object 2. Delete all keys"."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """1. Write the object; 2. its reference; 3. its entry; 4. mark the reference of the entry that was there deleted.
    Raises BranchNotFound: the object is left behind; ObjectBusy, WriteNotSettled (indefinite)."""
    entry = await objects.put_data(env, repository, content)
    refer, exchanges = _refer(env, repository, entry, reading), reading.exchanges
    new = change(path, entry)
    staged = await stage_referred(env, repository, branch_id, new, refer, looks=True, exchanges=exchanges)
    # The call's own entry, found again at a later try, was not replaced.
    if staged.before is not None and staged.before.address != entry.address:
        # Under this token only; where the reference has another one, no key is made.
        await _mark(env, repository, staged.before, staged.token, ReferenceState.DELETED, creates=False)
    return entry


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an entry for an object that is there already, with a reference if it lies in the namespace."""
    entry = objects.entry_at(repository, address, content)
    await stage_referred(env, repository, branch_id, change(path, entry), _refer(env, repository, entry, reading))
    return entry


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address until now + `VALIDITY`, with a reference that is ``deleted``. 3 effects, and 2 for the clock."""
    address = f"{repository.storage_namespace}/{objects.new_address(env)}"
    branch = await get_branch(env, repository, branch_id)
    # Deleted from the start: if the user never links it, the job finds the object when its time has come.
    await mark(env, repository, address, branch.staging_token, ReferenceState.DELETED)
    return Grant(address, expires=await env.clock.now() + VALIDITY)


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Look whether the grant has expired; set the reference staged; stage the entry.
    Raises AddressNotAllowed, GrantExpired; and as `stage_object`."""
    objects.check_grant(repository, grant)
    if await env.clock.now() > grant.expires:
        raise GrantExpired(grant.address)
    return await stage_object(env, repository, branch_id, path, grant.address, content, reading=reading)


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """A second entry for the same object, staged as `stage_object` does. Raises PathNotFound, BranchNotFound,
    BranchBusy, ObjectBusy; WriteNotSettled (indefinite)."""
    found = await objects.find_object(env, repository, source_branch_id, source_path)
    await stage_referred(env, repository, branch_id, change(path, found), _refer(env, repository, found, reading))
    return found


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """`copy_object`, then `delete_object` of the old entry, unless it is gone since. Errors of both."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
    await objects.unless_gone(delete_object(env, repository, branch_id, source_path, reading=reading))
    return found


async def delete_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Stage a tombstone; if an object was staged there under the branch's token, mark its reference deleted.
    Raises PathNotFound, BranchNotFound, BranchBusy; WriteNotSettled (indefinite)."""

    async def mark_staged(token: StagingToken, first: bool) -> None:
        if (found := await get_staged(env, token, path)) is not None:
            await _mark(env, repository, entry_of(found[0]), token, ReferenceState.DELETED, creates=reading.creates)

    await objects.find_object(env, repository, branch_id, path)
    if reading.marks_first:
        await stage_referred(env, repository, branch_id, tombstone(path), mark_staged)
    else:
        # What the tombstone replaces is read under the token at each try.
        staged = await stage_referred(env, repository, branch_id, tombstone(path), looks=True)
        await _mark(env, repository, staged.before, staged.token, ReferenceState.DELETED, creates=reading.creates)


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> Commit:
    """1. Mark all entries in the staging area committed; 2. swap the token; 3. create the commit; 4. update the branch.
    Raises BranchNotFound, BranchBusy: nothing was committed."""

    async def marking(under: Tokens) -> None:
        for token in under:
            # Gathered first, so that the marks follow one complete listing of the token.
            for each in await changes_under(env, token, batch_size):
                await _mark(env, repository, entry_of(each), token, ReferenceState.COMMITTED, creates=True)

    if reading.commit_marks == "unsealed":
        await marking((await get_branch(env, repository, branch_id)).tokens)
    before = marking if reading.commit_marks == "sealed" else nothing_before
    taken = await commit_tokens(env, repository, branch_id, message, before=before, batch_size=batch_size)
    if reading.commit_marks == "committed":
        await marking(taken.tokens)
    await drop_all(env, taken.tokens, batch_size)
    return taken.commit


async def reset_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Swap the token; then, entry by entry, what the asynchronous drop does.
    Raises BranchNotFound, BranchBusy: nothing was reset."""
    await _drop(env, repository, await forget_tokens(env, repository, branch_id), reading, batch_size)


async def delete_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Delete the record; then the drop of `reset_branch`. Raises BranchNotFound, DefaultBranch; RefChanged, if
    `Reading.by_tombstone`."""
    dropped = await remove_branch(env, repository, branch_id, tombstone=reading.by_tombstone)
    await _drop(env, repository, dropped, reading, batch_size)


async def background_job(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> int:
    """Scan the references; for each object: found ``committed``, delete its keys by state; all of them ``deleted``, and
    the oldest for longer than `WAITS`, hard-delete it and then its keys. How many were hard-deleted.
    """
    deleted = 0
    async for found in references(env, repository, batch_size=batch_size):
        # One committed reference is enough: the commit keeps the object, whatever the other references say.
        if any(each.reference.state is ReferenceState.COMMITTED for each in found):
            await _forget_all(env, repository, found, reading)
            continue
        if not await _is_due(env, found, reading):
            continue
        if reading.rereads:
            # The references may have been changed since the scan has passed them, or new ones have come behind it.
            found = tuple([each async for again in references(env, repository, found[0].address) for each in again])
            if not await _is_due(env, found, reading):
                continue
        if reading.keys_first:
            await _forget_all(env, repository, found, reading)
        # A reference that comes now belongs to an entry without an object.
        await env.objects.delete(found[0].address)
        deleted += 1
        if not reading.keys_first:
            await _forget_all(env, repository, found, reading)
    return deleted


async def _is_due(env: Env, found: tuple[Keyed, ...], reading: Reading) -> bool:
    """Whether all references are deleted, and have been for long enough."""
    if not found or any(each.reference.state is not ReferenceState.DELETED for each in found):
        return False
    times = [each.reference.last_modified for each in found]
    # The oldest, to the letter: one old reference makes the object due, though another was deleted just now.
    return (min(times) if reading.oldest else max(times)) < await env.clock.now() - WAITS


async def _forget_all(env: Env, repository: Repository, found: tuple[Keyed, ...], reading: Reading) -> None:
    # With ``committed`` last: a job that crashes in between leaves what says that the object is kept.
    for each in [each for state in reading.order for each in found if each.reference.state is state]:
        await forget(env, repository, each.address, each.token)


def _refer(env: Env, repository: Repository, entry: ObjectEntry, reading: Reading) -> Refer:
    """What is done before an entry is staged: write its reference, if the object is lakeFS' own."""

    async def refer(token: StagingToken, first: bool) -> None:
        if is_owned(repository, entry) and (first or reading.follows):
            await mark(env, repository, at(repository, entry), token, ReferenceState.STAGED)

    return refer


async def _mark(
    env: Env,
    repository: Repository,
    entry: ObjectEntry | None,
    token: StagingToken,
    state: ReferenceState,
    *,
    creates: bool,
) -> None:
    """Bring the reference of an entry, if it has one, into a state. If others come between as often as `mark` tries, it
    stays as it is: the entry is gone already."""
    if entry is not None and is_owned(repository, entry):
        with suppress(ObjectBusy):
            await mark(env, repository, at(repository, entry), token, state, creates=creates)


async def _drop(env: Env, repository: Repository, dropped: Tokens, reading: Reading, batch_size: int) -> None:
    for token in dropped:
        for each in await changes_under(env, token, batch_size):
            if each.data is None and reading.tombstones == "remove":
                await _forget_deleted(env, repository, token)
            await _mark(env, repository, entry_of(each), token, ReferenceState.DELETED, creates=reading.creates)
            await unstage(env, token, each.key)


async def _forget_deleted(env: Env, repository: Repository, token: StagingToken) -> None:
    async for found in references(env, repository):
        for each in found:
            # Of any path: a tombstone does not name the object that it hides.
            if each.token == token and each.reference.state is ReferenceState.DELETED:
                await forget(env, repository, each.address, token)


FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=objects.read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, background_job=background_job)

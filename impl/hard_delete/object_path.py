"""Proposal 1: the staging area is a listing of the object store.

A staged object lies at ``<namespace>/data/<branch>/<staging token>/<path>``, and nothing on the KV says so: a listing
of that prefix shows what is staged. Branches, commits and ranges are as today. `Reading` has what the text leaves open.

Example: x is staged on b under the token t0, with the content s0. An upload of a0 to x, and a commit in its middle::

    upload    read b: t0
    commit    seal t0; list <namespace>/data/b/t0/: x; commit x at data/b/t0/x with the ETag of s0; b has t1
    upload    put a0 at data/b/t0/x                      the committed object has another content
    upload    read b: t1; so put a0 at data/b/t1/x; read b: t1

Under `IMMUTABLE` the store refuses the first put: s0 is there. The second one succeeds, and s0 stays committed.

Source: hard-delete-uncommitted-data.md, "1. Write staged data directly to object store on a defined path".
"""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone
from lakeproof.impl.catalog.objects import Grant, at, entry_at, new_address, unless_gone
from lakeproof.impl.committed import apply_changes, read_entries
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.commits import COMMITTER
from lakeproof.impl.graveler.resets import forget_tokens
from lakeproof.impl.graveler.tokens import Missed, Tokens, same_record, same_token, settle
from lakeproof.impl.hard_delete._tokens import COMMIT_TRIES
from lakeproof.impl.hard_delete.staging_area import DELETED, find_object, staged_address, staged_at, staged_changes
from lakeproof.impl.hard_delete.staging_area import list_objects as list_objects
from lakeproof.impl.hard_delete.staging_area import read_object as read_object
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, next_token, read_branch, remove_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, committed_entry, get_commit, new_commit
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.catalog import DATA_PREFIX, AddressType, ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository

Put = Callable[[str], Awaitable[None]]
"""Writes an object at a physical address."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read."""

    upload_rereads: bool = True
    """An upload reads the branch again, and starts over if its token changed. Silent: writers do so today."""
    overwrites: bool = True
    """A put overwrites. Else an object is put only where none is, and a writer that finds one seals the token first:
    ours, for "how to prevent data modification after commit?"."""
    deletes: Literal["tombstone", "object"] = "tombstone"
    """A delete puts a tombstone object over the path; or it deletes the staged object itself, which leaves no way to
    delete a committed path. Silent on those."""
    drops_all: bool = False
    """Of a deleted branch "each object under the branch's current staging token"; or under the sealed ones, too."""
    compares: bool = False
    """The record of a branch is deleted only if it is still the one that was read: ours. Silent."""
    issues: Literal["path", "aside"] = "path"
    """The address that users are given: "a path relative to the branch and staging token", so that what they put there
    is staged at once; or one outside the staging area, from which the link moves the object."""
    tidies: bool = False
    """After a commit, delete what is listed under its tokens and was not committed: tombstones, and what a newer token
    hides. Silent."""


AS_WRITTEN: Final = Reading()
"""The literal sentences; where the text is silent, as today."""
SINGLE_READ: Final = Reading(upload_rereads=False)
"""The text has no second read of the branch."""
DELETES_OBJECT: Final = Reading(deletes="object")
"""The text has no tombstones."""
ALL_TOKENS: Final = Reading(drops_all=True)
"""What is under the sealed tokens of a deleted branch is not committed either."""
IMMUTABLE: Final = Reading(overwrites=False, drops_all=True, compares=True, issues="aside", tidies=True)
"""Ours: a path is written once under a token."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Put an object where the path is staged. 3 effects: the branch, the object, the branch again. Raises
    BranchNotFound; WriteNotSettled (indefinite)."""
    put = partial(env.objects.put, content=content, if_absent=not reading.overwrites)
    address = await _write(env, repository, branch_id, path, put, rereads=reading.upload_rereads)
    return entry_at(repository, address, content)


async def _write(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, put: Put, *, rereads: bool = True
) -> str:
    """Write an object where the path is staged; returns its physical address."""

    async def write(branch: Branch) -> str | Missed:
        address = staged_at(repository, branch_id, branch.staging_token, path)
        try:
            await put(address)
        except objects.PreconditionFailed:
            # The path was written under this token already, and may be in a listing. Another token has an address of
            # its own.
            return Missed(await _after(env, repository, branch_id, branch.staging_token))
        return address

    branch = await get_branch(env, repository, branch_id)
    return (await settle(env, repository, branch, write, path, settled=same_token if rereads else None))[0]


async def _after(env: Env, repository: Repository, branch_id: BranchID, token: StagingToken) -> Branch:
    """The branch under another token than this one: sealed by this call, or as another client has left it."""
    branch, predicate = await read_branch(env, repository, branch_id)
    if branch.staging_token != token:
        return branch
    sealed = attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=branch.tokens)
    try:
        await replace_branch(env, repository, sealed, predicate)
    except kv.PredicateFailed:
        # Perhaps only the head was moved. The next try then finds the object again, and seals.
        return await get_branch(env, repository, branch_id)
    return sealed


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an object that is at a physical address already, by a copy to the path: "How to manage ingested data?"
    Raises DataGone: nothing is at the address, or not this ``content``; and as `upload_object`."""
    staged = await _copy_to(env, repository, branch_id, path, address, reading, objects.etag(content))
    return entry_at(repository, staged, content)


async def _copy_to(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source: str, reading: Reading, etag: str = ""
) -> str:
    """Copy inside the store, straight to where the path is staged; returns the physical address. Where nothing may be
    overwritten the content is read and put: not every store has a copy with `if_absent`."""
    put = partial(_put_copy, env, source, reading=reading, etag=etag)
    return await _write(env, repository, branch_id, path, put)


async def _put_copy(env: Env, source: str, address: str, reading: Reading, etag: str = "") -> None:
    """1 or 2 effects. Raises DataGone; PreconditionFailed: an object is at the address, and may not be overwritten."""
    try:
        if reading.overwrites:
            # The ETag guards against a source that has other content by now.
            await env.objects.copy(source, address, if_match=etag or None)
            return
        content = await env.objects.get(source)
    except (objects.ObjectNotFound, objects.PreconditionFailed):
        raise DataGone(source) from None
    if etag and objects.etag(content) != etag:
        raise DataGone(source)
    await env.objects.put(address, content, if_absent=True)


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """A full copy, as the base assumptions ask for. Raises PathNotFound; DataGone: the source is deleted; and as
    `upload_object`."""
    found = await find_object(env, repository, source_branch_id, source_path)
    copied = await _copy_to(env, repository, branch_id, path, at(repository, found), reading)
    relative = copied.removeprefix(f"{repository.storage_namespace}/")
    return attrs.evolve(found, address=relative, address_type=AddressType.RELATIVE)


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy the object; delete the old path, unless it is gone since. Raises as `copy_object` and `delete_object`."""
    moved = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
    # A reading that deletes the object cannot delete a committed path, and a move has to.
    buried = attrs.evolve(reading, deletes="tombstone")
    await unless_gone(delete_object(env, repository, branch_id, source_path, reading=buried))
    return moved


async def delete_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Delete the entry at a path. Raises PathNotFound, without tombstones also where the path is not staged;
    BranchNotFound; WriteNotSettled (indefinite)."""
    found = await find_object(env, repository, branch_id, path)
    # A tombstone is an object, so under `IMMUTABLE` it is refused as an upload is, and the token is sealed.
    if reading.deletes == "tombstone":
        put = partial(env.objects.put, content=DELETED, if_absent=not reading.overwrites)
        await _write(env, repository, branch_id, path, put)
        return
    branch = await get_branch(env, repository, branch_id)
    # Only what is staged has an object of its own to delete.
    if found.address not in [staged_address(branch_id, token, path) for token in branch.tokens]:
        raise PathNotFound(path)
    await env.objects.delete(at(repository, found))


async def get_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> Grant:
    """Issue an address for a path. 1 effect; none for one outside the staging area."""
    if reading.issues == "aside":
        return Grant(f"{repository.storage_namespace}/{new_address(env)}")
    token = (await get_branch(env, repository, branch_id)).staging_token
    return Grant(staged_at(repository, branch_id, token, path), token)


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Look that the object is there, and that its token is still the branch's; else copy it under the one that is. One
    that was put outside the staging area is copied, and then deleted there. Raises AddressNotAllowed: issued for
    something else; DataGone; BranchNotFound; WriteNotSettled (indefinite)."""
    if reading.issues == "aside":
        # What is staged or committed has its branch and token in its address: a link must not delete it there.
        if "/" in grant.address.removeprefix(f"{repository.storage_namespace}/{DATA_PREFIX}"):
            raise AddressNotAllowed(grant.address)
        address = await _copy_to(env, repository, branch_id, path, grant.address, reading)
        # A crash before leaves the issued object as garbage; a link that is tried again copies it once more.
        await env.objects.delete(grant.address)
        return entry_at(repository, address, content)
    address = staged_at(repository, branch_id, StagingToken(grant.token), path)
    if grant.address != address:
        raise AddressNotAllowed(grant.address)
    try:
        await env.objects.head(grant.address)
    except objects.ObjectNotFound:
        raise DataGone(grant.address) from None
    # What the user has put under the old token is committed, or dropped with it; it is copied to be staged for sure.
    if (await get_branch(env, repository, branch_id)).staging_token != grant.token:
        address = await _copy_to(env, repository, branch_id, path, grant.address, reading)
    return entry_at(repository, address, content)


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> Commit:
    """`lock_free.commit` over what a listing of its tokens shows: an entry has the ETag that the listing shows. Raises
    BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed."""
    namespace = repository.storage_namespace

    async def combine(branch: Branch, kept: Tokens, over: Tokens) -> Commit:
        changes = await staged_changes(env, repository, branch_id, kept, batch_size)
        head = await get_commit(env, repository, branch.commit_id)
        meta_range_id = await apply_changes(env, namespace, head.meta_range_id, list(changes.values()))
        now = await env.clock.now()
        made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
        await add_commit(env, repository, made)
        return made

    how = lock_free.Reading(respects_resets=False, tries=COMMIT_TRIES)
    took = await lock_free.take(env, repository, branch_id, combine, how)
    if reading.tidies:
        found = read_entries(env, namespace, took.commit.meta_range_id)
        # The ETags of the commit are those of the listing, so the objects that it names must stay as they are.
        committed = {f"{namespace}/{decode_object_entry(entry.data).address}" async for entry in found}
        await _delete_under(env, repository, branch_id, took.tokens, batch_size, committed)
    return took.commit


async def reset_branch(env: Env, repository: Repository, branch_id: BranchID, *, batch_size: int = 0) -> None:
    """Forget all uncommitted changes: swap the token, then delete what is listed under the old ones. Raises
    BranchNotFound; BranchBusy: nothing was reset."""
    gone = await forget_tokens(env, repository, branch_id)
    await _delete_under(env, repository, branch_id, gone, batch_size)


async def reset_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Forget the uncommitted change of one path: delete the object that is staged there under the open token; or, where
    a sealed token has one, or nothing may be overwritten, put a full copy of what is committed there, or a tombstone.
    Silent: in place, as today. Raises BranchNotFound; DataGone; WriteNotSettled (indefinite)."""

    async def write(branch: Branch) -> Missed | None:
        address = staged_at(repository, branch_id, branch.staging_token, path)
        # A sealed token would show its change again, so the path is staged as in the head.
        if reading.overwrites and not await _any_staged(env, repository, branch_id, branch.sealed_tokens, path):
            await env.objects.delete(address)
            return None
        found = await committed_entry(env, repository, branch.commit_id, path)
        try:
            if found is None:
                await env.objects.put(address, DELETED, if_absent=not reading.overwrites)
            else:
                await _put_copy(env, at(repository, decode_object_entry(found.data)), address, reading)
        except objects.PreconditionFailed:
            return Missed(await _after(env, repository, branch_id, branch.staging_token))
        return None

    branch = await get_branch(env, repository, branch_id)
    await settle(env, repository, branch, write, path, settled=same_record)


async def _any_staged(env: Env, repository: Repository, branch_id: BranchID, tokens: Tokens, path: bytes) -> bool:
    for token in tokens:
        try:
            await env.objects.head(staged_at(repository, branch_id, token, path))
        except objects.ObjectNotFound:
            continue
        return True
    return False


async def delete_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Delete the branch, then the objects under its tokens, see `Reading.drops_all`. Raises BranchNotFound,
    DefaultBranch; RefChanged, where the record is compared: nothing was deleted."""
    gone = await remove_branch(env, repository, branch_id, tombstone=reading.compares)
    await _delete_under(env, repository, branch_id, gone if reading.drops_all else gone[:1], batch_size)


async def _delete_under(
    env: Env, repository: Repository, branch_id: BranchID, tokens: Tokens, batch_size: int, kept: Collection[str] = ()
) -> None:
    """Delete what is listed under these tokens. kept: addresses to leave alone."""
    for token in tokens:
        # A listing goes on while others put: what comes behind its position under an old token is garbage for good.
        async for head in env.objects.list(staged_at(repository, branch_id, token), batch_size):
            if head.address not in kept:
                await env.objects.delete(head.address)


# fmt: off
FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, reset_entry=reset_entry)

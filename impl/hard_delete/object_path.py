"""Proposal 1: the staging area is a listing of the object store.

A staged object lies at ``<namespace>/data/<branch>/<staging token>/<path>``, and nothing on the KV says so: who lists
that prefix sees what is staged. Branches, commits and ranges are as today. Where the text is silent, a parameter.
Source: hard-delete-uncommitted-data.md, "1. Write staged data directly to object store on a defined path".
"""

from collections.abc import Awaitable, Callable
from typing import Literal

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone
from lakeproof.impl.catalog.objects import Grant, at, entry_at, new_address
from lakeproof.impl.committed import MetaRangeIterator, apply_changes
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler.committing import COMMITTER
from lakeproof.impl.graveler.lock_free import Reading, Taken, take
from lakeproof.impl.graveler.resetting import forget_tokens
from lakeproof.impl.graveler.tokens import TRIES, Missed, Tokens, same_token, settle
from lakeproof.impl.hard_delete._staging_area import (
    DELETED,
    find_object,
    staged_address,
    staged_changes,
    staging_prefix,
)
from lakeproof.impl.hard_delete._staging_area import list_objects as list_objects
from lakeproof.impl.hard_delete._staging_area import read_object as read_object
from lakeproof.impl.hard_delete._tokens import COMMIT_TRIES
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, next_token, read_branch, remove_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.catalog import AddressType, ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository

Put = Callable[[str], Awaitable[None]]
"""Writes an object at a physical address."""
Which = Literal["current", "all"]
"""The tokens whose objects are deleted with a branch or its changes: the staging token, or the sealed ones, too."""


async def upload_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    rereads: bool = True,
    overwrites: bool = True,
    tries: int = TRIES,
) -> ObjectEntry:
    """Put an object where the path is staged: 1 effect for the branch, 1 for the object.

    rereads: read the branch again, and start over if its token changed: as writers do today.
    overwrites: without it an object is put only where none is, and who finds one seals the token first: ours.

    Raises:
        BranchNotFound; WriteNotSettled (indefinite).
    """

    async def put(address: str) -> None:
        await env.objects.put(address, content, if_absent=not overwrites)

    address = await _write(env, repository, branch_id, path, put, rereads=rereads, tries=tries)
    return entry_at(repository, address, content)


async def _write(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    put: Put,
    *,
    rereads: bool = True,
    tries: int = TRIES,
) -> str:

    async def write(branch: Branch) -> str | Missed:
        address = f"{repository.storage_namespace}/{staged_address(branch_id, branch.staging_token, path)}"
        try:
            await put(address)
        except objects.PreconditionFailed:
            return Missed(await _after(env, repository, branch_id, branch.staging_token))
        return address

    branch = await get_branch(env, repository, branch_id)
    settled = same_token if rereads else None
    return (await settle(env, repository, branch, write, path, settled=settled, tries=tries))[0]


async def _after(env: Env, repository: Repository, branch_id: BranchID, token: StagingToken) -> Branch:
    """The branch under another token than this one: sealed by us, if nobody else has; or as somebody else left it."""
    branch, predicate = await read_branch(env, repository, branch_id)
    if branch.staging_token != token:
        return branch
    sealed = attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=branch.tokens)
    try:
        await replace_branch(env, repository, sealed, predicate)
    except kv.PredicateFailed:
        return await get_branch(env, repository, branch_id)
    return sealed


async def stage_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    ingest: Literal["copy", "refuse"] = "copy",
    overwrites: bool = True,
) -> ObjectEntry:
    """Stage an object that is at a physical address already. ``ingest``: by a copy, or not at all.

    Raises:
        AddressNotAllowed; DataGone: nothing is at the address, or not this ``content``. As `upload_object`.
    """
    if ingest == "refuse":
        raise AddressNotAllowed(address)
    etag = objects.etag(content)
    staged = await _copy_to(env, repository, branch_id, path, address, overwrites=overwrites, if_match=etag)
    return entry_at(repository, staged, content)


async def _copy_to(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source: str,
    *,
    overwrites: bool,
    if_match: str | None = None,
) -> str:
    """Copy inside the store, straight to where the path is staged; returns the physical address. A copy knows no
    `if_absent`: without ``overwrites`` the content is read and put."""

    async def put(address: str) -> None:
        try:
            if overwrites:
                await env.objects.copy(source, address, if_match=if_match)
                return
            content = await env.objects.get(source)
        except (objects.ObjectNotFound, objects.PreconditionFailed):
            raise DataGone(source) from None
        await env.objects.put(address, content, if_absent=True)

    return await _write(env, repository, branch_id, path, put)


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    overwrites: bool = True,
) -> ObjectEntry:
    """A full copy, as the base assumptions ask for. Raises PathNotFound; DataGone: the source is deleted; and as
    `upload_object`."""
    found = await find_object(env, repository, source_branch_id, source_path)
    copied = await _copy_to(env, repository, branch_id, path, at(repository, found), overwrites=overwrites)
    relative = copied.removeprefix(f"{repository.storage_namespace}/")
    return attrs.evolve(found, address=relative, address_type=AddressType.RELATIVE)


async def move_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    source_path: bytes,
    path: bytes,
    *,
    overwrites: bool = True,
) -> ObjectEntry:
    """Copy the object, then delete the old path. Raises as `copy_object` and `delete_object`."""
    moved = await copy_object(env, repository, branch_id, path, branch_id, source_path, overwrites=overwrites)
    await delete_object(env, repository, branch_id, source_path, overwrites=overwrites)
    return moved


async def delete_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    deletes: Literal["tombstone", "object"] = "tombstone",
    overwrites: bool = True,
) -> None:
    """Delete the entry at a path: by a tombstone object over it, or by deleting the staged object itself, which leaves
    no way to delete a committed path.

    Raises:
        PathNotFound, BranchNotFound; with ``"object"`` also where the path is not staged. WriteNotSettled (indefinite).
    """
    found = await find_object(env, repository, branch_id, path)
    if deletes == "tombstone":
        await upload_object(env, repository, branch_id, path, DELETED, overwrites=overwrites)
        return
    branch = await get_branch(env, repository, branch_id)
    if found.address not in [staged_address(branch_id, token, path) for token in branch.tokens]:
        raise PathNotFound(path)
    await env.objects.delete(at(repository, found))


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue the address where the path is staged: what the user puts there is staged at once. 1 effect."""
    branch = await get_branch(env, repository, branch_id)
    token = branch.staging_token
    return Grant(f"{repository.storage_namespace}/{staged_address(branch_id, token, path)}", token)


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes
) -> ObjectEntry:
    """Look that the object is there, and that its token is still the branch's; else copy it under the one that is.

    Raises:
        AddressNotAllowed: issued for something else; DataGone; BranchNotFound; WriteNotSettled (indefinite).
    """
    token = StagingToken(grant.token)
    address = f"{repository.storage_namespace}/{staged_address(branch_id, token, path)}"
    if grant.address != address:
        raise AddressNotAllowed(grant.address)
    try:
        await env.objects.head(grant.address)
    except objects.ObjectNotFound:
        raise DataGone(grant.address) from None
    branch = await get_branch(env, repository, branch_id)
    if branch.staging_token != token:
        address = await _copy_to(env, repository, branch_id, path, grant.address, overwrites=True)
    return entry_at(repository, address, content)


async def get_address_aside(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address outside the staging area."""
    return Grant(f"{repository.storage_namespace}/{new_address(env)}")


async def link_from_aside(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes
) -> ObjectEntry:
    """Copy the object to where the path is staged, then delete it where it was put. Raises DataGone; and as
    `upload_object`."""
    address = await _copy_to(env, repository, branch_id, path, grant.address, overwrites=False)
    await env.objects.delete(grant.address)
    return entry_at(repository, address, content)


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    tidies: bool = False,
    tries: int = COMMIT_TRIES,
    batch_size: int = 0,
) -> Commit:
    """`lock_free.commit` over what a listing of its tokens shows: an entry has the ETag that the listing told.

    tidies: afterwards, delete what is listed under the tokens and was not committed: tombstones, and what a newer
        token hides.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed.
    """

    async def combine(branch: Branch, kept: Tokens, over: Tokens) -> Commit:
        return await _write_commit(env, repository, branch, kept, message, batch_size)

    took = await take(env, repository, branch_id, combine, Reading(respects_resets=False, tries=tries))
    if tidies:
        await _tidy(env, repository, branch_id, took, batch_size)
    return took.commit


async def _write_commit(
    env: Env, repository: Repository, branch: Branch, kept: Tokens, message: str, batch_size: int
) -> Commit:
    changes = await staged_changes(env, repository, branch.branch_id, kept, batch_size)
    head = await get_commit(env, repository, branch.commit_id)
    meta_range_id = await apply_changes(env, repository.storage_namespace, head.meta_range_id, list(changes.values()))
    now = await env.clock.now()
    made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
    await add_commit(env, repository, made)
    return made


async def _tidy(env: Env, repository: Repository, branch_id: BranchID, took: Taken, batch_size: int) -> None:
    namespace = repository.storage_namespace
    found = MetaRangeIterator(env, namespace, took.commit.meta_range_id)
    committed = {decode_object_entry(entry.data).address async for entry in found}
    for token in took.tokens:
        async for head in env.objects.list(f"{namespace}/{staging_prefix(branch_id, token)}", batch_size):
            if head.address.removeprefix(f"{namespace}/") not in committed:
                await env.objects.delete(head.address)


async def reset_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    which: Which = "all",
    tries: int = TRIES,
    batch_size: int = 0,
) -> None:
    """Forget all uncommitted changes: swap the token, then delete what is listed under the old ones. Raises
    BranchNotFound; BranchBusy: nothing was reset."""
    gone = await forget_tokens(env, repository, branch_id, tries)
    await _delete_under(env, repository, branch_id, gone, which, batch_size)


async def delete_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    which: Which = "current",
    tombstone: bool = False,
    batch_size: int = 0,
) -> None:
    """Delete the branch, then each object under its current staging token.

    tombstone: delete the record only if it is still the one that was read: ours.

    Raises:
        BranchNotFound, DefaultBranch; RefChanged, with ``tombstone``: nothing was deleted.
    """
    gone = await remove_branch(env, repository, branch_id, tombstone=tombstone)
    await _delete_under(env, repository, branch_id, gone, which, batch_size)


async def _delete_under(
    env: Env, repository: Repository, branch_id: BranchID, newest_first: Tokens, which: Which, batch_size: int
) -> None:
    for token in newest_first if which == "all" else newest_first[:1]:
        prefix = f"{repository.storage_namespace}/{staging_prefix(branch_id, token)}"
        async for head in env.objects.list(prefix, batch_size):
            await env.objects.delete(head.address)


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
)

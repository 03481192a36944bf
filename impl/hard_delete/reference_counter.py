"""Proposal 2: a counter in the metadata of each object tells how many entries refer to it.

Who adds an entry counts it, who removes one counts it off, and who comes to 0 hard-deletes the object. Commits do not
count: "The way we are handling the staged data in lakeFS, will not change in any other way". As the text says it; where
it is silent, a parameter. Source: hard-delete-uncommitted-data.md, "2. Reference Counter on Object Metadata".
"""

from functools import partial
from typing import Final, Literal

from lakeproof.impl.catalog.objects import (
    Grant,
    at,
    change,
    check_grant,
    copy_data,
    entry_at,
    entry_of,
    find_object,
    owned,
    put_data,
    stage_again,
)
from lakeproof.impl.catalog.objects import commit as commit
from lakeproof.impl.catalog.objects import get_physical_address as get_physical_address
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import writing
from lakeproof.impl.graveler.resetting import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete._counters import ONE, Kind, decrement, drop_counted, increment, release
from lakeproof.impl.hard_delete._tokens import nothing, stage_referred
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, remove_branch
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import get_staged, tombstone
from lakeproof.model import kv
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Repository

DROPPED_PREFIX: Final = b"dropped/"
"""Of the keys, in the repository's partition, that name tokens whose entries a background job shall drop."""

Overwrites = Literal["leave", "release", "exchange"]
Deletes = Literal["any", "staged", "settled"]
Rollback = Literal["any", "definite", "never"]


async def upload_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    kind: Kind = "gcs",
    overwrites: Overwrites = "leave",
    follows: bool = False,
) -> ObjectEntry:
    """Put an object whose counter is 1, and stage an entry for it.

    overwrites: what becomes of the object of an entry that was staged there: ``"leave"`` it counted; ``"release"`` it;
        or replace that entry by `SetIf`, and release its object (``"exchange"``).
    follows: count the entry once more each time that it is staged again because the branch's token has changed.

    Raises:
        BranchNotFound, ObjectBusy: the object is left behind. AddressDeleted: what was staged under an earlier token
            was dropped, and the object with it. WriteNotSettled (indefinite).
    """
    entry = await put_data(env, repository, content, ONE)
    await _stage(env, repository, branch_id, path, entry, kind=kind, overwrites=overwrites, follows=follows)
    return entry


async def stage_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    kind: Kind = "gcs",
    rollback: Rollback = "any",
    overwrites: Overwrites = "leave",
    follows: bool = False,
) -> ObjectEntry:
    """Stage an entry for an object that is there already; in the namespace, count it first.

    rollback: after which failures of staging the entry to count it off again.

    Raises AddressDeleted, ObjectBusy; and as `upload_object`.
    """
    entry = entry_at(repository, address, content)
    await _refer(env, repository, branch_id, path, entry, kind, rollback, overwrites=overwrites, follows=follows)
    return entry


async def link_physical_address(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    grant: Grant,
    content: bytes,
    *,
    kind: Kind = "gcs",
    revives: bool = True,
    overwrites: Overwrites = "leave",
    follows: bool = False,
) -> ObjectEntry:
    """Count the object at an issued address, then stage the entry. Nothing is said of a rollback here.

    revives: count also an object whose counter is 0; one that has none is counted always, for users put no counter.

    Raises AddressNotAllowed; and as `stage_object`.
    """
    check_grant(repository, grant)
    entry = entry_at(repository, grant.address, content)
    await increment(env, grant.address, kind, accepts="all" if revives else "uncounted")
    await _stage(env, repository, branch_id, path, entry, kind=kind, overwrites=overwrites, follows=follows)
    return entry


async def link_at(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    kind: Kind = "gcs",
    revives: bool = True,
    overwrites: Overwrites = "leave",
    follows: bool = False,
) -> ObjectEntry:
    """`link_physical_address`, of an address that needs no grant."""
    return await link_physical_address(
        env,
        repository,
        branch_id,
        path,
        Grant(address),
        content,
        kind=kind,
        revives=revives,
        overwrites=overwrites,
        follows=follows,
    )


link_again = partial(stage_again, stage=link_at)
"""What a user does who links an address once more, at another path."""


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    full: bool = True,
    carries: bool = False,
    kind: Kind = "gcs",
    rollback: Rollback = "any",
    overwrites: Overwrites = "leave",
    follows: bool = False,
) -> ObjectEntry:
    """Copy an object to a path.

    full: copy the object to a fresh address, "full copy"; else stage its address once more, as `stage_object` does.
    carries: a full copy takes the metadata along, as a plain copy in an object store does; else its counter is 1.

    Raises PathNotFound, BranchNotFound, BranchBusy; DataGone; and as `stage_object`.
    """
    found = await find_object(env, repository, source_branch_id, source_path)
    if not full:
        await _refer(env, repository, branch_id, path, found, kind, rollback, overwrites=overwrites, follows=follows)
        return found
    entry = await copy_data(env, repository, found, metadata=None if carries else ONE)
    await _stage(env, repository, branch_id, path, entry, kind=kind, overwrites=overwrites, follows=follows)
    return entry


async def move_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    source_path: bytes,
    path: bytes,
    *,
    full: bool = True,
    kind: Kind = "gcs",
    rollback: Rollback = "any",
    overwrites: Overwrites = "leave",
    follows: bool = False,
    deletes: Deletes = "any",
) -> ObjectEntry:
    """`copy_object`, then `delete_object` of the old entry. Errors of both."""
    copied = await copy_object(
        env,
        repository,
        branch_id,
        path,
        branch_id,
        source_path,
        full=full,
        kind=kind,
        rollback=rollback,
        overwrites=overwrites,
        follows=follows,
    )
    await delete_object(env, repository, branch_id, source_path, kind=kind, deletes=deletes)
    return copied


async def delete_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    kind: Kind = "gcs",
    deletes: Deletes = "any",
    counter_first: bool = False,
) -> None:
    """Stage a tombstone, and count off the object of the entry that was there.

    deletes: of which entries: of ``"any"``, committed ones too; of ``"staged"`` ones; or of one that is replaced by the
        tombstone, by `SetIf`, under the branch's open token, if that is the open one afterwards, too (``"settled"``).
    counter_first: count before the tombstone is staged.

    Raises PathNotFound, BranchNotFound, BranchBusy; WriteNotSettled (indefinite).
    """
    found: ObjectEntry | None = await find_object(env, repository, branch_id, path)
    if deletes == "settled":
        settled = await stage_referred(env, repository, branch_id, tombstone(path), exchanges=True)
        found = settled.before
    elif deletes == "staged":
        found = await _staged(env, repository, branch_id, path)
    if found is not None and counter_first:
        await release(env, repository, found, kind)
    if deletes != "settled":
        await writing.delete_entry(env, repository, branch_id, path)
    if found is not None and not counter_first:
        await release(env, repository, found, kind)


async def reset_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    kind: Kind = "gcs",
    in_job: bool = False,
    claims: bool = False,
    batch_size: int = 0,
) -> None:
    """Swap the token; then drop the entries that were staged, and count off their objects.

    in_job: leave the drop to `background_job`, by a note.
    claims: replace each entry by a tombstone, by `SetIf`, before its object is counted off.

    Raises BranchNotFound, BranchBusy: nothing was reset.
    """
    dropped = await forget_tokens(env, repository, branch_id)
    await _drop_all(env, repository, dropped, kind, in_job=in_job, claims=claims, batch_size=batch_size)


async def delete_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    kind: Kind = "gcs",
    in_job: bool = False,
    claims: bool = False,
    by_tombstone: bool = False,
    batch_size: int = 0,
) -> None:
    """Delete the record, then as `reset_branch`.

    by_tombstone: replace the record, if it is still the one that was read, by one that says that the branch is gone.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``by_tombstone``.
    """
    dropped = await remove_branch(env, repository, branch_id, tombstone=by_tombstone)
    await _drop_all(env, repository, dropped, kind, in_job=in_job, claims=claims, batch_size=batch_size)


async def background_job(
    env: Env, repository: Repository, *, kind: Kind = "gcs", claims: bool = False, batch_size: int = 0
) -> int:
    """Drop what resets and deletions of branches have left: how many tokens. See `reset_branch`, ``in_job``."""
    dropped = 0
    async for note in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=DROPPED_PREFIX):
        token = StagingToken(note.key.removeprefix(DROPPED_PREFIX).decode())
        await drop_counted(env, repository, token, kind, claims=claims, batch_size=batch_size)
        await env.store.delete(uid_partition(repository), note.key)
        dropped += 1
    return dropped


async def _refer(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    entry: ObjectEntry,
    kind: Kind,
    rollback: Rollback,
    *,
    overwrites: Overwrites,
    follows: bool,
) -> None:
    """Count an object, if it is lakeFS' own, and stage an entry for it; if that fails, count it off."""
    counted = owned(repository, entry)
    if counted:
        await increment(env, at(repository, entry), kind)
    try:
        await _stage(env, repository, branch_id, path, entry, kind=kind, overwrites=overwrites, follows=follows)
    except (kv.KVError, FlowError) as error:
        if counted and (rollback == "any" or (rollback == "definite" and error.definite)):
            await decrement(env, at(repository, entry), kind)
        raise


async def _stage(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    entry: ObjectEntry,
    *,
    kind: Kind,
    overwrites: Overwrites,
    follows: bool,
) -> None:
    """Stage an entry that is counted once."""

    async def refer(token: StagingToken, first: bool) -> None:
        if not first and owned(repository, entry):
            await increment(env, at(repository, entry), kind)

    staged = await stage_referred(
        env,
        repository,
        branch_id,
        change(path, entry),
        refer if follows else nothing,
        looks=overwrites != "leave",
        exchanges=overwrites == "exchange",
    )
    if staged.before is not None and staged.before.address != entry.address:
        await release(env, repository, staged.before, kind)


async def _staged(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> ObjectEntry | None:
    """The entry that is staged at a path, under any token of the branch."""
    for token in (await get_branch(env, repository, branch_id)).tokens:
        found = await get_staged(env, token, path)
        if found is not None:
            return entry_of(found[0])
    return None


async def _drop_all(
    env: Env, repository: Repository, dropped: Tokens, kind: Kind, *, in_job: bool, claims: bool, batch_size: int
) -> None:
    for token in dropped:
        if in_job:
            await env.store.set(uid_partition(repository), DROPPED_PREFIX + token.encode(), b"dropped")
        else:
            await drop_counted(env, repository, token, kind, claims=claims, batch_size=batch_size)

# fmt: off
FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, background_job=background_job, link_at=link_at)

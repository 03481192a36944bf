"""Proposal 4: the state belongs to the staging token; an object has a list of the tokens that refer to it.

Commits, resets and deletions of branches leave staged entries where they are and note the tokens; a background job goes
through the entries under those tokens, takes the tokens from the lists of their objects, and hard-deletes an object
whose list is empty. A list that is not there means: the object is committed. As the text says it; where it is silent, a
parameter. Source: hard-delete-uncommitted-data.md, "4. Staging Token States".
"""

from collections.abc import Sequence

from lakeproof.impl.catalog.errors import AddressNotAllowed, GrantInvalid
from lakeproof.impl.catalog.objects import (
    Grant,
    at,
    change,
    check_grant,
    entry_at,
    entry_of,
    find_object,
    new_address,
    owned,
    put_data,
)
from lakeproof.impl.catalog.objects import delete_object as delete_object
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.committed import MetaRangeIterator
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler.committing import drop_all
from lakeproof.impl.graveler.reading import changes_of
from lakeproof.impl.graveler.resetting import forget_tokens
from lakeproof.impl.graveler.tokens import TRIES, Tokens
from lakeproof.impl.hard_delete import _token_lists as lists
from lakeproof.impl.hard_delete._tokens import COMMIT_TRIES, commit_tokens, stage_referred
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import remove_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import changes_under
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, is_inside
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Commit, Repository, StagedEntry


async def upload_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    careful: bool = False,
    tries: int = TRIES,
) -> ObjectEntry:
    """1. Write the object; 2. read its list; 3. add the token by `SetIf`; 4. stage the entry.

    careful: ours. Once the entry has been staged under another token, others may know the object: then treat its list
        as a copy does.

    Raises:
        BranchNotFound: the object is left behind; ObjectBusy; WriteNotSettled (indefinite). AddressDeleted, if careful.
    """
    entry = await put_data(env, repository, content)
    await _stage(env, repository, branch_id, path, entry, issued=True, careful=careful, tries=tries)
    return entry


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes
) -> ObjectEntry:
    """Stage an entry for an object outside the namespace. Raises AddressNotAllowed for one inside; and as
    `writing.set_entry`."""
    if is_inside(repository.storage_namespace, address):
        raise AddressNotAllowed(address)
    entry = entry_at(repository, address, content)
    await stage_referred(env, repository, branch_id, change(path, entry))
    return entry


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address and a token that is good for one link. 1 effect."""
    address = f"{repository.storage_namespace}/{new_address(env)}"
    token = env.ids.unique("address token")
    await env.store.set(uid_partition(repository), lists.ISSUED + token.encode(), address.encode())
    return Grant(address, token)


async def link_physical_address(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    grant: Grant,
    content: bytes,
    *,
    once: bool = False,
    careful: bool = False,
    tries: int = TRIES,
) -> ObjectEntry:
    """1. Check the token; 2. remove it, add the reference, stage the entry.

    once: ours. Do not remove the token, but mark it as used by `SetIf`, so that of two links one is refused.
    careful: as `upload_object`.

    Raises:
        AddressNotAllowed, GrantInvalid, BranchNotFound; ObjectBusy, WriteNotSettled (indefinite).
    """
    check_grant(repository, grant)
    await _redeem(env, repository, grant, once=once)
    entry = entry_at(repository, grant.address, content)
    await _stage(env, repository, branch_id, path, entry, issued=True, careful=careful, tries=tries)
    return entry


async def _redeem(env: Env, repository: Repository, grant: Grant, *, once: bool) -> None:
    partition, key = uid_partition(repository), lists.ISSUED + grant.token.encode()
    found = await env.store.find(partition, key)
    if found is None or found.value != grant.address.encode():
        raise GrantInvalid(grant.token)
    if not once:
        await env.store.delete(partition, key)
    elif not await env.store.try_set_if(partition, key, lists.USED, found.predicate):
        raise GrantInvalid(grant.token)


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    tries: int = TRIES,
) -> ObjectEntry:
    """A second entry for the same object: add the token to the object's list; where there is none, the object is taken
    for committed, and needs none.

    Raises:
        PathNotFound, BranchNotFound, BranchBusy; AddressDeleted: the list is empty; ObjectBusy; WriteNotSettled
        (indefinite).
    """
    found = await find_object(env, repository, source_branch_id, source_path)
    await _stage(env, repository, branch_id, path, found, issued=False, careful=True, tries=tries)
    return found


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes
) -> ObjectEntry:
    """`copy_object`, then `delete_object` of the old entry. Errors of both."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path)
    await delete_object(env, repository, branch_id, source_path)
    return found


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    named: str = "commit",
    tries: int = COMMIT_TRIES,
    batch_size: int = 0,
) -> Commit:
    """Commit as today, but drop nothing; then write the committed entry.

    named: what a committed entry is called: by the ``"commit"``, one with its tokens; or by the ``"address"``, one for
        each object that the tokens have brought, with these tokens.

    Raises BranchNotFound, BranchBusy: nothing was committed.
    """
    taken = await commit_tokens(env, repository, branch_id, message, batch_size=batch_size)
    if named == "commit":
        await lists.note_committed(env, repository, taken.commit.commit_id, taken.tokens)
        return taken.commit
    shown = await changes_of(env, taken.tokens, batch_size=batch_size)
    for address in _addresses(repository, list(shown.values())):
        await lists.note_committed_too(env, repository, address, taken.tokens)
    return taken.commit


async def reset_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """Reset as today, but drop nothing; then a deleted entry for each token. Raises BranchNotFound, BranchBusy."""
    await lists.note_deleted(env, repository, await forget_tokens(env, repository, branch_id))


async def delete_branch(env: Env, repository: Repository, branch_id: BranchID, *, tombstone: bool = False) -> None:
    """Delete the branch as today; then a deleted entry for each token that its record had when it was read.

    tombstone: ours. Delete the record by replacing it, so that its tokens are known.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``tombstone``.
    """
    await lists.note_deleted(env, repository, await remove_branch(env, repository, branch_id, tombstone=tombstone))


async def background_job(
    env: Env,
    repository: Repository,
    *,
    named: str = "commit",
    committed: str = "tokens",
    moves: str = "inline",
    spares_area: bool = False,
    keeps_empty: bool = False,
    forgets_deleted: bool = False,
    batch_size: int = 0,
) -> int:
    """Go through the committed tokens, then through the deleted ones. How many objects were hard-deleted.

    named: as `commit`.
    committed: what "each committed object" of a commit is: the newest entries under its ``"tokens"``; or all that its
        ``"commit"`` record leads to.
    moves: what is done for the tokens of a commit: the logic of deleted tokens ``"inline"``, or a deleted ``"entry"``.
    spares_area: do not delete the staging area of a token that was moved to an entry.
    keeps_empty: keep the empty list of an object that was hard-deleted; else its key is deleted afterwards.
    forgets_deleted: delete the deleted entry once it is done with; the text does not say so.
    """
    deleted = 0
    async for name, tokens in lists.scan_committed(env, repository, batch_size):
        for address in await _committed(env, repository, name, tokens, named, committed, batch_size):
            await lists.forget_reference(env, repository, address)
        if moves == "entry":
            await lists.note_deleted(env, repository, tokens)
        else:
            for token in tokens:
                deleted += await _release(env, repository, token, keeps_empty, batch_size)
        await lists.forget_committed(env, repository, name)
        if not (moves == "entry" and spares_area):
            await drop_all(env, tokens, batch_size)
    async for token in lists.scan_deleted(env, repository, batch_size):
        deleted += await _release(env, repository, token, keeps_empty, batch_size)
        await drop_all(env, (token,), batch_size)
        if forgets_deleted:
            await lists.forget_deleted(env, repository, token)
    return deleted


async def _committed(
    env: Env, repository: Repository, name: str, tokens: Tokens, named: str, committed: str, batch_size: int
) -> tuple[str, ...]:
    """The addresses of the committed objects that a committed entry stands for."""
    if named == "address":
        return (name,)
    if committed == "tokens":
        return _addresses(repository, list((await changes_of(env, tokens, batch_size=batch_size)).values()))
    try:
        commit_record = await get_commit(env, repository, CommitID(name))
    except CommitNotFound:
        return ()
    entries = MetaRangeIterator(env, repository.storage_namespace, commit_record.meta_range_id)
    found = [decode_object_entry(entry.data) async for entry in entries]
    return tuple(sorted({at(repository, entry) for entry in found if owned(repository, entry)}))


def _addresses(repository: Repository, changes: Sequence[StagedEntry]) -> tuple[str, ...]:
    """Where the objects of these entries lie that are lakeFS' own."""
    found = [entry for each in changes if (entry := entry_of(each)) is not None]
    return tuple(sorted({at(repository, entry) for entry in found if owned(repository, entry)}))


async def _release(env: Env, repository: Repository, token: StagingToken, keeps_empty: bool, batch_size: int) -> int:
    """Take a token from the lists of all objects under it; hard-delete those whose list is empty then."""
    deleted = 0
    for address in _addresses(repository, await changes_under(env, token, batch_size)):
        if await lists.remove_reference(env, repository, address, token):
            await env.objects.delete(address)
            deleted += 1
            if not keeps_empty:
                await lists.forget_reference(env, repository, address)
    return deleted


async def _stage(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    entry: ObjectEntry,
    *,
    issued: bool,
    careful: bool,
    tries: int,
) -> None:
    """Stage an entry, after its reference if the object is lakeFS' own.

    issued: the object is the caller's own: make its list. careful: after the first token, it is no longer.
    """

    async def refer(token: StagingToken, first: bool) -> None:
        if owned(repository, entry):
            own = issued and (first or not careful)
            checked = careful and not (issued and first)
            await lists.add_reference(
                env, repository, at(repository, entry), token, issued=own, checked=checked, tries=tries
            )

    await stage_referred(env, repository, branch_id, change(path, entry), refer)


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

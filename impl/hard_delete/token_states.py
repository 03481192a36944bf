"""Proposal 4: the state belongs to the staging token; an object has a list of the tokens that refer to it.

Commits, resets and deletions of branches leave staged entries where they are and note the tokens; a background job goes
through the entries under those tokens, takes the tokens from the lists of their objects, and hard-deletes an object
whose list is empty. A list that is not there means: the object is committed. As the text says it; where it is silent, a
`Reading`. Source: hard-delete-uncommitted-data.md, "4. Staging Token States".

Example: s is staged at x on b, whose token is t, and copied to y on main, whose token is u::

                         references/s    other keys in the partition of the repository
    upload x on b        t
    copy it to main      t u
    reset b              t u             staging/deleted/t
    job                  u               staging/deleted/t
    reset main           u               staging/deleted/t, staging/deleted/u
    job                  no key          the same; the list was empty, and so s is deleted
"""

from collections.abc import AsyncIterable
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects
from lakeproof.impl.catalog.errors import AddressNotAllowed, GrantInvalid
from lakeproof.impl.catalog.objects import Grant, at, change, is_owned
from lakeproof.impl.committed import read_entries
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler.commits import drop_all
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.graveler.resets import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete import token_lists as lists
from lakeproof.impl.hard_delete._tokens import Refer, commit_tokens, stage_referred
from lakeproof.impl.refs.branches import create_branch, remove_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.iterators import staging_iterator
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, is_inside
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Commit, Repository, StagedEntry


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read. The defaults are the literal sentences; a named value rests on the
    sentences of the fields that it sets."""

    careful: bool = False
    """Ours. Once the entry of an upload or a link has been staged under another token, others may know the object: then
    treat its list as a copy does. "Perform `set if` on the reference with the additional staging token"."""
    once: bool = False
    """Ours. A link does not delete the token of its address, "Remove token ID", but marks it as used by `SetIf`, so
    that of two links one is refused."""
    by_tombstone: bool = False
    """Ours. A branch is deleted by replacing its record, so that its tokens are known; and not "in the same manner as
    today"."""
    named: Literal["commit", "address"] = "commit"
    """What a committed entry is called: by the ``"commit"``, one with its tokens: "create entry using `commit_id` and
    ordered list of tokens"; or by the ``"address"``, one for each object that the tokens have brought, with these
    tokens: "`<repo>/staging/committed/<physical_address>`"."""
    committed: Literal["tokens", "commit"] = "tokens"
    """What "each committed object" of a commit is: the newest entries under its ``"tokens"``; or all that its
    ``"commit"`` record leads to."""
    moves: Literal["inline", "entry", "spared"] = "inline"
    """What the job does for the tokens of a commit: "either execute the deleted tokens logic" (``"inline"``), "or
    create entries for these tokens under the deleted prefix" (``"entry"``), and then "Delete staging area"; or leave
    the staging area to those entries (``"spared"``)."""
    keeps_empty: bool = False
    """The empty list of an object that was hard-deleted stays; else its key is deleted afterwards. Silent."""
    forgets_deleted: bool = False
    """The job deletes a deleted entry once it is done with. Silent."""


# fmt: off
AS_WRITTEN: Final = Reading()
BY_ADDRESS: Final = Reading(named="address")
"""As the text first writes it."""
ENTRIES: Final = Reading(moves="entry")
ENTRIES_SPARED: Final = Reading(moves="spared")
BY_COMMIT: Final = Reading(committed="commit")
FORGETS_DELETED: Final = Reading(forgets_deleted=True)
MENDED: Final = Reading(careful=True, once=True, by_tombstone=True, committed="commit", keeps_empty=True)
"""Ours. All repairs."""
BUT_UPLOADS: Final = attrs.evolve(MENDED, careful=False)
BUT_LINKS: Final = attrs.evolve(MENDED, once=False)
BUT_EMPTY_LISTS: Final = attrs.evolve(MENDED, keeps_empty=False)
BUT_BRANCHES: Final = attrs.evolve(MENDED, by_tombstone=False)
"""All repairs but one. `BUT_UPLOADS` is careless about links, too."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """1. Write the object; 2. read its list; 3. add the token by `SetIf`; 4. stage the entry.
    Raises BranchNotFound: the object is left behind; ObjectBusy; WriteNotSettled (indefinite); AddressDeleted, if
    careful."""
    entry = await objects.put_data(env, repository, content)
    refer = _refer(env, repository, entry, issued=True, careful=reading.careful)
    await stage_referred(env, repository, branch_id, change(path, entry), refer)
    return entry


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes
) -> ObjectEntry:
    """Stage an entry for an object outside the namespace. Raises AddressNotAllowed for one inside; and as
    `writes.set_entry`."""
    if is_inside(repository.storage_namespace, address):
        raise AddressNotAllowed(address)
    entry = objects.entry_at(repository, address, content)
    await stage_referred(env, repository, branch_id, change(path, entry))
    return entry


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address and a token that is good for one link. 1 effect."""
    address = f"{repository.storage_namespace}/{objects.new_address(env)}"
    token = env.ids.unique("address token")
    await env.store.set(uid_partition(repository), lists.ISSUED + token.encode(), address.encode())
    return Grant(address, token)


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """1. Check the token; 2. remove it, add the reference, stage the entry.
    Raises AddressNotAllowed, GrantInvalid, BranchNotFound; ObjectBusy, WriteNotSettled (indefinite)."""
    objects.check_grant(repository, grant)
    partition, key = uid_partition(repository), lists.ISSUED + grant.token.encode()
    found = await env.store.find(partition, key)
    # The token is good for one address only; USED is no address.
    if found is None or found.value != grant.address.encode():
        raise GrantInvalid(grant.token)
    if not reading.once:
        await env.store.delete(partition, key)
    # Of two links one replaces the address; the other finds the predicate failed.
    elif not await env.store.try_set_if(partition, key, lists.USED, found.predicate):
        raise GrantInvalid(grant.token)
    entry = objects.entry_at(repository, grant.address, content)
    refer = _refer(env, repository, entry, issued=True, careful=reading.careful)
    await stage_referred(env, repository, branch_id, change(path, entry), refer)
    return entry


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes
) -> ObjectEntry:
    """A second entry for the same object: add the token to the object's list; where there is none, the object is taken
    for committed, and needs none.
    Raises PathNotFound, BranchNotFound, BranchBusy; AddressDeleted: the list is empty; ObjectBusy; WriteNotSettled
    (indefinite)."""
    found = await objects.find_object(env, repository, source_branch_id, source_path)
    refer = _refer(env, repository, found, issued=False, careful=True)
    await stage_referred(env, repository, branch_id, change(path, found), refer)
    return found


def _refer(env: Env, repository: Repository, entry: ObjectEntry, *, issued: bool, careful: bool) -> Refer:
    """What is done before an entry is staged: add the token to the list of the object, if it is lakeFS' own.

    issued: the object is the caller's own: make its list. careful: after the first token, it is no longer.
    """

    async def refer(token: StagingToken, first: bool) -> None:
        if is_owned(repository, entry):
            # Once an entry was staged, the object may be committed, or deleted by the job: then its list is that of
            # others.
            own, checked = issued and (first or not careful), careful and not (issued and first)
            await lists.add_reference(env, repository, at(repository, entry), token, issued=own, checked=checked)

    return refer


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes
) -> ObjectEntry:
    """`copy_object`, then a delete of the old entry as today. Errors of both."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path)
    await objects.unless_gone(objects.delete_object(env, repository, branch_id, source_path))
    return found


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> Commit:
    """Commit as today, but drop nothing; then write the committed entry.
    Raises BranchNotFound, BranchBusy: nothing was committed."""
    # After the branch: a commit that crashes in between leaves its tokens unnoted, and the lists of its objects for
    # good.
    taken = await commit_tokens(env, repository, branch_id, message, batch_size=batch_size)
    if reading.named == "commit":
        await lists.note_committed(env, repository, taken.commit.commit_id, taken.tokens)
        return taken.commit
    for address in await _staged_addresses(env, repository, taken.tokens, batch_size):
        await lists.note_committed_too(env, repository, address, taken.tokens)
    return taken.commit


async def reset_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """Reset as today, but drop nothing; then a deleted entry for each token. Raises BranchNotFound, BranchBusy."""
    await lists.note_deleted(env, repository, await forget_tokens(env, repository, branch_id))


async def delete_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN
) -> None:
    """Delete the branch as today; then a deleted entry for each token that its record had when it was read.
    Raises BranchNotFound, DefaultBranch; RefChanged, if `Reading.by_tombstone`."""
    dropped = await remove_branch(env, repository, branch_id, tombstone=reading.by_tombstone)
    await lists.note_deleted(env, repository, dropped)


async def background_job(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> int:
    """Go through the committed tokens, then through the deleted ones. How many objects were hard-deleted."""
    deleted = 0
    async for name, tokens in lists.scan(env, repository, lists.COMMITTED, batch_size):
        # Without a list an object counts as committed.
        for address in await _committed_addresses(env, repository, name, tokens, reading, batch_size):
            await lists.forget(env, repository, lists.reference_key(address))
        # What has been committed has no list from here on, so that `_release` leaves it alone.
        if reading.moves == "inline":
            for token in tokens:
                deleted += await _release(env, repository, token, reading, batch_size)
        else:
            await lists.note_deleted(env, repository, tokens)
        await lists.forget(env, repository, lists.COMMITTED + name.encode())
        if reading.moves != "spared":
            # With ``"entry"`` the deleted entry finds the staging area empty, and takes the token from no list.
            await drop_all(env, tokens, batch_size)
    async for name, _ in lists.scan(env, repository, lists.DELETED, batch_size):
        deleted += await _release(env, repository, StagingToken(name), reading, batch_size)
        await drop_all(env, (StagingToken(name),), batch_size)
        if reading.forgets_deleted:
            await lists.forget(env, repository, lists.DELETED + name.encode())
    return deleted


async def _committed_addresses(
    env: Env, repository: Repository, name: str, tokens: Tokens, reading: Reading, batch_size: int
) -> tuple[str, ...]:
    """Where the committed objects lie that a committed entry stands for."""
    if reading.named == "address":
        return (name,)
    if reading.committed == "tokens":
        return await _staged_addresses(env, repository, tokens, batch_size)
    try:
        record = await get_commit(env, repository, CommitID(name))
    except CommitNotFound:  # the record went away with its repository
        return ()
    entries = read_entries(env, repository.storage_namespace, record.meta_range_id)
    return await _addresses(repository, entries)


async def _staged_addresses(env: Env, repository: Repository, tokens: Tokens, batch_size: int) -> tuple[str, ...]:
    """The addresses of the objects of the newest entries under these tokens."""
    return await _addresses(repository, changes(env, tokens, batch_size=batch_size))


async def _addresses(repository: Repository, entries: AsyncIterable[StagedEntry | Entry]) -> tuple[str, ...]:
    """Where the objects of these entries lie that are lakeFS' own, sorted."""
    found: set[str] = set()
    # A set: an object may be staged at several paths, and has one list.
    async for each in entries:
        entry = None if each.data is None else decode_object_entry(each.data)
        if entry is not None and is_owned(repository, entry):
            found.add(at(repository, entry))
    return tuple(sorted(found))


async def _release(env: Env, repository: Repository, token: StagingToken, reading: Reading, batch_size: int) -> int:
    """Take a token from the lists of all objects under it; hard-delete those whose list is empty then."""
    deleted = 0
    for address in await _addresses(repository, staging_iterator(env, token, batch_size=batch_size)):
        if await lists.remove_reference(env, repository, address, token):
            # The list is empty, which stops copies that look. Then the object goes, and the key last.
            await env.objects.delete(address)
            deleted += 1
            if not reading.keeps_empty:
                await lists.forget(env, repository, lists.reference_key(address))
    return deleted


FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=objects.delete_object, read_object=objects.read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, background_job=background_job)

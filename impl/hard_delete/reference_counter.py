"""Proposal 2: a counter in the metadata of each object tells how many entries refer to it.

Who adds an entry counts it, who removes one counts it off, and who comes to 0 hard-deletes the object. Commits do not
count: "The way we are handling the staged data in lakeFS, will not change in any other way". As the text says it; where
it is silent, a `Reading`. Source: hard-delete-uncommitted-data.md, "2. Reference Counter on Object Metadata".

Example, with `SHALLOW` copies::

                      x     y     counter of s
    upload x          s           1               put with the object
    copy x to y       s     s     2               counted, then staged
    delete x          -     s     1               a tombstone is staged, then counted off
    reset                         0               and s is deleted

As a commit counts nothing, `AS_WRITTEN` loses data: upload x, commit, delete x comes to 0, and deletes what the commit
has.
"""

from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects
from lakeproof.impl.catalog.objects import Grant, at, is_owned
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import resets, writes
from lakeproof.impl.graveler.resets import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete._counters import ONE, Kind, decrement, drop_counted, increment, release
from lakeproof.impl.hard_delete._tokens import stage_referred
from lakeproof.impl.refs.branches import create_branch, get_branch, remove_branch
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import get_staged, tombstone
from lakeproof.model import kv
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Repository, StagedEntry

DROPPED_PREFIX: Final = b"dropped/"
"""Of the keys, in the repository's partition, that name tokens whose entries a background job shall drop."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read. The defaults are the literal sentences; a named value rests on the
    sentences of the fields that it sets."""

    kind: Kind = "gcs"
    """The conditions of the store: "For each storage adapter (AWS, GC, AZ), we will use a builtin logic"."""
    overwrites: Literal["leave", "release", "exchange"] = "leave"
    """What becomes of the object of an entry that a new one replaces: ``"leave"`` it counted; ``"release"`` it; or
    replace the entry by `SetIf`, and release its object (``"exchange"``). Silent: no step is for the earlier entry."""
    follows: bool = False
    """Count an entry once more each time that it is staged again because the branch's token has changed. Silent."""
    rollback: Literal["any", "definite", "unstaged", "never"] = "any"
    """After which failures of staging an entry its count is taken back: "If the object's write to object store fails -
    rollback the metadata update". Staging writes no object, so this is read as the staging of the entry.
    ``"unstaged"``: after a definite one before which no token was tried."""
    revives: bool = True
    """A link counts an object whose counter is 0, too: "Read object's metadata. Increment counter". One that has no
    counter is counted always, for users put none."""
    full: bool = True
    """A copy copies the object to a fresh address: "Copy operation requires to be changed and implemented is full
    copy". Else it stages the address once more, as Stage does."""
    carries: bool = False
    """A full copy takes the metadata along, as a plain copy in an object store does; else its counter is 1. Silent."""
    deletes: Literal["any", "staged", "settled"] = "any"
    """Of which entries a delete counts off the object: of ``"any"``, committed ones too; of ``"staged"`` ones; or of
    one that the tombstone replaces, by `SetIf`, under a token that is still the open one afterwards (``"settled"``).
    "Read object's metadata [...] Decrement counter": silent on which."""
    counter_first: bool = False
    """A delete counts before its tombstone is staged. Silent."""
    in_job: bool = False
    """Resets and deletions of branches leave the drop to `background_job`, by a note: "leverage the new KV drop async
    functionality to also check and hard-delete objects as needed"."""
    claims: bool = False
    """A drop replaces each entry by a tombstone, by `SetIf`, before its object is counted off. Silent."""
    counts_restored: bool = False
    """A reset of a path that is sealed counts the committed object whose entry it stages anew. Silent."""
    by_tombstone: bool = False
    """A branch's record is replaced, if it is still the one that was read, by one that says that it is gone. Silent."""


# fmt: off
AS_WRITTEN: Final = Reading()
S3: Final = Reading(kind="s3")
"""The ETag, which does not cover metadata: "AWS S3 does not"."""
AZURE: Final = Reading(kind="azure")
"""If-Match on an ETag that covers metadata."""
RELEASES: Final = Reading(overwrites="release", deletes="staged")
"""What removes an entry from a token counts it off, an overwriting upload, too."""
DELETES_STAGED: Final = Reading(deletes="staged")
DELETES_SETTLED: Final = Reading(deletes="settled")
SHALLOW: Final = Reading(full=False)
CARRIES: Final = Reading(carries=True)
COUNTER_FIRST: Final = Reading(counter_first=True)
ROLLBACK_DEFINITE: Final = Reading(rollback="definite")
ROLLBACK_NEVER: Final = Reading(rollback="never")
JOB: Final = Reading(in_job=True, full=False)
JOB_CLAIMS: Final = attrs.evolve(JOB, claims=True)
CAREFUL: Final = Reading(
    overwrites="exchange", follows=True, rollback="definite", revives=False, full=False, deletes="settled",
    claims=True, counts_restored=True, by_tombstone=True)
"""Ours. A delete counts off only what it has surely taken out; each staging is counted; drops happen once."""
CAREFUL_UNSTAGED: Final = attrs.evolve(CAREFUL, rollback="unstaged")
"""Only the client that takes an entry out counts it off, and never the one that has staged it."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Put an object whose counter is 1, and stage an entry for it.
    Raises BranchNotFound, ObjectBusy: the object is left behind; AddressDeleted: what was staged under an earlier token
    was dropped, and the object with it. WriteNotSettled (indefinite)."""
    entry = await objects.put_data(env, repository, content, ONE)
    return await _stage(env, repository, branch_id, path, entry, reading, [])


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an entry for an object that is there already; in the namespace, count it first.
    Raises AddressDeleted, ObjectBusy; and as `upload_object`."""
    return await _refer(env, repository, branch_id, path, objects.entry_at(repository, address, content), reading)


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Count the object at an issued address, then stage the entry. The text has no rollback here.
    Raises AddressNotAllowed; and as `stage_object`."""
    objects.check_grant(repository, grant)
    entry = objects.entry_at(repository, grant.address, content)
    # A user's put has no counter. A counter of 0 is an object that is about to be deleted, or is already.
    await increment(env, grant.address, reading.kind, accepts="all" if reading.revives else "uncounted")
    return await _stage(env, repository, branch_id, path, entry, reading, [])


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy an object to a path. Raises PathNotFound, BranchNotFound, BranchBusy; DataGone; and as `stage_object`."""
    found = await objects.find_object(env, repository, source_branch_id, source_path)
    if not reading.full:
        return await _refer(env, repository, branch_id, path, found, reading)
    # With the counter of the source, a copy of an object that has two entries would never come down to 0.
    entry = await objects.copy_data(env, repository, found, metadata=None if reading.carries else ONE)
    return await _stage(env, repository, branch_id, path, entry, reading, [])


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """`copy_object`, then `delete_object` of the old entry, unless it is gone since. Errors of both."""
    copied = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
    # The two together leave the counter of an object that both entries share as it was.
    await objects.unless_gone(delete_object(env, repository, branch_id, source_path, reading=reading))
    return copied


async def delete_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Stage a tombstone, and count off the object of the entry that was there.
    Raises PathNotFound, BranchNotFound, BranchBusy; WriteNotSettled (indefinite)."""
    found: ObjectEntry | None = await objects.find_object(env, repository, branch_id, path)
    if reading.deletes == "settled":
        # The tombstone has replaced just this entry, so no other client counts it off.
        found = (await stage_referred(env, repository, branch_id, tombstone(path), exchanges=True)).before
    elif reading.deletes == "staged":
        found = await _staged_entry(env, repository, branch_id, path)
    if found is not None and reading.counter_first:
        await release(env, repository, found, reading.kind)
    if reading.deletes != "settled":  # staged above
        await writes.delete_entry(env, repository, branch_id, path)
    if found is not None and not reading.counter_first:
        await release(env, repository, found, reading.kind)


async def reset_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Swap the token; then drop the entries that were staged, and count off their objects.
    Raises BranchNotFound, BranchBusy: nothing was reset."""
    await _drop_all(env, repository, await forget_tokens(env, repository, branch_id), reading, batch_size)


async def reset_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Forget the uncommitted change of one path, as `resets.reset_entry` does in place; what it forgets stays
    counted. Raises BranchNotFound; AddressDeleted, ObjectBusy; WriteNotSettled (indefinite)."""

    async def brought(back: StagedEntry) -> StagedEntry:
        entry = objects.entry_of(back)
        if reading.counts_restored and entry is not None and is_owned(repository, entry):
            await increment(env, at(repository, entry), reading.kind)
        return back

    await resets.reset_entry(env, repository, branch_id, path, forgets=resets.IN_PLACE, brought=brought)


async def delete_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Delete the record, then as `reset_branch`. Raises BranchNotFound, DefaultBranch; RefChanged, by a tombstone."""
    dropped = await remove_branch(env, repository, branch_id, tombstone=reading.by_tombstone)
    await _drop_all(env, repository, dropped, reading, batch_size)


async def background_job(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> int:
    """Drop what resets and deletions of branches have left: how many tokens. See `Reading.in_job`."""
    dropped = 0
    async for note in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=DROPPED_PREFIX):
        token = StagingToken(note.key.removeprefix(DROPPED_PREFIX).decode())
        await drop_counted(env, repository, token, reading.kind, claims=reading.claims, batch_size=batch_size)
        # The note last: a crash repeats the drop of what is left.
        await env.store.delete(uid_partition(repository), note.key)
        dropped += 1
    return dropped


async def _refer(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, entry: ObjectEntry, reading: Reading
) -> ObjectEntry:
    """Count an object, if it is lakeFS' own, and stage an entry for it; if that fails, count it off."""
    counted = is_owned(repository, entry)
    if counted:
        await increment(env, at(repository, entry), reading.kind)
    tried = list[StagingToken]()
    try:
        return await _stage(env, repository, branch_id, path, entry, reading, tried)
    except (kv.KVError, FlowError) as error:
        # After an indefinite failure the entry may be staged, and would then have no count. After a refusal by the
        # store, too, if a token was tried.
        undone = {"any": True, "definite": error.definite, "unstaged": error.definite and not tried, "never": False}
        if counted and undone[reading.rollback]:
            await decrement(env, at(repository, entry), reading.kind)
        raise


async def _stage(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, entry: ObjectEntry, reading: Reading,
    tried: list[StagingToken]
) -> ObjectEntry:
    """Stage an entry that is counted once. tried: gets the tokens under which it may be staged."""

    async def refer(token: StagingToken, first: bool) -> None:
        tried.append(token)
        # Under a further token the entry of the first one may still be there, so there are two.
        if reading.follows and not first and is_owned(repository, entry):
            await increment(env, at(repository, entry), reading.kind)

    staged = await stage_referred(
        env, repository, branch_id, objects.change(path, entry), refer,
        looks=reading.overwrites != "leave", exchanges=reading.overwrites == "exchange")
    # A retry that finds its own entry has replaced nothing.
    if staged.before is not None and staged.before.address != entry.address:
        await release(env, repository, staged.before, reading.kind)
    return entry


async def _staged_entry(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> ObjectEntry | None:
    """The entry that is staged at a path, under any token of the branch."""
    for token in (await get_branch(env, repository, branch_id)).tokens:
        found = await get_staged(env, token, path)
        if found is not None:
            return objects.entry_of(found[0])
    return None


async def _drop_all(env: Env, repository: Repository, dropped: Tokens, reading: Reading, batch_size: int) -> None:
    for token in dropped:
        if reading.in_job:
            await env.store.set(uid_partition(repository), DROPPED_PREFIX + token.encode(), b"dropped")
        else:
            await drop_counted(env, repository, token, reading.kind, claims=reading.claims, batch_size=batch_size)


FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=objects.get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=objects.read_object, commit=objects.commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, reset_entry=reset_entry,
    background_job=background_job)

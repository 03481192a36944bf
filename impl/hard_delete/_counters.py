"""The reference counter in an object's metadata, and the ways in which three kinds of object stores change it.

A change is read, then write back under the condition that the store offers. S3's condition is the ETag, which knows
nothing of metadata. Source: hard-delete-uncommitted-data.md, "2. Reference Counter on Object Metadata", "Atomic
reference counter".
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal

from lakeproof.impl.catalog.errors import AddressDeleted, ObjectBusy
from lakeproof.impl.catalog.objects import at, entry_of, is_owned
from lakeproof.impl.effects import Env
from lakeproof.impl.staging import changes_under, get_staged, stage_if, tombstone, unstage
from lakeproof.model import objects
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.objects import Head, Metadata
from lakeproof.model.records import Repository

Kind = Literal["s3", "gcs", "azure"]
Accepts = Literal["counted", "uncounted", "all"]

COUNTER: Final = "references"
ONE: Final[Metadata] = ((COUNTER, "1"),)
"""The metadata of a new object."""
TRIES: Final = 3


def counter_of(metadata: Metadata) -> int | None:
    """How many refer to an object, as its metadata says; None where it says nothing."""
    found = dict(metadata).get(COUNTER)
    return None if found is None else int(found)


def with_counter(metadata: Metadata, counter: int) -> Metadata:
    """The same metadata with another counter."""
    return tuple(sorted({**dict(metadata), COUNTER: str(counter)}.items()))


async def write_counter(env: Env, head: Head, counter: int, kind: Kind) -> None:
    """Write a counter over the metadata that was read. 1 effect.

    ``"s3"``: copy the object onto itself if the ETag is the same; ``"gcs"``: ``patch object`` with
    ``ifMetagenerationMatch``; ``"azure"``: ``set blob metadata`` with If-Match. Raises ObjectNotFound;
    PreconditionFailed.
    """
    metadata = with_counter(head.metadata, counter)
    match kind:
        # S3 changes metadata by a copy onto itself only. Its ETag is that of the content, so the condition does not see
        # that another client has changed the counter, and one of two changes is lost.
        case "s3":
            await env.objects.copy(head.address, head.address, metadata, if_match=head.etag)
        case "gcs":
            # Counts changes of the metadata alone.
            await env.objects.set_metadata(head.address, metadata, if_metageneration=head.metageneration)
        case "azure":
            # The ETag of a blob changes with its metadata, too.
            await env.objects.set_metadata(head.address, metadata, if_version=head.version)


async def increment(env: Env, address: str, kind: Kind, *, accepts: Accepts = "counted") -> None:
    """One more refers to the object at a physical address. 2 effects, and 2 for each time that another came first.

    accepts: what may be referred to: what is ``"counted"`` already, 1 or more; what has no counter (``"uncounted"``),
        too; or ``"all"``, what has come down to 0, too.
    Raises AddressDeleted: there is no object, or one that may not be referred to; ObjectBusy.
    """

    def more(counter: int | None) -> int | None:
        # No counter: put by a user, not counted yet. A counter of 0: about to be deleted.
        refused = accepts == "counted" if counter is None else counter == 0 and accepts != "all"
        return None if refused else (counter or 0) + 1

    if await _recount(env, address, kind, more) is None:
        raise AddressDeleted(address)


async def decrement(env: Env, address: str, kind: Kind) -> int | None:
    """One fewer refers to the object at a physical address: the counter now. Effects as `increment`. None: nothing was
    counted, for the object is gone, or has no counter. Raises ObjectBusy."""
    # A count that was lost must not make it negative.
    return await _recount(env, address, kind, lambda counter: None if counter is None else max(counter - 1, 0))


async def _recount(env: Env, address: str, kind: Kind, change: Callable[[int | None], int | None]) -> int | None:
    """The counter as it is changed; None where there is no object, or where there is nothing to change."""
    for _ in range(TRIES):
        try:
            head = await env.objects.head(address)
            counter = change(counter_of(head.metadata))
            if counter is not None:
                await write_counter(env, head, counter, kind)
        except objects.ObjectNotFound:  # of the read, or of the write: it was deleted in between
            return None
        except objects.PreconditionFailed:
            continue
        return counter
    raise ObjectBusy(address)


async def release(env: Env, repository: Repository, entry: ObjectEntry, kind: Kind) -> None:
    """An entry refers to its object no more: count that, and hard-delete the object that no entry refers to. 2 or 3
    effects. What is not in the namespace is left alone; so is a counter that others change all the time: the object is
    then never deleted."""
    with suppress(ObjectBusy):
        # Two steps: a client that refers to the object in between has counted an object that is deleted now.
        if is_owned(repository, entry) and await decrement(env, at(repository, entry), kind) == 0:
            await env.objects.delete(at(repository, entry))


async def drop_counted(
    env: Env, repository: Repository, token: StagingToken, kind: Kind, *, claims: bool, batch_size: int
) -> None:
    """Delete all changes under a token, and count off their objects: a scan, and 3 or 4 effects per change.

    claims: before its object is counted off, replace each entry by a tombstone, by `SetIf`: 2 effects more.
    """
    for scanned in await changes_under(env, token, batch_size):
        entry = await _claim(env, token, scanned.key) if claims else entry_of(scanned)
        if entry is not None:
            await release(env, repository, entry, kind)
        # Last: after a crash the entry is still there, and is counted off again by the next drop.
        await unstage(env, token, scanned.key)


async def _claim(env: Env, token: StagingToken, path: bytes) -> ObjectEntry | None:
    """Take an entry out of a token of no branch: None where there is none, or another has taken it. 2 effects."""
    found = await get_staged(env, token, path)
    if found is None or found[0].data is None:
        return None
    # Of two clients that drop the token, one replaces the entry, and counts.
    return entry_of(found[0]) if await stage_if(env, token, tombstone(path), found[1]) else None

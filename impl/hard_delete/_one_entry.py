"""What keeps an object to one entry: the signature of its address, and the lock of the entry.

An address says for which path of which branch it was issued, so that no other path can use it. The signature stands for
one with a secret key, which users cannot make.

A lock is a mark in the value of a staged entry, set by `SetIf`, that keeps uploads, moves and deletes apart. The text
gives the staged ``Value`` a field ``Locked bool``. Here the mark is a pair of the object entry's metadata; the entry's
identity is that of the entry without it. Whatever is committed with the mark is not locked by it. Source:
hard-delete-uncommitted-data.md, "5. No Copies", "Object Locking".
"""

from typing import Final

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, EntryLocked
from lakeproof.impl.catalog.objects import change, copy_data, entry_of
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.staging import get_staged, stage_if
from lakeproof.model import kv
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, data_address, encode_object_entry, is_inside
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.objects import etag
from lakeproof.model.records import Repository, StagedEntry

LENGTH: Final = 8  # of a signature
LOCKED: Final = "locked"
FOREVER: Final = "true"
TRIES: Final = 3


def signature(repository: Repository, branch_id: BranchID, path: bytes, name: str) -> str:
    """Of repository, branch and path, and of what makes the address unique."""
    signed = b"\0".join((repository.repository_id.encode(), branch_id.encode(), path, name.encode()))
    return etag(signed)[:LENGTH]


def signed_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> str:
    """A relative address that was never issued before, for one path of one branch."""
    name = env.ids.unique("address")
    return data_address(f"{name}.{signature(repository, branch_id, path, name)}")


async def copy_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, entry: ObjectEntry
) -> ObjectEntry:
    """Copy the object of an entry to a fresh address for a path. 1 effect. Raises DataGone."""
    address = signed_address(env, repository, branch_id, path)
    return without_lock(await copy_data(env, repository, entry, address=address))


def check_address(repository: Repository, branch_id: BranchID, path: bytes, address: str) -> None:
    """Raises AddressNotAllowed for a physical address in the namespace that was issued for something else."""
    if not is_inside(repository.storage_namespace, address):
        return  # outside the namespace lakeFS deletes nothing, so an object there may have several entries
    # The name has no dot; an address that was not issued here has no valid signature.
    name, _, found = address.removeprefix(f"{repository.storage_namespace}/{DATA_PREFIX}").rpartition(".")
    if found != signature(repository, branch_id, path, name):
        raise AddressNotAllowed(address)


@attrs.frozen(cache_hash=True)
class StagedValue:
    """What is staged at a path under a token: an entry that this call has locked, or has found free; or none."""

    token: StagingToken
    entry: ObjectEntry | None = None
    """Without the mark. None: nothing is staged, or a tombstone."""
    value: StagedEntry | None = None
    """As it is staged; None: nothing is."""

    @property
    def predicate(self) -> kv.Predicate:
        """That replaces just this value."""
        # A predicate compares values, so the value that was read is one.
        return None if self.value is None else encode(self.value)


def without_lock(entry: ObjectEntry) -> ObjectEntry:
    """The entry without the mark."""
    return attrs.evolve(entry, metadata=tuple(pair for pair in entry.metadata if pair[0] != LOCKED))


def locked_change(path: bytes, entry: ObjectEntry, mark: str) -> StagedEntry:
    """The staged change that puts an entry at a path, locked. mark: ``"true"``, or until when the lock holds (µs)."""
    marked = attrs.evolve(entry, metadata=tuple(sorted((*without_lock(entry).metadata, (LOCKED, mark)))))
    # The identity of the unlocked entry: a commit must not take a lock for a change.
    return attrs.evolve(change(path, without_lock(entry)), data=encode_object_entry(marked))


async def free_entry(env: Env, value: StagedEntry, lease: int) -> ObjectEntry | None:
    """The entry of a staged change, without a mark; None of a tombstone, or where it is locked now."""
    entry = entry_of(value)
    mark = None if entry is None else dict(entry.metadata).get(LOCKED)
    if entry is None or mark is None:
        return entry
    # Of two clocks: the mark was made by that of the client that holds the lock.
    over = lease and mark != FOREVER and await env.clock.now() > int(mark)
    return without_lock(entry) if over else None


async def hold(env: Env, token: StagingToken, path: bytes, *, locks: bool = True, lease: int = 0) -> StagedValue:
    """What is staged at a path under a token, if it is free; an entry is locked. 2 effects, and 2 for each change that
    it meets. locks: without it only look, 1 effect.

    Raises EntryLocked: another holds the lock, or the entry changed `TRIES` times.
    """
    for _ in range(TRIES):
        found = await get_staged(env, token, path)
        if found is None or found[0].data is None:
            # A tombstone needs no lock, but its value is the predicate of what replaces it.
            return StagedValue(token, None, None if found is None else found[0])
        entry = await free_entry(env, found[0], lease)
        if entry is None:
            raise EntryLocked(path)
        free = StagedValue(token, entry, found[0])
        if not locks:
            return free
        # Another write came between: look again.
        if (held := await stage_locked(env, path, entry, over=free, lease=lease)) is not None:
            return held
    raise EntryLocked(path)


async def stage_locked(
    env: Env, path: bytes, entry: ObjectEntry, *, over: StagedValue, lease: int
) -> StagedValue | None:
    """Stage an entry, locked, over just what was seen. 1 effect, and 1 for the clock if there is a lease. None: it has
    changed."""
    # The mark replaces the value, so a client that has read the unlocked entry fails by its predicate.
    marked = locked_change(path, entry, str(await env.clock.now() + lease) if lease else FOREVER)
    done = await stage_if(env, over.token, marked, over.predicate)
    return StagedValue(over.token, without_lock(entry), marked) if done else None

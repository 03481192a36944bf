"""Objects on branches as they are today: an upload writes an object under a fresh address and stages an entry for it;
nothing is ever hard-deleted.

Example: on b, whose token is t, one after the other::

                          objects              staged under t                     committed
    upload 1 to x         data/a1              x: data/a1
    upload 2 to x         data/a1, data/a2     x: data/a2
    copy x to y           data/a1, data/a2     x: data/a2, y: data/a2
    delete x              data/a1, data/a2     x: tombstone, y: data/a2
    commit                data/a1, data/a2                                        y: data/a2

From the second upload on nothing refers to data/a1: it is garbage, which the proposals delete, each in its own way.

All proposals of the hard-delete document have these flows, with these names and arguments. What they share is here.
Source: hard-delete-uncommitted-data.md; lakeFS ``pkg/catalog``.
"""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import reads, writes
from lakeproof.impl.graveler.lock_free import commit as commit
from lakeproof.impl.graveler.resets import reset_branch as reset_branch
from lakeproof.impl.refs.branches import delete_branch as delete_branch
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model import objects
from lakeproof.model.catalog import (
    DATA_PREFIX,
    AddressType,
    ObjectEntry,
    data_address,
    decode_object_entry,
    encode_object_entry,
    identity_of,
    is_inside,
    physical_address,
)
from lakeproof.model.identifiers import BranchID
from lakeproof.model.objects import etag
from lakeproof.model.records import Repository, StagedEntry


@attrs.frozen(cache_hash=True)
class Grant:
    """A physical address that was issued to a user, who puts an object there himself and links it afterwards."""

    address: str  # physical, unlike that of an entry: the user puts the object there by it
    token: str = ""
    """What the user must show when he links it; empty where a design asks for none."""
    expires: int = 0  # microseconds since 1970; 0: never


def new_address(env: Env) -> str:
    """A fresh relative address."""
    return data_address(env.ids.unique("address"))


async def object_entry(env: Env, address: str, content: bytes) -> ObjectEntry:
    """The entry of an object that was put at a relative address."""
    return ObjectEntry(
        address=address, e_tag=etag(content), size_bytes=len(content), last_modified=await env.clock.now()
    )


def entry_at(repository: Repository, address: str, content: bytes) -> ObjectEntry:
    """The entry of an object at a physical address: relative where it lies in the namespace, else in full."""
    if is_inside(repository.storage_namespace, address):
        # Without the slash: addresses of entries are relative to the namespace.
        relative = address.removeprefix(f"{repository.storage_namespace}/")
        return ObjectEntry(address=relative, e_tag=etag(content), size_bytes=len(content))
    return ObjectEntry(address=address, address_type=AddressType.FULL, e_tag=etag(content), size_bytes=len(content))


def at(repository: Repository, entry: ObjectEntry) -> str:
    """Where the object of an entry lies."""
    return physical_address(repository.storage_namespace, entry)


def is_owned(repository: Repository, entry: ObjectEntry) -> bool:
    """Whether the object of an entry is lakeFS' own, to be hard-deleted one day."""
    return is_inside(repository.storage_namespace, at(repository, entry))


def check_grant(repository: Repository, grant: Grant) -> None:
    """Raises AddressNotAllowed for an address where none is issued."""
    # A namespace ``s3://a`` must not include ``s3://ab``, nor the folder of the metadata.
    if not grant.address.startswith(f"{repository.storage_namespace}/{DATA_PREFIX}"):
        raise AddressNotAllowed(grant.address)


def change(path: bytes, entry: ObjectEntry) -> StagedEntry:
    """The staged change that puts an entry at a path."""
    data = encode_object_entry(entry)
    return StagedEntry(key=path, identity=identity_of(data), data=data)


def entry_of(staged: StagedEntry) -> ObjectEntry | None:
    """The object entry of a staged change; None for a tombstone."""
    return None if staged.data is None else decode_object_entry(staged.data)


async def stage(env: Env, repository: Repository, branch_id: BranchID, path: bytes, entry: ObjectEntry) -> None:
    """Stage an entry. Effects and errors as `writes.set_entry`."""
    staged = change(path, entry)
    assert staged.data is not None  # `change` makes no tombstone
    await writes.set_entry(env, repository, branch_id, path, staged.identity, staged.data)


async def find_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> ObjectEntry:
    """The object entry of a branch at a path. Effects and errors as `reads.get_entry`."""
    found = await reads.get_entry(env, repository, branch_id, path)
    return decode_object_entry(found.data)


async def read_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, looks: int = 1) -> bytes:
    """The content of a branch at a path. 1 effect more than `find_object`; and where the object is gone, both again.

    looks: how often to look the entry up. An object may be hard-deleted between the two reads because its entry was
        replaced; who looks again finds the entry that took its place. A reader that is overtaken ``looks`` times, or
        finds the same entry again, raises DataGone.

    Raises PathNotFound, BranchNotFound, BranchBusy; DataGone.
    """
    return await read_found(env, repository, partial(find_object, env, repository, branch_id, path), looks)


async def read_found(
    env: Env, repository: Repository, find: Callable[[], Coroutine[object, object, ObjectEntry]], looks: int
) -> bytes:
    """The content of the entry that ``find`` finds; see `read_object`."""
    entry = await find()
    for left in reversed(range(looks)):  # ``left``: how many looks are left after this one
        try:
            return await read_data(env, at(repository, entry))
        except DataGone:
            again = await find() if left else entry
            # The same entry without its object is no race: a second read would find the same.
            if again == entry:
                raise
        entry = again
    raise AssertionError("looks: expected at least one")


async def read_data(env: Env, address: str) -> bytes:
    """The object at a physical address. 1 effect. Raises DataGone."""
    try:
        return await env.objects.get(address)
    except objects.ObjectNotFound:
        raise DataGone(address) from None


async def put_data(env: Env, repository: Repository, content: bytes, metadata: objects.Metadata = ()) -> ObjectEntry:
    """Put an object under a fresh address: its entry. 1 effect, and 1 for the clock."""
    address = new_address(env)
    # The object first. An entry without its object would be a path that cannot be read; the converse is garbage.
    await env.objects.put(f"{repository.storage_namespace}/{address}", content, metadata)
    return await object_entry(env, address, content)


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes
) -> ObjectEntry:
    """Put an object under a fresh address, and stage an entry for it. 1 effect more than `writes.set_entry`,
    and 1 for the clock.

    Raises:
        BranchNotFound: the object is left behind. WriteNotSettled (indefinite).
    """
    entry = await put_data(env, repository, content)
    await stage(env, repository, branch_id, path, entry)
    return entry


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes
) -> ObjectEntry:
    """Stage an entry for an object that is at a physical address already, in the namespace or not; ``content`` is what
    the caller says is there."""
    entry = entry_at(repository, address, content)  # trusted: the size and the ETag are not compared with the object
    await stage(env, repository, branch_id, path, entry)
    return entry


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address for an object that the user will put there himself."""
    return Grant(f"{repository.storage_namespace}/{new_address(env)}")


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes
) -> ObjectEntry:
    """Stage an entry for the object at an issued address. Raises AddressNotAllowed: it lies elsewhere."""
    check_grant(repository, grant)
    return await stage_object(env, repository, branch_id, path, grant.address, content)


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
) -> ObjectEntry:
    """Copy an object to a path: a second entry for the same object.

    Raises:
        PathNotFound, BranchNotFound; WriteNotSettled (indefinite).
    """
    found = await find_object(env, repository, source_branch_id, source_path)
    await stage(env, repository, branch_id, path, found)
    return found


async def copy_data(
    env: Env,
    repository: Repository,
    entry: ObjectEntry,
    *,
    address: str | None = None,
    metadata: objects.Metadata | None = None,
) -> ObjectEntry:
    """Copy the object of an entry to a relative address, or to a fresh one. 1 effect. Raises DataGone."""
    # A copy lies in the namespace, though its source may be elsewhere.
    copied = attrs.evolve(entry, address=address or new_address(env), address_type=AddressType.RELATIVE)
    try:
        await env.objects.copy(at(repository, entry), at(repository, copied), metadata)
    except objects.ObjectNotFound:
        raise DataGone(at(repository, entry)) from None
    return copied


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes
) -> ObjectEntry:
    """Copy the entry, then delete the old one. Errors of `copy_object`."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path)
    # A crash before this line leaves both entries. The other order could lose the object's last entry.
    await writes.delete_entry(env, repository, branch_id, source_path)
    return found


async def unless_gone(delete: Awaitable[None]) -> None:
    """The second half of a move: delete the old entry. One that another call has deleted since is gone, as it should
    be; an error would deny that the entry was copied."""
    try:
        await delete
    except PathNotFound:
        return


async def delete_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> None:
    """Delete the entry at a path. Raises PathNotFound, BranchNotFound; WriteNotSettled (indefinite)."""
    await find_object(env, repository, branch_id, path)  # a read first: only what is there can be deleted
    await writes.delete_entry(env, repository, branch_id, path)


GetAddress = Callable[[Env, Repository, BranchID, bytes], Coroutine[object, object, Grant]]
Stage = Callable[[Env, Repository, BranchID, bytes, str, bytes], Coroutine[object, object, ObjectEntry]]
Link = Callable[[Env, Repository, BranchID, bytes, Grant, bytes], Coroutine[object, object, ObjectEntry]]
Find = Callable[[Env, Repository, BranchID, bytes], Coroutine[object, object, ObjectEntry]]


@attrs.frozen
class Linking:
    """How addresses are issued and linked."""

    get_address: GetAddress = get_physical_address
    link: Link = link_physical_address
    signed: bool = False
    """The address is signed: the object store refuses the put when the grant has expired."""


async def upload_and_link(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    through: Linking | None = None,
) -> ObjectEntry:
    """What a user with access to the object store does: ask for an address, put the object, link it."""
    how = through or Linking()
    grant = await how.get_address(env, repository, branch_id, path)
    # 0 means that the grant never expires; the store has None for that.
    await env.objects.put(grant.address, content, not_after=(grant.expires or None) if how.signed else None)
    return await how.link(env, repository, branch_id, path, grant, content)


async def stage_again(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_path: bytes,
    *,
    stage: Stage = stage_object,
    find: Find = find_object,
) -> ObjectEntry:
    """What a user does who knows where the object of an entry lies: stage the same address at another path. Errors of
    ``find`` and of ``stage``."""
    found = await find(env, repository, branch_id, source_path)
    content = await read_data(env, at(repository, found))  # the user needs the content to stage its ETag and size
    return await stage(env, repository, branch_id, path, at(repository, found), content)


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
)

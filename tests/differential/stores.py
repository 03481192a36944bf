"""The two stores, from their contract: one operation at a time, each atomic.

Written from the contract in words (``get``, ``set``, ``set_if``, ``delete``, ``delete_if``, ``scan``; objects with
conditions on content and metadata). Of `model` only the names of operations, replies and errors are used: flows
yield the first, and receive the others.
"""

from collections.abc import Mapping
from hashlib import md5
from typing import NamedTuple

import attrs

from lakeproof.model import kv, objects


class Held(NamedTuple):
    """What lies at an address of the object store."""

    content: bytes
    metadata: tuple[tuple[str, str], ...]
    generation: int  # writes of the metadata since the content was put, plus one
    written_at: int  # microseconds, by the store's clock

    @property
    def etag(self) -> str:
        """A hash of the content alone."""
        return md5(self.content, usedforsecurity=False).hexdigest()


@attrs.frozen(eq=False)
class Contents:
    """Both stores at one moment."""

    keys: Mapping[tuple[bytes, bytes], bytes] = attrs.field(factory=dict)
    held: Mapping[str, Held] = attrs.field(factory=dict)

    def with_key(self, partition: bytes, key: bytes, value: bytes | None) -> "Contents":
        """The same with another value under a key; None: without the key."""
        keys = {at: old for at, old in self.keys.items() if at != (partition, key)}
        if value is not None:
            keys[partition, key] = value
        return attrs.evolve(self, keys=keys)

    def with_object(self, address: str, new: Held | None) -> "Contents":
        """The same with another object at an address; None: with none."""
        held = {at: old for at, old in self.held.items() if at != address}
        if new is not None:
            held[address] = new
        return attrs.evolve(self, held=held)

    def stored_objects(self) -> dict[str, objects.StoredObject]:
        """The objects as invariants see them."""
        return {address: objects.StoredObject(*held) for address, held in self.held.items()}


Answer = tuple[Contents, object]
"""The stores after an operation, and the reply."""


def writes(op: object) -> bool:
    """Whether the operation is a write: one whose answer can be lost."""
    keys = kv.Set | kv.SetIf | kv.Delete | kv.DeleteIf | kv.Transact
    return isinstance(op, keys | objects.Put | objects.Copy | objects.SetMetadata | objects.DeleteObject)


def conditional(op: object) -> bool:
    """Whether the operation is a write with a condition: one that a client library may report as failed."""
    match op:
        case kv.SetIf() | kv.DeleteIf():
            return True
        case objects.Put():
            return op.if_absent or op.if_match is not None
        case objects.Copy():
            return op.if_absent or op.if_match is not None or op.if_destination_match is not None
        case objects.SetMetadata():
            return op.if_metageneration is not None or op.if_version is not None
        case objects.DeleteObject():
            return op.if_match is not None
    return False


def condition_failed(op: object) -> Exception:
    """What the client is told when its condition does not hold."""
    return kv.PredicateFailed() if isinstance(op, kv.SetIf | kv.DeleteIf) else objects.PreconditionFailed()


def continues(op: object) -> bool:
    """Whether the operation is a later batch of a scan or a later page of a listing: one that begins in the middle."""
    return (isinstance(op, kv.ScanBatch) and op.start != b"") or (
        isinstance(op, objects.ListObjects) and op.after != ""
    )


def perform(contents: Contents, op: object, clock: int) -> Answer:
    """One operation at a time of the stores' clock."""
    match op:
        case kv.ScanBatch(partition):
            return contents, _scanned(contents, op) if partition else kv.MissingPartition()
        case kv.Get() | kv.Set() | kv.SetIf() | kv.Delete() | kv.DeleteIf():
            return _on_key(contents, op)
        case kv.Transact():
            return _on_keys(contents, op)
        case objects.ListObjects():
            return contents, _listed(contents, op)
        case objects.Copy():
            return _copied(contents, op, clock)
    assert isinstance(
        op, objects.Put | objects.GetObject | objects.HeadObject | objects.SetMetadata | objects.DeleteObject
    )
    return _on_object(contents, op, clock)


def _on_key(contents: Contents, op: kv.Get | kv.Set | kv.SetIf | kv.Delete | kv.DeleteIf) -> Answer:
    if not op.partition:
        return contents, kv.MissingPartition()
    if not op.key:
        return contents, kv.MissingKey()
    there = (op.partition, op.key) in contents.keys
    found = contents.keys.get((op.partition, op.key))
    match op:
        case kv.Get():
            return contents, kv.NotFound() if found is None else kv.ValueWithPredicate(found, found)
        case kv.Set():
            return contents.with_key(op.partition, op.key, op.value), None
        case kv.Delete():
            return contents.with_key(op.partition, op.key, None), None
        case kv.DeleteIf():
            if not there or found != op.predicate:
                return contents, kv.PredicateFailed()
            return contents.with_key(op.partition, op.key, None), None
        case kv.SetIf():
            if op.predicate is None:
                may = not there
            elif op.predicate is kv.EXISTS:
                may = there
            else:
                may = there and found == op.predicate
            return (
                (contents.with_key(op.partition, op.key, op.value), None) if may else (contents, kv.PredicateFailed())
            )


def _on_keys(contents: Contents, op: kv.Transact) -> Answer:
    for number, (partition, key, wanted) in enumerate(op.checks):
        found = contents.keys.get((partition, key))
        if found is None if wanted is kv.EXISTS else found != wanted:
            return contents, kv.CheckFailed(number)
    for partition, key, value in op.writes:
        contents = contents.with_key(partition, key, value)
    return contents, None


def _scanned(contents: Contents, op: kv.ScanBatch) -> kv.Batch:
    wanted = [key for partition, key in contents.keys if partition == op.partition and key >= op.start]
    wanted.sort()
    size = op.batch_size or len(wanted)
    entries = tuple(kv.Entry(key, contents.keys[op.partition, key]) for key in wanted[:size])
    return kv.Batch(entries, more=len(wanted) > size)


def _on_object(
    contents: Contents,
    op: objects.Put | objects.GetObject | objects.HeadObject | objects.SetMetadata | objects.DeleteObject,
    clock: int,
) -> Answer:
    found = contents.held.get(op.address)
    match op:
        case objects.Put():
            if op.not_after is not None and op.not_after < clock:
                return contents, objects.Expired()
            other = op.if_match is not None and (found is None or found.etag != op.if_match)
            if other or (op.if_absent and found is not None):
                return contents, objects.PreconditionFailed()
            return contents.with_object(op.address, Held(op.content, op.metadata, 1, clock)), None
        case objects.DeleteObject():
            if op.if_match is not None and op.if_match != (found.etag if found else ""):
                return contents, objects.PreconditionFailed()
            return contents.with_object(op.address, None), None
    if found is None:
        return contents, objects.ObjectNotFound()
    match op:
        case objects.GetObject():
            return contents, found.content
        case objects.HeadObject():
            size = len(found.content)
            return contents, objects.Head(
                op.address, size, found.etag, found.written_at, found.metadata, found.generation
            )
        case objects.SetMetadata():
            written_since = op.if_metageneration is not None and op.if_metageneration != found.generation
            changed = op.if_version is not None and op.if_version != f"{found.etag}.{found.generation}"
            if written_since or changed:
                return contents, objects.PreconditionFailed()
            written = found._replace(metadata=op.metadata, generation=found.generation + 1)
            return contents.with_object(op.address, written), None


def _copied(contents: Contents, op: objects.Copy, clock: int) -> Answer:
    if op.not_after is not None and op.not_after < clock:
        return contents, objects.Expired()
    found = contents.held.get(op.source)
    if found is None:
        return contents, objects.ObjectNotFound()
    if op.if_match is not None and found.etag != op.if_match:
        return contents, objects.PreconditionFailed()
    replaced = contents.held.get(op.destination)
    if op.if_absent and replaced is not None:
        return contents, objects.PreconditionFailed()
    if op.if_destination_match is not None and (replaced is None or replaced.etag != op.if_destination_match):
        return contents, objects.PreconditionFailed()
    metadata = found.metadata if op.metadata is None else op.metadata
    return contents.with_object(op.destination, Held(found.content, metadata, 1, clock)), None


def _listed(contents: Contents, op: objects.ListObjects) -> objects.Page:
    wanted = sorted(address for address in contents.held if address.startswith(op.prefix) and address > op.after)
    size = op.page_size or len(wanted)
    heads = tuple(
        objects.Head(at, len(contents.held[at].content), contents.held[at].etag, contents.held[at].written_at)
        for at in wanted[:size]
    )
    return objects.Page(heads, more=len(wanted) > size)

"""The sequential specification of the object store: puts, gets, heads, copies, deletes and paged listings; conditions
on content and on metadata, where a store has them.

An object is written whole. Its *ETag* is a hash of its content alone, as with S3; its *metageneration* counts the
writes of its metadata since the content was put, as with Google Cloud Storage; its *version* stands for both, as the
ETag of Azure does. What was deleted stays deleted: nothing but another put or copy makes an object.

Example: an object is copied if its content is still the one that was read.

>>> stored, _ = step({}, Put("a", b"one"))
>>> again, _ = step(stored, Put("a", b"two"))
>>> step(again, Put("a", b"three", if_match=etag(b"one")))[1]
PreconditionFailed()

Source: hard-delete-uncommitted-data.md, "Atomic reference counter".
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import attrs

from lakeproof.model import kv
from lakeproof.model.errors import NoResult

Metadata = tuple[tuple[str, str], ...]
"""String to string, as sorted pairs."""


@attrs.frozen(cache_hash=True, order=True)
class StoredObject:
    """What an object store holds at an address."""

    content: bytes
    metadata: Metadata = ()
    metageneration: int = 1
    last_modified: int = 0  # microseconds since 1970, by the store's own clock

    @property
    def etag(self) -> str:
        """Of the content only."""
        return etag(self.content)

    @property
    def version(self) -> str:
        """Of the content and of how often the metadata was written."""
        return f"{self.etag}.{self.metageneration}"


Objects = Mapping[str, StoredObject]
"""By address."""


@lru_cache(1 << 16)
def etag(content: bytes) -> str:
    """The ETag of a content: its MD5, in hexadecimal."""
    # MD5 is S3's ETag of an object that was put in one part.
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


class ObjectError(NoResult):
    """Base of all errors of the object store."""


class ObjectNotFound(ObjectError):
    """There is no object at the address: it was never put, or was deleted. Definite."""


class PreconditionFailed(ObjectError):
    """The object is not as the condition says. Definite."""


class Unsupported(ObjectError):
    """The store has no such condition. Definite."""


class Expired(ObjectError):
    """The request came later than its signature allows. Definite."""


class Refused(kv.Refused, ObjectError):
    """The store turned the operation down before doing it: its disk is full, say. Definite. The search refuses an
    operation on objects with `kv.Refused`; who expects that expects this."""


class OutcomeUnknown(kv.OutcomeUnknown, ObjectError):
    """No answer came, or a write failed half-way: it may have happened. The search loses an answer with
    `kv.OutcomeUnknown`; who expects that expects this."""


@attrs.frozen(cache_hash=True)
class Put:
    """Write content and metadata, whatever was there; ``if_absent``: only where nothing is; ``if_match``: only over an
    object with this ETag. ``not_after``: refused when the store's clock is past this time (microseconds since 1970),
    as a signed request is whose signature has expired."""

    address: str
    content: bytes
    metadata: Metadata = ()
    if_absent: bool = False
    if_match: str | None = None
    not_after: int | None = None


@attrs.frozen(cache_hash=True)
class GetObject:
    address: str


@attrs.frozen(cache_hash=True)
class HeadObject:
    address: str


@attrs.frozen(cache_hash=True, repr=False)
class Copy:
    """Copy content and metadata inside the store. ``metadata``: write this instead (a copy of an object onto itself is
    how S3 changes metadata). ``if_match``: only if the source has this ETag: S3's condition, which knows of no
    metadata. ``not_after``, and of the destination ``if_absent``: as in `Put`. ``if_destination_match``: only over an
    object with this ETag."""

    source: str
    destination: str
    metadata: Metadata | None = None
    if_match: str | None = None
    not_after: int | None = None
    if_absent: bool = False
    if_destination_match: str | None = None

    def __repr__(self) -> str:
        return _repr_without(self, "if_absent", "if_destination_match")


@attrs.frozen(cache_hash=True)
class SetMetadata:
    """Replace an object's metadata. ``if_metageneration`` is the condition of Google Cloud Storage, ``if_version`` that
    of Azure."""

    address: str
    metadata: Metadata
    if_metageneration: int | None = None
    if_version: str | None = None


@attrs.frozen(cache_hash=True, repr=False)
class DeleteObject:
    """Remove an object; an absent one is no error. ``if_match``: only an object with this ETag."""

    address: str
    if_match: str | None = None

    def __repr__(self) -> str:
        return _repr_without(self, "if_match")


def _repr_without(op: "Copy | DeleteObject", *younger: str) -> str:
    """Without younger conditions where there are none. Traces have fingerprints of it, and those that were written
    before there were these conditions are replayed."""
    # The order of the fields is that of their definition, as in the repr that attrs would have made.
    fields = {field.name: getattr(op, field.name) for field in attrs.fields(type(op))}
    shown = [f"{name}={value!r}" for name, value in fields.items() if name not in younger or value not in (None, False)]
    return f"{type(op).__name__}({', '.join(shown)})"


@attrs.frozen(cache_hash=True)
class ListObjects:
    """Addresses with ``prefix`` that come after ``after``; at most ``page_size`` of them (0: all)."""

    prefix: str = ""
    after: str = ""
    page_size: int = 0


@attrs.frozen(cache_hash=True)
class Head:
    """What the store tells of an object without its content. A listing tells no metadata: there it is empty, and
    ``metageneration`` 0."""

    address: str
    size_bytes: int
    etag: str = ""
    last_modified: int = 0  # microseconds since 1970
    metadata: Metadata = ()
    metageneration: int = 0

    @property
    def version(self) -> str:
        """As `StoredObject.version`."""
        return f"{self.etag}.{self.metageneration}"


@attrs.frozen(cache_hash=True)
class Page:
    """One atomic piece of a listing, in ascending order of address."""

    heads: tuple[Head, ...]
    more: bool


Op = Put | GetObject | HeadObject | Copy | SetMetadata | DeleteObject | ListObjects
Reply = bytes | Head | Page | None | ObjectError

TIMED = (Put, Copy)
"""The operations whose effect depends on the store's clock."""


_CONDITIONS: Final[Mapping[type, tuple[str, ...]]] = {
    Put: ("put", "if_absent", "if_match"),
    Copy: ("copy", "if_match", "if_absent", "if_destination_match"),
    SetMetadata: ("set_metadata", "if_metageneration", "if_version"),
    DeleteObject: ("delete", "if_match"),
}
SET_METADATA: Final = "set_metadata"
"""That metadata are written alone, and not by a copy of the object onto itself."""
ALL: Final = frozenset({SET_METADATA, *(f"{op}.{each}" for op, *fields in _CONDITIONS.values() for each in fields)})
"""Every condition there is, by operation and field: what a store can have."""
S3: Final = frozenset(each for each in ALL if not each.startswith(SET_METADATA))
"""Amazon S3, general purpose buckets."""
GCS: Final = ALL - {"set_metadata.if_version"}
"""Google Cloud Storage. It compares generations where others compare ETags."""
AZURE: Final = ALL - {"set_metadata.if_metageneration"}
"""Azure Blob Storage. Its ETag covers content and metadata; here all but ``if_version`` look at the content."""
MINIO: Final = S3 - {"copy.if_absent", "copy.if_destination_match", "delete.if_match"}
"""MinIO's server, as its last source of February 2026: it ignores what it does not know."""


def conditions(op: object) -> frozenset[str]:
    """The conditions that a write has, each as in `ALL`."""
    name, *fields = _CONDITIONS.get(type(op), ("",))
    found = ((field, getattr(op, field)) for field in fields)
    return frozenset(f"{name}.{field}" for field, value in found if value is not None and value is not False)


def conditional(op: object) -> bool:
    """Whether the operation is a write with a condition."""
    return bool(conditions(op))


def refuse_unsupported(op: Op, has: frozenset[str]) -> None:
    """Raises Unsupported: the operation has a condition that is not among those of a store."""
    lacking = sorted((conditions(op) | ({SET_METADATA} if isinstance(op, SetMetadata) else set())) - has)
    if lacking:
        repair = f"use {', '.join(sorted(has))}" if has else "leave it out"
        if SET_METADATA in lacking:
            repair = "copy the object onto itself with the new metadata"
        raise Unsupported(f"{type(op).__name__}: the store has no {', '.join(lacking)}; {repair}")


def step(objects: Objects, op: Op, now: int = 0) -> tuple[Objects, Reply]:
    """One atomic operation at a time of the store's clock: the objects after it, and the answer. No mutation."""
    # Before any other condition: a store that rejects the signature has not looked at the object.
    if isinstance(op, TIMED) and op.not_after is not None and now > op.not_after:
        return objects, Expired()
    match op:
        case Put():
            if not _may_write(objects.get(op.address), op.if_absent, op.if_match):
                return objects, PreconditionFailed()
            # A new object: its metageneration is 1 again.
            return {**objects, op.address: StoredObject(op.content, op.metadata, last_modified=now)}, None
        case GetObject(address):
            found = objects.get(address)
            return objects, ObjectNotFound() if found is None else found.content
        case HeadObject(address):
            found = objects.get(address)
            return objects, ObjectNotFound() if found is None else head_of(address, found)
        case Copy():
            return _copy_object(objects, op, now)
        case SetMetadata():
            return _with_metadata(objects, op)
        case DeleteObject(address, if_match):
            # Without a condition this holds also of an absent object: to delete it is no error.
            if not _may_write(objects.get(address), False, if_match):
                return objects, PreconditionFailed()
            return {at: found for at, found in objects.items() if at != address}, None
        case ListObjects(prefix, after, page_size):
            return objects, _page(objects, prefix, after, page_size)


def _may_write(found: StoredObject | None, if_absent: bool, if_match: str | None) -> bool:
    """Whether the conditions of a write hold of what is there."""
    if if_absent and found is not None:
        return False
    # An absent object has no ETag that could match.
    return if_match is None or (found is not None and found.etag == if_match)


def _copy_object(objects: Objects, op: Copy, now: int) -> tuple[Objects, Reply]:
    found = objects.get(op.source)
    if found is None:
        return objects, ObjectNotFound()
    replaced = objects.get(op.destination)
    if not (_may_write(found, False, op.if_match) and _may_write(replaced, op.if_absent, op.if_destination_match)):
        return objects, PreconditionFailed()
    # An empty tuple is a value: it takes the metadata away.
    metadata = found.metadata if op.metadata is None else op.metadata
    return {**objects, op.destination: StoredObject(found.content, metadata, last_modified=now)}, None


def _with_metadata(objects: Objects, op: SetMetadata) -> tuple[Objects, Reply]:
    found = objects.get(op.address)
    if found is None:
        return objects, ObjectNotFound()
    if op.if_metageneration is not None and op.if_metageneration != found.metageneration:
        return objects, PreconditionFailed()
    if op.if_version is not None and op.if_version != found.version:
        return objects, PreconditionFailed()
    # The ETag stays, since it is of the content alone: a condition on it does not notice this write.
    written = attrs.evolve(found, metadata=op.metadata, metageneration=found.metageneration + 1)
    return {**objects, op.address: written}, None


def head_of(address: str, found: StoredObject) -> Head:
    """What a `HeadObject` tells."""
    return Head(address, len(found.content), found.etag, found.last_modified, found.metadata, found.metageneration)


def listing_head(address: str, found: StoredObject) -> Head:
    """What a listing tells."""
    return Head(address, len(found.content), found.etag, found.last_modified)


def _page(objects: Objects, prefix: str, after: str, page_size: int) -> Page:
    # ``after`` is exclusive, as S3's StartAfter.
    found = sorted(at for at in objects if at.startswith(prefix) and at > after)
    cut = found[:page_size] if page_size else found
    return Page(tuple(listing_head(at, objects[at]) for at in cut), more=len(cut) < len(found))

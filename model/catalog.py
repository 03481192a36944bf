"""What a branch's entry says of its object: the data of a staged or committed entry, as lakeFS' catalog writes it.

A *physical address* is where an object lies in the object store. Most entries name it relative to the repository's
storage namespace; what a user brought along lies elsewhere and is named in full.
Source: lakeFS ``pkg/catalog/catalog.proto`` and ``pkg/block``.
"""

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import attrs

from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.messages import Later
from lakeproof.model.objects import etag

if TYPE_CHECKING:
    from google.protobuf import message as protobuf
    from google.protobuf import timestamp_pb2 as times

    from lakeproof.model import catalog_pb2 as pb
else:
    pb, times = Later("lakeproof.model.catalog_pb2"), Later("google.protobuf.timestamp_pb2")
    protobuf = Later("google.protobuf.message")

_MICROSECONDS: Final = 1_000_000
_CACHE: Final = 1 << 16


class AddressType(Enum):
    """The number is the one on the wire."""

    BY_PREFIX = 0
    """Relative, unless it begins with a scheme."""
    RELATIVE = 1
    FULL = 2


@attrs.frozen(kw_only=True, cache_hash=True)
class ObjectEntry:
    """The object of an entry: lakeFS' ``catalog.Entry``."""

    address: str
    address_type: AddressType = AddressType.RELATIVE
    e_tag: str = ""  # of the content that was staged
    size_bytes: int = 0
    last_modified: int = 0  # microseconds since 1970
    metadata: tuple[tuple[str, str], ...] = ()
    content_type: str = ""


class NotAnObjectEntry(ValueError):
    """Data of an entry that is no message of the catalog."""


@lru_cache(_CACHE)
def encode_object_entry(entry: ObjectEntry) -> bytes:
    """The data of an entry. Deterministic."""
    seconds, rest = divmod(entry.last_modified, _MICROSECONDS)
    message = pb.EntryData(
        address=entry.address,
        # 0 is "not known" here, and decodes from an absent field.
        last_modified=times.Timestamp(seconds=seconds, nanos=rest * 1000) if entry.last_modified else None,
        size=entry.size_bytes,
        e_tag=entry.e_tag,
        metadata=dict(entry.metadata),
        address_type=entry.address_type.value,  # type: ignore[arg-type]  # the numbers are those of the wire
        content_type=entry.content_type,
    )
    # Maps have no order on the wire, and equal entries need equal bytes.
    return message.SerializeToString(deterministic=True)


@lru_cache(_CACHE)
def decode_object_entry(data: bytes) -> ObjectEntry:
    """Raises NotAnObjectEntry."""
    message = pb.EntryData()
    try:
        message.ParseFromString(data)
        address_type = AddressType(message.address_type)
    # A ValueError is an address type that the enumeration does not know: protobuf keeps unknown numbers.
    except (protobuf.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise NotAnObjectEntry(f"{data[:32]!r} is no catalog entry: {error}") from error
    modified = message.last_modified
    return ObjectEntry(
        address=message.address,
        address_type=address_type,
        e_tag=message.e_tag,
        size_bytes=message.size,
        last_modified=modified.seconds * _MICROSECONDS + modified.nanos // 1000,
        # One form per content, so that equal entries are equal values.
        metadata=tuple(sorted(message.metadata.items())),
        content_type=message.content_type,
    )


@lru_cache(_CACHE)
def identity_of(data: bytes) -> bytes:
    """An entry's identity: it stands for all of its data, the address included."""
    # The address is in the data: two uploads of one content have different identities.
    return etag(data).encode()


def physical_address(storage_namespace: StorageNamespace, entry: ObjectEntry) -> str:
    """Where the object lies in the object store."""
    if is_full(entry):
        return entry.address
    return f"{storage_namespace}/{entry.address}"


def is_full(entry: ObjectEntry) -> bool:
    """Whether the address says all: it may lie outside every storage namespace."""
    if entry.address_type is AddressType.BY_PREFIX:
        return "://" in entry.address  # its entries do not say whether they are relative
    return entry.address_type is AddressType.FULL


def is_inside(storage_namespace: StorageNamespace, address: str) -> bool:
    """Whether a physical address lies in a storage namespace: then lakeFS owns the object."""
    # With the slash: ``mem://r2/x`` is not in ``mem://r``.
    return address.startswith(f"{storage_namespace}/")


DATA_PREFIX: Final = "data/"
"""Where the objects of users lie, relative to the namespace: nothing else in it is ever hard-deleted."""


def data_address(name: str) -> str:
    """A relative address for a new object. ``name``: unique in the namespace."""
    return DATA_PREFIX + name

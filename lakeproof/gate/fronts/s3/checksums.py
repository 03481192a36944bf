"""Checksums of S3: verified as a body arrives, and sent when a client requests them.

S3 keeps one checksum of each object: the one that it was sent with. That of an upload in parts, whose client has named
an algorithm, is a checksum of the checksums of the parts, and ends with their count. What S3 computes by itself for an
object without one is left out, as for objects from before December 2024.
Source: Amazon S3 User Guide, *Checking object integrity in Amazon S3*.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lakeproof.model.objects import Metadata, StoredObject

PREFIX: Final = "x-amz-checksum-"
DIGESTS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "sha256": lambda body: hashlib.sha256(body).digest(),
    "sha1": lambda body: hashlib.sha1(body, usedforsecurity=False).digest(),
    "crc32": lambda body: binascii.crc32(body).to_bytes(4, "big"),
}
ALGORITHMS: Final = (*DIGESTS, "crc32c", "crc64nvme")
VERIFIED: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "content-md5": lambda body: hashlib.md5(body, usedforsecurity=False).digest(),
    **{PREFIX + name: digest for name, digest in DIGESTS.items()},
}
"""By header. The other algorithms would be slow here, and no body is damaged on its way through loopback."""


def checksum_sent(headers: Mapping[str, str]) -> Metadata:
    """The checksum with which a body was sent, as it is kept."""
    # An object has one checksum.
    return tuple((PREFIX + name, headers[PREFIX + name]) for name in ALGORITHMS if PREFIX + name in headers)[:1]


def of_parts(algorithm: str, parts: Sequence[bytes]) -> Metadata:
    """The checksum of an upload in parts, as it is kept. algorithm: as the client has named it; empty: none is kept."""
    name = algorithm.lower()
    if name not in DIGESTS:
        return ()
    digest = DIGESTS[name]
    text = base64.b64encode(digest(b"".join(map(digest, parts)))).decode()
    return ((PREFIX + name, f"{text}-{len(parts)}"),)


def checksum_of_copy(metadata: Metadata) -> Metadata:
    """What a copy keeps: it has no parts."""
    # Only a checksum of parts has a dash, before their count: Base64 has none.
    return tuple((name, value) for name, value in metadata if not (name.startswith(PREFIX) and "-" in value))


def checksum_headers(found: StoredObject) -> tuple[tuple[str, str], ...]:
    """The headers of an answer to a client that asks for the checksum."""
    kept = next((pair for pair in found.metadata if pair[0].startswith(PREFIX)), None)
    return () if kept is None else (kept, (f"{PREFIX}type", "COMPOSITE" if "-" in kept[1] else "FULL_OBJECT"))

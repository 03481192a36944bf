"""What the S3 front holds: objects by address, and uploads in parts. A value: nothing is changed in place."""

from collections.abc import Mapping

import attrs

from lakeproof.model.objects import Metadata, Objects, etag


@attrs.frozen
class Upload:
    """An upload in parts that is not aborted. completed: the numbers and ETags of the parts, and the ETag of the whole,
    with which it was completed. algorithm: that of its checksum, where that is one of the parts' checksums."""

    address: str
    metadata: Metadata
    algorithm: str = ""
    parts: Mapping[int, bytes] = attrs.field(factory=dict)
    completed: tuple[tuple[tuple[int, str], ...], str] | None = None


@attrs.frozen
class BucketState:
    """All that the front knows. Addresses are ``bucket/key``."""

    buckets: frozenset[str] = frozenset()
    objects: Objects = attrs.field(factory=dict)
    uploads: Mapping[str, Upload] = attrs.field(factory=dict)
    minted: Mapping[tuple[str, str], int] = attrs.field(factory=dict)
    """How many upload ids were given out, by address and client: so no id is given out twice, and a client's next one
    does not depend on what others do."""


def upload_id(address: str, client: str, number: int) -> str:
    """The id of a client's upload, counted from 0 for each address: the same in each run."""
    # 32 digits look minted to `lakeproof.gate.names`, so that labels have the client's name for it.
    return etag(f"{address} {client} {number}".encode())

"""Listings of S3: versions 1 and 2, with delimiter, pages and an encoding for names."""

from collections.abc import Iterator
from urllib.parse import quote, unquote

from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.times import iso
from lakeproof.gate.fronts.s3.wire import S3Request, element, number, refuse, xml
from lakeproof.model.objects import StoredObject

KEYS_MAX = 1000


def listing(state: BucketState, request: S3Request) -> Response:
    """ListObjectsV2 and ListObjects.

    Raises:
        S3Error: ``max-keys`` is no number.
    """
    query = request.query
    second = query.get("list-type") == "2"
    limit = _limit(query.get("max-keys", str(KEYS_MAX)))
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    token = unquote(query.get("continuation-token", ""))  # XML has no place for some characters of a name
    begin = (token or query.get("start-after", "")) if second else query.get("marker", "")
    found = list(_entries(state, request.bucket, prefix, delimiter, begin))
    page, more = found[:limit], len(found) > limit > 0  # max-keys=0: an empty page, behind which nothing is announced
    encode = quote if query.get("encoding-type") == "url" else str
    children = [
        element("Name", request.bucket),
        element("Prefix", encode(prefix)),
        element("MaxKeys", str(limit)),
        element("IsTruncated", "true" if more else "false"),
    ]
    if delimiter:
        children.append(element("Delimiter", encode(delimiter)))
    if query.get("encoding-type"):
        children.append(element("EncodingType", query["encoding-type"]))
    if second:
        children.append(element("KeyCount", str(len(page))))
        children += [element("ContinuationToken", query["continuation-token"])] if "continuation-token" in query else []
        children += [element("StartAfter", encode(query["start-after"]))] if "start-after" in query else []
        children += [element("NextContinuationToken", quote(page[-1][0]))] if more and page else []
    else:
        children.append(element("Marker", encode(query.get("marker", ""))))
        # Without a delimiter S3 gives none: the client goes on behind the last key.
        children += [element("NextMarker", encode(page[-1][0]))] if more and page and delimiter else []
    for name, stored in page:
        if stored is None:
            children.append(element("CommonPrefixes", "", element("Prefix", encode(name))))
        else:
            fields = element("Key", encode(name)), element("LastModified", iso(stored.last_modified))
            size = element("ETag", f'"{stored.etag}"'), element("Size", str(len(stored.content)))
            children.append(element("Contents", "", *fields, *size, element("StorageClass", "STANDARD")))
    return xml("ListBucketResult", *children)


def _limit(text: str) -> int:
    found = number(text)
    if found is None:
        refuse(400, "InvalidArgument", f"max-keys is {text!r}, not a number")
    return min(found, KEYS_MAX)


def _entries(
    state: BucketState, bucket: str, prefix: str, delimiter: str, begin: str
) -> Iterator[tuple[str, StoredObject | None]]:
    """Keys with their objects, and common prefixes without, after ``begin``, in ascending order of their bytes."""
    keys = (address[len(bucket) + 1 :] for address in state.objects if address.startswith(f"{bucket}/{prefix}"))
    last = None
    for key in sorted(keys):  # the order of their bytes in UTF-8, too
        cut = key.find(delimiter, len(prefix)) if delimiter else -1
        name = key if cut < 0 else key[: cut + len(delimiter)]
        # The last page may have ended with a common prefix: its keys are greater than it, and were in that page.
        begun = key <= begin or (cut >= 0 and begin.startswith(name) and begin.endswith(delimiter))
        if begun or name == last:
            continue
        last = name
        yield name, state.objects[f"{bucket}/{key}"] if cut < 0 else None

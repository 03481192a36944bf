"""What each request of S3 does to the state, what it answers, and what it has touched. Pure.

Example: five requests of the key k in the empty bucket b, one after the other. Each has read the bucket, too. A write
that is refused on its condition has only read the key. A header that the front does not have is refused as well, and
named in ``unknown``: the gate judges nothing that follows from it.

    request                        answer                       touched       objects then
    PUT, If-None-Match: *, "1"     200, an ETag                 write b/k     {b/k: "1"}
    PUT, If-None-Match: *, "2"     412 PreconditionFailed       read b/k      {b/k: "1"}
    GET, Range: bytes=0-0          206, bytes 0-0/1, "1"        read b/k      {b/k: "1"}
    DELETE                         204                          delete b/k    {}
    PUT, x-amz-tagging: a=b        501 NotImplemented           read b/k      {}

Source: Amazon S3 API Reference; conditional writes as S3 has had them since 2024.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

import attrs

from lakeproof.gate.fronts.footprints import Footprint, only_read
from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.s3 import checksums, multipart
from lakeproof.gate.fronts.s3.footprint import source_of, to_delete, touches, touches_in
from lakeproof.gate.fronts.s3.listing import listing
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.times import from_http, http
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, element, error_response, not_known, parse_xml, refuse, xml
from lakeproof.gate.fronts.s3.writes import SYSTEM_METADATA, metadata_of, write_object
from lakeproof.model import objects
from lakeproof.model.objects import StoredObject

Done = tuple[BucketState, Response]
DELETES_MAX: Final = 1000

ALWAYS: Final = frozenset(("x-id",))
"""Parameters that mean nothing; those of a signature in the address, ``X-Amz-...``, are passed over, too."""
WITHOUT_EFFECT: Final = re.compile(
    r"x-amz-(date|content-sha256|security-token|trailer|decoded-content-length|api-version|user-agent|request-payer"
    r"|(source-)?expected-bucket-owner|sdk-.+|meta-.+|checksum-.+|copy-source(-range|-if-(none-)?match)?"
    r"|metadata-directive)"
)
"""Amazon's own headers that are known, or say something of the client, its signature or its account alone."""
DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    "x-amz-acl": ("private", "bucket-owner-full-control"),
    "x-amz-bucket-object-lock-enabled": ("false",),
    "x-amz-object-ownership": ("BucketOwnerEnforced",),
    "x-amz-server-side-encryption": ("AES256",),
    "x-amz-storage-class": ("STANDARD",),
    "x-amz-tagging-directive": ("COPY",),
}
"""Headers that are known with these values: what S3 does without them."""
CONDITIONS: Final = frozenset(("if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"))
KEY_BYTES_MAX: Final = 1024
_BUCKET: Final = re.compile(r"[A-Za-z0-9._-]{3,255}")
_NEW_BUCKET: Final = re.compile(
    r"(?!xn--|sthree-|amzn-s3-demo-)(?!\d+\.\d+\.\d+\.\d+\Z)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
    r"(?<!-s3alias)(?<!--ol-s3)(?<!\.mrap)(?<!--x-s3)(?<!--table-s3)"
)
"""A bucket as it may be created today; some of those from before 2018 have other names.
Source: Amazon S3 User Guide, *General purpose bucket naming rules*."""
_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


def perform(state: BucketState, request: S3Request, now: int) -> tuple[BucketState, Response, Footprint]:
    """One request, atomically. now: the store's clock, in microseconds since 1970."""
    try:
        _check_names(state, request)
        operation = _operation(request)
        after, answer = (_meet_conflict if request.conflict else operation)(state, request, now)
    except S3Error as error:
        # The state before: a request that is refused has no effect, whatever it had done so far.
        return state, error_response(error, request), only_read(touches(request))
    return after, answer, touches_in(state, request)


def _meet_conflict(state: BucketState, request: S3Request, now: int) -> Done:
    """A write that another one has come in between. Amazon S3 User Guide, *Conditional write behavior*, *How to perform
    conditional deletes*."""
    why = "The conditional request cannot succeed due to a conflicting operation against this resource."
    answer = error_response(S3Error(409, "ConditionalRequestConflict", why), request)
    name = request.query.get("uploadId")
    if name is None:
        return state, answer
    known = state.uploads.get(name)
    if known is None or known.completed is not None:
        return multipart.complete(state, request, now)
    # After it the client is to begin anew, with another upload (API reference, CompleteMultipartUpload).
    return multipart.abort(state, request, now)[0], answer


def _check_names(state: BucketState, request: S3Request) -> None:
    """A bucket that is there has a good name, whatever it is."""
    if len(request.key.encode()) > KEY_BYTES_MAX:
        refuse(400, "KeyTooLongError", "Your key is too long")
    # Stricter rules are for new buckets: the scenario may name one that is older than they are.
    created = request.method == "PUT" and not request.key
    name = _NEW_BUCKET if created else _BUCKET
    if request.bucket and request.bucket not in state.buckets and not name.fullmatch(request.bucket):
        refuse(400, "InvalidBucketName", "The specified bucket is not valid.")


def _operation(request: S3Request) -> "Operation":
    place = "service" if not request.bucket else "object" if request.key else "bucket"
    # A signature in the address says who asks, and not what.
    named = {name for name in request.query if name not in ALWAYS and not name.lower().startswith("x-amz-")}
    headers = {name for name, value in request.headers.items() if _matters(name, value)}
    for wanted, method, parameter, others, heeded, operation in OPERATIONS:
        if wanted == place and method == request.method and (not parameter or parameter in named):
            if unknown := sorted(named - others - {parameter}) + sorted(headers - heeded):
                not_known(f"{', '.join(unknown)} of a {request.method}")
            return operation
    shown = f" with {', '.join(sorted(named))}" if named else ""
    return not_known(f"{request.method} of {'an' if place == 'object' else 'a'} {place}{shown}")


def _matters(name: str, value: str) -> bool:
    """Whether a header may change what is done: a condition, or one of Amazon's of which that is not known."""
    own = name.startswith("x-amz-") and not WITHOUT_EFFECT.fullmatch(name)
    return name in CONDITIONS or (own and value not in DEFAULTS.get(name, ()))


def _find_object(state: BucketState, address: str) -> StoredObject:
    _bucket(state, address.partition("/")[0])
    found = state.objects.get(address)
    if found is None:
        refuse(404, "NoSuchKey", "The specified key does not exist.")
    return found


def _bucket(state: BucketState, bucket: str) -> None:
    if bucket not in state.buckets:
        refuse(404, "NoSuchBucket", "The specified bucket does not exist")


def get_object(state: BucketState, request: S3Request, now: int) -> Done:
    found = _find_object(state, request.address)
    headers = (*_headers(found), ("Accept-Ranges", "bytes"))
    if _is_unmodified(request.headers, found):
        return state, Response(304, headers[:2])  # the ETag and the time: RFC 9110, section 15.4.5
    # The checksum that is kept is of the whole object, and a client would verify the range with it.
    if request.headers.get("x-amz-checksum-mode", "").upper() == "ENABLED" and "range" not in request.headers:
        headers = (*headers, *checksums.checksum_headers(found))
    wanted = request.headers.get("range")
    size = len(found.content)
    if wanted is None:
        return state, Response(200, headers, found.content)
    first, last = _bounds(wanted, size)
    part = found.content[first : last + 1]
    ranged = (*headers, ("Content-Range", f"bytes {first}-{last}/{size}"))
    return state, Response(206, ranged, part)


def _bounds(text: str, size: int) -> tuple[int, int]:
    """First and last byte of a range, both included."""
    match = _RANGE.fullmatch(text)
    if match is None or match[1] == match[2] == "":  # several ranges, another unit, or no number
        not_known(f"range: {text}")
    first, last = match[1], match[2]
    if not first:
        # A suffix: the number is how many bytes from the end, and may be more than there are.
        begin, end = max(size - int(last), 0), size - 1
    else:
        begin, end = int(first), min(int(last or size), size - 1)
    # Every range of an empty object, and a suffix of 0 bytes, too.
    if begin > end:
        refuse(416, "InvalidRange", "The requested range is not satisfiable")
    return begin, end


def _headers(found: StoredObject) -> tuple[tuple[str, str], ...]:
    kept = dict(found.metadata)
    own = tuple((name, kept[name]) for name in SYSTEM_METADATA if name in kept)
    users = tuple(pair for pair in found.metadata if pair[0].startswith("x-amz-meta-"))
    # S3's own content type of an object that was put without one.
    default = () if "content-type" in kept else (("Content-Type", "binary/octet-stream"),)
    return (("ETag", f'"{found.etag}"'), ("Last-Modified", http(found.last_modified)), *default, *own, *users)


def _is_unmodified(headers: Mapping[str, str], found: StoredObject) -> bool:
    """Whether a read is answered without content: its conditions, in the order of RFC 9110, section 13.2.2.

    Raises:
        S3Error: 412, as one does not hold.
    """
    # Headers have whole seconds: an object must not be newer than its own Last-Modified.
    modified = found.last_modified // 1_000_000 * 1_000_000
    match, since = headers.get("if-match"), from_http(headers.get("if-unmodified-since", ""))
    # A date counts only where no ETag is named, here and below.
    if (since is not None and modified > since) if match is None else not _matches(match, found):
        refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
    none, since = headers.get("if-none-match"), from_http(headers.get("if-modified-since", ""))
    return _matches(none, found) if none is not None else since is not None and modified <= since


def _matches(condition: str, found: StoredObject) -> bool:
    wanted = [each.strip().removeprefix("W/").strip('"') for each in condition.split(",")]
    return "*" in wanted or found.etag in wanted


def put_object(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    if "x-amz-copy-source" in request.headers:
        return _copy_object(state, request, now)
    checksum = checksums.checksum_sent(request.headers)
    after = write_object(state, request, request.body, (*metadata_of(request), *checksum), now)
    answer = Response(200, (("ETag", f'"{objects.etag(request.body)}"'), *checksum))
    return after, answer


def copy_source(state: BucketState, request: S3Request) -> StoredObject:
    """The source of a copy, under the conditions on it."""
    # Before it is decoded: a key's own question mark is written as %3F.
    if "?" in request.headers["x-amz-copy-source"]:
        not_known("a version in x-amz-copy-source")
    found = _find_object(state, source_of(request) or "")
    match, none = (request.headers.get(f"x-amz-copy-source-if-{each}match") for each in ("", "none-"))
    # Both are 412: unlike a GET, a copy is never answered 304.
    if (match is not None and not _matches(match, found)) or (none is not None and _matches(none, found)):
        refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
    return found


def _copy_object(state: BucketState, request: S3Request, now: int) -> Done:
    found = copy_source(state, request)
    replace = request.headers.get("x-amz-metadata-directive", "COPY").upper() == "REPLACE"
    if source_of(request) == request.address and not replace:
        refuse(400, "InvalidRequest", "This copy request is illegal: it copies an object to itself without a change.")
    # With REPLACE nothing of the source's metadata stays, also not its content type.
    metadata = metadata_of(request) if replace else checksums.checksum_of_copy(found.metadata)
    after = write_object(state, request, found.content, metadata, now)
    return after, xml("CopyObjectResult", *multipart.etag_and_time(found.content, now))


def upload_part(state: BucketState, request: S3Request, now: int) -> Done:
    """UploadPart, and UploadPartCopy."""
    if source_of(request) is None:
        return multipart.put_part(state, request, request.body, now)
    content, wanted = copy_source(state, request).content, request.headers.get("x-amz-copy-source-range")
    if wanted is not None:
        first, last = _bounds(wanted, 1 << 62)  # unlike that of a GET, a range behind the end is not cut
        if last >= len(content):
            refuse(400, "InvalidArgument", f"Range specified is not valid for source object of size: {len(content)}")
        content = content[first : last + 1]
    return multipart.put_part(state, request, content, now)


def delete_object(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    match = request.headers.get("if-match")
    if match is not None and not _matches(match, _find_object(state, request.address)):
        refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
    return _without(state, request.address), Response(204)


def _without(state: BucketState, address: str) -> BucketState:
    after, _ = objects.step(state.objects, objects.DeleteObject(address))
    return attrs.evolve(state, objects=after)


def delete_objects(state: BucketState, request: S3Request, now: int) -> Done:
    """DeleteObjects. Each key is deleted, or refused on its own as its ETag is not the one that was named."""
    _bucket(state, request.bucket)
    body = parse_xml(request.body)
    quiet = (body.findtext("Quiet") or "").lower() == "true"
    found = to_delete(request)
    if not 1 <= len(found) <= DELETES_MAX or not all(key for key, _ in found):
        refuse(400, "MalformedXML", f"name 1 to {DELETES_MAX} objects, each with its key")
    # Passed over, such an element would delete what the client wanted to keep.
    if any(each.tag in ("VersionId", "LastModifiedTime", "Size") for each in body.iter()):
        not_known("a condition other than the ETag, or a version, of a POST with delete")
    results = []
    for key, etag in found:
        stored = state.objects.get(f"{request.bucket}/{key}")
        # Each key is judged by what is left of the ones before it: one may be named twice.
        if etag is None or (stored is not None and _matches(etag, stored)):
            state = _without(state, f"{request.bucket}/{key}")
            # In quiet mode only what was refused is shown.
            results += [] if quiet else [element("Deleted", "", element("Key", key))]
            continue
        code = "NoSuchKey" if stored is None else "PreconditionFailed"
        results.append(element("Error", "", element("Key", key), element("Code", code), element("Message", code)))
    return state, xml("DeleteResult", *results)


def list_objects(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    return state, listing(state, request)


def head_bucket(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    return state, Response(200, (("x-amz-bucket-region", "us-east-1"),))


def bucket_location(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    return state, xml("LocationConstraint")


def create_bucket(state: BucketState, request: S3Request, now: int) -> Done:
    # In us-east-1, where a request names no region, its owner may create a bucket again (API reference, CreateBucket).
    if request.bucket in state.buckets and b"LocationConstraint" in request.body:
        refuse(409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded.")
    made = attrs.evolve(state, buckets=state.buckets | {request.bucket})
    return made, Response(200, (("Location", f"/{quote(request.bucket)}"),))


def delete_bucket(state: BucketState, request: S3Request, now: int) -> Done:
    _bucket(state, request.bucket)
    if any(address.startswith(f"{request.bucket}/") for address in state.objects):
        refuse(409, "BucketNotEmpty", "The bucket you tried to delete is not empty")
    uploads = {name: each for name, each in state.uploads.items() if not each.address.startswith(f"{request.bucket}/")}
    after = attrs.evolve(state, buckets=state.buckets - {request.bucket}, uploads=uploads)
    return after, Response(204)


def list_buckets(state: BucketState, request: S3Request, now: int) -> Done:
    found = [element("Bucket", "", element("Name", name)) for name in sorted(state.buckets)]
    return state, xml("ListAllMyBucketsResult", element("Buckets", "", *found))


NONE: Final = frozenset[str]()
LISTED: Final = frozenset(
    (
        *("list-type", "prefix", "delimiter", "max-keys", "encoding-type", "fetch-owner"),
        *("marker", "continuation-token", "start-after"),
    )
)
ETAGS: Final = frozenset(("if-match", "if-none-match"))
OF_READS: Final = CONDITIONS - {"if-range"}  # a range under a condition is not known
Operation = Callable[[BucketState, S3Request, int], Done]
OPERATIONS: Final[tuple[tuple[str, str, str, frozenset[str], frozenset[str], Operation], ...]] = (
    ("service", "GET", "", NONE, NONE, list_buckets),
    ("bucket", "GET", "location", NONE, NONE, bucket_location),
    ("bucket", "GET", "", LISTED, NONE, list_objects),
    ("bucket", "HEAD", "", NONE, NONE, head_bucket),
    ("bucket", "PUT", "", NONE, NONE, create_bucket),
    ("bucket", "DELETE", "", NONE, NONE, delete_bucket),
    ("bucket", "POST", "delete", NONE, NONE, delete_objects),
    ("object", "GET", "", NONE, OF_READS, get_object),
    ("object", "HEAD", "", NONE, OF_READS, get_object),
    ("object", "POST", "uploads", NONE, NONE, multipart.create),
    ("object", "POST", "uploadId", NONE, ETAGS, multipart.complete),
    ("object", "PUT", "uploadId", frozenset(("partNumber",)), NONE, upload_part),
    ("object", "DELETE", "uploadId", NONE, NONE, multipart.abort),
    ("object", "PUT", "", NONE, ETAGS, put_object),
    ("object", "DELETE", "", NONE, frozenset(("if-match",)), delete_object),
)
"""Of what, by which method, with which parameter, with which others if wanted, and under which conditions: what is
done. The first row that fits; a parameter or a condition that it does not know is refused, and not passed over."""

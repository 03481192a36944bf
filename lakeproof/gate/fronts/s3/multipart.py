"""Uploads in parts: nothing of one is visible before it is completed, and then all of it, at once."""

from typing import Final
from xml.etree.ElementTree import Element

import attrs

from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.s3 import checksums
from lakeproof.gate.fronts.s3.state import BucketState, Upload, upload_id
from lakeproof.gate.fronts.s3.times import iso
from lakeproof.gate.fronts.s3.wire import S3Request, element, number, parse_xml, refuse, xml
from lakeproof.gate.fronts.s3.writes import metadata_of, write_object
from lakeproof.model.objects import etag

Done = tuple[BucketState, Response]
PARTS_MAX: Final = 10_000
PART_BYTES_MIN: Final = 5 << 20
"""Of each part but the last."""


def etag_and_time(content: bytes, time: int) -> tuple[Element, Element]:
    """As the answer to a copy has them."""
    return element("ETag", f'"{etag(content)}"'), element("LastModified", iso(time))


def _find_upload(state: BucketState, request: S3Request, completed: object = None) -> tuple[str, Upload]:
    """An upload that is open; or one that was completed so."""
    name = request.query["uploadId"]
    found = state.uploads.get(name)
    gone = found is None or found.address != request.address
    if found is None or gone or found.completed not in (None, completed):
        refuse(404, "NoSuchUpload", "The specified upload does not exist.")
    return name, found


def create(state: BucketState, request: S3Request, now: int) -> Done:
    """CreateMultipartUpload. The id is made from the key, the client and a count, and so the same in each run."""
    if request.bucket not in state.buckets:
        refuse(404, "NoSuchBucket", "The specified bucket does not exist")
    who = request.address, request.client
    count = state.minted.get(who, 0)
    name = upload_id(*who, count)
    whole = request.headers.get("x-amz-checksum-type") == "FULL_OBJECT"
    # A checksum of the full object is none of the checksums of its parts.
    algorithm = "" if whole else request.headers.get("x-amz-checksum-algorithm", "")
    uploads = {**state.uploads, name: Upload(request.address, metadata_of(request), algorithm)}
    fields = element("Bucket", request.bucket), element("Key", request.key), element("UploadId", name)
    after = attrs.evolve(state, uploads=uploads, minted={**state.minted, who: count + 1})
    return after, xml("InitiateMultipartUploadResult", *fields)


def put_part(state: BucketState, request: S3Request, content: bytes, now: int) -> Done:
    """A part, as it was sent or copied. A part that comes again replaces the one before."""
    name, found = _find_upload(state, request)
    position = number(request.query.get("partNumber", ""))
    if position is None or not 1 <= position <= PARTS_MAX:
        refuse(400, "InvalidArgument", f"Part number must be an integer between 1 and {PARTS_MAX}, inclusive")
    parts = {**found.parts, position: content}
    after = attrs.evolve(state, uploads={**state.uploads, name: attrs.evolve(found, parts=parts)})
    if "x-amz-copy-source" in request.headers:  # a copy has its answer in XML, and no header of an ETag
        return after, xml("CopyPartResult", *etag_and_time(content, now))
    return after, Response(200, (("ETag", f'"{etag(content)}"'),))


def complete(state: BucketState, request: S3Request, now: int) -> Done:
    """CompleteMultipartUpload: the object appears, whole, under the conditions of the request. Once it has, the same
    request is answered in the same way, and nothing is done: a client that has lost the answer sends it again."""
    wanted = _parts_of_completion(request)
    known = state.uploads.get(request.query["uploadId"])
    if known is not None and known.completed is not None and known.completed[0] == wanted:
        _find_upload(state, request, known.completed)  # the upload may be of another key
        return state, _completion_response(request, known.completed[1])
    name, found = _find_upload(state, request)
    for position, named in wanted:
        # A part that was sent again since the client had this ETag is another part.
        if position not in found.parts or etag(found.parts[position]) != named:
            refuse(400, "InvalidPart", "One or more of the specified parts could not be found.")
    chosen = [found.parts[position] for position, _ in wanted]
    if any(len(each) < PART_BYTES_MIN for each in chosen[:-1]):
        refuse(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
    content = b"".join(chosen)
    metadata = (*found.metadata, *checksums.of_parts(found.algorithm, chosen))
    after = write_object(state, request, content, metadata, now)
    # It stays, so that a repeated completion finds its answer, and lists no parts any more.
    done = attrs.evolve(found, parts={}, completed=(wanted, etag(content)))
    after = attrs.evolve(after, uploads={**state.uploads, name: done})
    return after, _completion_response(request, etag(content))


def _parts_of_completion(request: S3Request) -> tuple[tuple[int, str], ...]:
    """The parts that a completion names: their numbers, which ascend, and ETags."""
    found: list[tuple[int, str]] = []
    for each in parse_xml(request.body).iter("Part"):
        position = number((each.findtext("PartNumber") or "").strip())
        if position is None:
            refuse(400, "MalformedXML", "a part has no number")
        if found and position <= found[-1][0]:
            refuse(400, "InvalidPartOrder", "The list of parts was not in ascending order.")
        found.append((position, (each.findtext("ETag") or "").strip().strip('"')))
    if not found:
        refuse(400, "MalformedXML", "You must specify at least one part")
    return tuple(found)


def _completion_response(request: S3Request, whole: str) -> Response:
    fields = element("Bucket", request.bucket), element("Key", request.key), element("ETag", f'"{whole}"')
    return xml("CompleteMultipartUploadResult", *fields)


def abort(state: BucketState, request: S3Request, now: int) -> Done:
    """AbortMultipartUpload."""
    name, _ = _find_upload(state, request)
    uploads = {key: value for key, value in state.uploads.items() if key != name}
    return attrs.evolve(state, uploads=uploads), Response(204)

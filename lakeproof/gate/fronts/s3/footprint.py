"""What a request of S3 can touch, by the request alone; and what it touches in a state.

Keys are ``bucket/key`` for an object, ``?bucket/NAME`` for whether a bucket exists, and ``?upload/bucket/key/ID`` for
an upload in parts. Every request that names a bucket depends on its existence.
"""

from urllib.parse import unquote

from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.gate.fronts.s3.state import BucketState, upload_id
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, parse_xml


def existence(bucket: str, touch: Touch = Touch.READ) -> Access:
    """Whether there is a bucket."""
    return Access(touch, f"?bucket/{bucket}")


def upload(address: str, name: str) -> Access:
    """An upload in parts: its parts, and whether it is still open."""
    return Access(Touch.WRITE, f"?upload/{address}/{name}")


def source_of(request: S3Request) -> str | None:
    """The address that a copy reads; None: the request copies nothing."""
    found = request.headers.get("x-amz-copy-source")
    return None if found is None else unquote(found).removeprefix("/")  # with a slash in front, or without


def to_delete(request: S3Request) -> tuple[tuple[str, str | None], ...]:
    """Keys of a bulk delete, each with the ETag that it must have, if one is named. Empty: the body is no list."""
    try:
        found = parse_xml(request.body).iter("Object")
    except S3Error:
        return ()
    return tuple((each.findtext("Key") or "", each.findtext("ETag")) for each in found)


def touches(request: S3Request) -> Footprint:
    """The most that a request can touch, whatever the store holds."""
    if not request.bucket:
        return (Access(Touch.READ, "?bucket/", prefix=True),)
    bucket = existence(request.bucket)
    return (bucket, *_of_object(request)) if request.key else _of_bucket(request, bucket)


def touches_in(state: BucketState, request: S3Request) -> Footprint:
    """What a request has touched that was done in this state."""
    name = request.query.get("uploadId")
    if request.conflict and name is None:
        return ()  # it does not look at the store: no other client can tell
    known = state.uploads.get(name or "")
    if request.conflict and known is not None and known.completed is None:  # it is aborted
        return existence(request.bucket), upload(request.address, name or "")
    if request.method == "POST" and request.key and name is None:
        count = state.minted.get((request.address, request.client), 0)
        created = upload(request.address, upload_id(request.address, request.client, count))
        # Two creations by one client at one key get the next ids in turn. Without this they would seem independent.
        return existence(request.bucket), created, upload(request.address, f"count of {request.client}")
    return touches(request)


def _of_bucket(request: S3Request, bucket: Access) -> Footprint:
    match request.method:
        case "POST" if "delete" in request.query:
            return (bucket, *(_removal(f"{request.bucket}/{key}", etag) for key, etag in to_delete(request)))
        case "GET" if "location" not in request.query:
            # A listing reads all keys with its prefix.
            return bucket, Access(Touch.READ, f"{request.bucket}/{request.query.get('prefix', '')}", prefix=True)
        case "GET" | "HEAD":
            return (bucket,)
        case "DELETE":
            # A bucket that has any object is not deleted: the answer depends on every key of it.
            mine = Access(Touch.READ, f"{request.bucket}/", prefix=True)
            uploads = Access(Touch.WRITE, f"?upload/{request.bucket}/", prefix=True)
            return existence(request.bucket, Touch.WRITE), mine, uploads
        case _:
            return (existence(request.bucket, Touch.WRITE),)


def _removal(address: str, etag: str | None) -> Access:
    """With a condition, the answer depends on what was there."""
    return Access(Touch.DELETE if etag is None else Touch.WRITE, address)


def _of_object(request: S3Request) -> Footprint:
    object_ = Access(Touch.WRITE, request.address)
    name = request.query.get("uploadId")
    if request.method in ("GET", "HEAD"):
        return (Access(Touch.READ, request.address),)
    if request.method == "DELETE":
        removal = _removal(request.address, request.headers.get("if-match"))
        # To abort an upload leaves the object as it is.
        return (removal if name is None else upload(request.address, name),)
    if request.method == "POST":
        if name is None:
            # The id is given by the state. By the request alone it may be any one of this key.
            return (Access(Touch.WRITE, f"?upload/{request.address}/", prefix=True),)
        return upload(request.address, name), object_
    source = source_of(request)
    # The source may be in another bucket, whose absence is another error.
    read = () if source is None else (existence(source.partition("/")[0]), Access(Touch.READ, source))
    return (*read, object_ if name is None else upload(request.address, name))

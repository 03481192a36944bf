"""Writing an object of S3 under the conditions of a request, and what is kept of its headers."""

from typing import Final

import attrs

from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.wire import S3Request, not_known, refuse
from lakeproof.model import objects
from lakeproof.model.objects import Metadata

SYSTEM_METADATA: Final = (
    *("content-type", "content-encoding", "content-language", "content-disposition"),
    *("cache-control", "expires"),
)


def write_object(state: BucketState, request: S3Request, content: bytes, metadata: Metadata, now: int) -> BucketState:
    """The state with an object, under the conditions of the request.

    Raises:
        S3Error: 412, as the condition does not hold; 404 for ``If-Match`` where nothing is.
    """
    none, match = request.headers.get("if-none-match"), request.headers.get("if-match")
    if match == "*":
        not_known("if-match: * of a write")
    # S3 has no other value for a write, nor both headers, and says so: its own answer, and nothing unknown.
    if none is not None and (none != "*" or match is not None):
        refuse(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
    if match is not None and request.address not in state.objects:  # before the write, which would answer 412
        refuse(404, "NoSuchKey", "The specified key does not exist.")
    wanted = None if match is None else match.strip('"')
    put = objects.Put(request.address, content, metadata, if_absent=none is not None, if_match=wanted)
    after, reply = objects.step(state.objects, put, now)
    if isinstance(reply, objects.PreconditionFailed):
        refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
    return attrs.evolve(state, objects=after)


def metadata_of(request: S3Request) -> Metadata:
    """What is kept of the headers of a request that makes an object, or an upload."""
    kept = {
        name: value
        for name, value in request.headers.items()
        if name in SYSTEM_METADATA or name.startswith("x-amz-meta-")
    }
    coding = kept.get("content-encoding", "")
    # SDKs name the encoding of the transfer here. S3 stores the object without it.
    plain = ",".join(each for each in coding.split(",") if each.strip() != "aws-chunked")
    kept.pop("content-encoding", None)
    return tuple(sorted((kept | ({"content-encoding": plain} if plain else {})).items()))

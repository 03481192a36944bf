"""S3 as the gate sees it."""

from typing import Final

import attrs

from lakeproof.gate.fronts.footprints import Footprint, Touch
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.s3.footprint import to_delete, touches
from lakeproof.gate.fronts.s3.operations import perform
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, error_response, parse_request
from lakeproof.gate.names import blank_minted
from lakeproof.words import plural

# What tells requests of one key apart. A body is left out: of equal labels it only gives the order of names.
_HEADERS = ("if-none-match", "if-match", "range", "x-amz-copy-source")
_PARAMETERS = (
    *("prefix", "start-after", "continuation-token", "delimiter"),
    *("partNumber", "uploads", "uploadId", "delete"),
)

KEYS_SHOWN: Final = 8
"""So many keys of a bulk delete its label names."""


class S3Front:
    """See `lakeproof.gate.fronts.interface.Front`."""

    def understood(self, request: Request) -> S3Request | Response:
        try:
            return parse_request(request)
        except S3Error as error:
            return error_response(error, None)

    def label_of(self, request: S3Request) -> str:
        query, listing = request.query, not request.key and request.method == "GET"
        words = ["LIST" if listing else request.method, request.address if request.key else request.bucket]
        words += [f"{name}={query[name]}" if query[name] else name for name in _PARAMETERS if name in query]
        words += [f"{name}: {_brief(name, request.headers[name])}" for name in _HEADERS if name in request.headers]
        if request.method == "POST" and "delete" in request.query:
            words.append(_keys([key for key, _ in to_delete(request)]))
        return " ".join(words)

    def keys_of(self, request: S3Request) -> tuple[str, ...]:
        # Minted parts are blank: two runs see the keys in one order.
        return tuple(sorted((each.key for each in touches(request)), key=blank_minted))

    def writes(self, request: S3Request) -> bool:
        return any(each.touch is not Touch.READ for each in touches(request))

    def perform(self, state: BucketState, request: S3Request, now: int) -> tuple[BucketState, Response, Footprint]:
        return perform(state, request, now)

    def conflict(self, request: S3Request) -> S3Request | None:
        # S3's 409 is of two writes at once. A read with a condition meets none.
        if request.method in ("GET", "HEAD") or not {"if-match", "if-none-match"} & request.headers.keys():
            return None
        return attrs.evolve(request, conflict=True)

    def refusal(self, request: S3Request) -> Response:
        return error_response(S3Error(503, "SlowDown", "Please reduce your request rate."), request)


def _keys(keys: list[str]) -> str:
    """Of a bulk delete, in an order that two runs have in common: which of those under way at once it is."""
    ordered = sorted(keys, key=blank_minted)
    left = len(ordered) - KEYS_SHOWN
    return f"({plural(len(keys), 'key')}: {', '.join(ordered[:KEYS_SHOWN])}{f' and {left} more' if left > 0 else ''})"


def _brief(name: str, value: str) -> str:
    """A range by its beginning: its end is often a length, which another run may have otherwise (times inside)."""
    begin, dash, _ = value.partition("-")
    return begin + dash if name == "range" and begin.rpartition("=")[2] else value

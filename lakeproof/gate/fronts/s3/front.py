"""S3 as the gate sees it."""

from typing import Final

from lakeproof.gate.fronts.footprints import Footprint, Touch
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.s3.footprint import to_delete, touches
from lakeproof.gate.fronts.s3.operations import perform
from lakeproof.gate.fronts.s3.state import BucketState
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, error_response, parse_request
from lakeproof.gate.names import blank_minted
from lakeproof.words import plural

_TOLD = ("if-none-match", "if-match", "range", "x-amz-copy-source")
_PARAMETERS = (
    *("prefix", "start-after", "continuation-token", "delimiter"),
    *("partNumber", "uploads", "uploadId", "delete"),
)

KEYS_TOLD: Final = 8
"""So many keys of a bulk delete its label names."""


class S3Front:
    """See `lakeproof.gate.fronts.Front`."""

    def understood(self, request: Request) -> S3Request | Response:
        try:
            return parse_request(request)
        except S3Error as error:
            return error_response(error, None)

    def client_of(self, asked: S3Request) -> str:
        return asked.access_key

    def label_of(self, asked: S3Request) -> str:
        listing = not asked.key and asked.method == "GET"
        words = ["LIST" if listing else asked.method, asked.address if asked.key else asked.bucket]
        words += [
            f"{name}={asked.query[name]}" if asked.query[name] else name for name in _PARAMETERS if name in asked.query
        ]
        words += [f"{name}: {_brief(name, asked.headers[name])}" for name in _TOLD if name in asked.headers]
        if asked.method == "POST" and "delete" in asked.query:
            words.append(_keys([key for key, _ in to_delete(asked)]))
        return " ".join(words)

    def keys_of(self, asked: S3Request) -> tuple[str, ...]:
        return tuple(sorted((each.key for each in touches(asked)), key=blank_minted))

    def writes(self, asked: S3Request) -> bool:
        return any(each.touch is not Touch.READ for each in touches(asked))

    def perform(self, state: BucketState, asked: S3Request, now: int) -> tuple[BucketState, Response, Footprint]:
        return perform(state, asked, now)

    def conflict(self, asked: S3Request) -> Response | None:
        """Amazon S3 User Guide, *Conditional write behavior*."""
        if asked.method not in ("PUT", "POST") or not {"if-match", "if-none-match"} & asked.headers.keys():
            return None
        message = "The conditional request cannot succeed due to a conflicting operation against this resource."
        return error_response(S3Error(409, "ConditionalRequestConflict", message), asked)

    def refusal(self, asked: S3Request) -> Response:
        return error_response(S3Error(503, "SlowDown", "Please reduce your request rate."), asked)


def _keys(keys: list[str]) -> str:
    """Of a bulk delete, in an order that two runs have in common: which of those under way at once it is."""
    ordered = sorted(keys, key=blank_minted)
    left = len(ordered) - KEYS_TOLD
    return f"({plural(len(keys), 'key')}: {', '.join(ordered[:KEYS_TOLD])}{f' and {left} more' if left > 0 else ''})"


def _brief(name: str, value: str) -> str:
    """A range by its beginning: its end is often a length, which another run may have otherwise (times inside)."""
    begin, dash, _ = value.partition("-")
    return begin + dash if name == "range" and begin.rpartition("=")[2] else value

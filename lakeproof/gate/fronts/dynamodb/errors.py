"""Errors of DynamoDB, as it sends them.

Source: Amazon DynamoDB API Reference, API version 2012-08-10, *Common errors* and each operation's.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Final, NoReturn

import attrs

from lakeproof.gate.fronts.http import Response

SERVICE: Final = "com.amazonaws.dynamodb.v20120810"
VALIDATION: Final = "com.amazon.coral.validate#ValidationException"
SERIALIZATION: Final = "com.amazon.coral.service#SerializationException"
# Their message is in `Message`, not in `message`: the SDKs of Amazon read it there.
_CAPITAL: Final = ("TransactionCanceledException", "IdempotentParameterMismatchException")
UNKNOWN_OPERATION: Final = "com.amazon.coral.service#UnknownOperationException"


class DynamoDBError(Exception):
    """An error of DynamoDB: its type, its message, and further fields of its body. The status is 400. unknown: what was
    requested that the front does not have: then this is no error of DynamoDB's."""

    def __init__(self, kind: str, message: str, fields: Mapping[str, object] | None = None, unknown: str = "") -> None:
        super().__init__(f"{kind.rpartition('#')[2]}: {message}")
        self.unknown = unknown
        self.kind = kind
        self.message = message
        self.fields = fields or {}

    @property
    def code(self) -> str:
        """The type without its service, such as ``ConditionalCheckFailedException``."""
        return self.kind.rpartition("#")[2]


def invalid(message: str) -> NoReturn:
    """Raise ValidationException: the request is not one that DynamoDB accepts."""
    raise DynamoDBError(VALIDATION, message)


def not_known(what: str, kind: str = VALIDATION) -> NoReturn:
    """Refuse what the front does not have."""
    raise DynamoDBError(kind, f"{what} is not known here", unknown=what)


def raise_malformed(message: str) -> NoReturn:
    """Raise SerializationException: the body is not of the types of the operation."""
    raise DynamoDBError(SERIALIZATION, message)


def raise_error(code: str, message: str, fields: Mapping[str, object] | None = None) -> NoReturn:
    """Raise an error of DynamoDB's own, such as ``ResourceNotFoundException``."""
    raise DynamoDBError(f"{SERVICE}#{code}", message, fields)


def answer(fields: Mapping[str, object], status: int = 200) -> Response:
    """A body as JSON, with its checksum, as the SDKs verify it."""
    body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    headers = (
        ("Content-Type", "application/x-amz-json-1.0"),
        ("x-amzn-RequestId", "0"),  # the same in each run
        ("x-amz-crc32", str(zlib.crc32(body))),
    )
    return Response(status, headers, body)


def error_answer(error: DynamoDBError) -> Response:
    """The answer that an error is. Errors of whole transactions write their message in a field of another name."""
    name = "Message" if error.code in _CAPITAL else "message"
    made = answer({"__type": error.kind, name: error.message, **error.fields}, 400)
    return attrs.evolve(made, unknown=error.unknown)  # then the run is inconclusive

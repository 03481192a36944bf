"""DynamoDB as the gate sees it."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb import items, tables, touched
from lakeproof.gate.fronts.dynamodb.errors import (
    SERVICE,
    UNKNOWN_OPERATION,
    DynamoDBError,
    answer,
    error_answer,
    not_known,
    raise_malformed,
)
from lakeproof.gate.fronts.dynamodb.labels import label
from lakeproof.gate.fronts.dynamodb.parameters import refuse_unknown
from lakeproof.gate.fronts.dynamodb.queries import answer_page
from lakeproof.gate.fronts.dynamodb.requests import (
    OPERATIONS,
    Fields,
    ItemChange,
    Meant,
    Pages,
    Read,
    Several,
    TableRequest,
    one_of,
)
from lakeproof.gate.fronts.dynamodb.state import Answered, DynamoState
from lakeproof.gate.fronts.footprints import Footprint, only_read
from lakeproof.gate.fronts.http import Request, Response

TARGET: Final = "x-amz-target"
"""The header that names the operation, such as ``DynamoDB_20120810.GetItem``."""
VERSION: Final = "DynamoDB_20120810"
BODY_SHOWN_BYTES: Final = 100
"""Of a request that is not known."""
_CAPACITY: Final = ("NONE", "TOTAL", "INDEXES")  # the first is what a request without the field means


@attrs.frozen
class DynamoDBRequest:
    """A parsed request. meant: what it says without a table."""

    operation: str
    client: str
    body: Fields
    meant: Meant


class DynamoDBFront:
    """See `lakeproof.gate.fronts.interface.Front`.

    It keeps the names of the keys of the tables that it has seen created, for labels and for nothing else.
    """

    def __init__(self) -> None:
        self.keys_of_tables: dict[str, tuple[str, ...]] = {}

    def understood(self, request: Request) -> DynamoDBRequest | Response:
        try:
            operation = _operation(request)
            body = _body(request.body)
            refuse_unknown(operation, body)
            # Every operation may have this field, so no function of `OPERATIONS` looks at it.
            one_of(body, "ReturnConsumedCapacity", _CAPACITY)
            meant = OPERATIONS[operation](body)
        except DynamoDBError as error:
            return error_answer(error)
        return DynamoDBRequest(operation, request.signer, body, meant)

    def label_of(self, request: DynamoDBRequest) -> str:
        return label(request.operation, request.meant, self.keys_of_tables)

    def writes(self, request: DynamoDBRequest) -> bool:
        match request.meant:
            case ItemChange():
                return True
            case Several(changes=changes):
                return any(each.kind != "ConditionCheck" for each in changes)  # checks alone change no item
            case _:
                return request.operation in touched.WRITING  # no read has such a name

    def perform(
        self, state: DynamoState, request: DynamoDBRequest, now: int
    ) -> tuple[DynamoState, Response, Footprint]:
        footprint = touched.touches(state, request.operation, request.meant)
        try:
            after, result = _perform_request(state, request, now)
        except DynamoDBError as error:
            return state, error_answer(error), only_read(footprint)
        # Only this request says which attributes are the key. A label of PutItem needs that: it has the whole item.
        if request.operation == "CreateTable" and isinstance(request.meant, TableRequest):
            self.keys_of_tables[request.meant.name] = after.tables[request.meant.name].key_names
        # A transaction that is done already is answered from the state, which stays.
        footprint = only_read(footprint) if after is state else footprint
        return after, answer({**result, **_consumed_capacity(request)}), footprint

    def refusal(self, request: DynamoDBRequest) -> Response:
        # A throttled request has changed nothing. The SDKs send it again by themselves, as after a 503 of S3.
        message = (
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
            "provisioning level with the UpdateTable API."
        )
        return error_answer(DynamoDBError(f"{SERVICE}#ProvisionedThroughputExceededException", message))


def _operation(request: Request) -> str:
    version, _, name = request.headers.get(TARGET, "").partition(".")
    if request.method != "POST" or version != VERSION or name not in OPERATIONS:
        # An operation that the front does not have, or no request of DynamoDB: nothing is judged in either case.
        body = request.body[:BODY_SHOWN_BYTES].decode(errors="backslashreplace")
        not_known(f"{request.method} {version}.{name} {body}", UNKNOWN_OPERATION)
    return name


def _body(body: bytes) -> Fields:
    try:
        found = json.loads(body, parse_constant=raise_malformed)  # Python reads NaN and Infinity
        body.decode()  # `loads` takes UTF-16 and UTF-32, too
        json.dumps(found, ensure_ascii=False).encode()  # a half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise_malformed("the body is no JSON")
    if not isinstance(found, dict):
        raise_malformed("the body is no object of JSON")
    # A field that is null is one that is not there.
    return {name: value for name, value in found.items() if value is not None}


def _perform_request(state: DynamoState, request: DynamoDBRequest, now: int) -> Answered:
    match request.meant:
        case Read():
            return items.get_item(state, request.meant)
        case ItemChange():
            return items.change_item(state, request.meant)
        case Pages():
            return answer_page(state, request.meant)
        case Several():
            # A token is compared by a digest of the whole body, and for ten minutes: this needs the body and the time.
            if request.operation == "TransactWriteItems":
                return items.transact_write(state, request.meant, request.body, now)
            return _SEVERAL[request.operation](state, request.meant)
        case TableRequest(name):
            return _TABLES[request.operation](state, request.body, name, now)


def _consumed_capacity(request: DynamoDBRequest) -> dict[str, object]:
    """One unit for each part of a request: what it costs at Amazon is not counted here."""
    if request.body.get("ReturnConsumedCapacity", "NONE") == "NONE" or isinstance(request.meant, TableRequest):
        return {}
    meant = request.meant
    names = [each.table for each in meant.parts] if isinstance(meant, Several) else [meant.table]
    consumed = [{"TableName": name, "CapacityUnits": float(count)} for name, count in sorted(Counter(names).items())]
    return {"ConsumedCapacity": consumed if isinstance(request.meant, Several) else consumed[0]}


_SEVERAL: Final[Mapping[str, Callable[[DynamoState, Several], Answered]]] = {
    "BatchGetItem": items.batch_get,
    "BatchWriteItem": items.batch_write,
    "TransactGetItems": items.transact_get,
}
_TABLES: Final[Mapping[str, Callable[[DynamoState, Fields, str, int], Answered]]] = {
    "CreateTable": tables.create,
    "DeleteTable": tables.delete,
    "DescribeTable": tables.describe,
    "ListTables": tables.listing,
}

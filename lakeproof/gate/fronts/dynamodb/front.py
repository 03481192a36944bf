"""DynamoDB as the gate sees it."""

import json
import re
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
from lakeproof.gate.fronts.dynamodb.items import Answered
from lakeproof.gate.fronts.dynamodb.labels import label
from lakeproof.gate.fronts.dynamodb.parameters import refuse_unknown
from lakeproof.gate.fronts.dynamodb.queries import KeyCondition, answer_page
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
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.footprints import Footprint, Touch
from lakeproof.gate.fronts.http import Request, Response

TARGET: Final = "x-amz-target"
"""The header that names the operation, such as ``DynamoDB_20120810.GetItem``."""
VERSION: Final = "DynamoDB_20120810"
BODY_TOLD_BYTES: Final = 100
"""Of a request that is not known."""
_CREDENTIAL: Final = re.compile(r"Credential=([^/,\s]+)/")
_CAPACITY: Final = ("NONE", "TOTAL", "INDEXES")
_WRITING: Final = ("CreateTable", "DeleteTable", "UpdateTimeToLive")


@attrs.frozen
class DynamoDBRequest:
    """A request, understood. told: its body. meant: what it says without a table."""

    operation: str
    access_key: str
    told: Fields
    meant: Meant


class DynamoDBFront:
    """See `lakeproof.gate.fronts.Front`.

    It keeps the names of the keys of the tables that it has seen created, for labels and for nothing else.
    """

    def __init__(self) -> None:
        self.keys_of_tables: dict[str, tuple[str, ...]] = {}

    def understood(self, request: Request) -> DynamoDBRequest | Response:
        credential = _CREDENTIAL.search(request.headers.get("authorization", ""))
        try:
            operation = _operation(request)
            told = _body(request.body)
            refuse_unknown(operation, told)
            one_of(told, "ReturnConsumedCapacity", _CAPACITY)
            meant = OPERATIONS[operation](told)
        except DynamoDBError as error:
            return error_answer(error)
        return DynamoDBRequest(operation, credential[1] if credential else "", told, meant)

    def client_of(self, asked: DynamoDBRequest) -> str:
        return asked.access_key

    def label_of(self, asked: DynamoDBRequest) -> str:
        return label(asked.operation, asked.meant, self.keys_of_tables)

    def keys_of(self, asked: DynamoDBRequest) -> tuple[str, ...]:
        return ()  # a label has them all

    def writes(self, asked: DynamoDBRequest) -> bool:
        match asked.meant:
            case ItemChange():
                return True
            case Several(changes=changes):
                return any(each.kind != "ConditionCheck" for each in changes)
            case _:
                return asked.operation in _WRITING

    def perform(self, state: DynamoState, asked: DynamoDBRequest, now: int) -> tuple[DynamoState, Response, Footprint]:
        try:
            after, told, footprint = _perform_request(state, asked, now)
        except DynamoDBError as error:
            # It has changed nothing; its answer depends on what it would have touched.
            return state, error_answer(error), touched.by_error(state, asked.meant)
        if asked.operation == "CreateTable" and isinstance(asked.meant, TableRequest):
            self.keys_of_tables[asked.meant.name] = after.tables[asked.meant.name].key_names
        return after, answer({**told, **_consumed_capacity(asked)}), footprint

    def refusal(self, asked: DynamoDBRequest) -> Response:
        message = (
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
            "provisioning level with the UpdateTable API."
        )
        return error_answer(DynamoDBError(f"{SERVICE}#ProvisionedThroughputExceededException", message))


def _operation(request: Request) -> str:
    version, _, name = request.headers.get(TARGET, "").partition(".")
    if request.method != "POST" or version != VERSION or name not in OPERATIONS:
        asked = request.body[:BODY_TOLD_BYTES].decode(errors="backslashreplace")
        not_known(f"{request.method} {version}.{name} {asked}", UNKNOWN_OPERATION)
    return name


def _body(body: bytes) -> Fields:
    try:
        found = json.loads(body, parse_constant=raise_malformed)
        body.decode()
        json.dumps(found, ensure_ascii=False).encode()  # a half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise_malformed("the body is no JSON")
    if not isinstance(found, dict):
        raise_malformed("the body is no object of JSON")
    # A field that is null is one that is not there.
    return {name: value for name, value in found.items() if value is not None}


def _perform_request(state: DynamoState, asked: DynamoDBRequest, now: int) -> Answered:
    match asked.meant:
        case Read():
            return items.get_item(state, asked.meant)
        case ItemChange():
            return items.change_item(state, asked.meant)
        case Pages():
            return _page(state, asked.meant)
        case Several():
            if asked.operation == "TransactWriteItems":
                return items.transact_write(state, asked.meant, asked.told, now)
            return _SEVERAL[asked.operation](state, asked.meant)
        case TableRequest(name):
            return _TABLES[asked.operation](state, asked.told, name, now)


def _page(state: DynamoState, asked: Pages) -> Answered:
    table = state.table(asked.table)
    key = None if asked.key is None else KeyCondition.of(table, asked.key)
    told, _ = answer_page(table, asked, key)
    seen = touched.items(asked.table, Touch.READ) if key is None else touched.of_query(table, key)
    return state, told, (touched.table(asked.table), seen)


def _consumed_capacity(asked: DynamoDBRequest) -> dict[str, object]:
    """One unit for each part of a request: what it costs at Amazon is not counted here."""
    if asked.told.get("ReturnConsumedCapacity", "NONE") == "NONE" or isinstance(asked.meant, TableRequest):
        return {}
    names = [each.table for each in asked.meant.parts] if isinstance(asked.meant, Several) else [asked.meant.table]
    told = [{"TableName": name, "CapacityUnits": float(count)} for name, count in sorted(Counter(names).items())]
    return {"ConsumedCapacity": told if isinstance(asked.meant, Several) else told[0]}


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
    "DescribeTimeToLive": tables.describe_ttl,
    "UpdateTimeToLive": tables.update_ttl,
}

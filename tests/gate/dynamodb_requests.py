"""Requests of DynamoDB over few tables, keys and attributes, so that they meet each other; and answers held against
Amazon's own description of them, as botocore ships it."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache

import botocore.session
from botocore.model import ServiceModel, Shape
from botocore.validate import ParamValidator, ValidationErrors
from hypothesis import strategies as st

from lakeproof.gate.fronts.aws import AWSFront, StoreRequest
from lakeproof.gate.fronts.dynamodb.front import VERSION, DynamoDBFront
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Request, Response

Fields = dict[str, object]
Asked = tuple[str, Fields]
"""An operation and the fields of its request."""

ONE, TWO = "one", "two"
"""Tables: with the partition key ``p``, and with the sort key ``k``, a number, besides."""
NOW = 1_800_000_000_000_000


def s(text: str) -> Fields:
    return {"S": text}


def n(number: int | str) -> Fields:
    return {"N": str(number)}


def request(operation: str, fields: object, *, client: str = "me") -> Request:
    body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    headers = {"x-amz-target": f"{VERSION}.{operation}", "authorization": f"AWS4-HMAC-SHA256 Credential={client}/x"}
    return Request(method="POST", path="/", query=(), headers=headers, body=body)


def understood(asked: Asked, client: str = "me") -> StoreRequest:
    """A request as the gate keeps it; it must be one."""
    found = AWSFront().understood(request(*asked, client=client))
    assert not isinstance(found, Response)
    return found


def done(state: DynamoState, operation: str, fields: object) -> tuple[DynamoState, int, Fields, Footprint]:
    """The state after a request, and the status, the body and the footprint of the answer."""
    front = DynamoDBFront()
    asked = front.understood(request(operation, fields))
    if isinstance(asked, Response):
        return state, asked.status, json.loads(asked.body), ()
    assert front.label_of(asked).isprintable()
    front.writes(asked)
    state, response, footprint = front.perform(state, asked, NOW)
    return state, response.status, json.loads(response.body), footprint


def create(name: str) -> Asked:
    names = [("p", "S", "HASH"), ("k", "N", "RANGE")][: 1 if name == ONE else 2]
    return "CreateTable", {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": kind} for each, kind, _ in names],
        "KeySchema": [{"AttributeName": each, "KeyType": role} for each, _, role in names],
        "BillingMode": "PAY_PER_REQUEST",
    }


def after(*asked: Asked) -> DynamoState:
    """The state after requests that all succeed."""
    state = DynamoState()
    for operation, fields in asked:
        state, status, body, _ = done(state, operation, fields)
        assert status == 200, body
    return state


VALUES = st.sampled_from([n(0), n(1), n(2), s("a"), s("b"), {"SS": ["a"]}, {"L": [n(1)]}, {"M": {"x": n(1)}}])
CONDITIONS = st.sampled_from(
    [
        *("attribute_exists(p)", "attribute_not_exists(p)", "v = :v", "v <> :v OR attribute_type(v, :t)", "v < :v"),
        *("size(v) > :one", "NOT v IN (:v, :one)", "v BETWEEN :one AND :one", "v.x = :v", "contains(v, :v)"),
    ]
)
UPDATES = st.sampled_from(
    [
        *("SET v = :v", "SET v = if_not_exists(v, :one) + :one", "ADD v :one", "REMOVE v", "SET v.x = :v", "SET w = v"),
        *("DELETE v :s", "SET v[0] = :v REMOVE w", "SET v = list_append(v, :l)", "REMOVE v[0], v[1]", "ADD w :s"),
    ]
)
TABLES = st.sampled_from([ONE, TWO])
PARTITIONS = st.sampled_from(["a", "ab", "a/"])
SORTS = st.sampled_from([1, 2, 10])


def attached(text: str, v: object) -> Fields:
    """The values that expressions use."""
    known: Fields = {":v": v, ":one": n(1), ":t": s("N"), ":s": {"SS": ["a", "c"]}, ":l": {"L": [n(7)]}}
    used = {name: value for name, value in known.items() if name in re.findall(r":\w+", text)}
    return {"ExpressionAttributeValues": used} if used else {}


@st.composite
def keys(draw: st.DrawFn, table: str, partitions: st.SearchStrategy[str] = PARTITIONS) -> Fields:
    key: Fields = {"p": s(draw(partitions))}
    return key if table == ONE else {**key, "k": n(draw(SORTS))}


@st.composite
def changes(
    draw: st.DrawFn, tables: st.SearchStrategy[str] = TABLES, partitions: st.SearchStrategy[str] = PARTITIONS
) -> Asked:
    """PutItem, UpdateItem or DeleteItem."""
    table, kind = draw(tables), draw(st.sampled_from(["PutItem", "UpdateItem", "DeleteItem"]))
    key = draw(keys(table, partitions))
    fields: Fields = {"TableName": table}
    text = ""
    if kind == "PutItem":
        fields["Item"] = {**key, "v": draw(VALUES)}
    else:
        fields["Key"] = key
    if kind == "UpdateItem":
        text = str(draw(UPDATES))
        fields["UpdateExpression"] = text
    if draw(st.booleans()):
        fields["ConditionExpression"] = draw(CONDITIONS)
        text += f" {fields['ConditionExpression']}"
    if draw(st.booleans()):
        fields["ReturnValues"] = draw(st.sampled_from(["ALL_OLD"] + ["UPDATED_NEW"] * (kind == "UpdateItem")))
    return kind, fields | attached(text, draw(VALUES))


@st.composite
def reads(draw: st.DrawFn) -> Asked:
    """GetItem, Query or Scan."""
    kind, table = draw(st.sampled_from(["GetItem", "Query", "Scan"])), draw(TABLES)
    fields: Fields = {"TableName": table}
    if kind == "GetItem":
        return kind, {**fields, "Key": draw(keys(table))}
    if kind == "Query":
        more = draw(st.sampled_from(["", " AND k = :k", " AND k >= :k", " AND k BETWEEN :k AND :k"]))
        values = {":p": s(draw(PARTITIONS))} | ({":k": n(draw(SORTS))} if more else {})
        fields |= {"KeyConditionExpression": f"p = :p{more}", "ExpressionAttributeValues": values}
        fields["ScanIndexForward"] = draw(st.booleans())
    if draw(st.booleans()):
        fields["Limit"] = draw(st.integers(1, 3))
    return kind, fields


@st.composite
def several(draw: st.DrawFn) -> Asked:
    """A batch or a transaction."""
    kind = draw(st.sampled_from(["BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"]))
    table = draw(TABLES)
    if kind in ("BatchGetItem", "TransactGetItems"):
        found = draw(st.lists(keys(table), min_size=1, max_size=3))
        if kind == "BatchGetItem":
            return kind, {"RequestItems": {table: {"Keys": found}}}
        return kind, {"TransactItems": [{"Get": {"TableName": table, "Key": key}} for key in found]}
    if kind == "BatchWriteItem":
        found = draw(st.lists(keys(table), min_size=1, max_size=3))
        put: list[Fields] = [
            {"PutRequest": {"Item": {**key, "v": n(9)}}} if draw(st.booleans()) else {"DeleteRequest": {"Key": key}}
            for key in found
        ]
        return kind, {"RequestItems": {table: put}}
    parts = draw(st.lists(changes(), min_size=1, max_size=3))
    items = []
    for operation, fields in parts:
        inner = {name: value for name, value in fields.items() if name != "ReturnValues"}
        items.append({operation.removesuffix("Item"): inner})
    token = draw(st.sampled_from(["", "t1", "t2"]))
    return kind, {"TransactItems": items} | ({"ClientRequestToken": token} if token else {})


@st.composite
def tables(draw: st.DrawFn) -> Asked:
    """An operation on a table."""
    name = draw(TABLES)
    kind = draw(st.sampled_from(["Create", "Delete", "Describe", "List"]))
    if kind == "Create":
        return create(name)
    if kind == "List":
        return "ListTables", {"Limit": draw(st.integers(1, 2))}
    return f"{kind}Table", {"TableName": name}


@st.composite
def meetings(draw: st.DrawFn) -> Asked:
    """A change of one of two items, or a transaction of such a change, always with one token."""
    operation, fields = draw(changes(st.just(ONE), st.sampled_from(["a", "a", "b"])))
    if draw(st.integers(0, 2)):
        return operation, fields
    inner = {name: value for name, value in fields.items() if name != "ReturnValues"}
    return "TransactWriteItems", {"TransactItems": [{operation.removesuffix("Item"): inner}], "ClientRequestToken": "t"}


REQUESTS = st.one_of(changes(), changes(), reads(), several(), tables())


@lru_cache(1)
def model() -> ServiceModel:
    """Amazon's description of the service."""
    found: ServiceModel = botocore.session.get_session().get_service_model("dynamodb")
    return found


class _Answers(ParamValidator):  # type: ignore[misc]  # botocore has no types
    """Holds answers against a shape, with the values of enumerations; times are numbers."""

    def _validate_string(self, param: object, shape: Shape, errors: ValidationErrors, name: str) -> None:
        super()._validate_string(param, shape, errors, name)
        if isinstance(param, str) and shape.enum and param not in shape.enum:
            errors.report(name, "invalid type", param=param, valid_types=shape.enum)

    def _validate_timestamp(self, param: object, shape: Shape, errors: ValidationErrors, name: str) -> None:
        self._validate_double(param, shape, errors, name)


def _differences(body: Mapping[str, object], shape: Shape) -> str:
    """Ranges do not count: Amazon itself says of a table that it had 0 decreases today, and describes 1 or more."""
    found = _Answers().validate(body, shape)._errors
    return "; ".join(map(str, (each for each in found if each[0] not in ("invalid range", "invalid length"))))


def misfits(operation: str, status: int, body: Mapping[str, object]) -> str:
    """What in an answer is not as Amazon describes it; empty: all is."""
    described = model().operation_model(operation)
    if status == 200:
        return _differences(body, described.output_shape)
    kind = str(body.get("__type")).partition("#")[2]
    rest = {name: value for name, value in body.items() if name != "__type"}
    for shape in described.error_shapes:
        if shape.name == kind:
            return _differences(rest, shape)
    common = {"ValidationException", "SerializationException", "UnknownOperationException"}
    return "" if kind in common and set(rest) == {"message"} else f"{operation}: no error {kind} with {sorted(rest)}"

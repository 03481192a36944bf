"""Operations on tables. A table is there, or gone, as soon as the request is answered. Pure.

Source: Amazon DynamoDB API Reference, CreateTable, DescribeTable, ListTables.
"""

from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb.errors import invalid, not_known, raise_error, raise_malformed
from lakeproof.gate.fronts.dynamodb.requests import Fields, flag, one_of, text, whole
from lakeproof.gate.fronts.dynamodb.state import Answered, DynamoState, DynamoTable, KeyAttribute
from lakeproof.gate.fronts.dynamodb.values import fields

_UNKNOWN: Final = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
_LISTED_MAX: Final = 100


def create(state: DynamoState, body: Fields, name: str, now: int) -> Answered:
    """CreateTable. now: in microseconds since 1970."""
    for each in _UNKNOWN:
        if body.get(each):  # an empty list names none
            not_known(f"{each} of CreateTable")
    stream = fields(body.get("StreamSpecification", {}), "StreamSpecification")
    if flag(stream, "StreamEnabled", default=False) or flag(body, "DeletionProtectionEnabled", default=False):
        not_known("StreamSpecification or DeletionProtectionEnabled of CreateTable")
    kinds = _definitions(body)
    keys = [(text(each, "AttributeName"), text(each, "KeyType")) for each in _objects(body, "KeySchema")]
    if [kind for _, kind in keys] not in (["HASH"], ["HASH", "RANGE"]):
        invalid(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or the second not a RANGE key type"
        )
    for attribute, _ in keys:
        if attribute not in kinds:
            invalid("One or more parameter values were invalid: Some index key attributes are not defined in "
                    f"AttributeDefinitions. Keys: [{attribute}]")  # fmt: skip
    # Without indexes, each definition is of a key; and neither has a name twice.
    if not len(kinds) == len(keys) == len(_objects(body, "AttributeDefinitions")):
        invalid("One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match "
                "number of attributes defined in AttributeDefinitions")  # fmt: skip
    on_demand = one_of(body, "BillingMode", ("PROVISIONED", "PAY_PER_REQUEST")) == "PAY_PER_REQUEST"
    capacity = _capacity(body)
    if on_demand is not (capacity is None):  # exactly one of both
        invalid("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must "
                f"{'not ' if on_demand else ''}be specified when BillingMode is "
                f"{'PAY_PER_REQUEST' if on_demand else 'PROVISIONED'}")  # fmt: skip
    if name in state.tables:
        raise_error("ResourceInUseException", f"Table already exists: {name}")
    made = [KeyAttribute(attribute, kinds[attribute]) for attribute, _ in keys]
    table = DynamoTable(
        name=name,
        partition=made[0],
        sort=made[1] if len(made) > 1 else None,
        created=now,
        capacity=capacity,
    )
    return state.with_table(table), {"TableDescription": _description(table)}


def _objects(body: Fields, name: str) -> list[Fields]:
    found = body.get(name)
    if not isinstance(found, list) or not found:
        text(body, name)
        raise_malformed(f"{name}: expected a list")
    return [fields(each, name) for each in found]


def _definitions(body: Fields) -> dict[str, str]:
    kinds = {}
    for each in _objects(body, "AttributeDefinitions"):
        text(each, "AttributeType")
        kinds[text(each, "AttributeName")] = one_of(each, "AttributeType", ("S", "N", "B"))
    return kinds


def _capacity(body: Fields) -> tuple[int, int] | None:
    found = body.get("ProvisionedThroughput")
    if found is None:
        return None
    units = [
        whole(fields(found, "ProvisionedThroughput"), each, 1, 2**53)
        for each in ("ReadCapacityUnits", "WriteCapacityUnits")
    ]
    return (units[0] or 1, units[1] or 1)  # in the state for descriptions alone


def _description(table: DynamoTable, status: str = "ACTIVE") -> dict[str, object]:
    """A table. Its counts are those of its creation: Amazon renews them every six hours."""
    definitions = [{"AttributeName": each.name, "AttributeType": each.kind} for each in table.key_attributes]
    schema = [
        {"AttributeName": each.name, "KeyType": kind}
        for each, kind in zip(table.key_attributes, ("HASH", "RANGE"), strict=False)
    ]
    billing = {"BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}} if table.capacity is None else {}
    reads, writes = table.capacity or (0, 0)
    return {
        "AttributeDefinitions": definitions,
        "TableName": table.name,
        "KeySchema": schema,
        "TableStatus": status,
        "CreationDateTime": table.created / 1_000_000,
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": reads,
            "WriteCapacityUnits": writes,
        },
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": f"arn:aws:dynamodb:us-east-1:000000000000:table/{table.name}",
        "DeletionProtectionEnabled": False,
        **billing,
    }


def _missing(name: str) -> None:
    raise_error("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found")


def delete(state: DynamoState, body: Fields, name: str, now: int) -> Answered:
    """DeleteTable."""
    if name not in state.tables:
        _missing(name)
    left = {each: table for each, table in state.tables.items() if each != name}
    return attrs.evolve(state, tables=left), {"TableDescription": _description(state.tables[name], "DELETING")}


def describe(state: DynamoState, body: Fields, name: str, now: int) -> Answered:
    """DescribeTable."""
    if name not in state.tables:
        _missing(name)
    return state, {"Table": _description(state.tables[name])}


def listing(state: DynamoState, body: Fields, name: str, now: int) -> Answered:
    """ListTables."""
    limit = whole(body, "Limit", 1, _LISTED_MAX) or _LISTED_MAX
    names = [each for each in sorted(state.tables) if each > text(body, "ExclusiveStartTableName", "")]
    # The next page begins after a name, since tables may go meanwhile.
    more = {"LastEvaluatedTableName": names[limit - 1]} if len(names) > limit else {}
    return state, {"TableNames": names[:limit], **more}

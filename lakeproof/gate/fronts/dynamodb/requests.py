"""Requests of DynamoDB, understood as far as it goes without a table: names, keys, expressions.

What the front does not have is refused by name, and not left out: indexes, streams, the conditions from before there
were expressions, PartiQL.

Example: an UpdateItem with these fields

    TableName "tickets", Key {"name": {"S": "concert"}}, ExpressionAttributeNames {"#l": "left"},
    UpdateExpression "SET #l = :after", ConditionExpression "#l = :before",
    ExpressionAttributeValues {":before": {"N": "1.0"}, ":after": {"N": "0"}}

becomes an `ItemChange` of the item {"name": Scalar("S", "concert")}. Its update and its condition are trees with names
and values attached, ":before" as Decimal("1"); its text, for labels, is "SET left = :after if left = :before". One more
value ":x" is refused: "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}". So is a field
Expected: "Expected of UpdateItem is not known here".
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, NoReturn

import attrs

from lakeproof.gate.fronts.dynamodb import conditions, grammar, updates
from lakeproof.gate.fronts.dynamodb.errors import invalid, raise_malformed
from lakeproof.gate.fronts.dynamodb.grammar import Condition, Update
from lakeproof.gate.fronts.dynamodb.names import Attached
from lakeproof.gate.fronts.dynamodb.parameters import refuse_unknown
from lakeproof.gate.fronts.dynamodb.paths import Steps, overlap
from lakeproof.gate.fronts.dynamodb.values import DEPTH_MAX, Item, fields, item
from lakeproof.impl.printable import printable

Fields = Mapping[str, object]

BATCH_READS_MAX: Final = 100  # over all tables
BATCH_WRITES_MAX: Final = 25  # likewise
TRANSACTION_MAX: Final = 100
_PLACEHOLDER: Final = re.compile(r"#[A-Za-z0-9_]+")  # names alone: values may differ from run to run
_RETURNS: Final[Mapping[str, tuple[str, ...]]] = {
    "PutItem": ("NONE", "ALL_OLD"),
    "DeleteItem": ("NONE", "ALL_OLD"),
    "UpdateItem": ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"),
}


@attrs.frozen(kw_only=True)
class Read:
    """GetItem, or one of several. projection: None for the whole item."""

    table: str
    key: Item
    projection: tuple[Steps, ...] | None = None


@attrs.frozen(kw_only=True)
class ItemChange:
    """PutItem, UpdateItem, DeleteItem or ConditionCheck, alone or one of several.

    item: all attributes for PutItem, else those of the key. returns: ``ReturnValues``. tells: whether an item that
    fails the condition is in the error. text: the update and the condition, for labels.
    """

    kind: str
    table: str
    item: Item
    update: Update | None = None
    condition: Condition | None = None
    returns: str = "NONE"
    tells: bool = False
    text: str = ""

    @property
    def only_removes(self) -> bool:
        """Whether it is an update that can put nothing into an item. Where there is none, it makes none."""
        # No update at all is no removal: an UpdateItem without an expression makes an item that has its key alone.
        return self.update is not None and all(each.verb in ("REMOVE", "DELETE") for each in self.update)


@attrs.frozen(kw_only=True)
class Pages:
    """Query, with a key condition, or Scan, without."""

    table: str
    key: Condition | None
    filter: Condition | None
    projection: tuple[Steps, ...] | None
    limit: int | None
    start: Item | None
    forward: bool
    count_only: bool
    segment: tuple[int, int]
    """This one, of so many."""
    text: str
    """Its conditions, for labels."""


@attrs.frozen(kw_only=True)
class Several:
    """A batch or a transaction. All of it is done in one step, or of a transaction nothing."""

    reads: tuple[Read, ...] = ()
    changes: tuple[ItemChange, ...] = ()
    token: str = ""
    """Of a transaction that is done once, however often it comes."""

    @property
    def parts(self) -> tuple[Read | ItemChange, ...]:
        """All that it asks for."""
        return (*self.reads, *self.changes)


@attrs.frozen
class TableRequest:
    """An operation on tables. name: empty where all are meant."""

    name: str


Meant = Read | ItemChange | Pages | Several | TableRequest


def _fail_constraint(name: str, value: str, must: str) -> NoReturn:
    """Raises DynamoDBError. value: with a blank before it; empty: it is not shown."""
    # The service's validation names a field as its model does, with a small first letter.
    field = f"{name[:1].lower()}{name[1:]}"
    invalid(f"1 validation error detected: Value{value} at '{field}' failed to satisfy constraint: Member must {must}")


def text(body: Fields, name: str, default: str | None = None) -> str:
    """A field that is a string. Raises DynamoDBError: it is missing, without a default, or is none."""
    found = body.get(name, default)
    if found is None:
        _fail_constraint(name, " null", "not be null")
    if not isinstance(found, str):
        raise_malformed(f"{name}: expected a string")
    return found


def flag(body: Fields, name: str, *, default: bool) -> bool:
    """A field that is true or false."""
    found = body.get(name, default)
    if not isinstance(found, bool):
        raise_malformed(f"{name}: expected true or false")
    return found


def whole(body: Fields, name: str, low: int, high: int) -> int | None:
    """A field that is a whole number between two others; None: it is not there."""
    found = body.get(name)
    if found is None:
        return None
    if not isinstance(found, int) or isinstance(found, bool):  # true is an int
        raise_malformed(f"{name}: expected a whole number")
    if not low <= found <= high:
        _fail_constraint(name, f" '{found}'", f"have value between {low} and {high}")
    return found


def one_of(body: Fields, name: str, choices: tuple[str, ...]) -> str:
    """A field that is one of some words; the first one if it is missing."""
    found = text(body, name, choices[0])
    if found not in choices:
        _fail_constraint(name, f" '{found}'", f"satisfy enum value set: [{', '.join(choices)}]")
    return found


def table_name(body: Fields) -> str:
    """The field TableName. Raises DynamoDBError: it is no name of a table."""
    found = text(body, "TableName")
    if not 3 <= len(found) <= 255 or not all(each.isascii() and (each.isalnum() or each in "_.-") for each in found):
        invalid("TableName must be at least 3 characters long and at most 255 characters long, and may contain only "
                "the characters a-z, A-Z, 0-9, '_', '-', and '.'")  # fmt: skip
    return found


def condition(body: Fields, name: str, attached: Attached) -> Condition | None:
    """The condition in a field of the request."""
    if name not in body:
        return None
    made = attached.bind(grammar.condition(text(body, name), name), name)
    # All of it is looked at here. Evaluating stops early: a mistake behind a false AND would show for some items only.
    conditions.check(made, name)
    return made


def _projection(body: Fields, attached: Attached) -> tuple[Steps, ...] | None:
    name = "ProjectionExpression"
    if name not in body:
        return None
    steps = tuple(path.steps for path in attached.bind(grammar.projection(text(body, name)), name))
    for number, one in enumerate(steps):
        if any(overlap(one, other) for other in steps[:number]):
            invalid("Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite "
                    "one of these paths")  # fmt: skip
        if len(one) > DEPTH_MAX:
            invalid("Invalid ProjectionExpression: The document path has too many nesting elements; nesting levels: "
                    f"{len(one)}")  # fmt: skip
    return steps


def _readable(body: Fields, *names: str) -> str:
    """Expressions with the names that are meant, on one line; values stay placeholders."""
    meant = body.get("ExpressionAttributeNames")
    # `Attached` has refused anything else with an error; a label raises none.
    names_meant = meant if isinstance(meant, dict) else {}
    words = {"UpdateExpression": "", "ConditionExpression": "if ", "FilterExpression": "where "}
    found = [f"{words.get(name, '')}{' '.join(text(body, name).split())}" for name in names if name in body]
    return printable(_PLACEHOLDER.sub(lambda match: str(names_meant.get(match[0], match[0])), " ".join(found)))


def read(body: Fields) -> Read:
    """GetItem."""
    refuse_unknown("GetItem", body)  # also of a part of a batch or a transaction
    flag(body, "ConsistentRead", default=False)  # every read here is consistent
    attached = Attached.of(body)
    projection = _projection(body, attached)
    attached.refuse_unused(projection)
    return Read(table=table_name(body), key=item(body.get("Key")), projection=projection)


def change(kind: str, body: Fields) -> ItemChange:
    """PutItem, UpdateItem, DeleteItem or ConditionCheck."""
    refuse_unknown(kind, body)
    attached = Attached.of(body)
    bound = condition(body, "ConditionExpression", attached)
    if kind == "ConditionCheck" and bound is None:
        text(body, "ConditionExpression")  # raises: it is missing
    update = None
    if "UpdateExpression" in body:
        update = attached.bind(grammar.update(text(body, "UpdateExpression")), "UpdateExpression")
    attached.refuse_unused(update, bound)
    returns = text(body, "ReturnValues", "NONE")
    if returns not in _RETURNS.get(kind, ("NONE",)):
        invalid("Return values set to invalid value" if kind in _RETURNS else f"{kind} returns no values")
    tells = one_of(body, "ReturnValuesOnConditionCheckFailure", ("NONE", "ALL_OLD"))
    if update is not None:
        updates.check(update)
    return ItemChange(
        kind=kind,
        table=table_name(body),
        item=item(body.get("Item" if kind == "PutItem" else "Key")),  # the key is among the attributes of an item
        update=update,
        condition=bound,
        returns=returns,
        tells=tells == "ALL_OLD",
        text=_readable(body, "UpdateExpression", "ConditionExpression"),
    )


def pages(kind: str, body: Fields) -> Pages:
    """Query or Scan."""
    refuse_unknown(kind, body)
    # CreateTable with indexes is not known here. So no table has the index, and the service's own error is right.
    if "IndexName" in body:
        invalid(f"The table does not have the specified index: {text(body, 'IndexName')}")
    flag(body, "ConsistentRead", default=False)
    attached = Attached.of(body)
    if kind == "Query" and "KeyConditionExpression" not in body:
        invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
    key = condition(body, "KeyConditionExpression", attached) if kind == "Query" else None
    where = condition(body, "FilterExpression", attached)
    projection = _projection(body, attached)
    attached.refuse_unused(key, where, projection)
    words = ("ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_PROJECTED_ATTRIBUTES")
    select = one_of(body, "Select", words)
    # Without Select, a projection means SPECIFIC_ATTRIBUTES. `one_of` would call that ALL_ATTRIBUTES and refuse it.
    if "Select" in body:
        _check_select(select, projected=projection is not None)
    total = whole(body, "TotalSegments", 1, 1_000_000)
    segment = whole(body, "Segment", 0, 999_999)
    if (total is None) is not (segment is None):
        invalid("The TotalSegments and Segment parameters must be specified together")
    if (segment or 0) >= (total or 1):
        invalid(f"The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: "
                f"{segment} is not less than TotalSegments: {total}")  # fmt: skip
    return Pages(
        table=table_name(body),
        key=key,
        filter=where,
        projection=projection,
        limit=whole(body, "Limit", 1, 2**31 - 1),
        start=item(body["ExclusiveStartKey"]) if "ExclusiveStartKey" in body else None,
        forward=flag(body, "ScanIndexForward", default=True),
        count_only=select == "COUNT",
        segment=(segment or 0, total or 1),
        text=_readable(body, "FilterExpression"),
    )


def _check_select(select: str, *, projected: bool) -> None:
    if select == "ALL_PROJECTED_ATTRIBUTES":
        invalid("One or more parameter values were invalid: Select type ALL_PROJECTED_ATTRIBUTES is only valid for "
                "indexes")  # fmt: skip
    if projected and select != "SPECIFIC_ATTRIBUTES":
        invalid(f"Cannot specify the ProjectionExpression when choosing to get {select}")
    if not projected and select == "SPECIFIC_ATTRIBUTES":
        invalid("Must specify the ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")


def _fields_of_each(body: Fields, name: str, most: int) -> list[Fields]:
    found = body.get(name)
    if not isinstance(found, list):
        text(body, name)  # raises: it is missing, or null
        raise_malformed(f"{name}: expected a list")
    if not 1 <= len(found) <= most:
        _fail_constraint(name, "", f"have length between 1 and {most}")
    return [fields(each, name) for each in found]


_CHANGES: Final = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheck",
}


def transact_write(body: Fields) -> Several:
    changes = []
    for each in _fields_of_each(body, "TransactItems", TRANSACTION_MAX):
        if len(each) != 1 or not each.keys() <= _CHANGES.keys():
            invalid("TransactItems can only contain one of Check, Put, Update or Delete")
        ((name, inner),) = each.items()
        changes.append(change(_CHANGES[name], fields(inner, name)))
    token = text(body, "ClientRequestToken", "")  # an SDK mints one for each call, and repeats it in retries
    if len(token) > 36:
        _fail_constraint("ClientRequestToken", "", "have length less than or equal to 36")
    return Several(changes=tuple(changes), token=token)


def transact_get(body: Fields) -> Several:
    listed = _fields_of_each(body, "TransactItems", TRANSACTION_MAX)
    return Several(reads=tuple([read(fields(each.get("Get"), "Get")) for each in listed]))


def _by_table(body: Fields) -> list[tuple[str, object]]:
    found = fields(body.get("RequestItems"), "RequestItems")
    if not found:
        _fail_constraint("RequestItems", " '{}'", "have length greater than or equal to 1")
    return sorted(found.items())  # labels and answers: by content, not by the order of a map


def batch_get(body: Fields) -> Several:
    reads: list[Read] = []
    for table, inner in _by_table(body):
        part = fields(inner, table)
        shared = {name: value for name, value in part.items() if name != "Keys"}  # they hold for each key of the table
        keys = _fields_of_each(part, "Keys", BATCH_READS_MAX)
        reads += [read({**shared, "TableName": table, "Key": each}) for each in keys]
    if len(reads) > BATCH_READS_MAX:
        invalid("Too many items requested for the BatchGetItem call")
    return Several(reads=tuple(reads))


def batch_write(body: Fields) -> Several:
    changes = []
    for table, inner in _by_table(body):
        if not isinstance(inner, list):
            raise_malformed(f"{table}: expected a list")
        if not inner:
            invalid("The batch write request list for a table cannot be null or empty")
        for each in inner:
            part = fields(each, table)
            if len(part) != 1 or not part.keys() <= {"PutRequest", "DeleteRequest"}:
                invalid("Supplied WriteRequest must contain exactly one of PutRequest or DeleteRequest")
            ((name, request),) = part.items()
            kind = "PutItem" if name == "PutRequest" else "DeleteItem"
            wanted = "Item" if name == "PutRequest" else "Key"
            refuse_unknown(name, fields(request, name))
            # A write in a batch has neither a condition nor values to return.
            changes.append(change(kind, {"TableName": table, wanted: fields(request, name).get(wanted)}))
    if len(changes) > BATCH_WRITES_MAX:
        invalid("Too many items requested for the BatchWriteItem call")
    return Several(changes=tuple(changes))


def _of_table(body: Fields) -> TableRequest:
    return TableRequest(table_name(body))


OPERATIONS: Final[Mapping[str, Callable[[Fields], Meant]]] = {
    "GetItem": read,
    "PutItem": lambda body: change("PutItem", body),
    "UpdateItem": lambda body: change("UpdateItem", body),
    "DeleteItem": lambda body: change("DeleteItem", body),
    "Query": lambda body: pages("Query", body),
    "Scan": lambda body: pages("Scan", body),
    "BatchGetItem": batch_get,
    "BatchWriteItem": batch_write,
    "TransactGetItems": transact_get,
    "TransactWriteItems": transact_write,
    "CreateTable": _of_table,
    "DeleteTable": _of_table,
    "DescribeTable": _of_table,
    "ListTables": lambda body: TableRequest(""),
}
"""By name: how the fields of a request are understood."""

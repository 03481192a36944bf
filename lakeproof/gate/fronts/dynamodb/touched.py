"""What requests touch, as keys of footprints.

``?table/NAME`` is a table itself, ``?items/TABLE/PARTITION/SORT`` an item, and
``?token/DIGEST`` a transaction, by its token. A ``?`` begins no bucket of S3, so the two stores never meet.
"""

from contextlib import suppress
from typing import Final

from lakeproof.gate.fronts.dynamodb.errors import DynamoDBError
from lakeproof.gate.fronts.dynamodb.grammar import FunctionCall, Operation
from lakeproof.gate.fronts.dynamodb.queries import KeyCondition
from lakeproof.gate.fronts.dynamodb.requests import ItemChange, Meant, Pages, Read, Several, TableRequest
from lakeproof.gate.fronts.dynamodb.state import DynamoState, DynamoTable, Key
from lakeproof.gate.fronts.dynamodb.values import Scalar, escape_value
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.model.objects import etag

WRITING: Final = ("CreateTable", "DeleteTable")
"""The operations that change a table."""


def table(name: str, touch: Touch = Touch.READ) -> Access:
    """A table: that it exists, and its keys."""
    return Access(touch, f"?table/{name}")


def tables() -> Access:
    """All tables."""
    return Access(Touch.READ, "?table/", prefix=True)


def items(name: str, touch: Touch) -> Access:
    """All items of a table."""
    return Access(touch, f"?items/{name}/", prefix=True)  # the last slash: not those of a table `NAME2`


def item(name: str, key: Key, touch: Touch) -> Access:
    """One item."""
    return Access(touch, f"?items/{name}/{key.label}")


def token(text: str) -> Access:
    """That a transaction has been done."""
    # A token is minted for each call, in whatever form; its digest looks so in each run.
    return Access(Touch.WRITE, f"?token/{etag(text.encode())}")


def of_change(change: ItemChange) -> Touch:
    """What a change does to its item, if it is done.

    Only a delete that asks for nothing is answered in the same way whatever was there.
    """
    if change.kind == "ConditionCheck":
        return Touch.READ
    # Any other delete answers what was there, or whether something was.
    blind = change.kind == "DeleteItem" and change.condition is None and change.returns == "NONE"
    return Touch.DELETE if blind else Touch.WRITE


def touches(state: DynamoState, operation: str, meant: Meant) -> Footprint:
    """The most that a request can touch in this state, whether it is refused or not."""
    match meant:
        case Read():
            return _of_item(state, meant, Touch.READ)
        case ItemChange():
            return _of_item(state, meant, of_change(meant))
        case Pages(table=name):
            return table(name), _of_page(state, meant)
        case Several(token=text):
            parts = tuple([access for each in meant.parts for access in touches(state, operation, each)])
            # A known token would have changed the answer.
            return (*parts, token(text)) if text else parts
        case TableRequest(""):
            return (tables(),)
        case TableRequest(name):
            touch = Touch.WRITE if operation in WRITING else Touch.READ
            # A table that is created has no items: requests for them read that there was no table.
            gone = operation == "DeleteTable" and name in state.tables
            return (table(name, touch), items(name, touch)) if gone else (table(name, touch),)


def _of_item(state: DynamoState, part: Read | ItemChange, touch: Touch) -> Footprint:
    # Each answer depends on the table, too: that it exists. Without it the answer says so, and nothing of an item.
    if part.table in state.tables:
        with suppress(DynamoDBError):  # no key of this table, whatever it holds
            return table(part.table), item(part.table, key_of(state.tables[part.table], part), touch)
    return (table(part.table),)


def _of_page(state: DynamoState, request: Pages) -> Access:
    """What a query may see: one item, those whose sort key begins so, or the whole partition. A scan may depend on
    every item: which one ends the page, and whether one comes before it."""
    if request.key is not None and request.table in state.tables:
        with suppress(DynamoDBError):
            key = KeyCondition.of(state.tables[request.table], request.key)
            start = f"?items/{request.table}/{escape_value(key.partition)}/"
            match key.sort:
                # A footprint has keys and prefixes. Other comparisons and BETWEEN are ranges: they take the partition.
                case Operation("=", (_, Scalar() as value)):
                    return Access(Touch.READ, start + escape_value(value))
                case FunctionCall(_, (_, Scalar() as value)):
                    # The escape is byte by byte, so a prefix stays one.
                    return Access(Touch.READ, start + escape_value(value), prefix=True)
                case _:
                    return Access(Touch.READ, start, prefix=True)
    return items(request.table, Touch.READ)


def key_of(found: DynamoTable, part: Read | ItemChange) -> Key:
    """The key of what is read or changed. Raises DynamoDBError: it is none of the table's."""
    if isinstance(part, Read):
        return found.key(part.key)
    return found.key_of(part.item) if part.kind == "PutItem" else found.key(part.item)

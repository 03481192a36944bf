"""What requests touch, as keys of footprints.

``?table/NAME`` is a table itself, ``?items/TABLE/PARTITION/SORT`` an item, and
``?token/DIGEST`` a transaction, by its token. A ``?`` begins no bucket of S3, so the two stores never meet.
"""

from collections.abc import Callable

import attrs

from lakeproof.gate.fronts.dynamodb.errors import DynamoDBError
from lakeproof.gate.fronts.dynamodb.grammar import Compared, FunctionCall
from lakeproof.gate.fronts.dynamodb.queries import KeyCondition
from lakeproof.gate.fronts.dynamodb.requests import ItemChange, Meant, Pages, Read, Several, TableRequest
from lakeproof.gate.fronts.dynamodb.state import DynamoState, DynamoTable, Key
from lakeproof.gate.fronts.dynamodb.values import Scalar, escape_value
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.model.objects import etag


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


def of_query(found: DynamoTable, key: KeyCondition) -> Access:
    """What a query may see: one item, those whose sort key begins so, or the whole partition."""
    start = f"?items/{found.name}/{escape_value(key.partition)}/"
    match key.sort:
        # A footprint has keys and prefixes. Other comparisons and BETWEEN are ranges: they take the whole partition.
        case Compared(_, "=", Scalar() as value):
            return Access(Touch.READ, start + escape_value(value))
        case FunctionCall(_, (_, Scalar() as value)):
            # The escape is byte by byte, so a prefix stays one.
            return Access(Touch.READ, start + escape_value(value), prefix=True)
        case _:
            return Access(Touch.READ, start, prefix=True)


def by_error(state: DynamoState, meant: Meant) -> Footprint:
    """What the answer to a request depends on that was refused: all that it could have touched is read."""
    match meant:
        case Read(table=name, key=fields):
            return _of_item(state, name, lambda found: found.key(fields))
        case ItemChange(table=name):
            return _of_item(state, name, lambda found: key_of_change(found, meant))
        case Pages(table=name):
            return table(name), items(name, Touch.READ)
        case Several(token=text):
            parts = [access for each in meant.parts for access in by_error(state, each)]
            # A known token would have changed the answer.
            return (*parts, attrs.evolve(token(text), touch=Touch.READ)) if text else tuple(parts)
        case TableRequest(""):
            return (tables(),)
        case TableRequest(name):
            return (table(name),)


def _of_item(state: DynamoState, name: str, key: Callable[[DynamoTable], Key]) -> Footprint:
    if name not in state.tables:
        return (table(name),)  # the answer says that, and nothing of an item
    try:
        return table(name), item(name, key(state.tables[name]), Touch.READ)
    except DynamoDBError:  # no key of this table, whatever it holds
        return (table(name),)


def key_of_change(found: DynamoTable, change: ItemChange) -> Key:
    """The key of what is changed. Raises DynamoDBError: it is none of the table's."""
    return found.key_of(change.item) if change.kind == "PutItem" else found.key(change.item)

"""Queries and scans: which items, in which order, and where a page ends. Pure.

Source: Amazon DynamoDB API Reference, Query and Scan; Developer Guide, *Paginating table query results*.
"""

from collections.abc import Iterator
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb.conditions import holds
from lakeproof.gate.fronts.dynamodb.errors import invalid
from lakeproof.gate.fronts.dynamodb.grammar import Condition, FunctionCall, Operand, Operation, Path
from lakeproof.gate.fronts.dynamodb.paths import project_paths
from lakeproof.gate.fronts.dynamodb.requests import Pages
from lakeproof.gate.fronts.dynamodb.state import (
    PARTITION_BYTES_MAX,
    SORT_BYTES_MAX,
    Answered,
    DynamoState,
    DynamoTable,
    Key,
    digest,
    key_value,
    scan_order,
)
from lakeproof.gate.fronts.dynamodb.values import Item, Scalar, Value, item_size, order, written_item

PAGE_BYTES_MAX: Final = 1 << 20  # of what is read, before the filter
# These are also the comparisons that a key condition may have.
_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@attrs.frozen
class KeyCondition:
    """A condition on a key: one partition, and a part of it. sort: None for the whole partition.

    A condition on the sort key is a comparison, ``BETWEEN`` or ``begins_with`` of its path with values of the request.
    """

    partition: Scalar
    sort: Operand | None

    @classmethod
    def of(cls, table: DynamoTable, tree: Condition) -> "KeyCondition":
        """Raises DynamoDBError: it is another condition, or does not fit the table's keys."""
        # One level is enough: a key has two attributes, and brackets around a single term leave no node.
        several = isinstance(tree, Operation) and tree.operator == "AND"
        parts = [_turn_comparison(each) for each in (tree.operands if several else (tree,))]
        partition: Scalar | None = None
        sort: Operand | None = None
        for part in parts:
            name, values = _split_part(part)
            known = next((each for each in table.key_attributes if each.name == name), None)
            if known is None:
                invalid(f"Query condition missed key schema element: {table.partition.name}")
            longest = PARTITION_BYTES_MAX if known == table.partition else SORT_BYTES_MAX
            for value in values:
                if value.kind != known.kind:
                    invalid("One or more parameter values were invalid: Condition parameter type does not match schema "
                            "type")  # fmt: skip
            scalars = [key_value(known, value, longest) for value in values]
            if known == table.partition:
                if partition is not None or not (isinstance(part, Operation) and part.operator == "="):
                    invalid("Query key condition not supported")
                partition = scalars[0]
            elif sort is None:
                sort = part
            else:
                invalid("KeyConditionExpressions must only contain one condition per key")
        if partition is None:
            invalid(f"Query condition missed key schema element: {table.partition.name}")
        return cls(partition, sort)


def _turn_comparison(part: Operand) -> Operand:
    """A comparison may have its attribute on either side."""
    match part:
        case Operation(operator, (left, right)) if operator in _MIRRORED and isinstance(left, Value):
            return Operation(_MIRRORED[operator], (right, left))
        case _:
            return part


def _split_part(part: Operand) -> tuple[str | int, list[Value]]:
    """The attribute that a part of a key condition is about, and what it is compared with."""
    supported = isinstance(part, Operation) and part.operator in (*_MIRRORED, "BETWEEN")
    supported = supported or (isinstance(part, FunctionCall) and part.function == "begins_with")
    first, *others = part.operands if supported and isinstance(part, Condition) else (part,)
    values = [each for each in others if isinstance(each, Value)]
    if not isinstance(first, Path) or len(values) < len(others):
        invalid("Invalid KeyConditionExpression: Query key condition not supported")
    if len(first.steps) > 1:
        invalid("Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes")
    return first.steps[0], values


def answer_page(state: DynamoState, request: Pages) -> Answered:
    """A page of a query or a scan.

    A page ends after ``Limit`` items, or with the item that makes it 1 MiB; then it says where the next one begins,
    also if nothing is left. The filter takes items away after they were counted. Cost: the number of items in the
    table.

    Raises:
        DynamoDBError: the start is no key of the table, or outside of the range.
    """
    table = state.table(request.table)
    # Which part of the condition is about which key, only the table says.
    key = None if request.key is None else KeyCondition.of(table, request.key)
    start = None if request.start is None else table.key(request.start)
    # Both are generators: an error of theirs comes with the first candidate, after the check of the filter.
    candidates = _scan(table, request, start) if key is None else _query(table, request, key, start)
    _refuse_filtered_keys(table, request, query=key is not None)
    found: list[Item] = []
    scanned = read = 0
    last: Key | None = None
    for each in candidates:
        item = table.items[each]
        scanned += 1
        read += item_size(item)
        if request.filter is None or holds(request.filter, item):
            found.append(item)
        if scanned == request.limit or read >= PAGE_BYTES_MAX:  # never, without a limit
            last = each
            break
    made: dict[str, object] = {"Count": len(found), "ScannedCount": scanned}
    if not request.count_only:
        wanted = request.projection
        made["Items"] = [written_item(item if wanted is None else project_paths(item, wanted)) for item in found]
    if last is not None:
        made["LastEvaluatedKey"] = written_item(table.key_fields(last))
    return state, made


def _query(table: DynamoTable, request: Pages, key: KeyCondition, start: Key | None) -> Iterator[Key]:
    def inside(each: Key) -> bool:
        # A key condition is evaluated on the key alone.
        return each.partition == key.partition and (key.sort is None or holds(key.sort, table.key_fields(each)))

    if start is not None and not inside(start):
        invalid("The provided starting key is outside query boundaries based on provided conditions")
    mine = sorted((each for each in table.items if inside(each)), key=_sort_order, reverse=not request.forward)
    for each in mine:
        # By order, not by looking for the start: its item may have been deleted since the page before.
        if start is not None:
            one, other = _sort_order(each), _sort_order(start)
            if one <= other if request.forward else one >= other:
                continue
        yield each


def _sort_order(key: Key) -> tuple[object, ...]:
    return () if key.sort is None else order(key.sort)  # one item in a partition


def _scan(table: DynamoTable, request: Pages, start: Key | None) -> Iterator[Key]:
    number, total = request.segment

    def inside(each: Key) -> bool:
        # The 128 bits of the digest in `total` equal parts: a partition is in one segment, whatever else is there.
        return int.from_bytes(digest(each.partition)) * total >> 128 == number

    if start is not None and not inside(start):
        invalid("Exclusive start key must lie within the segment")
    for each in sorted(table.items, key=scan_order):
        if inside(each) and (start is None or scan_order(each) > scan_order(start)):
            yield each


def _refuse_filtered_keys(table: DynamoTable, request: Pages, *, query: bool) -> None:
    """A query says what it wants of the key in its key condition."""
    if request.filter is None or not query:
        return
    todo: list[Operand] = [request.filter]
    while todo:
        tree = todo.pop()
        # A condition on a part of a key is one on the key.
        if isinstance(tree, Path) and tree.steps[0] in table.key_names:
            invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: "
                    f"{tree.steps[0]}")  # fmt: skip
        todo += tree.operands if isinstance(tree, Condition) else ()

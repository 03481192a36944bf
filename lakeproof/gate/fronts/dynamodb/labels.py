"""Requests in one line, for traces: the operation, the item and the condition; no contents."""

from collections.abc import Mapping

from lakeproof.gate.fronts.dynamodb.grammar import FunctionCall, Operand, Operation, Path
from lakeproof.gate.fronts.dynamodb.requests import ItemChange, Meant, Pages, Read, Several, TableRequest
from lakeproof.gate.fronts.dynamodb.values import Item, Scalar, escape_value
from lakeproof.impl.printable import printable

Keys = Mapping[str, tuple[str, ...]]
"""The names of the key attributes of tables, as far as they are known."""


def label(operation: str, meant: Meant, keys: Keys) -> str:
    """Such as ``PutItem table/partition/sort if attribute_not_exists(partition)``."""
    match meant:
        case Read():
            return f"{operation} {_place(meant, keys)}"
        case ItemChange():
            return _line(operation, _place(meant, keys), meant.text)
        case Pages():
            return _line(operation, *_pages(meant, keys))
        case Several(reads=reads, changes=changes):
            parts = [_place(each, keys) for each in reads]
            parts += [_line(_VERBS[each.kind], _place(each, keys), each.text) for each in changes]
            return f"{operation} {'; '.join(parts)}"
        case TableRequest(name):
            return _line(operation, name)


_VERBS = {"PutItem": "put", "UpdateItem": "update", "DeleteItem": "delete", "ConditionCheck": "check"}


def _line(*words: str) -> str:
    return " ".join(word for word in words if word)


def _place(part: Read | ItemChange, keys: Keys) -> str:
    """The table, and the key: its values in the order of the key, or by name where the table is not known."""
    item = part.key if isinstance(part, Read) else part.item
    names = keys.get(part.table)
    if names is not None:
        return "/".join([part.table, *(_attribute_text(item, name) for name in names)])
    if isinstance(part, ItemChange) and part.kind == "PutItem":
        return part.table  # which of its attributes are the key is not known
    return "/".join([part.table, *(f"{printable(name)}={_attribute_text(item, name)}" for name in sorted(item))])


def _attribute_text(item: Item, name: str) -> str:
    value = item.get(name)
    return escape_value(value) if isinstance(value, Scalar) else "?"  # ?: the table refuses such a key


def _pages(request: Pages, keys: Keys) -> list[str]:
    words = [request.table]
    words += [] if request.key is None else [_key(request.key)]
    words.append(request.text)
    words += [] if request.limit is None else [f"limit {request.limit}"]
    words += [] if request.segment[1] == 1 else [f"segment {request.segment[0]} of {request.segment[1]}"]  # one in all
    words += [] if request.forward else ["backwards"]
    if request.start is not None:
        names = keys.get(request.table, tuple(sorted(request.start)))  # table not known: by name
        words.append("after " + "/".join(_attribute_text(request.start, name) for name in names))
    return words


def _key(part: Operand) -> str:
    match part:
        case Operation("AND", operands):
            return " ".join(map(_key, operands))
        case Operation("BETWEEN", (operand, low, high)):
            return f"{_key(operand)} between {_key(low)} and {_key(high)}"
        case Operation(comparator, (left, right)):
            return f"{_key(left)} {comparator} {_key(right)}"
        case FunctionCall(function, operands):
            return f"{function}({', '.join(map(_key, operands))})"
        case Scalar():
            return escape_value(part)
        case Path(steps):
            return printable(".".join(map(str, steps)))
        case _:
            return "?"  # `KeyCondition` refuses it later

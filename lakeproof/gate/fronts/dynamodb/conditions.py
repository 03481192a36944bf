"""What conditions mean, with the names and values of their request in place: for an item, or for one that is not there
(an item without attributes). Pure.

A comparison with an attribute that is not there does not hold, but ``<>`` does.
Source: Amazon DynamoDB Developer Guide, *Condition and filter expressions, operators, and functions*.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Final, NoReturn

from lakeproof.gate.fronts.dynamodb import paths
from lakeproof.gate.fronts.dynamodb.errors import invalid
from lakeproof.gate.fronts.dynamodb.grammar import Condition, FunctionCall, Operand, Operation, Path
from lakeproof.gate.fronts.dynamodb.values import KINDS, ORDERED, Item, ListValue, Mapped, Members, Scalar, Value, order

_ARGUMENTS: Final[Mapping[str, int]] = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
_IN_MAX: Final = 100  # operands, a limit of DynamoDB
_OF_CONDITIONS: Final = ("AND", "OR", "NOT")
_ORDERS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


def check(tree: Operand, where: str, *, inner: bool = False) -> None:
    """where: the field of the request that it is in. inner: it is an operand. Raises DynamoDBError: it does not make
    sense, whatever the item is."""
    match tree:
        case FunctionCall(function, operands):
            # `size` gives a number to compare, the other functions give a truth value: neither stands for the other.
            check_call(tree, where, _ARGUMENTS, allowed=(function == "size") is inner)
            _check_distinct(where, function, operands)
            _check_last(where, function, operands[-1])
        case Operation("BETWEEN" as operator, (operand, low, high)):
            _check_ordered(where, operator, operand, low, high)
            _check_bounds(where, low, high)
        case Operation("IN", (_, *choices)) if len(choices) > _IN_MAX:
            invalid(f"Invalid {where}: The IN operator is provided with too many operands; number of operands: "
                    f"{len(choices)}")  # fmt: skip
        case Operation("=" | "<>" as operator, operands):  # these take any kinds
            _check_distinct(where, operator, operands)
        case Operation(operator, operands) if operator in _ORDERS:
            _check_distinct(where, operator, operands)
            _check_ordered(where, operator, *operands)
    if isinstance(tree, Condition):
        # Below AND, OR and NOT there are conditions.
        operands_inside = isinstance(tree, FunctionCall) or tree.operator not in _OF_CONDITIONS
        for each in tree.operands:
            check(each, where, inner=operands_inside)


def check_call(call: FunctionCall, where: str, known: Mapping[str, int], *, allowed: bool) -> None:
    """known: the functions there, with the number of their operands. allowed: whether one stands where it may. Raises
    DynamoDBError: it does not fit."""
    function, operands = call.function, call.operands
    if function not in known:
        invalid(f"Invalid {where}: Invalid function name; function: {function}")
    if not allowed:
        invalid(f"Invalid {where}: The function is not allowed to be used this way in an expression; function: "
                f"{function}")  # fmt: skip
    if len(operands) != known[function]:
        invalid(f"Invalid {where}: Incorrect number of operands for operator or function; operator or function: "
                f"{function}, number of operands: {len(operands)}")  # fmt: skip
    if function.endswith("_exists") and not isinstance(operands[0], Path):  # if_not_exists, too
        invalid(f"Invalid {where}: Operator or function requires a document path; operator or function: {function}")


def wrong_type(where: str, operator: str, kind: str) -> NoReturn:
    """Raise the error of an operand whose type is known without an item."""
    invalid(f"Invalid {where}: Incorrect operand type for operator or function; operator or function: {operator}, "
            f"operand type: {kind}")  # fmt: skip


def _check_distinct(where: str, operator: str, operands: tuple[Operand, ...]) -> None:
    """Of two operands, not of those of BETWEEN and IN."""
    first, *rest = [each.steps for each in operands if isinstance(each, Path)] or [()]
    if first in rest:
        invalid(f"Invalid {where}: The first operand must be distinct from the remaining operands for this operator or "
                f"function; operator: {operator}, first operand: {paths.render_path(first)}")  # fmt: skip


def _check_last(where: str, function: str, last: Operand) -> None:
    if not isinstance(last, Value):
        # The type comes from the request, not from an item. A size is a number, and has no size.
        if function == "attribute_type" or (function == "size" and isinstance(last, FunctionCall)):
            wrong_type(where, function, "N" if isinstance(last, FunctionCall) else "{path}")
        return
    if function == "begins_with" and last.kind not in ("S", "B"):
        wrong_type(where, function, last.kind)
    if function == "attribute_type" and not (isinstance(last, Scalar) and last.content in KINDS):
        invalid(f"Invalid {where}: Invalid attribute type name found; valid types: {{{','.join(KINDS)}}}")
    if function == "size" and last.kind in ("N", "BOOL", "NULL"):
        wrong_type(where, function, last.kind)


def _check_ordered(where: str, operator: str, *operands: Operand) -> None:
    for each in operands:
        if isinstance(each, Value) and each.kind not in ORDERED:  # what an item has there, only `holds` sees
            wrong_type(where, operator, each.kind)


def _check_bounds(where: str, low: Operand, high: Operand) -> None:
    if isinstance(low, Value) and isinstance(high, Value):  # both are known now
        if low.kind != high.kind:
            invalid(f"Invalid {where}: The BETWEEN operator requires same data type for lower and upper bounds; "
                    f"lower bound operand: AttributeValue: {low.kind}, upper bound operand: AttributeValue: "
                    f"{high.kind}")  # fmt: skip
        if not compare(low, "<=", high):
            invalid(f"Invalid {where}: The BETWEEN operator requires upper bound to be greater than or equal to "
                    "lower bound")  # fmt: skip


def holds(tree: Operand, item: Item) -> bool:
    """Whether it holds of an item."""
    match tree:
        case Operation("AND" | "OR" as operator, conditions):
            for each in conditions:  # no generator: fewer frames on the stack
                if holds(each, item) is (operator == "OR"):
                    return operator == "OR"
            return operator == "AND"
        case Operation("NOT", (inner,)):
            return not holds(inner, item)
        case Operation("BETWEEN", operands):
            value, low, high = [_value(each, item) for each in operands]
            return compare(low, "<=", value) and compare(value, "<=", high)
        case Operation("IN", operands):
            value, *choices = [_value(each, item) for each in operands]
            # A missing attribute equals nothing, not even a choice that is missing as well.
            return value is not None and value in choices
        case Operation(operator, (left, right)):
            return compare(_value(left, item), operator, _value(right, item))
        case FunctionCall(function, operands):
            return _FUNCTIONS[function](*[_value(each, item) for each in operands])
        case _:
            raise AssertionError(tree)  # the grammar has no other condition


def _value(operand: Operand, item: Item) -> Value | None:
    match operand:
        case Path(steps):
            return paths.find_value(item, steps)
        case FunctionCall(_, operands):
            return _size(_value(operands[0], item))
        case _:
            assert isinstance(operand, Value)  # it was bound
            return operand


def compare(left: Value | None, comparator: str, right: Value | None) -> bool:
    """Whether a comparison holds. Values of different types are not equal, and neither is before the other."""
    if comparator == "=":
        return left is not None and left == right  # two that are missing are not equal
    if comparator == "<>":
        return left is None or left != right
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        return False
    if left.kind != right.kind or left.kind not in ORDERED:  # no order between types, nor among BOOL
        return False
    return bool(_ORDERS[comparator](order(left), order(right)))


def _size(value: Value | None) -> Value | None:
    match value:
        case Scalar("S", str() as content):
            # As Java counts: two for an emoji.
            return Scalar("N", Decimal(len(content.encode("utf-16-le", "surrogatepass")) // 2))
        case Scalar("B", bytes() as content) | Members(_, content) | ListValue(content) | Mapped(content):
            return Scalar("N", Decimal(len(content)))
        case _:
            return None


def begins_with(value: Value | None, start: Value | None) -> bool:
    """Whether a string or bytes begin with others of the same type."""
    match value, start:
        case Scalar("S" | "B" as kind), Scalar(other) if kind == other:
            return order(value)[1].startswith(order(start)[1])  # a prefix of a text is one of its UTF-8
        case _:
            return False


def _contains(value: Value | None, part: Value | None) -> bool:
    match value, part:
        case Scalar("S" | "B" as kind), Scalar(other) if kind == other:
            return order(part)[1] in order(value)[1]
        case Members(_, members), Scalar():
            return part in members
        case ListValue(items), _:
            return part in items
        case _:
            return False


_FUNCTIONS: Final[Mapping[str, Callable[..., bool]]] = {  # type: ignore[explicit-any]  # of one argument, or two
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
    "attribute_type": lambda value, kind: value is not None and value.kind == kind.content,
    "begins_with": begins_with,
    "contains": _contains,
}

"""What conditions mean: for an item, or for one that is not there (an item without attributes). Pure.

A comparison with an attribute that is not there does not hold, but ``<>`` does.
Source: Amazon DynamoDB Developer Guide, *Condition and filter expressions, operators, and functions*.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb import paths
from lakeproof.gate.fronts.dynamodb.errors import invalid
from lakeproof.gate.fronts.dynamodb.grammar import (
    Arithmetic,
    Between,
    Compared,
    Condition,
    Every,
    FunctionCall,
    Not,
    OneOf,
    Operand,
    Path,
    Placeholder,
    Some,
)
from lakeproof.gate.fronts.dynamodb.names import Attached, children
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
_ORDERS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


@attrs.frozen
class BoundCondition:
    """A condition with the names and values of its request."""

    condition: Condition
    attached: Attached
    where: str
    """The field of the request that it is in."""

    def check(self) -> None:
        """Raises DynamoDBError: it does not make sense, whatever the item is."""
        _check(self, self.condition, inner=False)

    def holds(self, item: Item) -> bool:
        """Whether it holds of an item."""
        return _holds(self, self.condition, item)


def _check(bound: BoundCondition, tree: Condition | Operand, *, inner: bool) -> None:
    where, values = bound.where, bound.attached
    match tree:
        case Path():
            values.path(tree, where)
        case Placeholder(name):
            values.value(name, where)
        case FunctionCall(function, operands):
            if function not in _ARGUMENTS:
                invalid(f"Invalid {where}: Invalid function name; function: {function}")
            # `size` gives a number to compare, the other functions give a truth value: neither stands for the other.
            if (function == "size") is not inner:
                invalid(f"Invalid {where}: The function is not allowed to be used this way in an expression; "
                        f"function: {function}")  # fmt: skip
            if len(operands) != _ARGUMENTS[function]:
                invalid(f"Invalid {where}: Incorrect number of operands for operator or function; operator or "
                        f"function: {function}, number of operands: {len(operands)}")  # fmt: skip
            _check_distinct(bound, function, operands)
            _check_call(bound, function, operands)
        case Compared(left, comparator, right):
            _check_distinct(bound, comparator, (left, right))
            if comparator not in ("=", "<>"):  # these take any kinds
                _check_ordered(bound, comparator, left, right)
        case Between(operand, low, high):
            _check_ordered(bound, "BETWEEN", operand, low, high)
            _check_bounds(bound, low, high)
        case OneOf(_, choices) if len(choices) > _IN_MAX:
            invalid(f"Invalid {where}: The IN operator is provided with too many operands; number of operands: "
                    f"{len(choices)}")  # fmt: skip
        case _:
            pass
    # Below a comparison or a call there are operands; below AND, OR and NOT there are conditions.
    operands_inside = isinstance(tree, Compared | Between | OneOf | FunctionCall)
    for child in children(tree):
        _check(bound, child, inner=operands_inside)


def _check_distinct(bound: BoundCondition, operator: str, operands: tuple[Operand, ...]) -> None:
    """Of two operands, not of those of BETWEEN and IN."""
    first, *rest = [bound.attached.path(each, bound.where) for each in operands if isinstance(each, Path)] or [()]
    if first in rest:
        shown = ", ".join(f"[{step}]" if isinstance(step, int) else step for step in first)
        invalid(f"Invalid {bound.where}: The first operand must be distinct from the remaining operands for this "
                f"operator or function; operator: {operator}, first operand: [{shown}]")  # fmt: skip


def _check_call(bound: BoundCondition, function: str, operands: tuple[Operand, ...]) -> None:
    first = operands[0]
    if function.endswith("_exists") and not isinstance(first, Path):  # attribute_exists, attribute_not_exists
        invalid(f"Invalid {bound.where}: Operator or function requires a document path; operator or function: "
                f"{function}")  # fmt: skip
    last = operands[-1]
    if not isinstance(last, Placeholder):
        # The type comes from the request, not from an item. A size is a number, and has no size.
        if function == "attribute_type" or (function == "size" and isinstance(last, FunctionCall)):
            _wrong_type(bound, function, "N" if isinstance(last, FunctionCall) else "{path}")
        return
    value = bound.attached.value(last.name, bound.where)
    if function == "begins_with" and value.kind not in ("S", "B"):
        _wrong_type(bound, function, value.kind)
    if function == "attribute_type" and not (isinstance(value, Scalar) and value.content in KINDS):
        invalid(f"Invalid {bound.where}: Invalid attribute type name found; valid types: {{{','.join(KINDS)}}}")
    if function == "size" and value.kind in ("N", "BOOL", "NULL"):
        _wrong_type(bound, function, value.kind)


def _check_ordered(bound: BoundCondition, operator: str, *operands: Operand) -> None:
    for each in operands:
        if isinstance(each, Placeholder):  # what an item has there, only `holds` sees
            value = bound.attached.value(each.name, bound.where)
            if value.kind not in ORDERED:
                _wrong_type(bound, operator, value.kind)


def _check_bounds(bound: BoundCondition, low: Operand, high: Operand) -> None:
    if isinstance(low, Placeholder) and isinstance(high, Placeholder):  # both are known now
        bounds = [bound.attached.value(each.name, bound.where) for each in (low, high)]
        one, other = bounds
        if one.kind != other.kind:
            invalid(f"Invalid {bound.where}: The BETWEEN operator requires same data type for lower and upper bounds; "
                    f"lower bound operand: AttributeValue: {one.kind}, upper bound operand: AttributeValue: "
                    f"{other.kind}")  # fmt: skip
        if not compare(one, "<=", other):
            invalid(f"Invalid {bound.where}: The BETWEEN operator requires upper bound to be greater than or equal to "
                    "lower bound")  # fmt: skip


def _wrong_type(bound: BoundCondition, operator: str, kind: str) -> None:
    invalid(f"Invalid {bound.where}: Incorrect operand type for operator or function; operator or function: "
            f"{operator}, operand type: {kind}")  # fmt: skip


def _holds(bound: BoundCondition, tree: Condition, item: Item) -> bool:
    match tree:
        case Every(conditions):
            for each in conditions:  # noqa: SIM110  # fewer frames on the stack
                if not _holds(bound, each, item):
                    return False
            return True
        case Some(conditions):
            for each in conditions:  # noqa: SIM110  # as above
                if _holds(bound, each, item):
                    return True
            return False
        case Not(inner):
            return not _holds(bound, inner, item)
        case Compared(left, comparator, right):
            return compare(_value(bound, left, item), comparator, _value(bound, right, item))
        case Between(operand, low, high):
            value = _value(bound, operand, item)
            above = compare(_value(bound, low, item), "<=", value)
            return above and compare(value, "<=", _value(bound, high, item))
        case OneOf(operand, choices):
            value = _value(bound, operand, item)
            # A missing attribute equals nothing, not even a choice that is missing as well.
            return value is not None and any(_value(bound, each, item) == value for each in choices)
        case FunctionCall(function, operands):
            return _FUNCTIONS[function](*[_value(bound, each, item) for each in operands])


def _value(bound: BoundCondition, operand: Operand, item: Item) -> Value | None:
    match operand:
        case Path():
            return paths.find_value(item, bound.attached.path(operand, bound.where))
        case Placeholder(name):
            return bound.attached.value(name, bound.where)
        case FunctionCall(_, operands):
            return _size(_value(bound, operands[0], item))
        case Arithmetic():
            raise AssertionError(operand)  # the grammar has it in updates alone


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


def _is_of_type(value: Value | None, kind: Value | None) -> bool:
    return value is not None and isinstance(kind, Scalar) and value.kind == kind.content


_FUNCTIONS: Final[Mapping[str, Callable[..., bool]]] = {  # type: ignore[explicit-any]  # of one argument, or two
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
    "attribute_type": _is_of_type,
    "begins_with": begins_with,
    "contains": _contains,
}

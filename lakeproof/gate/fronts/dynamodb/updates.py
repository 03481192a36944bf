"""What update expressions mean, with the names and values of their request in place: an item before, and one after it.
Pure.

All operands are read from the item before; then each action is done at its path.
Source: Amazon DynamoDB Developer Guide, *Using update expressions in DynamoDB*.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from lakeproof.gate.fronts.dynamodb import paths
from lakeproof.gate.fronts.dynamodb.conditions import check_call, wrong_type
from lakeproof.gate.fronts.dynamodb.errors import invalid
from lakeproof.gate.fronts.dynamodb.grammar import Action, FunctionCall, Operand, Operation, Path, Update
from lakeproof.gate.fronts.dynamodb.paths import NoSuchPlace, Steps, render_path
from lakeproof.gate.fronts.dynamodb.values import Item, ListValue, Members, Scalar, Value, plus

WHERE: Final = "UpdateExpression"
_ADDABLE: Final = ("N", "SS", "NS", "BS")
_ARGUMENTS: Final = {"if_not_exists": 2, "list_append": 2}


def paths_of(update: Update) -> tuple[Steps, ...]:
    """What it changes."""
    return tuple(action.path.steps for action in update)


def check_keys(update: Update, keys: Sequence[str]) -> None:
    """keys: the names of the key's attributes. Raises DynamoDBError: it changes one of them."""
    for steps in paths_of(update):
        if steps[0] in keys:
            invalid(f"One or more parameter values were invalid: Cannot update attribute {steps[0]}. "
                    "This attribute is part of the key")  # fmt: skip


def check(update: Update) -> None:
    """Raises DynamoDBError: it does not make sense for any item of any table."""
    for one, other in combinations(paths_of(update), 2):
        if paths.overlap(one, other):
            invalid(f"Invalid {WHERE}: Two document paths overlap with each other; must remove or rewrite one of "
                    f"these paths; path one: {render_path(one)}, path two: {render_path(other)}")  # fmt: skip
    for action in update:
        if action.operand is not None:
            _check(action.operand)
        if action.verb in ("ADD", "DELETE"):
            kind = _literal(action).kind
            # A number has no members to delete.
            if kind not in (_ADDABLE if action.verb == "ADD" else _ADDABLE[1:]):
                invalid(f"Invalid {WHERE}: Incorrect operand type for operator or function; operator: "
                        f"{action.verb}, operand type: {kind}")  # fmt: skip


def apply_update(update: Update, item: Item) -> Item:
    """The item after it.

    Raises:
        DynamoDBError: the item does not have what it needs.
    """
    removals: list[Steps] = []
    placements: list[tuple[Steps, Value]] = []
    for action in update:
        # From the item before, also where an action above places something: `SET a = b, b = a` exchanges them.
        made = _new_value(action, item)
        if made is None:
            removals.append(action.path.steps)
        else:
            placements.append((action.path.steps, made))
    after = item
    try:
        # By index: of several behind the end of a list, the lowest is appended first.
        for steps, value in sorted(placements, key=lambda each: _place(each[0])):
            after = paths.place_value(after, steps, value)
        for steps in sorted(removals, key=_place, reverse=True):  # from behind: a list closes up
            after = paths.place_value(after, steps, None)
    except NoSuchPlace:
        invalid("The document path provided in the update expression is invalid for update")
    return after


def _place(steps: Steps) -> tuple[tuple[bool, int, str], ...]:
    """Paths in order, names before indices."""
    # Indices are compared by value: 10 is after 9.
    return tuple((True, step, "") if isinstance(step, int) else (False, 0, step) for step in steps)


def _literal(action: Action) -> Value:
    assert isinstance(action.operand, Value)
    return action.operand


def _check(operand: Operand, outer: str = "") -> None:
    """outer: the function of which it is an operand."""
    match operand:
        case Operation(sign, operands):
            for each in operands:
                if isinstance(each, Value) and each.kind != "N":  # of a path, `_value` sees the type
                    wrong_type(WHERE, sign, each.kind)
                _check(each)
        case FunctionCall(function, operands):
            check_call(operand, WHERE, _ARGUMENTS, allowed=not function == outer == "list_append")
            for each in operands:
                _check(each, function)
                # Of a path or a call nothing is known yet.
                if function == "list_append" and isinstance(each, Value) and each.kind != "L":
                    wrong_type(WHERE, function, each.kind)


def _new_value(action: Action, item: Item) -> Value | None:
    """What is to be at the path of an action; None: nothing."""
    if action.verb == "REMOVE":
        return None
    if action.verb == "SET":
        assert action.operand is not None
        return _value(action.operand, item)
    value, here = _literal(action), paths.find_value(item, action.path.steps)
    if here is None:
        return value if action.verb == "ADD" else None  # a sum with 0, or a set of these members
    match here, value:
        case Scalar("N"), Scalar("N"):
            return plus(here, value, 1)
        case Members(kind, members), Members(other, more) if kind == other:
            left = members | more if action.verb == "ADD" else members - more
            return Members(kind, left) if left else None  # DynamoDB has no empty set: the attribute goes
        case _:
            return invalid("An operand in the update expression has an incorrect data type")


def _value(operand: Operand, item: Item) -> Value:
    match operand:
        case Path(steps):
            found = paths.find_value(item, steps)
            if found is None:
                invalid("The provided expression refers to an attribute that does not exist in the item")
            return found
        case Operation(sign, (left, right)):
            one, other = _value(left, item), _value(right, item)
            if not (isinstance(one, Scalar) and isinstance(other, Scalar) and one.kind == other.kind == "N"):
                invalid("An operand in the update expression has an incorrect data type")
            return plus(one, other, 1 if sign == "+" else -1)
        case FunctionCall("if_not_exists", (Path(steps), default)):
            found = paths.find_value(item, steps)
            return _value(default, item) if found is None else found  # only then: the default may fail
        case FunctionCall(_, (first, second)):
            front, back = _value(first, item), _value(second, item)
            if not (isinstance(front, ListValue) and isinstance(back, ListValue)):
                invalid("An operand in the update expression has an incorrect data type")
            return ListValue(front.items + back.items)
        case _:
            assert isinstance(operand, Value)  # `check` has refused all others
            return operand

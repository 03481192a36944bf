"""What update expressions mean: an item before, an item after. Pure.

All operands are read from the item before; then each action is done at its path.
Source: Amazon DynamoDB Developer Guide, *Using update expressions in DynamoDB*.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb import paths
from lakeproof.gate.fronts.dynamodb.errors import invalid
from lakeproof.gate.fronts.dynamodb.grammar import Action, Arithmetic, FunctionCall, Operand, Path, Placeholder, Update
from lakeproof.gate.fronts.dynamodb.names import Attached
from lakeproof.gate.fronts.dynamodb.paths import NoSuchPlace, Steps
from lakeproof.gate.fronts.dynamodb.values import Item, ListValue, Members, Scalar, Value, plus

WHERE: Final = "UpdateExpression"
_ADDABLE: Final = ("N", "SS", "NS", "BS")


@attrs.frozen
class BoundUpdate:
    """An update with the names and values of its request."""

    update: Update
    attached: Attached

    @property
    def paths(self) -> tuple[Steps, ...]:
        """What it changes. Raises DynamoDBError: a name is not defined."""
        return tuple(self.attached.path(action.path, WHERE) for action in self.update.actions)

    def check_keys(self, keys: Sequence[str]) -> None:
        """keys: the names of the key's attributes. Raises DynamoDBError: it changes one of them."""
        for steps in self.paths:
            if steps[0] in keys:
                invalid(f"One or more parameter values were invalid: Cannot update attribute {steps[0]}. "
                        "This attribute is part of the key")  # fmt: skip

    def check(self) -> None:
        """Raises DynamoDBError: it does not make sense for any item of any table."""
        for one, other in combinations(self.paths, 2):
            if paths.overlap(one, other):
                invalid(f"Invalid {WHERE}: Two document paths overlap with each other; must remove or rewrite one of "
                        f"these paths; path one: {_path_text(one)}, path two: {_path_text(other)}")  # fmt: skip
        for action in self.update.actions:
            if action.operand is not None:
                _check(self.attached, action.operand)
            if action.verb in ("ADD", "DELETE"):
                kind = _literal(self.attached, action).kind
                # A number has no members to delete.
                if kind not in (_ADDABLE if action.verb == "ADD" else _ADDABLE[1:]):
                    invalid(f"Invalid {WHERE}: Incorrect operand type for operator or function; operator: "
                            f"{action.verb}, operand type: {kind}")  # fmt: skip

    def applied(self, item: Item) -> Item:
        """The item after it.

        Raises:
            DynamoDBError: the item does not have what it needs.
        """
        removals: list[Steps] = []
        placements: list[tuple[Steps, Value]] = []
        for action, steps in zip(self.update.actions, self.paths, strict=True):
            # From the item before, also where an action above places something: `SET a = b, b = a` exchanges them.
            made = _new_value(self.attached, action, steps, item)
            if made is None:
                removals.append(steps)
            else:
                placements.append((steps, made))
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


def _path_text(steps: Steps) -> str:
    return "[" + ", ".join(f"[{step}]" if isinstance(step, int) else step for step in steps) + "]"


def _literal(attached: Attached, action: Action) -> Value:
    assert isinstance(action.operand, Placeholder)
    return attached.value(action.operand.name, WHERE)


def _check(attached: Attached, operand: Operand) -> None:
    match operand:
        case Path():
            attached.path(operand, WHERE)
        case Placeholder(name):
            attached.value(name, WHERE)
        case Arithmetic(left, sign, right):
            for each in (left, right):
                if isinstance(each, Placeholder):  # of a path, `_value` sees the type
                    kind = attached.value(each.name, WHERE).kind
                    if kind != "N":
                        invalid(f"Invalid {WHERE}: Incorrect operand type for operator or function; operator or "
                                f"function: {'+' if sign > 0 else '-'}, operand type: {kind}")  # fmt: skip
                _check(attached, each)
        case FunctionCall(function, operands):
            if function not in ("if_not_exists", "list_append"):
                invalid(f"Invalid {WHERE}: Invalid function name; function: {function}")
            if len(operands) != 2:
                invalid(f"Invalid {WHERE}: Incorrect number of operands for operator or function; operator or "
                        f"function: {function}, number of operands: {len(operands)}")  # fmt: skip
            if function == "if_not_exists" and not isinstance(operands[0], Path):
                invalid(f"Invalid {WHERE}: Operator or function requires a document path; operator or function: "
                        "if_not_exists")  # fmt: skip
            for each in operands:
                _check(attached, each)
                if isinstance(each, FunctionCall) and function == each.function == "list_append":
                    invalid(f"Invalid {WHERE}: The function is not allowed to be used this way in an expression; "
                            "function: list_append")  # fmt: skip
                # Of a path or a call nothing is known yet: L passes.
                literal = attached.value(each.name, WHERE).kind if isinstance(each, Placeholder) else "L"
                if function == "list_append" and literal != "L":
                    invalid(f"Invalid {WHERE}: Incorrect operand type for operator or function; operator or function: "
                            f"list_append, operand type: {literal}")  # fmt: skip


def _new_value(attached: Attached, action: Action, steps: Steps, item: Item) -> Value | None:
    """What is to be at the path of an action; None: nothing."""
    if action.verb == "REMOVE":
        return None
    if action.verb == "SET":
        assert action.operand is not None
        return _value(attached, action.operand, item)
    value, here = _literal(attached, action), paths.find_value(item, steps)
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


def _value(attached: Attached, operand: Operand, item: Item) -> Value:
    match operand:
        case Placeholder(name):
            return attached.value(name, WHERE)
        case Path():
            found = paths.find_value(item, attached.path(operand, WHERE))
            if found is None:
                invalid("The provided expression refers to an attribute that does not exist in the item")
            return found
        case Arithmetic(left, sign, right):
            one, other = _value(attached, left, item), _value(attached, right, item)
            if not (isinstance(one, Scalar) and isinstance(other, Scalar) and one.kind == other.kind == "N"):
                invalid("An operand in the update expression has an incorrect data type")
            return plus(one, other, sign)
        case FunctionCall("if_not_exists", (Path() as path, default)):
            found = paths.find_value(item, attached.path(path, WHERE))
            return _value(attached, default, item) if found is None else found  # only then: the default may fail
        case FunctionCall(_, (first, second)):
            front, back = _value(attached, first, item), _value(attached, second, item)
            if not (isinstance(front, ListValue) and isinstance(back, ListValue)):
                invalid("An operand in the update expression has an incorrect data type")
            return ListValue(front.items + back.items)
        case _:
            raise AssertionError(operand)  # refused by `check`

"""The names and values that come with expressions: ``#name`` and ``:value``."""

from collections.abc import Mapping

import attrs

from lakeproof.gate.fronts.dynamodb.errors import invalid, raise_malformed
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
    Update,
)
from lakeproof.gate.fronts.dynamodb.reserved import RESERVED
from lakeproof.gate.fronts.dynamodb.values import Value, fields, item

Tree = Condition | Operand | Update


@attrs.frozen
class Attached:
    """What a request brings along for its expressions."""

    names: Mapping[str, str]
    values: Mapping[str, Value]

    @classmethod
    def of(cls, request: Mapping[str, object]) -> "Attached":
        """From the fields of a request. Raises DynamoDBError."""
        names = fields(request.get("ExpressionAttributeNames", {}), "ExpressionAttributeNames")
        values = item(request.get("ExpressionAttributeValues", {}))
        for kind, mark, brought in (("Names", "#", names), ("Values", ":", values)):
            field = f"ExpressionAttribute{kind}"
            if field in request and not brought:
                invalid(f"{field} must not be empty")
            for name in brought:
                if not name.startswith(mark):
                    invalid(f'{field} contains invalid key: Syntax error; key: "{name}"')
        found = {}
        for name, meant in names.items():
            if not isinstance(meant, str):
                raise_malformed("ExpressionAttributeNames: expected strings")
            if not meant:
                invalid(f"ExpressionAttributeNames contains invalid value: an attribute name is empty; key: {name}")
            found[name] = meant
        return cls(found, values)

    def path(self, path: Path, where: str) -> tuple[str | int, ...]:
        """A path with the names that are meant. Raises DynamoDBError: a placeholder has none, or a
        name needs one."""
        found: list[str | int] = []
        for part in path.parts:
            if isinstance(part, str) and part.startswith("#"):
                if part not in self.names:
                    invalid(
                        f"Invalid {where}: An expression attribute name used in the document path is not defined; "
                        f"attribute name: {part}"
                    )
                found.append(self.names[part])
            elif isinstance(part, str) and part.lower() in RESERVED:  # at any place of a path, in any case
                invalid(f"Invalid {where}: Attribute name is a reserved keyword; reserved keyword: {part}")
            else:
                found.append(part)
        return tuple(found)

    def value(self, name: str, where: str) -> Value:
        """The value of a placeholder. Raises DynamoDBError: it has none."""
        if name not in self.values:
            invalid(
                f"Invalid {where}: An expression attribute value used in expression is not defined; "
                f"attribute value: {name}"
            )
        return self.values[name]

    def refuse_unused(self, *trees: Tree | tuple[Path, ...] | None) -> None:
        """Raises DynamoDBError: a name or a value is in none of the request's expressions."""
        used: set[str] = set()
        # Without any expression, DynamoDB has another error than for a name that is not used.
        present = [tree for tree in trees if tree is not None]
        if not present and self.names:
            invalid("ExpressionAttributeNames can only be specified when using expressions")
        if not present and self.values:
            invalid("ExpressionAttributeValues can only be specified when using expressions")
        for tree in present:
            for each in tree if isinstance(tree, tuple) else (tree,):
                _gather(each, used)
        # One set serves both: names begin with #, values with a colon.
        for kind, known in (("Names", self.names), ("Values", self.values)):
            unused = sorted(known.keys() - used)
            if unused:
                invalid(
                    f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{', '.join(unused)}}}"
                )


def _gather(tree: Tree, used: set[str]) -> None:
    """Add all placeholders of a tree."""
    match tree:
        case Path(parts):
            used.update(part for part in parts if isinstance(part, str) and part.startswith("#"))
        case Placeholder(name):
            used.add(name)
        case Update():
            for action in tree.actions:
                _gather(action.path, used)
                if action.operand is not None:
                    _gather(action.operand, used)
        case _:  # a condition or an operand
            for child in children(tree):
                _gather(child, used)


def children(tree: Condition | Operand) -> tuple[Condition | Operand, ...]:
    """What a condition or an operand is made of."""
    match tree:
        case Compared(left, _, right) | Arithmetic(left, _, right):
            return left, right
        case Between(operand, low, high):
            return operand, low, high
        case OneOf(operand, choices):
            return operand, *choices
        case FunctionCall(_, operands):
            return operands
        case Not(inner):
            return (inner,)
        case Every(conditions) | Some(conditions):
            return conditions
        case Path() | Placeholder():
            return ()

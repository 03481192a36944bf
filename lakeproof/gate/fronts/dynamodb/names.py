"""The names and values that come with expressions, ``#name`` and ``:value``, and expressions with them in place."""

from collections.abc import Mapping
from typing import TypeVar

import attrs

from lakeproof.gate.fronts.dynamodb.errors import invalid, raise_malformed
from lakeproof.gate.fronts.dynamodb.grammar import Path, Placeholder
from lakeproof.gate.fronts.dynamodb.reserved import RESERVED
from lakeproof.gate.fronts.dynamodb.values import Value, fields, item

Tree = TypeVar("Tree")
Meant = TypeVar("Meant")


@attrs.define(eq=False)
class Attached:
    """What a request brings along for its expressions."""

    names: Mapping[str, str]
    values: Mapping[str, Value]
    used: set[str] = attrs.field(factory=set)
    """What was bound so far."""

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

    def bind(self, tree: Tree, where: str) -> Tree:
        """An expression with the names that are meant, and with values in place of placeholders. where: the field that
        it is in. Raises DynamoDBError: a placeholder has none, or a name needs one."""
        bound: object = tree
        match tree:
            case Path(steps):
                bound = Path(tuple([self._step(each, where) for each in steps]))
            case Placeholder(name):
                bound = self._meant(name, self.values, "value used in expression", where)
            case _ if isinstance(tree, tuple) or attrs.has(type(tree)):
                parts: list[object] = []
                inner = tree if isinstance(tree, tuple) else attrs.astuple(tree, recurse=False)  # type: ignore[arg-type]
                for each in inner:  # of a class of attrs, as mypy does not see
                    parts.append(self.bind(each, where))  # noqa: PERF401  # fewer frames on the stack
                bound = tuple(parts) if isinstance(tree, tuple) else type(tree)(*parts)
        return bound  # type: ignore[return-value]  # of an operand another one

    def _step(self, step: str | int, where: str) -> str | int:
        if isinstance(step, str) and step.startswith("#"):
            return self._meant(step, self.names, "name used in the document path", where)
        if isinstance(step, str) and step.lower() in RESERVED:  # at any place of a path, in any case
            invalid(f"Invalid {where}: Attribute name is a reserved keyword; reserved keyword: {step}")
        return step

    def _meant(self, name: str, known: Mapping[str, Meant], what: str, where: str) -> Meant:
        if name not in known:
            kind = what.partition(" ")[0]
            invalid(f"Invalid {where}: An expression attribute {what} is not defined; attribute {kind}: {name}")
        self.used.add(name)  # one set serves both: names begin with #, values with a colon
        return known[name]

    def refuse_unused(self, *expressions: object) -> None:
        """expressions: those of the request; None: it has none there. Raises DynamoDBError: a name or a value is in
        none of them."""
        for kind, known in (("Names", self.names), ("Values", self.values)):
            # Without any expression, DynamoDB has another error than for a name that is not used.
            if known and not any(each is not None for each in expressions):
                invalid(f"ExpressionAttribute{kind} can only be specified when using expressions")
            unused = sorted(known.keys() - self.used)
            if unused:
                invalid(
                    f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{', '.join(unused)}}}"
                )

"""The expressions of DynamoDB: from text to a tree. What the trees mean: `conditions` and `updates` beside this file.

``SET a = a + :one REMOVE b`` is an update, ``a, b[1].c`` a projection. The parser is lark's, LALR(1) with a contextual
lexer: linear in the text, and without recursion.

Example: the condition ``NOT a = :v AND b.c[0] IN (:w, d) OR size(#l) < :x``. NOT binds most, OR least; ``:v``
and ``#l`` stay as they are, until fields of the request say what they mean (`lakeproof.gate.fronts.dynamodb.names`).

    OR
        AND
            NOT
                =       Path("a"), Placeholder(":v")
            IN          Path("b", "c", 0), Placeholder(":w"), Path("d")
        <               FunctionCall("size", Path("#l")), Placeholder(":x")

``a == :v`` is refused: 'Invalid ConditionExpression: Syntax error; token: "=", near: "a == :v"'.

Source: Amazon DynamoDB Developer Guide, *Condition and filter expressions*, *Update expressions*, *Using projection
expressions*.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import attrs
from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from lakeproof.gate.fronts.dynamodb.errors import invalid, not_known
from lakeproof.gate.fronts.dynamodb.values import Value

EXPRESSION_BYTES_MAX: Final = 4096
OPERATORS_MAX: Final = 300
BRACKETS_MAX: Final = 300
# Each BETWEEN is counted with its AND; `#in` and `:or` are names. Each level of a tree has an operator or a bracket.
_OPERATORS: Final = re.compile(r"(?<![#:])\b(?:AND|OR|NOT|IN)\b|[=<>]+", re.IGNORECASE)
_WORDS: Final = re.compile(r"[()]|[^\s()]+")
_NAMED: Final = re.compile(r"(?<![A-Za-z0-9_#:])(?!(?:AND|OR|NOT)\Z)[A-Za-z0-9_]+\Z", re.IGNORECASE)
"""What ends with the name of a function, or with IN."""
_BRACKETED: Final = re.compile(r"\(\s*size\s*\([^()]*\)\s*\)")
"""LALR(1) does not tell it from a condition in brackets."""

# lark inlines a rule with `?` that has one child, so brackets and single terms leave no node. A terminal with `_`
# leaves the tree; so does a written-out `"="`, though EQUAL stays. Keywords go before NAME (.2), but not within one:
# without the look-ahead, `order` would be OR and `der`. The AND of BETWEEN is no conflict: it follows an operand.
_GRAMMAR: Final = r"""
?condition: either
?either: both (_OR both)*
?both: negated (_AND negated)*
?negated: _NOT negated -> negation
    | comparison
?comparison: operand (EQUAL | OTHER) operand -> infix
    | operand _BETWEEN operand _AND operand -> between
    | operand _IN "(" operand ("," operand)* ")" -> one_of
    | call
    | "(" either ")"

update: clause+
clause: SET assignment ("," assignment)*
    | REMOVE removal ("," removal)*
    | (ADD | DELETE) change ("," change)*
assignment: path "=" sum
removal: path
change: path literal
?sum: term
    | term SIGN term -> infix
?term: bare
    | "(" sum ")"

projection: path ("," path)*

?operand: bare
    | "(" path ")"
    | "(" literal ")"
?bare: path
    | literal
    | call
literal: VALUE -> value
call: NAME "(" operand ("," operand)* ")"
path: name ("." name | "[" INDEX "]")*
!name: NAME | PLACEHOLDER

_OR.2: /OR(?![A-Za-z0-9_])/i
_AND.2: /AND(?![A-Za-z0-9_])/i
_NOT.2: /NOT(?![A-Za-z0-9_])/i
_BETWEEN.2: /BETWEEN(?![A-Za-z0-9_])/i
_IN.2: /IN(?![A-Za-z0-9_])/i
SET.2: /SET(?![A-Za-z0-9_])/i
REMOVE.2: /REMOVE(?![A-Za-z0-9_])/i
ADD.2: /ADD(?![A-Za-z0-9_])/i
DELETE.2: /DELETE(?![A-Za-z0-9_])/i
EQUAL: "="
OTHER: /<>|<=|>=|<|>/
SIGN: "+" | "-"
INDEX: /[0-9]{1,9}/
NAME: /[A-Za-z][A-Za-z0-9_]*/
PLACEHOLDER: /#[A-Za-z0-9_]+/
VALUE: /:[A-Za-z0-9_]+/
%ignore /[ \t\r\n]+/
"""


@attrs.frozen
class Path:
    """Where a value is in an item: names and indices of lists. The first is a name, or a placeholder ``#name``."""

    steps: tuple[str | int, ...]


@attrs.frozen
class Placeholder:
    """A value that comes with the request, such as ``:v``. `Attached.bind` puts the value in its place."""

    name: str


@attrs.frozen
class FunctionCall:
    """A function: in a condition, as its operand, or in an update."""

    function: str
    operands: tuple["Operand", ...]


@attrs.frozen
class Operation:
    """An operator of a condition: ``=``, ``<>``, ``<``, ``<=``, ``>`` or ``>=``; ``BETWEEN``, with its bounds, which
    are included; ``IN``, with the choices; ``NOT``, ``AND`` or ``OR``. Or ``+`` or ``-`` in an update."""

    operator: str
    operands: tuple["Operand", ...]


Condition = FunctionCall | Operation
Operand = Path | Placeholder | Value | Condition


@attrs.frozen
class Action:
    """One part of an update. verb: ``SET``, ``REMOVE``, ``ADD`` or ``DELETE``, as its clause says; ``REMOVE`` has no
    operand."""

    path: Path
    operand: Operand | None = None
    verb: str = ""


Update = tuple[Action, ...]
"""An update expression: what all of its clauses do."""


def _operation(operator: str) -> Callable[..., Operation]:  # type: ignore[explicit-any]  # of any number of operands
    return lambda _tree, *operands: Operation(operator, operands)


@v_args(inline=True)  # a method is called for the rule or alias of its name
class _Tree(Transformer[Token, object]):
    """Builds the values above while lark parses."""

    # lark's name of a rule, and what is made of its parts, as they are.
    name = str
    assignment = removal = change = Action

    either, both, negation = _operation("OR"), _operation("AND"), _operation("NOT")  # `?` inlines an `either` of one
    between, one_of = _operation("BETWEEN"), _operation("IN")

    def infix(self, left: Operand, operator: Token, right: Operand) -> Operation:
        return Operation(str(operator), (left, right))

    def call(self, function: Token, *operands: Operand) -> FunctionCall:
        return FunctionCall(str(function), operands)

    def value(self, name: Token) -> Placeholder:
        return Placeholder(str(name))

    def path(self, *parts: Token | str) -> Path:
        return Path(
            # A part is an index, or what `name` made.
            tuple(int(each) if isinstance(each, Token) and each.type == "INDEX" else str(each) for each in parts)
        )

    def clause(self, verb: Token, *actions: Action) -> Update:
        return tuple(attrs.evolve(each, verb=verb.upper()) for each in actions)

    def update(self, *clauses: Update) -> tuple[Update, ...]:
        return clauses

    def projection(self, *paths: Path) -> tuple[Path, ...]:
        return paths


@lru_cache(1)  # one parser for all three starts
def _parser() -> Lark:
    """Built when the first expression comes: a tenth of a second."""
    starts = ["condition", "update", "projection"]
    return Lark(_GRAMMAR, parser="lalr", start=starts, transformer=_Tree(), maybe_placeholders=False)


@lru_cache(4096)  # a program sends the same few texts in every schedule
def condition(text: str, where: str = "ConditionExpression") -> Condition:
    """A condition. where: the field of the request that it is in.

    Raises:
        DynamoDBError: it is none, or too long.
    """
    return _parse_text(text, where, "condition")  # type: ignore[return-value]  # lark does not say what a start gives


@lru_cache(4096)
def update(text: str) -> Update:
    """An update. Raises DynamoDBError: it is none, it is too long, or has a verb twice."""
    clauses: tuple[Update, ...] = _parse_text(text, "UpdateExpression", "update")  # type: ignore[assignment]  # as above
    verbs = [clause[0].verb for clause in clauses]
    twice = next((verb for verb in verbs if verbs.count(verb) > 1), None)
    if twice is not None:
        invalid(f'Invalid UpdateExpression: The "{twice}" section can only be used once in an update expression;')
    return tuple(action for clause in clauses for action in clause)


@lru_cache(4096)
def projection(text: str) -> tuple[Path, ...]:
    """The paths of a projection. Raises DynamoDBError: it is none, or too long."""
    return _parse_text(text, "ProjectionExpression", "projection")  # type: ignore[return-value]  # as above


def _parse_text(text: str, where: str, start: str) -> object:
    if not text.strip():
        invalid(f"Invalid {where}: The expression can not be empty;")
    if len(text.encode()) > EXPRESSION_BYTES_MAX:
        invalid(f"Invalid {where}: Expression size has exceeded the maximum allowed size;")
    operators = len(_OPERATORS.findall(text))
    # So the recursion over a tree ends before the stack does. The service has no bound on brackets.
    if operators > OPERATORS_MAX:
        invalid(f"Invalid {where}: The expression contains too many operators; operator count: {operators}")
    if text.count("(") > BRACKETS_MAX:
        not_known(f"{where} with more than {BRACKETS_MAX} brackets")
    try:
        found: object = _parser().parse(text, start=start)
    except (UnexpectedToken, UnexpectedCharacters) as error:
        if isinstance(error, UnexpectedToken) and _BRACKETED.search(text):
            not_known(f"{where} with brackets around a size")
        # The end of the text is a token without text.
        word = str(error.token) or "<EOF>" if isinstance(error, UnexpectedToken) else error.char
        invalid(f'Invalid {where}: Syntax error; token: "{word}", near: "{_near(text, error.pos_in_stream)}"')
    if start == "condition" and _has_redundant_brackets(text):
        invalid(f"Invalid {where}: The expression has redundant parentheses;")
    return found


def _has_redundant_brackets(text: str) -> bool:
    """Whether brackets have nothing within them but others; those of a call and of IN are not counted."""
    words = _WORDS.findall(text)
    opened: list[int] = []
    last = (0, 0)  # what was closed last, from where to where
    for at, word in enumerate(words):
        if word == "(":
            opened.append(at)
        elif word == ")":
            begin = opened.pop()
            if last == (begin + 1, at - 1) and not (begin and _NAMED.search(words[begin - 1])):
                return True
            last = (begin, at)
    return False


def _near(text: str, place: int | None) -> str:
    at = place or 0
    return text[max(at - 10, 0) : at + 10]

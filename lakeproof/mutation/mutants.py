"""The mutants of a file: each a place, an operator, what stood there and what stands there instead, and the code.

The file is parsed once. Each change is made in its syntax tree, compiled and taken back; lines stay what they are.

Example: a flow, and its five mutants as they are shown, without "shop.py:LINE take" before each.

    1  async def take(env, key):
    2      seen = await env.store.get(b"shop", key)
    3      if int(seen.value) == 0:
    4          return None
    5      await env.store.set_if(b"shop", key, b"0", seen.predicate)

    5  blind-write: await env.store.set_if(... b'0', seen.predicate) -> await env.store.set(b'shop', key, b'0')
    5  weak-predicate: env.store.set_if(... seen.predicate) -> env.store.set_if(... weaker(seen.predicate))
    5  drop-effect: await env.store.set_if(b'shop', key, b'0', seen.predicate) -> (nothing)
    3  drop-check: int(seen.value) == 0 -> False
    3  always: int(seen.value) == 0 -> True

``ignore-error`` and others find nothing to change here. A mutant is judged by scenarios whose flows execute its lines.
"""

import ast
import marshal
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Final

import attrs

from lakeproof.mutation.operators import OPERATORS, STAND_INS, Operator
from lakeproof.mutation.sites import (
    BLOCKS,
    Block,
    Expression,
    Function,
    blocks,
    expressions,
    functions,
    head_of,
    of_flows,
    raw_blocks,
)

SHOWN_MAX: Final = 120
"""Characters of what a change is described by."""


class NotMutable(Exception):
    """A file that has no mutants; one line that names it and the repair."""


@attrs.frozen(kw_only=True)
class Mutant:
    """One change of one function. Can be sent to another process."""

    file: str
    """As it was given: relative to the project for flows of the catalogue."""
    function: str
    """Its qualified name in the module."""
    operator: str
    lines: tuple[int, int]
    """First and last of what is changed; all of a function that is executed reaches it by one of them."""
    span: tuple[int, int]
    """First and last line of the body of the function."""
    before: str
    after: str
    number: int
    """How many changes of the function that have the same operator and the same words come before it."""
    code: bytes = attrs.field(repr=False)
    """The module, marshalled."""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.lines[0]}"

    def __str__(self) -> str:
        return f"{self.place} {self.function} {self.operator}: {self.before} -> {self.after or '(nothing)'}"


def mutants_of(
    path: Path, name: str, operators: Collection[Operator] = OPERATORS, *, part: str = "", flows_alone: bool = False
) -> Iterator[Mutant]:
    """All mutants of a file, in order of its functions. Each differs from the file and from all others.

    name: what the file is called in reports. part: only functions with this part in ``FILE:FUNCTION`` are mutated.
    flows_alone: only functions that a flow of the file names, see `of_flows`.

    Raises:
        NotMutable: the file cannot be read, or is no Python.
    """
    tree = _tree(path)
    chosen = of_flows(tree) if flows_alone else None
    for function, node in functions(tree):
        if part not in f"{name}:{function}" or (chosen is not None and function not in chosen):
            continue
        span = (node.body[0].lineno, node.end_lineno or node.body[-1].lineno)
        seen = {ast.dump(node)}  # two operators may make the same of a function
        met: Counter[tuple[str, str, str]] = Counter()
        for operator in operators:
            for change in _changes(node, operator):
                words = operator.name, change.before, change.after
                # In place, and taken back even if the caller stops here: all mutants share the tree of the file.
                change.make()
                try:
                    dump = ast.dump(node)
                    if dump not in seen:
                        seen.add(dump)
                        found = _compile_tree(tree, path)
                        yield Mutant(
                            file=name,
                            function=function,
                            operator=operator.name,
                            lines=change.lines,
                            span=span,
                            number=met[words],
                            before=change.before,
                            after=change.after,
                            code=found,
                        )
                finally:
                    change.take_back()
                # Of all changes, so that it does not depend on which operators are chosen.
                met[words] += 1


def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))  # bytes: the file may name its encoding
    except (OSError, SyntaxError, ValueError) as error:
        raise NotMutable(f"{path}: {error}; name a Python file") from error


def noting(path: Path, name: str) -> CodeType:
    """The code of a file that also notes each line which it executes, in `lakeproof.mutation.stand_ins.LINES`.

    Raises:
        NotMutable.
    """
    tree = _tree(path)
    # Lists, since the notes change the blocks while they are walked.
    for _, function in list(functions(tree)):
        for block in list(raw_blocks(function)):
            block[:] = [each for statement in block for each in (*_notes(statement, name), statement)]
    return marshal.loads(_compile_tree(tree, path))  # type: ignore[no-any-return]  # noqa: S302


def _notes(statement: ast.stmt, name: str) -> Iterator[ast.stmt]:
    handlers = statement.handlers if isinstance(statement, ast.Try) else []
    for handler in handlers:
        # A handler is no statement, so its own line has no note but this one.
        handler.body.insert(0, _note(name, handler))
    if not isinstance(statement, ast.Nonlocal | ast.Global):  # they execute nothing
        yield _note(name, statement)


def _note(name: str, at: ast.stmt | ast.ExceptHandler) -> ast.stmt:
    (statement,) = ast.parse(f"{STAND_INS}.LINES.add({(name, at.lineno)!r})").body
    for node in ast.walk(statement):  # the note has the line of what it notes
        ast.copy_location(node, at)
    return statement


def _compile_tree(tree: ast.Module, path: Path) -> bytes:
    # The import goes behind what must stand first: the docstring, and imports from __future__.
    start = 1 if tree.body and ast.get_docstring(tree) is not None else 0
    imported = ast.ImportFrom("lakeproof.mutation", [ast.alias("stand_ins", STAND_INS)], 0)
    while start < len(tree.body) and isinstance(at := tree.body[start], ast.ImportFrom) and at.module == "__future__":
        start += 1
    planted = ast.Module([*tree.body[:start], imported, *tree.body[start:]], tree.type_ignores)
    # The file has its own imports from __future__, not those of this module.
    return marshal.dumps(compile(ast.fix_missing_locations(planted), str(path), "exec", dont_inherit=True))


@attrs.frozen(eq=False)
class _Change:
    """A change of a tree, which can be taken back, and what is shown of it."""

    make: Callable[[], None]
    take_back: Callable[[], None]
    lines: tuple[int, int]
    before: str
    after: str


def _change_of_expression(at: Expression, new: ast.expr) -> _Change:
    # The first line that is executed of a statement is the first of its head.
    parts = [at.statement.lineno, at.node.lineno, at.node.end_lineno or at.node.lineno]
    texts = (_short(ast.unparse(each)) for each in (at.node, new))
    return _Change(partial(at.put, new), partial(at.put, at.node), (min(parts), max(parts)), *texts)


def _change_of_block(block: Block, start: int, end: int, new: list[ast.stmt]) -> _Change:
    old = block.statements[start:end]

    def put(there: list[ast.stmt], instead: list[ast.stmt]) -> None:
        block.statements[start : start + len(there)] = instead  # may be more or fewer statements

    put_new, put_old = partial(put, old, new), partial(put, new, old)
    handlers = _changed_handler(old, new)
    if handlers is not None:
        # The whole `try` would be reached by its body; only the handler's own lines reach a change in it.
        before, after = handlers
        lines = before.lineno, before.end_lineno or before.lineno
        now = "; ".join(map(ast.unparse, after.body))
        return _Change(put_new, put_old, lines, _short(ast.unparse(before)), _short(now))
    lines = old[0].lineno, max(each.end_lineno or each.lineno for each in old)
    # `pass` is in the place of a statement that is left out: it is no change of its own.
    left = [each for each in new if not isinstance(each, ast.Pass)]
    return _Change(put_new, put_old, lines, _describe_statements(old), _describe_statements(left))


def _changed_handler(old: list[ast.stmt], new: list[ast.stmt]) -> tuple[ast.ExceptHandler, ast.ExceptHandler] | None:
    """Where a handler alone is changed: the old one and the new one."""
    for one, other in zip(old, new, strict=False):
        if isinstance(one, ast.Try) and isinstance(other, ast.Try) and len(one.handlers) == len(other.handlers):
            for before, after in zip(one.handlers, other.handlers, strict=True):
                if before is not after:  # all others are the same nodes
                    return before, after
    return None


def _changes(function: Function, operator: Operator) -> Iterator[_Change]:
    # Collected first: making a change moves nodes.
    if operator.on_expression is not None:
        for at in list(expressions(function)):
            for new in list(operator.on_expression(at)):
                yield _change_of_expression(at, new)
    if operator.on_block is not None:
        for block in list(blocks(function)):
            for change in list(operator.on_block(block)):
                yield _change_of_block(block, *change)


def _describe_statements(statements: list[ast.stmt]) -> str:
    return _short("; ".join(_head(each) for each in statements))


def _head(statement: ast.stmt) -> str:
    """The first line of a statement; that of a compound one ends in a colon."""
    compound = any(getattr(statement, field, None) for field in BLOCKS)
    text = ast.unparse(statement)
    return text.partition("\n")[0] + (" ..." if compound and head_of(statement) else "")  # its blocks are not shown


def _short(text: str) -> str:
    shown = " ".join(text.split()).replace(f"{STAND_INS}.", "")
    return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 3]}..."

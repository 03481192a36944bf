"""Where an operator may change a function: places in its syntax tree, what is put there, and what the code knows."""

import ast
from collections.abc import Iterator
from typing import Final, TypeGuard

import attrs

Statement = ast.stmt | ast.ExceptHandler
Function = ast.FunctionDef | ast.AsyncFunctionDef
# What is in them belongs to another function.
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
BLOCKS: Final = ("body", "orelse", "finalbody")


@attrs.frozen(eq=False)
class Expression:
    """An expression and the place that holds it: a field of a node, or an element of a field that is a list."""

    node: ast.expr
    parent: ast.AST
    field: str
    index: int | None
    statement: Statement
    """The innermost one around it."""

    def put(self, node: ast.expr) -> None:
        """Replace the expression, in place."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


@attrs.frozen(eq=False)
class Block:
    """The statements of a block, in the list that holds them."""

    statements: list[ast.stmt]
    known: frozenset[str]
    """Names that are bound before the block, in the order of the text: parameters and assignments."""
    outer: frozenset[str]
    """Names that the function shares with the one around it (``nonlocal``)."""


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """All functions of a module by qualified name, those within functions and classes too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{node.name}", node
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def of_flows(tree: ast.AST) -> frozenset[str]:
    """The qualified names of coroutines and asynchronous generators, of what they name of the same file, and so on: in
    a file that holds invariants too, these are its flows."""
    known = dict(functions(tree))
    found: set[str] = set()
    waiting = [name for name, node in known.items() if isinstance(node, ast.AsyncFunctionDef)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            named = {n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(known[name]) if _is_name(n)}
            # By the last name alone: rather too many functions than too few. Functions within a function are its own.
            waiting += [other for other in known if other.rpartition(".")[2] in named or other.startswith(f"{name}.")]
    return frozenset(found)


def _is_name(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, ast.Name | ast.Attribute)


def expressions(function: Function) -> Iterator[Expression]:
    """All expressions of a function's own body; not those of functions within, nor annotations."""
    for statement in own_statements(function):
        for field, value in ast.iter_fields(statement):
            if field != "annotation" and not isinstance(statement, _SCOPES):  # no flow depends on it
                yield from _within(statement, field, value, statement)
        # A handler is no expression of its `try`: what it catches is found here, its body by `own_statements`.
        for handler in getattr(statement, "handlers", ()):
            yield from _one(handler, "type", None, handler.type, handler)


def _within(parent: ast.AST, field: str, value: object, statement: Statement) -> Iterator[Expression]:
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _one(parent, field, index, each, statement)
    else:
        yield from _one(parent, field, None, value, statement)


def _one(parent: ast.AST, field: str, index: int | None, value: object, statement: Statement) -> Iterator[Expression]:
    if isinstance(value, ast.Lambda) or not isinstance(value, _EXPRESSIVE):  # its body runs when it is called
        return
    if isinstance(value, ast.expr):
        yield Expression(value, parent, field, index, statement)
    for name, inner in ast.iter_fields(value):
        yield from _within(value, name, inner, statement)


# A keyword, `for ... in` and an item of `with` are no expressions, but hold some.
_EXPRESSIVE: Final = (ast.expr, ast.keyword, ast.comprehension, ast.withitem)


def own_statements(function: Function) -> Iterator[ast.stmt]:
    """The statements of a function at any depth, block by block; not those of functions within."""
    for block in raw_blocks(function):
        yield from block


def raw_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a node at any depth, outermost first; not those of functions and classes within."""
    for field in BLOCKS:
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for statement in block:
                if not isinstance(statement, _SCOPES):
                    yield from raw_blocks(statement)
    for handler in getattr(node, "handlers", ()):
        yield from raw_blocks(handler)
    for case in getattr(node, "cases", ()):
        yield from raw_blocks(case)


def blocks(function: Function) -> Iterator[Block]:
    """The blocks of a function's own body, outermost first."""
    arguments = function.args
    parameters = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    own = sorted(own_statements(function), key=lambda each: each.lineno)  # handlers come after `orelse` otherwise
    outer = frozenset(name for each in own if isinstance(each, ast.Nonlocal) for name in each.names)
    for statements in raw_blocks(function):
        # By lines, not by control flow: a name may be bound in a branch that is not taken.
        before = (each for each in own if each.lineno < statements[0].lineno)
        bound = {name for each in before for name in stored_names(head_of(each))}
        yield Block(statements, frozenset(parameters | bound | outer), outer)


def head_of(statement: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are no blocks: all of a simple one, the head of a compound one."""
    parts = []
    for field, value in ast.iter_fields(statement):
        if field not in (*BLOCKS, "handlers", "cases"):  # their statements have heads of their own
            parts += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)]
    return parts


def stored_names(nodes: list[ast.AST]) -> set[str]:
    """The names that nodes bind."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def loaded_names(nodes: list[ast.AST]) -> set[str]:
    """The names that nodes read."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def awaits(node: ast.AST) -> bool:
    """Whether a node has an effect: it awaits, or iterates asynchronously."""
    return any(
        isinstance(each, ast.Await | ast.AsyncFor | ast.AsyncWith)
        or (isinstance(each, ast.comprehension) and bool(each.is_async))
        for each in ast.walk(node)
    )


def callee(node: ast.AST) -> str:
    """The last name of what a call calls; empty for anything else."""
    if isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""

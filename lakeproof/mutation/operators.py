"""The operators: each is one kind of mistake that is made with stores and concurrent clients.

An operator looks at the expressions or the blocks of a function and yields replacements. Where a test is replaced, its
effects stay: what is to be missing is the decision, and not the request.

    blind-write     await s.set_if(p, k, v, seen)           await s.set(p, k, v)
                    if await s.try_set_if(p, k, v, seen):   if (await s.set(p, k, v), True)[1]:
    drop-check      if await s.try_set_if(p, k, v, seen):   if (await s.try_set_if(p, k, v, seen), False)[1]:
    drop-term       if len(rows) < limit and ready:         if ready:          and:  if len(rows) < limit:
    delete-first    await s.set(p, b"index", new)           await s.delete(p, old)
                    await s.delete(p, old)                  await s.set(p, b"index", new)
    skip-first      async for each in s.scan(p):            async for each in _stand_ins.all_but_first(s.scan(p)):
"""

import ast
import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import attrs

from lakeproof.mutation.sites import Block, Expression, awaits, callee, loaded_names, stored_names

Expressive = Callable[[Expression], Iterator[ast.expr]]
Change = tuple[int, int, list[ast.stmt]]
"""Statements of a block from, up to and without, and what stands there instead."""
Blockwise = Callable[[Block], Iterator[Change]]

STAND_INS: Final = "_stand_ins"
"""The name under which a mutated module knows `lakeproof.mutation.stand_ins`."""
CONDITIONS: Final = ("if_absent", "if_match", "if_destination_match", "if_metageneration", "if_version", "not_after")
UNCONDITIONAL: Final = {"set_if": "set", "delete_if": "delete", "try_set_if": "set"}
INDEFINITE: Final = ("OutcomeUnknown", "WriteNotSettled", "CreationOutrun")
_ONE: Final = ("1", repr(b"\0"), repr("\0"))
REMOVALS: Final = ("delete", "drop", "remove", "unstage")
PREDICATES: Final = ("PredicateFailed", "PreconditionFailed")


def _parse_expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _without(node: ast.Call, keyword: ast.keyword) -> ast.Call:
    changed = copy.copy(node)  # shallow: the node in the tree keeps its list
    changed.keywords = [each for each in node.keywords if each is not keyword]
    return changed


def _wrap_call(name: str, inner: ast.expr) -> ast.expr:
    found = _parse_expression(f"{STAND_INS}.{name}(it)")  # `it` is replaced below
    assert isinstance(found, ast.Call)
    found.args = [inner]
    return found


def _ignoring(test: ast.expr, answer: bool) -> ast.expr:
    """A test of which only the effects are left."""
    if not awaits(test):
        return ast.Constant(answer)
    # `(test, answer)[1]`: the test awaits its effect, and its value is dropped.
    pair = ast.Tuple([test, ast.Constant(answer)], ast.Load())
    return ast.Subscript(pair, ast.Constant(1), ast.Load())


def blind_write(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(node, ast.Await) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        call, func = node.value, node.value.func
        # The predicate is the last argument, or has its name.
        others = [each for each in call.keywords if each.arg != "predicate"]
        named = len(others) < len(call.keywords)
        # Which argument of `*args` is the last is not known.
        last = [each for each in call.args[-1:] if not isinstance(each, ast.Starred)]
        if func.attr in UNCONDITIONAL and (named or last):
            write = ast.Attribute(func.value, UNCONDITIONAL[func.attr], ast.Load())
            bare = ast.Await(ast.Call(write, call.args if named else call.args[:-1], others))
            # `try_set_if` returns whether it has written: here always.
            yield _ignoring(bare, answer=True) if func.attr == "try_set_if" else bare
    if isinstance(node, ast.Call):
        yield from (_without(node, each) for each in node.keywords if each.arg in CONDITIONS)


def weak_predicate(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if not isinstance(node, ast.Call):
        return
    name, named = callee(node), [each for each in node.keywords if each.arg == "predicate"]
    for index, given in enumerate(node.args):
        is_last = index == len(node.args) - 1 and len(node.args) > 2 and not named  # after partition and key
        text = ast.unparse(given)
        # `set_if` and its like; or a helper such as `_replace`, which ends with the encoded record that must be there.
        replaces = name.endswith("_if") or ("replace" in name.split("_") and text.startswith("encode("))
        if text.rpartition(".")[2] == "predicate" or (is_last and replaces and text != "None"):
            changed = copy.copy(node)
            changed.args = [_wrap_call("weaker", given) if at == index else each for at, each in enumerate(node.args)]
            yield changed
    for keyword in named:
        if ast.unparse(keyword.value) != "None":
            # Moved to the end: the order of names does not matter to a call.
            changed = _without(node, keyword)
            changed.keywords.append(ast.keyword("predicate", _wrap_call("weaker", keyword.value)))
            yield changed


_OTHER_BOUND: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


def boundary(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in _OTHER_BOUND:
                ops = [*node.ops[:index], _OTHER_BOUND[type(operator)](), *node.ops[index + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)


def off_by_one(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(at.parent, ast.Slice) and at.field in ("lower", "upper"):  # not its step
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
    elif isinstance(node, ast.Call) and callee(node) == "range" and "len(" in ast.unparse(node):
        for index, given in enumerate(node.args[:2]):
            changed = copy.copy(node)
            # One less at the end of a range, one more at its beginning: never beyond the sequence.
            nearer = ast.BinOp(given, ast.Sub() if "len(" in ast.unparse(given) else ast.Add(), ast.Constant(1))
            changed.args = [*node.args[:index], nearer, *node.args[index + 1 :]]
            yield changed
    # The next key is the key and a zero byte.
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and ast.unparse(node.right) in _ONE:
        yield node.left


def drop_term(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            left = [*node.values[:index], *node.values[index + 1 :]]
            yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def flip_flag(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    # A flag is handed on or kept; a constant in a test is not.
    assigned = isinstance(at.parent, ast.keyword | ast.Assign | ast.AnnAssign | ast.Return)
    if assigned and isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def leave_field(at: Expression, *, tokens: bool) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(node, ast.Call) and callee(node) == "evolve":  # ** has no name
        yield from (_without(node, each) for each in node.keywords if each.arg and ("token" in each.arg) is tokens)


def one_branch(at: Expression) -> Iterator[ast.expr]:
    if isinstance(at.node, ast.IfExp):
        yield at.node.body
        yield at.node.orelse


def wrong_order(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(node, ast.Call) and callee(node) in ("reversed", "sorted") and len(node.args) == 1:
        yield node.args[0]
    elif at.field == "iter" and isinstance(at.parent, ast.For | ast.comprehension):
        is_async = isinstance(at.parent, ast.comprehension) and at.parent.is_async
        if not is_async and callee(node) != "range" and not awaits(node):
            # A tuple first: not everything that can be iterated can be reversed.
            yield ast.Call(_parse_expression("reversed"), [ast.Call(_parse_expression("tuple"), [node], [])], [])


def lose_rows(at: Expression, stand_in: str) -> Iterator[ast.expr]:
    parent = at.parent
    is_async = isinstance(parent, ast.AsyncFor) or (isinstance(parent, ast.comprehension) and bool(parent.is_async))
    if at.field == "iter" and is_async:
        yield _wrap_call(stand_in, at.node)


def definite(at: Expression) -> Iterator[ast.expr]:
    if isinstance(at.parent, ast.Raise) and at.field == "exc":
        raised = at.node.func if isinstance(at.node, ast.Call) else at.node  # raise E, raise E(...)
        if ast.unparse(raised).rpartition(".")[2] in INDEFINITE:
            yield _wrap_call("definite", at.node)


def drop_check(at: Expression) -> Iterator[ast.expr]:
    if at.field == "test" and isinstance(at.parent, ast.If | ast.While):
        yield _ignoring(at.node, answer=False)  # of a `while`, too: no round
    elif at.field == "ifs":
        yield ast.Constant(value=True)  # the filter of a comprehension lets all pass


def always(at: Expression) -> Iterator[ast.expr]:
    if at.field == "test" and isinstance(at.parent, ast.If):  # a `while` might never end
        yield _ignoring(at.node, answer=True)


def drop_effect(block: Block) -> Iterator[Change]:
    for index, each in enumerate(block.statements):
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Await | ast.Call):
            yield index, index + 1, [ast.Pass()]  # a block must have a statement


def _is_effect(statement: ast.stmt) -> bool:
    kinds = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Try, ast.For, ast.AsyncFor, ast.If)
    return isinstance(statement, kinds) and awaits(statement)


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    made, used = stored_names([first]), stored_names([second])
    # Neither binds a name that the other one binds or reads: the order matters to the store alone.
    return not (made & (loaded_names([second]) | used) or used & loaded_names([first]))


def swap_effects(block: Block) -> Iterator[Change]:
    for index, (first, second) in enumerate(zip(block.statements, block.statements[1:], strict=False)):
        if _is_effect(first) and _is_effect(second) and _independent(first, second):
            yield index, index + 2, [second, first]


def delete_first(block: Block) -> Iterator[Change]:
    for index, each in enumerate(block.statements):
        # By the name of what is awaited, such as `drop_staging`: also a helper may delete.
        removes = any(word in callee(node) for node in ast.walk(each) if awaits(node) for word in REMOVALS)
        if not (removes and _is_effect(each)):
            continue
        start = index
        # As far up as names allow: past the write that makes the deletion safe.
        while start and _independent(block.statements[start - 1], each) and _moves_over(block.statements[start - 1]):
            start -= 1
        if any(_is_effect(passed) for passed in block.statements[start:index]):  # else no effect changes its place
            yield start, index + 1, [each, *block.statements[start:index]]


def _moves_over(statement: ast.stmt) -> bool:
    is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)  # it must stay first
    kinds = ast.Expr | ast.Assign | ast.AnnAssign | ast.Try | ast.For | ast.AsyncFor
    return isinstance(statement, kinds) and not is_docstring


def drop_assignments(block: Block, *, effects: bool) -> Iterator[Change]:
    known = set(block.known)  # names with a value before the block
    for index, each in enumerate(block.statements):
        made = stored_names([each])
        is_assignment = isinstance(each, ast.Assign | ast.AugAssign)
        if is_assignment and made and made <= known and awaits(each) is effects:
            yield index, index + 1, [ast.Pass()]
        # From here on, another assignment to this name may be left out.
        known |= made


def ignore_errors(block: Block, *, predicates: bool) -> Iterator[Change]:
    yield from _change_handlers(block, [ast.Pass()], predicates=predicates)


def let_escape(block: Block) -> Iterator[Change]:
    yield from _change_handlers(block, [ast.Raise()], predicates=None)  # raises again what was caught
    for index, each in enumerate(block.statements):
        if isinstance(each, ast.With) and [callee(item.context_expr) for item in each.items] == ["suppress"]:
            yield index, index + 1, each.body  # without `suppress`, its block is left


def _change_handlers(block: Block, body: list[ast.stmt], *, predicates: bool | None) -> Iterator[Change]:
    for index, each in enumerate(block.statements):
        for number, handler in enumerate(each.handlers if isinstance(each, ast.Try) else ()):
            caught = ast.unparse(handler.type) if handler.type else ""
            if predicates is None or predicates is any(name in caught for name in PREDICATES):
                assert isinstance(each, ast.Try)
                changed = ast.ExceptHandler(handler.type, handler.name, body)
                handlers = [*each.handlers[:number], changed, *each.handlers[number + 1 :]]
                # A new node, since `ast.Try` holds its handlers: `make` and `take_back` exchange whole statements.
                yield index, index + 1, [ast.Try(each.body, handlers, each.orelse, each.finalbody)]


def narrow_except(at: Expression) -> Iterator[ast.expr]:
    node = at.node
    if isinstance(at.parent, ast.ExceptHandler) and isinstance(node, ast.Tuple):
        for index in range(len(node.elts)):
            left = [*node.elts[:index], *node.elts[index + 1 :]]
            yield left[0] if len(left) == 1 else ast.Tuple(left, ast.Load())  # a tuple of one is written as that one


@attrs.frozen
class Operator:
    """One kind of mistake."""

    name: str
    meaning: str
    on_expression: Expressive | None = None
    on_block: Blockwise | None = None


OPERATORS: Final = (
    Operator("blind-write", "write or delete without the condition", blind_write),
    Operator("weak-predicate", "ask only that the key is there, not for the value that was read", weak_predicate),
    Operator(
        "ignore-failed-predicate",
        "go on after a failed predicate as if it were true",
        on_block=partial(ignore_errors, predicates=True),
    ),
    Operator("ignore-error", "go on after an error that was caught", None, partial(ignore_errors, predicates=False)),
    Operator("let-escape", "hand an error on instead of handling it", None, let_escape),
    Operator("narrow-except", "catch one class of errors less", narrow_except),
    Operator("definite", "report a definite error where the outcome is unknown", definite),
    Operator("delete-first", "delete before what was written first", None, delete_first),
    Operator("swap-effects", "exchange two effects that follow one another", None, swap_effects),
    Operator("drop-effect", "leave out an effect or an update whose answer is not used", None, drop_effect),
    Operator("stale-read", "use the first read again", None, partial(drop_assignments, effects=True)),
    Operator(
        "forget-state",
        "leave out an assignment to what has a value already",
        on_block=partial(drop_assignments, effects=False),
    ),
    Operator("forget-field", "leave a field of a record as it was", partial(leave_field, tokens=False)),
    Operator("keep-token", "leave the tokens of a branch as they were", partial(leave_field, tokens=True)),
    Operator("drop-check", "never take a branch, or filter nothing", drop_check),
    Operator("always", "take a branch whatever the test says", always),
    Operator("drop-term", "leave out a term of a condition", drop_term),
    Operator("one-branch", "take always the same side of a conditional expression", one_branch),
    Operator("flip-flag", "exchange true and false", flip_flag),
    Operator("boundary", "take or leave out the bound itself", boundary),
    Operator("off-by-one", "one more or one less in a slice, a range or the next key", off_by_one),
    Operator("wrong-order", "go through a sequence in the other order", wrong_order),
    Operator("skip-first", "lose the first row of a scan or listing", partial(lose_rows, stand_in="all_but_first")),
    Operator("only-first", "stop after the first row of a scan or listing", partial(lose_rows, stand_in="only_first")),
)

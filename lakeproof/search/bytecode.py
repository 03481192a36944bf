"""Which locals of a suspended function are live: read on some way on, before they are assigned anew.

The analysis is the classic one, backwards over the instructions until nothing changes. It errs on the side of *live*:
every instruction may go on to the next one and to its target, an instruction within a ``try`` also to its handler, and
an unknown instruction that names a local reads it.

Example: in the loop below, ``found`` is assigned before it is read, wherever the function goes on after its ``yield``.

>>> def poll():
...     tries = 0
...     while True:
...         found = yield
...         tries += bool(found)
>>> from dis import get_instructions
>>> wait = max(each.offset for each in get_instructions(poll) if each.opname == "YIELD_VALUE")
>>> sorted(live_locals(poll.__code__, wait))
['tries']

Source: A. Aho et al., Compilers: Principles, Techniques, and Tools, live-variable analysis.
"""

import dis
from functools import lru_cache
from types import CodeType
from typing import Final

_ENDS: Final = frozenset(
    {
        *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    }
)
"""What never goes on to the next instruction."""
_READS_ALL: Final = frozenset({"locals", "vars", "dir", "eval", "exec", "super", "_getframe", "currentframe", "stack"})
"""Names by which a function may read its own frame: all its locals are live."""
_ASSIGNS: Final = {"STORE_FAST": 1, "STORE_FAST_LOAD_FAST": 1, "STORE_FAST_STORE_FAST": 2}
"""How many of the locals that an instruction names, from the first on, it assigns; it reads the others."""
Instructions = list[dis.Instruction]  # type: ignore[explicit-any]  # as typeshed has it
_JUMPS: Final = frozenset({*dis.hasjrel, *dis.hasjabs})
_LOCALS: Final = frozenset(dis.haslocal)


def live_locals(code: CodeType, at: int) -> frozenset[str] | None:
    """The names that may still be read after the instruction at this offset, cells included. None: any may be."""
    return _live(code).get(at)


@lru_cache(4096)
def _live(code: CodeType) -> dict[int, frozenset[str]]:
    """By offset of an instruction: what is live where a coroutine waits in it."""
    if _READS_ALL & {*code.co_names}:
        return {}  # any may be live: what is not known here errs on that side
    instructions = list(dis.get_instructions(code))
    # An interpreter that has instructions on locals which `dis` does not list as such.
    if any("FAST" in each.opname and each.opcode not in _LOCALS for each in instructions):
        return {}
    always = frozenset({*code.co_cellvars, *code.co_freevars})  # an inner function may read them at any time
    following = _following(code, instructions)
    if not set().union(*following.values()) <= following.keys():  # a jump to where no instruction begins
        return {}
    # The least solution: from nothing but cells upwards, until it is stable.
    before: dict[int, frozenset[str]] = {each.offset: always for each in instructions}
    after = dict(before)
    changed = True
    while changed:
        changed = False
        for each in reversed(instructions):  # liveness flows backwards, so few rounds are needed
            out = always.union(*(before[target] for target in following[each.offset]))
            reads, assigns = _locals_of(each)
            # An exception can come before the local is assigned: what a handler reads stays live.
            handled = always.union(*(before[target] for target in _handlers(code, each.offset)))
            found = (out - assigns) | reads | handled
            if found != before[each.offset] or out != after[each.offset]:
                before[each.offset], after[each.offset], changed = found, out, True
    # What waits has executed a part of its instruction: both sides of it count.
    return {offset: before[offset] | after[offset] for offset in before}


def _locals_of(each: dis.Instruction) -> tuple[frozenset[str], frozenset[str]]:  # type: ignore[explicit-any]
    """The locals that an instruction reads before it assigns them, and those that it assigns."""
    if each.opcode not in _LOCALS:
        return frozenset(), frozenset()
    names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
    count = _ASSIGNS.get(each.opname, 0)
    assigns = frozenset(names[:count])
    return frozenset(names[count:]) - assigns, assigns  # STORE_FAST_LOAD_FAST x, x reads what it has stored


def _following(code: CodeType, instructions: Instructions) -> dict[int, set[int]]:  # type: ignore[explicit-any]
    """By offset: where an instruction may lead."""
    found: dict[int, set[int]] = {}
    for at, each in enumerate(instructions):
        targets = set(_handlers(code, each.offset))
        if each.opname not in _ENDS and at + 1 < len(instructions):
            targets.add(instructions[at + 1].offset)
        if each.opcode in _JUMPS:
            targets.add(int(each.argval))  # `dis` has made it an offset
        found[each.offset] = targets
    return found


@lru_cache(1 << 14)
def _handlers(code: CodeType, offset: int) -> tuple[int, ...]:
    return tuple(first for start, end, first in _regions(code) if start <= offset < end)


@lru_cache(4096)
def _regions(code: CodeType) -> tuple[tuple[int, int, int], ...]:
    """From, to (exclusive) and the handler of each ``try``."""
    entries = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]  # not in typeshed
    return tuple((each.start, each.end, each.target) for each in entries)

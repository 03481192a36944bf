"""The exact state of a suspended flow, as a key: two histories with equal keys have equal futures.

What a flow will do is decided by the chain of its coroutines (where each stands, its locals, its stack with the
iterators of its loops), by all that these refer to, by its `contextvars`, and by how many identifiers it has minted.
The garbage collector shows what a coroutine refers to; `frame.f_locals` says which of that are locals.

*Two runs side by side.* One history is run twice, and both runs are walked in step. What is one object in both existed
before the flow began (a module's constant, an argument): it counts by reference, since the flow may ask ``x is THAT``.
What is two objects was made by the flow: it counts by its content. Objects that can change are numbered at the first
visit, and a later visit gives the number: two names for one list are distinguished from two equal lists.

*Dead locals* are left out: what the bytecode assigns before it reads it again, on every way on. Only plain data is:
letting go of a generator can be noticed.

What shows nothing of itself (a file, a lock, a program's process) raises `Incomparable`: the history stays apart.
So does everything on an interpreter that lays its frames out in an unknown way.

Example: ``spin`` waits in its loop after one refusal, and after two. ``found`` differs between the two, but is
assigned before it is read. ``tries`` is read.

>>> from lakeproof import Call, kv
>>> from lakeproof.search.execution import Execution, Program
>>> async def spin(env):
...     while True:
...         found = await env.store.get(b"p", b"lock")
...         if found.value == b"free":
...             return found
>>> async def count(env, tries=0):
...     while (await env.store.get(b"p", b"lock")).value != b"free":
...         tries += 1
...     return tries
>>> def after(flow, *values):
...     one, other = (Execution(Program("a", (Call(flow),))) for _ in range(2))
...     for value in values:
...         one.send(kv.ValueWithPredicate(value, value)), other.send(kv.ValueWithPredicate(value, value))
...     return exact_state(one, other)
>>> after(spin, b"a") == after(spin, b"b", b"c"), after(count, b"a") == after(count, b"b", b"c")
(True, False)
"""

import ctypes
import dis
import gc
import itertools
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from types import AsyncGeneratorType, CellType, CodeType, CoroutineType, FrameType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Final

import attrs

from lakeproof.model.identity import NoIdentity, identity
from lakeproof.search.bytecode import live_locals
from lakeproof.search.contents import Incomparable, ObjectIdentity, is_data, is_value, parts_of
from lakeproof.search.fresh_names import Spelling
from lakeproof.search.program import Mint

if TYPE_CHECKING:
    from lakeproof.search.execution import Execution

_DEPTH_MAX: Final = 150
_SUSPENDED: Final = frozenset({CoroutineType, GeneratorType, AsyncGeneratorType})
_AWAITED: Final = ("async_generator_asend", "coroutine_wrapper", "anext_awaitable")
_PYTHON: Final = f"Python {sys.version_info.major}.{sys.version_info.minor}"
_NUMBER: Final = 3
"""The two lowest bits of a word on the stack that is a number, and no reference."""


def exact_state(one: "Execution", other: "Execution", spelling: Spelling | None = None) -> Hashable:
    """The key of the state that two runs of one history are in. ``one`` is not at its end. ``spelling``: how the other
    run spells identifiers.

    Raises:
        Incomparable: the state holds what cannot be compared.
    Cost: linear in what the flow refers to.
    """
    walk = _LockstepWalk(spelling)
    pairs = zip(one.memory(), other.memory(), strict=True)
    try:
        for mine, others in pairs:
            walk.visit(mine, others, 0)
    except (NoIdentity, RecursionError) as error:
        raise Incomparable(f"holds what is nested too deeply ({error})") from error
    return tuple(walk.tokens)


@attrs.frozen
class Local:
    """A local variable of a suspended flow: where the function waits, its name, and the key of what it holds."""

    code: CodeType
    line: int
    name: str
    key: Hashable


def locals_of(one: "Execution", other: "Execution") -> Iterator[Local]:
    """The live locals of each frame of a flow, outermost first: what tells two of its states apart."""
    for (frame, mine), (_, others) in zip(_frames(one), _frames(other), strict=False):
        for name in mine:
            if name in others:
                walk = _LockstepWalk()  # one for each local: its key must not depend on others
                try:
                    walk.visit(mine[name], others[name], 0)
                    key: Hashable = tuple(walk.tokens)
                except (Incomparable, NoIdentity, RecursionError) as error:
                    key = str(error)
                yield Local(frame.f_code, frame.f_lineno, name, key)


def _frames(run: "Execution") -> Iterator[tuple[FrameType, Mapping[str, object]]]:
    for coroutine in run.coroutines():
        at: object = coroutine
        while isinstance(at, CoroutineType | GeneratorType | AsyncGeneratorType):
            frame, waits = _frame_of(at)
            if frame is None:
                break
            live = live_locals(frame.f_code, frame.f_lasti)
            yield frame, {name: value for name, value in frame.f_locals.items() if live is None or name in live}
            at = waits
            # No attribute of these leads on to the generator that they drive; the collector shows it.
            while type(at).__name__ in _AWAITED:
                inner = [each for each in gc.get_referents(at) if type(each).__name__ in _AWAITED or _runs(each)]
                at = inner[0] if inner else None


def _runs(value: object) -> bool:
    return isinstance(value, CoroutineType | AsyncGeneratorType)


def _frame_of(at: object) -> tuple[FrameType | None, object]:
    """The frame of something suspended, and what it waits for."""
    match at:
        case CoroutineType():
            return at.cr_frame, at.cr_await
        case GeneratorType():
            return at.gi_frame, at.gi_yieldfrom
        case AsyncGeneratorType():
            return at.ag_frame, at.ag_await
    raise AssertionError(f"{type(at).__name__} has no frame")


class _LockstepWalk:
    """Walks two runs in step. ``tokens``: what was met, in an order from which all of it can be rebuilt."""

    def __init__(self, spelling: Spelling | None = None) -> None:
        self.tokens: list[Hashable] = []
        self._spelling = spelling
        self._numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})  # of each run: by address, the order of visits
        self._kept: list[object] = []  # what was made on the way: no other object gets its address

    def visit(self, one: object, other: object, depth: int) -> None:
        """Take in one object, and all that it refers to."""
        kind = type(one)
        if depth > _DEPTH_MAX:
            raise Incomparable("holds what is nested too deeply")
        if kind is not type(other):
            raise Incomparable("is another one in a second run of the same replies")
        if is_value(kind):
            self._value(one, other)
        elif isinstance(one, Mint):  # by what it gives next, not by what it has given
            self.tokens.append(one.token)
        # Tuples never count by reference: the empty one is one object for all, and constants of the code are shared.
        elif isinstance(one, Enum) or (one is other and kind is not tuple):
            self._shared(one, other)
        # Nor are they numbered: one tuple twice, and two equal ones, are the same to a flow that does not use `is`.
        elif kind is tuple or not self._numbered(one, other):
            if kind in _SUSPENDED:
                self._frame(one, other, depth + 1)
            else:
                self._parts(one, other, depth + 1)

    def _value(self, one: object, other: object) -> None:
        key = identity(one)
        # With another spelling, the same object in both runs is wrong if it holds an identifier.
        if one is not other or self._spelling is not None:
            self._same(key, identity(other))
        self.tokens.append(("value", key))

    def _same(self, key: Hashable, there: Hashable) -> None:
        if self._spelling is None and key != there:
            raise Incomparable("differs in a second run of the same replies")
        if self._spelling is not None and self._spelling.key(key) != there:
            raise Incomparable("depends on how a fresh identifier is spelled")

    def _shared(self, one: object, other: object) -> None:
        """What existed before the flow began."""
        if one is not other:
            raise Incomparable("is another one in a second run of the same replies")
        self.tokens.append(("shared", ObjectIdentity(one)))

    def _numbered(self, one: object, other: object) -> bool:
        """Whether this was visited before; gives its number then, and a new one else."""
        mine, others = self._numbers
        known = mine.get(id(one))
        # One run has met this object, and the other one has not, or as another one.
        if known != others.get(id(other)):
            raise Incomparable("is shared otherwise in a second run of the same replies")
        if known is not None:
            self.tokens.append(("again", known))
            return True
        mine[id(one)] = others[id(other)] = len(mine)
        return False

    def _parts(self, one: object, other: object, depth: int) -> None:
        (head, mine), (there, others) = parts_of(one), parts_of(other)
        self._all(head, mine, there, others, depth)

    def _all(
        self, head: Hashable, mine: Sequence[object], there: Hashable, others: Sequence[object], depth: int
    ) -> None:
        self._same(head, there)
        self._kept += (mine, others)
        self.tokens.append(head)
        for one, other in zip(mine, others, strict=True):
            self.visit(one, other, depth)

    def _frame(self, one: object, other: object, depth: int) -> None:
        """A coroutine or a generator."""
        mine, others = _Frame.of(one), _Frame.of(other)
        if mine.at != others.at or mine.names != others.names:
            raise Incomparable("stands elsewhere in a second run of the same replies")
        self.tokens.append((type(one), mine.at, mine.names))
        self._kept += (mine, others)
        for at, (here, there) in enumerate(zip(mine.stack, others.stack, strict=True)):
            try:
                self._visit_stack(mine, here, there, depth)
            except Incomparable as error:
                # The innermost local that is at fault is named: an error that begins with a backtick names one already.
                if mine.names[at : at + 1] and mine.code is not None and not str(error).startswith("`"):
                    raise Incomparable(f"`{mine.names[at]}` of {mine.code.co_name} {error}") from None
                raise

    def _visit_stack(self, mine: "_Frame", one: object, other: object, depth: int) -> None:
        if one is mine.waits and type(one).__name__ in _AWAITED:
            self._awaited(one, other, depth)
        else:
            self.visit(one, other, depth)

    def _awaited(self, one: object, other: object, depth: int) -> None:
        """An asynchronous generator's next value, which is awaited: it is under way, or we would not be here."""
        here, there = gc.get_referents(one), gc.get_referents(other)
        name = type(one).__name__
        self._same((name, len(here)), (type(other).__name__, len(there)))
        self.tokens.append((name, len(here)))
        self._kept += (here, there)
        for mine, others in zip(here, there, strict=True):
            if type(mine).__name__ in _AWAITED:
                self._awaited(mine, others, depth + 1)
            else:
                self.visit(mine, others, depth)


@attrs.frozen
class _Frame:
    """What decides how a suspended coroutine or generator goes on."""

    at: tuple[Hashable, ...]
    names: tuple[str, ...]
    """Of the locals among what it holds: those come first."""
    stack: tuple[object, ...]
    waits: object
    code: CodeType | None

    @classmethod
    def of(cls, suspended: object) -> "_Frame":
        referents = gc.get_referents(suspended)  # before `f_locals`, which makes a dictionary on some versions
        frame, waits = _frame_of(suspended)
        if frame is None:
            return cls(("ended",), (), (), None, None)
        code = frame.f_code
        slots, stack = _slots(referents, code, frame.f_locals)
        # A dead local is dropped only if it is data: when anything else is let go of, code may run.
        live = live_locals(code, frame.f_lasti)
        kept = {name: value for name, value in slots.items() if live is None or name in live or not is_data(value)}
        if waits is not None and len(stack) > 1 and stack[-1] is None and stack[-2] is waits:
            stack = stack[:-1]  # no exception is handled; where none ever was, the interpreter has nothing here
        # Names say which locals are unbound, and the length of the stack how much of it is.
        at = ObjectIdentity(code), frame.f_lasti, len(stack), *_counts(suspended, code)
        return cls(at, tuple(kept), (*kept.values(), *stack), waits, code)


def _slots(
    referents: Sequence[object], code: CodeType, bound: Mapping[str, object]
) -> tuple[dict[str, object], list[object]]:
    """The locals and the stack of a frame, from what the collector shows.

    Raises:
        Incomparable: this interpreter shows something else.
    """
    # The function and the code of the frame come right before its locals and its stack. Empty slots are not shown.
    start = next(
        (
            at + 2
            for at, (one, after) in enumerate(itertools.pairwise(referents))
            if isinstance(one, FunctionType) and one.__code__ is code and after is code
        ),
        None,
    )
    if start is None:
        raise Incomparable(f"runs on {_PYTHON}, which hides its frames")
    rest = list(referents[start:])
    slots: dict[str, object] = {}
    cells = {*code.co_cellvars, *code.co_freevars}
    for name in dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)):
        # An unbound local is an empty slot, which the collector leaves out. A cell is there even if it is empty.
        if name not in cells and name not in bound:
            continue
        if not rest or (type(rest[0]) is not CellType if name in cells else rest[0] is not bound[name]):
            raise Incomparable(f"has a frame that {_PYTHON} hides")
        slots[name] = rest.pop(0)  # what is left at the end is the stack
    return slots, rest


def _counts(suspended: object, code: CodeType) -> tuple[int, ...]:
    """How far its loops are that have no iterator.

    Raises:
        Incomparable: this interpreter does not show it.
    """
    if _has_iterators() or dis.opmap["GET_ITER"] not in code.co_code[::2]:
        return ()
    if not _reads_numbers():
        raise Incomparable(f"has a loop, and {_PYTHON} hides how far it is")
    return _read_numbers(suspended)


def _read_numbers(suspended: object) -> tuple[int, ...]:
    """The numbers on its stack. Python 3.15 goes through a list, a tuple or a text by such a number, which the
    collector does not show.

    Source: Include/internal/pycore_interpframe_structs.h and pycore_stackref.h of CPython 3.15."""
    word, size = ctypes.sizeof(ctypes.c_size_t), type(suspended).__basicsize__
    # The frame ends the object: where its stack ends, a word of flags, and then the locals and the stack.
    begin = id(suspended) + size
    count = (ctypes.c_size_t.from_address(begin - 2 * word).value - begin) // word
    if not 0 <= count * word <= suspended.__sizeof__() - size:  # another layout: nothing beyond the object is read
        return ()
    words = (ctypes.c_size_t * count).from_address(begin)
    return tuple(each >> 2 for each in words if each & 3 == _NUMBER)


def _loop_twice() -> Iterator[None]:
    for _ in (None,):
        for _ in (None, None):
            yield


@cache
def _has_iterators() -> bool:
    """Whether a loop over a tuple has an iterator, as before Python 3.15."""
    probe = _loop_twice()
    next(probe)
    return not any(type(each) is tuple for each in gc.get_referents(probe))


@cache
def _reads_numbers() -> bool:
    """Whether this interpreter lays its frames out as `_read_numbers` expects."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != 2 * ctypes.sizeof(ctypes.c_size_t):
        return False
    probe = _loop_twice()
    return [_read_numbers(probe) for _ in probe] == [(1, 1), (1, 2)]

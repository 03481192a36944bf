"""The exact state of a suspended flow, as a key: two histories with equal keys have equal futures.

What a flow will do is decided by the chain of its coroutines (where each stands, its locals, its stack with the
iterators of its loops), by all that these refer to, by its `contextvars`, and by how many identifiers it has minted.
The garbage collector shows what a coroutine refers to; `frame.f_locals` says which of that are locals.

*Two runs side by side.* One history is run twice, and both runs are walked in step. What is one object in both existed
before the flow began (a module's constant, an argument): it counts by reference, since the flow may ask ``x is THAT``.
What is two objects was made by the flow: it counts by its content. Objects that can change are numbered at the first
visit, and a later visit gives the number: two names for one list are told from two equal lists.

*Dead locals* are left out: what the bytecode assigns before it reads it again, on every way on. Only plain data is:
letting go of a generator can be noticed.

What is in neither (a file, a lock, a program's process) raises `Incomparable`, with its name: the history stays apart.
So does everything on an interpreter that lays its frames out in an unknown way.

Example: ``spin`` waits in its loop after one refusal, and after two. ``found`` differs between the two, but is
assigned before it is read. ``tries`` is read.

>>> from lakeproof import Call, kv
>>> from lakeproof.explore.execution import Execution, Program
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

import collections
import decimal
import gc
import itertools
import random
import re
import sys
import uuid
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextvars import Context
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import PosixPath, PurePosixPath
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, Final, cast

import attrs

from lakeproof.explore.bytecode import live_locals
from lakeproof.model.identity import NoIdentity, identity

if TYPE_CHECKING:
    from lakeproof.explore.execution import Execution

_DEPTH_MAX: Final = 150
_DATA_DEPTH_MAX: Final = 8

_ATOMS: Final = frozenset({int, str, bytes, bool, float, complex, type(None), type(Ellipsis), type(NotImplemented), range})
_VALUES: Final = frozenset(
    {date, datetime, time, timedelta, timezone, decimal.Decimal, Fraction, uuid.UUID, re.Pattern, PurePosixPath, PosixPath}
)
"""Types of the standard library whose values never change: compared as `identity` does."""
_BY_REDUCTION: Final = frozenset({random.Random, decimal.Context})
"""And those that change, of which pickle takes the whole state."""
_ITERATORS: Final = frozenset(
    type(made)
    for made in (
        *(iter([]), iter(()), iter(range(0)), iter(""), iter("é"), iter(b""), iter(bytearray())),
        *(reversed([]), reversed(()), enumerate(()), zip(), map(abs, ()), filter(None, ())),
    )
)
"""Their position, and what they run over, is in ``__reduce__``."""
_VIEWED: Final = frozenset(
    type(made)
    for made in (iter({}), iter({}.items()), iter({}.values()), reversed({}), reversed({}.items()), iter(set()))
)
"""Iterators over dicts and sets: what is left of them is in ``__reduce__``; what they run over, the collector shows."""
_CONTAINERS: Final = (list, dict, set, bytearray, collections.deque)
_BASES: Final = (*_CONTAINERS, tuple, frozenset, int, str, bytes, float, complex, BaseException)
_ASEND: Final = "async_generator_asend"
_WRAPPER: Final = "coroutine_wrapper"
_MODEL: Final = "lakeproof.model."
_PROGRAMS: Final = "lakeproof.foreign."
_POINTER: Final = 8
_UNSEEN: Final = frozenset({"__weakref__", "_attrs_cached_hash"})
"""Slots that are kept for speed."""


class Incomparable(Exception):
    """A state that cannot be compared with others: it holds what shows nothing of itself. The message names that."""


def exact_state(one: "Execution", other: "Execution") -> Hashable:
    """The key of the state that two runs of one history are in. ``one`` is not at its end.

    Raises:
        Incomparable: the state holds what cannot be compared.
    Cost: linear in what the flow refers to.
    """
    walk = _Walk()
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
                walk = _Walk()
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
            yield frame, {name: held for name, held in frame.f_locals.items() if live is None or name in live}
            at = waits
            if type(at).__name__ in (_ASEND, _WRAPPER):
                inner = [held for held in gc.get_referents(at) if isinstance(held, CoroutineType | AsyncGeneratorType)]
                at = inner[0] if inner else None


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


class _Walk:
    """Walks two runs in step. ``tokens``: what was met, in an order from which all of it can be rebuilt."""

    def __init__(self) -> None:
        self.tokens: list[Hashable] = []
        self._numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._kept: list[object] = []  # what was made on the way: no other object gets its address

    def visit(self, one: object, other: object, depth: int) -> None:
        """Take in one object, and all that it refers to."""
        kind = type(one)
        if depth > _DEPTH_MAX:
            raise Incomparable("holds what is nested too deeply")
        if kind is not type(other):
            raise Incomparable("is another one in a second run of the same replies")
        if kind in _ATOMS or kind in _VALUES or _is_record(kind):
            return self._value(one, other)
        if kind is tuple:
            return self._all("tuple", cast("tuple[object, ...]", one), cast("tuple[object, ...]", other), depth)
        if isinstance(one, Enum) or one is other:
            return self._shared(one, other)
        if self._numbered(one, other):
            return None
        visitor = _VISITORS.get(kind) or _visitor_of(kind)
        return visitor(self, one, other, depth + 1)

    def _value(self, one: object, other: object) -> None:
        key = identity(one)
        if one is not other and key != identity(other):
            raise Incomparable("differs in a second run of the same replies")
        self.tokens.append(("value", key))

    def _shared(self, one: object, other: object) -> None:
        """What existed before the flow began."""
        if one is not other:
            raise Incomparable("is another one in a second run of the same replies")
        self.tokens.append(("shared", _Reference(one)))

    def _numbered(self, one: object, other: object) -> bool:
        """Whether this was visited before; gives its number then, and a new one else."""
        mine, others = self._numbers
        known = mine.get(id(one))
        if known != others.get(id(other)):
            raise Incomparable("is shared otherwise in a second run of the same replies")
        if known is not None:
            self.tokens.append(("again", known))
            return True
        mine[id(one)] = others[id(other)] = len(mine)
        return False

    def _all(self, what: Hashable, one: Sequence[object], other: Sequence[object], depth: int) -> None:
        """A list of objects, with what it is a list of."""
        if len(one) != len(other):
            raise Incomparable("has another length in a second run of the same replies")
        self.tokens.append((what, len(one)))
        for mine, others in zip(one, other, strict=True):
            self.visit(mine, others, depth + 1)

    def parts(self, what: Hashable, one: Sequence[object], other: Sequence[object], depth: int) -> None:
        """The same for what was made to show an object: a list of its parts."""
        self._kept += (one, other)
        self._all(what, one, other, depth)

    def frame(self, one: object, other: object, depth: int) -> None:
        """A coroutine or a generator."""
        mine, others = _Frame.of(one), _Frame.of(other)
        if mine.at != others.at or mine.names != others.names:
            raise Incomparable("stands elsewhere in a second run of the same replies")
        self.tokens.append((type(one), mine.at, mine.names))
        self._kept += (mine, others)
        for at, (here, there) in enumerate(zip(mine.held, others.held, strict=True)):
            try:
                self._held(mine, here, there, depth)
            except Incomparable as error:
                if mine.names[at : at + 1] and mine.code is not None and not str(error).startswith("`"):
                    raise Incomparable(f"`{mine.names[at]}` of {mine.code.co_name} {error}") from None
                raise

    def _held(self, mine: "_Frame", one: object, other: object, depth: int) -> None:
        if one is mine.waits and type(one).__name__ in (_ASEND, _WRAPPER):
            # An asynchronous generator's next value, which is awaited: it is under way, or we would not be here.
            self.parts(type(one).__name__, gc.get_referents(one), gc.get_referents(other), depth)
        else:
            self.visit(one, other, depth)


@attrs.frozen
class _Reference:
    """Equal to what refers to the same object; keeps it alive."""

    held: object = attrs.field(eq=False)
    _id: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_id", id(self.held))

    def __hash__(self) -> int:
        return self._id


@attrs.frozen
class _Frame:
    """What decides how a suspended coroutine or generator goes on."""

    at: tuple[Hashable, ...]
    names: tuple[str, ...]
    """Of the locals among what it holds: those come first."""
    held: tuple[object, ...]
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
        live = live_locals(code, frame.f_lasti)
        kept = {name: held for name, held in slots.items() if live is None or name in live or not _is_data(held, 0)}
        if waits is not None and stack[-1:] == [None] and len(stack) > 1 and stack[-2] is waits:
            stack = stack[:-1]  # no exception is handled; where none ever was, the interpreter has nothing here
        # Names say which locals are unbound, and the length of the stack how much of it is.
        return cls((_Reference(code), frame.f_lasti, len(stack)), tuple(kept), (*kept.values(), *stack), waits, code)


def _slots(
    referents: Sequence[object], code: CodeType, bound: Mapping[str, object]
) -> tuple[dict[str, object], list[object]]:
    """The locals and the stack of a frame, from what the collector shows.

    Raises:
        Incomparable: this interpreter shows something else.
    """
    start = next(
        (
            at + 2
            for at, (one, after) in enumerate(itertools.pairwise(referents))
            if isinstance(one, FunctionType) and one.__code__ is code and after is code
        ),
        None,
    )
    if start is None:
        raise Incomparable(f"runs on Python {sys.version_info.major}.{sys.version_info.minor}, which hides its frames")
    rest = list(referents[start:])
    slots: dict[str, object] = {}
    cells = {*code.co_cellvars, *code.co_freevars}
    for name in dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars)):
        if name not in cells and name not in bound:
            continue
        if not rest or (type(rest[0]) is not CellType if name in cells else rest[0] is not bound[name]):
            raise Incomparable(f"has a frame that Python {sys.version_info.major}.{sys.version_info.minor} hides")
        slots[name] = rest.pop(0)
    return slots, rest


def _is_data(held: object, depth: int) -> bool:
    """Whether nothing notices that this is let go of."""
    kind = type(held)
    if kind in _ATOMS or kind in _VALUES or isinstance(held, Enum):
        return True
    known = kind in _BASES or (_is_python(kind) and not hasattr(kind, "__del__"))
    if depth > _DATA_DEPTH_MAX or not known:
        return False
    return all(_is_data(part, depth + 1) for part in gc.get_referents(held) if part is not kind)


@lru_cache(4096)
def _is_record(kind: type) -> bool:
    """Whether this is a class of frozen values of the stores and of lakeFS: replies, effects, records."""
    return _named_in(kind, _MODEL) and attrs.has(kind) and kind.__setattr__ is not object.__setattr__


def _named_in(kind: type, package: str) -> bool:
    return str(kind.__module__).startswith(package)


_Visitor = Callable[[_Walk, Any, Any, int], None]  # type: ignore[explicit-any]  # each for objects of its type


def _reduced(walk: _Walk, one: object, other: object, depth: int) -> None:
    walk.parts((type(one), "by parts"), *(_parts_of(each) for each in (one, other)), depth)


def _parts_of(value: object) -> tuple[object, ...]:
    found = value.__reduce__()
    if not isinstance(found, tuple):
        raise Incomparable(f"holds a {type(value).__name__}, which shows nothing of itself")
    return found


def _viewed(walk: _Walk, one: object, other: object, depth: int) -> None:
    """An iterator over a dict or a set: what it runs over, and what is left of it."""
    over = tuple([held for held in gc.get_referents(each) if isinstance(held, dict | set)] for each in (one, other))
    try:
        left = tuple(_parts_of(each)[1] for each in (one, other))
    except RuntimeError as error:
        raise Incomparable("holds an iterator over what has changed meanwhile") from error
    walk.parts((type(one), "over"), *over, depth)
    walk.parts("left", *left, depth)


def _function(walk: _Walk, one: FunctionType, other: FunctionType, depth: int) -> None:
    shown = [
        [f.__code__, f.__globals__, *(f.__closure__ or ()), *(f.__defaults__ or ()), f.__kwdefaults__, f.__dict__]
        for f in (one, other)
    ]
    walk.parts(("function", len(one.__closure__ or ()), len(one.__defaults__ or ())), *shown, depth)


def _cell(walk: _Walk, one: CellType, other: CellType, depth: int) -> None:
    walk.parts("cell", _content(one), _content(other), depth)


def _content(cell: CellType) -> list[object]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _context(walk: _Walk, one: Context, other: Context, depth: int) -> None:
    walk.parts("context", [p for item in one.items() for p in item], [p for item in other.items() for p in item], depth)


def _frozenset(walk: _Walk, one: frozenset[object], other: frozenset[object], depth: int) -> None:
    if not all(map(_is_atom, one)):
        raise Incomparable("holds a frozenset of what is compared by its content")
    walk.tokens.append(("frozenset", identity(one)))


def _is_atom(value: object) -> bool:
    return type(value) in _ATOMS or (type(value) is tuple and all(map(_is_atom, cast("tuple[object, ...]", value))))


def _instance(walk: _Walk, one: object, other: object, depth: int) -> None:
    """An object of a class that is written in Python: the content of its built-in base, its slots, its dictionary."""
    walk.tokens.append(("object", _Reference(type(one))))
    for base in _BASES:
        if isinstance(one, base):
            content = _CONTENTS[base]
            walk.parts(base, content(one), content(other), depth)
    for owner in type(one).__mro__:
        for name, slot in sorted(vars(owner).items()):
            if isinstance(slot, MemberDescriptorType) and name not in _UNSEEN:
                walk.parts(name, *([*_slot(slot, each)] for each in (one, other)), depth)
    if getattr(type(one), "__dictoffset__", 0):
        dicts = [object.__getattribute__(each, "__dict__") for each in (one, other)]
        walk.parts("attributes", *([*_attributes(held)] for held in dicts), depth)


def _attributes(held: Mapping[str, object]) -> Iterator[object]:
    return (part for item in held.items() if item[0] not in _UNSEEN for part in item)


def _slot(slot: MemberDescriptorType, value: object) -> Iterator[object]:
    try:
        yield slot.__get__(value)
    except AttributeError:
        return


def _raised(error: BaseException) -> list[object]:
    return [error.args, error.__cause__, error.__context__, error.__suppress_context__]


_CONTENTS: Final[Mapping[type, Callable[[Any], list[object]]]] = {  # type: ignore[explicit-any]  # each of its type
    list: lambda value: [*list.__iter__(value)],
    dict: lambda value: [part for item in dict.items(value) for part in item],
    # The order of a set depends on its past, within the bounds of its size.
    set: lambda value: [set.__sizeof__(value), *set.__iter__(value)],
    bytearray: lambda value: [bytes(value)],
    collections.deque: lambda value: [value.maxlen, *collections.deque.__iter__(value)],
    tuple: lambda value: [*tuple.__iter__(value)],
    frozenset: lambda value: [frozenset(frozenset.__iter__(value))],
    int: lambda value: [int.__int__(value)],
    str: lambda value: [str.__str__(value)],
    bytes: lambda value: [bytes.__getitem__(value, slice(None))],
    float: lambda value: [float.__float__(value)],
    complex: lambda value: [complex(value.real, value.imag)],
    BaseException: _raised,
}


def _container(walk: _Walk, one: object, other: object, depth: int) -> None:
    content = _CONTENTS[type(one)]
    walk.parts(type(one), content(one), content(other), depth)


def _method(walk: _Walk, one: MethodType, other: MethodType, depth: int) -> None:
    walk.parts("method", [one.__func__, one.__self__], [other.__func__, other.__self__], depth)


def _built_in(walk: _Walk, one: BuiltinFunctionType, other: BuiltinFunctionType, depth: int) -> None:
    walk.parts("method", [one.__name__, one.__self__], [other.__name__, other.__self__], depth)


def _partial(walk: _Walk, one: "partial[object]", other: "partial[object]", depth: int) -> None:
    shown = [[each.func, each.args, each.keywords, each.__dict__] for each in (one, other)]
    walk.parts("partial", *shown, depth)


def _proxy(walk: _Walk, one: object, other: object, depth: int) -> None:
    walk.parts("proxy", gc.get_referents(one), gc.get_referents(other), depth)


def _opaque(walk: _Walk, one: object, other: object, depth: int) -> None:
    raise Incomparable(f"holds a {type(one).__qualname__}, which shows nothing of itself")


def _program(walk: _Walk, one: object, other: object, depth: int) -> None:
    raise Incomparable("waits for a program of another language, which says nothing of its state")


_VISITORS: Final[Mapping[type, _Visitor]] = {
    **{kind: _container for kind in _CONTAINERS},
    **{kind: _Walk.frame for kind in (CoroutineType, GeneratorType, AsyncGeneratorType)},
    **{kind: _reduced for kind in (*_ITERATORS, *_BY_REDUCTION)},
    **{kind: _viewed for kind in _VIEWED},
    frozenset: _frozenset,
    FunctionType: _function,
    CellType: _cell,
    Context: _context,
    MethodType: _method,
    BuiltinFunctionType: _built_in,
    partial: _partial,
    MappingProxyType: _proxy,
    **{kind: _opaque for kind in (object, type, ModuleType, CodeType)},
}


@lru_cache(4096)
def _visitor_of(kind: type) -> _Visitor:
    """How to visit an object of a class."""
    if _named_in(kind, _PROGRAMS):
        return _program
    return _instance if _is_python(kind) else _opaque


def _is_python(kind: type) -> bool:
    """Whether the objects of a class hold nothing but what Python shows: each class of theirs adds slots and a
    dictionary to the size of its base, and no more."""
    for owner in kind.__mro__:
        if owner is object or owner in _BASES:
            continue
        base = owner.__base__
        assert base is not None
        own = vars(owner)
        slots = sum(isinstance(member, MemberDescriptorType) for member in own.values())
        room = slots + ("__dict__" in own) + ("__weakref__" in own)
        if owner.__basicsize__ - base.__basicsize__ > room * _POINTER:
            return False
        if issubclass(owner, type):
            return False
    return True

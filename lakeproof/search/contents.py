"""What objects consist of, for the comparison of suspended flows: see `lakeproof.search.suspended`.

Each object shows a *head* and *parts*: the head is a key, the parts are the objects that it refers to, in a fixed
order. Two objects with equal heads and equal parts behave alike. The identity of values (`lakeproof.model.identity`)
asks for less: it forgets the order of sets and of attributes, which a flow can see, and refuses what refers to itself.

Example: a list shows its length, and its elements. An iterator over a list shows its position, and the list.

>>> numbers = [7, 8]
>>> over = iter(numbers)
>>> next(over)
7
>>> parts_of(numbers), parts_of(over)[1][1:]
(((<class 'list'>, 2), [7, 8]), [([7, 8],), 1])
"""

import collections
import decimal
import gc
import itertools
import random
import re
import uuid
from collections.abc import Callable, Hashable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextvars import Context
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import PosixPath, PurePosixPath
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, cast

import attrs

from lakeproof.impl.effects import Sleep
from lakeproof.search.hash_tables import Layout, has_gaps, layout_of

Shown = tuple[Hashable, list[object]]
"""The head, and the parts."""

# Types are looked up exactly, so bool has its own entry, and a class that is derived from int is no atom.
_ATOMS: Final = frozenset({*(int, str, bytes, bool, float, complex, range), *map(type, (None, ..., NotImplemented))})
_CONSTANTS: Final = frozenset(
    {
        *(date, datetime, time, timedelta, timezone, decimal.Decimal, Fraction, uuid.UUID, re.Pattern),
        *(PurePosixPath, PosixPath, Sleep),  # a Sleep is of `impl`: `_is_record` does not cover it
    }
)
"""Types of the standard library whose values never change, and an effect: compared as `identity` does."""
_BY_REDUCTION: Final = (random.Random, decimal.Context)
"""And those that change, of which pickle takes the whole state."""
_EMPTY: Final[dict[int, int]] = {}
_ITERATORS: Final = (
    # CPython has a type for each kind of iterator, two for texts (ASCII and others), and exports none of them by name.
    *map(type, (iter([0]), iter((0,)), iter(range(0)), iter(""), iter("é"), iter(b""), iter(bytearray()))),
    # iter(int, 1) is the iterator over a call: it runs until the call returns the second argument.
    *(type(reversed([0])), type(iter(int, 1)), reversed, enumerate, zip, map, filter),
)
"""Their position, and what they run over, is in ``__reduce__``."""
_VIEWED: Final = (
    *map(type, (iter(_EMPTY), iter(_EMPTY.items()), iter(_EMPTY.values()), iter({0}))),
    *map(type, (reversed(_EMPTY), reversed(_EMPTY.items()), reversed(_EMPTY.values()))),
)
"""Iterators over dicts and sets: what is left of them is in ``__reduce__``; what they run over, the collector shows."""
_CONTAINERS: Final = (list, dict, set, bytearray, collections.deque)
_BASES: Final = (*_CONTAINERS, tuple, frozenset, int, str, bytes, float, complex, BaseException)
# A hash that was cached, or a weak reference that was made, changes nothing that the flow can see.
_UNSEEN: Final = frozenset({"__weakref__", "_attrs_cached_hash"})
"""Slots that are kept for speed."""
_MODEL: Final = "lakeproof.model."
_PROGRAMS: Final = "lakeproof.languages."
# Of a 64-bit CPython: each slot, the dictionary and the list of weak references take one pointer in the object.
_POINTER_BYTES: Final = 8
_DATA_DEPTH_MAX: Final = 8


class Incomparable(Exception):
    """A state that cannot be compared with others: it holds what shows nothing of itself. The message names that."""


@attrs.frozen
class ObjectIdentity:
    """Equal to what refers to the same object; keeps it alive, so that no other one gets its address."""

    value: object = attrs.field(eq=False)
    # The address is unique only while ``value`` is kept: CPython reuses it when the object is freed.
    _id: int = attrs.field(init=False, default=attrs.Factory(lambda self: id(self.value), takes_self=True))

    def __hash__(self) -> int:
        return self._id


def is_value(kind: type) -> bool:
    """Whether objects of this type never change, and are compared as `identity` does."""
    return kind in _ATOMS or kind in _CONSTANTS or _is_record(kind)


@lru_cache(4096)
def _is_record(kind: type) -> bool:
    """Whether this is a class of frozen values of the stores and of lakeFS: replies, effects, records."""
    # A frozen class of attrs has a ``__setattr__`` of its own, which refuses. One that can be changed is no value.
    return _named_in(kind, _MODEL) and attrs.has(kind) and kind.__setattr__ is not object.__setattr__


def _named_in(kind: type, package: str) -> bool:
    return str(kind.__module__).startswith(package)


def is_data(value: object, depth: int = 0) -> bool:
    """Whether nothing notices that this is let go of."""
    kind: type = type(value)
    if kind in _ATOMS or kind in _CONSTANTS or isinstance(value, Enum):
        return True
    # A ``__del__`` would run when the value is let go of: that is noticed.
    known = kind in _BASES or (_is_python(kind) and not hasattr(kind, "__del__"))
    if depth > _DATA_DEPTH_MAX or not known:
        return False
    # The collector shows the class of an instance among its referents, too.
    return all(is_data(part, depth + 1) for part in gc.get_referents(value) if part is not kind)


def parts_of(value: object) -> Shown:
    """What an object consists of; coroutines and generators are not among these.

    Raises:
        Incomparable: it does not show that.
    """
    kind: type = type(value)
    return (_SHOWN.get(kind) or _shown_by(kind))(value)


@lru_cache(4096)
def _shown_by(kind: type) -> Callable[[Any], Shown]:  # type: ignore[explicit-any]  # for objects of this type
    if _named_in(kind, _PROGRAMS):
        return _program
    return _instance if _is_python(kind) else _opaque


@lru_cache(4096)
def _is_python(kind: type) -> bool:
    """Whether the objects of a class hold nothing but what Python shows: each class of theirs adds slots and a
    dictionary to the size of its base, and no more."""
    for owner in kind.__mro__:
        # What these hold is known, and is shown by `_CONTENT`.
        if owner is object or owner in _BASES:
            continue
        base, own = owner.__base__, vars(owner)
        assert base is not None
        slots = sum(isinstance(member, MemberDescriptorType) for member in own.values())
        room = slots + ("__dict__" in own) + ("__weakref__" in own)
        # More room than slots and dictionary need means fields of C, such as the descriptor in a file, which nothing
        # shows.
        if issubclass(owner, type) or owner.__basicsize__ - base.__basicsize__ > room * _POINTER_BYTES:
            return False
    return True


def _instance(value: object) -> Shown:
    """The content of its built-in base, its slots, its dictionary."""
    kind = type(value)
    head: list[Hashable] = [ObjectIdentity(kind)]
    parts: list[object] = []

    def add(what: Hashable, more: list[object]) -> None:
        head.extend((what, len(more)))
        parts.extend(more)

    # Not the class's own methods: its ``__iter__`` may hide elements, and would run code of the flow.
    for base in _BASES:
        if isinstance(value, base):
            add(base, _CONTENT[base](value))
    for owner in kind.__mro__:
        for name, slot in sorted(vars(owner).items()):
            if isinstance(slot, MemberDescriptorType) and name not in _UNSEEN:
                add(name, [*_slot(slot, value)])  # an empty slot adds a part less, which the head counts
    if getattr(kind, "__dictoffset__", 0):
        # In the order of the dictionary: ``vars(x)`` shows it to the flow.
        attributes = cast("Mapping[str, object]", object.__getattribute__(value, "__dict__"))
        add("attributes", [part for item in attributes.items() if item[0] not in _UNSEEN for part in item])
    return tuple(head), parts


def _slot(slot: MemberDescriptorType, value: object) -> Iterator[object]:
    try:
        yield slot.__get__(value)
    except AttributeError:
        return


_CONTENT: Final[Mapping[type, Callable[[Any], list[object]]]] = {  # type: ignore[explicit-any]  # each of its type
    list: lambda value: [*list.__iter__(value)],
    dict: lambda value: [part for item in dict.items(value) for part in item],
    # Two equal sets may be iterated in different orders, and `set.pop` may start at different slots.
    set: lambda value: [_layout(value), *set.__iter__(value)],
    bytearray: lambda value: [bytes(bytearray.__getitem__(value, slice(None)))],
    collections.deque: lambda value: [value.maxlen, *collections.deque.__iter__(value)],
    tuple: lambda value: [*tuple.__iter__(value)],
    frozenset: lambda value: [_layout(value), *frozenset.__iter__(value)],
    int: lambda value: [int.__int__(value)],
    str: lambda value: [str.__str__(value)],
    bytes: lambda value: [bytes.__getitem__(value, slice(None))],
    float: lambda value: [float.__float__(value)],
    complex: lambda value: [complex(*vars(complex)["__getnewargs__"](value))],
    BaseException: lambda value: [
        vars(BaseException)[name].__get__(value)
        for name in ("args", "__cause__", "__context__", "__suppress_context__")
    ],
}
"""Of built-in types, and of classes that are derived from them, past anything that the class overrides."""


def _list_parts(what: Hashable, parts: list[object]) -> Shown:
    return (what, len(parts)), parts


def _container(value: object) -> Shown:
    kind: type = type(value)
    return _list_parts(kind, _CONTENT[kind](value))


def _layout(value: AbstractSet[object]) -> Layout:
    found = layout_of(value)
    if found is None:
        raise Incomparable("holds a set, whose order this interpreter does not show")
    return found


def _function(value: FunctionType) -> Shown:
    closure, defaults = value.__closure__ or (), value.__defaults__ or ()
    head = ("function", ObjectIdentity(value.__code__), ObjectIdentity(value.__globals__), len(closure), len(defaults))
    names = (value.__name__, value.__qualname__, value.__doc__)  # a flow may give it others
    return head, [*closure, *defaults, value.__kwdefaults__, value.__dict__, *names]


def _cell(value: CellType) -> Shown:
    try:
        return _list_parts("cell", [value.cell_contents])
    except ValueError:
        return _list_parts("cell", [])  # a variable that is not assigned yet


def _reduce_value(value: object) -> Shown:
    found = value.__reduce__()
    # A string stands for a global object of that name: pickle's way to say that nothing is inside.
    if not isinstance(found, tuple):
        return _opaque(value)
    kind: type = type(value)
    return _list_parts(kind, list(found))


def _view_parts(value: object) -> Shown:
    # ``__reduce__`` of these iterators copies what is left, and does not say what it is left of. Both matter: a flow
    # may change the dictionary during the iteration.
    over = [part for part in gc.get_referents(value) if isinstance(part, dict | set)]
    # The iterator counts places of the table, gaps included, and ``__reduce__`` shows no places.
    if any(map(has_gaps, over)):
        raise Incomparable("holds an iterator over what something was removed from")
    try:
        head, left = _reduce_value(value)
    except RuntimeError as error:
        raise Incomparable("holds an iterator over what has changed meanwhile") from error
    return (head, len(over)), [*over, *left]


def _repeat(value: "itertools.repeat[object]") -> Shown:
    try:
        left: int | None = value.__length_hint__()
    # CPython raises it where a repeat has no end.
    except TypeError:
        left = None  # for ever
    return _list_parts(itertools.repeat, [left, *gc.get_referents(value)])


def _count(value: object) -> Shown:
    raise Incomparable("holds an itertools.count, which is another one in every round")


def _opaque(value: object) -> Shown:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise Incomparable(f"holds a {name}, which shows nothing of itself")


@attrs.frozen
class DeclaredState:
    """The state of a program of another language, as it says. It is not proved."""

    state: Hashable


def _program(value: object) -> Shown:
    # Python does not see into that program: what it says of its state is all there is.
    key = getattr(value, "state_key", None)
    if key is None:
        # It begins as a name does: the local of our own that holds the program is no news to a user.
        raise Incomparable("`state` is missing in the effects of a program of another language")
    return DeclaredState(key), []


_SHOWN: Final[Mapping[type, Callable[[Any], Shown]]] = {  # type: ignore[explicit-any]  # each for objects of its type
    **dict.fromkeys(_CONTAINERS, _container),
    **dict.fromkeys((*_ITERATORS, *_BY_REDUCTION), _reduce_value),
    **dict.fromkeys(_VIEWED, _view_parts),
    # `suspended` compares these by reference where both runs share them; one that a run made for itself is opaque.
    **dict.fromkeys((object, type, ModuleType, CodeType), _opaque),
    itertools.repeat: _repeat,
    itertools.count: _count,
    tuple: _container,
    frozenset: _container,
    FunctionType: _function,
    CellType: _cell,
    Context: lambda value: _list_parts("context", [part for item in value.items() for part in item]),
    MethodType: lambda value: _list_parts("method", [value.__func__, value.__self__]),
    BuiltinFunctionType: lambda value: _list_parts("method", [value.__name__, value.__self__]),
    partial: lambda value: _list_parts("partial", [value.func, value.args, value.keywords, value.__dict__]),
    # A proxy does not give away its mapping; the collector does.
    MappingProxyType: lambda value: _list_parts("proxy", gc.get_referents(value)),
}

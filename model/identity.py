"""Which values are one value: `identity` compares by type and bits, where ``==`` compares by what a class says.

Python takes ``True``, ``1`` and ``1.0`` for equal, and ``0.0`` and ``-0.0``, and whatever an ``__eq__`` likes; a class
may leave fields out of its comparison. A search that used such values as keys would merge states with different
futures. So values are keys by their identity, everywhere:

    >>> identity(1) == identity(True), 1 == True
    (False, True)
    >>> identity((0.0, "a")) == identity((-0.0, "a"))
    False
    >>> identity((1, b"x")) == identity((1, b"x"))
    True

The identity of a value is made of its type and of what the value consists of: the content of a built-in base, its
slots, its ``__dict__``; of an exception also its cause and its context. What consists of nothing that Python shows
(functions, classes, locks) is equal to itself only.
"""

import copyreg
import struct
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from enum import Enum, Flag, auto
from functools import cached_property, lru_cache, partial
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MemberDescriptorType, MethodType, ModuleType
from typing import Final, cast

import attrs

DEPTH_MAX: Final = 200
"""How deep a value may be nested: deeper ones, and those that hold themselves, are refused."""

_PLAIN: Final = frozenset({int, str, bytes, type(None), type(Ellipsis), type(NotImplemented)})
"""Types whose values ``==`` tells apart among themselves: their identity is the value. All others carry their type."""

_BY_REFERENCE: Final = (FunctionType, BuiltinFunctionType, ModuleType, type)


class NoIdentity(TypeError):
    """A value that cannot be distinguished from others: it is nested too deeply, or holds itself."""


@attrs.frozen(eq=False)
class _Same:
    """Equal to what refers to the same object; keeps it alive, so that no other one gets its address."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        # Never ``hash(self.value)``: what is compared by reference may be unhashable, or hash by content.
        return id(self.value)


@attrs.frozen(eq=False)
class Exact:
    """A value that is equal to what is of its type and bits, and to nothing else: for sets and keys of dictionaries."""

    value: Hashable
    _key: Hashable = attrs.field(init=False, repr=False)
    _hash: int = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        key = identity(self.value)
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_hash", hash(key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[Hashable]]:
        return type(self), (self.value,)  # another process has other hashes


def identity(value: object, depth: int = 0) -> Hashable:
    """A key that two values share if, and only if, they have the same type and bits, all the way down.

    Raises:
        NoIdentity: the value is nested more than DEPTH_MAX deep, or holds itself.
    Cost: linear in the size of the value; nothing for plain strings, bytes, integers and None.
    """
    kind: type = type(value)
    if kind in _PLAIN:
        return value
    if depth > DEPTH_MAX:
        raise NoIdentity(f"a {kind.__name__} is nested more than {DEPTH_MAX} deep, or holds itself; use flat values")
    # Exact types only: a subclass may have attributes beside the content of its base.
    known = _BUILT_IN.get(kind)
    if known is not None:
        return (kind, known(value, depth + 1))
    if isinstance(value, Flag):
        # By value: a combination of flags that is none of the members may have no name.
        return (kind, identity(value._value_, depth + 1))
    if isinstance(value, Enum) and type(value)._member_map_.get(value._name_) is value:
        # By name: the value of a member may be anything. What `_missing_` makes is no member.
        return (kind, value._name_)
    if isinstance(value, _BY_REFERENCE):
        return _Same(value)
    # Bound methods are made anew at each access, and partials compare by reference: both are what they consist of.
    if kind in (object, MethodType, partial):
        return (kind, *_odd(value, depth + 1))
    getters = _slots_alone(kind)
    if getters:
        # The common case, attrs classes with slots: no generators on the way.
        content = [_attribute_or_empty(get, value) for get in getters]
        return (kind, *[part if type(part) in _PLAIN else identity(part, depth + 1) for part in content])
    return (kind, *(identity(part, depth + 1) for part in _parts(value, kind)))


def _odd(value: object, depth: int) -> Iterator[Hashable]:
    if isinstance(value, MethodType):
        yield _Same(value.__func__)
        yield identity(value.__self__, depth)
    elif isinstance(value, partial):
        yield identity((value.func, value.args, value.keywords, vars(value)), depth)
    else:
        yield _Same(value)


def _parts(value: object, kind: type) -> Iterator[object]:
    """What a value of a class consists of, in a fixed order."""
    fields, bases, has_dict, reduction = _anatomy(kind)
    # Neither is in ``__dict__``. The traceback is left out: it differs where the error does not.
    if isinstance(value, BaseException) and not (value.__cause__ is value.__context__ is None):
        yield (value.__cause__, value.__context__)
    shown = reduction is _Reduction.ALL
    if not shown:
        for base in bases:
            shown = True
            yield (base, _BUILT_IN_CONTENT[base](value))
        for name, get in fields:
            shown = True
            yield (name, _attribute_or_empty(get, value))
    if has_dict:
        shown = True
        content = cast("Mapping[str, object]", object.__getattribute__(value, "__dict__"))
        yield tuple((name, content[name]) for name in sorted(content) if not _is_cache(kind, name))
    if reduction is not _Reduction.NONE or not shown:
        yield from _reduce_value(value, shown=has_dict)


def _attribute_or_empty(get: Callable[[object], object], value: object) -> object:
    try:
        return get(value)
    except AttributeError:
        # A slot that was never set is not one that holds None.
        return _EMPTY


_EMPTY: Final = _Same(object())
"""What a slot that holds nothing holds."""

_CACHES: Final = frozenset({"_attrs_cached_hash", "__weakref__", "__dict__"})
"""What a value keeps for speed: not part of it."""

_POINTER: Final = struct.calcsize("P")
"""Bytes of a slot, a dictionary, a list of weak references."""


def _is_cache(kind: type, name: str) -> bool:
    return name in _CACHES or isinstance(getattr(kind, name, None), cached_property)


_BUILT_IN_CONTENT: Final[Mapping[type, Callable[[object], object]]] = {
    int: lambda value: int.__int__(cast("int", value)),
    float: lambda value: struct.pack(">d", cast("float", value)),
    complex: lambda value: struct.pack(">dd", *vars(complex)["__getnewargs__"](value)),
    str: lambda value: str.__str__(cast("str", value)),
    bytes: lambda value: bytes.__getitem__(cast("bytes", value), slice(None)),
    bytearray: lambda value: bytes(bytearray.__getitem__(cast("bytearray", value), slice(None))),
    tuple: lambda value: tuple(tuple.__iter__(cast("tuple[object, ...]", value))),
    list: lambda value: tuple(list.__iter__(cast("list[object]", value))),
    frozenset: lambda value: frozenset(frozenset.__iter__(cast("frozenset[object]", value))),
    set: lambda value: frozenset(set.__iter__(cast("set[object]", value))),
    dict: lambda value: tuple(dict.items(cast("dict[object, object]", value))),
    BaseException: vars(BaseException)["args"].__get__,
}
"""The content of the built-in types that classes are derived from, past anything that the class overrides."""


class _Reduction(Enum):
    """What of a value is what pickle would take."""

    NONE = auto()
    BESIDES = auto()  # beside its slots and its dictionary
    ALL = auto()  # and its dictionary: pickle may not know what was added


@lru_cache(4096)
def _anatomy(
    kind: type,
) -> tuple[tuple[tuple[str, Callable[[object], object]], ...], tuple[type, ...], bool, _Reduction]:
    """The slots of a class with their getters, its built-in bases, whether its values have a ``__dict__``, and whether
    pickle knows better: classes of the standard library fill slots of theirs when they are first used (paths do), and
    types written in C have fields that nothing else shows."""
    fields = []
    for owner in kind.__mro__:
        slots = owner.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else tuple(slots):
            # A private name is mangled in the class's own dictionary, but not in ``__slots__``.
            name = f"_{owner.__name__.lstrip('_')}{slot}" if slot.startswith("__") and not slot.endswith("__") else slot
            descriptor = owner.__dict__.get(name)
            if name not in _CACHES and descriptor is not None and hasattr(type(descriptor), "__get__"):
                fields.append((name, _getter(descriptor)))
    bases = tuple(base for base in _BUILT_IN_CONTENT if issubclass(kind, base))
    # Both the class and its ``__reduce__`` must be of the standard library: of others it is unknown what pickle takes.
    reducer = next(owner for owner in kind.__mro__ if "__reduce__" in owner.__dict__)
    modules = {owner.__module__.partition(".")[0] for owner in (kind, reducer)}
    standard = modules <= sys.stdlib_module_names - {"builtins"}
    reduction = _Reduction.ALL if standard else _Reduction.BESIDES if _has_hidden_fields(kind) else _Reduction.NONE
    slots_of_it = tuple(sorted(fields, key=lambda field: field[0]))
    return slots_of_it, bases, bool(getattr(kind, "__dictoffset__", 0)), reduction


def _has_hidden_fields(kind: type) -> bool:
    """Whether values have fields of a type written in C: more room than slots, dictionary and weak references need."""
    while kind is not object and kind not in _BUILT_IN_CONTENT:
        names = kind.__dict__.get("__slots__", _CACHES & kind.__dict__.keys())
        seen = 1 if isinstance(names, str) else len(tuple(names))
        base = kind.__base__
        assert base is not None  # only `object` has none
        if kind.__basicsize__ - base.__basicsize__ > seen * _POINTER:
            return True
        kind = base
    return False


@lru_cache(4096)
def _slots_alone(kind: type) -> tuple[Callable[[object], object], ...]:
    """The getters of a class whose values consist of their slots, in a fixed order; none for any other."""
    fields, bases, has_dict, reduction = _anatomy(kind)
    return () if bases or has_dict or reduction is not _Reduction.NONE else tuple(get for _, get in fields)


def _getter(descriptor: object) -> Callable[[object], object]:
    """How to read a slot without asking the class, which may have a ``__getattribute__`` of its own."""
    if isinstance(descriptor, MemberDescriptorType):
        return descriptor.__get__
    get = type(descriptor).__get__  # type: ignore[attr-defined]  # slots are descriptors

    def read(value: object) -> object:
        return cast("object", get(descriptor, value, type(value)))

    return read


def _reduce_value(value: object, *, shown: bool = False) -> Iterator[object]:
    """Of types written in C, such as dates and decimals: what pickle would take. Others equal themselves only.
    shown: whether the dictionary of the value is known already, without its caches."""
    try:
        parts = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  # a type refuses in whatever way it likes
        parts = None
    # ``copyreg.__newobj__`` with the class alone: pickle knows nothing of the value but its type.
    plain_object = isinstance(parts, tuple) and parts[0] is getattr(copyreg, "__newobj__", None) and parts[2] is None
    if parts is None or isinstance(parts, str) or (plain_object and len(parts[1]) == 1):
        yield _Same(value)
        return
    # Callable, arguments and state; then the items of lists and dictionaries, which come as iterators.
    yield from parts[:2]
    state = parts[2] if len(parts) > 2 else None
    yield None if shown and isinstance(state, dict) and state.keys() == vars(value).keys() else state
    for items in parts[3:5]:
        yield None if items is None else tuple(items)


def _sequence(value: object, depth: int) -> Hashable:
    parts = cast("tuple[object, ...]", value)
    return tuple([part if type(part) in _PLAIN else identity(part, depth) for part in parts])


def _set(value: object, depth: int) -> Hashable:
    return frozenset([identity(part, depth) for part in cast("frozenset[object]", value)])


def _mapping(value: object, depth: int) -> Hashable:
    # In its order, which ``==`` forgets and every iteration shows.
    items = cast("Mapping[object, object]", value).items()
    return tuple([(identity(key, depth), identity(content, depth)) for key, content in items])


_BUILT_IN: Final[Mapping[type, Callable[[object, int], Hashable]]] = {
    bool: lambda value, _: cast("bool", value),
    float: lambda value, _: struct.pack(">d", cast("float", value)),
    complex: lambda value, _: struct.pack(">dd", cast("complex", value).real, cast("complex", value).imag),
    bytearray: lambda value, _: bytes(cast("bytearray", value)),
    tuple: _sequence,
    list: _sequence,
    frozenset: _set,
    set: _set,
    dict: _mapping,
    MappingProxyType: _mapping,
    _Same: lambda value, _: cast("_Same", value),
    Exact: lambda value, _: cast("Exact", value),
}

"""What a value is: its type and its bits, all the way down.

Two values are the same here if no program can tell them apart. ``==`` is never asked: ``True == 1 == 1.0``,
``0.0 == -0.0``, ``nan != nan``, and a class may define an ``__eq__`` of its own or leave fields out of it.
"""

import dataclasses
import struct
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from functools import partial

import attrs


def typed(value: object) -> Hashable:
    """A key for the value: nested tuples whose leaves are strings and bytes only.

    Example: ``typed((True, 0.0))`` is ``("builtins.tuple", ("builtins.bool", "True"), ("builtins.float", 8 bytes))``.

    Raises:
        TypeError: this kind of value has no bits that are known here.
    """
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, Enum):
        return (name, value.name)
    if isinstance(value, float):
        return (name, struct.pack(">d", value))
    if value is None or isinstance(value, bool | int | str | bytes):
        return (name, repr(value))
    if isinstance(value, tuple | list):
        return (name, *map(typed, value))
    if isinstance(value, frozenset | set):
        return (name, frozenset(map(typed, value)))
    if isinstance(value, Mapping):
        return (name, frozenset((typed(key), typed(held)) for key, held in value.items()))
    if isinstance(value, BaseException):
        return (name, typed(value.args))
    if isinstance(value, partial):
        return (name, typed(value.func), typed(value.args), typed(value.keywords))
    if isinstance(value, Callable) and hasattr(value, "__qualname__"):  # type: ignore[arg-type]
        return (name, value.__module__, value.__qualname__)
    return (name, *(typed(getattr(value, field)) for field in _fields(value)))


def _fields(value: object) -> list[str]:
    """All fields, those included that comparison leaves out."""
    kind = type(value)
    if attrs.has(kind):
        return [field.name for field in attrs.fields(kind)]
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    if hasattr(value, "__dict__"):
        return sorted(vars(value))
    raise TypeError(f"{value!r}: expected plain data, an enum, or a class with fields; give typed() a case for it")

"""Values that `==` gets wrong, each in a way of its own."""

import functools
from collections.abc import Sequence
from typing import Final, NamedTuple

import attrs


@attrs.frozen(eq=False)
class Distinct:
    """No two of these are equal."""

    size: object


class Odd:
    """Equals nothing, itself included, and lies about its attributes."""

    __slots__ = ("size",)

    def __init__(self, size: object) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1

    def __getattribute__(self, name: str) -> object:
        return 7 if name == "size" else object.__getattribute__(self, name)


class Name(str):
    """Text that compares without case."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self) -> int:
        return hash(self.lower())


class Lazy:
    """Keeps what it has computed."""

    def __init__(self, size: int) -> None:
        self.size = size

    @functools.cached_property
    def double(self) -> int:
        return 2 * self.size


@attrs.frozen(cache_hash=True)
class Cached:
    size: int


class Base:
    __slots__ = ("__held",)

    def __init__(self, held: object) -> None:
        self.__held = held


class Derived(Base):
    """Has a private slot of the same name as its base."""

    __slots__ = ("__held",)

    def __init__(self, held: object, other: object) -> None:
        super().__init__(held)
        self.__held = other


class Pair(NamedTuple):
    one: object
    other: object


class Refusal(Exception):
    pass


class Mute(Exception):
    args = ()


class Closed(bytearray):
    def __bytes__(self) -> bytes:
        return b""


class Imaginary(complex):
    real = 0.0


HIDING: Final[Sequence[tuple[object, object]]] = [
    (Mute(1), Mute(2)),
    (Closed(b"1"), Closed(b"2")),
    (Imaginary(1), Imaginary(2)),
]
"""Pairs of values whose classes override what would tell them apart."""

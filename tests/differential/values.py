"""Values that are told apart by type and bits only: equal ones of different types, and classes with an ``__eq__`` of
their own."""

import dataclasses
from collections.abc import Hashable
from enum import Enum, IntEnum
from typing import Final

import attrs


@attrs.frozen
class Tagged:
    """Two of these are equal whatever their notes."""

    kind: str
    note: Hashable = attrs.field(eq=False)


@dataclasses.dataclass(frozen=True)
class Versioned:
    """Two of these are equal whatever their versions."""

    kind: str
    version: object = dataclasses.field(compare=False)


@attrs.frozen(eq=False)
class Alike:
    """Equal to everything, and hashed as 1."""

    note: Hashable

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Number(IntEnum):
    ZERO = 0
    ONE = 1


NAN: Final = float("nan")

PLAIN: Final[tuple[Hashable, ...]] = (None, 1, 2, b"x", "y", (1, b"x"), (2, ("y",)), Colour.RED, Colour.BLUE)
"""No two of these are equal."""

FAMILIES: Final[tuple[tuple[Hashable, ...], ...]] = (
    (True, 1, 1.0, Number.ONE),
    (False, 0, 0.0, -0.0, Number.ZERO),
    ((True, b"x"), (1, b"x"), (1.0, b"x")),
    ((0, (False, "x")), (0, (0, "x")), (0, (-0.0, "x"))),
    (Tagged("t", 1), Tagged("t", True), Tagged("t", "other")),
    (Versioned("v", 1), Versioned("v", 2), Versioned("v", 2.0)),
    (Alike(1), Alike(True), Alike(b"x"), 1, "y"),
    (b"x", "x", (b"x",), ("x",)),
    (None, "None", False, ()),
    (NAN, (NAN,), 0.0),
    (frozenset({1}), frozenset({True}), frozenset({1.0})),
    ((Tagged("t", 0), True), (Tagged("t", -0.0), 1)),
    (Colour.RED, "red", Colour.BLUE),
    ("dead", b"dead", "DEAD", None),
)
"""Values of a family are easily taken for each other: most are equal, some look alike."""

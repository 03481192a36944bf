"""What holds of every front."""

from collections.abc import Callable
from typing import TypeVar

from lakeproof.gate.fronts.footprints import dependent

State = TypeVar("State")
Asked = TypeVar("Asked")


def exchanged(
    do: Callable[[State, Asked], tuple[State, *tuple[object, ...]]], state: State, one: Asked, other: Asked
) -> str:
    """What is wrong if two requests of independent footprints are exchanged; empty: nothing, or they are dependent."""
    middle, *first = do(state, one)
    end, *second = do(middle, other)
    if dependent(first[-1], second[-1]):  # type: ignore[arg-type]  # the last one is the footprint
        return ""
    middle, *second_first = do(state, other)
    swapped, *first_second = do(middle, one)
    if first != first_second:
        return f"{one} is answered {first[:-1]}, and {first_second[:-1]} after {other}"
    if second != second_first:
        return f"{other} is answered {second[:-1]} after {one}, and else {second_first[:-1]}"
    return "" if end == swapped else f"{one} and {other} leave different states"

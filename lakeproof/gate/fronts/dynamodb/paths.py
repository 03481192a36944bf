"""Paths in items: what is there, and items with something else there. Items are never changed in place."""

from collections.abc import Mapping, Sequence

from lakeproof.gate.fronts.dynamodb.values import Item, ListValue, Mapped, Value

Steps = tuple[str | int, ...]
"""Names of attributes and of entries of maps, and indices of lists. The first is a name."""


class NoSuchPlace(Exception):
    """A path leads through something that is not there, or is no map or list."""


def find_value(item: Item, steps: Steps) -> Value | None:
    """What is at a path; None: nothing."""
    here: Value | None = Mapped(item)
    for step in steps:
        match here, step:
            case Mapped(entries), str():
                here = entries.get(step)
            case ListValue(items), int() if step < len(items):  # the grammar has no negative index
                here = items[step]
            case _:
                return None
    return here


def place_value(item: Item, steps: Steps, value: Value | None) -> Mapping[str, Value]:
    """An item with a value at a path; None: with nothing there. An index behind the end of a list appends, and a list
    from which something goes closes up.

    Raises:
        NoSuchPlace: what should hold the value is not there.
    """
    placed = _place(Mapped(item), steps, value)
    assert isinstance(placed, Mapped)
    return placed.entries


def _place(here: Value | None, steps: Steps, value: Value | None) -> Value | None:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    match here, step:
        # Only the last step may be new, as an update makes no maps on the way: for None, `_place` raises.
        case Mapped(entries), str():
            named = {**entries, step: _place(entries.get(step), rest, value)}
            return Mapped({name: each for name, each in named.items() if each is not None})
        case ListValue(items), int():
            inner = _place(items[step] if step < len(items) else None, rest, value)
            placed = (*items[:step], inner, *items[step + 1 :])  # behind the end: without a gap
            return ListValue(tuple(each for each in placed if each is not None))
        case _:
            raise NoSuchPlace


def project_paths(item: Item, wanted: Sequence[Steps]) -> Item:
    """Only what is at these paths, in their order. Elements of lists keep theirs, and close up."""
    found = _part(Mapped(item), wanted)
    return found.entries if isinstance(found, Mapped) else {}


def _part(here: Value, wanted: Sequence[Steps]) -> Value | None:
    if any(not steps for steps in wanted):  # a path ends here
        return here
    by_step: Mapping[str | int, list[Steps]] = {
        step: [each[1:] for each in wanted if each[0] == step] for step in dict.fromkeys(each[0] for each in wanted)
    }
    if isinstance(here, Mapped):
        names = [step for step in by_step if isinstance(step, str) and step in here.entries]
        inside = ((name, _part(here.entries[name], by_step[name])) for name in names)
        entries = {name: part for name, part in inside if part is not None}
        return Mapped(entries) if entries else None  # no empty map for what has none of the names
    if isinstance(here, ListValue):
        indices = sorted(step for step in by_step if isinstance(step, int) and step < len(here.items))
        parts = [_part(here.items[index], by_step[index]) for index in indices]
        items = tuple([part for part in parts if part is not None])
        return ListValue(items) if items else None
    return None


def render_path(steps: Steps) -> str:
    """A path in errors."""
    return "[" + ", ".join(f"[{step}]" if isinstance(step, int) else step for step in steps) + "]"


def overlap(one: Steps, other: Steps) -> bool:
    """Whether one path begins with the other, or one needs a map where the other needs a list."""
    # The first steps that differ; equal ones (0, 0) if one path begins with the other. A name and an index at one place
    # contradict each other: they take one value for a map and for a list.
    here, there = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (0, 0))
    return here == there or isinstance(here, int) is not isinstance(there, int)

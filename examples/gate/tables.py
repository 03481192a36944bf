"""What must hold of a table whatever its format: it can be read, and some order of the calls explains its rows.

`delta.py` and `lance_table.py` share it. It has no scenarios of its own.
"""

from collections.abc import Iterator
from itertools import permutations

from lakeproof.gate import GateCall, Outcome

FIRST = (0, 100)
"""The rows of each table at first."""


def effect(found: tuple[int, ...], each: GateCall) -> tuple[int, ...]:
    """The rows after a call that had the table for itself."""
    row = each.args[0] if each.args else None
    if each.name == "append":
        assert isinstance(row, int)
        return tuple(sorted((*found, row)))
    if each.name == "overwrite":
        assert isinstance(row, int)
        return (row,)
    return tuple(other for other in found if other != row) if each.name == "delete" else found


def possible(outcome: Outcome) -> Iterator[tuple[int, ...]]:
    """The rows after each order of the calls. One that was not acknowledged may have taken place, or not."""
    ended = [pair for calls in outcome.results.values() for pair in calls]
    for order in permutations(ended):
        states = {FIRST}
        for each, returned in order:
            states = {effect(found, each) for found in states} | (set() if returned.ok else states)
        yield from states


def readable_and_explained(outcome: Outcome) -> str | None:
    """The table can be read, and its rows are those of some order of the calls that were acknowledged."""
    read = outcome.after[0]
    if not read.ok:
        return f"the table cannot be read: {' '.join(read.message.partition(', /')[0].split())}"
    assert isinstance(read.value, list)
    if tuple(read.value) in set(possible(outcome)):
        return None
    told = [f"{each} {'ok' if got.ok else got.error}" for calls in outcome.results.values() for each, got in calls]
    return f"the rows are {read.value}, which no order of {', '.join(told)} explains"

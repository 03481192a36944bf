"""Mutants that are no faults, each with the reason: they do what the design does, as far as anyone can observe.

The tables are in `lakeproof.mutation.equivalents`, a module for each room of flows. A row is found by function,
operator and text, not by line; it covers every place of the function with that text. A row that matches no mutant is an
error of `tests/mutation`, and one whose mutant is killed is reported as *stale*.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from lakeproof.mutation.equivalents import EQUIVALENT, Equivalent
from lakeproof.mutation.mutants import Mutant

_BY_KEY: Final[Mapping[tuple[str, str, str, str], str]] = {each.key: each.reason for each in EQUIVALENT}


def reason_for(mutant: Mutant) -> str:
    """Why a mutant is equivalent; empty if that is not known."""
    return _BY_KEY.get((f"{mutant.file}:{mutant.function}", mutant.operator, mutant.before, mutant.after), "")


def unmatched(mutants: Sequence[Mutant]) -> Iterator[Equivalent]:
    """The rows of the table that match none of these mutants."""
    known = {(f"{each.file}:{each.function}", each.operator, each.before, each.after) for each in mutants}
    yield from (each for each in EQUIVALENT if each.key not in known)

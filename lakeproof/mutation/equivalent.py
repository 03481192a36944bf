"""Mutants that are no faults, each with the reason: they do what the design does, as far as anyone can observe.

A row is found by function, operator and text, not by line; it covers every place of the function with that text. A row
that matches no mutant is an error of `tests/mutation`, and one whose mutant is killed is reported as *stale*.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.mutation.mutants import Mutant


@attrs.frozen
class Equivalent:
    """Mutants of one function that are equivalent to it."""

    function: str
    """``FILE:QUALIFIED_NAME``."""
    operator: str
    before: str
    after: str
    reason: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.function, self.operator, self.before, self.after


EQUIVALENT: Final[Sequence[Equivalent]] = (
    Equivalent(
        "impl/repositories/step1.py:create_repository",
        "swap-effects",
        "if await read_entry(env, repository_id) is not None: ...; "
        "repository = new_repository(env, repository_id, await env.c...",
        "repository = new_repository(env, repository_id, await env.clock.now()); "
        "if await read_entry(env, repository_id) is no...",
        "the clock and the fresh identifier depend on no other client, and nothing is written before the read",
    ),
)

_BY_KEY: Final[Mapping[tuple[str, str, str, str], str]] = {each.key: each.reason for each in EQUIVALENT}


def reason_for(mutant: Mutant) -> str:
    """Why a mutant is equivalent; empty if that is not known."""
    return _BY_KEY.get((f"{mutant.file}:{mutant.function}", mutant.operator, mutant.before, mutant.after), "")


def unmatched(mutants: Sequence[Mutant]) -> Iterator[Equivalent]:
    """The rows of the table that match none of these mutants."""
    known = {(f"{each.file}:{each.function}", each.operator, each.before, each.after) for each in mutants}
    yield from (each for each in EQUIVALENT if each.key not in known)

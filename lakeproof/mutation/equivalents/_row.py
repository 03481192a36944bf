"""A row of the tables of equivalent mutants, and the way to write several with one reason."""

from collections.abc import Iterator
from typing import NamedTuple

import attrs


class Change(NamedTuple):
    """What an operator does to a function."""

    operator: str
    before: str
    after: str
    """Both texts as `lakeproof mutants` prints them, shortened where it shortens them."""


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


def of(function: str, reason: str, *changes: Change) -> Iterator[Equivalent]:
    """Mutants of one function, with one reason for all."""
    yield from (Equivalent(function, *each, reason) for each in changes)

"""Equivalent mutants of the flows of one repository with everything on."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/world/history.py:commit",
        "the handler is the end of the loop's body: what follows it is the next try in either case",
        Change("ignore-error", "except _Overwritten: continue", "pass"),
    ),
    *of(
        "impl/world/sentences.py:take_over",
        "of several refs that name a swept commit, the error names one",
        Change("wrong-order", "refs.branches", "reversed(tuple(refs.branches))"),
        Change("wrong-order", "refs.tags", "reversed(tuple(refs.tags))"),
        Change("wrong-order", "named", "reversed(tuple(named))"),
    ),
)

"""The tables of equivalent mutants: a module for each room of flows."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents import (
    graveler,
    hard_delete,
    migration,
    refs,
    repositories,
    retention,
    upstream,
    world,
)
from lakeproof.mutation.equivalents._row import Equivalent

EQUIVALENT: Final[Sequence[Equivalent]] = (
    *repositories.ROWS,
    *refs.ROWS,
    *graveler.ROWS,
    *hard_delete.ROWS,
    *retention.ROWS,
    *migration.ROWS,
    *upstream.ROWS,
    *world.ROWS,
)

__all__ = ["EQUIVALENT", "Equivalent"]

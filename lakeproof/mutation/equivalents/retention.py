"""Equivalent mutants of the flows of retention and its pins."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Equivalent

ROWS: Final[Sequence[Equivalent]] = ()

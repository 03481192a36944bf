"""Equivalent mutants of the flows of the migration."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Equivalent

ROWS: Final[Sequence[Equivalent]] = ()

"""All scenarios that `make verify` runs: the catalogue, and lakeFS as it is today."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from lakeproof.designs import catalogue, modules
from lakeproof.scenario import Scenario
from lakeproof.verify.loader import import_beside, load_file

TODAY: Final = Path(__file__).parents[1] / "examples" / "lakefs_today" / "catalogue.py"

import_beside(TODAY)


@cache
def everything() -> tuple[Scenario, ...]:
    """Each scenario once, the deep ones too."""
    return (*catalogue(), *load_file(TODAY))


def parts() -> Iterator[ModuleType]:
    """The modules that have rows."""
    from lakefs_today.catalogue import PARTS

    yield from (*modules(), *PARTS)

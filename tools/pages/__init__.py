"""What commands print, and the site shows: none of it is kept in docs/.

A page of docs/ has a line ``<!-- made: NAME -->``, and names the command that prints the same. `make site` puts the
text in its place; `python -m tools.pages NAME` prints it.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from tools.pages import gallery, lifecycle, reference

LINE: Final = re.compile(r"^<!-- made: (\S+) -->$", re.MULTILINE)


@cache
def _gallery() -> tuple[str, Mapping[str, str]]:
    return gallery.made()


MADE: Final[Mapping[str, Callable[[], str]]] = {
    "commands": reference.commands,
    "gallery": lambda: _gallery()[0],
    "hard-delete": lambda: reference.verdicts("hard-delete", "retention"),
    "invariants": reference.invariants,
    "lifecycle": lifecycle.tables,
    "promises": reference.promises,
    "repositories": lambda: reference.verdicts("repositories"),
}


def filled(page: str) -> str:
    """A page of docs/ with everything in its place."""
    return LINE.sub(lambda found: MADE[found[1]](), page)


def bugs() -> Mapping[str, str]:
    """The pages of the gallery, by name."""
    return _gallery()[1]

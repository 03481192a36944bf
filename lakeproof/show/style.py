"""What all reports have in common: colours, widths, numbers in words."""

import os
import sys
from typing import Final, TextIO

from rich.console import Console

_CLIENT_STYLES: Final = ("cyan", "magenta", "green", "blue", "yellow", "red")

WIDTH_OF_FILES: Final = 140
"""How wide tables are where there is no terminal to ask."""


def client_style(client: int) -> str:
    """The colour of a client: the same in every report."""
    return f"bold {_CLIENT_STYLES[client % len(_CLIENT_STYLES)]}"


def console(file: TextIO | None = None) -> Console:
    """A console that leaves text alone: no markup, no guesses at what is a number or a path."""
    file = sys.stdout if file is None else file
    # Rich takes 80 columns where it finds no terminal, too few for a table in a log; and prints nothing in 0.
    known = os.environ.get("COLUMNS", "" if file.isatty() else "0") != "0"
    width = None if known else WIDTH_OF_FILES
    return _Console(file=file, width=width, markup=False, highlight=False, emoji=False)


class _Console(Console):
    """Rich would end the process with 1 when its output is closed; that is the caller's decision."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def is_ascii(console: Console) -> bool:
    """Whether the console can only show ASCII."""
    # Other encodings may have some of the marks and not others.
    return not console.encoding.lower().startswith("utf")

"""Recorded histories: the formats that others write, read as a stream into columns.

A file that is damaged anywhere is refused: `Unreadable` names the line, what is there, and what was expected. Nothing
is guessed, but for the format, which its first lines tell apart.
"""

from lakeproof.histories.errors import Unreadable
from lakeproof.histories.reader import DEFAULTS, FORMATS, TooLarge, detect, open_history, read

__all__ = ["DEFAULTS", "FORMATS", "TooLarge", "Unreadable", "detect", "open_history", "read"]

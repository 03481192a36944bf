"""The log lines of Jepsen's console: ``INFO  jepsen.util - PROCESS :TYPE :F VALUE``, parted by tabs or blanks.

The first three fields hold no blanks. All that follows them is the value, blanks included: ``[1 2]``, ``"a  b"``.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lakeproof.history.edn import plain_value
from lakeproof.history.errors import Unreadable, shown
from lakeproof.history.events import Recorder

_LINE: Final = re.compile(
    r"INFO[ \t]+jepsen\.util[ \t]+-[ \t]+(\S+)[ \t]+:(invoke|ok|fail|info)[ \t]+:([a-z][a-z_-]*)[ \t]+(.*)"
)
_PROCESS: Final = re.compile(r"[0-9]{1,18}")


def read(lines: Iterable[tuple[int, str]], recorder: Recorder) -> Iterator[None]:
    """Append all events; yields after each. The nemesis is no client, and left out."""
    for number, line in lines:
        text = line.strip(" \t\r\n")
        if not text:
            continue
        if not line.endswith("\n"):
            raise Unreadable(f"{shown(text)} without a line end; expected one, or the value may be cut off", number)
        match = _LINE.fullmatch(text)
        if match is None:
            raise Unreadable(
                f"{shown(text)}; expected INFO  jepsen.util - PROCESS, type, f and value, parted by tabs or blanks",
                number,
            )
        process, type_, f, text = match.groups()
        if process == ":nemesis":
            continue
        if not _PROCESS.fullmatch(process):
            raise Unreadable(f"process {shown(process)}; expected a number, or :nemesis", number)
        value = plain_value(text.strip(), number)
        recorder.add(int(process), type_, f, None, None if type_ == "info" else value, None, number)
        yield

"""The text forms of Jepsen's histories, an event a line: ``PROCESS :TYPE :F VALUE``, and perhaps an error.

``history.txt`` has such lines alone. In a log, the time, level, thread and logger stand before them:

    INFO  jepsen.util - 0	:invoke	:write	17
    2026-02-26 23:39:01,300{GMT}	INFO	[jepsen worker 0] jepsen.util: 0	:ok	:write	17

The fields are parted by tabs, and Jepsen writes no tab into a value. In a copy, blanks may part them: then all that
follows the third field is the value, blanks included: ``[1 2]``, ``"a  b"``.
Source: jepsen/src/jepsen/print.clj (op->str), store.clj (start-logging!).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lakeproof.histories import edn
from lakeproof.histories.errors import Unreadable, shorten_value
from lakeproof.histories.events import HistoryWriter

CONSOLE: Final = re.compile(r"INFO[ \t]+jepsen\.util[ \t]+-[ \t]+")
"""What begins each line of a console's log, as Porcupine has it: events alone."""
LOG: Final = re.compile(r"(?:\d{4}-\d\d-\d\d\S*[ \t].*?)?(?:INFO|WARN|ERROR|DEBUG)[ \t]+(?:\[|jepsen\.)")
"""How a line of any log begins."""
# The fourth group tells a tab from blanks, see `_add`.
EVENT: Final = re.compile(r"(\S+)[ \t]+:(invoke|ok|fail|info)[ \t]+:(\S+)([ \t]+)(.*)")
_LOGGER: Final = re.compile(r".*?\bjepsen\.(?:util|print)(?:[ \t]+-|:)?[ \t]+")
_LIKE_AN_EVENT: Final = re.compile(r"(?:\d+|:\S+)[ \t]|.*[ \t]:[a-z]")
_PROCESS: Final = re.compile(r"[0-9]{1,18}")


def read_console(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """Append all events; yields after each. The nemesis is no client, and left out."""
    for number, text in _whole(lines):
        begin = CONSOLE.match(text)
        _add(text[begin.end() :] if begin else "", number, text, recorder, console=True)
        yield


def read(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """The same of ``history.txt`` and of ``jepsen.log``, where what other loggers say is left out, too."""
    bare = False
    for place, (number, text) in enumerate(_whole(lines)):
        # The first line decides: a damaged line of history.txt must not pass for that of another logger.
        bare = bare if place else bool(EVENT.fullmatch(text))
        begin = None if bare else _LOGGER.match(text)
        if bare or (begin and _LIKE_AN_EVENT.match(text, begin.end())):
            _add(text[begin.end() :] if begin else text, number, text, recorder, console=False)
            yield


def _whole(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        text = line.strip(" \t\r\n")
        if text and not line.endswith("\n"):
            raise Unreadable(
                f"{shorten_value(text)} without a line end; expected one, or the value may be cut off", number
            )
        if text:
            yield number, text


def _add(event: str, number: int, line: str, recorder: HistoryWriter, *, console: bool) -> None:
    match = EVENT.fullmatch(event)
    if match is None:
        begin, other = ("INFO  jepsen.util - ", "--format jepsen-text") if console else ("", "history.edn")
        raise Unreadable(
            f"{shorten_value(line)}; expected {begin}PROCESS, type, f and value, parted by tabs or "
            f"blanks; if there are other "
            f"lines, give {other}",
            number,
        )
    process, type_, f, apart, text = match.groups()
    if process == ":nemesis":
        return
    if not _PROCESS.fullmatch(process):
        raise Unreadable(f"process {shorten_value(process)}; expected a number, or :nemesis", number)
    # With tabs, the next field is the error. In a console's log, there is none.
    if not console and "\t" in apart:
        text = text.partition("\t")[0]
    # Elsewhere these outcomes have remarks in the place of a value, which may be no EDN.
    value = edn.value(text.strip(" \t"), number) if console or type_ in ("invoke", "ok") else None
    recorder.add(int(process), type_, f, None, None if type_ == "info" else value, None, number)

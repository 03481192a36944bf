"""Opening a file, telling its format, and reading it whole."""

import gzip
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, cast

from lakeproof.histories import edn, jepsen_log, json_lines
from lakeproof.histories.errors import Unreadable, shorten_value
from lakeproof.histories.events import HistoryWriter
from lakeproof.model.linearizability.history import BrokenHistory, History, Settings
from lakeproof.words import reason

LINE_MAX: Final = 1 << 24
"""Bytes of one line."""

FORMATS: Final[Mapping[str, Callable[[Iterable[tuple[int, str]], HistoryWriter], Iterator[None]]]] = {
    "jsonl": json_lines.read,
    "json": json_lines.read_array,
    "edn": edn.read,
    "jepsen-log": jepsen_log.read_console,
    "jepsen-text": jepsen_log.read,
}

DEFAULTS: Final[Mapping[str, Settings]] = {
    "jsonl": Settings(),
    "json": Settings(),
    "edn": Settings(nil="unrecorded"),
    "jepsen-log": Settings(fail="predicate-false"),
    "jepsen-text": Settings(nil="unrecorded"),
}
"""What the recorders of a format mean, unless an option differs: see docs/histories.md."""

_BEGINNING: Final = 1 << 16  # bytes that `detect` looks at
_PATIENCE: Final = 1 << 12  # events from one look at the memory to the next
# `json` goes before `jsonl`, whose pattern an object over several lines matches as well.
_LEADS: Final = (
    ("json", re.compile(r'\[\s*\{\s*"|\{\s*\n\s*"')),
    ("jsonl", re.compile(r'\{\s*"')),
    ("edn", re.compile(r"(?:[\[(]\s*)?(?:#[\w./-]+\s*)?\{\s*:|[\[(]\s*[\])]")),
    ("jepsen-log", jepsen_log.CONSOLE),
    ("jepsen-text", re.compile(f"{jepsen_log.LOG.pattern}|{jepsen_log.EVENT.pattern}")),
)
_NOT_READ: Final = (
    (re.compile("JEPSEN\0"), "is a binary file of Jepsen's; give history.edn or history.txt, which lie beside it"),
    (re.compile(r'\{\s*"Partitions"\s*:'), "is a picture of Porcupine's, with operations in words; give the events"),
)
"""Files of others that begin like this, and what to give in their place."""
_SKIPPED: Final = re.compile(r"(?:[\s,]|;[^\n]*\n)*")  # blanks, commas and EDN's comments


class TooLarge(Exception):
    """The history does not fit into the memory that it may take."""


def read(
    path: Path, format_: str | None = None, settings: Settings | None = None, *, independent: bool = False, memory: int
) -> History:
    """The history in a file. Without a format, what its beginning looks like; without settings, the format's.

    Raises Unreadable, OSError, or TooLarge (memory: bytes). Cost: one pass; memory: the columns.
    """
    with open_history(path) as file:
        format_ = format_ or detect(file)
        history = History(settings or DEFAULTS[format_])
        count, lines = -1, Lines(file)  # -1: no event
        try:
            reader = FORMATS[format_](lines, HistoryWriter(history, independent=independent))
            for count, _ in enumerate(reader):
                if not count % _PATIENCE and history.bytes > memory:
                    raise TooLarge(f"more than {memory >> 20:,} MiB after {history.events:,} events")
            history.settle()
        except BrokenHistory as error:
            raise Unreadable(str(error), error.line) from error
        except RecursionError as error:
            raise Unreadable("nested too deeply; expected one event", lines.number) from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise Unreadable(f"is damaged as a gzip file ({reason(error)})", lines.number) from error
    if count < 0:
        raise Unreadable("holds no events; expected at least one")
    return history


def open_history(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked if they are packed by gzip."""
    file = path.open("rb")
    # By the bytes, not the name: a renamed file is read all the same. What is read of a pipe is gone: it is not.
    if file.peek(2)[:2] != b"\x1f\x8b":
        return file
    file.close()
    return cast("BinaryIO", gzip.open(path))


def detect(file: BinaryIO) -> str:
    """The format, by how the file begins; the file is left at its beginning. Raises Unreadable."""
    try:
        # The cut may lie in the middle of a letter.
        beginning = file.read(_BEGINNING).removeprefix(BOM_UTF8).decode("utf-8", "replace")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(f"is damaged as a gzip file ({reason(error)})") from error
    file.seek(0)  # a packed file is unpacked once more
    match = _SKIPPED.match(beginning)
    start = match.end() if match else 0
    for mark, why in _NOT_READ:
        if mark.match(beginning, start):
            raise Unreadable(why)
    for name, lead in _LEADS:
        if lead.match(beginning, start):
            return name
    text = beginning[start:].partition("\n")[0]
    if not text:
        raise Unreadable("holds no events; expected at least one")
    raise Unreadable(
        f"{shorten_value(text)} begins no format of ours; expected JSON, EDN, or lines of Jepsen's log or history.txt, "
        f"or name it: --format {', '.join(FORMATS)}",
        beginning.count("\n", 0, start) + 1,
    )


class Lines:
    """The lines of a file, numbered from 1. ``number``: of the last one."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.number = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while line := self.file.readline(LINE_MAX):
            self.number += 1
            if self.number == 1:
                line = line.removeprefix(BOM_UTF8)
            # `readline` has stopped at the limit: what follows would pass for another line.
            if len(line) == LINE_MAX:
                raise Unreadable(f"longer than {LINE_MAX:,} bytes; expected one event a line", self.number)
            if b"\0" in line:  # as in a hole that a crash leaves in a file
                raise Unreadable("holds the byte NUL; expected text", self.number)
            try:
                yield self.number, line.decode()
            except UnicodeDecodeError as error:
                raise Unreadable(
                    f"{shorten_value(line[error.start : error.start + 8])} is not UTF-8", self.number
                ) from error

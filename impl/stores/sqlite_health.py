"""Is an SQLite file whole? What SQLite finds by itself, and what it passes over in silence.

SQLite has no checksums in its main file. What shows is structure: pages, cells, records, the order of keys. A byte that
changed inside a value does not show here. SQLite reads its log (``FILE-wal``) up to the first frame whose checksum is
wrong, and says nothing of the rest, because after a crash the rest is what was never committed. `log_trouble` tells
this from damage. An example, of a log with the salts (7, 3) in its header:

    frame 0   salts 7, 3   checksum right   read
    frame 1   salts 7, 3   checksum wrong   SQLite stops here
    frame 2   salts 7, 3                    written after frame 1, so frame 1 was whole once: damage
    frame 3   salts 6, 9                    left over from before the log began anew: no damage

Source: https://www.sqlite.org/fileformat2.html, sections 1.3 (header) and 4 (log); /pragma.html#pragma_integrity_check.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from struct import Struct
from typing import Final

from lakeproof.impl.printable import printable

TROUBLES_MAX: Final = 20
"""How many troubles SQLite is to report at most."""
REPAIR: Final = "restore it from a copy, or recover what is left with sqlite3's .recover"

_MAGIC: Final = b"SQLite format 3\0"
_FIRST_PAGE: Final = Struct(">16sH6xII")  # magic, page size, change counter, pages
_VALID_FOR_AT: Final = 92  # where the change counter stands for which the number of pages is right
_LOG_HEADER: Final = Struct(">IIIIIIII")  # magic, version, page size, sequence, two salts, two checksums
_FRAME_HEADER: Final = Struct(">IIIIII")  # page, pages after a commit or 0, two salts, two checksums
_LOG_MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}
"""By the order of bytes in which checksums are counted."""
_LOG_VERSION: Final = 3_007_000
_RESETS_MAX: Final = 1 << 16
"""A leftover frame is at most so many resets of the log old: the first salt counts them. Each reset overwrites the log
from its beginning, so leftovers only get older towards the end."""
_MASK: Final = 0xFFFF_FFFF


def words(error: Exception) -> str:
    """What SQLite says, on one line that prints. It quotes the file, which may hold any bytes."""
    if isinstance(error, UnicodeDecodeError):
        text = bytes(error.object).decode("utf-8", "backslashreplace")
    else:
        text = str(error)
    return printable(" ".join(text.split())) or type(error).__name__


def is_damage(error: Exception) -> bool:
    """Whether an error of `sqlite3` says that the file is damaged. A message that is no UTF-8 quotes such a file."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    return isinstance(error, UnicodeDecodeError) or code & 0xFF == sqlite3.SQLITE_CORRUPT


def file_trouble(path: Path) -> str:
    """Whether the file is shorter than its header says: what is wrong, or ''.

    Call it before SQLite opens the file: closing a file drops the locks that this process holds on it. A writer at work
    may have written the header, and not the last page: it is waited for, and the file looked at again.
    """
    found = _length_trouble(path)
    if found:
        with suppress(sqlite3.Error, UnicodeDecodeError), closing(open_to_read(path)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    return found if found and found == _length_trouble(path) else ""


def _length_trouble(path: Path) -> str:
    """A log that holds anything makes the length say nothing, because the last pages may still be there."""
    with path.open("rb") as file:
        head = file.read(100)
    size, log = path.stat().st_size, path.with_name(f"{path.name}-wal")
    if len(head) < 100 or not head.startswith(_MAGIC) or (log.exists() and log.stat().st_size):
        return ""
    _, page, counter, pages = _FIRST_PAGE.unpack_from(head)
    page = 1 << 16 if page == 1 else page
    counted = int.from_bytes(head[_VALID_FOR_AT : _VALID_FOR_AT + 4]) == counter and pages > 0
    if page < 512 or page & (page - 1):
        return f"its header says pages of {page:,} bytes; expected a power of two from 512 to 65,536"
    if counted and size < pages * page:
        return f"it has {size:,} bytes, and its header says {pages:,} pages of {page:,}: it was cut"
    if size % page:
        return f"it has {size:,} bytes; expected whole pages of {page:,}: it was cut, or something was added"
    return ""


def log_trouble(path: Path) -> str:
    """What is wrong with the file's log, so that SQLite passes over something that was written; or ''.

    A writer at work may have written half a frame: look again before you believe it.
    Cost: reads the log; about 15 ms for each MB. Memory: the log.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        content = log.read_bytes()
    except FileNotFoundError:
        return ""
    if not content:
        return ""
    if len(content) < _LOG_HEADER.size:
        return f"{log.name} has {len(content)} bytes; expected a header of {_LOG_HEADER.size}: it was cut"
    magic, version, page, _, *salts_and_sums = _LOG_HEADER.unpack_from(content)
    salts, sums = tuple(salts_and_sums[:2]), (salts_and_sums[2], salts_and_sums[3])
    order = _LOG_MAGIC.get(magic, "<")
    if (
        magic not in _LOG_MAGIC
        or version != _LOG_VERSION
        or not 512 <= page <= 1 << 16
        or page & (page - 1)
        or _add_checksum(content[:24], (0, 0), order) != sums
    ):
        return f"the header of {log.name} is damaged, so that SQLite reads nothing of it"
    return _frames_trouble(log.name, content, page, salts, sums, order)


def _frames_trouble(
    name: str, content: bytes, page: int, salts: tuple[int, ...], sums: tuple[int, int], order: str
) -> str:
    size = _FRAME_HEADER.size + page
    count = -(-(len(content) - _LOG_HEADER.size) // size)
    read: int | None = None
    oldest = 1
    for number in range(count):
        frame = content[_LOG_HEADER.size + number * size :][:size]
        if len(frame) < _FRAME_HEADER.size:
            return f"{name} ends within the header of frame {number}: it was cut"
        at, _, salt, other, *stored = _FRAME_HEADER.unpack_from(frame)
        if read is None:
            sums = _add_checksum(frame[:8] + frame[24:], sums, order) if len(frame) == size else (-1, -1)
            if at and (salt, other) == salts and [*sums] == stored:
                continue
            read = number
        age = (salts[0] - salt) & _MASK
        if other == salts[1] or not oldest <= age <= _RESETS_MAX:
            return (
                f"frame {read} of {name} is damaged, so that SQLite reads nothing from there on; "
                f"{count - read} of {count} frames are lost"
            )
        oldest = age
    return ""


def _add_checksum(content: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """SQLite's running checksum, over a multiple of eight bytes."""
    one, other = sums
    for first, second in Struct(f"{order}II").iter_unpack(content):
        one = (one + first + other) & _MASK
        other = (other + second + one) & _MASK
    return one, other


def troubles(connection: sqlite3.Connection) -> Iterator[str]:
    """What SQLite's own check finds, `TROUBLES_MAX` lines at most. Reads the whole file.

    Raises sqlite3.Error where the check could not be made: the file is locked, say.
    """
    before, connection.text_factory = connection.text_factory, _printable_text
    try:
        for (report,) in connection.execute(f"PRAGMA integrity_check({TROUBLES_MAX})"):
            yield from (line for line in str(report).splitlines() if line != "ok" and not line.startswith("***"))
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise
        yield words(error)
    finally:
        connection.text_factory = before


def _printable_text(text: bytes) -> str:
    return printable(text.decode("utf-8", "backslashreplace"), also="\n")


class Damaged(ValueError):
    """An SQLite file is not whole. Names the file, what is wrong and the repair."""


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection through which SQLite refuses every write. Raises sqlite3.Error."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def refuse_damaged(path: Path) -> None:
    """Look a file over before it is used. Reads all of it, twice where there is a log.

    What is not there, or no database at all, passes: to open it says more.

    Raises:
        Damaged.
    """
    if not path.is_file():
        return
    try:
        found = [file_trouble(path), log_trouble(path)]
    except OSError as error:
        raise Damaged(f"{path}: cannot be read: {error.strerror}; name a file that can be read") from error
    try:
        with closing(open_to_read(path)) as connection:
            found += islice(troubles(connection), 1)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_NOTADB:
            raise Damaged(f"{path}: cannot be checked: {words(error)}; {remedy(path, error)}") from error
    if found[1] and log_trouble(path) != found[1]:
        found[1] = ""  # half a frame, which is whole by now
    for trouble in filter(None, found):
        raise Damaged(f"{path}: damaged: {trouble}; {REPAIR}")


def remedy(path: Path, error: Exception) -> str:
    """What to do about an error of SQLite's on opening or reading."""
    if is_damage(error):
        return REPAIR
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_ROLLBACK:
        return f"{path.name}-journal beside it holds a write that was cut off: open it once with sqlite3, to undo that"
    return "wait for who uses it, or name a file that can be read"

"""Is an SQLite file whole? What SQLite's own check finds: pages, cells, records and indexes that do not fit together.

SQLite has no checksums in its main file, so a byte that changed inside a value does not show here. Of its log
(``FILE-wal``) it reads what comes before the first frame with a wrong checksum, as after a crash: damage there is not
distinguished from writes that were never committed.

Source: https://www.sqlite.org/pragma.html#pragma_integrity_check; /fileformat2.html, section 4 (log).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from lakeproof.impl.printable import printable

TROUBLES_MAX: Final = 20
"""How many troubles SQLite is to report at most."""
REPAIR: Final = "restore it from a copy, or recover what is left with sqlite3's .recover"


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


def troubles(connection: sqlite3.Connection) -> Iterator[str]:
    """What SQLite's own check finds, `TROUBLES_MAX` lines at most. Reads the whole file.

    Raises sqlite3.Error where the check could not be made: the file is locked, say.
    """
    # The report quotes names of the file, which need not be UTF-8 where it is damaged.
    before, connection.text_factory = connection.text_factory, _printable_text
    try:
        for (report,) in connection.execute(f"PRAGMA integrity_check({TROUBLES_MAX})"):
            # Lines with asterisks are headings: "*** in database main ***".
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
    """Look a file over before it is used. Reads all of it.

    What is not there, or no database at all, passes: to open it says more.

    Raises:
        Damaged.
    """
    if not path.is_file():
        return
    try:
        with closing(open_to_read(path)) as connection:
            found = list(islice(troubles(connection), 1))  # one trouble is enough to refuse
    except sqlite3.Error as error:
        # No database at all: to open it says more.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
            return
        raise Damaged(f"{path}: cannot be checked: {words(error)}; {remedy(path, error)}") from error
    for trouble in found:
        raise Damaged(f"{path}: damaged: {trouble}; {REPAIR}")


def remedy(path: Path, error: Exception) -> str:
    """What to do about an error of SQLite's on opening or reading."""
    if is_damage(error):
        return REPAIR
    # The whole code: a read-only connection cannot roll the journal back.
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_ROLLBACK:
        return f"{path.name}-journal beside it holds a write that was cut off: open it once with sqlite3, to undo that"
    return "wait for who uses it, or name a file that can be read"

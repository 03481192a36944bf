"""The five tables where they are: in an SQLite file, or in PostgreSQL.

Both are read in one transaction, so that all tables are of one moment, and row by row. SQLite, which has no such types,
holds ``parents`` and ``metadata`` as JSON text, and ``creation_date`` as ISO 8601 text.

lakeFS' tables allow NULL where its code reads it as nothing: no ``parents``, no ``metadata``, a ``generation`` that was
never filled in (0), and a deleted path's ``identity``. Source: lakeFS ``pkg/ddl``, migrations 16 to 27.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from lakeproof.impl.closable import Closing
from lakeproof.impl.migration.rows import NO_INSTANCE, TABLES, Row, UnusableTables
from lakeproof.impl.printable import printable
from lakeproof.impl.stores.sqlite_health import Damaged, open_to_read, refuse_damaged, words
from lakeproof.model.records import Repository, StagedEntry

MICROSECONDS: Final = 1_000_000
FETCHED_AT_ONCE: Final = 1_000
SHOWN_MAX: Final = 200


def _query(table: str, collate: str) -> str:
    columns = list(TABLES[table].columns)
    # By bytes in both databases, as `key_of` sorts; the collation of a database may order words otherwise. ``key`` is
    # binary and has none.
    key = columns[: TABLES[table].key_size]
    order = ", ".join(name if name == "key" else f"{name} {collate}" for name in key)
    return f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"  # noqa: S608  # made of our own names


class _SQLConnection(Protocol):
    def execute(self, query: str, /) -> object: ...
    def close(self) -> None: ...


def _look(connection: _SQLConnection) -> None:
    """Whether all tables and columns are there; if not, the connection is closed. Raises what the database does."""
    try:
        for table in TABLES:
            connection.execute(_query(table, "") + " LIMIT 0")  # the columns are resolved, and no row is read
    except BaseException:
        connection.close()
        raise


class SQLiteTables(Closing):
    """The tables of an SQLite file, which is opened read-only. Close it, or use it as a context manager.

    Raises:
        UnusableTables: no such file, no database, a damaged one, a table or column is missing.
    Cost: the whole file is read, and checked, when it is opened.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise UnusableTables(f"{self.path}: no such file; name an SQLite file with the five tables")
        try:
            refuse_damaged(self.path)
        except Damaged as error:
            raise UnusableTables(str(error)) from error
        with self._translate_errors("open"):
            self._connection = open_to_read(self.path)
            _look(self._connection)
            # The first read fixes the snapshot; writers go on beside it, or wait for its end.
            self._connection.execute("BEGIN")

    def rows(self, table: str) -> Iterator[Row]:
        """See `Tables`."""
        with self._translate_errors(table):
            cursor = self._connection.execute(_query(table, "COLLATE BINARY"))
            while found := cursor.fetchmany(FETCHED_AT_ONCE):
                for row in found:
                    yield _row(table, row)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise UnusableTables(
                f"{self.path}: {what}: {words(error)}; expected the five tables of a lakeFS before KV"
            ) from error


class PostgresTables(Closing):
    """The tables of a PostgreSQL database, seen from one read-only transaction. Needs the extra ``postgresql``.

    Raises:
        UnusableTables: no connection; a table or column is missing; the extra is not installed.
    """

    def __init__(self, dsn: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise UnusableTables("PostgreSQL needs psycopg: pip install 'lakeproof[postgresql]'") from error
        self._error: type[Exception] = psycopg.Error
        with self._translate_errors("connect"):
            self._connection: psycopg.Connection[tuple[object, ...]] = psycopg.connect(dsn)
            # One snapshot for all statements; READ COMMITTED would take another one for each.
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            self._connection.read_only = True
            _look(self._connection)

    def rows(self, table: str) -> Iterator[Row]:
        """See `Tables`. Rows are fetched in portions, by a cursor on the server."""
        # A named cursor is one of the server: without a name the client fetches the whole table.
        with self._translate_errors(table), self._connection.cursor(f"{table}_rows") as cursor:
            cursor.itersize = FETCHED_AT_ONCE
            cursor.execute(_query(table, 'COLLATE "C"'))
            for row in cursor:
                yield _row(table, row)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (self._error, ValueError) as error:  # a NUL in an address is a ValueError
            if isinstance(error, UnusableTables):  # it is a ValueError, too, and names its row already
                raise
            why = printable(" ".join(str(error).split()))
            raise UnusableTables(
                f"PostgreSQL: {what}: {why}; expected the five tables of a lakeFS before KV"
            ) from error


def _row(table: str, values: Sequence[object]) -> Row:
    kind, columns = TABLES[table].kind, TABLES[table].columns
    named = dict(zip(columns, values, strict=True))
    shown = "/".join(str(value) for name, value in named.items() if name in ("id", "key", "repository_id"))
    found: dict[str, object] = {"instance_uid": NO_INSTANCE} if kind is Repository else {}
    for name, value in named.items():
        try:
            found[columns[name]] = _COLUMNS.get(name, _text)(value)
        except (ValueError, TypeError) as error:
            raise UnusableTables(
                f"{table} {printable(shown)}: {name} {_short(value)}: {printable(str(error))}; mend the row"
            ) from None
    if kind is StagedEntry and not found["identity"]:
        if found["data"] is not None:
            # lakeFS knows a tombstone by its missing identity, so data beside it would be lost. Protocol Buffers leave
            # an empty one out.
            raise UnusableTables(
                f"{table} {printable(shown)}: data without an identity: expected both or neither; mend the row"
            )
        found["identity"] = b""
    owner = str(found.pop("", ""))
    return Row(owner, kind(**found))  # type: ignore[arg-type]  # each checked by its column


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN_MAX else f"{shown[:SHOWN_MAX]}..."


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("expected text")
    value.encode()  # a lone surrogate has no UTF-8, and could be in no key
    return value


def _binary(value: object) -> bytes:
    if not isinstance(value, bytes | memoryview):
        raise TypeError("expected bytes")
    return bytes(value)


def _binary_or_null(value: object) -> bytes | None:
    return None if value is None else _binary(value)


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("expected a number")
    return value


def _moment(value: object) -> int:
    """Microseconds since 1970. Text without an offset is taken as UTC."""
    when = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(when, datetime):
        raise TypeError("expected a date and time, as in 2022-05-17T12:00:00+00:00")
    # The columns of lakeFS have a time zone; text of SQLite may have none.
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    passed = when - datetime(1970, 1, 1, tzinfo=UTC)
    # In whole numbers: a float would lose microseconds.
    return (passed.days * 86_400 + passed.seconds) * MICROSECONDS + passed.microseconds


def _json(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _parents(value: object) -> tuple[str, ...]:
    found = [] if value is None else _json(value)
    if not isinstance(found, list) or not all(isinstance(parent, str) for parent in found):
        raise TypeError("expected a list of commit ids")
    return tuple(_text(parent) for parent in found)


def _metadata(value: object) -> tuple[tuple[str, str], ...]:
    found = {} if value is None else _json(value)
    if not isinstance(found, dict) or not all(isinstance(part, str) for pair in found.items() for part in pair):
        raise TypeError("expected an object of strings")
    return tuple(sorted((_text(name), _text(text)) for name, text in found.items()))


_COLUMNS: Final[Mapping[str, Callable[[object], object]]] = {
    "creation_date": _moment,
    "version": _number,
    "generation": lambda value: 0 if value is None else _number(value),  # NULL: a commit from before generations
    "parents": _parents,
    "metadata": _metadata,
    "key": _binary,
    "identity": _binary_or_null,
    "data": _binary_or_null,
}

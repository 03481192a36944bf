"""A linearizable key-value store in an SQLite file: many tasks, many processes, one machine.

The table is lakeFS' own: ``kv(partition_key, key, value)``. Every operation is one statement in a transaction of its
own, which SQLite makes atomic and serialises. Source: https://www.sqlite.org/wal.html and /rescode.html.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final, assert_never

import trio

from lakeproof.impl.closable import Closing
from lakeproof.impl.stores.base import DELETE_IF, TRANSACT, Answer, Store, Unsent, transact_in_steps
from lakeproof.impl.stores.sqlite_health import REPAIR, is_damage, words
from lakeproof.model import kv

BUSY_SECONDS: Final = 10.0
"""How long to wait for another process that is writing, before an operation is refused."""

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS kv (partition_key BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, "
    "PRIMARY KEY (partition_key, key)) WITHOUT ROWID"
)
_INSERT: Final = "INSERT INTO kv (partition_key, key, value) VALUES (?, ?, ?) ON CONFLICT (partition_key, key)"
_SET: Final = f"{_INSERT} DO UPDATE SET value = excluded.value"
_CREATE: Final = f"{_INSERT} DO NOTHING"
_UNDONE: Final = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
)
"""Primary result codes after which SQLite has rolled the statement back, or never begun it, for no reason of the
statement's own."""


class NotAStore(ValueError):
    """The file is no SQLite database, cannot be opened, or its table ``kv`` is another one."""


def no_store(path: Path, error: Exception, repair: str) -> NotAStore:
    """What SQLite says of a file on opening it, with the repair: another one if the file is damaged."""
    if is_damage(error):
        return NotAStore(f"{path}: damaged: {words(error)}; {REPAIR}")
    return NotAStore(f"{path}: no store: {words(error)}; {repair}")


class SQLiteStore(Closing, Store):
    """A store in a file that is created if it is not there. Close it, or use it as a context manager.

    durable: wait for the disk at every write. Without it a power cut may undo the last writes (never a part of one,
        and never out of order); a process that is killed loses nothing.

    Raises:
        NotAStore.
    Cost: one statement, and one hand-over to a thread, for each operation; they are done one at a time.
    """

    capabilities = frozenset({DELETE_IF, TRANSACT})

    def __init__(self, path: Path | str, *, durable: bool = False, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = Path(path)
        self._one_at_a_time = trio.CapacityLimiter(1)
        try:
            # Autocommit; the holder of the limiter may use the connection, from whatever thread.
            self._connection = sqlite3.connect(
                self.path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise NotAStore(f"{self.path}: cannot be opened: {error}; name a file in a folder that exists") from error
        try:
            # In WAL mode readers and the writer of another process do not block each other.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._connection.execute(_SCHEMA)
            # CREATE IF NOT EXISTS accepts any table of that name: this finds one with other columns or another key.
            self._connection.execute(f"EXPLAIN {_CREATE}", (b"", b"", b""))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._connection.close()
            raise no_store(self.path, error, "name an SQLite file with a table kv, or a new one") from error

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        self._connection.close()

    def contents(self) -> Mapping[kv.Address, bytes]:
        """All that it holds, in order. Blocks; memory: all of it."""
        rows = self._connection.execute("SELECT partition_key, key, value FROM kv ORDER BY partition_key, key")
        return {(partition, key): value for partition, key, value in rows}

    async def apply(self, op: kv.Op) -> Answer:
        # Not to be abandoned: a cancelled task waits for its statement, so the connection is free when the limiter is.
        return await trio.to_thread.run_sync(self._apply, op, limiter=self._one_at_a_time)

    async def apply_all(self, op: kv.Transact) -> None:
        await trio.to_thread.run_sync(self._apply, op, limiter=self._one_at_a_time)

    def _apply(self, op: kv.Op | kv.Transact) -> Answer:
        try:
            if isinstance(op, kv.Transact):
                self._execute_all(op)
                return None
            return self._execute(op)
        except sqlite3.ProgrammingError as error:  # the connection is closed: nothing was done
            raise kv.Refused(f"{self.path}: {error}; open it again") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The primary result code is in the low byte; the extended ones have more above it.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _UNDONE:
                raise Unsent(f"{self.path}: {words(error)}") from error
            # A read has no effect, so a failed one is definite.
            if code == sqlite3.SQLITE_TOOBIG or isinstance(op, kv.Get | kv.ScanBatch):
                raise kv.Refused(f"{self.path}: {words(error)}") from error
            raise kv.OutcomeUnknown(f"{self.path}: {words(error)}") from error

    def _execute_all(self, op: kv.Transact) -> None:
        execute = self._connection.execute
        # IMMEDIATE takes the write lock first. A deferred transaction would read, and then could fail to become a
        # writer, as another process has written since.
        execute("BEGIN IMMEDIATE")
        try:
            transact_in_steps(op, self._execute)
            execute("COMMIT")
        finally:
            # Some errors have rolled the transaction back already, and a ROLLBACK would fail then.
            if self._connection.in_transaction:
                execute("ROLLBACK")

    def _execute(self, op: kv.Op) -> Answer:
        execute = self._connection.execute
        match op:
            case kv.Get(partition, key):
                row = execute("SELECT value FROM kv WHERE partition_key = ? AND key = ?", (partition, key)).fetchone()
                if row is None:
                    raise kv.NotFound
                value = self._blob("value", row[0])
                return kv.ValueWithPredicate(value, value)
            case kv.Set(partition, key, value):
                execute(_SET, (partition, key, value))
            case kv.SetIf(partition, key, value, predicate):
                self._set_if(partition, key, value, predicate)
            case kv.Delete(partition, key):
                execute("DELETE FROM kv WHERE partition_key = ? AND key = ?", (partition, key))
            case kv.DeleteIf(partition, key, predicate):
                sql = "DELETE FROM kv WHERE partition_key = ? AND key = ? AND value = ?"
                # One statement, so the comparison and the deletion are one step.
                if not execute(sql, (partition, key, predicate)).rowcount:
                    raise kv.PredicateFailed
            case kv.ScanBatch(partition, start, batch_size):
                return self._scan(partition, start, batch_size)
            case _:
                assert_never(op)
        return None

    def _set_if(self, partition: bytes, key: bytes, value: bytes, predicate: kv.Predicate) -> None:
        update = "UPDATE kv SET value = ? WHERE partition_key = ? AND key = ?"
        execute = self._connection.execute
        match predicate:
            case None:
                done = execute(_CREATE, (partition, key, value))
            case bytes():
                done = execute(f"{update} AND value = ?", (value, partition, key, predicate))
            case _:
                done = execute(update, (value, partition, key))  # EXISTS
        if not done.rowcount:
            raise kv.PredicateFailed

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        sql = "SELECT key, value FROM kv WHERE partition_key = ? AND key >= ? ORDER BY key LIMIT ?"
        # One row more than wanted shows whether there is more. A negative LIMIT is none.
        rows = self._connection.execute(sql, (partition, start, batch_size + 1 if batch_size else -1)).fetchall()
        shown = rows[: batch_size or None]
        entries = tuple(kv.Entry(self._blob("key", key), self._blob("value", value)) for key, value in shown)
        return kv.Batch(entries, more=len(shown) < len(rows))

    def _blob(self, column: str, value: object) -> bytes:
        """SQLite takes any type in any column. Raises kv.Refused."""
        if not isinstance(value, bytes):
            found = "null" if value is None else type(value).__name__
            raise kv.Refused(f"{self.path}: column {column} of table kv holds {found}; expected blob everywhere")
        return value

"""A key-value store in PostgreSQL, in the table that lakeFS uses: ``kv(partition_key, key, value)``, all bytea, and
partitioned by hash: lakeFS does not start on a table that is not.

Every operation but `Transact` is one statement in a transaction of its own (READ COMMITTED), which PostgreSQL makes
atomic: an UPDATE or INSERT that met another writer looks again at what that one left. Source: transaction-iso.html,
explicit-locking.html and errcodes-appendix.html of https://www.postgresql.org/docs/current/.
"""

import os
import socket
from contextlib import suppress
from functools import partial
from typing import Final, assert_never

import psycopg

from lakeproof.impl.stores.base import Answer, Unsent, transact_in_steps
from lakeproof.model import kv
from lakeproof.stores.pooled import Lost, Pooled
from lakeproof.stores.redaction import Redaction
from lakeproof.words import Unusable

CONNECT_SECONDS: Final = 10

_COLUMNS: Final = ("partition_key", "key", "value")
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS kv (partition_key bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL, "
    "PRIMARY KEY (partition_key, key)) PARTITION BY HASH (partition_key)"
)
PARTITIONS: Final = 100
"""Of the table, as many as lakeFS makes; named ``kv_0`` and so on."""
_IS_THERE: Final = "SELECT 1 FROM pg_class WHERE oid = to_regclass('kv')"  # null, and no error, if there is none
_IS_PARTITIONED: Final = f"{_IS_THERE} AND relkind = 'p'"
_GET: Final = "SELECT value FROM kv WHERE partition_key = %s AND key = %s"
_INSERT: Final = "INSERT INTO kv (partition_key, key, value) VALUES (%s, %s, %s) ON CONFLICT"
_SET: Final = f"{_INSERT} (partition_key, key) DO UPDATE SET value = excluded.value"
_CREATE: Final = f"{_INSERT} DO NOTHING"
_UPDATE: Final = "UPDATE kv SET value = %s WHERE partition_key = %s AND key = %s"
_DELETE: Final = "DELETE FROM kv WHERE partition_key = %s AND key = %s"
_SCAN: Final = "SELECT key, value FROM kv WHERE partition_key = %s AND key >= %s ORDER BY key"
# The mode conflicts with ROW EXCLUSIVE, which every INSERT, UPDATE and DELETE takes, and with itself; not with ACCESS
# SHARE, so reads go on. It covers the partitions, too.
_LOCK: Final = "LOCK TABLE kv IN SHARE ROW EXCLUSIVE MODE"
"""No other client writes until the transaction ends. A row that is absent cannot be locked alone; and a serializable
transaction does not see conflicts with writers that are one statement in READ COMMITTED."""
_UNKNOWN: Final = ("08", "40003", "57", "58", "XX")
"""SQLSTATEs after which a statement may have been done: connection exception, completion unknown, operator
intervention (a statement that was cancelled, a server that goes down), system and internal error. PostgreSQL rolls back
on the last two; YugabyteDB says XX000 of a COMMIT that had no answer in time, and poolers have these two for all that
befalls them."""
_NO_MATTER: Final = ("25006", "40", "42501", "53", "55")
"""SQLSTATEs that say nothing of the contract, and nothing was done: a standby, a conflict of transactions, no
permission, a full disk, a lock that is not to be had."""

Connection = psycopg.Connection[tuple[bytes, ...]]


class PostgreSQLStore(Pooled[Connection]):
    """Opens connections as they are needed; creates the table if there is none.

    read_only: nothing is created, and PostgreSQL refuses every write. served: lakeFS is to be started on it.

    Raises:
        Unusable: the server cannot be reached, or its table ``kv`` is another one.
    """

    def __init__(
        self, address: str, *, name: str, connections: int = 16, read_only: bool = False, served: bool = False
    ) -> None:
        super().__init__(name, connections)
        self._served = served
        self._address = address
        self._read_only = read_only
        self._redaction = Redaction([address])
        self.probe(self._prepare)

    def _prepare(self, connection: Connection) -> None:
        try:
            if not self._read_only:
                # IF NOT EXISTS does not exclude a race: the loser of two CREATE TABLE may fail on the unique indexes of
                # the catalogue.
                with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):  # another one creates it
                    _create(connection)
            found = connection.execute("SELECT * FROM kv LIMIT 0").description or ()  # names and types without a row
        except psycopg.Error as error:
            raise Unusable(
                f"{self.name}: no store: {self._redaction.explain(error)}; name a database where a table kv may be"
            ) from error
        columns = {column.name: column.type_code for column in found}
        if set(columns) != set(_COLUMNS) or set(columns.values()) != {_BYTEA}:
            raise Unusable(
                f"{self.name}: its table kv has the columns {', '.join(columns)}; expected "
                f"{', '.join(_COLUMNS)}, all of type bytea: name another database"
            )
        if self._served and connection.execute(_IS_PARTITIONED).fetchone() is None:
            raise Unusable(
                f"{self.name}: its table kv is not partitioned, and lakeFS would not start on it; expected "
                "PARTITION BY HASH (partition_key): drop it if it is empty, or name another database"
            )

    def connect(self) -> Connection:
        try:
            # Each statement is a transaction of its own: otherwise a write would hold its locks, and others would not
            # see it, until a commit.
            connection = psycopg.connect(self._address, autocommit=True, connect_timeout=CONNECT_SECONDS)
            # Not `connection.read_only`: psycopg applies it to transactions that it begins, and here it begins none.
            # Not the parameter `options` either: it would replace that of the address.
            if self._read_only:
                connection.execute("SET default_transaction_read_only = on")
            return connection
        except (psycopg.Error, ValueError) as error:  # a NUL, or a lone surrogate, in an address is a ValueError
            raise Unsent(f"{self.name}: cannot be reached: {self._redaction.explain(error)}") from error

    def opened(self, connection: Connection) -> socket.socket | None:
        try:
            return socket.socket(fileno=os.dup(connection.pgconn.socket))  # libpq keeps and closes its own descriptor
        except psycopg.Error:
            return None

    def discard(self, connection: Connection) -> None:
        with suppress(psycopg.Error):
            connection.close()

    def execute(self, connection: Connection, op: kv.Op | kv.Transact) -> Answer:
        try:
            if not isinstance(op, kv.Transact):
                return _execute(connection, op)
            # Any exception rolls back and releases the lock, CheckFailed too.
            with connection.transaction():
                connection.execute(_LOCK)
                transact_in_steps(op, partial(_execute, connection))
            return None
        except psycopg.Error as error:
            state = error.sqlstate or ""
            # Without a SQLSTATE no answer of the server came.
            if connection.closed or not state or state.startswith(_UNKNOWN):
                raise Lost(self._redaction.explain(error)) from error
            refused = Unsent if state.startswith(_NO_MATTER) else kv.Refused
            raise refused(f"{self.name}: {self._redaction.explain(error)}") from error


def _create(connection: Connection) -> None:
    """The table with its partitions, if it is not there: all of it or nothing."""
    with connection.transaction():
        if connection.execute(_IS_THERE).fetchone() is None:
            connection.execute(_SCHEMA)
            for number in range(PARTITIONS):
                part = f"MODULUS {PARTITIONS}, REMAINDER {number}"
                connection.execute(f"CREATE TABLE kv_{number} PARTITION OF kv FOR VALUES WITH ({part})")


def _execute(connection: Connection, op: kv.Op) -> Answer:
    def run(sql: str, *values: object) -> psycopg.Cursor[tuple[bytes, ...]]:
        # With binary, bytea comes as bytes and not as text in hex.
        return connection.execute(sql, values, prepare=True, binary=True)

    match op:
        case kv.Get(partition, key):
            row = run(_GET, partition, key).fetchone()
            if row is None:
                raise kv.NotFound
            return kv.ValueWithPredicate(row[0], row[0])
        case kv.Set(partition, key, value):
            run(_SET, partition, key, value)
        case kv.SetIf(partition, key, value, None):
            # DO NOTHING reports no row where the key exists, and waits for a concurrent insert of it to commit or roll
            # back.
            _must(run(_CREATE, partition, key, value))
        # The comparison and the write are one statement: in READ COMMITTED an UPDATE that waited for another writer
        # evaluates its WHERE again on the row as that writer left it.
        case kv.SetIf(partition, key, value, bytes(predicate)):
            _must(run(f"{_UPDATE} AND value = %s", value, partition, key, predicate))
        case kv.SetIf(partition, key, value, _):
            _must(run(_UPDATE, value, partition, key))
        case kv.Delete(partition, key):
            run(_DELETE, partition, key)
        case kv.DeleteIf(partition, key, predicate):
            _must(run(f"{_DELETE} AND value = %s", partition, key, predicate))
        case kv.ScanBatch(partition, start, batch_size):
            # One more row tells whether there is more.
            limit = (f"{_SCAN} LIMIT %s", batch_size + 1) if batch_size else (_SCAN,)
            rows = run(limit[0], partition, start, *limit[1:]).fetchall()
            shown = rows[: batch_size or None]
            return kv.Batch(tuple(kv.Entry(row[0], row[1]) for row in shown), more=len(shown) < len(rows))
        case _:
            assert_never(op)
    return None


def _must(cursor: psycopg.Cursor[tuple[bytes, ...]]) -> None:
    """Raise PredicateFailed if no row was written."""
    if not cursor.rowcount:
        raise kv.PredicateFailed


_BYTEA: Final = psycopg.adapters.types["bytea"].oid

"""A key-value store in Redis: of each partition a hash of its values, and a sorted set of its keys for scans.

Redis does one thing at a time, and a script is one thing: every operation but `Get` is one. It is the connection of
redis-py that is used, not its client, because that one sends again what may have been done.
Source: https://redis.io/docs/latest/develop/interact/programmability/eval-intro/ and /commands/zrangebylex/.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Final, Protocol, assert_never, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lakeproof.impl.stores.base import Answer, Unsent
from lakeproof.model import kv
from lakeproof.stores import redis_scripts as scripts
from lakeproof.stores.pooled import Lost, Pooled
from lakeproof.stores.redaction import Redaction
from lakeproof.words import Unusable

CONNECT_SECONDS: Final = 10
VALUES, KEYS = b"lakeproof:values:", b"lakeproof:keys:"
"""What the names of a partition's hash and sorted set begin with."""

_DEFINITE: Final = (
    # Redis does not roll back what a script wrote before it failed, so only an error that precedes every write is
    # definite.
    redis.exceptions.AskError,
    redis.exceptions.AuthenticationError,
    redis.exceptions.BusyLoadingError,
    redis.exceptions.ClusterDownError,
    redis.exceptions.MasterDownError,
    redis.exceptions.MovedError,
    redis.exceptions.OutOfMemoryError,
    redis.exceptions.ReadOnlyError,
)
_DEFINITE_WORDS: Final = ("MISCONF", "BUSY", "NOREPLICAS")  # redis-py has no class for them
"""Errors that Redis answers before it does anything. A replica, a full server or a forbidden command says nothing of
the contract, hence `Unsent`."""
_IN_SCRIPT: Final = "ACL failure in script"
"""Of a command within a script: those before it are done."""
_WHAT: Final[Mapping[kv.Predicate, bytes]] = {None: b"absent", kv.EXISTS: b"exists"}
"""What a script is to check; elsewhere that the value is a given one."""


class Connection(Protocol):
    """What is used of redis-py's connection."""

    def connect(self) -> None: ...
    def send_command(self, *args: object) -> None: ...
    def read_response(self, *, disable_decoding: bool) -> object: ...
    def disconnect(self) -> None: ...


class RedisStore(Pooled[Connection]):
    """Opens connections as they are needed.

    address: ``redis://``, ``rediss://`` or ``unix://``, as redis-py understands it.

    Raises:
        Unusable: the server cannot be reached, or refuses the user.
    """

    def __init__(self, address: str, *, name: str, connections: int = 16) -> None:
        super().__init__(name, connections)
        self._redaction = Redaction([address])
        try:
            self._pool = redis.ConnectionPool.from_url(
                address, retry=Retry(NoBackoff(), 0), socket_connect_timeout=CONNECT_SECONDS, max_connections=1 << 31
            )  # it counts those that were lost, too
        except (ValueError, TypeError) as error:
            raise Unusable(
                f"{name}: no address ({self._redaction.explain(error)}); expected redis://HOST:PORT/DATABASE"
            ) from error
        try:
            self.probe(lambda connection: _ask(connection, "PING"))
        except (redis.RedisError, OSError) as error:
            raise Unusable(
                f"{name}: {self._redaction.explain(error)}; start the server, or mend the address"
            ) from error

    def connect(self) -> Connection:
        try:
            connection = cast("Connection", self._pool.make_connection())
            connection.connect()
        except (redis.RedisError, OSError, ValueError, TypeError) as error:  # a host, or a parameter, that is none
            raise Unsent(f"{self.name}: cannot be reached: {self._redaction.explain(error)}") from error
        return connection

    def opened(self, connection: Connection) -> socket.socket | None:
        # Shutting down a duplicate wakes the thread that blocks in recv on the original; closing the original under it
        # would free its number for another file.
        found = getattr(connection, "_sock", None)
        # By its number, since an SSLSocket cannot be duplicated itself.
        return socket.socket(fileno=os.dup(found.fileno())) if isinstance(found, socket.socket) else None

    def discard(self, connection: Connection) -> None:
        with suppress(redis.RedisError, OSError):
            connection.disconnect()

    def execute(self, connection: Connection, op: kv.Op | kv.Transact) -> Answer:
        try:
            if not isinstance(op, kv.Transact):
                return _execute(connection, op)
            _transact(connection, op)
            return None
        except redis.exceptions.ClusterCrossSlotError as error:
            raise Unsent(f"{self.name}: a cluster, and a partition is two keys; name a server without it") from error
        except _DEFINITE as error:
            raise Unsent(f"{self.name}: {self._redaction.explain(error)}") from error
        # The order matters: `_DEFINITE` are subclasses of ResponseError.
        except redis.ResponseError as error:
            forbidden = isinstance(error, redis.exceptions.NoPermissionError) and _IN_SCRIPT not in str(error)
            if forbidden or str(error).startswith(_DEFINITE_WORDS):
                raise Unsent(f"{self.name}: {self._redaction.explain(error)}") from error
            raise Lost(self._redaction.explain(error)) from error  # a script may have failed half-way
        except (redis.RedisError, OSError) as error:
            raise Lost(self._redaction.explain(error)) from error


def _transact(connection: Connection, op: kv.Transact) -> None:
    checks = [(part, key, _WHAT.get(want, b"equal"), b"" if want in _WHAT else want) for part, key, want in op.checks]
    writes = [(part, key, b"delete" if value is None else b"set", value or b"") for part, key, value in op.writes]
    # The script walks the keys in this order, so every check is made before the first write.
    touched = [*checks, *writes]
    names = [name for partition, *_ in touched for name in (VALUES + partition, KEYS + partition)]
    # The script finds the columns of row i at ARGV[i], ARGV[n + i] and ARGV[2 * n + i].
    arguments = [each[column] for column in (1, 2, 3) for each in touched]
    failed = _ask(connection, "EVAL", scripts.TRANSACT, len(names), *names, *arguments)
    if failed:
        raise kv.CheckFailed(cast("int", failed) - 1)  # Lua counts from 1, and 0 is success


def _ask(connection: Connection, *command: object) -> object:
    connection.send_command(*command)
    return connection.read_response(disable_decoding=True)  # bytes, even if the address has decode_responses


def _execute(connection: Connection, op: kv.Op) -> Answer:
    values, keys = VALUES + op.partition, KEYS + op.partition
    ask = partial(_ask, connection)

    def must(script: str, *arguments: bytes) -> None:
        if not ask("EVAL", script, 2, values, keys, *arguments):
            raise kv.PredicateFailed

    match op:
        case kv.Get(_, key):
            value = ask("HGET", values, key)  # one command, atomic without a script
            if value is None:
                raise kv.NotFound
            assert isinstance(value, bytes)
            return kv.ValueWithPredicate(value, value)
        case kv.Set(_, key, value):
            must(scripts.WRITE, key, value)
        case kv.SetIf(_, key, value, None):
            must(scripts.IF_ABSENT, key, value)
        case kv.SetIf(_, key, value, bytes(predicate)):
            must(scripts.IF_EQUAL, key, value, predicate)
        case kv.SetIf(_, key, value, _):
            must(scripts.IF_PRESENT, key, value)
        case kv.Delete(_, key):
            must(scripts.REMOVE, key)
        case kv.DeleteIf(_, key, predicate):
            must(scripts.REMOVE_IF, key, predicate)
        case kv.ScanBatch(_, start, batch_size):
            # One entry more than wanted tells whether there is more; -1 means all.
            most = str(batch_size + 1 if batch_size else -1).encode()
            least = b"[" + start if start else b"-"  # "[" includes the bound; "-" is below every member
            found = cast("list[bytes]", ask("EVAL", scripts.SCAN, 2, values, keys, least, most))
            entries = tuple(kv.Entry(key, value) for key, value in zip(found[::2], found[1::2], strict=True))
            shown = entries[: batch_size or None]
            return kv.Batch(shown, more=len(shown) < len(entries))
        case _:
            assert_never(op)
    return None

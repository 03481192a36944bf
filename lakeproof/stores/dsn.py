"""Which store a DSN means, and how it is opened. Drivers of extras are imported when they are needed."""

import importlib
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import attrs
import trio

from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.conformance import Claim
from lakeproof.impl.stores.sqlite import NotAStore, SQLiteStore
from lakeproof.impl.stores.sqlite_health import Damaged, refuse_damaged
from lakeproof.stores.child import ANSWER_SECONDS, NotStarted, child_store
from lakeproof.stores.pooled import RESTART
from lakeproof.stores.redaction import hide_secrets
from lakeproof.stores.wrappers import StorePool
from lakeproof.words import Unusable

CONNECTIONS: Final = 16
SQLITE_CONNECTIONS: Final = 4
"""Each of them waits for the writers; more of them find no more, and wait longer."""
FORMS: Final = (
    "memory:, sqlite:///FILE, postgresql://HOST/DATABASE, redis://HOST, dynamodb+http://HOST/, or exec:COMMAND"
)

_SERVERS: Final = {
    **dict.fromkeys(("redis", "rediss", "unix"), ("redis", "redis", "redis_store", "RedisStore")),
    **dict.fromkeys(("postgresql", "postgres"), ("psycopg", "postgresql", "postgresql", "PostgreSQLStore")),
    **dict.fromkeys(("dynamodb+http", "dynamodb+https"), ("boto3", "dynamodb", "dynamodb_store", "DynamoDBStore")),
}
"""By scheme: the package of the driver and its extra; our module and its class."""


@attrs.frozen(kw_only=True)
class Target:
    """A store to judge.

    name: its DSN without secrets, for messages.
    faults: what may be done to it while it is used, among `KILL_CONNECTIONS` and `RESTART` of `pooled`.
    open: a context manager that gives the store. Raises Unusable if it cannot be had.
    claims: what its protocol promises beyond the contract of a key-value store.
    """

    name: str
    faults: frozenset[str] = frozenset()
    open: Callable[[], AbstractAsyncContextManager[Store]]
    claims: tuple[Claim, ...] = ()


def target(
    dsn: str, *, connections: int = CONNECTIONS, seconds: float = ANSWER_SECONDS, durable: bool = False
) -> Target:
    """What a DSN means.

    connections: how many operations may be under way at once.
    seconds: how long an answer of ``exec:`` or DynamoDB may take.
    durable: an SQLite file waits for the disk at every write; servers and programs do as they are configured.
        PostgreSQL's table must be one that lakeFS can be started on.

    Raises:
        Unusable: there is no such kind of store, or its extra is not installed.
    """
    # No URL parser: exec: is followed by a command, and a parser may refuse, and quote, a password with special
    # characters.
    scheme, colon, rest = dsn.partition(":")
    name = hide_secrets(dsn)
    if not colon:
        raise Unusable(f"'{name}' is no DSN; expected {FORMS}")
    if scheme == "memory":
        if rest:
            raise Unusable(f"{name}: a store in memory has no name; say memory: alone")
        return Target(name=name, open=_memory)
    if scheme == "sqlite":
        # SQLite has one writer at a time for each file.
        return Target(name=name, open=_sqlite(name, rest, min(connections, SQLITE_CONNECTIONS), durable))
    if scheme == "exec":
        return Target(name=name, faults=frozenset({RESTART}), open=_exec(name, dsn, rest, seconds))
    if scheme in _SERVERS:
        return _server(scheme, dsn, name, connections, seconds, durable)
    raise Unusable(f"{name}: no such kind of store; expected {FORMS}")


@asynccontextmanager
async def _memory() -> AsyncIterator[Store]:
    yield MemoryStore()


def _sqlite(name: str, rest: str, connections: int, durable: bool) -> Callable[[], AbstractAsyncContextManager[Store]]:
    path = rest.removeprefix("///")  # a fourth slash begins an absolute path
    if not rest.startswith("///") or not path:
        raise Unusable(f"{name}: names no file; expected sqlite:///FILE, or sqlite:////FOLDER/FILE from the root")

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        with ExitStack() as stack:
            try:
                await trio.to_thread.run_sync(refuse_damaged, Path(path))  # reads all of the file
                stores = [stack.enter_context(SQLiteStore(Path(path), durable=durable)) for _ in range(connections)]
            except (NotAStore, Damaged) as error:
                raise Unusable(f"{name}: {error}") from error
            # A connection does one operation at a time, so several of them show what readers and writers do to each
            # other.
            yield StorePool(stores)

    return opened


def _exec(name: str, dsn: str, rest: str, seconds: float) -> Callable[[], AbstractAsyncContextManager[Store]]:
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise Unusable(f"{name}: {error}; quote it as in a shell") from error
    if not command:
        raise Unusable(f"{name}: names no program; expected one, as in exec:python3 kv.py")

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        try:
            async with child_store(command, seconds, dsn=dsn) as store:
                # A program that speaks something else is unusable input, not a store that fails every claim.
                await store.greet()
                yield store
        except NotStarted as error:
            raise Unusable(str(error)) from error

    return opened


def _server(scheme: str, dsn: str, name: str, connections: int, seconds: float, served: bool) -> Target:
    package, extra, module, kind = _SERVERS[scheme]
    # Only the import of the driver is guarded: an ImportError within our own module would otherwise pass for a missing
    # extra.
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise Unusable(f"{name}: {package} is not installed; pip install 'lakeproof[{extra}]'") from error
    store = getattr(importlib.import_module(f"lakeproof.stores.{module}"), kind)
    given: dict[str, dict[str, object]] = {"postgresql": {"served": served}, "dynamodb": {"seconds": seconds}}
    options = given.get(extra, {})
    claims = importlib.import_module("lakeproof.stores.dynamodb_claims").CLAIMS if extra == "dynamodb" else ()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        # The constructor connects, and blocks the event loop: nothing else runs yet.
        with store(dsn, name=name, connections=connections, **options) as made:
            yield made

    return Target(name=name, faults=getattr(store, "faults", frozenset()), open=opened, claims=claims)

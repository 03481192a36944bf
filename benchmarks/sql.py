"""KV against SQL: the same operations, by the flows over a table of keys and values, and as SQL transactions.

The third benchmark that graveler-on-kv.md asks for. `benchmarks.sql_rival` is the rival, in the same SQLite file or
PostgreSQL server that holds the flows' keys and values: hardened repositories and lock-free commits. Three situations:
*one client*, operation by operation; *a long commit* while clients stage; *parallel commits*.

Run: ``python -m benchmarks.sql [--postgresql ADDRESS] [--quick] [--json FILE]``, some four minutes. The tables of the
PostgreSQL database are emptied.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import attrs
import trio

from benchmarks.commits import BACKOFF, DEADLINE
from benchmarks.search import machine
from benchmarks.sql_rival import OPERATIONS, Lake
from benchmarks.sql_rows import (
    ROW_LOCKS,
    SERIALIZABLE,
    SQLITE,
    Committed,
    Connection,
    Dialect,
    prepared,
    sqlite_connection,
)
from benchmarks.sql_tables import KV, Alone, Long, Parallel, alone_table, long_table, parallel_table
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.refs.errors import BranchBusy, WriteNotSettled
from lakeproof.impl.repositories import hardened
from lakeproof.impl.stores import MemoryObjectStore, Store
from lakeproof.impl.stores.sqlite import SQLiteStore

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like after env
R = TypeVar("R")
Call = Callable[..., Awaitable[object]]  # type: ignore[explicit-any]  # a name, and its arguments

COMMITTERS: Final = (1, 4, 16)
WRITERS: Final = 16
ENTRIES: Final = 500
COMMITS: Final = 48
REPEATED: Final = 20
PAGE: Final = 100
TRIES: Final = 50
RUNS: Final = 3
LONG_DEADLINE: Final = 30.0
"""Seconds, after which a long commit counts as one that does not end."""

FLOWS_BY_NAME: Final[dict[str, Flow]] = {
    **{name: by_id(hardened.get_repository, flow) for name, flow in attrs.asdict(FLOWS, recurse=False).items()},
    "commit": by_id(
        hardened.get_repository,
        partial(lock_free.commit, reading=lock_free.Reading(tries=TRIES), batch_size=PAGE),
    ),
    "create_repository": hardened.create_repository,
    "delete_repository": hardened.delete_repository,
}


@attrs.define
class Client:
    """Calls of one client. One that is refused because others were faster is made again."""

    call: Call
    refused: int = 0

    async def __call__(self, name: str, *args: object) -> float:
        """Milliseconds from the first try to success."""
        began = time.perf_counter()
        while True:
            try:
                await self.call(name, *args)
                return (time.perf_counter() - began) * 1e3
            except (BranchBusy, WriteNotSettled):
                self.refused += 1
                await trio.sleep(Random(self.refused).expovariate(1 / BACKOFF))


Clients = list[Client]
Opened = Callable[[int], AbstractAsyncContextManager[Clients]]
"""So many clients of a new, empty database."""


def flows_on(store: Store, count: int) -> Clients:
    """Clients that run flows on a store."""
    objects = MemoryObjectStore()

    async def call(name: str, *args: object) -> object:
        return await run(FLOWS_BY_NAME[name](live_env(), *args), store, objects)

    return [Client(call) for _ in range(count)]


@asynccontextmanager
async def rivals_on(connect: Callable[[], Connection], dialect: Dialect, count: int) -> AsyncIterator[Clients]:
    """Clients with a connection each."""
    committed, limiter = Committed(), trio.CapacityLimiter(count)
    lakes = [Lake(connect(), dialect, committed, TRIES) for _ in range(count)]
    prepared(lakes[0].connection, dialect)

    async def call(lake: Lake, name: str, *args: object) -> object:
        return await trio.to_thread.run_sync(partial(OPERATIONS[name], lake, *args), limiter=limiter)

    try:
        yield [Client(partial(call, lake)) for lake in lakes]
    finally:
        for lake in lakes:
            lake.close()


@asynccontextmanager
async def sqlite_flows(count: int) -> AsyncIterator[Clients]:
    with tempfile.TemporaryDirectory() as folder, SQLiteStore(Path(folder) / "kv.db") as store:
        yield flows_on(store, count)


@asynccontextmanager
async def sqlite_rivals(count: int) -> AsyncIterator[Clients]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "lake.db")
        async with rivals_on(lambda: sqlite_connection(path), SQLITE, count) as clients:
            yield clients


def databases(address: str | None) -> dict[tuple[str, str], Opened]:
    """By database and variant."""
    found: dict[tuple[str, str], Opened] = {("sqlite", SQLITE.name): sqlite_rivals, ("sqlite", KV): sqlite_flows}
    if address is None:
        return found
    import psycopg

    from lakeproof.stores.postgresql import PostgreSQLStore

    def emptied(*tables: str) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            for table in tables:
                connection.execute(f"DROP TABLE IF EXISTS {table}")

    @asynccontextmanager
    async def flows(count: int) -> AsyncIterator[Clients]:
        emptied("kv")
        with PostgreSQLStore(address, name="postgresql", connections=count) as store:
            yield flows_on(store, count)

    @asynccontextmanager
    async def rivals(dialect: Dialect, count: int) -> AsyncIterator[Clients]:
        emptied("repositories", "commits", "branches", "staged")
        async with rivals_on(lambda: psycopg.connect(address, autocommit=True), dialect, count) as clients:
            yield clients

    for dialect in (ROW_LOCKS, SERIALIZABLE):
        found["postgresql", dialect.name] = partial(rivals, dialect)
    found["postgresql", KV] = flows
    return found


async def alone(store: str, variant: str, opened: Opened, repeated: int) -> list[Alone]:
    """Each operation, again and again."""
    took: dict[str, list[float]] = {}
    async with opened(1) as [client]:

        async def timed(name: str, *args: object) -> None:
            took.setdefault(name, []).append(await client(name, *args))

        for number in range(repeated):
            repository, path = f"r{number}", b"p/%d" % number
            await timed("create_repository", repository)
            await timed("create_branch", repository, "dev", "main")
            await timed("set_entry", repository, "dev", path, b"1")
            await timed("get_entry", repository, "dev", path)
            await timed("commit", repository, "dev", "m")
            await timed("merge", repository, "main", "dev", "m")
            await client("set_entry", repository, "main", path, b"2")
            await timed("reset_branch", repository, "main")
            await timed("delete_repository", repository)
    return [
        Alone(store=store, variant=variant, operation=name, ms=statistics.median(each)) for name, each in took.items()
    ]


async def long_commit(store: str, variant: str, opened: Opened, entries: int, writers: int) -> Long:
    """Clients stage from before the commit until it has ended."""
    async with opened(writers + 1) as [committer, *others]:
        await committer("create_repository", "r")
        for number in range(entries):
            await committer("set_entry", "r", "main", b"old/%d" % number, b"1")
        took, staged, ended = list[float](), list[float](), list[bool]()

        async def committing() -> None:
            began = time.perf_counter()
            with trio.move_on_after(LONG_DEADLINE) as limit:
                await committer("commit", "r", "main", "m")
            ended.append(not limit.cancelled_caught)
            took.append((time.perf_counter() - began) * 1e3)

        async def staging(number: int, client: Client) -> None:
            done = 0
            while not took:
                staged.append(await client("set_entry", "r", "main", b"new/%d/%d" % (number, done), b"1"))
                done += 1

        async with trio.open_nursery() as nursery:
            for number, client in enumerate(others):
                nursery.start_soon(staging, number, client)
            nursery.start_soon(committing)
        refused = sum(client.refused for client in (committer, *others))
    return Long(
        store=store,
        variant=variant,
        commit_ms=took[0],
        staged=len(staged),
        p50=statistics.median(staged),
        p99=percentile(staged, 99),
        longest=max(staged),
        refused=refused,
        ended=ended == [True],
    )


async def parallel_commits(store: str, variant: str, opened: Opened, committers: int, each: int) -> Parallel:
    """Every committer writes an entry and commits, again and again, until `DEADLINE`."""
    seconds: list[float] = []
    async with opened(committers) as clients:
        await clients[0]("create_repository", "r")

        async def committer(number: int, client: Client) -> None:
            for turn in range(each):
                await client("set_entry", "r", "main", b"%d/%d" % (number, turn), b"1")
                seconds.append(await client("commit", "r", "main", "m"))

        began = time.perf_counter()
        with trio.move_on_after(DEADLINE) as limit:
            async with trio.open_nursery() as nursery:
                for number, client in enumerate(clients):
                    nursery.start_soon(committer, number, client)
        took = time.perf_counter() - began
        refused = sum(client.refused for client in clients)
    return Parallel(
        store=store,
        variant=variant,
        committers=committers,
        commits_per_second=len(seconds) / took,
        p99=percentile(seconds, 99),
        refused_per_commit=refused / max(len(seconds), 1),
        ended=not limit.cancelled_caught,
    )


def percentile(figures: Sequence[float], percent: int) -> float:
    """0 of none."""
    if len(figures) < 2:
        return (list(figures) or [0.0])[0]
    return statistics.quantiles(figures, n=100, method="inclusive")[percent - 1]


def middle(rows: Sequence[R], key: Callable[[R], Hashable], figure: Callable[[R], float]) -> list[R]:
    """Of the rows with one key, the one with the median figure."""
    found: dict[Hashable, list[R]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return [sorted(each, key=figure)[len(each) // 2] for each in found.values()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--postgresql", metavar="ADDRESS", help="a database of its own, postgresql://...")
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    chosen = parser.parse_args()
    part = 10 if chosen.quick else 1
    opened = databases(chosen.postgresql)
    single: list[Alone] = []
    long: list[Long] = []
    parallel: list[Parallel] = []
    for turn in range(RUNS):  # by turns, so that what else the machine does falls on all
        print(f"run {turn + 1} of {RUNS}", file=sys.stderr, flush=True)
        for (store, variant), each in opened.items():
            single += trio.run(alone, store, variant, each, REPEATED // part)
        for (store, variant), each in opened.items():
            long.append(trio.run(long_commit, store, variant, each, ENTRIES // part, WRITERS))
        for committers in COMMITTERS:
            count = max(COMMITS // part // committers, 1)
            for (store, variant), each in opened.items():
                parallel.append(trio.run(parallel_commits, store, variant, each, committers, count))
    single = middle(single, lambda row: (row.store, row.operation, row.variant), lambda row: row.ms)
    long = middle(long, lambda row: (row.store, row.variant), lambda row: row.commit_ms)
    parallel = middle(
        parallel, lambda row: (row.store, row.committers, row.variant), lambda row: row.commits_per_second
    )
    print(f"{machine()}\n\n{alone_table(single)}\n\n{long_table(long)}\n\n{parallel_table(parallel)}")
    if chosen.json:
        figures = {
            "machine": machine(),
            "alone": [attrs.asdict(row) for row in single],
            "long_commit": [attrs.asdict(row) for row in long],
            "parallel_commits": [attrs.asdict(row) for row in parallel],
        }
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Commits in three variants, live: what they cost those who stage, and each other.

Two of the benchmarks that graveler-on-kv.md asks for. *A long commit*: a commit of many entries while clients stage
more, against the same clients without a commit. *Parallel commits*: committers that write and commit again and again.
``locked``, a lock per branch, stands in for the SQL transaction; its figures are what the others are divided by. SQL
itself is in `benchmarks.sql`.

Run: ``python -m benchmarks.commits [--quick] [--json FILE]``, some four minutes. Each effect on the store in memory
takes a random while of about `LATENCY` seconds, as over a network; SQLite takes what it takes.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from benchmarks.search import machine
from lakeproof.impl.graveler import initialisation, lock_free, locked, optimistic
from lakeproof.impl.graveler import writes as writing
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.errors import BranchBusy, BranchLocked, WriteNotSettled
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.records import Repository

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]

REPOSITORY: Final = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=0,
    instance_uid=InstanceUID("u"),
)
MAIN: Final = REPOSITORY.default_branch_id
LATENCY: Final = 0.000_5  # seconds, the mean of one effect on the store in memory
BACKOFF: Final = 0.001  # seconds, the mean pause of who was refused
PAGE: Final = 100
COMMITTERS: Final = (1, 2, 4, 8, 16)
DEADLINE: Final = 10.0  # seconds, after which parallel commits are stopped
TRIES: Final = 3
"""How often a committer is beaten before it is refused, and pauses."""

VARIANTS: Final[dict[str, tuple[Flow, Flow]]] = {
    "locked": (locked.commit, locked.set_entry),
    "optimistic": (optimistic.commit, writing.set_entry),
    "lock-free": (lock_free.commit, writing.set_entry),
}
"""Commit and staging."""
ONCE: Final = locked.Reading(tries=1)
"""A call that finds the branch locked is counted, and made again."""


def _trying(variant: str, tries: int) -> locked.Reading | optimistic.Reading | lock_free.Reading:
    if variant == "locked":
        return ONCE
    return optimistic.Reading(tries=tries) if variant == "optimistic" else lock_free.Reading(tries=tries)


class Slow(Store):
    """A store behind a network. Counts the `set_if` on branches that failed: commits that were beaten."""

    def __init__(self, inner: Store, latency: float, seed: int = 0) -> None:
        self.inner, self.latency, self.random = inner, latency, random.Random(seed)  # no secret
        self.beaten = 0

    async def apply(self, op: kv.Op) -> Answer:
        if self.latency:
            await trio.sleep(self.random.expovariate(1 / self.latency))
        try:
            return await self.inner.perform(op)
        except kv.PredicateFailed:
            self.beaten += isinstance(op, kv.SetIf) and op.key.startswith(keys.BRANCHES_PREFIX)
            raise


@attrs.define
class Client:
    """Runs flows on a store, again where they were refused."""

    store: Slow
    objects: MemoryObjectStore
    refused: int = 0

    async def __call__(self, flow: Flow, *args: object, **options: object) -> float:
        """Seconds from the first try to success."""
        began = time.perf_counter()
        while True:
            try:
                await run(flow(live_env(), REPOSITORY, *args, **options), self.store, self.objects)
                return time.perf_counter() - began
            except (BranchBusy, BranchLocked, WriteNotSettled):
                self.refused += 1
                await trio.sleep(self.store.random.expovariate(1 / BACKOFF))


@attrs.frozen(kw_only=True)
class LongCommit:
    """Staging during one long commit, and without one. Milliseconds."""

    store: str
    variant: str
    commit_ms: float
    staged: int
    p50: float
    p95: float
    p99: float
    longest: float
    alone_p50: float
    alone_p99: float
    retries: int


@attrs.frozen(kw_only=True)
class ParallelCommits:
    """Committers that write and commit, side by side."""

    store: str
    variant: str
    committers: int
    commits_per_second: float
    p50: float
    p99: float
    beaten_per_commit: float
    refused_per_commit: float
    ended: bool
    """Whether all was committed within `DEADLINE`."""


@contextmanager
def opened(kind: str) -> Iterator[Slow]:
    if kind == "memory":
        yield Slow(MemoryStore(), LATENCY)
        return
    with tempfile.TemporaryDirectory() as folder, SQLiteStore(Path(folder) / "kv.db") as store:
        yield Slow(store, 0.0)


async def long_commit(kind: str, variant: str, store: Slow, entries: int, writers: int, writes: int) -> LongCommit:
    commit, stage = VARIANTS[variant]
    client = Client(store, MemoryObjectStore())
    await client(initialisation.init_repository)
    quiet = store.latency
    store.latency = 0.0
    async with trio.open_nursery() as nursery:
        for number in range(entries):
            nursery.start_soon(client, partial(writing.set_entry), MAIN, b"old/%d" % number, b"i")
    store.latency = quiet
    alone = await _staged(client, stage, writers, writes, "alone", lambda: False)
    client.refused = 0
    took: list[float] = []

    async def committing() -> None:
        took.append(await client(commit, MAIN, "long", batch_size=PAGE, reading=_trying(variant, 50)))

    during: list[float] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(committing)
        during = await _staged(client, stage, writers, 0, "during", lambda: bool(took))
    return LongCommit(
        store=kind,
        variant=variant,
        commit_ms=took[0] * 1e3,
        staged=len(during),
        p50=_percentile(during, 50),
        p95=_percentile(during, 95),
        p99=_percentile(during, 99),
        longest=max(during) * 1e3,
        alone_p50=_percentile(alone, 50),
        alone_p99=_percentile(alone, 99),
        retries=client.refused,
    )


async def _staged(
    client: Client, stage: Flow, writers: int, writes: int, prefix: str, ended: Callable[[], bool]
) -> list[float]:
    """Latencies of writers: of so many writes each, or until it has ended."""
    seconds: list[float] = []

    async def writer(number: int) -> None:
        done = 0
        while done < writes if writes else not ended():
            path = f"{prefix}/{number}/{done}".encode()
            once = {"reading": ONCE} if stage is locked.set_entry else {}
            seconds.append(await client(stage, MAIN, path, b"i", **once))
            done += 1

    async with trio.open_nursery() as nursery:
        for number in range(writers):
            nursery.start_soon(writer, number)
    return seconds


async def parallel_commits(kind: str, variant: str, store: Slow, committers: int, each: int) -> ParallelCommits:
    commit, stage = VARIANTS[variant]
    client = Client(store, MemoryObjectStore())
    await client(initialisation.init_repository)
    seconds: list[float] = []
    once = {"reading": ONCE} if variant == "locked" else {}

    async def committer(number: int) -> None:
        for turn in range(each):
            await client(stage, MAIN, f"{number}/{turn}".encode(), b"i", **once)
            seconds.append(await client(commit, MAIN, f"{number}/{turn}", reading=_trying(variant, TRIES)))

    began = time.perf_counter()
    with trio.move_on_after(DEADLINE) as limit:
        async with trio.open_nursery() as nursery:
            for number in range(committers):
                nursery.start_soon(committer, number)
    took = time.perf_counter() - began
    done = max(len(seconds), 1)
    return ParallelCommits(
        store=kind,
        variant=variant,
        committers=committers,
        commits_per_second=len(seconds) / took,
        p50=_percentile(seconds, 50),
        p99=_percentile(seconds, 99),
        beaten_per_commit=store.beaten / done,
        refused_per_commit=client.refused / done,
        ended=not limit.cancelled_caught,
    )


def _percentile(seconds: list[float], percent: int) -> float:
    """In milliseconds."""
    if len(seconds) < 2:  # nobody, or one
        return (seconds or [0.0])[0] * 1e3
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1e3


def measure(kind: str, work: Callable[[Slow], Awaitable[Any]]) -> Any:  # type: ignore[explicit-any]
    with opened(kind) as store:
        return trio.run(work, store)


LONG: Final = (
    "store | variant | commit ms | staged meanwhile | p50 ms | p95 | p99 | longest | p99 / without a commit",
    "longest / locked's | refused",
)
PARALLEL: Final = (
    "store | committers | variant | commits/s | / locked's | p50 ms | p99 ms | beaten per commit",
    "refused per commit | ",
)


def long_table(rows: Sequence[LongCommit]) -> str:
    stuck = {row.store: row.longest for row in rows if row.variant == "locked"}
    return _table(
        LONG,
        (
            (
                row.store,
                f"`{row.variant}`",
                f"{row.commit_ms:,.0f}",
                f"{row.staged:,}",
                f"{row.p50:.1f}",
                f"{row.p95:.1f}",
                f"{row.p99:.1f}",
                f"{row.longest:,.1f}",
                f"{row.p99 / row.alone_p99:.2f}",
                f"{row.longest / stuck[row.store]:.3f}",
                f"{row.retries:,}",
            )
            for row in rows
        ),
    )


def parallel_table(rows: Sequence[ParallelCommits]) -> str:
    sql = {(row.store, row.committers): row.commits_per_second for row in rows if row.variant == "locked"}
    return _table(
        PARALLEL,
        (
            (
                row.store,
                str(row.committers),
                f"`{row.variant}`",
                f"{row.commits_per_second:,.1f}",
                f"{row.commits_per_second / sql[row.store, row.committers]:.2f}",
                f"{row.p50:.1f}",
                f"{row.p99:.1f}",
                f"{row.beaten_per_commit:.2f}",
                f"{row.refused_per_commit:.2f}",
                "" if row.ended else f"stopped after {DEADLINE:.0f} s",
            )
            for row in rows
        ),
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = " | ".join(heads)
    lines = [f"| {head} |", "|---" * (head.count(" | ") + 1) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything: to see whether it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    chosen = parser.parse_args()
    part = 10 if chosen.quick else 1
    long: list[LongCommit] = []
    parallel: list[ParallelCommits] = []
    for kind in ("memory", "sqlite"):
        print(f"measuring on {kind}", file=sys.stderr, flush=True)
        long += [measure(kind, partial(_long, kind, variant, part)) for variant in VARIANTS]
        parallel += [
            measure(kind, partial(_parallel, kind, variant, committers, part))
            for committers in COMMITTERS
            for variant in VARIANTS
        ]
    print(f"{machine()}\n\n{long_table(long)}\n\n{parallel_table(parallel)}")
    if chosen.json:
        content = {
            "machine": machine(),
            "long_commit": [attrs.asdict(row) for row in long],
            "parallel_commits": [attrs.asdict(row) for row in parallel],
        }
        chosen.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


async def _long(kind: str, variant: str, part: int, store: Slow) -> LongCommit:
    return await long_commit(kind, variant, store, entries=2_000 // part, writers=16, writes=20 // part)


async def _parallel(kind: str, variant: str, committers: int, part: int, store: Slow) -> ParallelCommits:
    return await parallel_commits(kind, variant, store, committers, each=max(160 // committers // part, 1))


if __name__ == "__main__":
    main()

"""Dump, restore, and the listing of what is staged: each against the least that it could cost.

*Dump* reads all refs of a repository; its limit is a bare scan of the partition. *Restore* writes them into a bare
repository; its limit is one bare ``set`` of each record. *Listing*: proposal 1 of hard delete lists the objects of a
staging token, lakeFS of today scans the token's entries; the limit of both is a bare scan of as many records. The
design text measured such a listing with 240,000 staged objects.

Run: ``python -m benchmarks.refs [--quick] [--json FILE]``, some four minutes. Stores are in memory, or SQLite.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import attrs
import trio

from benchmarks.commits import MAIN, REPOSITORY
from benchmarks.hard_delete import CountingObjects
from benchmarks.search import machine
from lakeproof.impl.codec import encode
from lakeproof.impl.graveler import initialisation, listing
from lakeproof.impl.hard_delete import staging_area
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.branches import birth_token, get_branch
from lakeproof.impl.refs.commits import new_commit
from lakeproof.impl.refs.dump import dump_refs, restore_refs
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, MetaRangeID, StagingToken, TagID
from lakeproof.model.records import Branch, Commit, StagedEntry, Tag

COMMITS: Final = (1_000, 10_000, 50_000)
STAGED: Final = (24_000, 240_000)
PAGE: Final = 1_000
"""Rows of a scan or a listing."""
REFS: Final = 100
"""One branch and one tag for so many commits."""
RESTORED: Final = attrs.evolve(REPOSITORY, instance_uid=InstanceUID("restored"), bare=True)
COPIED: Final = b"copied"

T = TypeVar("T")


class Counting(Store):
    """Counts the operations of another store."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.count = 0

    async def apply(self, op: kv.Op) -> Answer:
        self.count += 1
        return await self.inner.apply(op)


@attrs.frozen
class Row:
    """One operation at one size, and the limit that it is divided by. Processor seconds: they are nearly all of it,
    because the stores are local."""

    what: str
    store: str
    size: int
    requests: int
    seconds: float
    limit_requests: int
    limit_seconds: float

    @property
    def ratio(self) -> float:
        return self.seconds / self.limit_seconds


@attrs.define
class World:
    """Two stores, and what was asked of them."""

    kind: str
    store: Counting
    objects: CountingObjects = attrs.field(factory=CountingObjects)

    async def do(self, flow: Coroutine[object, object, T]) -> T:
        return await run(flow, self.store, self.objects)

    async def timed(self, flow: Coroutine[object, object, T]) -> tuple[T, int, float]:
        """The result, the requests, and the processor seconds."""
        before, began = self.store.count + self.objects.count, time.process_time()
        result = await self.do(flow)
        return result, self.store.count + self.objects.count - before, time.process_time() - began

    def row(self, what: str, size: int, cost: tuple[object, int, float], limit: tuple[object, int, float]) -> Row:
        return Row(what, self.kind, size, *cost[1:], *limit[1:])


@contextmanager
def opened(kind: str) -> Iterator[World]:
    """A world on a new store."""
    if kind == "memory":
        yield World(kind, Counting(MemoryStore()))
        return
    with tempfile.TemporaryDirectory() as folder, SQLiteStore(Path(folder) / "kv.db") as store:
        yield World(kind, Counting(store))


async def _scanned(partition: bytes) -> dict[bytes, bytes]:
    """The limit of whatever reads all of a partition."""
    return {entry.key: entry.value async for entry in live_env().store.scan(partition, batch_size=PAGE)}


async def _written(rows: dict[bytes, bytes]) -> None:
    """The limit of whatever writes records."""
    env = live_env()
    for key, value in rows.items():
        await env.store.set(COPIED, key, value)


def _refs(commits: int) -> Iterator[tuple[bytes, Commit | Branch | Tag]]:
    """A line of commits, and names for some of them."""
    env = live_env()
    parents: list[Commit] = []
    for number in range(commits):
        made = new_commit(
            parents, MetaRangeID(f"m{number}"), committer="me", message=f"commit {number}", creation_date=number
        )
        yield keys.commit_key(made.commit_id), made
        if number % REFS == 0:
            yield from _names(f"{number:09}", made.commit_id, birth_token(env, REPOSITORY, BranchID(f"b{number}")))
        parents = [made]
    yield keys.branch_key(MAIN), Branch(branch_id=MAIN, commit_id=parents[0].commit_id, staging_token=StagingToken("t"))


def _names(name: str, commit_id: CommitID, token: StagingToken) -> Iterator[tuple[bytes, Branch | Tag]]:
    branch_id, tag_id = BranchID(f"b{name}"), TagID(f"t{name}")
    yield keys.branch_key(branch_id), Branch(branch_id=branch_id, commit_id=commit_id, staging_token=token)
    yield keys.tag_key(tag_id), Tag(tag_id=tag_id, commit_id=commit_id)


async def dump_and_restore(world: World, commits: int) -> list[Row]:
    """Both, of a repository with so many commits."""
    partition = uid_partition(REPOSITORY)
    for key, record in _refs(commits):
        await world.store.apply(kv.Set(partition, key, encode(record)))
    scan = await world.timed(_scanned(partition))
    dumped = await world.timed(dump_refs(live_env(), REPOSITORY, batch_size=PAGE))
    written = await world.timed(_written(scan[0]))
    restored = await world.timed(restore_refs(live_env(), RESTORED, dumped[0], batch_size=PAGE))
    found = await world.do(_scanned(uid_partition(RESTORED)))
    assert found.keys() == scan[0].keys(), "a ref is missing, or there is one too many"
    return [world.row("dump", commits, dumped, scan), world.row("restore", commits, restored, written)]


async def list_staged(world: World, staged: int) -> list[Row]:
    """Proposal 1's listing of a token, and that of today, of so many staged objects."""
    await world.do(initialisation.init_repository(live_env(), REPOSITORY))
    branch = await world.do(get_branch(live_env(), REPOSITORY, MAIN))
    token = branch.staging_token
    for number in range(staged):
        path = b"a/%09d" % number
        entry = StagedEntry(key=path, identity=b"%032d" % number, data=b"data/%064d" % number)
        await world.store.apply(kv.Set(keys.staging_partition(token), keys.staged_key(path), encode(entry)))
        await world.objects.put(staging_area.staged_at(REPOSITORY, MAIN, token, path), b"")
    scan = await world.timed(_scanned(keys.staging_partition(token)))
    today = await world.timed(_counted(listing.listing(live_env(), REPOSITORY, branch, listing.Query(), PAGE)))
    proposed = await world.timed(staging_area.list_objects(live_env(), REPOSITORY, MAIN, batch_size=PAGE))
    assert today[0] == len(proposed[0]) == staged
    return [
        world.row("listing, staged in the KV store", staged, today, scan),
        world.row("listing, proposal 1", staged, proposed, scan),
    ]


async def _counted(shown: AsyncIterator[object]) -> int:
    return len([None async for _ in shown])


HEAD: Final = "what | store | size | requests | CPU s | the limit's requests | its CPU s | times the limit"


def table(rows: Sequence[Row]) -> str:
    """Markdown; the seconds of the limit are the divisor."""
    lines = [f"| {HEAD} |", "|---" * (HEAD.count(" | ") + 1) + "|"]
    lines += [
        f"| {row.what} | {row.store} | {row.size:,} | {row.requests:,} | {row.seconds:.2f} "
        f"| {row.limit_requests:,} | {row.limit_seconds:.2f} | {row.ratio:.1f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of it")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    chosen = parser.parse_args()
    scale = 100 if chosen.quick else 1
    rows: list[Row] = []
    for kind in ("memory", "sqlite"):
        for measure, sizes in ((dump_and_restore, COMMITS), (list_staged, STAGED)):
            for size in sizes:
                print(f"{measure.__name__} on {kind}, {size // scale:,}", file=sys.stderr)
                with opened(kind) as world:
                    rows += trio.run(measure, world, size // scale)
    print(f"{machine()}\n\n{table(rows)}")
    if chosen.json:
        figures = {"machine": machine(), "rows": [attrs.asdict(row) for row in rows]}
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

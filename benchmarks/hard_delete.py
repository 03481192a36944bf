"""The background job of online hard delete against the offline one, as the bucket grows.

Some objects are committed, a thousand are staged, and a thousand more have been replaced: garbage. The offline job
lists the bucket, what is staged and what is committed; the online job reads what was issued since the last commit. Both
run live over stores in memory, so the requests are what counts; the seconds are those of the job's own work. The cost
of an upload, which pays for the difference, stands beside it.

Run: ``python -m benchmarks.hard_delete [--quick] [--json FILE]``, some four minutes.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from benchmarks.commits import MAIN, REPOSITORY
from benchmarks.search import machine
from lakeproof.impl.catalog import objects as today
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.hard_delete import offline, online
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.object_store import Answer as ObjectAnswer
from lakeproof.model import kv, objects

Flow = Callable[[Env], Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]

COMMITTED: Final = (1_000, 5_000, 20_000)
STAGED: Final = 1_000
GARBAGE: Final = 1_000
PAGE: Final = 1_000  # entries of a listing or scan, as S3 gives them
START: Final = 1_700_000_000_000_000


class CountingStore(MemoryStore):
    """Counts its operations."""

    count = 0

    async def apply(self, op: kv.Op) -> Answer:
        self.count += 1
        return await super().apply(op)


class CountingObjects(MemoryObjectStore):
    """Counts its requests."""

    count = 0

    async def apply(self, op: objects.Op) -> ObjectAnswer:
        self.count += 1
        return await super().apply(op)


@attrs.frozen
class Row:
    """One job over one bucket."""

    job: str
    committed: int
    staged: int
    garbage: int
    deleted: int
    kv_operations: int
    object_requests: int
    seconds: float
    upload_kv_operations: float
    """Of one upload, on average over all."""


@attrs.define
class World:
    """A repository in memory, and its clock."""

    store: CountingStore = attrs.field(factory=CountingStore)
    objects: CountingObjects = attrs.field(factory=CountingObjects)
    now: int = START

    async def do(self, flow: Flow) -> Any:  # type: ignore[explicit-any]
        return await run(flow(live_env()), self.store, self.objects, lambda: self.now)

    def counts(self) -> tuple[int, int]:
        return self.store.count, self.objects.count


FLOWS: Final[dict[str, Any]] = {"offline": offline, "online": online}  # type: ignore[explicit-any]
UPLOADS: Final[dict[str, Any]] = {"offline": today, "online": online}  # type: ignore[explicit-any]


async def measure(job: str, committed: int, staged: int, garbage: int) -> Row:
    """Fill a bucket by the flows of a proposal, and run its job once."""
    world, flows = World(), UPLOADS[job]

    async def upload(number: int) -> None:
        path, content = b"%08d" % number, b"%d" % number
        await world.do(partial(flows.upload_object, repository=REPOSITORY, branch_id=MAIN, path=path, content=content))

    await world.do(partial(initialisation.init_repository, repository=REPOSITORY))
    before, _ = world.counts()
    for number in range(committed):
        await upload(number)
    for_uploads = world.counts()[0] - before
    await world.do(partial(flows.commit, repository=REPOSITORY, branch_id=MAIN, message="m"))
    world.now += online.AS_WRITTEN.lifetime + offline.AS_WRITTEN.min_age
    await world.do(partial(FLOWS[job].background_job, repository=REPOSITORY, batch_size=PAGE))
    for number in (*range(garbage), *range(garbage), *range(garbage, staged)):
        await upload(committed + number)
    world.now += online.AS_WRITTEN.lifetime + offline.AS_WRITTEN.min_age
    (kv_before, objects_before), began = world.counts(), time.perf_counter()
    deleted = await world.do(partial(FLOWS[job].background_job, repository=REPOSITORY, batch_size=PAGE))
    seconds = time.perf_counter() - began
    kv_after, objects_after = world.counts()
    return Row(
        job=job,
        committed=committed,
        staged=staged,
        garbage=garbage,
        deleted=len(deleted),
        kv_operations=kv_after - kv_before,
        object_requests=objects_after - objects_before,
        seconds=seconds,
        upload_kv_operations=for_uploads / committed,
    )


def table(rows: Sequence[Row]) -> str:
    """Markdown, the offline job's figures as the divisor."""
    lines = [
        ("| committed | job | deleted | KV operations | requests to the object store | seconds | requests / offline's "
        "| seconds / offline's | KV operations of an upload |"),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rival = next(each for each in rows if each.job == "offline" and each.committed == row.committed)
        requests = (row.kv_operations + row.object_requests) / (rival.kv_operations + rival.object_requests)
        lines.append(
            f"| {row.committed:,} | `{row.job}` | {row.deleted:,} | {row.kv_operations:,} | {row.object_requests:,} "
            f"| {row.seconds:.2f} | {requests:.2f} | {row.seconds / rival.seconds:.2f} "
            f"| {row.upload_kv_operations:.1f} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    chosen = parser.parse_args()
    scale = 10 if chosen.quick else 1
    rows: list[Row] = []
    for committed in COMMITTED:
        for job in FLOWS:
            print(f"{job}, {committed // scale:,} committed", file=sys.stderr)
            rows.append(trio.run(measure, job, committed // scale, STAGED // scale, GARBAGE // scale))
    print(f"{machine()}\n\n{table(rows)}")
    if chosen.json:
        figures = {"machine": machine(), "rows": [attrs.asdict(row) for row in rows]}
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""SlateDB on S3: two writers, of which the later one fences the earlier, and a garbage collection.

lakeproof gate run examples/gate/slatedb_store.py put-put --strategy pct --schedules 20
"""

import asyncio
import os
from functools import partial
from typing import Any

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

PATH = "db"
KEYS = ("old", "one", "two")
QUIET = {
    "compactor_options": "null",
    "garbage_collector_options": "null",
    "flush_interval": "null",
    "manifest_poll_interval": '"3600s"',
}
"""No work in the background: it would depend on time."""


def store() -> Any:
    from slatedb import uniffi

    os.environ["AWS_BUCKET"] = "bucket"
    return uniffi.ObjectStore.resolve("s3://bucket")


async def opened() -> Any:
    """The database, with this process as its writer."""
    from slatedb import uniffi

    settings = uniffi.Settings.default()
    for name, value in QUIET.items():
        settings.set(name, value)
    builder = uniffi.DbBuilder(PATH, store())
    builder.with_settings(settings)
    builder.with_db_cache_disabled()
    return await builder.build()


async def _put(key: str) -> None:
    from slatedb import uniffi

    database = await opened()
    await database.put(key.encode(), key.encode())
    await database.flush_with_options(uniffi.FlushOptions(flush_type=uniffi.FlushType.WAL))


def put(key: str) -> None:
    """Open the database, put a key, and wait until the log has it. The process does not close it: it stalls."""
    asyncio.run(_put(key))


async def _collect() -> None:
    from slatedb import uniffi

    at_once = uniffi.GarbageCollectorDirectoryOptions(min_age_ms=0, dry_run=False)
    options = uniffi.GarbageCollectorOptions(
        manifest_options=at_once, wal_options=at_once, compacted_options=at_once, compactions_options=at_once
    )
    await uniffi.AdminBuilder(PATH, store()).build().run_gc_once(options)


def collect() -> None:
    """Delete what the database no longer needs, however young it is."""
    asyncio.run(_collect())


async def _found() -> list[str]:
    database = await opened()
    values = [await database.get(key.encode()) for key in KEYS]
    await database.shutdown()
    return [key for key, value in zip(KEYS, values, strict=True) if value == key.encode()]


def found() -> list[str]:
    """The keys that can be read, by a new writer."""
    return asyncio.run(_found())


def create() -> None:
    put("old")


def acknowledged_is_there(outcome: Outcome) -> str | None:
    """A put that was acknowledged can be read."""
    read = outcome.after[0]
    if not read.ok:
        return f"the database cannot be opened: {' '.join(read.message.split())[:160]}"
    assert isinstance(read.value, list)
    puts = [each.args[0] for calls in outcome.results.values() for each, got in calls if each.name == "put" and got.ok]
    lost = [key for key in ("old", *puts) if key not in read.value]
    return f"the put of {lost[0]} was acknowledged, and it cannot be read" if lost else None


scenario = partial(GateScenario, setup=[call(create)], after=[call(found)], invariants=[acknowledged_is_there])
ONE, TWO, GC = [call(put, "one")], [call(put, "two")], [call(collect)]

SCENARIOS = [
    scenario(name="slatedb/put-put", clients=[ONE, TWO]),
    scenario(name="slatedb/put-collect", clients=[ONE, GC]),
    scenario(name="slatedb/collect-put-put", clients=[ONE, TWO, GC]),
    scenario(name="slatedb/lost-answer/put-put", clients=[ONE, TWO], faults=Faults(lost_answers=1)),
    scenario(name="slatedb/one-put/lost-answer", clients=[ONE], faults=Faults(lost_answers=1)),
]

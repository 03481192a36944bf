"""One way to use SlateDB, whichever release is installed: 0.17.0 and 0.10.0 have different interfaces in Python.

`slatedb_store.py` uses it. It has no scenarios of its own.
"""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

PATH = "db"
STORE = {"CLOUD_PROVIDER": "aws", "AWS_BUCKET": "bucket"}
"""Beside what the gate gives to this process."""
QUIET: Mapping[str, object] = {
    "compactor_options": None,
    "garbage_collector_options": None,
    "flush_interval": "3600s",
    "manifest_poll_interval": "3600s",
}
"""No work in the background: it would depend on time."""


KEPT: list[object] = []
"""Databases of 0.10.0: what a process lets go of would take back its last requests."""


class Database(Protocol):
    """An open database, with this process as its writer."""

    def put(self, key: str) -> None:
        """Put a key, and wait until the log has it."""

    def move(self) -> None:
        """Move what is in memory to a table, and record in the manifest that the log is no longer needed so far."""

    def get(self, key: str) -> bytes | None: ...

    def close(self) -> None: ...


class Present:
    """With the interface of 0.17.0, which is asynchronous."""

    def __init__(self, seconds: float | None) -> None:
        self._loop = asyncio.new_event_loop()
        self._database = self._done(_within(seconds, self._built))

    def _done(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    async def _built(self) -> Any:
        from slatedb import uniffi

        settings = uniffi.Settings.default()
        for name, value in QUIET.items():
            settings.set(name, json.dumps(value))
        builder = uniffi.DbBuilder(PATH, _store())
        builder.with_settings(settings)
        builder.with_db_cache_disabled()
        return await builder.build()

    def _flush(self, kind: str) -> None:
        from slatedb import uniffi

        self._done(self._database.flush_with_options(uniffi.FlushOptions(flush_type=uniffi.FlushType[kind])))

    def put(self, key: str) -> None:
        self._done(self._database.put(key.encode(), key.encode()))
        self._flush("WAL")

    def move(self) -> None:
        self._flush("MEM_TABLE")

    def get(self, key: str) -> bytes | None:
        found: bytes | None = self._done(self._database.get(key.encode()))
        return found

    def close(self) -> None:
        self._done(self._database.shutdown())


class Former:
    """With the interface of 0.10.0."""

    def __init__(self, seconds: float | None) -> None:
        from slatedb import SlateDB

        with TemporaryDirectory() as folder:
            settings = Path(folder) / "settings.json"
            settings.write_text(json.dumps(QUIET))
            self._database = asyncio.run(_within(seconds, SlateDB.open_async, PATH, settings=str(settings)))
        KEPT.append(self._database)

    def put(self, key: str) -> None:
        self._database.put_with_options(key.encode(), key.encode(), await_durable=False)
        self._database.flush_with_options("wal")

    def move(self) -> None:
        self._database.flush_with_options("memtable")

    def get(self, key: str) -> bytes | None:
        found: bytes | None = self._database.get(key.encode())
        return found

    def close(self) -> None:
        self._database.close()


def _former() -> bool:
    import slatedb

    return hasattr(slatedb, "SlateDB")


def _store() -> Any:
    from slatedb import uniffi

    return uniffi.ObjectStore.resolve("s3://bucket")


async def _within(seconds: float | None, begin: Callable[..., Any], *args: object, **options: object) -> Any:
    return await asyncio.wait_for(begin(*args, **options), seconds)


def opened(seconds: float | None = None) -> Database:
    """The database, opened anew.

    Raises:
        TimeoutError: that takes longer.
    """
    os.environ.update(STORE)
    return Former(seconds) if _former() else Present(seconds)


def collected(kinds: Sequence[str]) -> None:
    """Delete what the database no longer needs, however young it is; of these kinds only."""
    os.environ.update(STORE)
    if _former():
        from slatedb import SlateDBAdmin

        SlateDBAdmin(PATH).run_gc_once(**{f"{each}_min_age": 0 for each in kinds})
        return
    from slatedb import uniffi

    at_once = uniffi.GarbageCollectorDirectoryOptions(min_age_ms=0, dry_run=False)
    kinds_of_all = ("manifest", "wal", "compacted", "compactions")
    chosen = {f"{each}_options": at_once if each in kinds else None for each in kinds_of_all}
    asyncio.run(_collected(uniffi.GarbageCollectorOptions(**chosen)))


async def _collected(options: Any) -> None:
    from slatedb import uniffi

    await uniffi.AdminBuilder(PATH, _store()).build().run_gc_once(options)

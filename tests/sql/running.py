"""Calls on the flows and on the SQL rival, with results that can be compared, and with a record of what came when."""

import threading
from collections.abc import Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import psycopg

from benchmarks.sql_rival import OPERATIONS, Lake
from benchmarks.sql_rows import SQLITE, Committed, Dialect, prepared, sqlite_connection
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.model.committed import Entry
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants import Violation
from lakeproof.model.linearizable import linearizable
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from tests.sql.lake import DONE, LAKE, Args, Call, answer

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like after env

KV: dict[str, Flow] = {
    **{name: by_id(hardened.get_repository, flow) for name, flow in attrs.asdict(FLOWS, recurse=False).items()},
    "create_repository": hardened.create_repository,
    "delete_repository": hardened.delete_repository,
    "get_repository": hardened.get_repository,
    "list_repositories": hardened.list_repositories,
}
"""Hardened repositories, lock-free branches."""


def shown(value: object) -> Hashable:
    """The result of a flow, as the rival says it."""
    if isinstance(value, Entry):
        return value.identity
    if isinstance(value, tuple):
        return tuple(
            entry.repository_id if isinstance(entry, Repository) else (entry.path, entry.identity) for entry in value
        )
    return DONE


async def on_kv(store: MemoryStore, objects: MemoryObjectStore, call: Call) -> Hashable:
    """The result of a call of flows."""
    name, args = call
    try:
        return shown(await run(KV[name](live_env(), *args), store, objects))
    except FlowError as error:
        return answer(error)


def on_sql(lake: Lake, name: str, args: Args) -> Hashable:
    """The result of a call of the rival. Raises what it raises."""
    found = OPERATIONS[name](lake, *args)
    assert isinstance(found, Hashable)
    return DONE if found is None else found


@contextmanager
def sqlite_lakes(path: Path, count: int) -> Iterator[list[Lake]]:
    """Connections to a new file."""
    committed = Committed()
    lakes = [Lake(sqlite_connection(str(path)), SQLITE, committed) for _ in range(count)]
    prepared(lakes[0].connection, SQLITE)
    try:
        yield lakes
    finally:
        for lake in lakes:
            lake.close()


@contextmanager
def postgresql_lakes(address: str, dialect: Dialect, count: int) -> Iterator[list[Lake]]:
    """Connections to a database whose tables are empty."""
    committed = Committed()
    lakes = [Lake(psycopg.connect(address, autocommit=True), dialect, committed) for _ in range(count)]
    prepared(lakes[0].connection, dialect)
    lakes[0].connection.execute("TRUNCATE repositories, commits, branches, staged")
    try:
        yield lakes
    finally:
        for lake in lakes:
            lake.close()


@attrs.define
class Recorder:
    """Events of concurrent clients, in an order in which they can have happened."""

    events: list[Event] = attrs.field(factory=list)
    lock: threading.Lock = attrs.field(factory=threading.Lock)

    def add(self, event: Event) -> None:
        with self.lock:
            self.events.append(event)

    def call(self, lake: Lake, client: int, index: int, call: Call) -> None:
        name, args = call
        self.add(Invoked(client, index, name, args))
        try:
            view = CallView(name, args, Status.OK, value=on_sql(lake, name, args))
        except FlowError as error:
            view = CallView(name, args, Status.FAIL, error=error)
        self.add(Returned(client, index, view))


def concurrently(lakes: Sequence[Lake], programs: Sequence[Sequence[Call]], setup: Sequence[Call] = ()) -> list[Event]:
    """What happens when each client runs its calls in a thread of its own, after the setup."""
    recorder, failed = Recorder(), list[BaseException]()
    for index, call in enumerate(setup):
        recorder.call(lakes[0], len(lakes), index, call)
    start = threading.Barrier(len(lakes))

    def client(number: int) -> None:
        try:
            start.wait(30)
            for index, call in enumerate(programs[number]):
                recorder.call(lakes[number], number, index, call)
        except BaseException as error:  # noqa: BLE001  # raised below
            failed.append(error)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(len(lakes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed, failed
    return recorder.events


def violations(events: Sequence[Event]) -> list[Violation]:
    """What the checker of the search says of a history."""
    monitor = linearizable(LAKE)
    state: Hashable = monitor.initial
    for event in events:
        state, findings = monitor.advance(state, event)
        found = [finding for finding in findings if isinstance(finding, Violation)]
        if found:
            return found
    return []

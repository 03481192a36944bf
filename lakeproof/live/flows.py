"""``stress --flows``: lakeFS' flows, live and all at once on a store, judged by the invariants of the search.

In rounds: each has partitions of its own, and some hundred calls; when the last has ended, the whole store is read, and
the invariants of the search judge it with the calls.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import ClassVar, Final

import attrs
import trio

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.impl.graveler.initialisation import init_repository
from lakeproof.impl.live import live_env, run
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.stores import MemoryObjectStore, Store
from lakeproof.live.engine import SETTLE_SECONDS, Fault, Workload, inject_faults
from lakeproof.live.flow_calls import LAKE, Caller, entry_call, repository_call
from lakeproof.live.flow_promises import OF_ENTRIES, OF_REPOSITORIES, judges, observers
from lakeproof.live.report import Report, Round
from lakeproof.model import keys, kv
from lakeproof.model.invariants import Finding, Monitor, Violation
from lakeproof.model.messages import NoProtobuf
from lakeproof.model.records import Record, StagedEntry
from lakeproof.model.snapshot import CallView, Event, Returned, Snapshot
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.stores.wrappers import FAILURES_MAX, PrefixedStore, by_value

CALLS: Final = 12
"""Of each client in a round."""
READS: Final = 50
"""Rows a batch, when the store is read in the end."""
TRIES: Final = 20
"""Where no client is at work."""
# Both groups write to one evidence file, and clients that crash get new numbers: the two ranges must not meet.
FIRST_OF_REPOSITORIES: Final = 1000
READABLE: Final = "records-are-readable"
IDS: Final = tuple(dict.fromkeys(invariant.id for invariant in (*judges(OF_ENTRIES), *judges(OF_REPOSITORIES))))


class FlowReport(Report):
    left_kind = "keys in partitions that begin with"


@attrs.define
class Flows(Workload):
    """Rounds of flows on a store."""

    kind: ClassVar[str] = "stress"
    store: Store
    faults: tuple[Fault, ...] = ()

    def note(self, words: str) -> None:
        """Rounds are short, and many."""

    async def round(self, duration: float = 0.0, calls: int | None = None) -> Round:
        """`CALLS` calls of each client, and the verdict on them."""
        self.rounds += 1
        began, made = trio.current_time(), Round(number=self.rounds)
        await self._judged(made)
        made.seconds = trio.current_time() - began
        return made

    async def _judged(self, made: Round) -> None:
        until = trio.current_time() + FAILURES_MAX * self.load.timeout
        # Under a new prefix each time: a write without an answer may land when clients are at work, and would undo what
        # they have done.
        for last in (*[False] * TRIES, True):
            prefix = f"lakeproof-flows-{secrets.token_hex(8)}/".encode()
            private = PrefixedStore(self.store, prefix, self.load.timeout)
            store, objects = by_value(private), MemoryObjectStore()  # flows compare values, not tokens
            async with self.clear_after(private, private.prefix):
                try:
                    await run(init_repository(live_env(), LAKE), store, objects)
                except NoProtobuf:
                    raise  # the same in each round, and none of the store's doing
                except Exception as error:  # noqa: BLE001  # a store that gives back something else may make a flow fail anyhow
                    made.unread = f"the first repository could not be written: {error!r}"
                    if last or not isinstance(error, kv.KVError) or trio.current_time() > until:
                        return
                else:
                    made.unread = ""
                    await self._run_clients(made, private, store, objects)
                    return

    async def _run_clients(self, made: Round, private: PrefixedStore, store: Store, objects: MemoryObjectStore) -> None:
        rng = self.rng()
        callers = [
            Caller(store, objects, live_env(), observers(group), self.tally, first=first)
            for group, first in ((OF_ENTRIES, 0), (OF_REPOSITORIES, FIRST_OF_REPOSITORIES))
        ]
        # The first repository is written before any fault: without it no call would have a subject.
        async with inject_faults(self.faults, rng, self.tally), trio.open_nursery() as nursery:
            for client in range(self.load.clients):
                nursery.start_soon(self._client, callers[client % 2], client % 2, client, Random(rng.random()))
        crashes = [crash for caller in callers for crash in caller.crashes]
        made.judged += [(NO_UNHANDLED_EXCEPTION, Violation(NO_UNHANDLED_EXCEPTION, crash)) for crash in crashes]
        if self.faults:
            # A write whose connection was cut may land now. Judged against the state before it, the round would
            # contradict itself.
            await trio.sleep(SETTLE_SECONDS)
        try:
            rows = await self._rows(private, store)
        except kv.KVError as error:
            made.unread = f"the store could not be read in the end: {error!r}"
        else:
            _judge(made, rows, objects, callers)

    async def _client(self, caller: Caller, group: int, number: int, rng: Random) -> None:
        client = caller.client()
        for call in range(CALLS):
            identity = b"%d-%d" % (number, call)
            client = await caller.call(client, (repository_call if group else entry_call)(rng, identity))

    async def _rows(self, private: PrefixedStore, store: Store) -> dict[kv.Address, bytes]:
        """All that is in the store. Raises KVError if it cannot be read after several tries."""
        found: dict[kv.Address, bytes] = {}
        until = trio.current_time() + FAILURES_MAX * self.load.timeout
        # A partition without a write of ours is empty, for its prefix is random.
        for partition in sorted(private.partitions):
            for last in (*[False] * TRIES, True):
                try:
                    found |= {(partition, e.key): e.value async for e in store.scan(partition, batch_size=READS)}
                    break
                except kv.KVError:
                    if last or trio.current_time() > until:
                        raise
        return found


def _judge(made: Round, rows: dict[kv.Address, bytes], objects: MemoryObjectStore, callers: Sequence[Caller]) -> None:
    """Judge a round by its calls and the rows that it left."""
    store: dict[kv.Address, Record | bytes] = {}
    for at, value in rows.items():
        try:
            store[at] = decode_at(*at, value) or value  # an address of no record type has its bytes
        except Undecodable as error:
            made.judged.append((READABLE, Violation(READABLE, str(error))))
    snapshot = Snapshot(store=store, objects=objects.contents(), now=0, clients=_clients(callers[1]))
    # What is left of a deleted repository belongs to no branch: a cleaner may have died on it.
    ours = {at: record for at, record in store.items() if _of_lake(at) or isinstance(record, StagedEntry)}
    alone = attrs.evolve(snapshot, store=ours, clients=_clients(callers[0]))
    judged = ((callers[0], OF_ENTRIES, alone), (callers[1], OF_REPOSITORIES, snapshot))
    for caller, group, seen in judged:
        for invariant in judges(group):
            if isinstance(invariant, Monitor):
                findings = _run_monitor(invariant, caller.events, seen)
            else:
                findings = iter(invariant.check(seen))
            try:
                for each in findings:
                    made.judged.append((invariant.id, each))  # one by one: what precedes an error counts
            except Exception:
                if not made.violations:  # where records are none, or calls broke off, it may miss anything
                    raise
    if made.violations:
        made.files = {
            "calls.txt": [_event(event) for caller in callers for event in caller.events],
            "store.txt": [f"{partition!r} {key!r}: {store.get((partition, key))!r}" for partition, key in sorted(rows)],
        }


def _clients(caller: Caller) -> tuple[tuple[CallView, ...], ...]:
    return tuple(tuple(calls) for calls in caller.clients.values())


def _of_lake(at: kv.Address) -> bool:
    """Whether a record belongs to the repository that stays."""
    return at[0] == uid_partition(LAKE) or at == (keys.GRAVELER, keys.repository_key(LAKE.repository_id))


def _run_monitor(monitor: Monitor, events: Iterable[Event], snapshot: Snapshot) -> Iterator[Finding]:
    state = monitor.initial
    for event in events:
        state, found_ = monitor.advance(state, event)
        yield from found_
        # The state of a monitor means nothing after a violation, and what follows would be its echo.
        if any(isinstance(finding, Violation) for finding in found_):
            return
    if monitor.at_end is not None:
        # The contract of `Monitor`: at_end sees stores and objects only, and its state has what it needs of the calls.
        yield from monitor.at_end(state, attrs.evolve(snapshot, clients=()))


def _event(event: Event) -> str:
    if isinstance(event, Returned):
        answer = event.call.error if event.call.error is not None else event.call.value
        return f"client {event.client} call {event.index} {event.call.name}: {event.call.status.value} {answer!r}"
    arguments = ", ".join("lake" if argument == LAKE else repr(argument) for argument in event.args)
    return f"client {event.client} call {event.index} {event.name}({arguments})"

"""The stores as the demo's clients see them: every operation takes a while, and what invariants ask for is recorded.

Invocations are recorded at a call's first operation, returns right after its last, heads where they move: nothing
comes between an operation and its record, because a memory store does not suspend while it applies one.
"""

from collections.abc import Callable
from random import Random
from typing import Final, cast

import attrs
import trio

from lakeproof.demo.clients import BRANCH, REPOSITORY, Doing
from lakeproof.demo.measuring import Measured
from lakeproof.impl.codec import decode_at
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.locked import lock_key
from lakeproof.impl.live import run
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.object_store import Answer as ObjectAnswer
from lakeproof.model import keys, kv, objects
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants import Finding, refs
from lakeproof.model.records import Branch, Commit, Record
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Returned, Snapshot, Status, Transition

PARTITION: Final = uid_partition(REPOSITORY)
BRANCH_KEY: Final = keys.branch_key(BRANCH)
LOCK_KEY: Final = lock_key(BRANCH)


@attrs.define
class Jitter:
    """A random time up to a limit, in seconds, before each operation."""

    rng: Random
    limit: float

    async def wait(self) -> None:
        await trio.sleep(self.rng.random() * self.limit)


class SlowObjects(MemoryObjectStore):
    """An object store in memory whose operations take a while."""

    def __init__(self, jitter: Jitter) -> None:
        super().__init__()
        self._jitter = jitter

    async def perform(self, op: objects.Op) -> ObjectAnswer:
        await self._jitter.wait()
        return await super().perform(op)


class Watched(Store):
    """The store as one call sees it."""

    def __init__(self, store: MemoryStore, jitter: Jitter, began: Callable[[], None], heads: "Heads | None") -> None:
        self._store = store
        self._jitter = jitter
        self._began: Callable[[], None] | None = began
        self._heads = heads
        self.staged = 0
        self.beaten = 0
        self.effort: list[Observed] = []
        """What `refs.EFFORT` looks at: commit records written, branch records refused."""

    async def apply(self, op: kv.Op) -> Answer:
        await self._jitter.wait()
        if self._began is not None:
            self._began()
            self._began = None
        moves = self._heads is not None and isinstance(op, kv.Set | kv.SetIf) and op.key == BRANCH_KEY
        before = await self._branch() if moves else None
        try:
            answer = await self._store.apply(op)
        except kv.PredicateFailed as error:
            if isinstance(op, kv.SetIf) and op.key in (BRANCH_KEY, LOCK_KEY):
                self.beaten += 1
                self._observe(op, error)
            raise
        if isinstance(op, kv.Set | kv.SetIf):
            self.staged += op.key.startswith(keys.STAGED_PREFIX)
            self._observe(op, answer)
        if moves and self._heads is not None:
            await self._heads.moved(op, before, await self._branch(), self._store)
        return answer

    def _observe(self, op: kv.Set | kv.SetIf, reply: object) -> None:
        if op.partition == PARTITION and op.key != LOCK_KEY:
            written = decode_at(op.partition, op.key, op.value)
            self.effort.append(Observed(op=op, reply=reply, read=None, written=written))

    async def _branch(self) -> Branch | None:
        return cast("Branch | None", await _record(self._store, PARTITION, BRANCH_KEY))


async def _record(store: MemoryStore, partition: bytes, key: bytes) -> Record | None:
    """Read without a schedule point."""
    try:
        found = await store.apply(kv.Get(partition, key))
    except kv.NotFound:
        return None
    assert isinstance(found, kv.ValueWithPredicate)
    return decode_at(partition, key, found.value)


@attrs.define
class Heads:
    """Judges every move of the branch's head by a commit, as it happens."""

    findings: list[Finding] = attrs.field(factory=list)
    moves: int = 0

    async def moved(self, op: kv.Op, before: Branch | None, after: Branch | None, store: MemoryStore) -> None:
        known: dict[kv.Address, Record | bytes] = {}
        if after is not None:
            key = keys.commit_key(after.commit_id)
            commit = await _record(store, PARTITION, key)
            known[PARTITION, BRANCH_KEY] = after
            if commit is not None:
                known[PARTITION, key] = commit
        transition = Transition(
            client=0,
            call=CallView("commit", (), Status.PENDING),
            op=op,
            reply=None,
            before=_snapshot({} if before is None else {(PARTITION, BRANCH_KEY): before}),
            after=_snapshot(known),
        )
        self.moves += before is not None and after is not None and before.commit_id != after.commit_id
        self.findings += refs.commits_form_one_line.check(transition)


def _snapshot(store: dict[kv.Address, Record | bytes]) -> Snapshot:
    return Snapshot(store=store, objects={}, now=0, clients=())


@attrs.define
class World:
    """What all clients share: the stores, and what has been recorded of the round under way."""

    rng: Random
    jitter_seconds: float
    objects_jitter_seconds: float
    measured: Measured = attrs.field(factory=Measured)
    heads: Heads = attrs.field(factory=Heads)
    events: list[Event] = attrs.field(factory=list)
    store: MemoryStore = attrs.field(factory=MemoryStore)
    jitter: Jitter = attrs.field(init=False)
    objects: SlowObjects = attrs.field(init=False)
    env: Env = attrs.field(init=False)
    _calls: dict[int, int] = attrs.field(factory=dict)
    """How many calls each client has begun."""

    def __attrs_post_init__(self) -> None:
        self.jitter = Jitter(self.rng, self.jitter_seconds)
        self.objects = SlowObjects(Jitter(self.rng, self.objects_jitter_seconds))
        self.env = Env.with_unique(lambda kind: f"{self.rng.getrandbits(64):016x}")

    def now(self) -> int:
        """The clock of the flows, in microseconds: the run's own."""
        return REPOSITORY.creation_date + int(trio.current_time() * 1_000_000)

    async def call(self, client: int, doing: Doing) -> Status:
        """Do a call to its end, and record it. One that is cancelled has no return: its client has crashed."""
        index = self._calls.get(client, 0)
        self._calls[client] = index + 1
        invoked = Invoked(client, index, doing.name, doing.args)
        watched = Watched(
            self.store, self.jitter, lambda: self.events.append(invoked), self.heads if doing.kind == "commit" else None
        )
        started = trio.current_time()
        view = CallView(doing.name, doing.args, Status.OK)
        try:
            view = attrs.evolve(view, value=await run(doing.flow(self.env), watched, self.objects, self.now))
        except FlowError as error:
            view = attrs.evolve(view, status=Status.FAIL if error.definite else Status.INFO, error=error)
        if doing.kind == "commit":
            view = attrs.evolve(view, observed=((refs.EFFORT.name, refs.EFFORT.fold(tuple(watched.effort))),))
        self.events.append(Returned(client, index, view))
        told = Status.OK if isinstance(view.error, PathNotFound) else view.status
        again = max(watched.staged - 1, 0) if doing.kind in ("write", "delete") else 0
        self.measured.add(doing.kind, told, trio.current_time() - started, again + watched.beaten)
        return told

    def snapshot(self) -> Snapshot:
        """All that the stores hold, decoded."""
        records = {at: decode_at(*at, value) or value for at, value in self.store.contents().items()}
        return Snapshot(store=records, objects=self.objects.contents(), now=0, clients=())


def is_commit(event: Event) -> Commit | None:
    """The commit that a call has returned."""
    if isinstance(event, Returned) and event.call.status is Status.OK and isinstance(event.call.value, Commit):
        return event.call.value
    return None

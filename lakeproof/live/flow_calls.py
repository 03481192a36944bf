"""Calls of the reference flows, live, as the invariants of the search read them.

Two groups of clients: those of one repository's entries, commits and branches (`lakeproof.impl.graveler`, variant
lock-free, deleted branches leave a record), and those that create and delete repositories
(`lakeproof.impl.repositories`, variant hardened).
"""

import traceback
from collections.abc import Callable, Coroutine, Hashable, Sequence
from pathlib import Path
from random import Random
from typing import Final

import attrs

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, reads
from lakeproof.impl.graveler import writes as writing
from lakeproof.impl.live import run, wall_clock
from lakeproof.impl.printable import printable
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import hardened
from lakeproof.impl.stores import ObjectStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.impl.stores.kv_answers import reply_of
from lakeproof.live.recorder import Tally
from lakeproof.model import kv
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace, TagID
from lakeproof.model.invariants import Observer
from lakeproof.model.records import Record, Repository
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Returned, Status

LAKE: Final = Repository(
    repository_id=RepositoryID("lake"),
    storage_namespace=StorageNamespace("mem://lake"),
    default_branch_id=BranchID("trunk"),
    creation_date=1_700_000_000_000_000,
    instance_uid=InstanceUID("u"),
)
TRUNK: Final = LAKE.default_branch_id
SIDES: Final = (BranchID("side0"), BranchID("side1"))
PATHS: Final = tuple(b"a/%d" % number for number in range(6))
IDS: Final = tuple(RepositoryID(f"r{number}") for number in range(2))
# Half as many as there are paths, so that a listing takes several batches, with writes of others between them.
SCAN_BATCH: Final = 3
COMMITTING: Final = lock_free.Reading(tries=30)
WORDS_MAX: Final = 300
"""Characters of an error that are shown."""

Flow = Callable[[Env], Coroutine[object, object, object]]


@attrs.frozen
class FlowCall:
    """A call: its name and arguments as invariants know them, and what does it."""

    name: str
    args: tuple[Hashable, ...]
    flow: Flow


def entry_call(rng: Random, identity: bytes) -> FlowCall:
    """A call on the one repository that stays."""
    path, side = rng.choice(PATHS), rng.choice(SIDES)
    at = (LAKE, str(TRUNK), path)
    subject = identity.decode()

    async def list_entries(env: Env) -> object:
        return await reads.list_entries(env, LAKE, TRUNK, b"a/", batch_size=SCAN_BATCH)

    async def commit(env: Env) -> object:
        return await lock_free.commit(env, LAKE, TRUNK, subject, reading=COMMITTING, batch_size=SCAN_BATCH)

    async def create_branch(env: Env) -> object:
        return await branches.create_branch(env, LAKE, side, TRUNK, tombstones=True)

    # The weights: writes and commits are frequent enough that a commit often meets a write under its token. Branches
    # are few, and come and go slowly.
    choices = [
        (35, FlowCall("set_entry", (*at, identity), lambda e: writing.set_entry(e, LAKE, TRUNK, path, identity))),
        (10, FlowCall("delete_entry", at, lambda e: writing.delete_entry(e, LAKE, TRUNK, path))),
        (20, FlowCall("get_entry", at, lambda e: reads.get_entry(e, LAKE, TRUNK, path))),
        (10, FlowCall("list_entries", (LAKE, str(TRUNK), b"a/"), list_entries)),
        (15, FlowCall("commit", (LAKE, str(TRUNK), subject), commit)),
        (6, FlowCall("create_branch", (LAKE, str(side), str(TRUNK)), create_branch)),
        (
            4,
            FlowCall(
                "delete_branch_by_tombstone",
                (LAKE, str(side)),
                lambda e: branches.delete_branch_by_tombstone(e, LAKE, side),
            ),
        ),
    ]
    return _draw_call(rng, choices)


def repository_call(rng: Random, identity: bytes) -> FlowCall:
    """A call on repositories that come and go."""
    # Two names for all clients, so that nearly every create and delete has a rival.
    name, branch, tag = rng.choice(IDS), BranchID("b"), TagID(f"t{rng.randrange(3)}")
    main = BranchID("main")
    choices = [
        (25, FlowCall("create_repository", (name,), lambda e: hardened.create_repository(e, name))),
        (20, FlowCall("delete_repository", (name,), lambda e: hardened.delete_repository(e, name))),
        (10, FlowCall("get_repository", (name,), lambda e: hardened.get_repository(e, name))),
        (8, FlowCall("list_repositories", (), hardened.list_repositories)),
        (12, FlowCall("create_branch", (name, branch), lambda e: hardened.FLOWS.create_branch(e, name, branch))),
        (8, FlowCall("get_branch", (name, main), lambda e: hardened.FLOWS.get_branch(e, name, main))),
        (5, FlowCall("delete_branch", (name, branch), lambda e: hardened.FLOWS.delete_branch(e, name, branch))),
        (6, FlowCall("create_tag", (name, tag), lambda e: hardened.FLOWS.create_tag(e, name, tag))),
        (6, FlowCall("clean", (), lambda e: hardened.clean(e, batch_size=SCAN_BATCH))),
    ]
    return _draw_call(rng, choices)


def _draw_call(rng: Random, choices: Sequence[tuple[int, FlowCall]]) -> FlowCall:
    return rng.choices([planned for _, planned in choices], [weight for weight, _ in choices])[0]


class ObservedStore(Store):
    """The store as one call sees it: its effects with their answers, and whether one was never answered."""

    def __init__(self, store: Store, began: Callable[[], None]) -> None:
        self._store, self.capabilities = store, store.capabilities
        self._began: Callable[[], None] | None = began
        self.effects: list[Observed] = []
        self.unknown = False
        self.wrote = False

    async def apply(self, op: kv.Op) -> Answer:
        return await self._observe(op)

    async def apply_all(self, op: kv.Transact) -> None:
        await self._observe(op)

    async def _observe(self, op: kv.Op | kv.Transact) -> Answer:
        # The call begins with its first effect, not where its coroutine was made: the shorter its interval, the more a
        # monitor can refute. No effect comes before it.
        if self._began is not None:
            self._began()
            self._began = None
        reply = await reply_of(self._store, op)
        read = decode(op, reply.value) if isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate) else None
        written = decode(op, op.value) if isinstance(op, kv.Set | kv.SetIf) else None
        self.effects.append(Observed(op=op, reply=reply, read=read, written=written))
        writes = not isinstance(op, kv.Get | kv.ScanBatch)
        if isinstance(reply, kv.KVError):
            # A read without an answer changes nothing. A write without one may still take effect after the call has
            # returned.
            self.unknown = self.unknown or (writes and not reply.definite)
            raise reply
        self.wrote = self.wrote or writes
        return reply


def decode(op: kv.Get | kv.Set | kv.SetIf, value: bytes) -> Record | None:
    """The record at the address of an operation on one key; None for what is none, as a flow will find out."""
    try:
        return decode_at(op.partition, op.key, value)
    except Undecodable:
        return None


@attrs.define
class Caller:
    """Does calls and records them. A call that may still be under way has no return: its client counts as crashed,
    and another one goes on in its place."""

    store: Store
    object_store: ObjectStore
    env: Env
    observers: tuple[Observer, ...]
    tally: Tally
    events: list[Event] = attrs.field(factory=list)
    clients: dict[int, list[CallView]] = attrs.field(factory=dict)
    crashes: list[str] = attrs.field(factory=list)
    """Calls that ended with what is no error of theirs, because of what they read."""
    first: int = 0
    """The number before that of the first client."""

    def client(self) -> int:
        """A new client."""
        number = self.first + len(self.clients) + 1
        self.clients[number] = []
        return number

    async def call(self, client: int, planned: FlowCall) -> int:
        """Do a call to its end. Returns the client that does the next one."""
        index = len(self.clients[client])
        invoked = Invoked(client, index, planned.name, planned.args)
        observed = ObservedStore(self.store, lambda: self.events.append(invoked))
        view = CallView(planned.name, planned.args, Status.OK)
        try:
            value = await run(planned.flow(self.env), observed, self.object_store, wall_clock)
            view = attrs.evolve(view, value=value)
        except FlowError as error:
            view = attrs.evolve(view, status=Status.FAIL if error.definite else Status.INFO, error=error)
        except (kv.KVError, Undecodable) as error:
            # An error of the store does not say what the flow has done: after a write that was done, the call may be
            # half done.
            sure = isinstance(error, kv.KVError) and error.definite and not observed.wrote
            view = attrs.evolve(view, status=Status.FAIL if sure else Status.INFO, error=error)
            self.tally.trouble(error)
        except Exception as error:  # noqa: BLE001  # whatever it is: on a store that keeps what it is given, there is none
            view = attrs.evolve(view, status=Status.INFO, error=error)
            # The innermost frame, where the flow met what it did not expect.
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            words = printable(" ".join(str(error).split()))[:WORDS_MAX]
            self.crashes.append(f"{planned.name} ended at {place} with {type(error).__name__}: {words}")
        saw = tuple((each.name, each.fold(tuple(observed.effects))) for each in self.observers)
        view = attrs.evolve(view, observed=saw)
        # A flow that succeeds has looked again, or written again: what it returns counts. Otherwise its last write may
        # land at any later time.
        crashed = observed.unknown and view.status is not Status.OK
        self.clients[client].append(attrs.evolve(view, status=Status.CRASHED) if crashed else view)
        self.tally.count(planned.name, Status.INFO if crashed else view.status)
        if crashed:
            return self.client()
        self.events.append(Returned(client, index, view))  # a crashed call has none: it is open for ever
        return client

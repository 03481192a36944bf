"""Effects: the only way in which a flow touches the world, and the only place where it suspends.

A flow is ``async def flow(env: Env, ...)``. The driver of its coroutine receives each effect as a frozen
value and sends the reply back: live under trio (`lakeproof.impl.live`), step by step (`lakeproof.search.world`), or
compiled by the exhaustive search. Errors are sent as values and raised here.

Example: this driver knows one effect, and answers it by hand.

>>> async def flow(env):
...     return (await env.store.get(b"p", b"k")).value
>>> waiting = flow(Env.with_unique(str))
>>> waiting.send(None)
Get(partition=b'p', key=b'k')
>>> waiting.send(kv.ValueWithPredicate(b"1", b"1"))
Traceback (most recent call last):
StopIteration: b'1'
"""

import types
from collections.abc import Callable, Generator, Sequence
from itertools import count
from types import TracebackType
from typing import Protocol, Self, cast

import attrs

from lakeproof.impl.operations import KVOperations, ObjectOperations
from lakeproof.impl.parallel import Cancelled, CutOff, Group, Unanswered, Withdrawn
from lakeproof.model import channels, kv, objects, watches
from lakeproof.model.objects import ALL


@attrs.frozen(cache_hash=True)
class Now:
    """Read the clock. The reply is an integer: microseconds since 1970."""


@attrs.frozen(cache_hash=True)
class Local:
    """An operation on the client's own store, which outlives its crashes and which no other client sees."""

    op: kv.Op | kv.Transact


@attrs.frozen(cache_hash=True)
class Sleep:
    """Set a timer: each task of each client has one of its own. The reply says whether there is anything to wait for
    still."""

    timer: str
    microseconds: int


@attrs.frozen(cache_hash=True)
class Wake:
    """Wait until a timer has run out."""

    timer: str


@attrs.frozen(cache_hash=True)
class Deadline(Sleep):
    """Set the timer of a timeout, and go on."""


@attrs.frozen(cache_hash=True)
class Expiry(Wake):
    """Wait until a timeout has expired, which began so long ago as this task."""

    microseconds: int


_Timed = Sleep | Wake | Deadline | Expiry
_KeyValue = kv.Op | kv.Expiring | kv.Transact
_Message = channels.Op | channels.TryReceive | watches.StartWatch | watches.NextChanges | watches.EndWatch
Effect = _KeyValue | objects.Op | _Message | Now | Local | _Timed | Withdrawn | CutOff | Unanswered
"""What a driver answers. A flow never asks for the last three: see `lakeproof.impl.parallel`."""


@types.coroutine
def perform(effect: Effect) -> Generator[Effect, object, object]:
    """Hand one effect to the driver. The only place where a flow suspends, but for the ends of groups.

    Raises:
        TypeError: the effect is none that a store understands; nothing has happened. Drivers see to that.
        Whatever else the driver answers with.
    """
    reply = yield effect
    if isinstance(reply, Exception):
        # A fresh instance: raising a shared one would chain tracebacks of unrelated executions.
        raise type(reply)(*reply.args)
    return reply


class Unique(Protocol):
    """Gives fresh identifiers of a kind; the same ones on every re-run of the same client."""

    def __call__(self, kind: str, /) -> str: ...


class Watching:
    """The changes of keys that begin with a prefix, from now on and in order: made by ``env.store.watch()``.

    ``entries``: the keys as they were when the watch began. So nothing lies between the list and the watch.
    """

    def __init__(self, names: list[str], owner: str, partition: bytes, prefix: bytes) -> None:
        self.entries: Sequence[kv.Entry] = ()
        self._names = names  # of the watches of this call that are open
        self._of = (owner, partition, prefix)
        self._lost = False
        self._rest: watches.Changes = ()

    async def __aenter__(self) -> Self:
        owner, partition, prefix = self._of
        # The smallest free number, not a counter: a flow that opens watches in a loop returns to the same names, so the
        # search finds that it is in the same state again.
        name = next(f"{owner}#{n}" for n in count(1) if f"{owner}#{n}" not in self._names)
        self._of = (name, partition, prefix)
        self._lost, self._rest = False, ()  # it may have been open before
        self._names.append(name)
        self.entries = cast("Sequence[kv.Entry]", await perform(watches.StartWatch(*self._of)))
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            # A lost watch has ended in the store already. The error may be that of another watch, within this one.
            if not (self._lost and kind is kv.WatchLost):
                await perform(watches.EndWatch(*self._of))
        finally:
            self._names.remove(self._of[0])

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> watches.Change:
        """Receive the next change. Waits where there is none: that is no step, and a schedule may end there.

        Raises:
            WatchLost: read the keys again, and begin another watch.
        """
        # After the block there is no queue to receive from.
        if self._of[0] not in self._names:
            raise RuntimeError("a watch is open within its async with alone")
        if not self._rest:
            try:
                self._rest = cast("watches.Changes", await perform(watches.NextChanges(*self._of)))
            except kv.WatchLost:
                self._lost = True
                raise
        # The changes of one write arrive together, and are handed on one by one: no effect lies between them.
        change, *rest = self._rest
        self._rest = tuple(rest)
        return change


class KVEffects(KVOperations):
    """The store as a flow sees it. ``owner``: a name of the task that runs, which no other one has."""

    def __init__(self, owner: Callable[[], str] = str) -> None:
        self._owner = owner
        self._watches: list[str] = []

    def watch(self, partition: bytes, prefix: bytes = b"") -> Watching:
        """For ``async with``, and in it ``async for``: what changes, see `Watching`."""
        return Watching(self._watches, self._owner(), partition, prefix)

    async def perform(self, op: kv.Op) -> object:
        return await perform(op)

    async def perform_all(self, op: kv.Transact) -> object:
        return await perform(op)


class LocalEffects(KVOperations):
    """The client's own store, as its disk: what a restart leaves it. A write is durable once it has returned, and a
    schedule point only where a scenario lets the client restart; a read is none."""

    async def perform(self, op: kv.Op) -> object:
        if isinstance(op, kv.Expiring):
            raise kv.Refused(f"{op!r}: env.local has no ttl; write it without, or to env.store")
        return await perform(Local(op))

    async def perform_all(self, op: kv.Transact) -> object:
        return await perform(Local(op))


@attrs.frozen
class ClockEffects:
    """The clock as a flow sees it. ``timer``: the name of the timer of the task that runs."""

    timer: Callable[[], str] = str

    async def now(self) -> int:
        """Microseconds since 1970. A schedule point only where a scenario lets the clock move."""
        return cast("int", await perform(Now()))

    async def sleep(self, microseconds: int) -> None:
        """Wait for so long, or longer. See ``Scenario.time``."""
        # The live driver has slept by now, and answers None. The search answers True while the timer runs.
        if await perform(Sleep(self.timer(), microseconds)):
            await perform(Wake(self.timer()))

    async def wait_until(self, time: int) -> None:
        """Wait until the clock shows this (microseconds since 1970), or later."""
        await self.sleep(time - await self.now())  # a negative number ends at once


@attrs.frozen
class Ids:
    """Fresh identifiers. No schedule point."""

    unique: Unique


@attrs.frozen
class ObjectEffects(ObjectOperations):
    """The object store as a flow sees it. ``conditions``: those that it has, as in `lakeproof.model.objects.ALL`."""

    conditions: frozenset[str] = ALL

    async def perform(self, op: objects.Op) -> object:
        objects.refuse_unsupported(op, self.conditions)
        return await perform(op)


@attrs.frozen
class Channel:
    """Messages between clients, first in, first out: made by ``env.channel(name, capacity=n)``. It outlives its
    clients, and each message is for one receiver. Loss, duplicates and reordering are faults: see
    `lakeproof.scenario.Faults`."""

    name: str
    capacity: int | None = None

    async def send(self, message: bytes) -> bool:
        """Append a message. Never waits: where ``capacity`` messages are in the channel, it is dropped, and the answer
        is False."""
        # A live store answers nothing; only False is a refusal.
        return await perform(channels.Send(self.name, message, self.capacity)) is not False

    async def receive(self) -> bytes:
        """Take the oldest message. Waits where there is none: that is no step, and a schedule may end there."""
        return cast("bytes", await self._take(channels.Receive))

    async def try_receive(self) -> bytes | None:
        """Take the oldest message; None where there is none."""
        return cast("bytes | None", await self._take(channels.TryReceive))

    async def _take(self, kind: type[channels.Receive]) -> object:
        at = 0
        # Under reordering the search asks for each message in turn whether a later one overtakes it. So a receive is
        # one choice of two at a time, instead of one of n.
        while (reply := await perform(kind(self.name, at))) is channels.OVERTAKEN:
            at += 1
        return reply


class TimedOut(TimeoutError):
    """A timeout has expired. What was waited for may have taken place, or may do so later: not definite."""

    definite = False


class _Expired(Exception):
    """Ends the body of a timeout."""


class Timeout(Group):
    """A deadline, as ``asyncio.timeout``: made by ``env.timeout()``.

    A group whose one task waits for the deadline, and fails then. So what the body waits for is cancelled, as in any
    group, and `TimedOut` is raised at the end of the ``async with``. An error that the body raises leaves it as it is.
    Where the body ends before, the task is cancelled. The deadline is one from below: the client may be slow.
    """

    ends_with_body = True  # the deadline alone is no reason to wait

    def __init__(self, microseconds: int, timer: Callable[[], str]) -> None:
        super().__init__(cancel=True)
        self._microseconds = microseconds
        self._timer = timer

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        # A task may nest timeouts, and each needs a timer of its own. The depth comes back, unlike a counter, so loops
        # keep a finite number of states.
        timer = f"{self._timer()}!{self.depth}"
        try:
            await perform(Deadline(timer, self._microseconds))
        except BaseException as error:
            await super().__aexit__(type(error), error, None)  # else the task would end and leave a group open: Misused
            raise
        self.start(self._expire, timer)
        return self

    async def _expire(self, timer: str) -> None:
        await perform(Expiry(timer, self._microseconds))
        self.expired = True  # before the error: `Tasks` reads it when it cancels the group
        raise _Expired

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not await self.join(error):
            return False
        # A group around it has ended this one: the deadline is not the reason.
        if self.cut and (error is None or isinstance(error, Cancelled)):
            raise Cancelled
        # A body that was complete when the deadline came, or that raised an error of its own, keeps its result.
        if self.expired and isinstance(error, Cancelled):
            raise TimedOut(f"after {self._microseconds} microseconds") from None
        return False


@attrs.frozen
class Env:
    """All that a flow may touch."""

    ids: Ids
    store: KVEffects = attrs.field(factory=KVEffects)
    objects: ObjectEffects = attrs.field(factory=ObjectEffects)
    clock: ClockEffects = attrs.field(factory=ClockEffects)
    local: LocalEffects = attrs.field(factory=LocalEffects)

    def channel(self, name: str, *, capacity: int | None = None) -> Channel:
        """The channel of this name, the same one for all clients. ``capacity``: see `Channel.send`."""
        if capacity is not None and capacity < 1:
            raise ValueError(f"channel {name!r}: capacity is {capacity}: expected at least 1, or None for no bound")
        return Channel(name, capacity)

    def parallel(self, *, cancel: bool = True) -> Group:
        """A group of tasks, for ``async with``: what they ask for is open at the same time.

        cancel: where one fails, the others are cancelled, as in a nursery of trio's; False: they run on, as goroutines
        do. Either way the group raises an ExceptionGroup. See `lakeproof.impl.parallel`.
        """
        return Group(cancel=cancel)

    def timeout(self, microseconds: int) -> "Timeout":
        """A deadline for all that is in the ``async with``: see `Timeout`, and ``Scenario.time``."""
        return Timeout(microseconds, self.clock.timer)

    @classmethod
    def with_unique(
        cls,
        unique: Unique,
        timer: Callable[[], str] = str,
        conditions: frozenset[str] = ALL,
        owner: Callable[[], str] = str,
    ) -> "Env":
        """An environment whose identifiers come from ``unique``; ``timer``: see `ClockEffects`; ``conditions``:
        see `ObjectEffects`; ``owner``: see `KVEffects`."""
        # These names hide the modules, in this method alone.
        objects, clock = ObjectEffects(conditions), ClockEffects(timer)
        return cls(ids=Ids(unique=unique), store=KVEffects(owner), objects=objects, clock=clock)

"""The live driver: flows under trio, against real stores. Any number of tasks may run flows on the same stores."""

import time
import uuid
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

import attrs
import trio

from lakeproof.impl.effects import Deadline, Env, Expiry, Local, Now, Sleep
from lakeproof.impl.frames import abandon, no_generator_hooks
from lakeproof.impl.parallel import Joins, Opens
from lakeproof.impl.scheduling import Hooks, Tasks
from lakeproof.impl.stores import ObjectStore, Store
from lakeproof.impl.stores.base import Feed
from lakeproof.impl.wellformed import exact
from lakeproof.model import channels, kv, objects, watches

T = TypeVar("T")

Clock = Callable[[], int]
"""Microseconds since 1970."""


class NoObjectStore(Exception):
    """A flow requested an object, and ran without an object store."""


class NoLocalStore(Exception):
    """A flow used ``env.local``, and was run without a local store."""


class NoChannel(Exception):
    """A flow used ``env.channel``, which no store has."""


class NotAnEffect(Exception):
    """A flow awaited something other than what ``env`` offers."""


def wall_clock() -> int:
    """The clock of this machine."""
    return time.time_ns() // 1000


def live_env() -> Env:
    """An environment whose identifiers are random: no two clients, anywhere, get the same one. They are hexadecimal,
    without hyphens, as an instance uid must be."""
    return Env.with_unique(lambda kind: uuid.uuid4().hex)


async def run(
    flow: Coroutine[object, object, T],
    store: Store,
    object_store: ObjectStore | None = None,
    clock: Clock = wall_clock,
    local: Store | None = None,
) -> T:
    """Run a flow's coroutine to its end and return its result.

    As in ``await run(create_repository(live_env(), "r"), store)``. Each effect is a schedule point. Errors of the
    stores are raised in the flow, where it performed the effect. On cancellation, or if a store raises anything else,
    the flow stops where it stands, like a client that crashed: nothing of it runs any more, not even a ``finally``.
    Tasks of a flow (`lakeproof.impl.parallel`) ask the stores at the same time, in a nursery. Each has its own context
    of `contextvars`; the flow itself has that of the task that calls this. Where the flow cancels
    one, its request is cancelled too; whether the store has received it is then unknown.

    ``local``: what ``env.local`` is; one for each client, and the same one after a restart of its process.

    Raises:
        Whatever the flow raises; NoObjectStore; NoLocalStore; NoChannel; NotAnEffect; Misused: of a group of tasks.
    """
    stores = _Stores(store, object_store, clock, local)
    try:
        reply: object = None
        while True:
            try:
                # The flow's generators must not be known to trio: its hooks would finish a scan of an abandoned flow,
                # and so run it.
                with no_generator_hooks():
                    effect = _resume_flow(flow, reply)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            # From its first group on a flow has several open effects, and `Tasks` runs it.
            if isinstance(effect, Opens | Joins):
                return cast("T", await _Parallel(flow, stores).run(effect))
            try:
                reply = await stores.answer(effect)
            except (kv.KVError, objects.ObjectError) as error:  # others are no answers: the flow stops
                reply = error
    finally:
        abandon(flow)  # also on Cancelled and KeyboardInterrupt, as if the process had crashed here
        for feed in stores.feeds.values():
            feed.close()


def _resume_flow(flow: Coroutine[object, object, T], reply: object) -> object:
    """The next effect. One that no store understands is refused in the flow, where it asks for it."""
    effect = flow.send(reply)
    while True:  # the flow may catch the TypeError, and ask for another such effect
        try:
            return exact(effect)
        except TypeError as error:
            effect = flow.throw(error)


@attrs.frozen
class _Stores:
    store: Store
    object_store: ObjectStore | None
    clock: Clock
    local: Store | None
    feeds: dict[watches.StartWatch, Feed] = attrs.field(factory=dict)
    """The watches that the flow has open."""

    async def answer(self, effect: object) -> object:
        """The reply to an effect. Raises the errors of the stores."""
        if isinstance(effect, Now):
            # Each effect is a schedule point under trio, also one that waits for nothing.
            await trio.lowlevel.checkpoint()
            return self.clock()
        if isinstance(effect, Deadline):
            await trio.lowlevel.checkpoint()
            return None  # the task that waits is that of its `Expiry`
        if isinstance(effect, Sleep | Expiry):
            await trio.sleep(max(0, effect.microseconds) / 1_000_000)
            return None
        if isinstance(effect, kv.Op):
            return await self.store.perform(effect)
        if isinstance(effect, kv.Transact):
            await self.store.perform_all(effect)
            return None
        if isinstance(effect, Local):
            if self.local is None:
                raise NoLocalStore(f"{effect.op!r}: the flow was run without a local store; pass local= to run()")
            # A disk has no objects, and no local store of its own.
            return await _Stores(self.local, None, self.clock, None).answer(effect.op)
        if isinstance(effect, channels.Op):
            raise NoChannel(f"{effect!r}: no store has channels; run flows with env.channel under the search alone")
        if isinstance(effect, watches.StartWatch):
            return await self._watch(effect)
        if not isinstance(effect, objects.Op):
            raise _foreign(effect)
        if self.object_store is None:
            raise NoObjectStore(f"{effect!r}: the flow was run without an object store; pass one to run()")
        return await self.object_store.perform(effect)

    async def _watch(self, effect: watches.StartWatch) -> object:
        # All requests of a watch are subclasses of `StartWatch`; the feed is found by their common part.
        of = watches.StartWatch(effect.name, effect.partition, effect.prefix)
        if isinstance(effect, watches.NextChanges):
            return await self.feeds[of].receive()
        # A watch whose end was cancelled leaves its feed open, and the next watch may have its name.
        if of in self.feeds:
            self.feeds.pop(of).close()
        if isinstance(effect, watches.EndWatch):
            return None
        self.feeds[of] = await self.store.open_watch(effect.partition, effect.prefix)
        return self.feeds[of].entries


def _foreign(effect: object) -> NotAnEffect:
    return NotAnEffect(f"the flow awaited {effect!r}; a flow may only await env")


class _Parallel:
    """A flow from its first group on. The flow's tasks run by `Tasks`, as they do under the search; for each effect
    that is open, a task of trio's asks the store."""

    def __init__(self, flow: Coroutine[Any, Any, Any], stores: _Stores) -> None:  # type: ignore[explicit-any]
        hooks = Hooks(
            at_once=lambda _: None,  # no effect is free: each asks a store
            known=lambda effect: isinstance(
                effect,
                kv.Op | kv.Transact | objects.Op | channels.Op | watches.StartWatch | Now | Local | Sleep | Expiry,
            ),
            foreign=lambda _, effect: _foreign(effect),
            # Any request may be on its way here, a read too. So it is cancelled under trio, and its task goes on when
            # it has ended.
            recalls=lambda _: True,
            # Neither is an error of the flow, so no handler of it may see them.
            through=lambda error: isinstance(error, trio.Cancelled | NotAnEffect),
        )
        # Of this task of trio's: the main task of the flow is this one.
        self._tasks = Tasks(flow, hooks, lambda _: None, trio.lowlevel.current_task().context)
        self._stores = stores
        self._scopes: dict[str, trio.CancelScope] = {}
        self._failed: BaseException | None = None

    async def run(self, request: object) -> object:
        """From this request to the end of the flow."""
        try:
            async with trio.open_nursery() as nursery:
                # Not from here: the context of the flow's main task is entered here, and cannot be entered twice.
                nursery.start_soon(self._begin, nursery, request)
            # Not in an ExceptionGroup of the nursery's: `run` raises what one task would raise.
            if self._failed is not None:
                raise self._failed
        finally:
            self._tasks.abandon()
        if self._tasks.main.error is not None:
            raise self._tasks.main.error
        return self._tasks.main.handle.value

    async def _begin(self, nursery: trio.Nursery, request: object) -> None:
        self._go_on(nursery, lambda: self._tasks.run(request))

    def _go_on(self, nursery: trio.Nursery, resume: Callable[[], None]) -> None:
        """Run the flow until all of its tasks wait; ask for what is open now, and recall what is cancelled."""
        # It has stopped, and this task of trio's had its answer before the nursery was cancelled.
        if self._failed is not None:
            return
        try:
            with no_generator_hooks():
                resume()
        except BaseException as error:  # noqa: BLE001  # not of the flow, which stops where it stands; raised by run()
            self._stop(nursery, error)
            return
        for name, effect, cancelled in self._tasks.open:
            if name not in self._scopes:  # the others have been requested already: this is called after each answer
                self._scopes[name] = trio.CancelScope()
                nursery.start_soon(self._ask, nursery, name, effect)
            if cancelled:
                self._scopes[name].cancel()

    async def _ask(self, nursery: trio.Nursery, name: str, effect: object) -> None:
        reply: object = None
        try:
            # Where this scope is cancelled, ``reply`` stays None. The task was recalled, and receives Cancelled
            # instead.
            with self._scopes[name]:
                reply = await self._stores.answer(effect)
        except (kv.KVError, objects.ObjectError) as error:
            reply = error
        except Exception as error:  # noqa: BLE001  # a store is broken: raised by run()
            self._stop(nursery, error)
            return
        del self._scopes[name]  # before going on: the same task may ask for its next effect now
        self._go_on(nursery, lambda: self._tasks.answer(name, reply))

    def _stop(self, nursery: trio.Nursery, error: BaseException) -> None:
        self._failed = self._failed or error  # later errors are results of the first
        nursery.cancel_scope.cancel()

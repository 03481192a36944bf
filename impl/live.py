"""The live driver: flows under trio, against real stores. Any number of tasks may run flows on the same stores."""

import time
import uuid
from collections.abc import Callable, Coroutine
from typing import TypeVar

import trio

from lakeproof.impl.effects import Env, Now
from lakeproof.impl.frames import abandon, no_generator_hooks
from lakeproof.impl.stores import ObjectStore, Store
from lakeproof.impl.wellformed import exact
from lakeproof.model import kv, objects

T = TypeVar("T")

Clock = Callable[[], int]
"""Microseconds since 1970."""


class NoObjectStore(Exception):
    """A flow asked for an object, and was run without an object store."""


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
) -> T:
    """Run a flow's coroutine to its end and return its result.

    As in ``await run(create_repository(live_env(), "r"), store)``. Each effect is a schedule point. Errors of the
    stores are raised in the flow, where it performed the effect. On cancellation, or if a store raises anything else,
    the flow stops where it stands, like a client that crashed: nothing of it runs any more, not even a ``finally``.

    Raises:
        Whatever the flow raises; NoObjectStore; NotAnEffect.
    """
    try:
        reply: object = None
        while True:
            try:
                with no_generator_hooks():
                    effect = _resumed(flow, reply)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            try:
                reply = await _answer(effect, store, object_store, clock)
            except (kv.KVError, objects.ObjectError) as error:
                reply = error
    finally:
        abandon(flow)


def _resumed(flow: Coroutine[object, object, T], reply: object) -> object:
    """The next effect. One that no store understands is refused in the flow, where it asks for it."""
    effect = flow.send(reply)
    while True:
        try:
            return exact(effect)
        except TypeError as error:
            effect = flow.throw(error)


async def _answer(effect: object, store: Store, object_store: ObjectStore | None, clock: Clock) -> object:
    if isinstance(effect, Now):
        await trio.lowlevel.checkpoint()
        return clock()
    if isinstance(effect, kv.Op):
        return await store.perform(effect)
    if not isinstance(effect, objects.Op):
        raise NotAnEffect(f"the flow awaited {effect!r}; a flow may only await env")
    if object_store is None:
        raise NoObjectStore(f"{effect!r}: the flow was run without an object store; pass one to run()")
    return await object_store.perform(effect)

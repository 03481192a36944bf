"""Calls that meet others: one is interrupted at its effects, or two of them cross. For scenarios of one client."""

import types
from collections.abc import Generator, Sequence

import attrs

from lakeproof.impl.effects import Env, KVEffects
from lakeproof.model import kv
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants.met import CallResult, Met
from lakeproof.scenario import Call


class _Interrupted(KVEffects):
    """The store of a call; before some of its effects other calls run, and one `SetIf` is reported as failed."""

    def __init__(self, env: Env, others: Sequence[Call], at: tuple[int, ...], false_at: int) -> None:
        self.count = 0
        self.answers: list[CallResult] = []
        self._env = env
        self._others = others
        self._at = at
        self._false_at = false_at

    async def perform(self, op: kv.Op) -> object:
        self.count += 1
        if self.count in self._at:  # 1: before the first effect, so that the others simply come first
            await self.meet()
        reply = await super().perform(op)
        # Here the write has been applied; the client library has tried it again, and reports the failure of that.
        if self.count == self._false_at and isinstance(op, kv.SetIf):
            raise kv.PredicateFailed
        return reply

    async def meet(self) -> None:
        """Run all the others."""
        for other in self._others:
            # With the plain store: their own effects are neither counted nor interrupted.
            self.answers.append(await _call_result(other, self._env))


async def _call_result(call: Call, env: Env) -> CallResult:
    try:
        return CallResult(await call.start(env))
    except FlowError as error:
        return CallResult(error=(type(error), error.args))


async def meet(env: Env, call: Call, others: tuple[Call, ...], at: tuple[int, ...], false_at: int = 0) -> Met:
    """Run a call, and others before each of these effects, counted from 1. If it has fewer, they run after it.

    false_at: a `SetIf` that is applied, and reported as failed.
    """
    store = _Interrupted(env, others, at, false_at)
    answer = await _call_result(call, attrs.evolve(env, store=store))
    # `Meeting` has the others once for each place: an answer that is missing would shift all that follow.
    for _ in [number for number in at if number > store.count]:
        await store.meet()
    return Met(answer, tuple(store.answers))


@types.coroutine
def _handed_on(effect: object) -> Generator[object, object, object]:
    # An error comes back as a value. `effects.perform` raises it within the paused call, where the flow can catch it.
    return (yield effect)


class _Paused:
    """A call that goes on for so many effects at a time."""

    def __init__(self, env: Env, call: Call) -> None:
        self.answer = CallResult()
        self._rest = _call_result(call, env)
        self._reply: object = None
        self._done = False

    async def go_on(self, effects: int = 1_000) -> None:  # more than any call has
        """Until the call has had so many effects more, on any store, or to its end."""
        for _ in range(effects):
            if self._done:
                return
            try:
                effect = self._rest.send(self._reply)  # None at first: that starts it
            except StopIteration as stop:
                self.answer, self._done = stop.value, True
                return
            self._reply = await _handed_on(effect)


async def cross(env: Env, call: Call, others: tuple[Call, ...], places: tuple[int, int]) -> Met:
    """The first of the others has so many effects, and the second one runs; the call has so many effects, and the first
    one goes on to its end, and then those that are left; then the call goes on to its end."""
    first, between, *later = others
    one, other = _Paused(env, first), _Paused(env, call)
    await one.go_on(places[0])
    answers = [await _call_result(between, env)]
    await other.go_on(places[1])
    await one.go_on()
    answers += [await _call_result(each, env) for each in later]
    await other.go_on()
    return Met(other.answer, (one.answer, *answers))

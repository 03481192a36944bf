"""Calls that meet others: one is interrupted at its effects, or two of them cross. For scenarios of one client."""

import types
from collections.abc import Generator, Sequence

from lakeproof.impl.effects import Env
from lakeproof.model import kv
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants.met import CallResult, Met
from lakeproof.scenario import Call


@types.coroutine
def _handed_on(effect: object) -> Generator[object, object, object]:
    # An error comes back as a value. `effects.perform` raises it within the paused call, where the flow can catch it.
    return (yield effect)


async def _call_result(call: Call, env: Env) -> CallResult:
    try:
        return CallResult(await call.start(env))
    except FlowError as error:
        return CallResult(error=(type(error), error.args))


async def _results(env: Env, calls: Sequence[Call]) -> list[CallResult]:
    return [await _call_result(call, env) for call in calls]


class _Paused:
    """A call that pauses before one of its effects. counted: the kinds of effects that count. false_at: by number, a
    `SetIf` that is applied, and reported as failed."""

    def __init__(
        self, env: Env, call: Call, *, counted: type | types.UnionType = object, false_at: int | None = None
    ) -> None:
        self.answer = CallResult()
        self._rest = _call_result(call, env)
        self._counted, self._false_at = counted, false_at
        self._count, self._done = 0, False
        self._effect: object = None
        self._send(None)  # that starts it

    def _send(self, reply: object) -> None:
        try:
            self._effect = self._rest.send(reply)
        except StopIteration as stop:
            self.answer, self._done = stop.value, True

    async def go_on(self, effects: int = 1_000) -> None:  # more than any call has
        """Until the call has had so many effects, and would have another one; or to its end."""
        while not self._done:
            counts = isinstance(self._effect, self._counted)
            if counts and self._count == effects:
                return
            self._count += counts
            reply = await _handed_on(self._effect)
            # The write has been applied; the client library has tried it again, and reports the failure of that.
            if counts and self._count == self._false_at and isinstance(self._effect, kv.SetIf):
                reply = kv.PredicateFailed()
            self._send(reply)


async def meet(env: Env, call: Call, others: tuple[Call, ...], at: tuple[int, ...], false_at: int = 0) -> Met:
    """Run a call, and others before each of these effects on the store, counted from 1. If it has fewer, they run after
    it.

    false_at: a `SetIf` that is applied, and reported as failed.
    """
    one = _Paused(env, call, counted=kv.Op, false_at=false_at)
    answers: list[CallResult] = []
    for number in at:
        await one.go_on(number - 1)
        answers += await _results(env, others)
    await one.go_on()
    return Met(one.answer, tuple(answers))


async def cross(env: Env, call: Call, others: tuple[Call, ...], places: tuple[int, int]) -> Met:
    """The first of the others has so many effects, and the second one runs; the call has so many effects, and the first
    one goes on to its end, and then those that are left; then the call goes on to its end."""
    first, between, *later = others
    one = _Paused(env, first)
    await one.go_on(places[0])
    answers = await _results(env, [between])
    other = _Paused(env, call)
    await other.go_on(places[1])
    await one.go_on()
    answers += await _results(env, later)
    await other.go_on()
    return Met(other.answer, (one.answer, *answers))

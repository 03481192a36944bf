"""One client's execution: its calls one after the other, suspended at effects.

An `Execution` is a live chain of coroutines; it is driven by replies and never touches a store itself.
"""

from collections.abc import Coroutine, Sequence
from typing import Any

import attrs

from impl.codec import decode_at
from impl.effects import Effect, Env, Now
from lakeproof.explore.meaning import Cells, apply, patch
from lakeproof.scenario import Call, ScenarioError
from model import kv, objects
from model.invariants import Observer
from model.records import Record
from model.snapshot import CallView, Observed, Outcome, Status

LABELS = "abcdefghijklmnopqr"
"""Clients by letter: "a" is client 0. "s" is the setup, "z" the aftermath."""
SETUP, AFTERMATH = "s", "z"


def label(client: int) -> str:
    """A client's label. Those beyond the letters end in "_", so that no two mint the same identifier."""
    return LABELS[client] if client < len(LABELS) else f"{LABELS[client % len(LABELS)]}{client // len(LABELS)}_"


class UnexpectedError(Exception):
    """A flow raised something that is no answer (its class says nothing about being definite): a bug in the flow."""


class NondeterministicFlow(Exception):
    """A flow, given the same replies, asked for another effect than before."""


@attrs.frozen
class Program:
    """What a client runs, and how it differs from the others: its label and its clock."""

    label: str
    calls: tuple[Call, ...]
    observers: tuple[Observer, ...] = ()
    frozen_now: int | None = None
    """The time that this client reads, where the clock cannot move; None where it can."""


class Execution:
    """A client on its way. ``op`` is the effect that it waits for, None when all its calls are done."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.op: Effect | None = None
        self.finished: list[CallView] = []
        self.begins = True
        """Whether ``op`` is the first effect of its call."""
        self.minted = 0
        self._observed: list[Observed] = []
        self._attempts = 0
        self._coroutine: Coroutine[Any, Any, Any] | None = None  # type: ignore[explicit-any]
        self._begin_call()

    def send(self, reply: object) -> None:
        """Answer the effect that the client waits for, and run it up to the next one."""
        assert self.op is not None, "the client has finished"
        self._observe(self.op, reply)
        self.begins = False
        self._run(reply)

    def close(self) -> None:
        """Abandon the client where it stands."""
        if self._coroutine is not None:
            self._coroutine.close()
            self._coroutine = None

    @property
    def index(self) -> int:
        """Which of its calls is under way."""
        return len(self.finished)

    def calls(self, pending: Status = Status.PENDING) -> tuple[CallView, ...]:
        """The calls so far; the one under way, if it has performed an effect, with status ``pending``."""
        if self.op is None or self.begins:
            return tuple(self.finished)
        return (*self.finished, self._view(Outcome(pending)))

    def current_view(self) -> CallView:
        """The call under way, whether it has performed an effect or not."""
        return self._view(Outcome(Status.PENDING))

    def _begin_call(self) -> None:
        self.op = None
        self._coroutine = None
        if self.index < len(self.program.calls):
            self._observed = []
            self._attempts = self.program.calls[self.index].attempts
            self.begins = True
            self._coroutine = self._start()
            self._run(None)

    def _start(self) -> Coroutine[Any, Any, Any]:  # type: ignore[explicit-any]
        self._attempts -= 1
        call = self.program.calls[self.index]
        coroutine = call.start(Env.with_unique(self._unique))
        if not hasattr(coroutine, "send"):
            raise ScenarioError(f"{call}: expected a coroutine, found {type(coroutine).__name__}; declare it async def")
        return coroutine

    def _unique(self, kind: str) -> str:
        self.minted += 1
        return f"{self.program.label}{self.minted}"

    def _run(self, reply: object) -> None:
        while True:
            assert self._coroutine is not None
            try:
                op = self._coroutine.send(reply)
            except StopIteration as stop:
                return self._finish(Outcome(Status.OK, value=stop.value))
            except Exception as error:  # noqa: BLE001  # a flow may raise anything: _failure sorts it out
                if isinstance(error, kv.KVError | objects.ObjectError) and self._attempts:
                    self._coroutine, reply = self._start(), None
                    continue
                return self._finish(self._failure(error))
            if isinstance(op, Now) and self.program.frozen_now is not None:
                reply = self.program.frozen_now
                continue
            self.op = op
            return None

    def _failure(self, error: Exception) -> Outcome:
        definite = getattr(error, "definite", None)
        if definite is None:
            call = self.program.calls[self.index]
            raise UnexpectedError(
                f"{call} raised {error!r} after {len(self._observed)} effects; a flow may only raise errors "
                f"whose class says whether they are definite: handle it in the flow, or give the class a `definite`"
            ) from error
        return Outcome(Status.FAIL if definite else Status.INFO, error=type(error)(*error.args))

    def _finish(self, outcome: Outcome) -> None:
        _hashable(outcome.value, self.program.calls[self.index])
        self.finished.append(self._view(outcome))
        self._begin_call()

    def _view(self, outcome: Outcome) -> CallView:
        call = self.program.calls[self.index]
        seen = tuple(self._observed)
        return CallView(
            name=call.name,
            args=call.args,
            status=outcome.status,
            value=outcome.value,
            error=outcome.error,
            observed=tuple((observer.name, observer.fold(seen)) for observer in self.program.observers),
        )

    def _observe(self, op: Effect, reply: object) -> None:
        if self.program.observers:
            self._observed.append(observed(op, reply))


def observed(op: Effect, reply: object) -> Observed:
    """An effect with its reply, decoded."""
    read = written = None
    if isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate):
        read = decoded(op.partition, op.key, reply.value)
    elif isinstance(op, kv.Set | kv.SetIf):
        written = decoded(op.partition, op.key, op.value)
    return Observed(op, reply, read, written)


def decoded(partition: bytes, key: bytes, value: bytes) -> Record | None:
    """The record at an address, None where the key schema knows none."""
    return decode_at(partition, key, value)


def _hashable(value: object, call: Call) -> None:
    try:
        hash(value)
    except TypeError as error:
        raise ScenarioError(f"{call} returned {value!r}, which is not hashable; return frozen values") from error


def drive_alone(program: Program, cells: Cells, now: int) -> tuple[Cells, tuple[CallView, ...]]:
    """Run a client alone to its end, without faults: setups and aftermaths. Returns the cells and its calls."""
    run = Execution(program)
    while run.op is not None:
        if isinstance(run.op, Now):
            run.send(now)
            continue
        reply, writes = apply(cells, run.op, now)
        cells = patch(cells, writes)
        run.send(reply)
    return cells, tuple(run.finished)


def collect_observers(observer_groups: Sequence[Sequence[Observer]]) -> tuple[Observer, ...]:
    """All observers, each once, by name."""
    by_name: dict[str, Observer] = {}
    for group in observer_groups:
        for observer in group:
            by_name.setdefault(observer.name, observer)
    return tuple(by_name.values())

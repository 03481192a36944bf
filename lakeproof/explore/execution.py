"""One client's execution: its calls one after the other, suspended at effects.

An `Execution` is a live chain of coroutines; it is driven by replies and never touches a store itself.
"""

import inspect
import sys
import time
from collections.abc import Coroutine, Sequence
from types import FunctionType
from typing import Any, Final, get_args

import attrs

from lakeproof.explore.asking import folded
from lakeproof.explore.fence import FORGOTTEN, WATCH, foreign, is_ours, kind_of, message_of, place_of
from lakeproof.explore.semantics import Cells, apply, patch
from lakeproof.impl.codec import decode_at
from lakeproof.impl.effects import Effect, Env, Now
from lakeproof.impl.frames import Spot, abandon, spot
from lakeproof.impl.printable import said
from lakeproof.impl.wellformed import exact
from lakeproof.model import kv, objects
from lakeproof.model.identity import identity
from lakeproof.model.invariants import Invariant, Observer
from lakeproof.model.records import Record
from lakeproof.model.snapshot import CallView, Observed, Outcome, Status, UnhandledException
from lakeproof.scenario import Call, ScenarioError

LABELS = "abcdefghijklmnopqr"
"""Clients by letter: "a" is client 0. "s" is the setup, "z" the aftermath."""
SETUP, AFTERMATH = "s", "z"


def label(client: int) -> str:
    """A client's label. Those beyond the letters end in "_", so that no two mint the same identifier."""
    return LABELS[client] if client < len(LABELS) else f"{LABELS[client % len(LABELS)]}{client // len(LABELS)}_"


EFFECTS: Final = frozenset(get_args(Effect))
"""What a flow may await, by type."""

ALONE_STEPS_MAX: Final = 10_000
"""A setup or an aftermath that performs more effects than this loops."""


class NondeterministicFlow(Exception):
    """A flow, given the same replies, asked for another effect than before, or ended otherwise."""


@attrs.frozen
class Program:
    """What a client runs, and how it differs from the others: its label and its clock."""

    label: str
    calls: tuple[Call, ...]
    observers: tuple[Observer, ...] = ()
    frozen_now: int | None = None
    """The time that this client reads, where the clock cannot move; None where it can."""


class _Mint:
    """Gives a client's identifiers. Apart from the client: a flow that held on to it would make a circle, which the
    collector cuts by closing the flow."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.count = 0

    def __call__(self, kind: str) -> str:
        self.count += 1
        return f"{self.label}{self.count}"


class Execution:
    """A client on its way. ``op`` is the effect that it waits for; None when all its calls are done, or one of them has
    raised what is no answer (see `broken`). A coroutine that yields anything else than an effect raises NotAnEffect.
    """

    def __init__(self, program: Program) -> None:
        self._coroutine: Coroutine[Any, Any, Any] | None = None  # type: ignore[explicit-any]
        self.program = program
        self.op: Effect | None = None
        self.finished: list[CallView] = []
        self.begins = True
        """Whether ``op`` is the first effect of its call."""
        self._mint = _Mint(program.label)
        self.broken = False
        """Whether a call raised what is no answer: the client ended there, and its further calls never run."""
        self._observed: list[Observed] = []
        self._attempts = 0
        self._begin_call()

    def send(self, reply: object) -> None:
        """Answer the effect that the client waits for, and run it up to the next one."""
        assert self.op is not None, "the client has finished"
        self._observe(self.op, reply)
        self.begins = False
        self._run(reply)

    def close(self) -> None:
        """Abandon the client where it stands: nothing of its flow runs any more."""
        if self._coroutine is not None:
            abandon(self._coroutine)
            self._coroutine = None

    def __del__(self) -> None:
        """Whoever drops a client abandons it: an error on the way must not run a ``finally`` of its flow."""
        self.close()

    def spot(self) -> Spot | None:
        """The line of the flow that asks for ``op``."""
        return None if self._coroutine is None else spot(self._coroutine)

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
            self._run(None)

    def _start(self) -> Coroutine[Any, Any, Any]:  # type: ignore[explicit-any]
        self._attempts -= 1
        call = self.program.calls[self.index]
        coroutine = call.start(Env.with_unique(self._mint))
        if not hasattr(coroutine, "send") or not inspect.isawaitable(coroutine):
            raise ScenarioError(f"{call}: expected a coroutine, found {type(coroutine).__name__}; declare it async def")
        return coroutine

    @property
    def minted(self) -> int:
        """How many identifiers it has been given."""
        return self._mint.count

    def _run(self, reply: object) -> None:
        """Run the flow, from its beginning or from a reply on, up to the next effect or to the end of the client.
        Watched as a whole: where the clock stands still, reading it again and again is a loop without effects."""
        outermost = WATCH.since is None
        if outermost:
            WATCH.since = time.monotonic()
        try:
            self._advance(reply)
        except BaseException:
            self.close()
            raise
        finally:
            if outermost:
                WATCH.since = None

    def _advance(self, reply: object) -> None:
        while True:
            try:
                op = self._resume(reply)
            except StopIteration as stop:
                self._none_forgotten()
                return self._finish(Outcome(Status.OK, value=stop.value))
            except ScenarioError:
                raise
            except BaseException as error:  # a flow may raise anything: what it means is sorted out here
                if is_ours(error):
                    raise
                if isinstance(error, kv.KVError | objects.ObjectError) and self._attempts:
                    self._coroutine, reply = None, None
                    continue
                return self._finish(self._failure(error))
            self._none_forgotten()
            if type(op) not in EFFECTS:
                assert self._coroutine is not None
                raise foreign(self._coroutine, op)
            if isinstance(op, Now) and self.program.frozen_now is not None:
                reply = self.program.frozen_now
                continue
            self.op = op
            return None

    def _resume(self, reply: object) -> Effect:
        """One stretch of the flow's own code."""
        FORGOTTEN.found = ""
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, FORGOTTEN.generator)
        FORGOTTEN.listening = True
        try:
            if self._coroutine is None:
                self._coroutine = self._start()
            op = self._coroutine.send(reply)
            while True:
                try:
                    return exact(op)  # type: ignore[return-value]  # `_run` looks whether it is an effect at all
                except TypeError as error:
                    op = self._coroutine.throw(error)
        finally:
            FORGOTTEN.listening = False
            sys.set_asyncgen_hooks(*hooks)

    def _none_forgotten(self) -> None:
        if FORGOTTEN.found:
            raise ScenarioError(f"{self.program.calls[self.index]} {FORGOTTEN.found}")

    def _failure(self, error: BaseException) -> Outcome:
        """What an exception makes of the call: an answer, if its class says whether it is definite; or its end."""
        definite = getattr(error, "definite", None)
        if isinstance(error, Exception) and isinstance(definite, bool):
            FORGOTTEN.found, FORGOTTEN.listening = "", True
            for name in ("__traceback__", "__context__", "__cause__"):  # they hold on to the flow's frames
                object.__setattr__(error, name, None)  # past a class that is frozen
            FORGOTTEN.listening = False
            self._none_forgotten()
            return Outcome(Status.FAIL if definite else Status.INFO, error=error)
        self.broken = True
        found = UnhandledException(kind_of(error), message_of(error), place_of(error))
        return Outcome(Status.CRASHED, error=found)

    def _finish(self, outcome: Outcome) -> None:
        _usable(outcome, self.program.calls[self.index])
        self.finished.append(self._view(outcome))
        if self.broken:
            self.op = self._coroutine = None
        else:
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
            observed=tuple((observer.name, folded(observer, seen)) for observer in self.program.observers),
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


def _usable(outcome: Outcome, call: Call) -> None:
    """Raises ScenarioError for a result that cannot be compared with others."""
    if isinstance(outcome.value, Coroutine):
        outcome.value.close()
        raise ScenarioError(f"{call} returned a coroutine that it has not awaited; write return await ...")
    try:
        with WATCH.over():
            hash(outcome.value)
    except Exception as error:
        raise ScenarioError(
            f"{call} returned {message_of(Exception(said(outcome.value)))}, which is not hashable; return frozen values"
        ) from error


def drive_alone(program: Program, cells: Cells, now: int) -> tuple[Cells, tuple[CallView, ...]]:
    """Run a client alone to its end, without faults: setups and aftermaths. Returns the cells and its calls."""
    run = Execution(program)
    steps = 0
    while run.op is not None:
        steps += 1
        if steps > ALONE_STEPS_MAX:
            call, at = program.calls[run.index], run.spot()
            run.close()
            raise ScenarioError(f"{call}, alone, still runs after {ALONE_STEPS_MAX:,} effects, at {at}; end its loop")
        if isinstance(run.op, Now):
            run.send(now)
            continue
        reply, writes = apply(cells, run.op, now)
        cells = patch(cells, writes)
        run.send(reply)
    return cells, tuple(run.finished)


def _same_code(one: object, other: object) -> bool:
    """Whether two functions are one, or were made by one factory of the same parts."""
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        return one.__globals__ is other.__globals__ and identity(_made_of(one)) == identity(_made_of(other))
    return identity(one) == identity(other)


def _made_of(function: FunctionType) -> tuple[object, ...]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return function.__code__, cells, function.__defaults__, function.__kwdefaults__


def collect_observers(invariants: Sequence[Invariant]) -> tuple[Observer, ...]:
    """All observers of invariants, each once, by name.

    Raises:
        ScenarioError: two that differ have one name; an invariant would be shown what another one's observer made.
    """
    by_name: dict[str, tuple[Observer, str]] = {}
    for invariant in invariants:
        for observer in invariant.observers:
            known, owner = by_name.setdefault(observer.name, (observer, invariant.id))
            if not _same_code(known.fold, observer.fold):
                raise ScenarioError(
                    f"observer {observer.name!r} of {invariant.id!r} folds otherwise than that of {owner!r}; rename one"
                )
    return tuple(observer for observer, _ in by_name.values())

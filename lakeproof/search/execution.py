"""One client's execution: its calls one after the other, suspended at effects.

An `Execution` is a live chain of coroutines; it is driven by replies and never touches a store itself.

Example: a flow adds one to a counter. Each line is one run of its code, from a reply to the next effect:

    Execution(program)   op: get of n         finished: nothing
    send(NotFound())     op: set of n to "1"  finished: nothing; the get has raised NotFound in the flow
    send(None)           op: None             finished: ``add_one()``, with what it returned

A new one that is to ``follow`` [(get, NotFound()), (set to "2", None)] answers the get and returns 1: it asks for "1".
"""

import inspect
import sys
import time
from collections.abc import Coroutine, Hashable, Sequence
from contextvars import copy_context
from typing import Any, cast

import attrs

from lakeproof.impl.effects import Effect, Env, Local, Now
from lakeproof.impl.frames import Spot, abandon, spot, try_close
from lakeproof.impl.parallel import MAIN, WRITES, CutOff, Joins, Misused, Opens, Unanswered, Withdrawn
from lakeproof.impl.scheduling import Tasks
from lakeproof.impl.wellformed import exact
from lakeproof.model import kv, objects
from lakeproof.model.messages import NoProtobuf
from lakeproof.model.snapshot import CallView, Observed, Outcome, Status, UnhandledException
from lakeproof.scenario import Call, ScenarioError
from lakeproof.search.causes import cut, detach_frames
from lakeproof.search.evaluation import fold_observer
from lakeproof.search.fence import FORGOTTEN, WATCH, foreign, is_definite, is_ours, kind_of, message_of, place_of
from lakeproof.search.hooks import EFFECTS, HOOKS
from lakeproof.search.hooks import NondeterministicFlow as NondeterministicFlow
from lakeproof.search.observers import observe_effect
from lakeproof.search.program import AFTERMATH as AFTERMATH
from lakeproof.search.program import LABELS as LABELS
from lakeproof.search.program import SETUP as SETUP
from lakeproof.search.program import TIMED, Disk, Mint, check_usable, time_problem
from lakeproof.search.program import Program as Program
from lakeproof.search.program import label as label
from lakeproof.search.replies import RESTARTED, UNANSWERED, WITHDRAWN, NotOpen, TaskReply, name_of

Answered = tuple[Hashable, object, Observed | None]
"""What was requested (see `Execution.asks`), the reply, and what observers are shown of both, if there are any."""


class Execution:
    """A client on its way. ``op`` is the effect that it waits for, the first of several (see `open`); None: all
    calls are done, or it is `broken`. A coroutine that yields what is no effect raises NotAnEffect."""

    def __init__(self, program: Program, mint: Mint | None = None) -> None:
        self._coroutine: Coroutine[Any, Any, Any] | None = None  # type: ignore[explicit-any]
        self._context = copy_context()  # no two clients share their `contextvars`, nor do two runs of one
        self._outside: list[BaseException] = []  # what the driver was handling when it resumed the flow
        self._tasks: Tasks | None = None
        self._request: Opens | Joins | None = None
        self._open: tuple[tuple[str, Effect], ...] = ()
        self.program = program
        self._plan = [*program.calls]  # the calls that it has run and will run, in order
        self._recovered = 0  # where in the plan its last recovery ends
        self._disk = Disk(bool(program.recover))
        self.op: Effect | None = None
        self.finished: list[CallView] = []
        self.begins = True
        """Whether ``op`` is the first effect of its call."""
        self.mint = Mint(program.label) if mint is None else mint
        self.broken = False
        """Whether a call raised what is no answer: the client ended there, and its further calls never run."""
        self._observed: list[Observed] = []
        self._known: Sequence[Answered] = ()
        self._attempts = self._next = 0
        if self._begin_call():
            self._run(None)

    @property
    def open(self) -> tuple[tuple[str, Effect], ...]:
        """The effects that the client waits for, by task. A write is there twice where its task is cancelled (behind a
        name that ends in WITHDRAWN, one that is withdrawn), or within a timeout (UNANSWERED)."""
        if self._tasks is None:
            return () if self.op is None else ((MAIN, self.op),)
        return self._open

    @property
    def asks(self) -> Hashable:
        """What it waits for, as a key: one effect, or several by task."""
        return self.op if self._tasks is None or (self.task == MAIN and len(self._open) == 1) else self._open

    @property
    def task(self) -> str:
        """The task that waits for ``op``."""
        return MAIN if self._tasks is None else self._open[0][0]

    def send(self, reply: object) -> None:
        """Answer an effect that the client waits for (of the main task, or of a `TaskReply`), and run until it waits
        again. Raises NotOpen: that task waits for none."""
        if reply is RESTARTED:
            return self._restart()
        assert self.op is not None
        # An experiment may play the reply of a task that this history has not started: `_observe_task` raises NotOpen.
        if self._tasks is None and type(reply) is not TaskReply:
            self._observe(self.op, reply)
        else:
            self._observe_task(reply if isinstance(reply, TaskReply) else TaskReply(MAIN, reply))
        if self._tasks is None and type(self.op) is Local:
            reply = self._disk.answer(self.op)
        self.begins = False
        self._run(reply)
        return None

    @property
    def kept(self) -> Hashable:
        """What a crash would leave it, and what it would still run: nothing where it cannot restart."""
        if not self.program.recover:
            return ()
        ahead = len(self._plan) - self.index  # how many calls it still has to make
        return (tuple(sorted(self._disk.store.items())), ahead, max(0, self._recovered - self.index), self.mint.lives)

    @property
    def local(self) -> kv.Store:
        """What its local store holds."""
        return self._disk.store

    def _restart(self) -> None:
        """Crash, and begin to recover. The call under way is lost, if it has performed an effect."""
        assert self.program.recover
        assert not self.broken
        if self.op is not None and not self.begins:
            self.finished.append(self._view(Outcome(Status.CRASHED)))
        self.close()
        # A crash during a recovery begins it anew: what was left of the old one is dropped.
        rest = self._plan[max(self.index, self._recovered) :]
        self._plan[self.index :] = [*self.program.recover, *rest]  # a call that was lost is not repeated
        self._recovered = self.index + len(self.program.recover)
        self._context = copy_context()
        self.mint.begin_life()  # what this life mints must differ from what the last one has stored
        if self._begin_call():
            self._run(None)

    def follow(self, history: "Sequence[Answered]") -> int:
        """Answer the effects of a known history, until another one is requested. Returns how many were answered.
        Cost: where a client has one task, little more than the flow's own code."""
        self._known, self._next = history, 0
        while self._next < len(history) and self.asks == history[self._next][0]:
            self._next += 1  # before the send, which may answer further ones (`_resume_alone`)
            self.send(history[self._next - 1][1])
        self._known = ()
        return self._next

    def cancelled(self, task: str) -> bool:
        """Whether a task that waits was cancelled: it will not learn the reply."""
        return self._tasks is not None and any(at == name_of(task) and recalled for at, _, recalled in self._tasks.open)

    def close(self) -> None:
        """Abandon the client where it stands: nothing of its flow runs any more."""
        if self._tasks is not None:
            self._tasks.abandon()
        if self._coroutine is not None:
            abandon(self._coroutine)
        self._tasks = self._coroutine = None

    def try_close(self) -> bool:
        """`close`, unless what remains would have to be kept for ever."""
        return self._tasks is None and self._coroutine is not None and try_close(self._coroutine)

    def __del__(self) -> None:
        """A client that is dropped is abandoned: an error on the way must not run a ``finally`` of its flow. Where
        client and coroutine are in a cycle that nothing holds, it does run: the collector closes what it frees."""
        self.close()

    def spot(self, task: str | None = None) -> Spot | None:
        """The line of the flow that asks for ``op``, or for the effect of another task."""
        if self._tasks is not None and self._open:
            return spot(self._tasks.find(name_of(self.task if task is None else task)).coroutine)
        return None if self._coroutine is None else spot(self._coroutine)

    def coroutines(self) -> list[object]:
        """Those that are under way: of the call, or of its tasks."""
        return [self._coroutine] if self._tasks is None else [task.coroutine for task in self._tasks.under_way]

    def memory(self) -> tuple[object, ...]:
        """All that decides how the client goes on: see `lakeproof.search.suspended`."""
        at = (self.index, self.begins, self._attempts, tuple(sorted(self._disk.store.items())), self.kept)
        return (at, self._coroutine, self._tasks, self.mint, self._context, tuple(self._observed))

    @property
    def index(self) -> int:
        """Which of its calls is under way."""
        return len(self.finished)

    def calls(self, pending: Status = Status.PENDING) -> tuple[CallView, ...]:
        """The calls so far; the one under way, if it has performed an effect, with status ``pending``."""
        if self.op is None or self.begins:
            return tuple(self.finished)
        return (*self.finished, self._view(Outcome(pending)))

    def call(self, index: int | None = None) -> Call:
        """One of its calls, by default the one under way; the last one where it has ended."""
        return self._plan[min(self.index if index is None else index, len(self._plan) - 1)]

    def current_view(self) -> CallView:
        """The call under way, whether it has performed an effect or not."""
        return self._view(Outcome(Status.PENDING))

    def _begin_call(self) -> bool:
        """Whether there is one to run."""
        self.op = self._coroutine = self._tasks = self._request = None
        self.mint.task = MAIN  # a task may have run last
        if self.broken or self.index == len(self._plan):
            return False
        self._observed = []
        self._attempts = self.call().attempts
        self.begins = True
        return True

    def _start(self) -> Coroutine[Any, Any, Any]:  # type: ignore[explicit-any]
        self._attempts -= 1
        call = self.call()
        coroutine = call.start(Env.with_unique(self.mint, self.mint.timer, self.program.conditions, self.mint.owner))
        if not hasattr(coroutine, "send") or not inspect.isawaitable(coroutine):
            raise ScenarioError(f"{call}: expected a coroutine, found {type(coroutine).__name__}; declare it async def")
        return coroutine

    def _run(self, reply: object) -> None:
        """Run the flow, from its beginning or from a reply on, up to the next effect or to the end of the client.
        Watched as a whole: where the clock stands still, reading it again and again is a loop without effects."""
        outermost = WATCH.since is None
        if outermost:
            WATCH.since = time.monotonic()
        try:
            while self._advance(reply):
                reply = None  # the next call begins
        except BaseException:
            self.close()
            raise
        finally:
            if outermost:
                WATCH.since = None

    def _advance(self, reply: object) -> bool:
        """Whether a call has ended, and another one is to begin."""
        while True:
            outcome, op = None, cast("object", None)  # which a foreign awaitable may yield, too
            try:
                op = self._resume(reply)
            except StopIteration as stop:
                self._none_forgotten()
                cut(stop.value, self._outside)
                outcome = Outcome(Status.OK, value=stop.value)
            # What the search raises through the flow is no answer of the call, nor its end.
            except (ScenarioError, NondeterministicFlow, NotOpen, NoProtobuf):
                raise
            except Misused as error:
                raise ScenarioError(f"{self.call()}: {error} (at {place_of(error)})") from error
            except BaseException as error:  # a flow may raise anything: what it means is sorted out here
                if is_ours(error):
                    raise
                if isinstance(error, kv.KVError | objects.ObjectError) and self._attempts:
                    # Still the same call: `begins` and what was observed stay as they are.
                    self._coroutine, self._tasks, self._request, reply = None, None, None, None
                    continue
                outcome = self._failure(error)
            if outcome is not None:  # out of the handlers: what the next call raises has none of this for its context
                return self._finish(outcome)
            self._none_forgotten()
            if type(op) not in EFFECTS:
                assert self._coroutine is not None
                if isinstance(op, Opens | Joins):
                    self._request, reply = op, None  # `_resume` drives the tasks from here on
                    continue
                raise foreign(self._coroutine, op)
            if type(op) is Local and (answer := self._disk.at_once(op)) is not None:
                (reply,) = answer
                continue
            if isinstance(op, Now) and self.program.frozen_now is not None:
                reply = self.program.frozen_now
                continue
            self.op = cast("Effect", op)
            for _, each in self.open:
                if isinstance(each, TIMED) and (problem := time_problem(each, self.program)):
                    what, why = problem
                    raise ScenarioError(f"{self.call()} {what}, at {self.spot()}, and {why}")
            return False

    def _resume(self, reply: object) -> Effect:
        """One stretch of the flow's own code."""
        FORGOTTEN.found = ""
        hooks = sys.get_asyncgen_hooks()
        # The hooks are the thread's: an event loop around the search must not finalise generators of the flow.
        sys.set_asyncgen_hooks(None, FORGOTTEN.generator)
        FORGOTTEN.listening = True
        # A search that begins anew within an `except` lends its error to whatever the flow raises, as a `__context__`.
        if (handled := sys.exception()) is not None:
            self._outside.append(handled)
        try:
            if self._request is not None:
                assert self._coroutine is not None
                return self._resume_tasks(self._coroutine, reply)
            return self._context.run(self._resume_alone, reply)
        finally:
            FORGOTTEN.listening = False
            sys.set_asyncgen_hooks(*hooks)

    def _resume_alone(self, reply: object) -> Effect:
        """The same, where the flow has no groups. Runs in the client's context."""
        if self._coroutine is None:
            self._coroutine = self._start()
        op = self._coroutine.send(reply)
        # Known replies are sent from here: a way out and back in for each would cost more than the flow's own code.
        while self._next < len(self._known) and op == self._known[self._next][0]:
            _, reply, seen = self._known[self._next]
            if reply is RESTARTED:  # nothing to send: `follow` goes on with it
                break
            if type(op) is Local:
                reply = self._disk.answer(op)  # the history has None: the client itself knows the reply
            # Before the send: if the call ends in it, the count must be right for the next call.
            self._next, self.begins = self._next + 1, False
            if seen is not None:
                self._observed.append(seen)
            op = self._coroutine.send(reply)
        while True:
            try:
                return exact(op)  # type: ignore[return-value]  # `_run` looks whether it is an effect at all
            except TypeError as error:
                wrong = error
            op = self._coroutine.throw(wrong)  # in the line that requested it: the flow may catch it, and go on

    def _resume_tasks(self, main: Coroutine[Any, Any, Any], reply: object) -> Effect:  # type: ignore[explicit-any]
        """The same, where the flow has groups: until all tasks wait. Returns the first open effect."""
        if self._tasks is not None:  # as long as the call has groups, `_request` is its first one
            task, reply = (reply.task, reply.reply) if isinstance(reply, TaskReply) else (MAIN, reply)
            requested = dict(self._open)[task]
            reply = self._disk.answer(requested) if type(requested) is Local else reply
            if type(requested) is Unanswered:
                self._tasks.stall(name_of(task))
            else:
                self._tasks.answer(name_of(task), reply)
        else:
            now, local = self.program.frozen_now, self._disk.at_once

            def at_once(effect: object) -> tuple[object] | None:
                return (now,) if now is not None and isinstance(effect, Now) else local(effect)

            hooks = attrs.evolve(HOOKS, at_once=at_once)  # which does not lead back here: see `Mint`
            self._tasks = Tasks(main, hooks, self.mint.given_to, self._context)
            self._tasks.run(self._request)
        open_: list[tuple[str, Effect]] = []
        for name, op, cancelled in self._tasks.open:
            open_.append((name, cast("Effect", op)))
            waiting = self._tasks.find(name)
            # A second entry is a second outcome of the same write: not applied, or applied without an answer in time.
            if cancelled:
                open_.append((name + WITHDRAWN, CutOff(op) if waiting.expired else Withdrawn(op)))
            elif self.program.waits and waiting.timed and isinstance(op, WRITES):
                open_.append((name + UNANSWERED, Unanswered(op)))
        self._open = tuple(open_)
        if (ended := self._tasks.main).ended:
            raise StopIteration(ended.handle.value) if ended.error is None else ended.error  # as `send` would end
        return self._open[0][1]

    def _none_forgotten(self) -> None:
        if FORGOTTEN.found:
            raise ScenarioError(f"{self.call()} {FORGOTTEN.found}")

    def _failure(self, error: BaseException) -> Outcome:
        """What an exception makes of the call: an answer, if its class says whether it is definite; or its end."""
        if isinstance(error, Exception) and (definite := is_definite(error)) is not None:
            # Letting go of frames drops their generators: one that was left half-way shows only now.
            FORGOTTEN.found, FORGOTTEN.listening = "", True
            detach_frames(error, self._outside, self.call())
            FORGOTTEN.listening = False
            self._none_forgotten()
            return Outcome(Status.FAIL if definite else Status.INFO, error=error)
        self.broken = True
        found = UnhandledException(kind_of(error), message_of(error), place_of(error))
        return Outcome(Status.CRASHED, error=found)

    def _finish(self, outcome: Outcome) -> bool:
        check_usable(outcome, self.call())
        self.finished.append(self._view(outcome))
        return self._begin_call()

    def _view(self, outcome: Outcome) -> CallView:
        call = self.call()
        seen = tuple(self._observed)
        return CallView(
            name=call.name,
            args=call.args,
            status=outcome.status,
            value=outcome.value,
            error=outcome.error,
            observed=tuple((observer.name, fold_observer(observer, seen)) for observer in self.program.observers),
        )

    def _observe(self, op: Effect, reply: object) -> None:
        if self.program.observers and type(op) is not Local:
            self._observed.append(observe_effect(op, reply))

    def _observe_task(self, reply: TaskReply) -> None:
        op = dict(self.open).get(reply.task)
        if op is None:
            raise NotOpen(reply.task)
        unknown = self.cancelled(reply.task) or type(op) is Unanswered  # to the flow: so it is to observers
        self._observe(dict(self.open)[name_of(reply.task)], kv.OutcomeUnknown() if unknown else reply.reply)

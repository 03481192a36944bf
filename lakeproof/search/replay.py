"""Recording and replaying: moves become a trace, and a trace is compared with the code as it is now.

Both run the real coroutines in a `World`, step by step, and judge every state literally (`referee.py`).

Example: clients a and b add one to a counter; the trace has the steps get, get, set, set, and loses an update. Then the
flow is edited. Where lines have moved and nothing else, a replay makes the four steps again. With ``n + 2`` in the
place of ``n + 1`` the flow waits for another effect than the trace says, and step 3 is not made::

    step 3 of 4, client a: the code no longer follows the trace
      trace: add_one(): set counters/n = 1
      code:  add_one(): set counters/n = 2
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Final

import attrs

from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import CallView, Outcome
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Aftermath, Scenario, recovery
from lakeproof.search import describe
from lakeproof.search.describe import Effected
from lakeproof.search.execution import LABELS, label
from lakeproof.search.faults import OF_CLIENTS, REPEATED, Mode, Move
from lakeproof.search.fresh_names import Pairing
from lakeproof.search.referee import Referee, Verdicts
from lakeproof.search.rounds import Rounds, done_in, looks
from lakeproof.search.semantics import Value
from lakeproof.search.setup import Setting, prepare, run_aftermath
from lakeproof.search.trace import KeyChange, Trace, TraceError, TraceStep
from lakeproof.search.views import unhandled_after
from lakeproof.search.world import ExecutedStep, World


class NotReproduced(Exception):
    """A search has reported moves that do not violate the invariant when they are executed: an invariant or a flow is
    not a function of what it is given, or a mistake of ours."""


IMPURE: Final = (
    "invariants, observers and flows must be functions of what they are given: no clock, no random, nothing that they "
    "remember from one call to the next. If they are, this is a mistake of lakeproof's; please report it"
)


class ReplayDiverged(Exception):
    """The code no longer does what the trace says. The message names the step, and shows both."""

    def __init__(self, where: str, recorded: str, found: str) -> None:
        super().__init__(f"{where}: the code no longer follows the trace\n  trace: {recorded}\n  code:  {found}")


@attrs.frozen
class Replay:
    """A trace that the code still follows, to the byte."""

    trace: Trace
    steps: int


class JudgedRun:
    """One execution of a scenario, judged after every step and described in words."""

    def __init__(self, scenario: Scenario, setting: Setting | None = None) -> None:
        self.scenario = scenario
        self.verdicts = Verdicts()
        self.world = World(prepare(scenario) if setting is None else setting)
        self._referee = Referee(scenario, self.verdicts)
        self._monitors = self._referee.start()
        # Where the write that is in flight was requested: when it arrives, its flow is somewhere else.
        self._late_at = ""
        self._made: list[ExecutedStep] = []
        self.rounds = Rounds(scenario)
        # The first state counts: a promise may be owed, and an invariant be violated, before any step.
        self.rounds.see(self.world)
        self._referee.state(self.world, self._monitors)

    def possible(self, move: Move) -> bool:
        return move in self.world.moves()

    def violation(self, invariant_id: str) -> Violation | None:
        """What is known against an invariant so far."""
        found = self.verdicts.violations.get(invariant_id)
        return None if found is None else found[0]

    def broken(self, invariant_id: str, loop: int | None) -> Violation | None:
        """What is known against it at the end of the steps that were made. Where those after ``loop`` repeat for
        ever, they are made once more.

        Raises:
            NotReproduced: the second round differs, by more than the names of fresh identifiers.
        """
        if not self.rounds.judges(invariant_id):
            return self.violation(invariant_id)
        found = self.rounds.broken(invariant_id, loop)
        if found and loop is not None:
            self._repeat(self._made[loop:])
        return Violation(invariant_id, found) if found else None

    def _repeat(self, steps: Sequence[ExecutedStep]) -> None:
        looked, again = looks(self.world), list[ExecutedStep]()
        for step in steps:  # one that is not possible is left out, and so differs below
            again += [self.advance(step.move)] if self.possible(step.move) else []
        # After both rounds: the mints then know the identifiers of both.
        pairing = Pairing(name for client in self.world.clients for name in client.mint.names)
        for number, (one, other) in enumerate(zip_longest(map(done_in, steps), map(done_in, again)), start=1):
            if not pairing.alike(one, other):
                raise NotReproduced(f"step {number} of {len(steps)} of the loop differs in the second round; {IMPURE}")
        if not pairing.alike(looked, looks(self.world)):
            raise NotReproduced(f"the second round of the loop ends in another state than the first one; {IMPURE}")

    def advance(self, move: Move) -> ExecutedStep:
        """Make a move, and judge it and the state that it leads to."""
        # `World` replaces its cells and never changes them in place, so this remains the state before.
        before = self.world.cells
        step = self.world.step(move)
        self._made.append(step)
        self._monitors = self._referee.step(self.world, step, before, self._monitors)
        self._referee.state(self.world, self._monitors)
        self.rounds.see(self.world)
        return step

    def describe(self, move: Move) -> TraceStep:
        """Make a move, and tell it in words."""
        # Before the move: afterwards the coroutine waits at its next effect.
        at = self._line(move)
        return self._in_words(self.advance(move), at)

    def _line(self, move: Move) -> str:
        """The line of the flow that requested what this move does. A late write has the line of the write."""
        if move.mode is Mode.DELIVER:
            return self._late_at
        # A crash belongs to all tasks: it is shown at the line of the first one that waits.
        task = None if move.mode in OF_CLIENTS else move.task
        at = self.world.clients[move.client].spot(task) if move.client >= 0 else None
        line = "" if at is None else str(at)
        if move.mode in REPEATED:
            self._late_at = line
        return line

    def pending(self, client: int, task: str) -> Effected:
        """The effect that a task of a client waits for, in words."""
        op = dict(self.world.clients[client].open).get(task) if self.world.alive(client) else None
        return describe.effect(op, self.scenario.start_time, label(client))

    def close(self) -> None:
        self.world.close()

    def _in_words(self, step: ExecutedStep, at: str) -> TraceStep:
        start = self.scenario.start_time
        effected = describe.effect(step.op, start, label(step.client) if step.client >= 0 else "")
        value = effected.value
        if step.move.mode is Mode.TICK:
            value = describe.span(step.passed)
        changes = tuple(_change(*change) for change in step.changes)
        call = step.call
        if step.move.mode in OF_CLIENTS and not (call is not None and not call.done):
            call = None  # it crashes between two calls
        return TraceStep(
            client=LABELS[step.client] if step.client >= 0 else "",
            call="" if call is None else describe.describe_call(call),
            mode=step.move.mode,
            effect=effected.effect,
            # The end of a time to live has no effect, and so no key of its own in words.
            key=changes[0].key if step.move.mode is Mode.EXPIRE else effected.key,
            value=value,
            condition=effected.condition,
            reply=describe.reply(step.op, step.reply, start),
            changes=changes,
            returned=tuple(describe.describe_end(call) for call in step.ended),
            exact=describe.exact(step.op, step.reply, step.changes),
            at=at,
            task=step.move.task,
        )


def _change(cell: object, before: Value | None, after: Value | None) -> KeyChange:
    assert isinstance(cell, tuple)
    return KeyChange(
        key=describe.cell(cell), before=describe.describe_cell(cell, before), after=describe.describe_cell(cell, after)
    )


def with_one_invariant(scenario: Scenario, invariant_id: str) -> Scenario:
    """The scenario for a run in which only this one is judged. The observers of all stay: the setting is to be that of
    the whole scenario."""
    return attrs.evolve(
        scenario,
        invariants=[invariant for invariant in scenario.invariants if invariant.id == invariant_id],
        aftermath=[
            aftermath
            for aftermath in scenario.aftermath
            if invariant_id in (aftermath.id, NO_UNHANDLED_EXCEPTION)  # its calls may raise
        ],
        expect={invariant_id: "violated"},
    )


def record(
    scenario: Scenario,
    invariant_id: str,
    moves: Sequence[Move],
    *,
    version: str,
    file: str | None = None,
    loop: int | None = None,
) -> Trace:
    """Execute the moves of a counterexample and tell them as a trace. ``loop``: as `Counterexample.loop`.

    Raises:
        NotReproduced: the moves are not possible, or the invariant is not violated by the last of them.
    """
    # The judge knows one invariant, so that others cannot end the run; the setting is that of the whole scenario.
    run = JudgedRun(with_one_invariant(scenario, invariant_id), prepare(scenario))
    steps = []
    for number, move in enumerate(moves, start=1):
        # The search reports the first violation on the way: an earlier one here means that it judged otherwise.
        if run.violation(invariant_id) is not None:
            raise NotReproduced(f"{invariant_id} is violated before step {number} of {len(moves)}; {IMPURE}")
        if not run.possible(move):
            raise NotReproduced(f"step {number} of {len(moves)}, {move}, is not possible there; {IMPURE}")
        steps.append(run.describe(move))
    violation = run.broken(invariant_id, loop)
    if violation is None:
        raise NotReproduced(f"{invariant_id} was violated in the search, and is not when its moves are made; {IMPURE}")
    run.close()
    return Trace(
        lakeproof=version,
        scenario=scenario.name,
        file=file,
        faults=scenario.faults,
        clients=_clients(scenario),
        recover=_recover(scenario),
        initially=describe.initially(run.world.setting.cells),
        schedule=tuple(steps),
        afterwards=_afterwards(scenario, invariant_id, violation, run.world),
        invariant=invariant_id,
        meaning=scenario.meaning(invariant_id),
        evidence=describe.printable(violation.evidence),
        loop=loop,
    )


def _clients(scenario: Scenario) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(describe.printable(str(call)) for call in calls) for calls in scenario.clients)


def _recover(scenario: Scenario) -> tuple[tuple[str, ...], ...]:
    """What clients run when they start again; empty: none does."""
    found = [tuple(describe.printable(str(call)) for call in recovery(calls)) for calls in scenario.clients]
    # Without restarts no recovery can run, and a story would promise one.
    return tuple(found) if scenario.faults.restarts else ()


def _afterwards(scenario: Scenario, invariant_id: str, violation: Violation, world: World) -> tuple[str, ...]:
    """The calls of the aftermath that found the violation, and how they ended; nothing if none did."""
    for aftermath in scenario.aftermath:
        # Run once more, for its words alone: the judge has kept the violation and not the outcomes.
        outcomes, _ = run_aftermath(aftermath, scenario, world.cells, world.now) if world.quiescent else ((), None)
        # The second half is for NO_UNHANDLED_EXCEPTION, which a call of any aftermath may have violated.
        if aftermath.id == invariant_id or violation in unhandled_after(outcomes):
            return _ends(aftermath, outcomes)
    return ()


def _ends(aftermath: Aftermath, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    return tuple(
        describe.describe_end(CallView(call.name, call.args, outcome.status, outcome.value, outcome.error))
        for call, outcome in zip(aftermath.calls, outcomes, strict=False)  # those after a call that broke never ran
    )


def replay(trace: Trace, scenario: Scenario, on_step: Callable[[TraceStep], None] | None = None) -> Replay:
    """Execute a trace's schedule on the real flows. ``on_step`` is called with each step that agrees.

    Raises:
        ReplayDiverged: effect, reply, change or violation differ from what the trace says.
        TraceError: the trace names an invariant or a client that the scenario does not have.
    """
    if trace.invariant not in scenario.ids:
        known = ", ".join(scenario.ids)
        named = describe.brief(trace.invariant)
        raise TraceError(f"{scenario.name}: no invariant {named}; it checks {known}: verify it again")
    # Before any step: with other bounds or calls, the moves of the trace mean something else.
    differences = [
        ("the faults are", attrs.asdict(trace.faults), attrs.asdict(scenario.faults)),
        ("the clients are", trace.clients, _clients(scenario)),
        ("to recover, clients run", trace.recover, _recover(scenario)),
    ]
    for what, recorded, found in differences:
        if recorded != found:
            raise ReplayDiverged("before step 1", f"{what} {recorded}", f"{what} {found}")
    run = JudgedRun(scenario)
    # Compared as words, and by key: the message names the first key that differs, not two whole stores.
    recorded_first, found_first = dict(trace.initially), dict(describe.initially(run.world.setting.cells))
    if recorded_first != found_first:
        key = min(key for key in {**recorded_first, **found_first} if recorded_first.get(key) != found_first.get(key))
        recorded = f"the setup leaves {_holding(key, recorded_first.get(key))}"
        raise ReplayDiverged("before step 1", recorded, f"it leaves {_holding(key, found_first.get(key))}")
    for number, step in enumerate(trace.schedule, start=1):
        where = f"step {number} of {len(trace.schedule)}" + (f", client {step.client}" if step.client else "")
        if run.violation(trace.invariant) is not None:
            raise ReplayDiverged(where, f"{trace.invariant} still holds here", "it is violated already")
        _follow(run, step, where, f"schedule[{number - 1}]")
        if on_step:
            on_step(step)
    _compare_ends(run, trace)
    run.close()
    return Replay(trace, len(trace.schedule))


def _follow(run: JudgedRun, step: TraceStep, where: str, place: str) -> None:
    move = move_of(step, len(run.scenario.clients), place)
    # First what is requested, then whether it can turn out so: the first difference is what an edit has changed.
    if move.client >= 0 and step.mode not in OF_CLIENTS:
        recorded = Effected(step.effect, step.key, step.value, step.condition)
        found = run.pending(move.client, move.task)
        if found != recorded:
            now = f"{_pending_call(run, move.client)}: {found}" if found.effect else _silent(run, move)
            raise ReplayDiverged(where, f"{step.call}: {recorded}", now)
    # The effect is the same, and another mode of it is not possible: a fault budget, or what the store holds, differs.
    if not run.possible(move):
        now = f"only this is possible: {', '.join(map(str, run.world.moves())) or 'nothing'}"
        raise ReplayDiverged(where, f"{step.effect or 'this'} turns out as {step.mode.value!r}", now)
    found_step = run.describe(move)
    if _without_lines(found_step) != _without_lines(step):
        raise ReplayDiverged(where, *_difference(step, found_step))


def _silent(run: JudgedRun, move: Move) -> str:
    """Why a client, or a task of it, waits for nothing."""
    if not run.world.alive(move.client):
        return "the client has finished"
    return f"no task {move.task!r} waits; {', '.join(repr(task) for task, _ in run.world.clients[move.client].open)} do"


def _pending_call(run: JudgedRun, client: int) -> str:
    return describe.describe_call(run.world.clients[client].current_view())


def move_of(step: TraceStep, clients: int, place: str) -> Move:
    """The move of a step. Raises TraceError: ``place`` names a client that the scenario does not have."""
    if step.mode in (Mode.TICK, Mode.DELIVER, Mode.EXPIRE):
        return Move(-1, step.mode, step.task)
    client = LABELS.find(step.client)
    if len(step.client) != 1 or not 0 <= client < clients:
        known = ", ".join(LABELS[:clients])
        raise TraceError(f"{place}.client: {describe.brief(step.client)}: clients are {known}; record the trace again")
    return Move(client, step.mode, step.task)


def _without_lines(step: TraceStep) -> TraceStep:
    """A step without its lines, which move whenever a file is edited."""
    return attrs.evolve(step, at="", returned=tuple(_PLACE.sub("", ended) for ended in step.returned))


def _difference(recorded: TraceStep, found: TraceStep) -> tuple[str, str]:
    for name in (field.name for field in attrs.fields(TraceStep)):
        # The fingerprint is looked at last: where words differ as well, they say more than two hashes do.
        if name != "exact" and getattr(_without_lines(recorded), name) != getattr(_without_lines(found), name):
            return _field_in_words(name, getattr(recorded, name)), _field_in_words(name, getattr(found, name))
    return (
        f"bytes with the fingerprint {recorded.exact}",
        f"the same in words, but with the fingerprint {found.exact}: a field that words leave out has changed",
    )


def _field_in_words(name: str, content: object) -> str:
    if name == "changes":
        assert isinstance(content, tuple)
        shown = ", ".join(f"{_holding(c.key, c.before)} -> {_content(c.after)}" for c in content)
        return f"changes {shown}" if shown else "changes nothing"
    if name == "returned":
        assert isinstance(content, tuple)
        return ", ".join(content) or "the call continues"
    return f"{name} {content or 'none'}"


def _holding(key: str, content: str | None) -> str:
    return f"{key}: {_content(content)}"


def _content(content: str | None) -> str:
    return "nothing" if content is None else content


def _compare_ends(run: JudgedRun, trace: Trace) -> None:
    where = f"after step {len(trace.schedule)} of {len(trace.schedule)}"
    try:
        violation = run.broken(trace.invariant, trace.loop)
    except NotReproduced as error:
        raise ReplayDiverged(where, "the loop repeats for ever", str(error).partition(";")[0]) from error
    if violation is None:
        raise ReplayDiverged(where, f"{trace.invariant} is violated: {trace.evidence}", "it holds")
    # A loop is of those invariants alone that speak of what repeats for ever.
    for what, recorded, found in (
        ("evidence", [trace.evidence], [describe.printable(violation.evidence)]),
        ("loop after step", [str(trace.loop)], [str(trace.loop if run.rounds.judges(trace.invariant) else None)]),
        ("afterwards, alone", trace.afterwards, _afterwards(run.scenario, trace.invariant, violation, run.world)),
    ):
        if [_PLACE.sub("", each) for each in recorded] != [_PLACE.sub("", each) for each in found]:
            one, other = (f"{what}: {', '.join(each) or 'nothing'}" for each in (recorded, found))
            raise ReplayDiverged(where, one, other)


# As `UnhandledException` ends with it. From the last " at ": the message before it may hold another one.
_PLACE: Final = re.compile(r" at (?:(?! at ).)+:\d+$")
"""The line at the end of an evidence: it moves whenever a file is edited."""

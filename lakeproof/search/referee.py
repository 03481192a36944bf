"""Judges one execution of a world, slowly and literally: each invariant in every state that it speaks of.

Replays of counterexamples and the machines of `stateful_tests` are judged so; what it says is compared with the search.
"""

from collections.abc import Hashable, Iterable

import attrs

from lakeproof.model.invariants import Always, Eventually, Finding, Monitor, OnStep, Reached, Violation
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search import evaluation
from lakeproof.search.faults import Mode, Move
from lakeproof.search.judge import APPLIED
from lakeproof.search.kernel import advance
from lakeproof.search.semantics import Cells, write_of
from lakeproof.search.setup import run_aftermath
from lakeproof.search.space import DEAD
from lakeproof.search.views import END_READS, END_REPAIR, UNSEEN, transition, unhandled_after, unhandled_errors
from lakeproof.search.world import ExecutedStep, World


@attrs.define
class Verdicts:
    """What has been found of each invariant: its first violation with its moves, or how often it was tested."""

    violations: dict[str, tuple[Violation, tuple[Move, ...]]] = attrs.field(factory=dict)
    reached: dict[str, int] = attrs.field(factory=dict)

    def add(self, name: str, findings: Iterable[Finding], moves: tuple[Move, ...]) -> None:
        for finding in findings:
            if isinstance(finding, Violation):
                self.violations.setdefault(name, (finding, moves))
            else:
                assert isinstance(finding, Reached)
                self.reached[name] = self.reached.get(name, 0) + 1


class Referee:
    """Judges one execution of a world, step by step."""

    def __init__(self, scenario: Scenario, verdicts: Verdicts) -> None:
        self.scenario = scenario
        self.verdicts = verdicts
        self.monitors = tuple(i for i in scenario.invariants if isinstance(i, Monitor))

    def start(self) -> tuple[Hashable, ...]:
        """The states of the monitors at the beginning."""
        return tuple(monitor.first(late=self.scenario.late) for monitor in self.monitors)

    def state(self, world: World, monitors: tuple[Hashable, ...]) -> None:
        """Judge a state, in which the monitors are in theirs."""
        seen = world.snapshot()
        moves = tuple(world.history)
        for invariant in self.scenario.invariants:
            # Once for each state, and without projections: what the search saves is not believed here.
            if isinstance(invariant, Always) or (isinstance(invariant, Eventually) and world.quiescent):
                self._ask(invariant.id, invariant.check, moves, seen.only(invariant.may_read))
        self.verdicts.add(NO_UNHANDLED_EXCEPTION, unhandled_errors(seen.clients), moves)
        answered = [Reached(f"{call.name} was answered") for call in seen.calls() if call.done]
        # One is enough: what counts is that any call has come to an end at all.
        self.verdicts.add(NO_UNHANDLED_EXCEPTION, answered[:1], moves)
        if world.quiescent:
            final = seen.only(END_READS, END_REPAIR)
            for monitor, state in zip(self.monitors, monitors, strict=True):
                if monitor.at_end is not None and state is not DEAD:
                    self._ask(monitor.id, monitor.at_end, moves, state, final)
            for aftermath in self.scenario.aftermath:
                outcomes, after = run_aftermath(aftermath, self.scenario, world.cells, world.now)
                self.verdicts.add(NO_UNHANDLED_EXCEPTION, unhandled_after(outcomes), moves)
                self._ask(aftermath.id, aftermath.check, moves, outcomes, after)

    def _ask(self, name: str, check: evaluation.Check, moves: tuple[Move, ...], *shown: object) -> None:
        self.verdicts.add(name, evaluation.findings(name, check, *shown), moves)

    def step(
        self, world: World, step: ExecutedStep, before: Cells, monitors: tuple[Hashable, ...]
    ) -> tuple[Hashable, ...]:
        """Judge a transition that has just been made, and advance the monitors."""
        moves = tuple(world.history)
        # A crash and a tick have no effect; a withdrawn write has one, and does not take place.
        taken = step.op is not None and not isinstance(step.op, UNSEEN)
        if step.call is not None and taken and step.move.mode in (*APPLIED, Mode.DELIVER):
            assert step.op is not None
            op = write_of(step.op)
            # The world has moved on, and its time has not: only a tick changes that, and it has no effect.
            seen = transition(world.setting, world.now, step.client, step.call, op, before)
            for invariant in self.scenario.invariants:
                if isinstance(invariant, OnStep) and evaluation.watches(invariant, step.call.name, op):
                    self._ask(invariant.id, invariant.check, moves, seen)
        after = []
        for monitor, state in zip(self.monitors, monitors, strict=True):
            state, findings = advance(monitor, state, step.events)
            self.verdicts.add(monitor.id, findings, moves)
            after.append(state)
        return tuple(after)

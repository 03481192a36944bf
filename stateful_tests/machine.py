"""A rule-based state machine over `World`: operations start, step, fail and crash as Hypothesis likes.

Hypothesis chooses what a scenario fixes: how many clients there are, what they do and when they begin. After each
step the same invariants are checked as by the search, by the same referee; a failure shrinks to a short story.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lakeproof import Call, Faults, Scenario
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import Invariant
from lakeproof.scenario import Aftermath
from lakeproof.search.faults import Mode, Move
from lakeproof.search.referee import Referee, Verdicts
from lakeproof.search.setup import prepare
from lakeproof.search.world import World

ALL: Final = list(HealthCheck)


def hold(machine: type[RuleBasedStateMachine], seed: int, *, runs: int, steps: int = 40) -> None:
    """Run a machine so often, for so many steps each, from a seed; a failure shrinks."""
    # Steps of a world are slow and preconditions filter much, which two of these checks would report.
    given = settings(max_examples=runs, stateful_step_count=steps, print_blob=True, suppress_health_check=ALL)
    run_state_machine_as_test(hypothesis.seed(seed)(machine), settings=given)


def refute(machine: type[RuleBasedStateMachine], *, runs: int, steps: int = 40, shrinks: bool = False) -> None:
    """Look for a failure, in the same runs each time."""
    given = settings(
        max_examples=runs,
        stateful_step_count=steps,
        # The same runs each time: a control that fails by chance only would be no control.
        derandomize=True,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink) if shrinks else (Phase.generate,),
        suppress_health_check=ALL,
    )
    run_state_machine_as_test(machine, settings=given)


async def idle(env: Env) -> None:
    """A client that has nothing to do: a world needs one to begin with."""


class ConcurrentMachine(RuleBasedStateMachine):
    """Starts operations from a menu, and steps pending ones. Subclasses give the menu and the invariants."""

    menu: ClassVar[Sequence[Call]]
    """The operations that may start, at any time and as often as Hypothesis likes."""
    setup: ClassVar[Sequence[Call]] = ()
    invariants_checked: ClassVar[Sequence[Invariant]]
    aftermath: ClassVar[Sequence[Aftermath]] = ()
    """What is checked when no operation is under way."""
    faults: ClassVar[Faults] = Faults()
    clients_max: ClassVar[int] = 6
    """How many may be under way at once."""
    last_failure: ClassVar[tuple[str, int]] = ("", 0)
    """The invariant that failed last, and after how many moves; once Hypothesis is done, of the shrunk failure."""

    @initialize()
    def begin(self) -> None:
        scenario = Scenario(
            name=type(self).__name__,
            setup=self.setup,
            clients=[[Call(idle)]],
            invariants=self.invariants_checked,
            aftermath=self.aftermath,
            faults=self.faults,
        )
        self.verdicts = Verdicts()
        self.referee = Referee(scenario, self.verdicts)
        self.world = World(prepare(scenario))
        self.monitors = self.referee.start()
        # Of the setup, before anything moves.
        self._check()

    @precondition(lambda self: sum(map(self.world.alive, range(len(self.world.clients)))) < self.clients_max)
    @rule(data=st.data())
    def start(self, data: st.DataObject) -> None:
        """A client begins an operation: from now on it may step."""
        self.world.start(data.draw(st.sampled_from(list(self.menu)), label="operation"))
        self._check()

    @precondition(lambda self: self._moves(normal=True))
    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        """Some pending client performs its next effect."""
        self._move(data.draw(st.sampled_from(self._moves(normal=True)), label="step"))

    @precondition(lambda self: self._moves(normal=False))
    @rule(data=st.data())
    def fault(self, data: st.DataObject) -> None:
        """Something goes wrong: an answer is lost, a client crashes, the clock jumps, a late write arrives."""
        self._move(data.draw(st.sampled_from(self._moves(normal=False)), label="fault"))

    def teardown(self) -> None:
        # A run that failed in `begin` has no world.
        if hasattr(self, "world"):
            self.world.close()

    def _moves(self, *, normal: bool) -> list[Move]:
        return [move for move in self.world.moves() if (move.mode is Mode.NORMAL) is normal]

    def _move(self, move: Move) -> None:
        # Invariants compare the cells before a step with those after it.
        before = self.world.cells
        self.monitors = self.referee.step(self.world, self.world.step(move), before, self.monitors)
        self._check()

    def _check(self) -> None:
        self.referee.state(self.world, self.monitors)
        for name, (violation, moves) in self.verdicts.violations.items():
            # On the class: Hypothesis makes a new machine for each run, and the last one is the smallest.
            type(self).last_failure = (name, len(moves))
            raise AssertionError(f"{name}: {violation.evidence}")

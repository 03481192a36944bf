"""Liveness along one execution: what is owed at its end, and whether a loop in it leads back to where it began.

A lasso is believed when its loop has been made twice on the real flows: each round does the same, step for step, and
ends in a state that looks like the one before it. Fresh identifiers are others in each round: to each one of the first
round belongs one of the second.
"""

from collections.abc import Hashable

import attrs

from lakeproof.model.identity import identity
from lakeproof.model.invariants import Promise
from lakeproof.scenario import Scenario
from lakeproof.search import evaluation
from lakeproof.search.faults import Mode
from lakeproof.search.liveness import in_words, of_liveness
from lakeproof.search.replies import UNANSWERED
from lakeproof.search.world import ExecutedStep, World


@attrs.define
class _Owed:
    """One promise of a property, along an execution."""

    name: str
    promise: Promise
    owed: bool = False
    kept_last: int = -1
    """In which state it was kept last; the first one is 0."""


class Rounds:
    """The promises of a scenario along one execution."""

    def __init__(self, scenario: Scenario) -> None:
        self._fairness = {each.id: each.fairness for each in of_liveness(scenario)}
        self._owed = [
            _Owed(each.id, promise)
            for each in of_liveness(scenario)
            for promise in each.promises(len(scenario.clients))
        ]
        self._open: list[frozenset[tuple[int, str]]] = []
        self._moved: list[tuple[int, str]] = []

    def judges(self, name: str) -> bool:
        """Whether this is a *liveness* property."""
        return name in self._fairness

    def see(self, world: World) -> None:
        """Take in a state: the one after ``world.history``."""
        if not self._owed:
            return
        for each in self._owed:
            seen = world.snapshot().only(each.promise.reads)
            # First: a state that fulfils a promise owes nothing, even if it is also one that makes it.
            if evaluation.holds(each.name, each.promise.after, seen):
                each.owed, each.kept_last = False, len(self._open)
            elif evaluation.holds(each.name, each.promise.before, seen):
                each.owed = True
        if world.history:
            # `_moved[i]` is the step out of the state of `_open[i]`.
            self._moved.append((world.history[-1].client, world.history[-1].task))
        # That an answer comes too late is possible in each state, and never must happen.
        moves = [move for move in world.moves() if not move.task.endswith(UNANSWERED)]
        owed = [move for move in moves if move.mode in (Mode.NORMAL, Mode.TICK, Mode.EXPIRE)]  # a fault is never owed
        self._open.append(frozenset((move.client, move.task) for move in owed))

    def broken(self, name: str, loop: int | None) -> str:
        """What breaks a property where the execution ends now, or repeats its steps after ``loop`` for ever; empty if
        nothing does."""
        way = len(self._moved) if loop is None else loop
        if loop is None and self._open[-1]:  # it can go on: no end of a run
            return ""
        if loop is not None and self._fairness[name] != "none" and self._left_out(loop):
            return ""
        for each in self._owed:
            if each.name == name and each.owed and each.kept_last < way:  # kept within the loop, it is kept for ever
                return in_words(each.promise, way, len(self._moved) - way)
        return ""

    def _left_out(self, loop: int) -> bool:
        """Whether someone could move all round the loop, and did not."""
        return bool(frozenset.intersection(*self._open[loop:]) - {*self._moved[loop:]})


def looks(world: World) -> Hashable:
    """All of a state but what only the flows remember."""
    open_ = tuple(run.open if world.alive(client) else () for client, run in enumerate(world.clients))
    calls = tuple(run.calls() for run in world.clients)
    cells = tuple(sorted(world.cells.items()))
    left = tuple(world.left.items())
    return identity((cells, calls, open_, tuple(world.crashed), (world.jumps, world.passed), left, world.late))


def done_in(step: ExecutedStep) -> Hashable:
    """What was done in a step, as a key."""
    return identity((step.move, step.op, step.reply, step.answer, step.changes, step.ended, step.passed))

"""Liveness along one execution: what is owed at its end, and whether a loop in it leads back to where it began.

A lasso is believed when its loop has been made twice on the real flows: each round does the same, step for step, and
ends in a state that looks like the one before it. Fresh identifiers are others in each round: to each one of the first
round belongs one of the second.
"""

from collections.abc import Hashable

import attrs

from lakeproof.model.identity import identity
from lakeproof.model.invariants import Fairness, Promise
from lakeproof.scenario import Scenario
from lakeproof.search import evaluation
from lakeproof.search.faults import Mode, Move
from lakeproof.search.liveness import in_words, of_liveness
from lakeproof.search.replies import UNANSWERED
from lakeproof.search.world import ExecutedStep, World

_Mover = tuple[int, str]


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
        self._open: list[frozenset[_Mover]] = []
        self._moved: list[_Mover | None] = []

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
            self._moved.append(_mover(world.history[-1]))
        self._open.append(frozenset(mover for move in world.moves() if (mover := _mover(move)) is not None))

    def broken(self, name: str, loop: int | None) -> str:
        """What breaks a property where the execution ends now, or repeats its steps after ``loop`` for ever; empty if
        nothing does."""
        way = len(self._moved) if loop is None else loop
        if loop is None and self._open[-1]:  # it can go on: no end of a run
            return ""
        if loop is not None and self._left_out(loop, self._fairness[name]):
            return ""
        for each in self._owed:
            if each.name == name and each.owed and each.kept_last < way:  # kept within the loop, it is kept for ever
                return in_words(each.promise, way, len(self._moved) - way)
        return ""

    def _left_out(self, loop: int, fairness: Fairness) -> bool:
        """Whether one that is owed a move in the loop makes none: weakly fair, where it could move all the way round;
        strongly fair, where it could move at all. The search owes single steps under strong fairness; from outside of
        the flows, two steps of one task look alike."""
        if fairness == "none":
            return False
        combine = frozenset[_Mover].intersection if fairness == "weak" else frozenset[_Mover].union
        return bool(combine(*self._open[loop:]) - {*self._moved[loop:]})


def _mover(move: Move) -> _Mover | None:
    """Who makes a move, as fairness counts: a task of a client, or time. None: the move never must happen."""
    if move.mode in (Mode.TICK, Mode.EXPIRE):
        return (-1, "")
    # A fault is never owed; that an answer comes too late is possible in each state.
    owed = move.mode is Mode.NORMAL and not move.task.endswith(UNANSWERED)
    return (move.client, move.task) if owed else None


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

"""The search level by level, where a level is too large for one machine.

The difficulty: the tables of the search are compiled lazily. A node of a behaviour and a value of a cell get their
numbers when they are first met, so two workers that compile for themselves would give one number to different things.
Here only the driver compiles. It sends its tables, frozen as they are, with each step; a worker looks up and adds, and
has neither flows nor a scenario. Where a state meets an entry that is missing, the worker holds the state back whole,
and one state for each missing entry goes to the driver, which expands those few with the flows, and so compiles what is
missing; the states set aside are then expanded with the new tables, until none is left. Each state is expanded whole
and once, so that transitions are counted once. After the first levels a step seldom takes a second round.

Example: level 2 of the two counters in `lakeproof.search.expansion`. A state is (node of a, node of b, counter).

    level 2    (1, 1, 0)  (2, 0, 1)  (0, 2, 1)
    round 1    (1, 1, 0) has two successors, (2, 1, 1) and (1, 2, 1). The others lack an entry: no client has read "1"
               yet. Each speaks for one: the driver expands both, and so makes the node 3, "has read 1", in both tables
    round 2    (2, 0, 1) has the successor (2, 3, 1), and (0, 2, 1) has (3, 2, 1)
    level 3    the four of both rounds, each once; 4 transitions

Invariants. Workers project states on what invariants read (`lakeproof.spark_checks.explore.masks`); Spark tells the
projections apart, and subtracts those of earlier levels; what is left is judged here by the judge of the local search.
Monitors are columns; their reports are collected when a step of theirs is compiled. So the driver needs memory for the
tables, not for states or projections. Levels are handed over to Spark when one has more than ``driver_states``.

Restarts, ranks, and when to turn to a ranked search are the local search's, and so are verdicts. With
``Options(merge=False)`` the numbers of states are the same by construction; merged nodes depend on the order in which
pasts are met where a class is full (`lakeproof.search.behaviour.MEMBERS_MAX`). Of several equally short counterexamples
another one may be found.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.impl.parallel import MAIN
from lakeproof.model.invariants import Reads
from lakeproof.search.by_level import GivesWay, LevelSearch, Plan
from lakeproof.search.faults import COST, Mode, Move
from lakeproof.search.judge import APPLIED
from lakeproof.search.packing import Words, concatenate, distinct, repack
from lakeproof.search.paths import path_through, predecessor
from lakeproof.search.projections import STORED
from lakeproof.search.search import Result, Searching
from lakeproof.search.space import Relayout
from lakeproof.search.states import FirstReach
from lakeproof.search.views import STEP_READS
from lakeproof.spark_checks.explore.levels import Part, Row, Sought, SparkLevels
from lakeproof.spark_checks.explore.masks import Job, MoveQuestion, Question, StateQuestion

DRIVER_STATES: Final = 1 << 18
"""A level of so many states stays with the driver."""

IN_FLIGHT: Final = Move(-1, Mode.DELIVER)


def on(engine: SparkLevels, driver_states: int = DRIVER_STATES) -> Searching:
    """What `lakeproof.search.search.search` takes as ``searching``."""

    def make(plan: Plan) -> SparkSearch:
        found = SparkSearch(plan)
        found.engine, found.driver_states = engine, driver_states
        return found

    return make


class SparkSearch(LevelSearch):
    """A search that hands its levels over to an engine."""

    engine: SparkLevels
    driver_states: int

    def run(self) -> Result | GivesWay:
        while True:
            try:
                return super().run()
            except _LookedFurther:
                self.restarts += 1
                for behaviour in self._distinct_behaviours():
                    behaviour.reset()

    def _begin(self) -> None:
        super()._begin()
        self.engine.clear()
        self.waiting: dict[int, list[Part]] = {}  # by level
        self.kept: dict[int, Part] = {}  # levels that were expanded
        self.answers: list[Part] = []  # about the states of the next level
        self.ends = 0
        self.tags: dict[Hashable, int] = {}
        self.keys: dict[int, Hashable] = {}

    def _levels_ahead(self) -> Collection[int]:
        return self.waiting or self.ahead

    def _result(self, depth: int, complete: bool, stopped: str) -> Result:
        result = super()._result(depth, complete, stopped)
        return attrs.evolve(result, final_states=result.final_states + self.ends)

    def _advance(self, level: int) -> str:
        if not self.waiting:
            words = distinct(concatenate(self.ahead.pop(level), self.kernel.layout.words))
            # Once one is handed over, levels stay with the engine, even small ones: it has the old answers.
            if len(words[0]) <= self.driver_states:
                return self._level(words, level)
            self._hand_over(words, level)
        # A level may have parts of several rounds, and in a ranked search of several steps.
        return self._step(self.engine.merged(self.waiting.pop(level), self.kernel.layout), level)

    def _hand_over(self, words: Words, level: int) -> None:
        """From here on the engine keeps the levels. What is at hand is judged first."""
        self.modes.update(COST)  # the workers do not say which of them they meet
        self.judge.level(words, level)
        self.waiting[level] = [self.engine.keep(words, self.kernel.layout)]
        # Levels ahead may have states already. They are judged now, because workers answer questions about the
        # successors that they make, and about no others.
        for later, parts in self.ahead.items():
            together = distinct(concatenate(parts, self.kernel.layout.words))
            self.judge.level(together, later)
            self.waiting[later] = [self.engine.keep(together, self.kernel.layout)]
        self.ahead = {}
        for key, rows in self._judged().items():
            words = [np.array([row[at] for row in rows], np.uint64) for at in range(self.kernel.layout.words)]
            # Else workers would send the same projections again, and final states would be counted twice.
            self.engine.remember(self._tag(key), distinct(words), self.kernel.layout)
        self.judge.seen.clear()

    def _judged(self) -> dict[Hashable, list[Row]]:
        """What the judge has seen so far, as answers to questions: packed rows."""
        space, layout = self.kernel.space, self.kernel.layout
        found: dict[Hashable, list[Row]] = {}
        for key, projections in self.judge.seen.items():
            match key:
                case ("step", Move() as move, int() as node):
                    extra, key = {space.clients[move.client]: node}, ("step", move)
                case ("late", int() as number):
                    extra, key = {space.late: number}, ("step", IN_FLIGHT)
                case "aftermath":
                    continue
                case _:
                    extra = {}
            rows = found.setdefault(key, [])
            for numbers in projections:
                assert isinstance(numbers, tuple)
                # The judge trims zeros at the end of a projection.
                whole = [*numbers, *(0 for _ in range(len(layout.places) - len(numbers)))]
                for column, number in extra.items():
                    whole[column] = number
                rows.append(layout.pack(whole))
        # The judge keeps aftermaths by the values of cells. Workers need numbers, which the final states have.
        masks = self.judge.masks(STORED | {Reads.CLOCK})
        finals = [layout.pack(self._timed(numbers)) for numbers in self.judge.finals]
        if finals:
            found["aftermath"] = [tuple(part & mask for part, mask in zip(row, masks, strict=True)) for row in finals]
        return found

    def _timed(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers with the first number of the clock that is the same time: a clock may jump by nothing."""
        clock = self.kernel.space.clock
        if not 0 <= clock < len(numbers):
            return numbers
        first = self.setting.times.index(self.setting.times[numbers[clock]])
        return (*numbers[:clock], first, *numbers[clock + 1 :])

    def _step(self, part: Part, level: int) -> str:
        """What `_level` does, for a level that the engine keeps."""
        self.states += part.count
        self.widest = max(self.widest, part.count)
        self.kept[level] = part
        # The answers that workers gave when they made the states of this level. The expansion below collects anew.
        waiting, self.answers = self.answers, []
        # States are judged before they are expanded, as in the local search: a violation ends the search on this level.
        self._hear(waiting, level)
        self._report(level, part.count)
        stopped = self._stop() or self._endless_kept(part, level)
        if not stopped and not self.judge.decided:
            self._expand_kept(part, level)
            self.judge.monitors(level)
        else:
            self.unexpanded = True
        # The levels are kept for paths, and a ranked search looks for none.
        if self.ranked:
            self.engine.drop(self.kept.pop(level))
        return stopped

    def _endless_kept(self, part: Part, level: int) -> str:
        """What `_endless` says of one state in which a client can move."""
        if self.limits.steps_max is None or level < self.limits.steps_max:
            return ""
        job = self._job([])
        nothing = (0,) * job.kernel.layout.words
        found = self.engine.located(part, job, StateQuestion(0, nothing, moving=True), nothing)
        return "" if found.row is None else self._endless([np.array([word], np.uint64) for word in found.row], level)

    def _expand_kept(self, part: Part, level: int) -> None:
        while True:
            # Made anew in each round: the tables have grown, and invariants may have been decided.
            job = self._job(self._open())
            done = self.engine.expanded(part, job)
            self.transitions += done.transitions
            for stride, successors in done.successors:
                self.stride = max(self.stride, stride)
                self.waiting.setdefault(level + stride, []).append(successors)
            # Answers about moves belong to this level, those about states to the next one.
            about_states = {question.tag for question in job.states}
            self.answers += [answer for answer in done.answers if answer.tag in about_states]
            # First of all: a flow that hangs where it is compiled below must not take what is violated with it.
            self._hear([answer for answer in done.answers if answer.tag not in about_states], level)
            if done.lacking is not None:
                self._compile(done.witnesses, job)
            if part is not self.kept[level]:
                self.engine.drop(part)
            if done.lacking is None:
                return
            part = done.lacking

    def _compile(self, words: Words, job: Job) -> None:
        """Expand these states with the flows, so that what they lack is compiled."""
        # The witnesses have the layout of the job; each `Relayout` in here changes that of the kernel.
        layout = job.kernel.layout
        while True:
            try:
                current = words if layout == self.kernel.layout else repack(words, layout, self.kernel.layout)
                self.kernel.expand(current, lambda move, rows, after: None)
                return
            except Relayout:
                self.kernel.relayout()
            finally:
                self._check_sharing()

    def _hear(self, answers: Sequence[Part], level: int) -> None:
        """Judge what is new among the answers. What an invariant was found to read is collected from the start: those
        levels that gave the answers are gone."""
        # A copy: the judge adds to `found_out` in place.
        layout, found_out = self.kernel.layout, dict(self.found_out)
        for tag, row in self.engine.fresh(answers, layout):
            key, numbers = self.keys[tag], layout.unpack(row)
            move = key[1] if isinstance(key, tuple) and key[0] == "step" else None
            place = FirstReach(level, numbers, move)
            self._judge(key, numbers, place)
            # `place` is a new value, so its identity tells which records this very answer has decided.
            for record in self.judge.records.values():
                if record.place is place and not self.ranked:  # a ranked search ends here, and knows no paths
                    record.place = FirstReach(level, self._located(key, numbers, level), move)
        if self.found_out != found_out:
            # The answers were projections on what the invariant was known to read; wider ones cannot be made of them.
            raise _LookedFurther

    def _judge(self, key: Hashable, numbers: tuple[int, ...], place: FirstReach) -> None:
        match key:
            case ("always", frozenset() as reads):
                self.judge.state(reads, numbers, place)
            case ("ends", str() as name):
                self.judge.end(self._monitor(name), numbers, place)
            case ("step", Move(client=-1)):
                self.judge.delivery(numbers[self.kernel.space.late], numbers, place)
            case ("step", Move() as move):
                self.judge.step(move, numbers[self.kernel.space.clients[move.client]], numbers, place)
            case "finals":
                self.ends += 1
                self.judge.final(numbers, place)
            case "aftermath":
                self.judge.aftermath(numbers, place)
            case "broken":
                for client, column in enumerate(self.kernel.space.clients):
                    if numbers[column] in self.kernel.space.behaviours[client].broken:
                        self.judge.broken(client, numbers[column], place)
            case _:
                raise AssertionError(f"no question asks {key!r}")

    def _monitor(self, name: str) -> int:
        return next(at for at, monitor in enumerate(self.kernel.space.monitors) if monitor.id == name)

    def _located(self, key: Hashable, numbers: tuple[int, ...], level: int) -> tuple[int, ...]:
        """The numbers of a state with this projection."""

        def seek(job: Job) -> Sought:
            # The judge watches this move no longer: the invariant that watched it is violated by now.
            question = self._question(key, everything=True)
            return self.engine.located(self.kept[level], job, question, job.kernel.layout.pack(numbers))

        return self._sought(seek)

    def _sought(self, seek: Callable[[Job], Sought]) -> tuple[int, ...]:
        """The numbers of a state that is on a level. Tables forget what a later layout has made void: it is compiled
        once more."""
        while True:
            job = self._job([])
            found = seek(job)
            if found.row is not None:
                return job.kernel.layout.unpack(found.row)
            assert len(found.witnesses[0]), "a state is not where it was: the search is broken"
            self._compile(found.witnesses, job)

    def _open(self) -> list[Hashable]:
        """The questions about the states and moves to come."""
        keys: list[Hashable] = [("always", reads) for reads in self.judge.open_reads()]
        # Always there: the result counts the final states.
        keys.append("finals")
        # Nodes that break are compiled as the search goes on, so that this question can come up at any level.
        if any(behaviour.broken for behaviour in self.behaviours):
            keys.append("broken")
        keys += [("ends", self.kernel.space.monitors[index].id) for index in self.judge.open_ends()]
        if self.scenario.aftermath:
            keys.append("aftermath")
        if self.judge.watches_moves:
            modes = [mode for mode in APPLIED if mode in self.setting.modes]
            for client, behaviour in enumerate(self.behaviours):
                keys += [("step", Move(client, mode, task)) for task in (MAIN, *behaviour.tasks) for mode in modes]
            keys.append(("step", IN_FLIGHT))
        return keys

    def _job(self, keys: Sequence[Hashable]) -> Job:
        kernel = self.kernel.frozen()
        questions = [self._question(key) for key in keys]
        return Job(
            kernel=kernel,
            symmetry=self.symmetry,
            ranked=self.ranked,
            states=tuple(question for question in questions if isinstance(question, StateQuestion)),
            moves=tuple(question for question in questions if isinstance(question, MoveQuestion)),
        )

    def _question(self, key: Hashable, *, everything: bool = False) -> Question:
        """The questions, under the present layout. ``everything``: of moves that no invariant watches any more, too."""
        judge, space, tag = self.judge, self.kernel.space, self._tag(key)
        visible = tuple((column, judge.visible(client)) for client, column in enumerate(space.clients))
        match key:
            case ("always", frozenset() as reads):
                return StateQuestion(tag, judge.masks(reads), shown=visible if Reads.CLIENTS in reads else ())
            case ("ends", str() as name):
                watch = space.watches[self._monitor(name)]
                return StateQuestion(tag, judge.masks(STORED, [watch]), moving=False)
            case ("step", Move() as move):
                if move.client < 0:
                    column, count = space.late, len(space.columns[space.late].values)
                    numbers = judge.watched_deliveries()
                else:
                    column, count = space.clients[move.client], len(space.behaviours[move.client].nodes)
                    numbers = judge.watched(move.client, move.task)
                # An empty array stands for all nodes.
                watched = np.zeros(0 if everything else count, np.bool_)
                if not everything:
                    watched[numbers] = True
                return MoveQuestion(tag, move, judge.masks(STEP_READS, [column]), watched)
            case "finals":
                return StateQuestion(tag, judge.masks(frozenset(Reads)), moving=False, shown=visible)
            case "broken":
                shown = tuple((column, self._if_broken(client)) for client, column in enumerate(space.clients))
                return StateQuestion(tag, self.kernel.layout.masks(space.clients), shown=shown)
            case "aftermath":
                masks = judge.masks(STORED | {Reads.CLOCK})
                # Two numbers of the clock may be the same time: a jump may be of nothing.
                same = np.array([self.setting.times.index(time) for time in self.setting.times], np.int64)
                return StateQuestion(tag, masks, moving=False, shown=((space.clock, same),) if space.clock >= 0 else ())
            case _:
                raise AssertionError(f"no question asks {key!r}")

    def _if_broken(self, client: int) -> npt.NDArray[np.int64]:
        """For each node of a client, itself if it ended there by raising what is no answer, and 0 otherwise."""
        return np.array([node.id if node.broken else 0 for node in self.behaviours[client].nodes], np.int64)

    def _tag(self, key: Hashable) -> int:
        # Negative, and never used for another question: old answers are known by their tags.
        found = self.tags.setdefault(key, -1 - len(self.tags))
        self.keys[found] = key
        return found

    def _path(self, place: FirstReach) -> tuple[Move, ...]:
        return path_through(self.kernel, self.symmetry, self._seek, place)

    def _seek(self, level: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
        # A level from before the hand-over: the driver has it.
        if level not in self.kept:
            return predecessor(self.kernel, self.symmetry, self.levels, level, numbers)
        part = self.kept[level]
        return self._sought(lambda job: self.engine.preceding(part, job, job.kernel.layout.pack(numbers)))


class _LookedFurther(Exception):
    """An invariant read more than was collected. It is known now, and the search starts over."""

"""The search over clients that loop.

*Noticed.* A graded search (`lakeproof.search.search`) has no end where a flow loops. So after 8, 16, 32, ... effects
of one call, its states on the way are compared exactly: two equal ones are a loop, and the search begins anew, as this
one.

*Searched.* Clients are automata (`lakeproof.search.automaton`), so a state can be met again, on any later level. The
search is breadth first, and leaves out what it has visited: a level holds the states that are so many steps
from the start, and not fewer. The first violation is a shortest one, and the way back leads through the levels.

Example: two clients spin for a lock, and each releases it at last. A graded search meets (spinning, holding) on every
level from 2 on. Here it is one state, of level 2; the spinning client's step leads from it to itself.

Where clients take fresh identifiers, these are renamed (`lakeproof.search.canonical_names`), if that is found to be
sound.
"""

from typing import Final

import attrs

from lakeproof.search import describe
from lakeproof.search.automaton import Automaton
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.by_level import GivesWay, LevelSearch, Plan
from lakeproof.search.canonical_names import Renaming, obstacle
from lakeproof.search.faults import Move
from lakeproof.search.fresh_names import OTHERS, READABLE, NotOpaque
from lakeproof.search.liveness import of_liveness, runs_of
from lakeproof.search.packing import Visited, Words, concatenate, distinct, take
from lakeproof.search.paths import path_to
from lakeproof.search.results import Counterexample, Finding, Result
from lakeproof.search.space import Relayout
from lakeproof.search.states import FirstReach, Record
from lakeproof.search.trie import Trie

_IDENTIFIERS: Final = "fresh identifier"

VALUES_MIN: Final = 32
"""A key with so many values, or a channel, may be what grows."""


class _TakesIdentifiers(Exception):
    """A client takes fresh identifiers, which may be renamed."""


class LoopingSearch(LevelSearch):
    """A search that leaves out what it has visited. At its end, *liveness* is judged."""

    def __init__(self, plan: Plan) -> None:
        self.renames = False
        self.kept_apart: str | None = "final states are kept" if plan.options.keep_finals else None
        """Why identifiers are not renamed; None: that has not been looked into."""
        self._liveness = of_liveness(plan.setting.scenario)
        self._lassos: dict[str, Counterexample] = {}
        # Fairness is owed to each client: none stands for another one.
        options = attrs.evolve(plan.options, symmetry=plan.options.symmetry and not self._liveness)
        super().__init__(attrs.evolve(plan, options=options))

    def run(self) -> Result | GivesWay:
        stale = False
        while True:
            try:
                # Within the `try`: the first stretch of a flow may already show that its identifiers are not opaque.
                self.behaviours = self._compile_behaviours() if stale else self.behaviours
                return super().run()
            except _TakesIdentifiers:
                self.renames, self.symmetric = True, False  # names tell clients of one program apart
            except NotOpaque as error:
                self.renames, self.kept_apart = False, str(error)
            self.restarts, stale = self.restarts + 1, True  # compiled for the other way to spell identifiers

    def _make(self, trie: Trie) -> Behaviour:
        return Automaton(trie, renames=self.renames)

    def _begin(self) -> None:
        super()._begin()
        self.names = Renaming(self.kernel.space) if self.renames else self.symmetry
        if self.renames:
            self.judge.spellings = OTHERS
            self._rename(0)
        self.visited = Visited(self.kernel.layout)
        # The first state is visited, too: a loop may lead back to it.
        self.visited.add(self.ahead[0][0], self.kernel.layout)

    def _rename(self, level: int) -> None:
        """Give the identifiers in the states of a level to come their names."""
        while True:
            layout = self.kernel.layout
            met = distinct(concatenate(self.ahead[level], layout.words))
            try:
                self.ahead[level] = [self.names.canonical(met, self.kernel)]
            except Relayout:
                self._lay_out_anew()
            else:
                return

    def _check_sharing(self) -> None:
        minted = any(behaviour.minted for behaviour in self._distinct_behaviours())
        # Looked into once, and only when needed: the answer does not depend on the search.
        if minted and not self.renames and self.kept_apart is None:
            self.kept_apart = obstacle(self.scenario, self.setting.cells)
        if minted and not self.renames and not self.kept_apart:
            raise _TakesIdentifiers
        super()._check_sharing()

    def _level(self, words: Words, level: int) -> str:
        stopped = super()._level(words, level)
        # At most the next level: each step is one level on, and what was visited is left out of it.
        for later in list(self.ahead):
            if self.renames:
                self._rename(later)
            layout = self.kernel.layout
            met = distinct(concatenate(self.ahead.pop(later), layout.words))
            fresh = take(met, ~self.visited.contains(met, layout))
            if len(fresh[0]):
                self.visited.add(fresh, layout)
                self.ahead[later] = [fresh]
        return stopped

    def _path(self, place: FirstReach) -> tuple[Move, ...]:
        return path_to(self.kernel, self.names, self.levels, place)

    def _grown(self) -> str:
        grown, space = super()._grown(), self.kernel.space
        met = [(len(space.columns[column].values), cell) for cell, column in space.cells.items()]
        # Flows that come back to their states, and a search without an end: something outside them grows.
        if not grown and met and max(met)[0] >= VALUES_MIN:
            return f"; {describe.cell(max(met)[1])} has had {max(met)[0]:,} values"
        return f"{grown}; they are not renamed: {self.kept_apart}" if _IDENTIFIERS in grown else grown

    def _too_large(self, words: Words) -> str:
        most = self.limits.memory_bytes_max
        if most is not None and self.visited.nbytes > most:
            return f"the states so far take {self.visited.nbytes >> 20} MiB, at most {most >> 20} were allowed"
        return super()._too_large(words)

    def _result(self, depth: int, complete: bool, stopped: str) -> Result:
        # Also of a search that was stopped: a lasso among the states so far is a violation in any case.
        if self._liveness and not self.judge.decided:
            expanded = len(self.levels) - self.unexpanded  # the last level was kept, and perhaps not expanded
            runs = runs_of(self.judge, self.levels, expanded, self.names)
            judged = ((each.id, runs.judged(each, self.scenario)) for each in self._liveness)
            self._lassos = {name: found for name, found in judged if found is not None}
        return super()._result(depth, complete, stopped)

    def _finding(self, record: Record, complete: bool, stopped: str) -> Finding:
        if record.id in self._lassos:  # also where the search is not complete
            found = self._lassos[record.id]
            return Finding(
                id=record.id,
                verdict="violated",
                reached=record.reached,
                example=record.example,
                counterexample=found,
            )
        finding = super()._finding(record, complete, stopped)
        return attrs.evolve(finding, example=str(READABLE.key(finding.example)))

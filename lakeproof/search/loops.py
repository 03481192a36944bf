"""The search over clients that loop.

*Noticed.* A graded search (`lakeproof.search.search`) has no end where a flow loops. So after 8, 16, 32, ... effects
of one call, its states on the way are compared exactly: two equal ones are a loop, and the search begins anew, as this
one.

*Searched.* Clients are automata (`lakeproof.search.automaton`), so a state can be met again, on any later level. The
search is breadth first as ever, and leaves out what it has visited: a level holds the states that are so many steps
from the start, and not fewer. The first violation is a shortest one, and the way back leads through the levels.

Example: two clients spin for a lock, and each releases it at last. A graded search meets (spinning, holding) on every
level from 2 on. Here it is one state, of level 2; the spinning client's step leads from it to itself.
"""

import attrs

from lakeproof.search.automaton import Automaton
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.by_level import LevelSearch, Plan
from lakeproof.search.liveness import of_liveness, runs_of
from lakeproof.search.packing import Visited, Words, concatenate, distinct, take
from lakeproof.search.results import Counterexample, Finding, Result
from lakeproof.search.states import Record
from lakeproof.search.trie import Trie


class LoopingSearch(LevelSearch):
    """A search that leaves out what it has visited. At its end, *liveness* is judged."""

    def __init__(self, plan: Plan) -> None:
        self._liveness = of_liveness(plan.setting.scenario)
        self._lassos: dict[str, Counterexample] = {}
        # Fairness is owed to each client: none stands for another one.
        options = attrs.evolve(plan.options, symmetry=plan.options.symmetry and not self._liveness)
        super().__init__(attrs.evolve(plan, options=options))

    def _make(self, trie: Trie) -> Behaviour:
        return Automaton(trie)

    def _begin(self) -> None:
        super()._begin()
        self.visited = Visited(self.kernel.layout)
        self.visited.add(self.ahead[0][0], self.kernel.layout)

    def _level(self, words: Words, level: int) -> str:
        stopped = super()._level(words, level)
        for later in list(self.ahead):
            layout = self.kernel.layout
            met = distinct(concatenate(self.ahead.pop(later), layout.words))
            fresh = take(met, ~self.visited.contains(met, layout))
            if len(fresh[0]):
                self.visited.add(fresh, layout)
                self.ahead[later] = [fresh]
        return stopped

    def _too_large(self, words: Words) -> str:
        most = self.limits.memory_bytes_max
        if most is not None and self.visited.nbytes > most:
            return f"the states so far take {self.visited.nbytes >> 20} MiB, at most {most >> 20} were allowed"
        return super()._too_large(words)

    def _result(self, depth: int, complete: bool, stopped: str) -> Result:
        if self._liveness and not self.judge.decided:
            expanded = len(self.levels) - self.unexpanded
            runs = runs_of(self.judge, self.levels, expanded)
            judged = ((each.id, runs.judged(each, self.scenario)) for each in self._liveness)
            self._lassos = {name: found for name, found in judged if found is not None}
        return super()._result(depth, complete, stopped)

    def _finding(self, record: Record, complete: bool, stopped: str) -> Finding:
        if record.id in self._lassos:
            found = self._lassos[record.id]
            return Finding(
                id=record.id,
                verdict="violated",
                reached=record.reached,
                example=record.example,
                counterexample=found,
            )
        return super()._finding(record, complete, stopped)

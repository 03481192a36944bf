"""The search over clients that loop.

*Noticed.* A graded search (`lakeproof.explore.search`) has no end where a flow loops. So after 8, 16, 32, ... effects
of one call, its states on the way are compared exactly: two equal ones are a loop, and the search begins anew, as this
one.

*Searched.* Clients are automata (`lakeproof.explore.automaton`), so a state can be met again, on any later level. The
search is breadth first as ever, and leaves out what it has visited: a level holds the states that are so many steps
from the start, and not fewer. The first violation is a shortest one, and the way back leads through the levels.

Example: two clients spin for a lock, and each releases it at last. A graded search meets (spinning, holding) on every
level from 2 on. Here it is one state, of level 2; the spinning client's step leads from it to itself.
"""

from lakeproof.explore.automaton import Automaton
from lakeproof.explore.behaviour import Behaviour
from lakeproof.explore.packing import Visited, Words, concatenate, distinct, take
from lakeproof.explore.search import _Search
from lakeproof.explore.trie import Trie


class LoopingSearch(_Search):
    """A search that leaves out what it has visited."""

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

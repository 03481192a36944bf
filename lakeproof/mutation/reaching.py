"""Which scenarios execute which lines: those that can tell a mutant from the design."""

from collections.abc import Sequence

from lakeproof.mutation.work import Bounds, Reach, Step


class Index:
    """Scenarios by the lines that they execute."""

    def __init__(self, reaches: Sequence[Reach]) -> None:
        self._by_size = sorted(reaches, key=lambda each: each.states)
        self._at: dict[tuple[str, int], set[int]] = {}
        for number, reach in enumerate(self._by_size):
            for file, lines in reach.lines:
                for line in lines:
                    self._at.setdefault((file, line), set()).add(number)

    @property
    def files(self) -> frozenset[str]:
        """The files of which anything is executed."""
        return frozenset(file for file, _ in self._at)

    def executing(self, file: str, first: int, last: int) -> list[Reach]:
        """The scenarios that execute any line between two, both included; those with the fewest states first."""
        found = set[int]().union(*(self._at.get((file, line), ()) for line in range(first, last + 1)))
        return [self._by_size[number] for number in sorted(found)]

    def steps(self, file: str, lines: tuple[int, int], bounds: Bounds) -> tuple[Step, ...]:
        """What judges a mutant of these lines, in order."""
        return tuple(
            Step(scenario=each.scenario, origin=each.origin, states_max=bounds.states(each.states))
            for each in self.executing(file, *lines)
        )

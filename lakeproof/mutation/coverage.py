"""Which scenarios execute which lines: those that can tell a mutant from the design."""

from collections import Counter
from collections.abc import Sequence

from lakeproof.mutation.work import Bounds, JudgeStep, Reach


class Index:
    """Scenarios by the lines that they execute."""

    def __init__(self, reaches: Sequence[Reach]) -> None:
        self._by_size = sorted(reaches, key=lambda each: each.states)  # numbers by size: in `executing` they sort alike
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

    def steps(self, file: str, lines: tuple[int, int], bounds: Bounds, *, exact: bool = False) -> tuple[JudgeStep, ...]:
        """What judges a mutant of these lines, in order: the smallest scenario of each variant, the second of each, and
        so on. What tells two readings of a design apart is seldom a scenario of the first one. Of those of one size,
        the one first that executes the least besides this file. exact: a mutant must find as many states."""
        met: Counter[str] = Counter()
        ranked: list[tuple[int, JudgeStep]] = []
        # Fewest states first, as they take the least time; then those that execute little else than the file.
        for each in sorted(self.executing(file, *lines), key=lambda reach: (reach.states, -_share(reach, file))):
            design = design_of(each.scenario)
            met[design] += 1
            step = JudgeStep(
                scenario=each.scenario,
                origin=each.origin,
                states_max=bounds.states(each.states),
                states=each.states if exact else 0,
            )
            ranked.append((met[design], step))
        return tuple(step for _, step in sorted(ranked, key=lambda row: row[0]))  # stable: by size within a rank


def design_of(scenario: str) -> str:
    """The design of a scenario, by its name, which begins with DESIGN/VARIANT."""
    return "/".join(scenario.split("/")[:2])


def _share(reach: Reach, file: str) -> float:
    """How much of what a scenario executes is in a file: 0 to 1."""
    counts = {name: len(lines) for name, lines in reach.lines}
    return counts.get(file, 0) / max(sum(counts.values()), 1)

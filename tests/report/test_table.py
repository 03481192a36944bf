"""Tables, and verdicts for programs."""

import io
import json

import pytest
from rich.console import Console, RenderableType

from lakeproof import Faults
from lakeproof.report.table import (
    matrix,
    summary,
)
from lakeproof.report.verdicts import Lines
from lakeproof.running.tasks import Outcome, Verdict
from tests.report.traces import RACE


def verdict(name: str, found: str = "holds", expected: str = "holds", why: str = "") -> Verdict:
    trace = RACE if found == "violated" else None
    return Verdict(invariant=name, expected=expected, verdict=found, why=why, reached=3, example="so", trace=trace)


def outcome(name: str, *verdicts: Verdict, states: int = 1234) -> Outcome:
    return Outcome(
        scenario=name,
        clients=2,
        calls=3,
        faults=Faults(crashes=1),
        verdicts=verdicts,
        states=states,
        transitions=2 * states,
        depth=7,
        complete=True,
        seconds=0.5,
    )


def printed(thing: RenderableType, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    console.print(thing)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines() if line.strip())


def rows(thing: RenderableType, width: int = 120) -> dict[str, list[str]]:
    """The cells of each row by its first one."""
    return {line.split()[0]: line.split()[1:] for line in printed(thing, width).splitlines()}


OUTCOMES = [
    outcome("d/one/race", verdict("kept"), verdict("unique")),
    outcome("d/one/race/crash", verdict("kept", "violated", "violated"), verdict("unique", "violated")),
    outcome("d/two-by-set-if/race", verdict("kept", "inconclusive", why="1000 states, at most 900 were allowed")),
    outcome("d/two-by-set-if/race/crash", verdict("kept"), verdict("unique", "holds", "violated")),
]


@pytest.mark.parametrize("width", [120, 25])
def test_the_matrix_counts_scenarios_marks_surprises_and_is_split_rather_than_cut(width: int) -> None:
    tables = list(matrix(OUTCOMES, width))
    assert len(tables) == (1 if width == 120 else 2)
    found: dict[str, list[str]] = {}
    for table in tables:
        for name, cells in rows(table, width).items():
            found.setdefault(name, []).extend(cells)
    assert found["kept"] == ["✗", "1/2", "!", "?", "1/2"]
    assert found["unique"] == ["!", "✗", "1/2", "!", "✓", "1"]
    assert found["scenarios"] == ["2", "2"]
    assert found["states"] == ["2,468", "2,468"]


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (OUTCOMES[:1], "1 scenario, 1,234 states, 0.50 s: 2 hold; all as expected"),
        (OUTCOMES[:2], "2 scenarios, 2,468 states, 0.50 s: 2 hold, 2 violated; 1 NOT AS EXPECTED"),
        (OUTCOMES[2:3], "1 scenario, 1,234 states, 0.50 s: 1 inconclusive; INCONCLUSIVE: 1 verdict missing"),
        (OUTCOMES, "4 scenarios, 4,936 states, 0.50 s: 4 hold, 2 violated, 1 inconclusive; 3 NOT AS EXPECTED"),
    ],
)
def test_the_summary(outcomes: list[Outcome], told: str) -> None:
    assert summary(outcomes, 0.5).plain == told


def test_lines_come_in_the_order_of_the_scenarios_and_none_is_lost() -> None:
    ordered = Lines([each.scenario for each in OUTCOMES], {})
    printed_at = [len("".join(ordered.next(OUTCOMES[i], {})).splitlines()) for i in (1, 0, 3)]
    assert printed_at == [0, 4, 0]
    assert [json.loads(line)["scenario"] for line in "".join(ordered.rest()).splitlines()] == [OUTCOMES[3].scenario] * 2

"""Tables, and verdicts for programs."""

import io
import json
from pathlib import Path

import attrs
import pytest
from rich.console import Console, RenderableType

from lakeproof import Faults
from lakeproof.report.listing import as_json_line, faults_in_words, listing
from lakeproof.report.table import (
    COUNTS,
    VARIANTS_ACROSS_MAX,
    by_scenario,
    legend,
    matrix,
    summary,
    unexpected,
    variant,
)
from lakeproof.report.verdicts import Lines, lines
from lakeproof.running.tasks import Outcome, Verdict
from tests.racing import FAULTY, KNOWN
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


def test_a_row_a_scenario_counts_what_holds_and_names_the_rest() -> None:
    wide = rows(by_scenario(OUTCOMES, 120))
    assert wide["one/race"] == ["1,234", "2,468", "7", "0.50", "2"]
    assert wide["one/race/crash"][4:] == ["0", "violated:", "kept", "in", "4", "steps"]
    assert wide["two-by-set-if/race/crash"][4:] == ["2", "holds:", "unique", "(expected:", "violated)"]
    narrow = printed(by_scenario(OUTCOMES, 80), 80)
    assert rows(by_scenario(OUTCOMES, 80), 80)["one/race/crash"] == ["1,234", "0.50", "0"]
    for told in ("violated: kept in 4 steps", "violated: unique in 4 steps (expected: holds)", "inconclusive: kept"):
        assert told in narrow


def test_what_is_inconclusive_together_is_counted() -> None:
    stopped = outcome("d/v/r", verdict("one", "inconclusive"), verdict("two", "inconclusive"), verdict("three"))
    assert "inconclusive: 2 invariants" in printed(by_scenario([stopped], 120))


def test_scenarios_without_anything_in_common_keep_their_names() -> None:
    assert rows(by_scenario([outcome("a/x", verdict("k")), outcome("b", verdict("k"))], 120)).keys() >= {"a/x", "b"}


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


def test_the_matrix_in_ascii() -> None:
    [table] = matrix(OUTCOMES, 120, ascii_only=True)
    assert printed(table).isascii()
    assert legend(ascii_only=True).plain.isascii()


def test_many_variants_are_rows() -> None:
    [first, *_] = OUTCOMES
    many = [attrs.evolve(first, scenario=f"d/v{number}/a") for number in range(VARIANTS_ACROSS_MAX + 1)]
    [table] = matrix(many, 120)
    assert table.row_count == len(many)
    headings = [str(column.header).replace("-\n", "-") for column in table.columns]
    assert headings == ["d", *(verdict.invariant for verdict in first.verdicts), *COUNTS]


@pytest.mark.parametrize(("name", "group"), [("d/v/r/c", "d/v"), ("d/v/r", "d/v"), ("d/r", "d"), ("r", "")])
def test_the_variant_of_a_scenario(name: str, group: str) -> None:
    assert variant(name) == group


def test_what_is_not_expected_is_told_in_full() -> None:
    stopped = attrs.evolve(OUTCOMES[2], stopped="1000 states, at most 900 were allowed", complete=False)
    traces = {("d/one/race/crash", "unique"): Path("out/a.json")}
    first, second, third = [line.plain for line in unexpected([*OUTCOMES[:2], stopped, OUTCOMES[3]], traces)]
    assert first.startswith("violated instead of holds: unique in d/one/race/crash: 2 increments")
    assert first.endswith("; trace: out/a.json")
    assert second.startswith("inconclusive: kept in d/two-by-set-if/race: 1000 states, at most 900 were allowed")
    assert second.endswith("every schedule was covered up to 7 steps")
    assert third == "holds instead of violated: unique in d/two-by-set-if/race/crash"


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


def test_a_sample_that_finds_nothing_is_not_unexpected_unless_something_was_to_be_found() -> None:
    open_verdict = attrs.evolve(verdict("kept", "inconclusive"), sampled=True)
    assert not open_verdict.unexpected
    assert attrs.evolve(open_verdict, expected="violated").unexpected
    assert attrs.evolve(verdict("kept", "violated"), sampled=True).unexpected


def test_verdicts_for_programs() -> None:
    told = lines(OUTCOMES[1], {"kept": Path("out/kept.json")}, {"max_states": None})
    first, second = (json.loads(line) for line in told.splitlines())
    assert first.pop("bounds") == {"clients": 2, "calls": 3, "max_states": None, **attrs.asdict(OUTCOMES[1].faults)} | {
        "clock_jumps": [],
        "clock_skew": [],
    }
    assert first == {
        "scenario": "d/one/race/crash",
        "invariant": "kept",
        "expected": "violated",
        "verdict": "violated",
        "why": "",
        "evidence": "2 increments, and the counter says 1",
        "reached": 3,
        "symmetric": False,
        "states": 1234,
        "transitions": 2468,
        "depth": 7,
        "steps": 4,
        "seconds": 0.5,
        "trace": "out/kept.json",
    }
    assert second["trace"] is None


def test_lines_come_in_the_order_of_the_scenarios_and_none_is_lost() -> None:
    ordered = Lines([each.scenario for each in OUTCOMES], {})
    printed_at = [len("".join(ordered.next(OUTCOMES[i], {})).splitlines()) for i in (1, 0, 3)]
    assert printed_at == [0, 4, 0]
    assert [json.loads(line)["scenario"] for line in "".join(ordered.rest()).splitlines()] == [OUTCOMES[3].scenario] * 2


def test_the_list_of_scenarios() -> None:
    known, faulty = listing([KNOWN, FAULTY]).plain.splitlines()
    assert known.split("  ", 1)[0] == KNOWN.name
    assert known.endswith("2 clients; 1 invariant, refuted: increments-count")
    assert faults_in_words(FAULTY.faults) in faulty
    told = json.loads(as_json_line(FAULTY))
    assert told["setup"] == ["increment()"]
    assert told["clients"] == [["increment()", "clear()"], ["increment()"]]
    assert told["expected"] == {"increments-count": "violated", "no-unhandled-exception": "holds"}


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        (Faults(), ""),
        (Faults(crashes=2, lost_answers=1), "1 lost answer, 2 crashes"),
        (Faults(clock_skew=(0, 0)), ""),
        (Faults(clock_skew=(0, -5), scan_failures=1), "1 scan failure, clock skew 0 us, -5 us"),
    ],
)
def test_faults_in_words(faults: Faults, told: str) -> None:
    assert faults_in_words(faults) == told

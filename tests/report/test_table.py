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


OUTCOMES = [
    outcome("d/one/race", verdict("kept"), verdict("unique")),
    outcome("d/one/race/crash", verdict("kept", "violated", "violated"), verdict("unique", "violated")),
    outcome("d/two-by-set-if/race", verdict("kept", "inconclusive", why="1000 states, at most 900 were allowed")),
    outcome("d/two-by-set-if/race/crash", verdict("kept"), verdict("unique", "holds", "violated")),
]


def test_a_row_a_scenario() -> None:
    assert (
        printed(by_scenario(OUTCOMES, 120))
        == """\
 d                          states   transitions   depth   seconds   holds   not holding
 ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
 one/race                    1,234         2,468       7      0.50       2
 one/race/crash              1,234         2,468       7      0.50       0   violated: kept in 4 steps
                                                                             violated: unique in 4 steps (expected:
                                                                             holds)
 two-by-set-if/race          1,234         2,468       7      0.50       0   inconclusive: kept (expected: holds)
 two-by-set-if/race/crash    1,234         2,468       7      0.50       2   holds: unique (expected: violated)"""
    )


def test_a_row_a_scenario_on_a_narrow_terminal() -> None:
    assert (
        printed(by_scenario(OUTCOMES, 80), 80)
        == """\
 d                                                 states   seconds   holds
 ──────────────────────────────────────────────────────────────────────────
 one/race                                           1,234      0.50       2
 one/race/crash                                     1,234      0.50       0
   violated: kept in 4 steps
   violated: unique in 4 steps (expected: holds)
 two-by-set-if/race                                 1,234      0.50       0
   inconclusive: kept (expected: holds)
 two-by-set-if/race/crash                           1,234      0.50       2
   holds: unique (expected: violated)"""
    )


def test_what_is_inconclusive_together_is_counted() -> None:
    stopped = outcome("d/v/r", verdict("one", "inconclusive"), verdict("two", "inconclusive"), verdict("three"))
    assert "inconclusive: 2 invariants" in printed(by_scenario([stopped], 120))


def test_scenarios_without_anything_in_common_keep_their_names() -> None:
    shown = printed(by_scenario([outcome("a/x", verdict("k")), outcome("b", verdict("k"))], 120))
    assert shown.split("\n")[0].split()[0] == "scenario"
    assert " a/x " in shown


def test_the_matrix() -> None:
    [table] = matrix(OUTCOMES, 120)
    assert (
        printed(table)
        == """\
                     two-by-
 d              one   set-if
 ───────────────────────────
 kept         ✗ 1/2  ! ? 1/2
 unique     ! ✗ 1/2    ! ✓ 1
 scenarios        2        2
 states       2,468    2,468
 seconds       1.00     1.00"""
    )


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


def test_a_narrow_matrix_is_split_and_loses_nothing() -> None:
    tables = list(matrix(OUTCOMES, 25))
    assert len(tables) == 2
    shown = "\n".join(printed(table, 25) for table in tables)
    assert "…" not in shown
    assert "! ? 1/2" in shown


@pytest.mark.parametrize(("name", "group"), [("d/v/r/c", "d/v"), ("d/v/r", "d/v"), ("d/r", "d"), ("r", "")])
def test_the_variant_of_a_scenario(name: str, group: str) -> None:
    assert variant(name) == group


def test_what_is_not_expected_is_told_in_full() -> None:
    stopped = attrs.evolve(OUTCOMES[2], stopped="1000 states, at most 900 were allowed", complete=False)
    traces = {("d/one/race/crash", "unique"): Path("out/a.json")}
    told = "\n".join(line.plain for line in unexpected([*OUTCOMES[:2], stopped, OUTCOMES[3]], traces))
    assert told == (
        "violated instead of holds: unique in d/one/race/crash: 2 increments, and the counter says 1; "
        "trace: out/a.json\n"
        "inconclusive: kept in d/two-by-set-if/race: 1000 states, at most 900 were allowed; every schedule was covered "
        "up to 7 steps\n"
        "holds instead of violated: unique in d/two-by-set-if/race/crash"
    )


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
        "bounds": {
            "clients": 2,
            "calls": 3,
            "refusals": 0,
            "lost_answers": 0,
            "false_predicates": 0,
            "duplicates": 0,
            "scan_failures": 0,
            "crashes": 1,
            "clock_jumps": [],
            "clock_skew": [],
            "max_states": None,
        },
        "trace": "out/kept.json",
    }
    assert second["trace"] is None


def test_lines_come_in_the_order_of_the_scenarios_and_none_is_lost() -> None:
    ordered = Lines([each.scenario for each in OUTCOMES], {})
    printed_at = [len("".join(ordered.next(OUTCOMES[i], {})).splitlines()) for i in (1, 0, 3)]
    assert printed_at == [0, 4, 0]
    assert [json.loads(line)["scenario"] for line in "".join(ordered.rest()).splitlines()] == [OUTCOMES[3].scenario] * 2


def test_the_list_of_scenarios() -> None:
    assert (
        listing([KNOWN, FAULTY]).plain
        == """\
counters/known   2 clients; 1 invariant, refuted: increments-count
counters/faulty  2 clients, 1 refusal, 1 lost answer, 1 duplicate, 1 crash, clock jumps 1 s; 1 invariant, refuted: \
increments-count"""
    )
    told = json.loads(as_json_line(FAULTY))
    assert told["setup"] == ["increment()"]
    assert told["clients"] == [["increment()", "clear()"], ["increment()"]]
    assert told["expected"] == {"increments-count": "violated", "no-unhandled-exception": "holds"}


def test_faults_in_words() -> None:
    assert faults_in_words(Faults()) == ""
    assert faults_in_words(Faults(crashes=2, lost_answers=1)) == "1 lost answer, 2 crashes"
    assert faults_in_words(Faults(clock_skew=(0, 0))) == ""
    assert faults_in_words(Faults(clock_skew=(0, -5), scan_failures=1)) == "1 scan failure, clock skew 0 us, -5 us"

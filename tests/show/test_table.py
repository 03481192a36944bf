"""Tables, verdicts for programs, and the line of progress."""

import io
import json
import sys

import attrs
import pytest
from rich.console import Console, RenderableType

from lakeproof.show.listing import as_json_line
from lakeproof.show.progress import Progress
from lakeproof.show.table import by_design, by_scenario, headline, matrix, summary
from lakeproof.show.verdicts import OrderedLines
from tests.racing import FAULTY
from tests.show.traces import outcome, verdict


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


@pytest.mark.parametrize("width", [120, 40])
def test_a_variant_says_what_surprises_first_and_no_width_breaks_a_name(width: int) -> None:
    shown = "\n".join(each.plain for each in by_design(OUTCOMES, width))
    names = ("violated instead of holds: unique", "violated as expected: kept", "holds instead of violated: unique")
    assert all(name in shown for name in names)
    assert shown.index("violated instead of holds: unique") < shown.index("violated as expected: kept")
    assert "one: 2 scenarios, 0 of 2 invariants hold" in " ".join(shown.split())
    assert "two-by-set-if: 2 scenarios, 1 of 2 invariants hold" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= width


def test_what_is_expected_to_be_violated_is_not_red() -> None:
    as_expected = outcome("d/one/race", verdict("kept", "violated", "violated"))
    for thing in (by_scenario([as_expected], 120), *matrix([as_expected], 120), *by_design([as_expected], 120)):
        console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system="standard")
        console.print(thing)
        assert isinstance(console.file, io.StringIO)
        assert "\x1b[31m" not in console.file.getvalue()
        assert "\x1b[1;31m" not in console.file.getvalue()


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


def test_lines_come_in_the_order_of_the_scenarios_and_none_is_lost() -> None:
    ordered = OrderedLines([each.scenario for each in OUTCOMES], {})
    printed_at = [len("".join(ordered.next(OUTCOMES[i], {})).splitlines()) for i in (1, 0, 3)]
    assert printed_at == [0, 4, 0]
    assert [json.loads(line)["scenario"] for line in "".join(ordered.rest()).splitlines()] == [OUTCOMES[3].scenario] * 2


def test_a_scenario_as_json_is_text_whatever_its_reason_is() -> None:
    line = as_json_line(attrs.evolve(FAULTY, reason="\\ \ud800"))
    assert json.loads(line.encode())["reason"] == "\\ \ud800"


def test_a_scenario_that_could_not_be_run_is_not_as_expected_whatever_was_expected() -> None:
    broken = outcome("counters/broken", verdict("open", "inconclusive", "inconclusive"), trouble="no")
    assert headline([broken]).plain == "1 UNUSABLE of 1 scenario"


def test_samples_that_violate_nothing_are_not_told_as_a_pass() -> None:
    open_, known = (
        attrs.evolve(verdict("kept", found, expected), sampled=True)
        for found, expected in (("inconclusive", "holds"), ("violated", "violated"))
    )
    assert headline([outcome("d/race", open_)]).plain == "INCONCLUSIVE: no sample violates anything in 1 scenario"
    assert "all as expected; nothing new" in headline([outcome("d/race", open_, known)]).plain


def test_what_a_limit_has_left_open_is_not_told_as_expected() -> None:
    unnamed = attrs.evolve(verdict("no-unhandled-exception", "inconclusive"), named=False)
    assert not unnamed.unexpected
    shown = summary([outcome("d/race", verdict("kept", "inconclusive"), unnamed)], 1).plain
    assert shown == "INCONCLUSIVE: 1 verdict missing in 1 scenario: 2 inconclusive, 1,234 states in 1.00 s"


NAME = OUTCOMES[0].scenario


class Terminal(io.StringIO):
    """A terminal, as far as anybody asks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [40, 80, 120])
def test_on_a_terminal_the_line_fits_and_is_gone_at_the_end(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with Progress("verifying", 3) as told:
        told.began("x" * 200)
        told.at("x" * 200, 3, 1_000, "")
        told.tick()
        told.finished("x" * 200, OUTCOMES[0])
        told.tick()
        assert told._bar is not None
        told._bar.refresh()
    shown = terminal.getvalue()
    assert "verifying" in shown
    assert "1/3" in shown
    assert shown.endswith("\x1b[2K")  # the line is erased

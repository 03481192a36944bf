"""Pages of runs on real stores, services and programs: the verdict of the command, its counts, no script."""

from pathlib import Path
from typing import cast

import pytest

from lakeproof.commands.gate import GateRow, _page
from lakeproof.gate.classes import Choice, Name
from lakeproof.gate.server import LOST_APPLIED
from lakeproof.gate.traces import GateTrace, write
from lakeproof.show.pages.summary import Summary, SummaryTable, summary_page
from tests.commands import ROOT, lakeproof
from tests.show.browser import Browser
from tests.show.hostile import ALL
from tests.show.test_page import LOOKS, Reading, check_fit


def row(verdict: str, expected: str = "holds", trace: Path | None = None) -> GateRow:
    return GateRow(
        scenario="s/x",
        invariant="counted_once",
        expected=expected,
        verdict=verdict,
        schedules=4,
        violating=1,
        covers="all",
        seconds=1.0,
        evidence="lost",
        trace=trace,
    )


def shown(page: str) -> Reading:
    """The page, read; it has no script at all."""
    read = Reading(page)
    assert read.tags("script") == []
    assert "script-src 'none'" in str(read.tags("meta")[1]["content"])
    return read


H, V, U = "holds", "violated", "inconclusive"


@pytest.mark.parametrize(
    ("verdicts", "top", "colour"),
    [
        ([(H, H), (H, H)], "as expected", "is-holds"),
        ([(V, V), (H, H)], "as expected", "is-holds"),
        ([(H, H), (U, H)], "inconclusive", "is-inconclusive"),
        ([(U, H), (V, H), (H, H)], "not as expected", "is-violated"),
        ([(H, V)], "not as expected", "is-violated"),
    ],
)
def test_of_a_gate_it_stands_at_the_top_whether_all_is_as_expected(
    verdicts: list[tuple[str, str]], top: str, colour: str
) -> None:
    found = _page(Path("f.py"), [row(verdict, expected) for verdict, expected in verdicts], [])
    read = shown(summary_page(found))
    assert read.texts["span"][0] == top
    assert read.tags("span")[0]["class"] == f"verdict {colour}"
    red = [found for found in read.tags("td") if found.get("class") == "is-violated"]
    assert len(red) == sum(verdict != expected for verdict, expected in verdicts if U not in (verdict, expected))


def test_of_a_gate_each_shortest_schedule_is_shown_with_its_answers(tmp_path: Path) -> None:
    trace = tmp_path / "t.json"
    choices = (Choice(Name("c1", "GET b/<k>", 1), "normal"), Choice(Name("c2", "PUT b/<k>", 1), LOST_APPLIED))
    write(GateTrace(file="f.py", scenario="s/x", violated={"x": "y"}, choices=choices, statuses=(200, 0)), trace)
    cells = shown(summary_page(_page(Path("f.py"), [row(V, V, trace)], []))).texts["td"]
    at = cells.index("c1")
    assert cells[at : at + 6] == ["c1", "GET b/<k>", "200", "c2", "PUT b/<k>", f"no answer  ({LOST_APPLIED})"]


def test_stress_writes_the_verdict_that_it_prints(tmp_path: Path) -> None:
    page, out = tmp_path / "s.html", str(tmp_path / "out")
    result = lakeproof("stress", "memory:", "--seconds", "0.2", "--seed", "7", "--out", out, "--html", str(page))
    closing = result.stdout.splitlines()[-1]
    read = shown(page.read_text("utf-8"))
    assert read.texts["span"][0] == closing.partition(":")[0].lower()
    assert closing in read.texts["p"]
    assert "7" in read.texts["dd"]


def test_no_text_of_a_run_is_markup() -> None:
    table = SummaryTable(title=ALL, heads=(ALL, ALL), rows=[(ALL, ALL)])
    read = shown(
        summary_page(
            Summary(
                kind=ALL, subject=ALL, verdict="holds", closing=ALL, facts=[(ALL, ALL)], tables=[table], evidence=[ALL]
            )
        )
    )
    assert read.tags("img") == []
    assert not [name for _, found in read.elements for name in found if name.startswith("on")]


@pytest.mark.xdist_group("chromium")
def test_a_sentence_beside_numbers_is_no_tall_column_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "s.html"
    cells = ("garbage-is-reclaimable", *["1,234"] * 5, "every unreachable entity can be found by the cleaner, and " * 2)
    table = SummaryTable(title="t", heads=("check", *["violations"] * 5, "meaning"), rows=[cells], numbers=range(1, 6))
    path.write_text(summary_page(Summary(kind="k", subject="s", verdict="holds", closing="c", tables=[table])), "utf-8")
    browser.look(width=390)
    browser.open(path)
    check_fit(browser, 390)
    assert cast("float", browser.run("return document.querySelector('tbody tr').offsetHeight")) < 150


@pytest.mark.xdist_group("chromium")
@LOOKS
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    path = tmp_path / "s.html"
    trace = tmp_path / "t.json"
    choices = (Choice(Name("c1", f"PUT b/{'k' * 90}", 1), "normal"),)
    write(GateTrace(file="f.py", scenario="s/x", violated={"x": "y"}, choices=choices, statuses=(200,)), trace)
    rows = [row("holds"), row("violated", trace=trace), row("inconclusive")]
    path.write_text(summary_page(_page(ROOT / "x.py", rows, ["trouble"])), "utf-8")
    browser.look(width=width, dark=dark)
    browser.open(path)
    check_fit(browser, width)
    assert browser.log() == []

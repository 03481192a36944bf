"""The page of a history in Debian's Chromium: what is listed is what was recorded; keys, zoom, evidence; axe."""

import re
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest

from tests.commands import lakeproof
from tests.show.browser import Browser
from tests.show.histories import STALE, Event, write
from tests.show.hostile import ALL
from tests.show.test_browser import LOOKS, check_fit

pytestmark = pytest.mark.xdist_group("chromium")


def opened(browser: Browser, folder: Path, events: list[Event]) -> None:
    page = folder / "h.html"
    lakeproof("check", str(write(events, folder / "h")), "--html", str(page))
    browser.open(page)
    drawn = "document.documentElement.dataset.drawn"
    browser.run(f"return new Promise((d) => (function f() {{ {drawn} ? d() : setTimeout(f, 9) }})())")


def listed(browser: Browser) -> list[list[str]]:
    """The rows in view, once they are drawn."""
    script = """
    const words = (row) => [...row.cells].map((cell) => cell.innerText);
    const rows = () => [...document.querySelectorAll('#listed tr')].map(words);
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(rows()))))"""
    return cast("list[list[str]]", browser.run(script))


def test_every_operation_is_listed_in_the_words_of_the_command(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, STALE)
    marked = " (in a non-linearizable sub-history)"
    assert listed(browser) == [
        ["1", "0", '"a"', "set 1" + marked, "0 to 2"],
        ["2", "1", '"a"', "set 2 ?", "1 to never"],
        ["4", "2", '"a"', "get -> 2" + marked, "3 to 5"],
        ["7", "0", '"a"', "get -> 1" + marked, "6 to 7"],
        ["9", "3", '"b"', "set_if 3 if nil is there refused", "8 to 9"],
        ["11", "3", '"b"', "get -> nil", "10 to 11"],
        ["13", "4", '"b"', "delete ?", "12 to never"],
    ]
    assert browser.log() == []


def test_a_key_is_chosen_and_evidence_is_shown(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, STALE)
    browser.click("#key")
    browser.press("b", "\ue007")
    assert {row[2] for row in listed(browser)} == {'"b"'}
    browser.click(".jump")
    assert [row[3] for row in listed(browser)][:2] == ["set 1 (in a non-linearizable sub-history)", "set 2 ?"]
    assert browser.run("return document.activeElement.id") == "area"
    assert browser.run("return document.getElementById('key').value") == '"a"'


def test_keys_and_buttons_zoom_and_move_and_the_place_is_said(browser: Browser, tmp_path: Path) -> None:
    many: list[Event] = []
    for number in range(400):
        many += [(number % 30, "invoke", "set", "k", number), (number % 30, "ok", "set", "k", number)]
    opened(browser, tmp_path, many)
    assert "Events 0 to 800 of 800; lanes 1 to 20 of 30." in browser.text("#place")
    assert len(listed(browser)) == 60
    browser.run("document.getElementById('area').focus()")
    browser.press("+", "+")
    listed(browser)
    assert "Events 300 to 500 of 800" in browser.text("#place")
    browser.press("ArrowRight", "\ue00f")
    listed(browser)
    assert "Events 350 to 550 of 800; lanes 11 to 30 of 30" in browser.text("#place")
    browser.click("#everything")
    browser.click("#above")
    listed(browser)
    assert "Events 0 to 800 of 800; lanes 1 to 20 of 30" in browser.text("#place")
    browser.press("Home")
    assert browser.log() == []


@pytest.mark.parametrize("events", [1, 3, 37, 733])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_ticks_of_the_axis_are_round_and_evenly_spaced(
    browser: Browser, tmp_path: Path, events: int, width: int
) -> None:
    browser.look(width=width)
    opened(browser, tmp_path, [event for n in range(events) for event in one_set(n)])
    for _ in range(4):
        ticks = [
            int(each) for each in str(browser.run("return document.getElementById('drawing').dataset.ticks")).split()
        ]
        steps = {after - before for before, after in pairwise(ticks)}
        assert 1 <= len(ticks) <= 14
        assert all(re.fullmatch("[125]0*", str(step)) for step in steps)
        assert len(steps) <= 1
        assert not steps or not any(tick % step for tick in ticks for step in steps)
        browser.run("document.getElementById('area').focus()")
        browser.press("+", "ArrowRight")
        listed(browser)


def one_set(number: int) -> list[Event]:
    return [(number % 5, "invoke", "set", "k", number), (number % 5, "ok", "set", "k", number)]


def test_nothing_that_a_history_says_runs(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, [(ALL, "invoke", "set", ALL, ALL), (ALL, "ok", "set", ALL, ALL)])
    assert len(listed(browser)) == 1
    assert browser.run("return window.taken === undefined && document.images.length === 0") is True
    assert browser.log() == []


@LOOKS
def test_it_fits_its_window_and_axe_finds_nothing(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    opened(browser, tmp_path, STALE)
    check_fit(browser, width)

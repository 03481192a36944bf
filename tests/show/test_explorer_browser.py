"""The explorer in Debian's Chromium: steps are clicked and typed, taken back, shared, and found by a search."""

import re
from collections.abc import Iterator

import pytest

from tests.commands import RACING, spawned
from tests.show.browser import Browser
from tests.show.test_browser import LOOKS, check_fit
from tests.show.test_explorer import started

pytestmark = pytest.mark.xdist_group("chromium")


def served(*options: str) -> Iterator[str]:
    process = spawned("explore", "lost-update", *options, "--from", str(RACING))
    try:
        yield started(process)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served()


JUMPS = "return new Promise((d) => (function f() { document.querySelector('.jump') ? d() : setTimeout(f, 20) })())"
"""Waits until a search has found a violation."""


def steps(browser: Browser, count: int) -> str:
    """Wait until so many steps are shown; the last one."""
    shown = """
    const [count] = arguments;
    return new Promise((done) => (function look() {
      const rows = document.querySelectorAll('#taken li');
      const ready = rows.length === count && !document.getElementById('main').hidden;
      if (ready) done(count ? rows[count - 1].innerText : ''); else setTimeout(look, 20);
    })());"""
    return str(browser.run(shown, count))


def problem(browser: Browser) -> str:
    """Wait until the page says what is wrong."""
    said = "const f = () => document.getElementById('problem').innerText"
    return str(
        browser.run(f"{said}; return new Promise((d) => (function g() {{ f() ? d(f()) : setTimeout(g, 20) }})())")
    )


def path(browser: Browser) -> str:
    return str(browser.run("return location.hash"))


def test_steps_are_taken_by_click_and_key_and_back_and_the_address_follows(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.click("#options li:nth-child(1) button")
    assert "a reads counters/n: not found" in steps(browser, 1)
    browser.press("2")
    assert "b reads counters/n: not found" in steps(browser, 2)
    assert path(browser) == "#a,b"
    browser.press("u")
    steps(browser, 1)
    browser.run("history.back()")
    steps(browser, 2)
    browser.click("#begin")
    steps(browser, 0)
    assert browser.log() == []


def test_a_shared_address_opens_the_violation_and_says_which(browser: Browser, address: str) -> None:
    browser.open_address(f"{address}#a,b,a,b")
    assert "violates increments-count" in steps(browser, 4)
    assert "violated at step 4" in browser.text("#judged")
    assert browser.text("#command").endswith("--path a,b,a,b")
    browser.click("#taken li:nth-child(2) button")
    steps(browser, 2)
    assert "violated" not in browser.text("#judged")


def test_a_search_leads_to_the_violation(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.click("#search")
    browser.run(JUMPS)
    browser.click(".jump")
    assert "violates increments-count" in steps(browser, 4)


def test_a_path_that_cannot_be_walked_is_said_and_left_by_another(browser: Browser, address: str) -> None:
    browser.open_address(f"{address}#a,z")
    assert re.search("is no move|not possible", problem(browser))
    browser.run("location.hash = 'a'")
    steps(browser, 1)
    assert browser.run("return document.getElementById('problem').hidden") is True


@LOOKS
def test_it_fits_its_window_and_axe_finds_nothing(browser: Browser, address: str, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    browser.open_address(f"{address}#a,b,a,b")
    steps(browser, 4)
    check_fit(browser, width)


@pytest.fixture(scope="module")
def tour() -> Iterator[str]:
    yield from served("--demo")


def test_the_tour_leads_from_the_beginning_to_the_violation(browser: Browser, tour: str) -> None:
    browser.open_address(tour)
    seen = []
    while True:
        seen.append(browser.text("#tour li:not([hidden])"))
        if browser.run("return document.getElementById('tour-next').disabled"):
            break
        browser.click("#tour-next")
    assert len(seen) == len(set(seen)) == 7
    assert "violates increments-count" in steps(browser, 4)
    browser.click("#tour-end")
    assert browser.run("return document.getElementById('tour')") is None


@LOOKS
def test_the_tour_fits(browser: Browser, tour: str, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    browser.open_address(tour)
    steps(browser, 0)
    check_fit(browser, width)

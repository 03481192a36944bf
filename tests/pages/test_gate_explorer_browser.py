"""The explorer of a program behind the gate in Debian's Chromium: steps are taken and taken back, a violation is said,
and where the program does not repeat itself no state is shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT, spawned
from tests.pages.browser import Browser, chromium
from tests.pages.test_browser import complaints
from tests.pages.test_explorer import started
from tests.pages.test_explorer_browser import path, steps


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as window:
        window.look()
        yield window


@pytest.fixture
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    process = spawned("explore", str(request.param))
    try:
        yield started(process)
        process.terminate()
    finally:
        process.communicate(timeout=60)


def problem(browser: Browser) -> str:
    """Wait until the page says what is wrong; what it says."""
    script = """
    const problem = document.getElementById('problem');
    return new Promise((done) => (function look() {
      if (problem.hidden) setTimeout(look, 20); else done(problem.innerText);
    })());"""
    return str(browser.run(script))


COUNTER = ROOT / "examples" / "gate" / "counter.py"
GRIEF = Path(__file__).with_name("grief.py")


@pytest.mark.parametrize("address", [f"{COUNTER}::counter/blind"], indirect=True)
def test_a_program_is_walked_to_its_violation_and_back(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.click("#options li:nth-child(1) button")
    steps(browser, 1)
    browser.press("2")
    assert "c2 GET bucket/counter -> 200" in steps(browser, 2)
    shared = path(browser)
    browser.press("1")
    assert "bucket/counter: 0 → 1" in steps(browser, 3)
    assert "is asked at the end" in browser.text("#judged")
    browser.press("1")
    assert "violates counted_once" in steps(browser, 4)
    assert "violated at step 4" in browser.text("#judged")
    assert complaints(browser) == []
    browser.press("u")
    steps(browser, 3)
    browser.run("history.back()")
    steps(browser, 4)
    browser.open_address(f"{address}{shared}")
    assert "c2 GET bucket/counter -> 200" in steps(browser, 2)
    assert "The program was run anew for this: 2 requests" in browser.text("#notes")
    assert browser.log() == []


@pytest.mark.parametrize("address", [f"{GRIEF}::forgets"], indirect=True)
def test_where_a_program_does_not_repeat_itself_no_state_is_shown(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.press("1")  # the third run: the command has made the first one
    steps(browser, 1)
    browser.click("#begin")
    steps(browser, 0)
    browser.run("location.hash = 'c1'")
    told = problem(browser)
    assert "The program did not repeat itself: after 1 steps the program no longer asks for c1 GET bucket/" in told
    assert browser.run("return document.getElementById('main').hidden") is True
    assert complaints(browser) == []
    browser.click("#problem button:nth-child(2)")
    steps(browser, 0)
    assert browser.run("return document.getElementById('problem').hidden") is True

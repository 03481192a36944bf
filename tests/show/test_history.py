"""The page of a history: nothing is lost in packing, no text is markup; and in Debian's Chromium, what it lists."""

import json
import re
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.histories.evidence import argument_in_words, value
from lakeproof.impl.printable import printable
from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings
from lakeproof.model.linearizability.values import UNKNOWN
from lakeproof.model.snapshot import Status
from lakeproof.show.pages.columns import NONE, Packed, pack
from tests.commands import lakeproof
from tests.show.browser import Browser
from tests.show.hostile import ALL
from tests.show.test_page import LOOKS, Reading, check_fit

pytestmark = pytest.mark.xdist_group("chromium")

Event = tuple[object, str, str, object, object]
"""Process, type, f, key, value."""

STALE: Final[list[Event]] = [
    (0, "invoke", "set", "a", 1), (1, "invoke", "set", "a", 2), (0, "ok", "set", "a", 1),
    (2, "invoke", "get", "a", None), (1, "info", "set", "a", 2), (2, "ok", "get", "a", 2),
    (0, "invoke", "get", "a", None), (0, "ok", "get", "a", 1),
    (3, "invoke", "set_if", "b", {"value": 3, "predicate": None}), (3, "fail", "set_if", "b", None),
    (3, "invoke", "get", "b", None), (3, "ok", "get", "b", None), (4, "invoke", "delete", "b", None),
]  # fmt: skip
"""A read of 1 after a read of 2; also an unknown outcome, a refusal, a read of nothing, and an open operation."""


def write(events: list[Event], path: Path) -> Path:
    """A file in JSON Lines."""
    names = ("process", "type", "f", "key", "value")
    path.write_text("".join(json.dumps(dict(zip(names, event, strict=True))) + "\n" for event in events), "utf-8")
    return path


def unpacked(packed: Packed) -> list[dict[str, object]]:
    """Each operation, its texts looked up: written from the format, not from the code that packs."""
    raw = zlib.decompress(b64decode(packed.data))
    layout = packed.layout
    count = layout["operations"]
    assert isinstance(count, int)
    names = layout["columns"]
    assert isinstance(names, list)
    words = [int.from_bytes(raw[at : at + 4], "little") for at in range(0, 4 * count * len(names), 4)]
    columns = {name: words[at * count : (at + 1) * count] for at, name in enumerate(names)}
    total = sum(int(str(layout[name])) for name in ("texts", "keys", "processes"))
    rest = raw[4 * count * len(names) :]
    lengths = [int.from_bytes(rest[at : at + 4], "little") for at in range(0, 4 * total, 4)]
    texts, at = [], 4 * total
    for length in lengths:
        texts.append(rest[at : at + length].decode())
        at += length
    assert at == len(rest)
    first_key, fs = int(str(layout["texts"])), layout["fs"]
    first_process = first_key + int(str(layout["keys"]))
    assert isinstance(fs, list)
    found, call = [], 0
    for i in range(count):
        call += columns["call"][i]
        span, result = columns["span"][i], columns["result"][i]
        found.append(
            {
                "call": call,
                "returned": None if span == NONE else call + span,
                "process": texts[first_process + columns["process"][i]],
                "f": fs[columns["f"][i]],
                "status": columns["status"][i],
                "key": texts[first_key + columns["key"][i]],
                "argument": texts[columns["argument"][i]],
                "result": None if result == NONE else texts[result],
                "line": (columns["line"][i] + call) & NONE,
            }
        )
    return found


STATUSES = (Status.OK, Status.FAIL, Status.INFO)
VALUES = st.one_of(st.none(), st.integers(-3, 3), st.text(max_size=50), st.tuples(st.integers(0, 2), st.integers(0, 2)))


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Any history of a few processes, ordered by line or by times."""
    by_time = draw(st.booleans())
    history = History(Settings(order="time" if by_time else "file"))
    busy: set[int] = set()
    for line in range(draw(st.integers(0, 20))):
        process = draw(st.integers(0, 3))
        time = draw(st.integers(0, 2)) + 3 * line if by_time else None
        if process in busy:
            history.end(process, draw(st.sampled_from(STATUSES)), draw(VALUES), time=time, line=line + 1)
            busy.remove(process)
        else:
            f = draw(st.sampled_from(["get", "set", "set_if"]))
            history.call(process, f, draw(VALUES), draw(VALUES), time=time, line=line + 1)
            busy.add(process)
    history.settle()
    return history


def in_words(op: Operation) -> dict[str, object]:
    result = None if op.result is UNKNOWN or op.status is Status.INFO else printable(value(op.result))
    return {
        "call": op.call,
        "returned": None if op.returned == NEVER else op.returned,
        "process": value(op.process),
        "f": op.f,
        "status": STATUSES.index(op.status),
        "key": printable(value(op.key)),
        "argument": "" if op.argument is None else printable(argument_in_words(op.f, op.argument)),
        "result": result,
        "line": op.lines[0],
    }


@settings(max_examples=25)
@given(histories())
def test_every_operation_comes_back_from_the_packed_columns(history: History) -> None:
    packed = pack(history)
    expected = [in_words(history.operation(i)) for i in range(len(history))]
    found = unpacked(packed)
    assert found == sorted(expected, key=lambda op: int(str(op["call"])))
    assert packed.order == {op["call"]: at for at, op in enumerate(found)}


class TestCommand:
    def test_it_writes_one_file_and_leaves_verdict_and_exit_code(self, tmp_path: Path) -> None:
        history, page = write(STALE, tmp_path / "h"), tmp_path / "h.html"
        plain, paged = lakeproof("check", str(history)), lakeproof("check", str(history), "--html", str(page))
        assert plain.exit_code == paged.exit_code == 1
        assert f"{page}: open it in a browser\n" in paged.stdout
        assert paged.stdout.splitlines()[-1].startswith("VIOLATED: ")
        assert len(page.read_bytes()) < 50_000
        shown = Reading(page.read_text("utf-8"))
        assert [tag for tag, found in shown.elements if found.keys() & {"src", "href"}] == []
        assert "get -> 1 (line 8)" in "".join(shown.texts["pre"])
        assert shown.texts["span"][0] == "violated"

    def test_the_page_of_a_history_that_holds_says_so(self, tmp_path: Path) -> None:
        history, page = write(STALE[:6], tmp_path / "h"), tmp_path / "h.html"
        assert lakeproof("check", str(history), "--html", str(page)).exit_code == 0
        assert Reading(page.read_text("utf-8")).texts["span"][0] == "holds"


def test_no_text_of_a_history_is_markup(tmp_path: Path) -> None:
    events: list[Event] = [
        (ALL, "invoke", "set", ALL, ALL), (ALL, "ok", "set", ALL, ALL),
        (ALL, "invoke", "get", ALL, None), (ALL, "ok", "get", ALL, "else"),
    ]  # fmt: skip
    page = tmp_path / "h.html"
    lakeproof("check", str(write(events, tmp_path / "h")), "--html", str(page))
    shown = Reading(page.read_text("utf-8"))
    assert [found.get("type") for found in shown.tags("script")] == ["application/json", "text/plain", None]
    assert shown.tags("img") == []


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
    opened(browser, tmp_path, sets(400, processes=30))
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
    opened(browser, tmp_path, sets(events))
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


def sets(count: int, processes: int = 5) -> list[Event]:
    return [(n % processes, kind, "set", "k", n) for n in range(count) for kind in ("invoke", "ok")]


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

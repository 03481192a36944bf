"""The page of a trace: its structure, and that no text is ever markup; then the same in Debian's Chromium.

Accessibility is judged by axe-core, in light and dark, on a phone and on a desktop.
"""

import importlib.util
import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from lakeproof.search.trace import Trace
from lakeproof.show.pages.alternatives import of_scenario
from lakeproof.show.pages.html import page
from lakeproof.show.pages.markup import asset, embed_json
from lakeproof.verify.loader import Source
from tests.commands import RACING, lakeproof
from tests.racing import LOST_UPDATE
from tests.show.browser import Browser
from tests.show.hostile import ALL, HOSTILE
from tests.show.traces import RACE, TRACES, TROUBLE

pytestmark = pytest.mark.xdist_group("chromium")

BYTES_MAX = 1_000_000
VOID = {"meta", "input", "link", "br", "img", "wbr"}


class Reading(HTMLParser):
    """All elements of a page in order, with their attributes; fails where one is not closed."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.comments: list[str] = []
        self._open: list[str] = []
        self.feed(shown)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [found for tag, found in self.elements if tag == name]


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
class TestEveryPage:
    def test_is_one_small_file_that_loads_nothing(self, trace: Trace) -> None:
        shown = page(trace, "lakeproof replay out\udcff/x.json")
        assert len(shown.encode()) < BYTES_MAX
        read = Reading(shown)
        loading = {"src", "href", "srcset", "data", "action", "style"}
        assert [(tag, found) for tag, found in read.elements if found.keys() & loading] == []
        assert {tag for tag, _ in read.elements}.isdisjoint({"link", "iframe", "img", "object", "form", "base"})

    def test_has_the_elements_that_we_wrote_and_no_others(self, trace: Trace) -> None:
        read = Reading(page(trace, "lakeproof replay x.json"))
        assert [found.get("type") for found in read.tags("script")] == ["application/json", None]
        assert len(read.tags("style")) == 1
        assert read.comments == []
        assert not [name for _, found in read.elements for name in found if name.startswith("on")]

    def test_allows_its_own_script_and_style_by_their_fingerprints_and_nothing_else(self, trace: Trace) -> None:
        shown = page(trace)
        policy = dict(part.split(" ", 1) for part in str(Reading(shown).tags("meta")[1]["content"]).split("; "))
        [script] = re.findall(r"<script>(.*?)</script>", shown, re.DOTALL)
        [style] = re.findall(r"<style>(.*?)</style>", shown, re.DOTALL)
        assert policy == {
            "default-src": "'none'",
            "script-src": f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
            "style-src": f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'",
            "base-uri": "'none'",
            "form-action": "'none'",
        }

    def test_has_unique_ids_and_names_for_everything_that_a_reader_can_use(self, trace: Trace) -> None:
        read = Reading(page(trace, "lakeproof replay x.json"))
        ids = [found["id"] for _, found in read.elements if "id" in found]
        assert len(ids) == len(set(ids))
        referred = [found[name] for _, found in read.elements for name in ("aria-labelledby", "for") if name in found]
        assert set(referred) <= set(ids)
        assert all(found.get("aria-label") for found in read.tags("input"))
        assert all(found.get("scope") for found in read.tags("th"))
        assert len(read.tags("h1")) == len(read.tags("main")) == 1


def test_what_stands_in_the_page_as_data_comes_back_the_same() -> None:
    shown = embed_json({"text": ALL.replace("\ud800", "")})
    assert not set("<>&\u2028\u2029") & set(shown)
    assert json.loads(shown) == {"text": ALL.replace("\ud800", "")}


def test_our_scripts_never_make_markup_of_text() -> None:
    for name in ("common.js", "page.js", "index.js", "explore.js", "history.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|</", asset(name))


def contrast(one: str, other: str) -> float:
    """Of two colours #rrggbb, 1 to 21: WCAG 2.2, "contrast ratio"."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


PAIRS = [
    *[(text, ground) for text in ("text", "dim", "accent") for ground in ("ground", "raised", "here")],
    *[(f"c{client}", "ground") for client in range(6)],
    *[("on-client", f"c{client}") for client in range(6)],
    ("bad", "bad-ground"),
    ("text", "bad-ground"),
    ("on-client", "bad"),
    ("warn", "warn-ground"),
    ("warn", "raised"),
    ("gone", "gone-ground"),
    ("new", "new-ground"),
    ("new", "raised"),
    ("bad", "raised"),
    ("ground", "accent"),
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_has_enough_contrast(dark: bool) -> None:
    blocks = re.findall(r":root \{(.*?)\}", asset("page.css"), re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[dark]))
    poor = [(pair, round(contrast(*(colours[name] for name in pair)), 2)) for pair in PAIRS]
    assert [found for found in poor if found[1] < 4.5] == []


LOOKS = pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)], ids=["phone-dark", "desktop-light"])


def opened(browser: Browser, trace: Trace, folder: Path, fragment: str = "") -> None:
    path = folder / "page.html"
    path.write_text(page(trace, "lakeproof replay x.json"), encoding="utf-8")
    browser.open(path, fragment)


def place(browser: Browser) -> str:
    return browser.text("#place")


def stores(browser: Browser) -> list[list[str]]:
    """The rows of the panel's table: a key, before, after."""
    script = """
    const words = (cell) => cell.firstChild.textContent;
    return [...document.querySelectorAll('#contents tr')].map((row) => [...row.cells].map(words))"""
    return cast("list[list[str]]", browser.run(script))


class TestTrouble:
    @pytest.fixture(autouse=True)
    def at_the_page(self, browser: Browser, tmp_path: Path) -> None:
        opened(browser, TROUBLE, tmp_path)

    def test_it_opens_at_the_violation_with_the_evidence(self, browser: Browser) -> None:
        assert place(browser) == "Step 6 of 6"
        assert browser.text("#broken") == "✗ stays-cleared the counter is back"
        assert browser.text("#sentence") == "the late write of b arrives: sets counters/n: nothing -> 2"

    def test_the_keyboard_moves_wherever_the_focus_is(self, browser: Browser) -> None:
        browser.press("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft")
        assert place(browser) == "Step 2 of 6"
        browser.press("j", "j", "k")
        assert place(browser) == "Step 3 of 6"
        browser.press("End")
        assert place(browser) == "Step 6 of 6"

    def test_the_store_before_and_after_each_step(self, browser: Browser) -> None:
        found = []
        browser.press("Home")
        for _ in range(6):
            browser.press("ArrowRight")
            found.append(stores(browser))
        one = ["counters/n", "1", "1"]
        changes = [["counters/n", "1", "2"], ["counters/n", "2", "nothing"], ["counters/n", "nothing", "2"]]
        assert found == [[one], [one], [one], *([change] for change in changes)]

    def test_a_click_on_a_row_goes_there(self, browser: Browser) -> None:
        browser.click("#row-3 .step-button")
        assert place(browser) == "Step 3 of 6"
        assert browser.run("return document.querySelectorAll('[aria-current=step]').length") == 1
        assert browser.run("return location.hash") == "#step-3"


def test_other_moves_open_by_click_and_leave_the_step_alone(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(RACE, "", of_scenario(RACE, LOST_UPDATE, Source(RACING))), encoding="utf-8")
    browser.open(path, "#step-3")
    browser.click("#row-1 summary")
    assert browser.text("#row-1 details li") == "b reads counters/n: not found"
    assert place(browser) == "Step 3 of 4"
    assert browser.log() == []
    assert complaints(browser) == []


def test_nothing_that_a_trace_says_runs_and_nothing_is_loaded(browser: Browser, tmp_path: Path) -> None:
    opened(browser, HOSTILE, tmp_path, "#step-1")
    browser.press("Home", "j", "j", "j", "k")
    assert browser.log() == []
    assert browser.run("return window.taken === undefined") is True
    assert browser.run("return document.images.length") == 0
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    browser.press("Home")
    assert [row[0] for row in stores(browser)][-1] == "__proto__"
    assert browser.run("return Object.keys(Object.prototype).length") == 0


def test_a_script_that_is_planted_in_a_page_is_stopped_by_its_policy(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "planted.html"
    path.write_text(page(RACE).replace("<h1>", "<script>window.taken = true</script><h1>"), encoding="utf-8")
    browser.open(path)
    assert browser.run("return window.taken === undefined") is True
    assert any("Content Security Policy" in line for line in browser.log())


def check_fit(browser: Browser, width: int) -> None:
    """Nothing sticks out of the page, no head of a table is broken inside a word, axe-core has nothing against it, and
    Tab comes to all that can be used."""
    assert browser.run("return document.documentElement.scrollWidth <= arguments[0]", width) is True
    assert browser.run(BROKEN_HEADS) == []
    assert complaints(browser) == []
    browser.press(*["Tab"] * cast("int", browser.run(WATCH_FOCUS)))
    assert browser.run(NOT_FOCUSED) == []


BROKEN_HEADS = """
const lines = (cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
};
return [...document.querySelectorAll('thead th:not(:has(.hidden))')].filter((cell) => cell.offsetParent)
  .filter((cell) => lines(cell) > cell.innerText.trim().split(/\\s+/).length).map((cell) => cell.innerText);
"""
"""The heads of tables that have more lines than words."""

WATCH_FOCUS = """
const used = 'a[href], button:not(:disabled), input:not(:disabled), summary, [tabindex="0"]';
window.unfocused = new Set([...document.querySelectorAll(used)].filter((each) => each.checkVisibility()));
addEventListener('focusin', (event) => {
  const style = getComputedStyle(event.target);
  if (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') window.unfocused.delete(event.target);
});
document.activeElement.blur();
return window.unfocused.size + 2;
"""
"""How often Tab is to be pressed: one time for each thing that can be used, and for the window's own."""

NOT_FOCUSED = "return [...window.unfocused].map((each) => each.outerHTML.slice(0, 99))"
"""What Tab has not come to, or has shown no outline."""


@LOOKS
def test_the_page_fits_its_window_and_axe_finds_nothing(
    browser: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    browser.look(width=width, dark=dark)
    opened(browser, TROUBLE, tmp_path, "#step-4")
    check_fit(browser, width)


def test_a_broken_head_and_a_control_without_tab_are_found(browser: Browser, tmp_path: Path) -> None:
    opened(browser, TROUBLE, tmp_path, "#step-4")
    browser.run("document.querySelector('#next').tabIndex = -1; document.querySelector('#play').style.outline = 'none'")
    browser.press(*["Tab"] * cast("int", browser.run(WATCH_FOCUS)))
    found = cast("list[str]", browser.run(NOT_FOCUSED))
    assert [each.partition(' id="')[2].partition('"')[0] for each in found] == ["next", "play"]
    assert browser.run(BROKEN_HEADS) == []
    browser.run("document.querySelector('.contents').style.width = '30px'")
    assert browser.run(BROKEN_HEADS) != []


def complaints(browser: Browser) -> list[str]:
    """What axe-core has against a page, one line each."""
    spec = importlib.util.find_spec("axe_core_python")
    assert spec is not None, "axe-core-python is not installed: `make` installs it with the extra `test`"
    assert spec.origin is not None
    browser.devtools("Runtime.evaluate", expression=Path(spec.origin).with_name("axe.min.js").read_text("utf-8"))
    found = browser.run("return axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))")
    return cast("list[str]", found)


def test_axe_finds_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "wrong.html"
    path.write_text(
        page(RACE).replace(' aria-label="Step"', "").replace('<html lang="en">', "<html>"), encoding="utf-8"
    )
    browser.open(path)
    assert {line.partition(":")[0] for line in complaints(browser)} >= {"html-has-lang", "label"}


def test_the_index_filters_and_its_links_lead_to_the_pages(browser: Browser, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    out = str(tmp_path / "traces")
    result = lakeproof("verify", "--from", str(RACING), "--out", out, "--html", str(pages))
    assert result.exit_code == 1, result.output
    assert sorted(path.name for path in pages.iterdir()) == ["counters_lost-update.increments-count.html", "index.html"]
    browser.open(pages / "index.html")
    assert browser.log() == []
    assert complaints(browser) == []
    shown = "return [...document.querySelectorAll('tr.outcome')].filter(r => !r.hidden).length"
    everything = cast("int", browser.run(shown))
    assert everything >= 2
    browser.click("#surprises")
    assert browser.run(shown) == 1
    assert browser.text("#shown") == f"1 of {everything} scenarios"
    browser.click("#surprises")
    browser.click("#sought")
    browser.press(*"atomic")
    assert 1 <= cast("int", browser.run(shown)) < everything
    browser.press(*["\ue003"] * 6)
    browser.click("tr.outcome a")
    assert place(browser) == "Step 4 of 4"


def test_what_is_expected_is_folded_and_found_by_the_filter(browser: Browser, tmp_path: Path) -> None:
    pages, out = tmp_path / "pages", str(tmp_path / "traces")
    patterns = ("repositories/kv3/delete-delete-create", "commits/optimistic/write-commit")
    result = lakeproof("verify", *patterns, "--out", out, "--html", str(pages), "--html-all")
    assert result.exit_code == 0, result.output
    assert len(list(pages.iterdir())) == 1 + len(list((tmp_path / "traces").iterdir()))
    browser.open(pages / "index.html")
    assert browser.text("h1") == "2 scenarios, all as expected; nothing new is violated"
    open_ = "return [...document.querySelectorAll('details.variant')].filter(d => d.open && !d.hidden).length"
    assert browser.run(open_) == 0
    browser.click("#sought")
    browser.press(*"optimistic")
    assert browser.run(open_) == 1

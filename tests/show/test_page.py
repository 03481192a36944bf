"""A page without a browser: its structure, and that no text of a trace is ever markup."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from lakeproof.search.trace import Trace
from lakeproof.show.pages.html import page
from lakeproof.show.pages.markup import asset, embed_json
from tests.show.hostile import ALL
from tests.show.traces import TRACES

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
    for name in ("page.js", "index.js"):
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

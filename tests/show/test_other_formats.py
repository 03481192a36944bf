"""Pictures and diagrams: their grammar holds, whatever a trace says."""

import re
import xml.etree.ElementTree as ET

import pytest

from lakeproof.search.trace import Trace
from lakeproof.show.pages.mermaid import diagram, words
from lakeproof.show.pages.svg import picture
from tests.show.hostile import ALL, HOSTILE
from tests.show.traces import CRASH, TRACES, TROUBLE

EVERY = pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
SVG = "{http://www.w3.org/2000/svg}"


def parsed(shown: str) -> ET.Element:
    return ET.fromstring(shown)  # noqa: S314  # we have written it


@EVERY
def test_a_picture_is_xml_with_a_title_and_nothing_that_runs_or_loads(trace: Trace) -> None:
    root = parsed(picture(trace))
    assert {found.tag for found in root.iter()} <= {
        f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "rect", "circle", "path", "text")
    }
    assert not [name for found in root.iter() for name in found.attrib if name.startswith("on") or "href" in name]
    assert root.get("role") == "img"
    described = [found.get("id") for found in root if found.get("id")]
    assert str(root.get("aria-labelledby")).split() == described


@EVERY
def test_nothing_of_a_picture_is_outside_of_it(trace: Trace) -> None:
    root = parsed(picture(trace))
    width, height = float(str(root.get("width"))), float(str(root.get("height")))
    for found in root.iter(f"{SVG}text"):
        assert 0 <= float(str(found.get("y"))) <= height
        start = float(str(found.get("x")))
        assert start + (0 if found.get("text-anchor") else 7.3 * len(found.text or "")) <= width


def test_a_picture_has_a_chip_for_each_step_of_a_client_and_an_arrow_for_each_write_that_is_seen() -> None:
    root = parsed(picture(TROUBLE))
    assert len(root.findall(f"{SVG}rect[@rx]")) == 1 + 5  # the ground; five steps of clients and one of the clock
    assert root.findall(f"{SVG}path[@class='seen']") == []
    assert len(parsed(picture(HOSTILE)).findall(f"{SVG}path[@class='seen']")) == 1


STATEMENT = re.compile(
    r"    (participant \w+( as .+)?|Note (over \w+(,store)?|right of store): .+|\w+(->>|-\)|-->>|--x)\w+: .+)"
)


@EVERY
def test_a_diagram_has_one_statement_a_line_and_no_character_that_mermaid_reads_otherwise(trace: Trace) -> None:
    first, *lines = diagram(trace).splitlines()
    assert first == "sequenceDiagram"
    for line in lines:
        assert STATEMENT.fullmatch(line)
        message = re.sub(r"#\d+;|<br/>", "", line.partition(": ")[2])
        assert not set(message) & set("#;%<{}`\\$"), line


def test_a_crash_in_a_diagram_is_in_words() -> None:
    assert re.findall(r"Note over c: \d\. (.+)", diagram(CRASH)) == ["crashes"]


def test_words_of_a_diagram_come_back_when_their_codes_are_read() -> None:
    plain = ALL.replace("\ud800", "").replace("\u2028", "").replace("\x1b", "").replace("\0", "")
    assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), words(plain)) == plain
    assert words("") == "#8203;"

"""Pictures and diagrams: their grammar holds, whatever a trace says; and what each step has seen, for their arrows."""

import re
import xml.etree.ElementTree as ET

import attrs
import pytest

from lakeproof.search.faults import Mode
from lakeproof.search.trace import KeyChange, Trace, TraceStep
from lakeproof.show.pages.mermaid import diagram, words
from lakeproof.show.pages.svg import picture
from lakeproof.show.pages.trace_view import follow_trace
from lakeproof.show.races import stores
from tests.show.hostile import ALL, HOSTILE
from tests.show.traces import CRASH, RACE, TRACES, TROUBLE

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


def step(client: str, effect: str, key: str, reply: str = "ok", mode: Mode = Mode.NORMAL, **changes: str) -> TraceStep:
    """A step; ``changes``: what keys hold after it."""
    changed = tuple(KeyChange(key=name.replace("_", "/"), before=None, after=after) for name, after in changes.items())
    return TraceStep(client=client, mode=mode, effect=effect, key=key, reply=reply, changes=changed)


FIRST, SECOND = step("a", "set", "k", k="1"), step("b", "set", "k", k="2")
LISTED = (step("a", "set", "p/x", p_x="1"), step("a", "set", "p/y", p_y="1"), step("a", "set", "q/x", q_x="1"))


@pytest.mark.parametrize(
    ("before", "last", "seen"),
    [
        ([FIRST], step("b", "get", "k", "1"), (1,)),
        ([FIRST, SECOND], step("a", "get", "k", "2"), (2,)),
        ([FIRST], step("b", "get", "j", "not found"), ()),
        ([], step("b", "get", "k", "not found"), ()),
        ([FIRST, step("b", "set", "k")], step("b", "get", "k", "1"), (1,)),  # it changes nothing
        ([FIRST], step("b", "get", "k", "no answer", Mode.LOST_APPLIED), ()),
        ([FIRST], step("b", "get", "k", "no answer", Mode.LOST_DROPPED), ()),
        ([FIRST], step("b", "get", "k", "no answer", Mode.REFUSED), ()),
        ([FIRST], step("b", "set_if", "k", "predicate failed"), (1,)),
        ([FIRST], step("b", "set_if", "k", "ok", k="2"), ()),
        (LISTED, step("b", "scan", "p/", "x, y (1); and more"), (1, 2)),
        (LISTED, step("b", "scan", "p/", "y"), (2,)),
        (LISTED, step("b", "scan", "p/", "nothing"), ()),
        ([step("a", "set", "x", x="1")], step("b", "scan", "graveler/", "x (1)"), (1,)),
    ],
)
def test_a_step_has_seen_the_last_writes_of_what_its_answer_tells(
    before: list[TraceStep], last: TraceStep, seen: tuple[int, ...]
) -> None:
    steps = (*before, last, FIRST)  # a later write is not seen
    assert follow_trace(attrs.evolve(RACE, schedule=steps))[len(before)].seen == seen


def test_the_store_before_each_step_and_at_the_end() -> None:
    steps = follow_trace(TROUBLE)
    assert [each.store.get("counters/n") for each in steps] == ["1", "1", "1", "1", "2", None]
    assert stores(TROUBLE)[-1] == {"counters/n": "2"}

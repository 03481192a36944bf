"""Diagrams: what they draw, and that the documentation is current."""

from lakeproof.report.diagrams import DOCUMENT, REMARKS, diagram, document
from lakeproof.report.lifecycle import MEANINGS, STEP1, TABLES, Event


def test_the_diagrams_of_the_documentation_are_current() -> None:
    hint = "docs/lifecycle.md is out of date: run python -m lakeproof.report.diagrams"
    assert DOCUMENT.read_text(encoding="utf-8") == document(), hint


def test_a_diagram_has_one_arrow_for_each_transition() -> None:
    assert diagram(STEP1).splitlines() == [
        "```mermaid",
        "stateDiagram-v2",
        "    [*] --> active: create",
        "    active --> deleting: delete",
        "    deleting --> deleting: delete",
        "    deleting --> [*]: remove",
        "```",
    ]


def test_every_variant_and_every_event_is_explained() -> None:
    assert REMARKS.keys() == TABLES.keys()
    assert MEANINGS.keys() == set(Event)

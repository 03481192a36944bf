"""State diagrams of the documentation, drawn from tables to which a test holds the flows.

``python -m lakeproof.report.diagrams`` writes ``docs/lifecycle.md``; a test fails while it is not current.
"""

from pathlib import Path
from typing import Final

from lakeproof.report.lifecycle import MEANINGS, TABLES, Event, State, Table

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "lifecycle.md"

INTRODUCTION: Final = """\
# The life of a repository id

This page draws the state transitions of a repository entry, variant by variant, from the tables of
`lakeproof.report.lifecycle`. An arrow is one write to the entry, and its label is the event; a pair of state and event
without an arrow is an error. The start and end of all arrows, `[*]`, is *absent*: there is no entry.

The diagrams show what a design allows if operations run one after the other. `lakeproof verify` checks overlapping
operations, crashes and lost answers.

An entry says nothing of data. In every variant of this page a deleted repository leaves behind what was staged in it,
and its objects, and once its branches are deleted nothing leads to them. [Findings](findings.md) has the schedules,
under "The data of a deleted repository", and a cleaner that reclaims the data.

This file is generated: `python -m lakeproof.report.diagrams` writes it.
"""

REMARKS: Final[dict[str, str]] = {
    "naive": "An entry is there, or it is not. The text does not say whether entities are deleted before it or after.",
    "kv3": "The same states; a delete removes the entry first, and its entities afterwards.",
    "step1": "An entry has a state. The id is free when all entities are deleted.",
    "step2": "A create claims the id first. The id is free when the cleaner has been left a record.",
    "hardened": "Our repair: an entry is never removed. *Deleted* is a tombstone, and its id is free. "
    "The cleaner finds all records of a dead instance, at any time; its data it does not find.",
}


def diagram(table: Table) -> str:
    """A table as a mermaid state diagram."""
    arrows = [
        f"    {_node(before)} --> {_node(after)}: {event.value}"
        for (before, event), after in sorted(table.items(), key=lambda row: _rank(*row[0]))
    ]
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```"])


def document() -> str:
    """All of ``docs/lifecycle.md``."""
    used = {event for table in TABLES.values() for _, event in table}
    events = [f"| {event.value} | {MEANINGS[event]} |" for event in Event if event in used]
    parts = [INTRODUCTION, "\n".join(["| event | what happens |", "| --- | --- |", *events]) + "\n"]
    parts += [f"## {variant}\n\n{REMARKS[variant]}\n\n{diagram(table)}\n" for variant, table in TABLES.items()]
    return "\n".join(parts)


def _node(state: State) -> str:
    return "[*]" if state is State.ABSENT else state.value


def _rank(state: State, event: Event) -> tuple[int, int]:
    return list(State).index(state), list(Event).index(event)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")

"""Iterators over refs, alone: each step answers what the protocol says, by the effects that it states.

One effect per page, when a value of it is needed; a seek inside the page in hand costs none; an error surfaces from
`next`, and the next one tries the same again; a closed iterator has no more effects, even if it was closed while it
waited for one.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.stated import ANSWERS_AS_STATED, ANSWERS_AS_STATED_MEANING, Stated, answers_as_stated
from lakeproof.scenario import Aftermath, Call
from lakeproof.scenarios._branch_data import REPOSITORY
from lakeproof.scenarios._iterators import Did, Next, Step, follow, open_with, plant, plant_orphan, plant_unknown
from lakeproof.scenarios.designs import HOLDS, Design, Row, Word, built, rows
from lakeproof.scenarios.races import NONE, Race

Script = Sequence[tuple[Step, str | None, int]]
"""Steps, each with what it answers, and by how many effects."""

NEXT: Final = Next()
FAILS: Final = Next(fails_at=1)
CLOSED: Final = Next(closed_at=1)
SOUGHT: Final = "sought"

FORWARD: Final[Script] = (
    ("value", "no value", 0),
    (NEXT, "a", 1),
    ("value", "a", 0),
    (NEXT, "c", 0),
    (NEXT, "e", 1),
    (NEXT, "g", 0),
    (NEXT, "i", 1),
    (NEXT, None, 0),
    ("value", "no value", 0),
    (NEXT, None, 0),
)
"""Five tags in pages of two, the last one cut short."""
IN_HAND: Final[Script] = (
    (NEXT, "a", 1),
    (NEXT, "c", 0),
    (b"c", SOUGHT, 0),
    ("value", "no value", 0),
    (NEXT, "c", 0),
    (b"a", SOUGHT, 0),
    (NEXT, "a", 0),
    (b"b", SOUGHT, 0),
    (NEXT, "c", 0),
    (b"d", SOUGHT, 0),
    (NEXT, "e", 1),
    (b"e", SOUGHT, 0),
    (NEXT, "e", 0),
    (b"i", SOUGHT, 0),
    (NEXT, "i", 1),
    (NEXT, None, 0),
    (NEXT, None, 0),
    (b"i", SOUGHT, 0),
    (NEXT, "i", 0),
    (b"z", SOUGHT, 0),
    (NEXT, None, 0),
    (b"h", SOUGHT, 0),
    (NEXT, "i", 1),
    (b"c", SOUGHT, 0),
    (NEXT, "c", 1),
)
"""Seeks into the page in hand, to its bounds, and out of it. A page begins where its scan did."""
WHOLE: Final[Script] = (
    (NEXT, "a", 1),
    (b"h", SOUGHT, 0),
    (NEXT, "i", 0),
    (NEXT, None, 0),
    (b"z", SOUGHT, 0),
    (NEXT, None, 0),
    (b"", SOUGHT, 0),
    (NEXT, "a", 0),
)
"""Everything is in one page, and nothing behind it."""
AGAIN: Final[Script] = (
    (FAILS, "failed", 1),
    (NEXT, "a", 1),
    (NEXT, "c", 0),
    (FAILS, "failed", 1),
    ("value", "no value", 0),
    (NEXT, "e", 1),
    (b"a", SOUGHT, 0),
    (FAILS, "failed", 1),
    (NEXT, "a", 1),
)
"""Pages that fail, and are asked for again."""
CLOSING: Final[Script] = (
    (NEXT, "a", 1),
    ("close", "closed", 0),
    ("value", "no value", 0),
    (NEXT, None, 0),
    ("close", "closed", 0),
    (b"a", SOUGHT, 0),
    (NEXT, None, 0),
)
CLOSED_MEANWHILE: Final[Script] = ((CLOSED, None, 1), ("value", "no value", 0), (NEXT, None, 0))
"""For all kinds whose first page is all of them."""
WITHIN: Final[Script] = (
    (NEXT, "y/1", 1),
    (NEXT, "y/2", 1),
    (NEXT, None, 1),
    (NEXT, None, 0),
    (b"x", SOUGHT, 0),
    (NEXT, "y/1", 1),
    (b"z", SOUGHT, 0),
    (NEXT, None, 1),
)
"""Only paths with a prefix, also where a seek goes before them; in pages of one."""
BY_COMMIT: Final[Script] = (
    (b"c2", SOUGHT, 0),
    (NEXT, "o", 1),
    (NEXT, "m", 0),
    (NEXT, None, 0),
    (b"c1", SOUGHT, 0),
    (NEXT, "n", 0),
    (NEXT, "p", 0),
    (NEXT, "o", 0),
    (b"c9", SOUGHT, 0),
    (NEXT, None, 0),
)
"""A seek before all branches are there, and others in memory."""
ANCESTRY: Final[Script] = (
    (NEXT, "d0", 1),
    (FAILS, "failed", 1),
    (NEXT, "c2", 1),
    (NEXT, "c0", 1),
    (NEXT, "c1", 1),
    (NEXT, "c3", 1),
    (NEXT, None, 0),
    (b"c1", SOUGHT, 0),
    (NEXT, "c1", 4),
    (NEXT, "c3", 1),
    (b"nope", SOUGHT, 0),
    (NEXT, None, 5),
)
"""A merge, its parents in order, and theirs, each once. A seek starts over."""
ORPHAN: Final[Script] = (
    (NEXT, "e0", 1),
    (NEXT, "no parent", 1),
    (NEXT, "no parent", 1),
    (b"e0", SOUGHT, 0),
    (NEXT, "e0", 1),
)
"""A commit whose parent is not there."""
SINGLY: Final[Script] = (
    *((NEXT, name, 1) for name in ("a", "c", "e", "g", "i")),
    (NEXT, None, 0),
)
"""The store says that the last page is the last one."""
LEAVES: Final[Script] = (
    (NEXT, "c0", 4),
    (NEXT, "d0", 2),
    (NEXT, None, 0),
    (b"d", SOUGHT, 0),
    (NEXT, "d0", 0),
    (b"c1", SOUGHT, 0),
    (NEXT, "d0", 2),
)
"""In pages of two: three for the first parents, and three for the commits; the first parents are known then."""
LEAVES_AGAIN: Final[Script] = ((Next(fails_at=3), "failed", 3), (NEXT, "c0", 7), (NEXT, "d0", 4), (NEXT, None, 1))
"""In pages of one: what was found before the failure is looked for again."""
LEAVES_CLOSED: Final[Script] = ((Next(closed_at=2), None, 2), (NEXT, None, 0))
"""In pages of one, while the first parents are sought; and with everything in one page, while the commits are read."""

SCRIPTS: Final[Mapping[str, tuple[str, int, Script]]] = {
    "forward": ("tags", 2, FORWARD),
    "singly": ("tags", 1, SINGLY),
    "in-hand": ("tags", 2, IN_HAND),
    "whole": ("tags", 0, WHOLE),
    "again": ("tags", 2, AGAIN),
    "closing": ("tags", 2, CLOSING),
    "within": ("staged", 1, WITHIN),
    "by-commit": ("branches by commit", 0, BY_COMMIT),
    "ancestry": ("d0", 0, ANCESTRY),
    "no-commit": ("nope", 0, ((NEXT, "no commit", 1), (NEXT, "no commit", 1))),
    "leaves": ("leaves", 2, LEAVES),
    "leaves-again": ("leaves", 1, LEAVES_AGAIN),
    "leaves-closed": ("leaves", 1, LEAVES_CLOSED),
    "leaves-closed-later": ("leaves", 0, LEAVES_CLOSED),
    **{
        f"closed-meanwhile-{what.replace(' ', '-')}": (what, 0, CLOSED_MEANWHILE)
        for what in ("tags", "branches by commit", "leaves", "d0")
    },
}


@attrs.frozen(kw_only=True)
class IteratorsDesign(Design[None]):
    """Iterators over refs, for one client."""

    flows: None = None
    source: str = "graveler-on-kv.md, Iterators"

    def vocabulary(self) -> Mapping[str, Word[None]]:
        return {"plant": Word(lambda _: plant, REPOSITORY)}

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return []


DESIGN: Final = IteratorsDesign(name="iterators/alone", refuted=HOLDS)


def _row(name: str, *steps: tuple[Call, object]) -> Row:
    stated = [Stated(str(call), answer) for call, answer in steps]
    more = Aftermath(
        id=ANSWERS_AS_STATED,
        meaning=ANSWERS_AS_STATED_MEANING,
        calls=[call for call, _ in steps],
        check=answers_as_stated(stated),
    )
    (row,) = rows(DESIGN, "plant", NONE, more=(more,), name=name)
    return row


def _followed(what: str, batch_size: int, script: Script) -> tuple[Call, tuple[Did, ...]]:
    """The call that follows a script, and what it answers."""
    call = Call(follow, REPOSITORY, what, batch_size, tuple(step for step, _, _ in script))
    return call, tuple(Did(answer, effects) for _, answer, effects in script)


ROWS = [
    *(_row(name, _followed(*script)) for name, script in SCRIPTS.items()),
    _row("orphan", (Call(plant_orphan, REPOSITORY), None), _followed("e0", 0, ORPHAN)),
    _row("page-sizes", *((Call(open_with, REPOSITORY, size), size >= 0) for size in (-1, 0, 1))),
    _row(
        "unknown",
        (Call(plant_unknown, REPOSITORY), None),
        _followed("tags", 1, ((NEXT, "undecodable", 1), (b"a", SOUGHT, 0), (NEXT, "a", 1))),
    ),
]

SCENARIOS = built(ROWS)

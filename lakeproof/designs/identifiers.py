"""Readings of the repository flows that turn on the unique identifier and on the list of deletions.

What a bullet list leaves open is read to the letter: which identifier, when it is read, what is written first.
"""

from typing import Final

import attrs

from lakeproof.designs.designs import rows, variant
from lakeproof.designs.kv3 import COMPLETE, KV3
from lakeproof.designs.races import CRASH, NONE, Refuted
from lakeproof.designs.repository_designs import ABSENT, CREATED, EXISTING, EXISTS, by_kind
from lakeproof.designs.step1 import STEP1, SUCCESSOR
from lakeproof.impl.repositories import kv3, step1

LATE_DELETE: Final = Refuted(SUCCESSOR.reason, "delete-delete-create")
SHARED: Final = (
    "instances that were created in the same microsecond, by the clocks of their creators, share a partition: what one "
    "has left, or still writes, is reachable through the other, and a delete empties both"
)
# The clock of these races stands still: all instances are of one microsecond.
BY_TIMESTAMP: Final = attrs.evolve(
    STEP1,
    name="repositories/step1-uid-by-timestamp",
    flows=step1.BY_TIMESTAMP,
    refuted={
        "no-reachable-zombie": Refuted(
            SHARED, "delete-*-create_branch *create-create *create-create-* *create-tag absent/create-create_bare"
        ),
        "failed-call-changed-nothing": Refuted(
            "a create that loses the id has put its branch into the partition of the one that won",
            "*create-create absent/create-create_bare absent/create-create-delete",
        ),
        "active-is-complete": Refuted(SHARED, "delete-delete-create absent/create-create-delete"),
        "delete-spares-successor": LATE_DELETE,
        "create-is-effective": LATE_DELETE,
    },
)
"""The identifier that the text offers twice. The records keep a generated one as a ghost."""

EMPTIED: Final = (
    "a late delete reads the identifier when its entry is gone and another instance has taken its place, and empties "
    "the partition of that one"
)
UID_AFTERWARDS: Final = variant(
    STEP1,
    "uid-after-state",
    {
        "active-is-complete": Refuted(EMPTIED, "delete-delete-create"),
        "delete-spares-successor": Refuted(f"{EMPTIED}; {SUCCESSOR.reason}", "delete-delete-create"),
        "create-is-effective": LATE_DELETE,
    },
    {"delete": {"rereads_uid": True}},
)
"""The bullets of DeleteRepository in their order."""

LISTED: Final = attrs.evolve(
    KV3,
    name="repositories/kv3-to-delete-list",
    flows=kv3.LISTED,
    leaves_garbage=True,
    refuted={
        "active-is-complete": Refuted(
            f"{COMPLETE.reason}; the collector empties what is listed", "*create *create[-/]* *clean*"
        ),
        "cleaner-spares-live": Refuted(
            "the list is written before the entry is deleted: the collector empties the partition of a repository that "
            "is still there, and stays there if its delete stops",
            "*clean*",
        ),
        "delete-spares-successor": LATE_DELETE,
        "create-is-effective": LATE_DELETE,
        **by_kind(
            Refuted(
                "what is written after the partition was emptied is found by no line of the list",
                "*-create_branch* delete-delete-create",
            ),
            branches="delete-*",
            commits="*-create",
        ),
    },
)

ROWS = [
    *rows(BY_TIMESTAMP, EXISTING, NONE, EXISTS),
    *rows(BY_TIMESTAMP, CREATED, NONE, ABSENT),
    *rows(UID_AFTERWARDS, EXISTING, NONE, EXISTS),
    *rows(
        LISTED,
        "delete-create_branch delete-create-create_branch delete-clean-create_branch delete-delete-create",
        NONE,
        EXISTS,
    ),
    *rows(LISTED, "delete-create delete-create-clean delete-create-clean-create_branch", CRASH, EXISTS),
]

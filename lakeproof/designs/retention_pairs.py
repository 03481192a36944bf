"""Retention: every operation, and every two, and then a run: generated from the vocabulary. And what a run cannot read.

Retention may take nothing that a user's call has confirmed, whatever came before; with one client there is
no race to blame. A commit that cannot be read, once or for good, stops a run: what it holds may not be taken for
expired.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

import attrs

from lakeproof.designs._retention import RetentionDesign
from lakeproof.designs.designs import HOLDS, Row, rows
from lakeproof.designs.races import LATE_WRITE, NONE, REFUSED, after, jump
from lakeproof.designs.retention import ACTIVE, JOB, LEASE, ORDERS, PINNED, RECLAIMED, TEXT
from lakeproof.impl.flows import bind_reading
from lakeproof.impl.retention import pins
from lakeproof.model.retention import DAY

WORDS: Final = (
    *("create_branch", "create_branch_from", "update_branch", "tag", "merge", "revert", "restore", "stage"),
    *("upload", "commit", "reset", "delete_branch"),
)
HOUR: Final = 3_600_000_000
"""Microseconds: less than a lease."""
PARTS: Final = ("line", "dangling", "branch")


def _again(design: RetentionDesign, name: str) -> RetentionDesign:
    # What is refuted of the design takes a second client, or other faults than these races have.
    return attrs.evolve(design, name=f"{design.name}-{name}", refuted=HOLDS)


def pairs(design: RetentionDesign) -> Iterator[Row]:
    """Each operation, and each two (deep), then a run."""
    one = attrs.evolve(_again(design, "pairs"), parts=PARTS)
    two = (f"{first}.{second}" for first, second in product(WORDS, repeat=2))
    yield from rows(one, " ".join(f"{words}.{JOB}" for words in WORDS), NONE)
    for words in two:
        only = ACTIVE if words.startswith("delete_branch.") else ""
        yield from rows(one, f"{words}.{JOB}", NONE, deep=True, only=only)


def unread(design: RetentionDesign) -> Iterator[Row]:
    """A run that cannot read a commit: once, and for good."""
    one = _again(design, "unread")
    yield from rows(one, JOB, REFUSED, after("restore.commit"), only=f"{ACTIVE} {RECLAIMED}")
    yield from rows(one, JOB, NONE, after("damage"))


ONE_LOOK: Final = attrs.evolve(
    LEASE, flows=bind_reading(pins.FLOWS, reading=attrs.evolve(pins.Reading(lease=DAY), condemns_first=False))
)
"""Whose runs are short: the other looks have no part in how long a lease is."""

ROWS = [
    *pairs(TEXT),
    *pairs(PINNED),
    *unread(TEXT),
    *unread(ORDERS[-1]),
    *unread(PINNED),
    # A pin that is dropped in doubt, and a lease in another unit.
    *rows(_again(PINNED, "doubt"), f"create_branch.{JOB}", LATE_WRITE, only=ACTIVE),
    *rows(_again(ONE_LOOK, "unit"), f"pin.{JOB}.use", jump(HOUR, "an-hour"), only=ACTIVE, deep=True),
]

"""Listings by iterators, among writers and committers: path by path, while tokens are sealed, committed and dropped."""

from typing import Final

import attrs

from lakeproof.impl.graveler import listing
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.scenarios._branch_data import BranchDesign
from lakeproof.scenarios.designs import HOLDS, built, rows, variant
from lakeproof.scenarios.races import CRASH, NONE, PAGED, SCAN_FAILURE, Refuted

STREAMED: Final = BranchDesign(
    name="commits/lock-free-streamed",
    flows=attrs.evolve(FLOWS, list_entries=listing.list_entries),
    source="graveler-on-kv.md, Iterators",
    refuted=HOLDS,
)
SINGLE_READ: Final = variant(
    STREAMED,
    "single-read",
    {"read-is-legal": Refuted("a token is committed, and dropped, before the listing reaches it", "write.commit-list")},
    {"list": {"rereads": False}},
    " (negative control: no second read of the branch)",
)

ROWS = [
    *rows(STREAMED, "write.commit-list write.delete.commit-list", NONE | CRASH),
    *rows(STREAMED, "write.write:y.commit-list", PAGED | SCAN_FAILURE, paged=1),
    *rows(SINGLE_READ, "write.commit-list", NONE),
]

SCENARIOS = built(ROWS)

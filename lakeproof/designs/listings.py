"""Listings by iterators, among writers and committers: path by path, while tokens are sealed, committed and dropped."""

from typing import Final

import attrs

from lakeproof.designs.branch_designs import WRITTEN, BranchDesign
from lakeproof.designs.commits import DENIED_AT_ITS_END
from lakeproof.designs.designs import rows, variant
from lakeproof.designs.races import CRASH, NONE, PAGED, SCAN_FAILURE, Refuted
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import listing
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.listing import Query
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Repository


async def list_entries(
    env: Env, repository: Repository, branch_id: BranchID, *, batch_size: int = 0
) -> tuple[Entry, ...]:
    """One page of a listing with a delimiter, which no path of the catalogue has: all entries. Raises as
    `listing.list_page`."""
    page = await listing.list_page(env, repository, branch_id, Query(delimiter=b"/"), batch_size=batch_size)
    return tuple(each for each in page.shown if isinstance(each, Entry))


STREAMED: Final = BranchDesign(
    name="commits/lock-free-streamed",
    flows=attrs.evolve(FLOWS, list_entries=listing.list_entries),
    source="graveler-on-kv.md, Iterators",
    refuted={"failed-call-changed-nothing": DENIED_AT_ITS_END},
)
SINGLE_READ: Final = variant(
    STREAMED,
    "single-read",
    {"read-is-legal": Refuted("a token is committed, and dropped, before the listing reaches it", "write.commit-list")},
    {"list": {"rereads": False}},
    " (negative control: no second read of the branch)",
)
IN_FOLDERS: Final = attrs.evolve(
    STREAMED, name="commits/lock-free-streamed-folders", flows=attrs.evolve(FLOWS, list_entries=list_entries)
)

ROWS = [
    *rows(STREAMED, "write.commit-list write.delete.commit-list", NONE | CRASH),
    *rows(STREAMED, "write.write:y.commit-list", PAGED | SCAN_FAILURE, paged=1),
    # Commits and listings that go on page by page, while another client writes.
    *rows(STREAMED, "write:y.commit-write", PAGED, WRITTEN, paged=1),
    *rows(STREAMED, "write:y.commit-write", SCAN_FAILURE, WRITTEN, paged=1, deep=True),
    *rows(STREAMED, "write-commit-list", NONE, WRITTEN, deep=True),
    *rows(STREAMED, "write-commit-list", PAGED, WRITTEN, paged=1, deep=True),
    *rows(IN_FOLDERS, "write.commit-list", NONE),
    *rows(IN_FOLDERS, "write.delete.commit-list", NONE, deep=True),
    *rows(SINGLE_READ, "write.commit-list", NONE),
]

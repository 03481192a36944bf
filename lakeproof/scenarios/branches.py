"""Branches and tags as records: created, deleted and created anew."""

from typing import Final

import attrs

from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches
from lakeproof.scenarios._branch_data import BranchDesign
from lakeproof.scenarios.designs import HOLDS, built, rows
from lakeproof.scenarios.races import FAULTS, NONE, Before, Refuted

SOURCE: Final = "graveler-on-kv.md, Branch"

PLAIN: Final = BranchDesign(
    name="branches/plain",
    flows=FLOWS,
    source=SOURCE,
    refuted={
        "branch-delete-spares-successor": Refuted(
            "there is no conditional delete: the branch is deleted by its name, whosever it is by then",
            "delete_branch-delete_branch-create_branch*",
        )
    },
)

TOMBSTONE: Final = BranchDesign(
    name="branches/tombstone",
    flows=attrs.evolve(FLOWS, delete_branch=branches.delete_branch_by_tombstone),
    source=SOURCE + " (ours: a deleted branch leaves a record that names no commit)",
    refuted=HOLDS,
    options={"create_branch": {"tombstones": True}},
)

REUSED: Final = BranchDesign(
    name="branches/reused-token",
    flows=FLOWS,
    source=SOURCE + " (negative control: a branch created anew has the token of the old one)",
    options={"create_branch": {"fresh_token": False}},
    refuted={
        "branch-starts-clean": Refuted(
            "the record returns to a value that it has had, and what was staged under its token comes back with it",
            "write-delete_branch.create_branch",
        )
    },
)

RACES: Final = (
    "create_branch-delete_branch delete_branch-delete_branch-create_branch write-delete_branch-create_branch "
    "write-delete_branch.create_branch delete_branch-create_branch-commit"
)

ROWS = [
    *rows(PLAIN, RACES, FAULTS),
    *rows(TOMBSTONE, RACES + " delete_branch.create_branch-delete_branch", FAULTS),
    *rows(REUSED, "write-delete_branch.create_branch", NONE, Before("", "delete_branch.create_branch")),
]

SCENARIOS = built(ROWS)

"""Branches and tags as records: created, deleted and created anew."""

from typing import Final

from lakeproof.impl.graveler import lock_free
from lakeproof.impl.refs import branches
from lakeproof.scenarios._branch_data import FAULTS, Variant, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "graveler-on-kv.md, Branch"

PLAIN: Final = Variant(
    name="branches/plain",
    commit=lock_free.commit,
    source=SOURCE,
    refuted={
        "branch-delete-spares-successor": Refuted(
            "there is no conditional delete: the branch is deleted by its name, whosever it is by then",
            ("drop-drop-branch*",),
        ),
    },
)

TOMBSTONE: Final = Variant(
    name="branches/tombstone",
    commit=lock_free.commit,
    source=SOURCE + " (ours: a deleted branch leaves a record that names no commit)",
    flows={"drop": branches.delete_branch_by_tombstone},
    options={"branch": {"tombstones": True}},
)

REUSED: Final = Variant(
    name="branches/reused-token",
    commit=lock_free.commit,
    source=SOURCE + " (negative control: a branch created anew has the token of the old one)",
    options={"branch": {"fresh_token": False}},
    refuted={
        "branch-starts-clean": Refuted(
            "the record returns to a value that it has had, and what was staged under its token comes back with it",
            ("write.drop.branch*", "write-drop.branch*"),
        ),
    },
)

RACES: Final = ["branch-drop", "drop-drop-branch", "write-drop-branch", "write-drop.branch", "drop-branch-commit"]

SCENARIOS = [
    *scenarios(PLAIN, RACES),
    *scenarios(TOMBSTONE, [*RACES, "drop.branch-drop"]),
    *scenarios(REUSED, ["write-drop.branch"], {"": FAULTS[""]}, initially=["drop", "branch"]),
]

"""Merge and revert, among writers, committers and each other: a branch moves by `SetIf` from the head that was read."""

from typing import Final

from lakeproof.impl.graveler import lock_free
from lakeproof.scenarios._branch_data import FAULTS, Variant, scenarios

MERGING: Final = Variant(
    name="merges/by-set-if",
    commit=lock_free.commit,
    source="graveler-on-kv.md, Update Commits, staging and lock-free; Merge and Revert of lakeFS' pkg/graveler",
    options={"commit": {"drops": False}},
)
"""``merge`` brings main, which is a commit ahead, into the branch; ``revert`` undoes the branch's last commit."""

SCENARIOS = [
    *scenarios(MERGING, ["merge-merge", "write-merge", "commit-merge", "merge-reset"], FAULTS, initially=["ahead"]),
    *scenarios(MERGING, ["write.commit-merge"], {"": FAULTS[""]}, initially=["ahead"]),
    *scenarios(MERGING, ["revert-revert", "writey-revert"], FAULTS, initially=["write", "commit"]),
]

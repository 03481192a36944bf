"""Merge and revert, among writers, committers and each other: a branch moves by `SetIf` from the head that was read."""

from typing import Final

from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.scenarios._branch_data import AHEAD, BranchDesign
from lakeproof.scenarios.designs import built, rows
from lakeproof.scenarios.races import FAULTS, NONE, Before, Refuted

MERGING: Final = BranchDesign(
    name="merges/by-set-if",
    flows=FLOWS,
    refuted={
        "failed-call-changed-nothing": Refuted(
            "a `SetIf` that was applied and reported as failed answers `RefChanged`: a definite no for a commit that "
            "is on the branch",
            "*/false-predicate",
        )
    },
    source="graveler-on-kv.md, Update Commits, staging and lock-free; Merge and Revert of lakeFS' pkg/graveler",
    options={"commit": {"reading": lock_free.Reading(drops=False)}},
)
"""``merge`` brings main, which is a commit ahead, into the branch; ``revert`` undoes the branch's last commit."""

ROWS = [
    *rows(MERGING, "merge-merge write-merge commit-merge merge-reset", FAULTS, AHEAD),
    *rows(MERGING, "write.commit-merge", NONE, AHEAD),
    *rows(MERGING, "revert-revert write:y-revert", FAULTS, Before("", "write.commit")),
]

SCENARIOS = built(ROWS)

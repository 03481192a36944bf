"""Merge and revert, among writers, committers and each other: a branch moves by `SetIf` from the head that was read."""

from typing import Final

import attrs

from lakeproof.designs.branch_designs import AHEAD, NOBODYS_PROGRESS, BranchDesign
from lakeproof.designs.designs import HOLDS, rows
from lakeproof.designs.races import FAULTS, NONE, Before, Refuted
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.flows import FLOWS

MERGING: Final = BranchDesign(
    name="merges/by-set-if",
    flows=FLOWS,
    refuted={
        "failed-call-changed-nothing": Refuted(
            "a `SetIf` that was applied and reported as failed answers `RefChanged`: a definite no for a commit that "
            "is on the branch",
            "*/false-predicate",
        ),
        "commit-makes-progress": NOBODYS_PROGRESS,
    },
    source="graveler-on-kv.md, Update Commits, staging and lock-free; Merge and Revert of lakeFS' pkg/graveler",
    options={"commit": {"reading": lock_free.Reading(drops=False)}},
)
"""``merge`` brings main, which is a commit ahead, into the branch; ``revert`` undoes the branch's last commit."""
SEALED: Final = attrs.evolve(MERGING, refuted=HOLDS)
"""Where a committer has stopped after it had sealed what was written."""
REFUSES: Final = "merge-refuses-changes head-exists token-has-one-owner"

ROWS = [
    *rows(MERGING, "merge-merge write-merge commit-merge merge-reset", FAULTS, AHEAD),
    *rows(MERGING, "write.commit-merge", NONE, AHEAD),
    *rows(MERGING, "revert-revert write:y-revert", FAULTS, Before("", "write.commit")),
    *rows(SEALED, "merge merge-commit", NONE, Before("sealed/", "write_ahead.commit_ahead.write.seal"), only=REFUSES),
    *rows(SEALED, "revert", NONE, Before("deleted/", "write.commit.delete.seal"), only=REFUSES),
    *rows(SEALED, "revert revert-commit", NONE, Before("sealed/", "write:y.commit.write.seal"), only=REFUSES),
]

"""Branches, merges and reverts as lakeFS has them today."""

from typing import Final

from lakefs_today import flows
from lakefs_today.scenarios.words import RAW, UpstreamDesign
from lakeproof.designs.branch_designs import AHEAD
from lakeproof.designs.designs import HOLDS, rows, variant
from lakeproof.designs.races import FALSE, NONE, SCAN_FAILURE, Before, Refuted

BRANCHES: Final = UpstreamDesign(
    name="branches/upstream",
    flows=flows.FLOWS,
    source="lakeFS pkg/graveler/graveler.go, CreateBranch and DeleteBranch",
    refuted={
        "branch-delete-spares-successor": Refuted(
            "there is no conditional delete: the branch is deleted by its name, whichever branch has it by then",
            "delete_branch-delete_branch-create_branch",
        ),
        "branch-create-is-effective": Refuted(
            "a slow delete of the branch before it takes it away", "delete_branch-delete_branch-create_branch"
        ),
        "linearizable": Refuted("two deletes of one branch both succeed", "delete_branch-delete_branch-create_branch"),
    },
)
MERGES: Final = UpstreamDesign(
    name="merges/upstream",
    flows=flows.FLOWS,
    source="lakeFS pkg/graveler/graveler.go, Merge, Revert and prepareForCommitIDUpdate",
    refuted={
        "refused-commit-is-absent": Refuted(
            "a SetIf that was applied and reported as failed: a merge tries again, finds that the branch has all of "
            "the source, and answers: no changes; a revert answers that the branch has changed",
            "merge-merge/false-predicate write-merge/false-predicate commit-merge/false-predicate "
            "revert-revert/false-predicate write:y-revert/false-predicate",
        ),
        "acknowledged-write-is-kept": Refuted(
            "a scan that fails is taken for a clean branch, and what is staged is dropped",
            "write-merge/paged-scan-failure",
        ),
        "failed-call-changed-nothing": Refuted(
            "the same, and a reset whose SetIf was applied and reported as failed answers that the branch has changed",
            "*/false-predicate",
        ),
    },
)
KNOWS: Final = variant(
    MERGES,
    "knows-its-own",
    HOLDS,
    RAW,
    " (ours: a merge recognises its own commit, and takes no failed scan for a clean branch)",
    knows_its_own=True,
)

KEPT: Final = "head-exists token-has-one-owner acknowledged-write-is-kept"

DONE: Final = (
    "head-exists token-has-one-owner acknowledged-delete-is-kept commits-form-one-line commit-is-effective "
    "merge-is-effective call-makes-progress"
)
"""Nothing fails in the race of a delete and a merge."""

GONE: Final = Before("gone/", "write_ahead.commit_ahead.write.delete")
"""What is staged is no difference from the head: a tombstone alone."""

ROWS = [
    *rows(
        BRANCHES,
        "create_branch-delete_branch delete_branch-delete_branch-create_branch "
        "write-delete_branch-create_branch write-delete_branch.create_branch",
        NONE,
    ),
    *rows(BRANCHES, "delete_branch.sweep-create_branch.write", NONE, only=KEPT),
    *rows(MERGES, "write-merge commit-merge merge-reset", NONE | FALSE, AHEAD),
    *rows(MERGES, "merge-merge", NONE, AHEAD),
    *rows(MERGES, "merge-merge", FALSE, AHEAD, deep=True),
    *rows(MERGES, "delete-merge", NONE, AHEAD, only=DONE),
    *rows(MERGES, "merge", NONE, GONE, only=DONE),
    *rows(MERGES, "write.commit-merge", NONE, AHEAD, deep=True),
    *rows(MERGES, "write:y-revert", NONE | FALSE, Before("", "write.commit")),
    *rows(MERGES, "revert-revert", NONE | FALSE, Before("", "write.commit"), deep=True),
    *rows(MERGES, "write-merge commit-merge", SCAN_FAILURE, AHEAD, paged=1),
    *rows(MERGES, "write.write:y.merge", SCAN_FAILURE, AHEAD, paged=1, only=KEPT),
    *rows(KNOWS, "write-merge", FALSE, AHEAD),
    *rows(KNOWS, "write-merge", SCAN_FAILURE, AHEAD, paged=1),
    *rows(KNOWS, "merge-merge", FALSE, AHEAD, deep=True),
]

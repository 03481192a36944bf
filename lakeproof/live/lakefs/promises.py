"""What is judged of a service: the promises of the operations that its clients call, as far as they show from outside.

A promise that cannot be judged without a look into the service's store is in `COVERAGE`, with the reason.
"""

from typing import Final

from lakeproof.live.coverage import Coverage
from lakeproof.model.invariants import Monitor, entries

TRUNK: Final = "main"
EXCLUSIVE: Final = "conditional-write-is-exclusive"
UPDATED: Final = "update-is-effective"
IMPORTED_WHOLE: Final = "import-is-whole"
PULL_LINEARIZABLE: Final = "pull-request-is-linearizable"
ALONE: Final = (EXCLUSIVE, UPDATED, IMPORTED_WHOLE, PULL_LINEARIZABLE)
"""What is judged of a service alone. `UPDATED` belongs to a monitor of upstream's flows, too."""
ALONE_CALLS: Final = frozenset(
    {"update_metadata", "stat_entry", "import", "create_pull", "get_pull", "edit_pull", "close_pull", "merge_pull"}
)
"""Calls that the table of promises does not have."""

COVERAGE: Final = Coverage(
    kinds="create_repository delete_repository get_repository list_repositories create_branch get_branch "
    "delete_branch set_entry create_entry delete_entry get_entry commit merge revert reset_branch "
    "reset_prefix reset_entry update_branch create_tag get_tag delete_tag",
    reasons={
        "shows only in the records of the store": "active-is-complete head-exists token-has-one-owner "
        "garbage-is-reclaimable deleted-data-is-reclaimable staged-entries-are-reclaimable objects-are-reclaimable "
        "branches-are-reclaimable tags-are-reclaimable commits-are-reclaimable deletion-leaves-a-lead",
        "shows only in the effects of a call": "call-makes-progress commit-makes-progress "
        "failed-call-changed-nothing deletion-spares-foreign-data",
        "a repository that is not active looks like none": "list-shows-active-only get-shows-active-only",
        "judged as create-is-effective": "some-delete-succeeds branch-create-is-effective",
        "judged as deleted-is-inaccessible": "delete-is-effective branch-delete-is-effective",
        "judged as commits-form-one-line": "commit-is-effective refused-commit-is-absent",
        "judged as commit-is-causal: what a merge holds depends on commits of others": "merge-is-effective",
        f"judged as {EXCLUSIVE}": "conditional-write-saw-absence",
        "errors are those of the HTTP interface": "answers-in-its-terms",
        "no client claims an id: today's lakeFS has no claims": "claim-lasts-two-minutes",
        "what is staged on a branch when a merge looks does not show": "merge-refuses-changes",
    },
)
"""Besides `ALONE_CALLS`. A cherry-pick is judged as a revert is, a hard reset as an update of a branch."""
IDS: Final = (*COVERAGE.ids, *ALONE)
"""All that is judged of a service."""

MONITORS: Final[tuple[Monitor, ...]] = tuple(
    monitor
    for monitor in (
        entries.acknowledged_write_is_kept,
        entries.acknowledged_delete_is_kept,
        entries.refused_write_is_absent,
        entries.commit_is_causal,
        entries.read_is_legal({}, TRUNK),
        entries.branch_starts_clean,
    )
    if monitor.id in IDS
)
"""Those that are judged by the monitors of the search; the others are in `judge` and `existence`."""

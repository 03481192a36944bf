"""What is asked of a service: the promises of the operations that its clients call, as far as they show from outside.

The ids come from `lakeproof.model.promises`. A promise that cannot be judged without a look into the service's store is
in `UNASKED`, with the reason.
"""

from collections.abc import Mapping
from typing import Final

from lakeproof.live.lakefs.calls import (
    CLOSE_PULL,
    CREATE_PULL,
    EDIT_PULL,
    GET_PULL,
    IMPORT,
    MERGE_PULL,
    STAT,
    UPDATE_METADATA,
)
from lakeproof.model import calls
from lakeproof.model.calls import Kind
from lakeproof.model.invariants import Monitor, entries
from lakeproof.model.promises import promised

TRUNK: Final = "main"
EXCLUSIVE: Final = "conditional-write-is-exclusive"
UPDATED: Final = "update-is-effective"
IMPORTED_WHOLE: Final = "import-is-whole"
PULL_LINEARIZABLE: Final = "pull-request-is-linearizable"
ALONE: Final = (EXCLUSIVE, UPDATED, IMPORTED_WHOLE, PULL_LINEARIZABLE)
"""What is asked of a service alone. `UPDATED` belongs to a monitor of upstream's flows, too."""
ALONE_CALLS: Final = frozenset(
    {UPDATE_METADATA, STAT, IMPORT, CREATE_PULL, GET_PULL, EDIT_PULL, CLOSE_PULL, MERGE_PULL}
)
"""Calls that the table of promises does not have."""

KINDS: Final[tuple[Kind, ...]] = (
    calls.CREATE_REPOSITORY,
    calls.DELETE_REPOSITORY,
    calls.GET_REPOSITORY,
    calls.LIST_REPOSITORIES,
    calls.CREATE_BRANCH,
    calls.GET_BRANCH,
    calls.DELETE_BRANCH,
    calls.SET_ENTRY,
    calls.CREATE_ENTRY,
    calls.DELETE_ENTRY,
    calls.GET_ENTRY,
    calls.COMMIT,
    calls.MERGE,
    calls.REVERT,
    calls.RESET_BRANCH,
    calls.RESET_PREFIX,
    calls.RESET_ENTRY,
    calls.UPDATE_BRANCH,
    calls.CREATE_TAG,
    calls.GET_TAG,
    calls.DELETE_TAG,
)
"""What clients call, besides `ALONE_CALLS`. A cherry-pick is judged as a revert is, a hard reset as an
update of a branch."""
_STORE: Final = "shows only in the records of the store"
_EFFECTS: Final = "shows only in the effects of a call"
_TOO_LONG: Final = "some hundred calls are too many for the monitor"
UNASKED: Final[Mapping[str, str]] = {
    "active-is-complete": _STORE,
    "head-exists": _STORE,
    "token-has-one-owner": _STORE,
    "garbage-is-reclaimable": _STORE,
    "list-shows-active-only": "a repository that is not active looks like none",
    "get-shows-active-only": "a repository that is not active looks like none",
    "call-makes-progress": _EFFECTS,
    "commit-makes-progress": _EFFECTS,
    "failed-call-changed-nothing": f"{_EFFECTS}; of entries it is refused-write-is-absent",
    "some-delete-succeeds": "asked as create-is-effective",
    "delete-is-effective": "asked as deleted-is-inaccessible",
    "branch-delete-is-effective": "asked as deleted-is-inaccessible",
    "branch-create-is-effective": "asked as create-is-effective",
    "commit-is-effective": "asked as commits-form-one-line",
    "merge-is-effective": "asked as commit-is-causal: what a merge holds depends on commits of others",
    "conditional-write-saw-absence": f"asked as {EXCLUSIVE}",
    "id-becomes-reusable": "needs calls after the end",
    "branch-stays-committable": "needs calls after the end",
    "linearizable": _TOO_LONG,
    "alone-is-exact": "clients are never alone",
    "answers-in-its-terms": "errors are those of the HTTP interface",
    "doubt-has-a-reason": "a server may leave any call in doubt",
    **dict.fromkeys(
        (
            "deleted-data-is-reclaimable",
            "staged-entries-are-reclaimable",
            "objects-are-reclaimable",
            "branches-are-reclaimable",
            "tags-are-reclaimable",
            "commits-are-reclaimable",
            "deletion-leaves-a-lead",
        ),
        _STORE,
    ),
    "deletion-spares-foreign-data": _EFFECTS,
    "claim-lasts-two-minutes": "no client claims an id: today's lakeFS has no claims",
    "name-is-not-blocked": "needs calls after the end",
    "merge-refuses-changes": "what is staged on a branch when a merge looks does not show",
    "refused-commit-is-absent": "asked as commits-form-one-line",
}
"""Promises of these that a service is not asked for, each with the reason."""
IDS: Final = (*(each for each in promised(*KINDS) if each not in UNASKED), *ALONE)
"""All that is asked of a service."""

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

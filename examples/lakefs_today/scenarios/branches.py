"""Entries, commits and resets as lakeFS has them today; and the repairs, each by itself, and all together."""

from typing import Final

from lakefs_today import flows, promises
from lakefs_today.scenarios.words import GONE, RAW, UpstreamDesign
from lakeproof.designs.branch_designs import WRITTEN
from lakeproof.designs.designs import HOLDS, rows, variant
from lakeproof.designs.races import CRASH, FALSE, FAULTS, HARD, LOST, NONE, REFUSED, SCAN_FAILURE, Before, Refuted

SOURCE: Final = "lakeFS pkg/graveler/graveler.go and pkg/graveler/staging/manager.go"

DELETED: Final = (
    "a delete looks at tokens and the head one after the other, and compares only the open token afterwards: a "
    "tombstone under a token that a commit has read already, or an entry that goes from a token to the head, "
    "makes it do nothing"
)
UNSTAGED: Final = "a change is removed under a token that a commit has read already"
AMENDED: Final = (
    "it looks through the branch while a commit ends, finds no change under the emptied token, and takes the entry of "
    "the head that it knows"
)
RESET_TOO_LATE: Final = "the reset writes under a token that a commit has sealed and read already"

UPSTREAM: Final = UpstreamDesign(
    name="commits/upstream",
    flows=flows.FLOWS,
    source=SOURCE,
    refuted={
        "acknowledged-delete-is-kept": Refuted(
            f"{DELETED}; without a tombstone: {UNSTAGED}, or an update of metadata brings it back: {AMENDED}",
            "delete-commit* erase-commit* touch-erase committed/touch_in_two-delete "
            "committed/delete.commit.sweep-amend",
        ),
        "read-is-legal": Refuted(
            "a read does not look at the branch again: the entry has gone from a token to a head that it does not know",
            "commit.sweep-read commit.sweep-list",
        ),
        "refused-write-is-absent": Refuted(
            "after a change of the open token the condition is checked against what this call has staged itself, and a "
            "SetIf that was applied and reported as failed is answered with 412, too",
            "create-commit* replace-commit",
        ),
        "conditional-write-saw-absence": Refuted(
            "the call is refused for what it has staged itself: the path was never taken by another; and it succeeds "
            "though the path is taken throughout, by an entry that goes from a token to the head meanwhile",
            "create-commit* replace-commit commit.sweep-create",
        ),
        "refused-commit-is-absent": Refuted(
            "a SetIf that was applied and reported as failed is tried again, finds nothing sealed, and answers: no "
            "changes",
            "commit-commit/false-predicate",
        ),
        "staged-garbage-can-be-found": Refuted(
            "a commit notes the tokens after it has replaced the branch, and may end before; and a write that comes "
            "after the sweep of its token stays there; and a sweep takes a scan that breaks for its end",
            "write-commit.sweep delete-commit/crash reset.sweep/paged-scan-failure",
        ),
        "update-is-effective": Refuted(
            "where the repository cannot be read, an update of metadata answers that all is well", "touch_by_id/refusal"
        ),
        "acknowledged-reset-is-kept": Refuted(
            f"{RESET_TOO_LATE}; and a scan that fails is taken for its end: the rest is not reset",
            "commit-reset_entry.* reset_prefix/*",
        ),
        "linearizable": Refuted(
            f"{RESET_TOO_LATE}; an entry that was removed between the two looks of a conditional write counts as there",
            "commit-reset_prefix.read commit-reset_entry.read.reset_entry.read replace-erase.read",
        ),
        "acknowledged-write-is-kept": Refuted(
            "a reset of a prefix writes tombstones under the old token before it replaces the branch, and they stay "
            "when it fails; where its SetIf was applied, and reported as failed or not at all, it notes the open token "
            f"of the branch as dropped; an update of metadata brings back what was overwritten: {AMENDED}",
            "write.reset_prefix-commit reset_prefix.write-sweep/* committed/write.commit.sweep-amend",
        ),
    },
)

REREADS: Final = variant(UPSTREAM, "rereads", HOLDS, RAW, " (ours: a read looks at the branch again)", rereads=True)
CAREFUL: Final = variant(
    UPSTREAM, "careful-delete", HOLDS, RAW, " (ours: a delete that trusts no sealed token)", careful=True
)
KNOWS: Final = variant(
    UPSTREAM,
    "knows-its-own",
    HOLDS,
    RAW,
    " (ours: writers and committers recognise their own work)",
    knows_its_own=True,
)
WAITS: Final = variant(
    UPSTREAM, "reset-waits", HOLDS, RAW, " (ours: a reset of paths waits for commits, and writes apart)", waits=True
)
REPORTS: Final = variant(
    UPSTREAM, "reports", HOLDS, {"touch_by_id": {"reports": True}}, " (ours: an update of metadata passes errors on)"
)
EMPTY: Final = variant(
    UPSTREAM,
    "allow-empty",
    {
        "commit-makes-progress": Refuted(
            "another commit beats a commit twice, once by sealing the open token, and each time all is combined anew; "
            "a SetIf that was applied and reported as failed makes the commit again, empty, on top of itself",
            "commit-commit*",
        )
    },
    {**RAW, "commit": {"allow_empty": True}},
    " (a commit that may be empty)",
)
MENDED: Final = UpstreamDesign(
    name="commits/upstream-mended", flows=flows.MENDED, source=SOURCE + " (ours: all repairs)", refuted=HOLDS
)

KEPT: Final = Before("committed/", "write.commit")
AMENDING: Final = "delete.commit.sweep-{0} write.commit.sweep-{0}"
TAKEN: Final = "head-exists token-has-one-owner conditional-write-saw-absence"
EXPLAINED: Final = "head-exists token-has-one-owner linearizable"
READING: Final = "commit.sweep-read commit.sweep-list"
DELETING: Final = "delete-commit erase-commit"
SWEPT: Final = "delete-commit.sweep erase-commit.sweep"
RESETTING: Final = "commit-reset_entry.read commit-reset_prefix.read commit-reset_entry.read.reset_entry.read"

GARBAGE: Final = promises.staged_garbage_can_be_found.id
OF_NOTHING: Final = "touch touch_in_two touch_by_id amend amend-amend"

ROWS = [
    *rows(UPSTREAM, "write-commit", FAULTS, WRITTEN),
    *rows(UPSTREAM, "write-commit.sweep", NONE, WRITTEN),
    *rows(UPSTREAM, "create-commit", FAULTS),
    *rows(UPSTREAM, "commit-commit", NONE | FALSE, WRITTEN),
    # Who is beaten finds something sealed again: only so does it commit over a head that was not there when it began.
    *rows(UPSTREAM, "commit-commit.write.commit", NONE, WRITTEN),
    *rows(UPSTREAM, READING, NONE, WRITTEN),
    *rows(UPSTREAM, DELETING, FAULTS, WRITTEN),
    *rows(UPSTREAM, SWEPT, NONE, WRITTEN),
    *rows(UPSTREAM, "replace-commit", NONE, WRITTEN),
    *rows(UPSTREAM, "replace-erase.read", NONE, WRITTEN, only=EXPLAINED),
    *rows(UPSTREAM, RESETTING + " commit-reset.read", NONE, WRITTEN),
    *rows(UPSTREAM, "write.reset_prefix-commit", NONE),
    *rows(UPSTREAM, "reset_prefix.write-sweep", NONE | FALSE | LOST, WRITTEN),
    *rows(UPSTREAM, "reset_prefix", SCAN_FAILURE, WRITTEN, paged=1),
    *rows(UPSTREAM, "sweep", CRASH, Before("reset/", "write.reset"), only=GARBAGE),
    *rows(UPSTREAM, "reset.sweep", SCAN_FAILURE, Before("", "write.write:y"), paged=1, only=GARBAGE),
    *rows(UPSTREAM, "touch-delete touch_in_two-delete", NONE, KEPT),
    *rows(UPSTREAM, "touch-delete touch-erase", NONE, WRITTEN),
    *rows(UPSTREAM, "touch_by_id", REFUSED, WRITTEN),
    *rows(UPSTREAM, "write_several-commit", NONE),
    *rows(UPSTREAM, "amend", NONE, WRITTEN),
    *rows(UPSTREAM, "delete_branch reset", NONE, WRITTEN, only=GARBAGE),
    *rows(UPSTREAM, OF_NOTHING, NONE, Before("nothing/", ""), only=promises.UPDATE_NEEDS_AN_ENTRY),
    *rows(UPSTREAM, OF_NOTHING, NONE, Before("gone/", ".".join(GONE)), only=promises.UPDATE_NEEDS_AN_ENTRY),
    *rows(UPSTREAM, AMENDING.format("amend"), NONE, KEPT),
    *rows(UPSTREAM, "commit.sweep-create", NONE, WRITTEN),
    *rows(REREADS, AMENDING.format("amend_rereading"), NONE, KEPT),
    *rows(KNOWS, AMENDING.format("amend_safely"), NONE, KEPT),
    *rows(KNOWS, "commit.sweep-create", NONE, WRITTEN, only=TAKEN),
    *rows(REPORTS, "touch_by_id", REFUSED, WRITTEN),
    *rows(REREADS, READING, NONE, WRITTEN),
    *rows(REREADS, "commit.sweep-read", HARD, WRITTEN),
    *rows(CAREFUL, DELETING, FAULTS, WRITTEN),
    *rows(CAREFUL, SWEPT, NONE, WRITTEN),
    *rows(CAREFUL, DELETING, NONE, KEPT),
    *rows(KNOWS, "create-commit", NONE | LOST | FALSE),
    *rows(KNOWS, "commit-commit", NONE | FALSE, WRITTEN),
    *rows(KNOWS, "replace-commit touch_safely-erase", NONE, WRITTEN),
    *rows(KNOWS, "replace-erase.read", NONE, WRITTEN, only=EXPLAINED),
    *rows(WAITS, RESETTING, NONE, WRITTEN),
    *rows(WAITS, "commit-reset_entry.read.reset_entry.read", HARD, WRITTEN, deep=True),
    *rows(WAITS, "write.reset_prefix-commit", FAULTS),
    *rows(WAITS, "reset_prefix.write-sweep", FALSE | LOST, WRITTEN),
    *rows(WAITS, "reset_prefix", SCAN_FAILURE, WRITTEN, paged=1),
    *rows(EMPTY, "commit-commit", NONE, WRITTEN),
    *rows(EMPTY, "commit-commit", FALSE, WRITTEN, deep=True),
    *rows(MENDED, "write-commit delete-commit", NONE, WRITTEN),
    *rows(MENDED, "create-create-commit", FALSE, deep=True),
]

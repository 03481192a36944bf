"""Commit in three variants, among writers, readers, resetters and deleters of its branch."""

from typing import Final

import attrs

from lakeproof.designs.branch_designs import NOBODYS_PROGRESS, WRITTEN, BranchDesign
from lakeproof.designs.designs import HOLDS, rows, variant
from lakeproof.designs.races import (
    CRASH,
    FALSE,
    FAULTS,
    FAULTY,
    HARD,
    LATE_WRITE,
    NONE,
    PAGED,
    REFUSED,
    SCAN_FAILURE,
    Before,
    Refuted,
    fault,
    jump,
)
from lakeproof.impl.flows import bind_reading
from lakeproof.impl.graveler import flows, lock_free, locked, optimistic, resets, writes

SOURCE: Final = "graveler-on-kv.md, Update Commits, staging and lock-free"
LEASE: Final = 60_000_000  # microseconds

UNSURE: Final = (
    "a `SetIf` under a staging token is applied and reported as failed, its token is committed and dropped, and "
    "nothing is left by which the writer could recognise its own"
)

DENIED_AT_ITS_END: Final = Refuted(
    "a commit whose last scan breaks, the one for what it drops, answers `ScanInterrupted`: a definite no for what is "
    "on the branch",
    "*commit*/paged-scan-failure",
)

LOCK_FREE: Final = BranchDesign(
    name="commits/lock-free",
    flows=flows.FLOWS,
    source=SOURCE,
    refuted={
        "commit-makes-progress": NOBODYS_PROGRESS,
        "refused-write-is-absent": Refuted(
            f"{UNSURE}; and a write whose second look at the branch is refused answers `Refused`, and is staged",
            "create-create-commit/false-predicate write-read/refusal",
        ),
        "read-is-legal": Refuted("a write that was refused, and is staged all the same, is read", "write-read/refusal"),
        "acknowledged-write-is-kept": Refuted(
            "a write in doubt comes late, and replaces what its client has written since", "write.write/late-write"
        ),
        "linearizable": Refuted(
            "a write that comes late to a sealed token is seen by who reads through it, and gone when that token has "
            "been committed without it, until its writer tries again",
            "write-commit-read.read",
        ),
        "failed-call-changed-nothing": Refuted(
            "a create of a branch whose `SetIf` was applied and reported as failed answers `BranchExists`; a call "
            f"whose last effects are refused has taken place, and says that it has not; {DENIED_AT_ITS_END.reason}",
            "write-commit-delete_branch-create_branch/false-predicate commit-reset*/refusal "
            "*commit*/paged-scan-failure",
        ),
    },
)

KEEPING: Final = variant(
    LOCK_FREE,
    "keeps-staged",
    {"commit-makes-progress": NOBODYS_PROGRESS},
    {"commit": {"reading": lock_free.KEEPS_STAGED}},
)
"""Staged entries stay where they are when they are committed: the text drops none. Smaller, for larger races."""

REPAIRED: Final = variant(
    LOCK_FREE,
    "knows-its-own",
    HOLDS,
    {"commit": {"reading": lock_free.KNOWS_ITS_OWN}, "copy_branch": {"doubts": True}},
    " (ours: a committer that recognises its own commit)",
)
"""A beaten committer first checks whether the head is its own commit."""
REPAIRED_ONCE: Final = attrs.evolve(
    REPAIRED,
    name="commits/lock-free-knows-its-own-once",
    options={"commit": {"reading": attrs.evolve(lock_free.KNOWS_ITS_OWN, tries=1)}},
)
"""The same, with one try to seal, and one to finish."""

TAKEN: Final = variant(LOCK_FREE, "returns-head", HOLDS, {"commit": {"reading": lock_free.RETURNS_HEAD}})
"""A committer whose tokens were all taken returns the head that took them, and makes no empty commit."""

ONCE: Final = (
    "a token that was read before it was sealed may have been committed, and dropped, before the write or the read came"
)

SINGLE_READ: Final = variant(
    LOCK_FREE,
    "single-read",
    {
        "acknowledged-write-is-kept": Refuted(ONCE, "write-commit* write_several-commit*"),
        "acknowledged-delete-is-kept": Refuted(ONCE, "write.commit-delete*"),
        "read-is-legal": Refuted(ONCE, "write.commit-read* write.commit-list* write.commit-delete-read*"),
    },
    {
        **{word: {"reading": writes.SINGLE_READ} for word in ("write", "write_several", "delete")},
        **{word: {"rereads": False} for word in ("read", "list")},
    },
    " (negative control: no second read of the branch)",
)

KEPT_TOKEN: Final = variant(
    LOCK_FREE,
    "reset-keeps-token",
    HOLDS,
    {"reset": {"fresh_token": False}},
    " (a reset that leaves the branch its token: the record may return to a value that it has had)",
)

ITS_OWN: Final = Refuted(
    "the token changed under the writer, which tries again, finds what it wrote itself, sealed or committed by now, "
    "and takes it for another writer's",
    "create-*commit* replace-*commit*",
)

FORGETFUL: Final = variant(
    LOCK_FREE,
    "create-forgets",
    {"refused-write-is-absent": ITS_OWN, "conditional-write-saw-absence": ITS_OWN},
    {word: {"reading": writes.FORGETFUL} for word in ("create", "replace")},
    " (create only if absent, as written)",
)

REMOVED: Final = (
    "the change is deleted under a token that was sealed and scanned meanwhile; nothing is left by which a reset could "
    "see that the commit on its way has it"
)
IN_PLACE_RACES: Final = "*commit-reset_entry* *commit-reset_prefix*"

RESET_IN_PLACE: Final = variant(
    LOCK_FREE,
    "reset-in-place",
    {
        "acknowledged-reset-is-kept": Refuted(REMOVED, IN_PLACE_RACES),
        "linearizable": Refuted(f"{REMOVED}; a read that found nothing is taken back", "*.read.read *-read.read"),
    },
    {word: {"forgets": resets.IN_PLACE} for word in ("reset_entry", "reset_prefix")},
    " (a reset of a path that deletes the change where it is staged)",
)

RESET_OPEN_ONLY: Final = variant(
    LOCK_FREE,
    "reset-open-only",
    {"acknowledged-reset-is-kept": Refuted(REMOVED, IN_PLACE_RACES)},
    {word: {"forgets": resets.OPEN_ONLY} for word in ("reset_entry", "reset_prefix")},
    " (a reset of a path that does not look at sealed tokens)",
)

OVER_RESETS: Final = (
    "a commit that began before a reset holds what was reset: hidden, until the restoration is reset, too"
)

FORGETS_RESETS: Final = variant(
    LOCK_FREE,
    "forgets-resets",
    {
        "acknowledged-reset-is-kept": Refuted(OVER_RESETS, "commit-reset_entry.read.reset_entry.read*"),
        "linearizable": Refuted(OVER_RESETS, "commit-reset_entry.read.reset_entry.read*"),
    },
    {"commit": {"reading": lock_free.FORGETS_RESETS}},
    " (negative control: a committer that was beaten by a reset does not look at what it restored)",
)

OPTIMISTIC: Final = BranchDesign(
    name="commits/optimistic",
    flows=optimistic.FLOWS,
    source=SOURCE + ", Step 3 of the plan",
    options={"commit": {"reading": optimistic.Reading(drops=False, tries=3)}},
    refuted={
        "commit-makes-progress": Refuted(
            f"who is beaten seals anew, which beats the other: nothing bounds how often; {NOBODYS_PROGRESS.reason}",
            "commit-commit* write.commit-commit* write-commit/false-predicate",
        )
    },
)

UNSEALED: Final = variant(
    OPTIMISTIC,
    "unsealed",
    {
        "acknowledged-write-is-kept": Refuted(
            "what is staged between the scan and the `SetIf` is under a token that is never read again",
            "write-commit* write.commit-commit*",
        ),
        "commit-is-causal": Refuted("and so a later commit does not hold it either", "write.commit-commit*"),
    },
    {"commit": {"reading": optimistic.Reading(seals=False, tries=3)}},
    " (without sealed tokens)",
)

STUCK: Final = Refuted(
    "the lock is never taken from a holder that crashed, or whose `delete` or answer was lost",
    "*/crash */lost-answer */false-predicate",
)

LOCKED: Final = BranchDesign(
    name="commits/locked",
    flows=locked.FLOWS,
    source="graveler-on-kv.md, Tables",
    beatable=False,
    refuted={
        "branch-stays-committable": STUCK,
        "failed-call-changed-nothing": Refuted(
            "the branch is replaced by a `SetIf` that was applied and reported as failed: the commit answers "
            "`PredicateFailed`, and is on the branch",
            "*/false-predicate",
        ),
    },
)

OUTLIVED: Final = "who was only slow goes on after its lease, and so does who took the lock over: neither asks again"

LEASED: Final = BranchDesign(
    name="commits/locked-leased",
    flows=bind_reading(locked.FLOWS, reading=locked.Reading(lease=LEASE)),
    source="graveler-on-kv.md, Tables (ours: a lock that expires)",
    beatable=False,
    refuted={
        "acknowledged-write-is-kept": Refuted(OUTLIVED, "write-commit*"),
        "commits-form-one-line": Refuted(OUTLIVED, "commit-commit*"),
        "commit-is-effective": Refuted(OUTLIVED, "commit-commit*"),
    },
)
NO_FALSE: Final = NONE | HARD
# No fault: WRITTEN and COMMITTED put nothing in front of a name, and so their races need two endings.
OVER: Final = fault("over-committed")
IN_PAGES: Final = PAGED | SCAN_FAILURE
BY_TWO: Final = fault("paged-by-two")
LATER: Final = jump(LEASE + 1)  # the lease is over, and its holder may just be slow

COMMITTED: Final = Before("", "write.commit.write")
"""An uncommitted change over a committed entry."""

RESET_RACES: Final = "commit-reset_entry.read commit-reset_prefix.read commit-reset.read"
DECIDED: Final = (
    "head-exists token-has-one-owner commits-form-one-line acknowledged-reset-is-kept failed-call-changed-nothing"
)
"""What is checked under refusals: a call whose last effects are refused has taken place, and says that it has not."""
BEATEN_THRICE: Final = "acknowledged-write-is-kept acknowledged-delete-is-kept head-exists"
"""A writer looks three times: it must not answer after the third other token."""
TAKEN_SINCE: Final = "linearizable acknowledged-write-is-kept acknowledged-reset-is-kept"
"""Of a reset whose `SetIf` took place though it was reported as failed: a commit has taken its token, too, and another
try would reset what was written since."""

ROWS = [
    *rows(
        LOCK_FREE,
        "commit-commit write-commit write-write-commit write.commit-read write.commit-list write.commit-delete "
        "write.commit-reset write.commit-reset_entry write.commit-delete_branch write-commit-reset "
        "write-commit-reset_prefix write-commit-delete_branch-create_branch write-commit-read write_several-commit "
        "create-commit",
        FAULTS,
    ),
    # What was committed before the branch was deleted is in its copy; what was reset is not read.
    *rows(LOCK_FREE, "write-commit.copy_branch.delete_branch", NONE),
    *rows(LOCK_FREE, "reset-read.delete_branch", FALSE, WRITTEN, only="linearizable"),
    *rows(LOCK_FREE, "write-read", REFUSED),
    *rows(LOCK_FREE, "write-write write.write write-delete", LATE_WRITE),
    *rows(LOCK_FREE, "create-create", FAULTS),
    *rows(LOCK_FREE, "replace-replace", FAULTS, WRITTEN),
    *rows(LOCK_FREE, "create-create-commit create-delete-commit", NONE),
    *rows(LOCK_FREE, "create-create-commit create-delete-commit", FAULTY, deep=True),
    *rows(LOCK_FREE, "write.delete-commit write.commit-delete-read", NO_FALSE),
    *rows(LOCK_FREE, "write-commit-commit write.commit-write.commit", NONE),
    *rows(LOCK_FREE, "write-commit-commit write.commit-write.commit", HARD, deep=True),
    *rows(LOCK_FREE, "write-read.read write-commit-read.read write.commit-read.read", NONE),
    *rows(LOCK_FREE, "replace-commit", NO_FALSE, WRITTEN),
    *rows(LOCK_FREE, "replace-replace-commit", NONE, WRITTEN),
    *rows(LOCK_FREE, "replace-replace-commit", HARD, WRITTEN, deep=True),
    *rows(LOCK_FREE, "write.write:y.commit-list write-write:y-commit", IN_PAGES, paged=1),
    *rows(LOCK_FREE, "write.write:y.commit-read", BY_TWO, paged=2),
    *rows(KEEPING, "write-commit", NONE),
    *rows(KEEPING, "write-commit.commit.commit", NONE, only=BEATEN_THRICE),
    *rows(KEEPING, "delete-commit.commit.commit", NONE, WRITTEN, only=BEATEN_THRICE),
    *rows(KEEPING, "write-commit-commit", NONE, deep=True),
    *rows(TAKEN, "commit-commit", NO_FALSE),
    *rows(TAKEN, "write.commit-write.commit", NONE),
    *rows(TAKEN, "write.commit-write.commit", FAULTY, deep=True),
    *rows(TAKEN, "commit-commit", FALSE),
    *rows(SINGLE_READ, "write-commit write.commit-read write.commit-list", NONE),
    *rows(SINGLE_READ, "write.commit-delete-read write_several-commit", NONE),
    *rows(LOCK_FREE, "reset-reset-commit write-reset-reset", NONE),
    *rows(LOCK_FREE, "reset-reset-commit write-reset-reset", HARD, deep=True),
    *rows(KEPT_TOKEN, "reset-reset-commit write-reset-reset", NONE),
    *rows(KEPT_TOKEN, "write.commit-reset write-commit-reset", NONE),
    *rows(FORGETFUL, "create-commit create-create-commit", NONE),
    *rows(FORGETFUL, "replace-commit replace-replace-commit", NONE, WRITTEN),
    *rows(REPAIRED, "commit-commit write-commit", FAULTS),
    # Others see what was committed though its `SetIf` failed, or commit on top, before the committer looks.
    *rows(REPAIRED, "commit-copy_branch.delete_branch", FALSE, WRITTEN),
    *rows(REPAIRED_ONCE, "commit-create_branch.commit", FALSE, WRITTEN, only="failed-call-changed-nothing"),
    *rows(REPAIRED, "write.commit-commit", NONE, deep=True),
    *rows(REPAIRED, "write.commit-commit", FAULTY, deep=True),
    *rows(OPTIMISTIC, "write-commit", FAULTS),
    *rows(OPTIMISTIC, "commit-commit", NO_FALSE),
    *rows(OPTIMISTIC, "write.commit-commit", NONE, deep=True),
    *rows(OPTIMISTIC, "write.commit-commit", FAULTY, deep=True),
    *rows(OPTIMISTIC, "write-commit-reset", NONE),
    *rows(UNSEALED, "write-commit write.commit-commit", NONE),
    *rows(LOCKED, "commit-commit write-commit", FAULTS),
    *rows(LOCKED, "write.commit-write.commit", NONE),
    *rows(LOCKED, "write.commit-write.commit", FAULTY, deep=True),
    *rows(LOCKED, "write_several-commit create-commit delete-commit commit-delete_branch.create_branch", NONE),
    *rows(LOCKED, f"replace-commit {RESET_RACES}", NONE, WRITTEN),
    *rows(LOCKED, "commit-merge commit-revert commit-delete_branch", NONE),
    *rows(LEASED, "write-commit commit-commit commit-delete_branch", LATER),
    *rows(LOCK_FREE, "write.commit-write.commit-delete write.delete.commit-commit", NO_FALSE, deep=True),
    *rows(KEEPING, "commit-commit-commit write-write:y-commit-commit", NO_FALSE, deep=True),
    *rows(KEEPING, "write-commit-commit-reset", NO_FALSE, deep=True),
    *rows(KEEPING, "write-write:y-commit-commit-delete_branch", NONE | CRASH, deep=True),
    # Resets.
    *rows(LOCK_FREE, RESET_RACES, FAULTS | LATE_WRITE, WRITTEN),
    *rows(LOCK_FREE, RESET_RACES, REFUSED, WRITTEN, only=DECIDED),
    *rows(LOCK_FREE, RESET_RACES, OVER, COMMITTED),
    *rows(LOCK_FREE, "commit-reset_entry.read.reset_entry.read commit-reset_entry.reset.read", NONE, WRITTEN),
    *rows(LOCK_FREE, "commit-reset_entry.read.reset_entry.read", HARD, WRITTEN, deep=True),
    *rows(LOCK_FREE, "commit-reset_entry.reset.read", HARD, WRITTEN, deep=True),
    *rows(LOCK_FREE, "commit-reset_entry.read.reset_entry.read", OVER, COMMITTED),
    *rows(LOCK_FREE, "commit-reset_entry-read.read commit-reset_entry.commit.read", NONE, WRITTEN),
    *rows(LOCK_FREE, "commit-reset_entry-read.read", HARD, WRITTEN, deep=True),
    *rows(LOCK_FREE, "commit-reset_entry-reset_entry.read", NONE, WRITTEN, deep=True),
    *rows(LOCK_FREE, "write-reset_entry.read read.write.read-reset_entry write:y-reset_entry", FAULTS, WRITTEN),
    *rows(LOCK_FREE, "commit.read.write.read-reset_entry", FALSE, WRITTEN, only=TAKEN_SINCE),
    *rows(LOCK_FREE, "write-commit-reset_entry.read write.commit-reset_entry.read", NONE, WRITTEN),
    *rows(LOCK_FREE, "write:y.commit-reset_prefix.list", PAGED, WRITTEN, paged=1),
    *rows(LOCK_FREE, "write:y.commit-reset_prefix.list", SCAN_FAILURE, WRITTEN, paged=1, deep=True),
    *rows(OPTIMISTIC, "commit-reset_entry.read.reset_entry.read", NONE, WRITTEN),
    *rows(OPTIMISTIC, "commit-reset_entry.read.reset_entry.read", HARD, WRITTEN, deep=True),
    *rows(OPTIMISTIC, "commit-reset_prefix.read", NO_FALSE, WRITTEN),
    *rows(RESET_IN_PLACE, "commit-reset_entry.read commit-reset_prefix.read", NONE, WRITTEN),
    *rows(RESET_IN_PLACE, "commit-reset_entry.read.read commit-reset_entry-read.read", NONE, WRITTEN),
    *rows(RESET_OPEN_ONLY, "commit-reset_entry.read commit-reset_prefix.read", NONE, WRITTEN),
    *rows(FORGETS_RESETS, "commit-reset_entry.read.reset_entry.read", NONE, WRITTEN),
    *rows(LOCK_FREE, "commit-reset_entry.commit.read commit-reset_entry-reset_entry.read", FAULTY, WRITTEN, deep=True),
    *rows(
        LOCK_FREE,
        "commit-reset_entry.read.reset_entry.read commit-reset_entry-read.read",
        FALSE | LATE_WRITE,
        WRITTEN,
        deep=True,
    ),
    *rows(LOCK_FREE, "write-commit-reset_entry.read", FAULTY, WRITTEN, deep=True),
    *rows(LOCK_FREE, "commit-commit-reset_entry.read write-commit-reset_entry-reset_entry", NONE, WRITTEN, deep=True),
]

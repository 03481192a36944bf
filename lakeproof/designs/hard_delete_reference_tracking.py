"""Proposal 3, references with a state, in the readings that its text allows."""

from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, STAGED, ObjectDesign, words_of_grant
from lakeproof.designs.designs import HOLDS, but, rows, variant
from lakeproof.designs.hard_delete_offline import START
from lakeproof.designs.races import FALSE, FAULTS, NONE, Before, Refuted, after, fault, jump
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.hard_delete import reference_tracking as proposal
from lakeproof.scenario import Faults

SOURCE: Final = "hard-delete-uncommitted-data.md, 3. Tracking references in staging manager"
LATER: Final = proposal.WAITS + 1_000_000
"""Microseconds: just over the time that a reference must have been deleted."""

LATE: Final = jump(LATER, "later")
"""Somewhere in between the time passes that the job waits for."""
# By the skew of all clients, which the setup has not got: a jump could fall into the race, too.
RESTED: Final = fault("rested", Faults(clock_skew=(LATER,) * 4))
"""It has passed since what happened before, for everyone; nothing takes long now."""
RESTED_PAGED: Final = fault("rested-paged", Faults(clock_skew=(LATER,) * 4))
RESTED_CRASH: Final = fault("rested-crash", Faults(clock_skew=(LATER,) * 4, crashes=1))
AHEAD: Final = fault("ahead", Faults(clock_skew=(0, 0, 0, LATER)))
"""The fourth client's clock is ahead of the others by that time. Clients that only read, before it, change nothing."""
AHEAD_CRASH: Final = fault("ahead-crash", Faults(clock_skew=(0, 0, 0, LATER), crashes=1))

# fmt: off
COMMITTED_LOSSES: Final = Refuted(
    "the job deletes the key that says committed; a reference that is added afterwards, and then marked as deleted, "
    "is all that there is to read; "
    "what is staged after the entries were marked and before the token is swapped is committed all the same, and its "
    "reference may yet be marked as deleted",
    "after_upload.commit/job.copy.reset.job/later after_upload.commit/copy.reset-job.job/later "
    "upload-commit.job.reset.job/later after_upload/delete_branch-commit-upload.create_branch-job/ahead")
STAGED_LOSSES: Final = Refuted(
    "two entries of an object under one token share a key: to delete or overwrite the one, or to move it, marks the "
    "object of the other as deleted; "
    "one that has read an entry, or looked at the expiry of an address, may take longer than the job waits; nothing "
    "looks again; "
    "one reference that was deleted long ago is enough, however fresh the others are; "
    "the scan is no snapshot: no state of the store has had all the references of the object deleted",
    "after_upload/copy.delete.job/later after_upload/move.job/later after_upload/copy@main:x-delete.job/later "
    "after_upload/copy-reset.job/later after_upload/copy@main:x-reset.job/later "
    "after_upload/copy@main:x-delete-read@main:y-job/ahead "
    "after_upload.copy@main:x.delete@main/copy@main:x-delete.job/rested "
    "after_upload.copy@main:x.delete/copy_from_main.delete@main-job/rested-paged upload-reset.job/later "
    "upload-commit.job.reset.job/later link-job/later link-reset.job/later")
# ``[!e]`` at the end of a glob leaves out false-predicate: crash and lost-answer are meant.
LEAKS: Final = Refuted(
    "an entry that was marked as committed, and then overwritten, deleted or reset before the commit took it, is not "
    "committed; the job forgets its object; "
    "a stop between two writes leaves behind an object without a reference, or one that stays staged though no "
    "entry leads to it; "
    "an upload that is refused, as its branch is gone, has written its object already; "
    "two uploads of a path have looked before either has staged; copies, links and stagings do not look at all: the "
    "reference of what they overwrite stays staged; "
    "an entry that is staged late under a token that was swapped is never looked at again, and its reference stays as "
    "it is",
    "upload-commit/*[!e] upload-reset/*[!e] upload-delete_branch* upload-upload upload-commit.reset "
    "upload-commit.job.reset.job/later upload.delete-commit.job/later link-job/later link-reset.job/later "
    "after_upload/upload-commit after_upload/delete-commit after_upload/commit-reset after_upload/upload-reset "
    "after_upload/reset/*[!e] after_upload/delete/*[!e] after_upload/copy@main:x-delete_branch/*[!e] "
    "after_upload/delete-read@main:y-read@main:y-job/ahead-crash after_upload/delete_branch-commit-*/ahead "
    "after_upload.upload:y/copy")

LOSSES: Final[Mapping[str, Refuted]] = {COMMITTED: COMMITTED_LOSSES, STAGED: STAGED_LOSSES, GARBAGE: LEAKS}

TEXT: Final = ObjectDesign(
    name="hard-delete/reference_tracking", flows=proposal.FLOWS, source=SOURCE, grace=4 * LATER, refuted=LOSSES)

# A reading keeps all losses of the text but those that it repairs. Most it never meets: `idle` counts a glob once for
# all designs that have it.
FIRST_TOKEN: Final = variant(TEXT, "first_token", {**LOSSES, STAGED: STAGED_LOSSES.but(
    also="upload.job-reset/later",
    reason="the entry was staged again under another token, for which there is no reference",
)}, reading=proposal.FIRST_TOKEN)
EXCHANGES: Final = variant(TEXT, "exchanges", {
    **LOSSES, GARBAGE: LEAKS.but(
        kept="upload-upload",
        also="after_upload/upload/false-predicate",
        reason="a `SetIf` that is reported as failed was applied: the second look finds the upload's own entry, and "
        "the one before it is forgotten, with its reference")}, reading=proposal.EXCHANGES)
MARKS_FIRST: Final = variant(TEXT, "delete_marks_first", {
    COMMITTED: COMMITTED_LOSSES.but(also="upload.delete-commit.job/later"),
    STAGED: STAGED_LOSSES.but(
        also="*delete-*/later", reason="the reference is marked, and the tombstone is not yet, or never, staged"),
    GARBAGE: LEAKS}, reading=proposal.DELETE_MARKS_FIRST)
# A crash between mark and tombstone: the job deletes the object of an entry that is still there. With the text's order
# it leaks that object.
MARKS_FIRST_CRASH: Final = but(
    but(MARKS_FIRST, STAGED, also="after_upload/delete-read@main:y-read@main:y-job/ahead-crash"),
    GARBAGE, kept="after_upload/delete-read@main:y-read@main:y-job/ahead-crash")
CREATES: Final = variant(TEXT, "marks_create", {**LOSSES, COMMITTED: COMMITTED_LOSSES.but(
    also="after_upload/delete_branch-commit-create_branch-job.job/ahead",
    reason="the key for committed is gone, and a late drop makes one for deleted",
)}, reading=proposal.MARKS_CREATE)
REMOVES: Final = variant(TEXT, "tombstones_remove", {**LOSSES, GARBAGE: LEAKS.but(
    also="upload.delete.reset", reason="with its key the job loses sight of an object",
)}, reading=proposal.TOMBSTONES_REMOVE)
NEWEST: Final = variant(TEXT, "newest", {**LOSSES, STAGED: STAGED_LOSSES.but(
    kept="after_upload.copy@main:x.delete@main/copy@main:x-delete.job/rested "
    "after_upload.copy@main:x.delete/copy_from_main.delete@main-job/rested-paged")}, reading=proposal.NEWEST)
REREADS: Final = variant(TEXT, "job_rereads", {**LOSSES, STAGED: STAGED_LOSSES.but(
    kept="after_upload.copy@main:x.delete/copy_from_main.delete@main-job/rested-paged")}, reading=proposal.JOB_REREADS)
KEYS_FIRST: Final = variant(TEXT, "keys_first", {**LOSSES, GARBAGE: LEAKS.but(
    also="after_upload.delete/job/rested-crash", reason="the job stops after the keys and before the object",
)}, reading=proposal.KEYS_FIRST)
COMMITTED_FIRST: Final = variant(TEXT, "committed_first", {**LOSSES, COMMITTED: COMMITTED_LOSSES.but(
    also="after_upload.copy@main:x.reset@main.commit/job-job/rested-crash",
    reason="the job stops when only deleted keys are left")}, reading=proposal.COMMITTED_FIRST)
MARKS_SEALED: Final = variant(TEXT, "commit_marks_sealed", LOSSES, reading=proposal.COMMIT_MARKS_SEALED)
MARKS_LAST: Final = variant(TEXT, "commit_marks_last", {
    COMMITTED: COMMITTED_LOSSES.but(
        also="after_upload/delete_branch-commit-create_branch-job.job/ahead",
        reason="a branch is deleted between a commit and its marks, with the tokens that it had before"),
    STAGED: STAGED_LOSSES,
    GARBAGE: LEAKS.but(kept="after_upload/commit-reset after_upload/delete_branch-commit-*/ahead"),
}, reading=proposal.COMMIT_MARKS_LAST)
# The first three races need the key that says committed. In the fourth one the entry was never marked so.
KEEPS: Final = variant(TEXT, "keeps_committed", {
    **LOSSES, COMMITTED: COMMITTED_LOSSES.but(kept=" ".join(COMMITTED_LOSSES.races[:3])),
}, reading=proposal.KEEPS_COMMITTED)
TOMBSTONE: Final = variant(TEXT, "branch_tombstones", {
    **LOSSES, COMMITTED: COMMITTED_LOSSES.but(kept="after_upload/delete_branch-commit-upload.create_branch-job/ahead"),
}, reading=proposal.BRANCH_TOMBSTONES)
# fmt: on

ADDRESS: Final = Grant("mem://r/data/s3", expires=START + proposal.VALIDITY)
ISSUED: Final = attrs.evolve(
    TEXT, name="hard-delete/reference_tracking-issued", words=words_of_grant(ADDRESS), refuted=HOLDS
)
"""The text: an address was issued, and its object written, before the race."""
GRANTED: Final = Before("", "get_address.put.upload:y")
MARKING: Final = attrs.evolve(TEXT, name="hard-delete/reference_tracking-marks", refuted=HOLDS)
"""The text: what a commit marks, and others do not take back."""
NEXT_AHEAD: Final = fault("ahead", Faults(clock_skew=(0, LATER)))
THIRD_AHEAD: Final = fault("ahead", Faults(clock_skew=(0, 0, LATER)))
"""The clock of the second client, or of the third, is ahead by the time that the job waits for."""

ROWS = [
    *rows(ISSUED, "job-link", RESTED, GRANTED, name="late-link", only=f"{STAGED} {GARBAGE}"),
    # An address that was issued just now: the job waits for its link.
    *rows(ISSUED, "job-link", NONE, GRANTED, only=STAGED),
    # Linked in time, or not at all; then the job comes when the reference would be due as it was issued.
    *rows(ISSUED, "link.job", LATE, GRANTED),
    # One key for two entries of an object: who deletes the one has read it before the commit marks it.
    *rows(MARKING, "delete-commit.job", NEXT_AHEAD, after("upload.copy"), only=COMMITTED),
    # A second entry of an object that is marked already: it may not make it staged again, and then deleted.
    *rows(MARKING, "copy.delete:y-commit.job", NEXT_AHEAD, after("upload"), only=COMMITTED),
    # The entry is under a token that another commit has sealed, and not marked.
    *rows(MARKING, "delete_branch-commit-create_branch.job", THIRD_AHEAD, after("upload.seal"), only=COMMITTED),
    *rows(TEXT, "upload-commit upload-reset upload-delete_branch", FAULTS),
    *rows(TEXT, "upload-upload upload.upload upload.delete upload.delete.reset upload-commit.reset", NONE),
    *rows(TEXT, "upload-reset.job upload.job-reset link-job link-reset.job", LATE),
    *rows(TEXT, "upload-commit.job.reset.job upload.delete-commit.job", LATE, deep=True),
    *rows(TEXT, "upload-commit delete-commit commit-reset upload-reset", NONE, after("upload")),
    *rows(TEXT, "commit reset delete copy@main:x-delete_branch", FAULTS, after("upload")),
    *rows(TEXT, "copy", NONE, after("upload.upload:y")),
    *rows(TEXT, "delete.job copy.delete.job move.job copy.reset.job move.commit.job", LATE, after("upload")),
    *rows(TEXT, "copy@main:x-delete.job copy-reset.job copy@main:x-reset.job", LATE, after("upload")),
    *rows(TEXT, "job.copy.reset.job copy.reset-job.job", LATE, after("upload.commit")),
    *rows(TEXT, "copy@main:x-delete.job", RESTED, after("upload.copy@main:x.delete@main")),
    *rows(TEXT, "copy_from_main.delete@main-job", RESTED, after("upload.copy@main:x.delete")),
    *rows(TEXT, "copy_from_main.delete@main-job", RESTED_PAGED, after("upload.copy@main:x.delete"), paged=1),
    *rows(TEXT, "job-job", RESTED_CRASH, after("upload.copy@main:x.reset@main.commit")),
    *rows(TEXT, "job", RESTED_CRASH, after("upload.delete"), only=GARBAGE),
    *rows(
        TEXT, "delete_branch-commit-create_branch-job.job copy@main:x-delete-read@main:y-job", AHEAD, after("upload")
    ),
    *rows(TEXT, "delete-read@main:y-read@main:y-job", AHEAD_CRASH, after("upload")),
    *rows(TEXT, "delete_branch-commit-upload.create_branch-job", AHEAD, after("upload")),
    *rows(FIRST_TOKEN, "upload.job-reset", LATE),
    *rows(EXCHANGES, "upload-upload", NONE),
    *rows(EXCHANGES, "upload", FALSE, after("upload")),
    *rows(MARKS_FIRST, "upload.delete-commit.job", LATE, deep=True),
    *rows(MARKS_FIRST_CRASH, "delete-read@main:y-read@main:y-job", AHEAD_CRASH, after("upload")),
    *rows(CREATES, "delete_branch-commit-create_branch-job.job", AHEAD, after("upload")),
    *rows(REMOVES, "upload.delete.reset", NONE),
    *rows(NEWEST, "copy@main:x-delete.job", RESTED, after("upload.copy@main:x.delete@main")),
    *rows(NEWEST, "copy_from_main.delete@main-job", RESTED_PAGED, after("upload.copy@main:x.delete"), paged=1),
    *rows(NEWEST, "copy@main:x-delete.job move.job", LATE, after("upload")),
    *rows(REREADS, "copy_from_main.delete@main-job", RESTED_PAGED, after("upload.copy@main:x.delete"), paged=1),
    *rows(REREADS, "copy@main:x-delete.job copy@main:x-reset.job", LATE, after("upload")),
    *rows(KEYS_FIRST, "job", RESTED_CRASH, after("upload.delete"), only=GARBAGE),
    *rows(COMMITTED_FIRST, "job-job", RESTED_CRASH, after("upload.copy@main:x.reset@main.commit")),
    *rows(MARKS_SEALED, "commit-reset upload-commit", NONE, after("upload")),
    *rows(MARKS_SEALED, "delete_branch-commit-upload.create_branch-job", AHEAD, after("upload"), deep=True),
    *rows(MARKS_LAST, "commit-reset upload-commit", NONE, after("upload")),
    *rows(MARKS_LAST, "delete_branch-commit-create_branch-job.job", AHEAD, after("upload")),
    *rows(KEEPS, "job.copy.reset.job copy.reset-job.job", LATE, after("upload.commit")),
    *rows(KEEPS, "upload-commit.job.reset.job", LATE, deep=True),
    *rows(TOMBSTONE, "delete_branch-commit-upload.create_branch-job", AHEAD, after("upload"), deep=True),
]

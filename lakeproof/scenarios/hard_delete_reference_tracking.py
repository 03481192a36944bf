"""Proposal 3, references with a state, in the readings that its text allows."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.hard_delete import reference_tracking
from lakeproof.impl.hard_delete._reference_states import State
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios._branch_data import BRANCH, X, Y
from lakeproof.scenarios._hard_delete import FAULTS, MAIN, Variant, scenario, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "hard-delete-uncommitted-data.md, 3. Tracking references in staging manager"
LATER: Final = reference_tracking.WAITS + 1_000_000
"""Microseconds: just over the time that a reference must have been deleted."""

ALONE: Final = {"": Faults()}
LATE: Final = {"/later": Faults(clock_jumps=(LATER,))}
"""Somewhere in between the time passes that the job waits for."""
RESTED: Final = {"/rested": Faults(clock_skew=(LATER,) * 4)}
"""It has passed since what happened before, for everyone; nothing takes long now."""
RESTED_CRASH: Final = {"/rested-crash": Faults(clock_skew=(LATER,) * 4, crashes=1)}
AHEAD: Final = {"/ahead": Faults(clock_skew=(0, 0, 0, LATER))}
"""The fourth client's clock is ahead of the others by that time."""

ONE_KEY: Final = (
    "two entries of an object under one token share a key: to delete or overwrite the one, or to move it, marks the "
    "object of the other as deleted"
)
TOO_LATE: Final = (
    "whoever has read an entry, or looked at the expiry of an address, may take longer than the job waits; nothing "
    "looks again"
)
MINIMUM: Final = "one reference that was deleted long ago is enough, however fresh the others are"
TORN: Final = "the scan is no snapshot: no state of the store has had all the references of the object deleted"
FORGOTTEN: Final = (
    "the job deletes the key that says committed; a reference that is added afterwards, and then marked as deleted, is "
    "all that there is to read"
)
BEFORE_SWAP: Final = (
    "what is staged after the entries were marked and before the token is swapped is committed all the same, and its "
    "reference may yet be marked as deleted"
)
COMMITTED_NOT: Final = (
    "an entry that was marked as committed, and then overwritten, deleted or reset before the commit took it, is not "
    "committed; the job forgets its object"
)
STOPPED: Final = (
    "whoever stops between two writes leaves behind an object without a reference, or one that stays staged though no "
    "entry leads to it"
)
LEFT_BEHIND: Final = "an upload that is refused, as its branch is gone, has written its object already"
OVERRIDES: Final = (
    "two uploads of a path have looked before either has staged; copies, links and stagings do not look at all: the "
    "reference of what they overwrite stays staged"
)
DROPPED_LATE: Final = (
    "an entry that is staged late under a token that was swapped is never looked at again, and its reference stays as "
    "it is"
)

COMMITTED_LOSSES: Final = Refuted(
    f"{FORGOTTEN}; {BEFORE_SWAP}",
    (
        "after_upload_commit/job.copy.reset.job/later",
        "after_upload_commit/copy.reset-job.job/later",
        "upload-commit.job.reset.job/later",
        "after_upload/drop-commit-upload.branch-job/ahead",
    ),
)
STAGED_LOSSES: Final = Refuted(
    f"{ONE_KEY}; {TOO_LATE}; {MINIMUM}; {TORN}",
    (
        "after_upload/copy.delete.job/later",
        "after_upload/move.job/later",
        "after_upload/copymain-delete.job/later",
        "after_upload/copy-reset.job/later",
        "after_upload/copymain-reset.job/later",
        "after_upload/copymain-delete-rest-job/ahead",
        "after_upload_copymain_deletemain/copymain-delete.job/rested",
        "after_upload_copymain_delete/copyhere.deletemain-job/rested-paged",
        "upload-reset.job/later",
        "upload-commit.job.reset.job/later",
        "link-job/later",
        "link-reset.job/later",
    ),
)
LEAKS: Final = Refuted(
    f"{COMMITTED_NOT}; {STOPPED}; {LEFT_BEHIND}; {OVERRIDES}; {DROPPED_LATE}",
    (
        "upload-commit/*[!e]",
        "upload-reset/*[!e]",
        "upload-drop*",
        "upload-upload",
        "upload-commit.reset",
        "upload-commit.job.reset.job/later",
        "upload.delete-commit.job/later",
        "link-job/later",
        "link-reset.job/later",
        "after_upload/upload-commit",
        "after_upload/delete-commit",
        "after_upload/delete-reset",
        "after_upload/commit-reset",
        "after_upload/upload-reset",
        "after_upload/reset/*[!e]",
        "after_upload/delete/*[!e]",
        "after_upload/copymain-drop/*[!e]",
        "after_upload/delete-rest-rest-job/ahead-crash",
        "after_upload/drop-commit-*/ahead",
        "after_upload_uploady/copy",
    ),
)

TEXT: Final = Variant(
    name="hard-delete/reference_tracking",
    flows=reference_tracking,
    source=SOURCE,
    grace=4 * LATER,
    words={
        "branch": ("create_branch", ("c", BRANCH)),
        "deletemain": ("delete_object", (MAIN, X)),
        "resetmain": ("reset_branch", (MAIN,)),
        "copyhere": ("copy_object", (BRANCH, Y, MAIN, X)),
        "rest": ("read_object", (MAIN, Y)),
    },
    refuted={
        "committed-data-is-kept": COMMITTED_LOSSES,
        "staged-data-is-kept": STAGED_LOSSES,
        "garbage-is-reclaimed": LEAKS,
    },
)


def reading(name: str, **options: Mapping[str, Hashable]) -> Variant:
    """The proposal in another reading."""
    return attrs.evolve(TEXT, name=f"{TEXT.name}-{name}", options=options)


def but(variant: Variant, invariant_id: str, *, lost: str = "", reason: str = "", kept: Sequence[str] = ()) -> Variant:
    """The variant, where an invariant is refuted in one more race, and no longer in those that are kept."""
    before = variant.refuted[invariant_id]
    races = (*(race for race in before.races if race not in kept), *([lost] if lost else []))
    after_that = Refuted(f"{before.reason}; {reason}" if reason else before.reason, races)
    return attrs.evolve(variant, refuted={**variant.refuted, invariant_id: after_that})


FIRST_TOKEN: Final = but(
    reading("first_token", upload={"follows": False}, copy={"follows": False}),
    "staged-data-is-kept",
    lost="upload.job-reset/later",
    reason="the entry was staged again under another token, for which there is no reference",
)
EXCHANGES: Final = but(reading("exchanges", upload={"exchanges": True}), "garbage-is-reclaimed", kept=["upload-upload"])
MARKS_FIRST: Final = but(
    but(
        reading("delete_marks_first", delete={"first": True}, move={"first": True}),
        "committed-data-is-kept",
        lost="upload.delete-commit.job/later",
    ),
    "staged-data-is-kept",
    lost="*delete-*/later",
    reason="the reference is marked, and the tombstone is not yet, or never, staged",
)
MARKS_FIRST_CRASH: Final = but(
    but(MARKS_FIRST, "staged-data-is-kept", lost="after_upload/delete-rest-rest-job/ahead-crash"),
    "garbage-is-reclaimed",
    kept=["after_upload/delete-rest-rest-job/ahead-crash"],
)
CREATES: Final = but(
    reading("marks_create", delete={"creates": True}, reset={"creates": True}, drop={"creates": True}),
    "committed-data-is-kept",
    lost="after_upload/drop-commit-branch-job.job/ahead",
    reason="the key that said committed is gone, and a late drop makes one that says deleted",
)
REMOVES: Final = but(
    reading("tombstones_remove", reset={"tombstones": "remove"}),
    "garbage-is-reclaimed",
    lost="upload.delete.reset",
    reason="with its key the job loses sight of an object",
)
NEWEST: Final = but(
    reading("newest", job={"oldest": False}),
    "staged-data-is-kept",
    kept=[
        "after_upload_copymain_deletemain/copymain-delete.job/rested",
        "after_upload_copymain_delete/copyhere.deletemain-job/rested-paged",
    ],
)
REREADS: Final = but(
    reading("job_rereads", job={"rereads": True}),
    "staged-data-is-kept",
    kept=["after_upload_copymain_delete/copyhere.deletemain-job/rested-paged"],
)
KEYS_FIRST: Final = but(
    reading("keys_first", job={"keys_first": True}),
    "garbage-is-reclaimed",
    lost="after_upload_delete/job/rested-crash",
    reason="the job stops after the keys and before the object",
)
COMMITTED_FIRST: Final = but(
    reading("committed_first", job={"order": (State.COMMITTED, State.STAGED, State.DELETED)}),
    "committed-data-is-kept",
    lost="after_upload_copymain_resetmain_commit/job-job/rested-crash",
    reason="the job stops when only deleted keys are left",
)
MARKS_SEALED: Final = reading("commit_marks_sealed", commit={"marks": "sealed"})
MARKS_LAST: Final = but(
    but(
        reading("commit_marks_last", commit={"marks": "committed"}),
        "garbage-is-reclaimed",
        kept=["after_upload/commit-reset", "after_upload/drop-commit-*/ahead"],
    ),
    "committed-data-is-kept",
    lost="after_upload/drop-commit-branch-job.job/ahead",
    reason="a branch is deleted between a commit and its marks, with the tokens that it had before",
)
KEEPS: Final = but(
    reading("keeps_committed", job={"keeps_committed": True}),
    "committed-data-is-kept",
    kept=COMMITTED_LOSSES.races[:3],
)
"""Ours: keys that say committed stay for good."""

TOMBSTONE: Final = but(
    reading("branch_tombstones", drop={"tombstone": True}),
    "committed-data-is-kept",
    kept=["after_upload/drop-commit-upload.branch-job/ahead"],
)
"""Ours: a branch is deleted by a conditional write of its record."""


def after(
    variant: Variant,
    words: str,
    races: Sequence[str],
    faults: Mapping[str, Faults] = LATE,
    *,
    paged: int = 0,
    deep: bool = False,
    only: Sequence[str] | None = None,
) -> Iterator[Scenario]:
    """Races after something has happened, alone."""
    for race in races:
        for suffix, budget in faults.items():
            name = f"after_{words.replace('.', '_')}/{race}"
            called = suffix + ("-paged" if paged else "")
            before = words.split(".")
            yield scenario(
                variant,
                race,
                budget,
                suffix=called,
                initially=before,
                name=name,
                paged=paged,
                deep=deep,
                only=only,
            )


AHEAD_CRASH: Final = {"/ahead-crash": Faults(clock_skew=(0, 0, 0, LATER), crashes=1)}

SCENARIOS = [
    *scenarios(TEXT, ["upload-commit", "upload-reset", "upload-drop"]),
    *scenarios(TEXT, ["upload-upload", "upload.upload", "upload.delete", "upload.delete.reset"], ALONE),
    *scenarios(TEXT, ["upload-commit.reset"], ALONE),
    *scenarios(TEXT, ["upload-reset.job", "upload.job-reset", "link-job", "link-reset.job"], LATE),
    *scenarios(TEXT, ["upload-commit.job.reset.job", "upload.delete-commit.job"], LATE, deep=True),
    *after(TEXT, "upload", ["upload-commit", "delete-commit", "commit-reset", "upload-reset"], ALONE),
    *after(TEXT, "upload", ["commit", "reset", "delete", "copymain-drop"], FAULTS),
    *after(TEXT, "upload.uploady", ["copy"], ALONE),
    *after(TEXT, "upload", ["delete.job", "copy.delete.job", "move.job", "copy.reset.job", "move.commit.job"]),
    *after(TEXT, "upload", ["copymain-delete.job", "copy-reset.job", "copymain-reset.job"]),
    *after(TEXT, "upload.commit", ["job.copy.reset.job", "copy.reset-job.job"]),
    *after(TEXT, "upload.copymain.deletemain", ["copymain-delete.job"], RESTED),
    *after(TEXT, "upload.copymain.delete", ["copyhere.deletemain-job"], RESTED),
    *after(TEXT, "upload.copymain.delete", ["copyhere.deletemain-job"], RESTED, paged=1),
    *after(TEXT, "upload.copymain.resetmain.commit", ["job-job"], RESTED_CRASH),
    *after(TEXT, "upload.delete", ["job"], RESTED_CRASH, only=["garbage-is-reclaimed"]),
    *after(TEXT, "upload", ["drop-commit-branch-job.job", "copymain-delete-rest-job"], AHEAD),
    *after(TEXT, "upload", ["delete-rest-rest-job"], AHEAD_CRASH),
    *after(TEXT, "upload", ["drop-commit-upload.branch-job"], AHEAD),
    *scenarios(FIRST_TOKEN, ["upload.job-reset"], LATE),
    *scenarios(EXCHANGES, ["upload-upload"], ALONE),
    *scenarios(MARKS_FIRST, ["upload.delete-commit.job"], LATE, deep=True),
    *after(MARKS_FIRST_CRASH, "upload", ["delete-rest-rest-job"], AHEAD_CRASH),
    *after(CREATES, "upload", ["drop-commit-branch-job.job"], AHEAD),
    *scenarios(REMOVES, ["upload.delete.reset"], ALONE),
    *after(NEWEST, "upload.copymain.deletemain", ["copymain-delete.job"], RESTED),
    *after(NEWEST, "upload.copymain.delete", ["copyhere.deletemain-job"], RESTED, paged=1),
    *after(NEWEST, "upload", ["copymain-delete.job", "move.job"]),
    *after(REREADS, "upload.copymain.delete", ["copyhere.deletemain-job"], RESTED, paged=1),
    *after(REREADS, "upload", ["copymain-delete.job", "copymain-reset.job"]),
    *after(KEYS_FIRST, "upload.delete", ["job"], RESTED_CRASH, only=["garbage-is-reclaimed"]),
    *after(COMMITTED_FIRST, "upload.copymain.resetmain.commit", ["job-job"], RESTED_CRASH),
    *after(MARKS_SEALED, "upload", ["commit-reset", "upload-commit"], ALONE),
    *after(MARKS_SEALED, "upload", ["drop-commit-upload.branch-job"], AHEAD, deep=True),
    *after(MARKS_LAST, "upload", ["commit-reset", "upload-commit"], ALONE),
    *after(MARKS_LAST, "upload", ["drop-commit-branch-job.job"], AHEAD),
    *after(KEEPS, "upload.commit", ["job.copy.reset.job", "copy.reset-job.job"]),
    *scenarios(KEEPS, ["upload-commit.job.reset.job"], LATE, deep=True),
    *after(TOMBSTONE, "upload", ["drop-commit-upload.branch-job"], AHEAD, deep=True),
]

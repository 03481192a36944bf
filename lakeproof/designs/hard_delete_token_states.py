"""Proposal 4, states of staging tokens and a list of tokens for each object, in the readings that its text allows."""

from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, STAGED, WRITTEN, ObjectDesign, words_of_grant
from lakeproof.designs.branch_designs import BRANCH, X
from lakeproof.designs.designs import Row, Word, rows, variant
from lakeproof.designs.races import CRASH, FALSE, FAULTS, NONE, PAGED, Before, FaultSet, Refuted, after
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.hard_delete import token_states as proposal

SOURCE: Final = "hard-delete-uncommitted-data.md, 4. Staging Token States"

ISSUED: Final = Grant("mem://r/data/s3", "s4")
"""What `token_states.get_physical_address` gives to the first who asks for it."""
SWAPPED: Final = Grant(ISSUED.address, "s6")
"""The token of the second grant, with the address of the first."""

# fmt: off
RESTAGED: Final = (
    "an upload stages its entry late, under a token that is sealed or reset by then; the job takes that token from the "
    "list of the object, and the upload goes on under the next token: it adds to a list that is empty or makes it anew")
# "Check token validity" and "Remove token ID" are two steps of the text.
LINKED_TWICE: Final = "two links have both looked at the token before one of them deletes it"
STALE_DELETE: Final = (
    "a branch is deleted with the tokens that it had when it was read; a commit came between, and has committed them")

COMMITTED_LOSSES: Final = Refuted(
    f"{RESTAGED}; {STALE_DELETE}; {LINKED_TWICE}",
    "upload-commit.job.reset.job link-commit.job.reset.job after_upload/delete_branch-commit-create_branch-job "
    "twice/link.commit.job-link.reset.job")
STAGED_LOSSES: Final = Refuted(
    f"{RESTAGED}; "
    '"If key not found - assume address was committed": the key of an object that was hard-deleted is not found '
    "either; "
    f"{LINKED_TWICE}",
    "upload-reset.job upload-commit.job upload-commit.job.reset.job link-commit.job.reset.job "
    "after_upload/copy-reset.job after_upload/copy@main:x-reset.job* after_upload/copy@main:x-delete_branch.job "
    "after_upload/copy-reset-job* after_upload/copy@main:x.reset@main-job.reset.job after_upload/move-reset.job "
    "twice/link-link.reset.job twice/link.commit.job-link.reset.job")
# ``[!e]`` at the end of a glob leaves out false-predicate: crash and lost-answer are meant.
LEAKS: Final = Refuted(
    "an entry that was overwritten, or replaced by a tombstone, is not under the token any more when the job comes "
    "by, and so the token stays in the list of its object; "
    "a stop between two writes leaves behind an object without a list, a list that no staged entry leads to, "
    "or tokens without a note; "
    "an upload that is refused, as its branch is gone, has written its object already; "
    "a token that was added to a list after the job has dealt with it is never taken out again, as when an upload "
    "comes late to a sealed token",
    "upload*/crash upload*/lost-answer link-commit/*[!e] after_upload/reset*/*[!e] after_upload/delete_branch*/*[!e] "
    "after_upload/copy-reset-job/*[!e] after_sealed/*/crash upload-delete_branch* upload-upload* upload.upload* "
    "upload.delete* after_upload/delete.job upload-commit.job.reset.job link-commit.job.reset.job "
    "after_upload/commit-upload.reset.job twice/link.commit.job-link.reset.job")


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    # For all races of the design: its machine may say any of its words on any ground.
    "relink": words_of_grant(SWAPPED)["link"],
    "upload_first": Word(lambda flows: flows.upload_object, BRANCH, X, b"1"),
    "upload_second": Word(lambda flows: flows.upload_object, BRANCH, X, b"2")}

LOSSES: Final[Mapping[str, Refuted]] = {COMMITTED: COMMITTED_LOSSES, STAGED: STAGED_LOSSES, GARBAGE: LEAKS}

MISTAKEN: Final = (
    "the newest entries under the tokens of a commit are not those that it holds: an upload has staged its own late, "
    "under a token that the commit had scanned")

TEXT: Final = ObjectDesign(
    name="hard-delete/token_states", flows=proposal.FLOWS, source=SOURCE, words=WORDS, refuted={
        **LOSSES, COMMITTED: COMMITTED_LOSSES.but(also="sealed/upload-commit.job", reason=MISTAKEN)})
OURS: Final = " (ours: with repairs)"

# The text has both: "<repo>/staging/committed/<physical_address>", and "create entry using `commit_id`".
BY_ADDRESS: Final = variant(TEXT, "by_address", {
    COMMITTED: Refuted(
        "the job deals with the tokens of one committed object before it knows that the others under them are "
        f"committed, too; {RESTAGED}; {STALE_DELETE}",
        (*COMMITTED_LOSSES.races, "after_upload.upload:y/commit.job")),
    STAGED: STAGED_LOSSES.but(kept="upload-commit.job"),
    GARBAGE: LEAKS}, reading=proposal.BY_ADDRESS)
ENTRIES: Final = variant(TEXT, "entries", {**LOSSES, GARBAGE: Refuted(
    "tokens of a commit become deleted entries, and then their staging area is deleted, before anybody has read there "
    f"which objects lose a reference; {LEAKS.reason}",
    (*LEAKS.races, "after_sealed/commit.job"))}, reading=proposal.ENTRIES)
SPARED: Final = variant(TEXT, "entries_spared", LOSSES, reading=proposal.ENTRIES_SPARED)
BY_COMMIT: Final = variant(TEXT, "by_commit", LOSSES, reading=proposal.BY_COMMIT)
FORGETS: Final = variant(TEXT, "forgets_deleted", LOSSES, reading=proposal.FORGETS_DELETED)

MENDED: Final = variant(TEXT, "mended", {GARBAGE: LEAKS.but(
    also="link/false-predicate",
    reason="a `SetIf` that is reported as failed has used up the token: the link is refused, now and for ever")},
    None, OURS, reading=proposal.MENDED)
"""No data is lost in any race here; what leaks, leaks."""
BUT_UPLOADS: Final = variant(TEXT, "mended_but_uploads", LOSSES, None, OURS, reading=proposal.BUT_UPLOADS)
BUT_EMPTY: Final = variant(TEXT, "mended_but_empty_lists", LOSSES, None, OURS, reading=proposal.BUT_EMPTY_LISTS)
BUT_DROP: Final = variant(TEXT, "mended_but_deleted_branches", LOSSES, None, OURS, reading=proposal.BUT_BRANCHES)
BUT_LINKS: Final = variant(TEXT, "mended_but_links", LOSSES, None, OURS, reading=proposal.BUT_LINKS)
"""All repairs but one, in the race that misses it."""
# fmt: on


def twice(design: ObjectDesign, text: str, *, deep: bool = False) -> Iterator[Row]:
    """Races in which ``link`` links the one address that was issued and written before."""
    only = f"{COMMITTED if 'commit' in text else ''} {STAGED} {GARBAGE}"
    return rows(_linking(design), text, NONE, Before("twice/", "get_address.put"), only=only, deep=deep)


def issue_rows(design: ObjectDesign, text: str) -> Iterator[Row]:
    """The same, against other changes of the path."""
    only = f"{STAGED} {WRITTEN}"
    return rows(_linking(design), text, NONE, Before("issued/", "get_address.put"), only=only)


def _linking(design: ObjectDesign) -> ObjectDesign:
    # With the grant of the setup: the word of the family gets itself a new one each time.
    return attrs.evolve(design, words={**WORDS, **words_of_grant(ISSUED)})


def sealed_rows(design: ObjectDesign, faults: FaultSet = NONE) -> Iterator[Row]:
    """A commit of two tokens: a committer has sealed the first one and stopped; then the path was uploaded again."""
    before = Before("after_sealed/", "upload_first.seal.upload_second")
    return rows(design, "commit.job", faults, before, only=f"{COMMITTED} {GARBAGE}")


def late(design: ObjectDesign, *, deep: bool = False) -> Iterator[Row]:
    """The same, where the upload is late: it stages its entry under a token that a commit has scanned without it."""
    return rows(design, "upload-commit.job", NONE, Before("sealed/", "upload_first.seal"), only=COMMITTED, deep=deep)


def _comparison_rows(design: ObjectDesign) -> Iterator[Row]:
    """The races in which readings of the job differ."""
    yield from rows(design, "commit.job", NONE, after("upload.upload:y"))
    yield from rows(design, "copy-reset.job commit.job-job reset.job-job", NONE, after("upload"))
    yield from rows(design, "upload-reset.job upload-commit.job", NONE)
    yield from sealed_rows(design)


COPIES: Final = (
    "copy-reset.job copy@main:x-reset.job copy@main:x-delete_branch.job copy@main:x-commit.job copy-commit.job"
)
TWO_GRANTS: Final = Before("granted/", "get_address.put.get_address")
JOBS: Final = "commit.job-job reset.job-job reset-commit.job"

ROWS = [
    *rows(TEXT, "upload-commit upload-reset upload-delete_branch", FAULTS),
    *rows(TEXT, "upload-upload link-commit", NONE | CRASH),
    *rows(TEXT, "upload.upload upload.delete upload.delete.reset upload.reset.job", NONE),
    *rows(TEXT, "upload-reset.job upload-commit.job upload-commit.job.reset.job", NONE),
    *rows(TEXT, "link-commit.job.reset.job", NONE, deep=True),
    *rows(TEXT, "commit-upload.reset.job", NONE, after("upload"), deep=True),
    *rows(TEXT, "commit.job reset.job delete_branch.job commit-job reset-job copy-reset-job", FAULTS, after("upload")),
    *rows(TEXT, "copy.delete.job move.reset.job commit.job.copy.reset.job delete.job", NONE, after("upload")),
    *rows(
        TEXT,
        "move-reset.job delete_branch-commit-create_branch-job copy@main:x.reset@main-job.reset.job",
        NONE,
        after("upload"),
    ),
    *rows(TEXT, f"{COPIES} {JOBS}", NONE, after("upload")),
    *rows(TEXT, "copy@main:x-reset.job", PAGED, after("upload"), paged=1),
    *rows(TEXT, "copy-job copy@main:x.reset@main.job-job", NONE, after("upload.commit")),
    *sealed_rows(TEXT, NONE | CRASH),
    # The note of the commit is the last that goes: another run finds what this one has left.
    *rows(TEXT, "job", CRASH, after("upload_first.seal.upload_second.commit"), only=GARBAGE),
    *late(TEXT),
    *late(BY_COMMIT, deep=True),
    *late(MENDED),
    *twice(TEXT, "link-link link-link.reset.job"),
    *twice(TEXT, "link.commit.job-link.reset.job", deep=True),
    *rows(MENDED, "upload-reset.job upload-commit.job", NONE),
    *rows(MENDED, "upload-commit.job.reset.job", NONE, deep=True),
    *rows(MENDED, "commit.job reset.job copy-reset-job", FAULTS, after("upload")),
    *rows(MENDED, f"delete_branch-commit-create_branch-job move-reset.job {COPIES} {JOBS}", NONE, after("upload")),
    *issue_rows(TEXT, "upload.link link.upload upload-link delete-upload.link"),
    *issue_rows(MENDED, "upload.link upload-link"),
    *twice(MENDED, "link-link link-link.reset.job"),
    *rows(MENDED, "link", FALSE),
    *twice(MENDED, "link.commit.job-link.reset.job", deep=True),
    *rows(_linking(MENDED), "link-relink.reset.job", NONE, TWO_GRANTS, only=STAGED),
    *twice(BUT_LINKS, "link-link.reset.job"),
    *rows(BUT_UPLOADS, "upload-reset.job", NONE),
    *rows(BUT_EMPTY, "copy-reset.job", NONE, after("upload")),
    *rows(BUT_DROP, "delete_branch-commit-create_branch-job", NONE, after("upload")),
    *rows(BY_ADDRESS, "delete_branch-commit-create_branch-job", NONE, after("upload")),
    *rows(TEXT, "commit.job", NONE, after("upload.upload:y")),
    *(row for design in (BY_ADDRESS, ENTRIES, SPARED, BY_COMMIT, FORGETS) for row in _comparison_rows(design)),
]

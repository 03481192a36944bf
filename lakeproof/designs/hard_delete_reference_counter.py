"""Proposal 2, a reference counter in the metadata of objects, in the readings that its text allows.

The main reading is for Google's conditions, where the text thinks that the counter is sound; ``-s3`` is what the text
refutes itself. ``-careful`` mends what can be mended without another protocol.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, STAGED, UPLOADED, WRITTEN, ObjectDesign
from lakeproof.designs.branch_designs import BRANCH, X, Y
from lakeproof.designs.designs import HOLDS, Row, Word, rows, variant
from lakeproof.designs.races import CRASH, FALSE, HARD, NONE, PAGED, REFUSED, Before, Refuted
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.flows import Flow, ObjectFlows
from lakeproof.impl.hard_delete import reference_counter as proposal

SOURCE: Final = "hard-delete-uncommitted-data.md, 2. Reference Counter on Object Metadata"

AN_UPLOAD: Final = Before("", "upload")
FORGOTTEN: Final = Before("forgotten/", "upload.reset")
PAIR: Final = Before("twice/", "upload.stage")
"""An object that two entries of the branch refer to."""
SHARED: Final = Before("shared/", "upload.copy@main:x")
"""An object that entries of two branches refer to."""
ON_MAIN: Final = Before("onmain/", "upload@main")
BOTH: Final = Before("staged/", "upload.upload:y")
CROWD: Final = Before("crowd/", "upload")
# fmt: off


def _link_again(flows: ObjectFlows) -> Flow:
    """What a user does who links an address once more, at another path."""
    link = flows.link_physical_address
    return partial(catalog.stage_again, stage=lambda env, repository, branch, path, at, data: link(
        env, repository, branch, path, Grant(at), data))


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "link_again": Word(_link_again, BRANCH, Y, X),
}

NO_COMMITS: Final = (
    "commits do not count, and a delete does not ask whether the entry is committed, or is being committed: the "
    "counter of its object comes to 0")
OPEN_ONCE: Final = (
    "a writer that finds another token stages its entry once more, and the one that it has staged before is dropped "
    "by a reset, or committed, with the same object and the same count")
TWICE: Final = "two who remove the same entry both count it off"
BLIND: Final = "a change of the counter that is reported as failed is made again, and counts twice"
UNCERTAIN: Final = "who cannot tell whether an entry is being committed leaves its object counted"
SECOND_LOOK: Final = (
    "the store refuses the read of the branch that follows the staging: its error is definite, and the counter is "
    "rolled back under an entry that is staged")
TOOK_PLACE: Final = (
    "the store refuses the read of the branch that follows the staging: the upload is answered with a definite error, "
    "and has replaced the entry of the one before it")
INTERRUPTED: Final = "a stop between the object, the counter and the entry leaves a count, or an object, behind"

TEXT: Final = ObjectDesign(
    name="hard-delete/reference_counter", flows=proposal.FLOWS, source=SOURCE, words=WORDS, refuted={
        COMMITTED: Refuted(
            f"{NO_COMMITS}; and who deletes a branch may drop what was committed since it looked",
            "upload.commit.delete* staged/*delete-commit staged/move-commit staged/delete_branch-commit-create_branch"),
        STAGED: Refuted(
            f"{OPEN_ONCE}; {TWICE}; a link counts also what has come to 0, and is then deleted; a rollback after an "
            f"error that says nothing counts off an entry that is there; {BLIND}",
            "*upload-reset* link-reset staged/stage-reset staged/move-reset staged/link_again-delete "
            "staged/stage.delete/lost-answer staged/stage.delete/false-predicate twice/delete-delete "
            "twice/delete/false-predicate"),
        GARBAGE: Refuted(
            f"an upload over an entry does not count off the object that was there; {INTERRUPTED}",
            "upload-upload upload-delete_branch upload.upload staged/upload-* upload/crash upload/lost-answer "
            "link/crash link/lost-answer staged/stage.delete/lost-answer staged/stage-delete/crash")})

# "ETags are modified only on objects content change", and the counter is metadata.
S3: Final = variant(TEXT, "s3", {
    STAGED: Refuted(
        "the ETag does not see that the metadata has changed: of two increments one is lost, or one that follows a "
        "decrement to 0",
        "conditional-metadata staged/stage-delete staged/link_again-delete"),
    GARBAGE: Refuted("of two decrements one is lost", "twice/delete-delete:y")}, reading=proposal.S3)
# Tried in the race of `CONDITIONAL` alone.
AZURE: Final = variant(TEXT, "azure", HOLDS, reading=proposal.AZURE)
RELEASES: Final = variant(TEXT, "releases", {
    STAGED: Refuted(f"{TWICE}; {OPEN_ONCE}", "twice/upload-* staged/upload-reset"),
    GARBAGE: Refuted("two who come at once do not see each other's entry", "*/upload-*")}, reading=proposal.RELEASES)
DELETES_STAGED: Final = variant(TEXT, "deletes_staged", {
    COMMITTED: Refuted(NO_COMMITS, "staged/delete-commit upload.delete-commit")}, reading=proposal.DELETES_STAGED)
SETTLED: Final = variant(TEXT, "deletes_settled", {
    COMMITTED: Refuted(OPEN_ONCE, "upload.delete-commit upload-commit.delete"),
    GARBAGE: Refuted(UNCERTAIN, "upload.delete-commit staged/delete-commit staged/move-commit"),
}, reading=proposal.DELETES_SETTLED)
SHALLOW: Final = variant(TEXT, "shallow", {
    COMMITTED: Refuted(NO_COMMITS, "staged/copy@main:x-commit.delete"),
    STAGED: Refuted(f"{TWICE}; {OPEN_ONCE}", "staged/move-reset staged/move-delete staged/copy-reset shared/*"),
}, reading=proposal.SHALLOW)
CARRIES: Final = variant(TEXT, "carries", {
    GARBAGE: Refuted("a copy takes the count of its source along", "twice/copy@main:x.reset@main"),
}, reading=proposal.CARRIES)
COUNTER_FIRST: Final = variant(TEXT, "counter_first", {
    STAGED: Refuted("the object is deleted while its entry is still there", "staged/delete*"),
}, reading=proposal.COUNTER_FIRST)
DEFINITE: Final = variant(TEXT, "rollback_definite", {
    STAGED: Refuted(SECOND_LOOK, "staged/stage.delete/refusal"),
    GARBAGE: Refuted(INTERRUPTED, "staged/stage.delete/lost-answer")}, reading=proposal.ROLLBACK_DEFINITE)
NEVER: Final = variant(TEXT, "rollback_never", {
    GARBAGE: Refuted(INTERRUPTED, "staged/stage.delete/lost-answer staged/stage.delete/refusal"),
}, reading=proposal.ROLLBACK_NEVER)
JOB: Final = variant(TEXT, "job", {
    STAGED: Refuted("two runs of the job count off the same entry; so does one that follows a crash", "shared/*"),
}, reading=proposal.JOB)
JOB_CLAIMS: Final = variant(TEXT, "job_claims", {
    GARBAGE: Refuted(
        "an entry that was taken out and not counted off is never counted off", "staged/reset.job/crash"),
}, reading=proposal.JOB_CLAIMS)
CAREFUL: Final = variant(TEXT, "careful", {
    COMMITTED: Refuted(
        f"{BLIND}; {SECOND_LOOK}; and the entry that is left is committed",
        "twice/delete.commit/false-predicate staged/stage.delete.commit/refusal"),
    STAGED: Refuted(
            f"{BLIND}; {SECOND_LOOK}",
            "twice/*/false-predicate staged/stage-delete/false-predicate upload-reset/false-predicate "
            "staged/stage.delete*/refusal"),
    WRITTEN: Refuted(TOOK_PLACE, "upload-upload/refusal"),
    GARBAGE: Refuted(
        f"{UNCERTAIN}; {INTERRUPTED}",
        "upload-delete_branch upload.delete-commit upload-commit.delete staged/delete-commit staged/upload-commit "
        "staged/upload-reset* staged/move-reset* */crash */lost-answer *upload-reset/false-predicate "
        "staged/stage-delete/false-predicate staged/upload/false-predicate upload-upload/refusal onmain/*")},
    reading=proposal.CAREFUL)
UNSTAGED: Final = variant(TEXT, "careful_unstaged", {
    STAGED: Refuted(BLIND, "staged/copy-*/false-predicate"),
    GARBAGE: Refuted(
        f"who cannot tell whether an entry is staged leaves its object counted; {BLIND}",
        "*/crash */lost-answer */refusal */false-predicate onmain/*")},
    reading=proposal.CAREFUL_UNSTAGED)

ALONE: Final = "upload-upload upload-commit upload-reset upload-delete_branch upload.upload upload.delete"
MORE: Final = "link-commit link-reset upload.commit.delete"
STAGED_RACES: Final = (
    "stage-delete link_again-delete copy-delete delete-delete delete-commit commit-reset "
    "delete_branch-commit-create_branch stage-reset copy@main:x-reset upload-delete upload-commit upload-reset "
    "move-delete move-reset")
SLOW: Final = "stage-commit copy-commit"
"""Those that hold, and take longer."""
CROWDS: Final = "upload-commit-reset upload-commit-delete delete-commit-reset link_again-commit-delete"
CONDITIONAL: Final = "stage.delete:y-stage:z.delete:z"
"""Two who count the same object at once, and then delete their entries: a third one is left."""
CALLED: Final = "conditional-metadata"

# fmt: on


def races_of_rollback(design: ObjectDesign) -> Iterator[Row]:
    """Where an entry is counted, and is then not staged, or not for sure."""
    yield from rows(design, "stage-delete", HARD, UPLOADED)
    yield from rows(design, "stage.delete stage.delete.commit", REFUSED, UPLOADED)
    yield from rows(design, "stage-delete_branch copy-delete_branch", NONE, SHARED, only=STAGED)
    yield from rows(design, "copy_from_main-commit.create_branch.delete_branch.reset@main", NONE, ON_MAIN)


ROWS = [
    *rows((S3, TEXT, AZURE), CONDITIONAL, NONE, AN_UPLOAD, name=CALLED),
    *rows(TEXT, f"{ALONE} {MORE}", NONE),
    *rows(TEXT, "upload link", HARD),
    *rows(TEXT, STAGED_RACES, NONE, UPLOADED),
    *rows(TEXT, f"{SLOW} move-commit", NONE, UPLOADED, deep=True),
    *rows(TEXT, "stage.delete", HARD | FALSE, UPLOADED),
    *rows(TEXT, "stage-delete", CRASH, UPLOADED),
    *rows(TEXT, "delete-delete delete-delete:y", NONE, PAIR),
    *rows(TEXT, "delete", FALSE, PAIR),
    *rows(S3, "stage-delete link_again-delete copy-delete", NONE, UPLOADED),
    *rows(S3, "delete-delete:y", NONE, PAIR),
    *rows(RELEASES, "upload-commit upload-upload upload-reset upload-delete", NONE, UPLOADED),
    *rows(RELEASES, "upload-upload upload-delete", NONE, PAIR),
    *rows(DELETES_STAGED, "delete-commit", NONE, UPLOADED),
    *rows(DELETES_STAGED, "upload.commit.delete", NONE),
    *rows(DELETES_STAGED, "upload.delete-commit", NONE, deep=True),
    *rows(SETTLED, "upload-commit.delete upload.commit.delete", NONE),
    *rows(SETTLED, "upload.delete-commit", NONE, deep=True),
    *rows(SETTLED, "delete-commit", NONE, UPLOADED),
    *rows(SETTLED, "move-commit", NONE, UPLOADED, deep=True),
    *rows(SHALLOW, "copy@main:x-commit.delete move-reset", NONE, UPLOADED, deep=True),
    *rows(SHALLOW, "copy@main:x-delete_branch move-delete copy-reset", NONE, UPLOADED),
    *rows(SHALLOW, "delete-delete", NONE, SHARED),
    *rows(SHALLOW, "delete.reset-commit", NONE, SHARED, deep=True),
    *rows((TEXT, CARRIES), "copy@main:x.reset@main", NONE, PAIR),
    *rows(COUNTER_FIRST, "delete delete-delete", NONE, UPLOADED),
    *rows((DEFINITE, NEVER), "stage.delete", HARD | REFUSED, UPLOADED),
    *rows(JOB, "reset.job-job", NONE, SHARED),
    # A run that stops between an entry and its object leaves the entry, for the next run to find.
    *rows(JOB, "job", CRASH, FORGOTTEN, only=GARBAGE),
    *rows(JOB_CLAIMS, "reset.job-job", NONE | CRASH, SHARED),
    *rows(JOB_CLAIMS, "reset.job", CRASH, UPLOADED),
    # A reset that scans two entries one by one, while one of them is overwritten.
    *rows((TEXT, CAREFUL), "upload-reset", PAGED, BOTH, paged=1),
    *rows(CAREFUL, CONDITIONAL, NONE, AN_UPLOAD, name=CALLED, deep=True),
    *rows(CAREFUL, f"{ALONE} {MORE} upload-commit.delete", NONE),
    *rows(CAREFUL, "upload.delete-commit", NONE, deep=True),
    *rows(CAREFUL, "upload-reset", HARD),
    *rows(CAREFUL, "upload-reset", FALSE, deep=True),
    *rows(CAREFUL, STAGED_RACES, NONE, UPLOADED),
    *rows(CAREFUL, SLOW, NONE, UPLOADED, deep=True),
    *rows(CAREFUL, "upload-upload", REFUSED),
    *rows(CAREFUL, "stage-delete", FALSE, UPLOADED, deep=True),
    *rows(CAREFUL, "upload-reset", HARD, UPLOADED),
    *rows(CAREFUL, "delete-commit move-reset", HARD, UPLOADED, deep=True),
    *rows(CAREFUL, "delete-delete delete-delete:y", NONE, PAIR),
    *rows(CAREFUL, "delete delete.commit", FALSE, PAIR),
    # The upload whose `SetIf` is denied finds its own entry at its next look: the object of the old one stays counted.
    *rows(CAREFUL, "upload", FALSE, UPLOADED, only=GARBAGE),
    # That entry is not one that it has replaced: its object stays.
    *rows(CAREFUL, "upload", FALSE, only=STAGED),
    *rows(CAREFUL, "delete-delete", NONE, SHARED),
    *rows(CAREFUL, "delete.reset-commit", NONE, SHARED, deep=True),
    *(row for design in (CAREFUL, UNSTAGED) for row in races_of_rollback(design)),
    *rows(UNSTAGED, "copy-delete_branch", HARD | REFUSED, SHARED, only=STAGED),
    *rows(UNSTAGED, "copy-delete copy-reset", FALSE, UPLOADED),
    # Three at once over one entry: whether data is kept.
    *rows(CAREFUL, CROWDS, NONE, CROWD, only=f"{COMMITTED} {STAGED}", deep=True),
]

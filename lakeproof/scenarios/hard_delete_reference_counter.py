"""Proposal 2, a reference counter in the metadata of objects, in the readings that its text allows.

The main reading is for Google's conditions, where the text thinks that the counter is sound; ``-s3`` is what the text
refutes itself. ``-careful`` mends what can be mended without another protocol.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Final

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.hard_delete import reference_counter
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios._bound import bound
from lakeproof.scenarios._branch_data import BRANCH, X, Y
from lakeproof.scenarios._hard_delete import FAULTS, MAIN, Variant, Z, scenario, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "hard-delete-uncommitted-data.md, 2. Reference Counter on Object Metadata"

NONE: Final = {"": Faults()}
HARD: Final = {suffix: FAULTS[suffix] for suffix in ("/crash", "/lost-answer")}
FALSE: Final = {"/false-predicate": FAULTS["/false-predicate"]}
WORDS: Final = {
    "stagez": ("stage_again", (BRANCH, Z, X)),
    "deletez": ("delete_object", (BRANCH, Z)),
    "relink": ("link_again", (BRANCH, Y, X)),
    "fork": ("create_branch", ("c", BRANCH)),
    "resetmain": ("reset_branch", (MAIN,)),
}

COMMITTED: Final = "committed-data-is-kept"
STAGED: Final = "staged-data-is-kept"
GARBAGE: Final = "garbage-is-reclaimed"

NO_COMMITS: Final = (
    "commits do not count, and a delete does not ask whether the entry is committed, or is being committed: the "
    "counter of its object comes to 0"
)
OPEN_ONCE: Final = (
    "a writer that finds another token stages its entry once more, and the one that it has staged before is dropped "
    "by a reset, or committed, with the same object and the same count"
)
TWICE: Final = "two who remove the same entry both count it off"
BLIND: Final = "a change of the counter that is reported as failed is made again, and counts twice"
OVERWRITTEN: Final = "an upload over an entry does not count off the object that was there"
INTERRUPTED: Final = "whoever stops between the object, the counter and the entry leaves a count, or an object, behind"


def flows(**options: Hashable) -> SimpleNamespace:
    """The flows of the proposal with these options."""
    found = bound(reference_counter, **options)
    found.link_again = partial(catalog.stage_again, stage=found.link_at)
    return found


TEXT: Final = Variant(
    name="hard-delete/reference_counter",
    flows=flows(),
    source=SOURCE,
    words=WORDS,
    refuted={
        COMMITTED: Refuted(
            f"{NO_COMMITS}; and who deletes a branch may drop what was committed since it looked",
            ("upload.commit.delete*", "staged/*delete-commit", "staged/move-commit", "staged/drop-commit-fork"),
        ),
        STAGED: Refuted(
            f"{OPEN_ONCE}; {TWICE}; a link counts also what has come to 0, and is then deleted; a rollback after an "
            f"error that says nothing counts off an entry that is there; {BLIND}",
            (
                "*upload-reset*",
                "link-reset",
                "staged/stage-reset",
                "staged/move-reset",
                "staged/relink-delete",
                "staged/stage.delete/lost-answer",
                "staged/stage.delete/false-predicate",
                "twice/delete-delete",
                "twice/delete/false-predicate",
            ),
        ),
        GARBAGE: Refuted(
            f"{OVERWRITTEN}; {INTERRUPTED}",
            (
                "upload-upload",
                "upload-drop",
                "upload.upload",
                "staged/upload-*",
                "upload/crash",
                "upload/lost-answer",
                "link/crash",
                "link/lost-answer",
                "staged/stage.delete/lost-answer",
                "staged/stage-delete/crash",
            ),
        ),
    },
)


def reading(name: str, refuted: Mapping[str, Refuted] | None = None, **options: Hashable) -> Variant:
    """The proposal in another reading."""
    return attrs.evolve(TEXT, name=f"{TEXT.name}-{name}", flows=flows(**options), refuted=refuted or {})


S3: Final = reading(
    "s3",
    {
        STAGED: Refuted(
            "the ETag does not see that the metadata has changed: of two increments one is lost, or one that follows a "
            "decrement to 0",
            ("conditional-metadata", "staged/stage-delete", "staged/relink-delete"),
        ),
        GARBAGE: Refuted("of two decrements one is lost", ("twice/delete-deletey",)),
    },
    kind="s3",
)
AZURE: Final = reading("azure", kind="azure")
RELEASES: Final = reading(
    "releases",
    {
        STAGED: Refuted(f"{TWICE}; {OPEN_ONCE}", ("twice/upload-*", "staged/upload-reset")),
        GARBAGE: Refuted("two who come at once do not see each other's entry", ("*/upload-*",)),
    },
    overwrites="release",
    deletes="staged",
)
DELETES_STAGED: Final = reading(
    "deletes_staged",
    {COMMITTED: Refuted(NO_COMMITS, ("staged/delete-commit", "upload.delete-commit"))},
    deletes="staged",
)
SETTLED: Final = reading(
    "deletes_settled",
    {
        COMMITTED: Refuted(OPEN_ONCE, ("upload.delete-commit", "upload-commit.delete")),
        GARBAGE: Refuted(
            "who cannot tell whether an entry is being committed leaves its object counted",
            ("upload.delete-commit", "staged/delete-commit", "staged/move-commit"),
        ),
    },
    deletes="settled",
)
SHALLOW: Final = reading(
    "shallow",
    {
        COMMITTED: Refuted(NO_COMMITS, ("staged/copymain-commit.delete",)),
        STAGED: Refuted(
            f"{TWICE}; {OPEN_ONCE}", ("staged/move-reset", "staged/move-delete", "staged/copy-reset", "shared/*")
        ),
    },
    full=False,
)
CARRIES: Final = reading(
    "carries",
    {GARBAGE: Refuted("a copy takes the count of its source along", ("twice/copymain.resetmain",))},
    carries=True,
)
COUNTER_FIRST: Final = reading(
    "counter_first",
    {STAGED: Refuted("the object is deleted while its entry is still there", ("staged/delete*",))},
    counter_first=True,
)
DEFINITE: Final = reading(
    "rollback_definite",
    {GARBAGE: Refuted(INTERRUPTED, ("staged/stage.delete/lost-answer",))},
    rollback="definite",
)
JOB: Final = reading(
    "job",
    {STAGED: Refuted("two runs of the job count off the same entry; so does one that follows a crash", ("shared/*",))},
    in_job=True,
    full=False,
)
JOB_CLAIMS: Final = reading(
    "job_claims",
    {
        GARBAGE: Refuted(
            "an entry that was taken out and not counted off is never counted off", ("staged/reset.job/crash",)
        )
    },
    in_job=True,
    full=False,
    claims=True,
)
CAREFUL: Final = reading(
    "careful",
    {
        STAGED: Refuted(BLIND, ("*/false-predicate",)),
        GARBAGE: Refuted(
            f"who cannot tell whether an entry is being committed leaves its object counted; {INTERRUPTED}",
            (
                "upload-drop",
                "upload.delete-commit",
                "upload-commit.delete",
                "staged/delete-commit",
                "staged/upload-commit",
                "staged/upload-reset*",
                "staged/move-reset*",
                "*/crash",
                "*/lost-answer",
                "*upload-reset/false-predicate",
                "staged/stage-delete/false-predicate",
            ),
        ),
    },
    deletes="settled",
    overwrites="exchange",
    follows=True,
    claims=True,
    by_tombstone=True,
    rollback="definite",
    revives=False,
    full=False,
)
"""A delete counts off only what it has surely taken out; each staging is counted; drops happen once."""


def after(
    variant: Variant,
    races: Sequence[str],
    faults: Mapping[str, Faults] = NONE,
    *,
    words: str = "upload",
    under: str = "staged/",
    deep: bool = False,
) -> Iterator[Scenario]:
    """Races after something has happened, alone: one upload, unless said otherwise."""
    return scenarios(variant, races, faults, initially=words.split("."), under=under, deep=deep)


def twice(
    variant: Variant, races: Sequence[str], faults: Mapping[str, Faults] = NONE, words: str = "upload.stage"
) -> Iterator[Scenario]:
    """Races over an object that two entries of the branch refer to."""
    return after(variant, races, faults, words=words, under="twice/")


def shared(variant: Variant, races: Sequence[str], faults: Mapping[str, Faults] = NONE) -> Iterator[Scenario]:
    """Races over an object that entries of two branches refer to."""
    return after(variant, races, faults, words="upload.copymain", under="shared/")


CONDITIONAL: Final = "stage.deletey-stagez.deletez"


def conditional_metadata(variant: Variant) -> Scenario:
    """Two who count the same object at once, and then delete their entries: a third one is left."""
    return scenario(variant, CONDITIONAL, initially=["upload"], name="conditional-metadata")


def paged(variant: Variant) -> Scenario:
    """A reset that scans two entries one by one, while one of them is overwritten."""
    return scenario(variant, "upload-reset", initially=["upload", "uploady"], paged=1, name="staged/upload-reset/paged")


ALONE: Final = ["upload-upload", "upload-commit", "upload-reset", "upload-drop", "upload.upload", "upload.delete"]
MORE: Final = ["link-commit", "link-reset", "upload.commit.delete"]
STAGED_RACES: Final = [
    "stage-delete",
    "relink-delete",
    "copy-delete",
    "delete-delete",
    "delete-commit",
    "commit-reset",
    "drop-commit-fork",
    "stage-reset",
    "copymain-reset",
    "upload-delete",
    "upload-commit",
    "upload-reset",
    "move-delete",
    "move-reset",
]
SLOW: Final = ["stage-commit", "copy-commit"]
"""Those that hold, and take longer."""

CROWDS: Final = ["upload-commit-reset", "upload-commit-delete", "delete-commit-reset", "relink-commit-delete"]


def crowds(variant: Variant) -> Iterator[Scenario]:
    """Three at once over one entry: whether data is kept."""
    for race in CROWDS:
        yield scenario(variant, race, initially=["upload"], only=(COMMITTED, STAGED), name=f"crowd/{race}", deep=True)


SCENARIOS = [
    *[conditional_metadata(each) for each in (S3, TEXT, AZURE)],
    *scenarios(TEXT, [*ALONE, *MORE], NONE),
    *scenarios(TEXT, ["upload", "link"], HARD),
    *after(TEXT, STAGED_RACES),
    *after(TEXT, [*SLOW, "move-commit"], deep=True),
    *after(TEXT, ["stage.delete"], {**HARD, **FALSE}),
    *after(TEXT, ["stage-delete"], {"/crash": FAULTS["/crash"]}),
    *twice(TEXT, ["delete-delete", "delete-deletey"]),
    *twice(TEXT, ["delete"], FALSE),
    *after(S3, ["stage-delete", "relink-delete", "copy-delete"]),
    *twice(S3, ["delete-deletey"]),
    *after(RELEASES, ["upload-commit", "upload-upload", "upload-reset", "upload-delete"]),
    *twice(RELEASES, ["upload-upload", "upload-delete"]),
    *after(DELETES_STAGED, ["delete-commit"]),
    *scenarios(DELETES_STAGED, ["upload.commit.delete"], NONE),
    *scenarios(DELETES_STAGED, ["upload.delete-commit"], NONE, deep=True),
    *scenarios(SETTLED, ["upload-commit.delete", "upload.commit.delete"], NONE),
    *scenarios(SETTLED, ["upload.delete-commit"], NONE, deep=True),
    *after(SETTLED, ["delete-commit"]),
    *after(SETTLED, ["move-commit"], deep=True),
    *after(SHALLOW, ["copymain-commit.delete", "move-reset"], deep=True),
    *after(SHALLOW, ["copymain-drop", "move-delete", "copy-reset"]),
    *shared(SHALLOW, ["delete-delete"]),
    *after(SHALLOW, ["delete.reset-commit"], words="upload.copymain", under="shared/", deep=True),
    *twice(CARRIES, ["copymain.resetmain"]),
    *after(COUNTER_FIRST, ["delete", "delete-delete"]),
    *after(DEFINITE, ["stage.delete"], HARD),
    *shared(JOB, ["reset.job-job"]),
    *shared(JOB_CLAIMS, ["reset.job-job"], {**NONE, "/crash": FAULTS["/crash"]}),
    *after(JOB_CLAIMS, ["reset.job"], {"/crash": FAULTS["/crash"]}),
    *[paged(each) for each in (TEXT, CAREFUL)],
    attrs.evolve(conditional_metadata(CAREFUL), deep=True),
    *scenarios(CAREFUL, [*ALONE, *MORE, "upload-commit.delete"], NONE),
    *scenarios(CAREFUL, ["upload.delete-commit"], NONE, deep=True),
    *scenarios(CAREFUL, ["upload-reset"], HARD),
    *scenarios(CAREFUL, ["upload-reset"], FALSE, deep=True),
    *after(CAREFUL, STAGED_RACES),
    *after(CAREFUL, SLOW, deep=True),
    *after(CAREFUL, ["stage-delete"], HARD),
    *after(CAREFUL, ["stage-delete"], FALSE, deep=True),
    *after(CAREFUL, ["upload-reset"], HARD),
    *after(CAREFUL, ["delete-commit", "move-reset"], HARD, deep=True),
    *twice(CAREFUL, ["delete-delete", "delete-deletey"]),
    *twice(CAREFUL, ["delete"], FALSE),
    *shared(CAREFUL, ["delete-delete"]),
    *after(CAREFUL, ["delete.reset-commit"], words="upload.copymain", under="shared/", deep=True),
    *crowds(CAREFUL),
]

"""Proposal 4, states of staging tokens and a list of tokens for each object, in the readings that its text allows."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.committing import seal
from lakeproof.impl.hard_delete import token_states
from lakeproof.model.records import Repository
from lakeproof.scenario import Call, Faults, Scenario
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from lakeproof.scenarios._hard_delete import FAULTS, MAIN, PAGED, Variant, scenario, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "hard-delete-uncommitted-data.md, 4. Staging Token States"
ALONE: Final = {"": Faults()}
CRASH: Final = {**ALONE, "/crash": Faults(crashes=1)}

ISSUED: Final = Grant("mem://r/data/s3", "s4")
"""What `token_states.get_physical_address` gives to the first who asks for it."""

RESTAGED: Final = (
    "an upload stages its entry late, under a token that is sealed or reset by then; the job takes that token from the "
    "list of the object, and the upload goes on under the next token: it adds to a list that is empty or makes it anew"
)
NOT_FOUND: Final = (
    '"If key not found - assume address was committed": the key of an object that was hard-deleted is not found either'
)
NEVER_NAMED: Final = (
    "an entry that was overwritten, or replaced by a tombstone, is not under the token any more when the job comes by, "
    "and so the token stays in the list of its object"
)
STOPPED: Final = (
    "whoever stops between two writes leaves behind an object without a list, a list that no staged entry leads to, or "
    "tokens of which nobody has taken note"
)
LEFT_BEHIND: Final = "an upload that is refused, as its branch is gone, has written its object already"
LATE_AFTER: Final = (
    "a token that was added to a list after the job has dealt with it is never taken out again, as when an upload "
    "comes late to a sealed token"
)
LINKED_TWICE: Final = "two links have both looked at the token before one of them deletes it"
STALE_DELETE: Final = (
    "a branch is deleted with the tokens that it had when it was read; a commit came between, and has committed them"
)

COMMITTED_LOSSES: Final = Refuted(
    f"{RESTAGED}; {STALE_DELETE}; {LINKED_TWICE}",
    (
        "upload-commit.job.reset.job",
        "link-commit.job.reset.job",
        "after_upload/drop-commit-branch-job",
        "twice/link.commit.job-link.reset.job",
    ),
)
STAGED_LOSSES: Final = Refuted(
    f"{RESTAGED}; {NOT_FOUND}; {LINKED_TWICE}",
    (
        "upload-reset.job",
        "upload-commit.job",
        "upload-commit.job.reset.job",
        "link-commit.job.reset.job",
        "after_upload/copy-reset.job",
        "after_upload/copymain-reset.job*",
        "after_upload/copymain-drop.job",
        "after_upload/copy-reset-job*",
        "after_upload/copymain.resetmain-job.reset.job",
        "after_upload/move-reset.job",
        "twice/link-link.reset.job",
        "twice/link.commit.job-link.reset.job",
    ),
)
LEAKS: Final = Refuted(
    f"{NEVER_NAMED}; {STOPPED}; {LEFT_BEHIND}; {LATE_AFTER}",
    (
        "upload*/crash",
        "upload*/lost-answer",
        "link-commit/*[!e]",
        "after_upload/reset*/*[!e]",
        "after_upload/drop*/*[!e]",
        "after_upload/copy-reset-job/*[!e]",
        "after_sealed/*/crash",
        "upload-drop*",
        "upload-upload*",
        "upload.upload*",
        "upload.delete*",
        "after_upload/delete*",
        "upload-commit.job.reset.job",
        "link-commit.job.reset.job",
        "after_upload/commit-upload.reset.job",
        "twice/link.commit.job-link.reset.job",
    ),
)

TEXT: Final = Variant(
    name="hard-delete/token_states",
    flows=token_states,
    source=SOURCE,
    words={"branch": ("create_branch", ("c", BRANCH)), "resetmain": ("reset_branch", (MAIN,))},
    refuted={
        "committed-data-is-kept": COMMITTED_LOSSES,
        "staged-data-is-kept": STAGED_LOSSES,
        "garbage-is-reclaimed": LEAKS,
    },
)


def reading(name: str, **options: Mapping[str, Hashable]) -> Variant:
    """The proposal in another reading."""
    return attrs.evolve(TEXT, name=f"{TEXT.name}-{name}", options=options)


def refuting(variant: Variant, **refuted: Refuted) -> Variant:
    """The variant with these refutations instead, by invariant with "_" for "-"."""
    return attrs.evolve(variant, refuted={name.replace("_", "-"): each for name, each in refuted.items()})


BY_ADDRESS: Final = refuting(
    reading("by_address", commit={"named": "address"}, job={"named": "address"}),
    committed_data_is_kept=Refuted(
        "the job deals with the tokens of one committed object before it knows that the others under them are "
        f"committed, too; {RESTAGED}; {STALE_DELETE}",
        (*COMMITTED_LOSSES.races, "after_upload_uploady/commit.job"),
    ),
    staged_data_is_kept=Refuted(
        STAGED_LOSSES.reason, tuple(race for race in STAGED_LOSSES.races if race != "upload-commit.job")
    ),
    garbage_is_reclaimed=LEAKS,
)
"""The committed entry as the text first writes it: a key for each physical address."""

ENTRIES: Final = refuting(
    reading("entries", job={"moves": "entry"}),
    committed_data_is_kept=COMMITTED_LOSSES,
    staged_data_is_kept=STAGED_LOSSES,
    garbage_is_reclaimed=Refuted(
        "tokens of a commit become deleted entries, and then their staging area is deleted, before anybody has read "
        f"there which objects lose a reference; {LEAKS.reason}",
        (*LEAKS.races, "after_sealed/commit.job"),
    ),
)
SPARED: Final = reading("entries_spared", job={"moves": "entry", "spares_area": True})
BY_COMMIT: Final = reading("by_commit", job={"committed": "commit"})
FORGETS: Final = reading("forgets_deleted", job={"forgets_deleted": True})

CAREFUL: Final[Mapping[str, Mapping[str, Hashable]]] = {
    "upload": {"careful": True},
    "uploady": {"careful": True},
    "uploadmain": {"careful": True},
    "job": {"keeps_empty": True, "committed": "commit"},
    "drop": {"tombstone": True},
}
LINKS: Final[Mapping[str, Hashable]] = {"careful": True, "once": True}


def mended(name: str, **options: Mapping[str, Hashable]) -> Variant:
    """The proposal with all repairs, but for these options."""
    found = reading(name, **{**CAREFUL, **options})
    return attrs.evolve(found, source=f"{SOURCE} (ours: with repairs)")


MENDED: Final = refuting(mended("mended"), garbage_is_reclaimed=LEAKS)
"""No data is lost in any race here; what leaks, leaks."""

BUT_UPLOADS: Final = mended("mended_but_uploads", upload={})
BUT_EMPTY: Final = mended("mended_but_empty_lists", job={"committed": "commit"})
BUT_DROP: Final = mended("mended_but_deleted_branches", drop={})
BUT_LINKS: Final = mended("mended_but_links")
"""All repairs but one, in the race that misses it."""


def after(
    variant: Variant,
    words: str,
    races: Sequence[str],
    faults: Mapping[str, Faults] = ALONE,
    *,
    paged: int = 0,
    deep: bool = False,
) -> Iterator[Scenario]:
    """Races after something has happened, alone."""
    for race in races:
        for suffix, budget in faults.items():
            name = f"after_{words.replace('.', '_')}/{race}"
            yield scenario(
                variant, race, budget, suffix=suffix, initially=words.split("."), name=name, paged=paged, deep=deep
            )


async def put(env: Env, repository: Repository, address: str, content: bytes) -> None:
    """What a user does with an address that was issued to him."""
    await env.objects.put(address, content)


def twice(
    variant: Variant, race: str, *, deep: bool = False, options: Mapping[str, Hashable] | None = None
) -> Scenario:
    """A race in which ``link`` is a link of the one address that was issued and written before."""
    linking = attrs.evolve(
        variant,
        words={**variant.words, "link": ("link_physical_address", (BRANCH, X, ISSUED, b"g"))},
        options={**variant.options, "link": options or {}},
    )
    kept = ("committed-data-is-kept", "staged-data-is-kept", "garbage-is-reclaimed")
    only = kept if "commit" in race else kept[1:]
    built = scenario(linking, race, name=f"twice/{race}", only=only, deep=deep)
    issuing = [
        Call(token_states.get_physical_address, REPOSITORY, BRANCH, X),
        Call(put, REPOSITORY, ISSUED.address, b"g"),
    ]
    return attrs.evolve(built, setup=[*built.setup, *issuing])


def sealed(variant: Variant, faults: Mapping[str, Faults] = ALONE) -> Iterator[Scenario]:
    """A commit of two tokens: a committer has sealed the first one and stopped; then the path was uploaded again."""
    for suffix, budget in faults.items():
        kept = ("committed-data-is-kept", "garbage-is-reclaimed")
        built = scenario(variant, "commit.job", budget, suffix=suffix, name="after_sealed/commit.job", only=kept)
        before = [
            Call(token_states.upload_object, REPOSITORY, BRANCH, X, b"1"),
            Call(seal, REPOSITORY, BRANCH),
            Call(token_states.upload_object, REPOSITORY, BRANCH, X, b"2"),
        ]
        yield attrs.evolve(built, setup=[*built.setup, *before])


COPIES: Final = ["copy-reset.job", "copymain-reset.job", "copymain-drop.job", "copymain-commit.job", "copy-commit.job"]
JOBS: Final = ["commit.job-job", "reset.job-job", "reset-commit.job"]

SCENARIOS = [
    *scenarios(TEXT, ["upload-commit", "upload-reset", "upload-drop"]),
    *scenarios(TEXT, ["upload-upload", "link-commit"], CRASH),
    *scenarios(TEXT, ["upload.upload", "upload.delete", "upload.delete.reset", "upload.reset.job"], ALONE),
    *scenarios(TEXT, ["upload-reset.job", "upload-commit.job", "upload-commit.job.reset.job"], ALONE),
    *scenarios(TEXT, ["link-commit.job.reset.job"], ALONE, deep=True),
    *after(TEXT, "upload", ["commit-upload.reset.job"], deep=True),
    *after(TEXT, "upload", ["commit.job", "reset.job", "drop.job"], FAULTS),
    *after(TEXT, "upload", ["commit-job", "reset-job", "copy-reset-job"], FAULTS),
    *after(TEXT, "upload", ["copy.delete.job", "move.reset.job", "commit.job.copy.reset.job", "delete.job"]),
    *after(TEXT, "upload", ["move-reset.job", "drop-commit-branch-job", "copymain.resetmain-job.reset.job"]),
    *after(TEXT, "upload", [*COPIES, *JOBS]),
    *after(TEXT, "upload", ["copymain-reset.job"], PAGED, paged=1),
    *after(TEXT, "upload.commit", ["copy-job", "copymain.resetmain.job-job"]),
    *sealed(TEXT, CRASH),
    twice(TEXT, "link-link"),
    twice(TEXT, "link-link.reset.job"),
    twice(TEXT, "link.commit.job-link.reset.job", deep=True),
    *scenarios(MENDED, ["upload-reset.job", "upload-commit.job"], ALONE),
    *scenarios(MENDED, ["upload-commit.job.reset.job"], ALONE, deep=True),
    *after(MENDED, "upload", ["commit.job", "reset.job", "copy-reset-job"], FAULTS),
    *after(MENDED, "upload", ["drop-commit-branch-job", "move-reset.job", *COPIES, *JOBS]),
    twice(MENDED, "link-link", options=LINKS),
    twice(MENDED, "link-link.reset.job", options=LINKS),
    twice(MENDED, "link.commit.job-link.reset.job", deep=True, options=LINKS),
    twice(BUT_LINKS, "link-link.reset.job", options={"careful": True}),
    *scenarios(BUT_UPLOADS, ["upload-reset.job"], ALONE),
    *after(BUT_EMPTY, "upload", ["copy-reset.job"]),
    *after(BUT_DROP, "upload", ["drop-commit-branch-job"]),
    *after(BY_ADDRESS, "upload", ["drop-commit-branch-job"]),
]
for each in (TEXT, BY_ADDRESS, ENTRIES, SPARED, BY_COMMIT, FORGETS):
    SCENARIOS += [
        *after(each, "upload.uploady", ["commit.job"]),
        *(after(each, "upload", ["copy-reset.job", "commit.job-job", "reset.job-job"]) if each is not TEXT else ()),
        *(scenarios(each, ["upload-reset.job", "upload-commit.job"], ALONE) if each is not TEXT else ()),
        *(sealed(each) if each is not TEXT else ()),
    ]

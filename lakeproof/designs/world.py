"""One repository with everything on: the pairs and triples of operations that the proofs of the parts leave open.

``composed`` is the world of `lakeproof.impl.world`. Each control takes one part as its own page has it. What there is
before a race: ``stocked``: main with a committed object, and a branch b with another one staged over it; ``aged``:
commits of 20 and 30 days, under rules of seven; ``dumped`` and ``bare``: a dump, and a bare repository of the same id
to restore it to. Where a repository is deleted, every call fetches its record first.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import Final

import attrs

from lakeproof.designs._world import HOUR, LATER, WorldDesign, compose_design
from lakeproof.designs.designs import Row, as_it_is, rows
from lakeproof.designs.hard_delete_offline import settle
from lakeproof.designs.races import CRASH, HARD, NONE, Before, FaultSet, Refuted, fault, jump
from lakeproof.impl.world.reading import Reading
from lakeproof.model.invariants import data
from lakeproof.scenario import Faults

USERS: Final = (
    "upload copy copy_committed move delete read commit merge revert reset reset_entry reset_prefix create_branch "
    "update_branch delete_branch tag dump"
)
"""What users do in a repository that lives."""
JOBS: Final = ("reap", "collect")
"""The online job, the offline job."""
RUN: Final = "mark.sweep"
AGED_USERS: Final = (
    "copy_side restore revive revert merge update_branch delete_branch@z delete_branch tag upload commit@z delete:z "
    "reset dump reap collect"
)
"""What is under way beside a run of retention."""

PROVED: Final = (
    "read-commit upload-upload upload-delete upload-read upload-commit upload-reset upload-delete_branch upload-reap "
    "copy-delete copy-commit copy-reset copy-delete_branch copy-reap move-commit move-reap delete-commit "
    "commit-collect delete-reap read-reset commit-commit commit-merge commit-reset commit-reset_entry "
    "commit-reset_prefix commit-create_branch commit-delete_branch commit-tag commit-dump commit-reap merge-merge "
    "merge-reset revert-revert reset-reset reset-reap reset_entry-reset_entry create_branch-delete_branch "
    "create_branch-dump create_branch-reap delete_branch-dump delete_branch-reap tag-tag tag-dump reap-reap"
)
"""Pairs that are proved of the flows of one part alone, in races of its own: a test finds them there."""
OPEN: Final = tuple(
    pair
    for pair in map("-".join, combinations_with_replacement((*USERS.split(), *JOBS), 2))
    if pair not in PROVED.split()
)
"""All other pairs."""

STOCKED: Final = Before("stocked/", "upload@main.commit@main.create_branch@b.upload")
TAGGED: Final = Before("tagged/", "upload@main.commit@main.create_branch@b.upload.commit.tag")
DUMPED: Final = Before("dumped/", "upload@main.commit@main.dump")
OLD_DUMPED: Final = Before("aged-dumped/", "dump")
LEFT_DUMPED: Final = Before("aged-left-dumped/", "delete_branch@z.dump")
BARE: Final = Before("bare/", "upload@main.commit@main.dump.delete_repository.create_bare")
OLD_BARE: Final = Before("aged-bare/", "dump.delete_repository.create_bare")
RESTORED: Final = Before(
    "restored/", "upload@main.commit@main.create_branch@b.dump.delete_repository.create_bare.restore_refs"
)
NEXT: Final = Before("next/", "delete_repository.create_repository.upload@main")
AGED: Final = Before("aged/", "")  # the history is part of the foundation

LATE: Final = jump(LATER)
OLD: Final = jump(2 * HOUR)
LATE_HARD: Final = fault("crash", Faults(clock_jumps=(LATER,), crashes=1)) | fault(
    "lost-answer", Faults(clock_jumps=(LATER,), lost_answers=1)
)
ENDING: Final = "delete_repository.clean"
REPLACING: Final = "delete_repository.create_repository"
RESTORING: Final = "delete_repository.clean.create_bare.restore_refs"
COMING_BACK: Final = "delete_repository.create_bare.restore_refs"
REVIVING: Final = f"{COMING_BACK}.revive"

WORLD: Final = compose_design()
MORTAL: Final = compose_design(lives=False)
SIDES: Final = ("line", "branch")


def with_old_commits(design: WorldDesign) -> WorldDesign:
    """The same over commits of 20 and 30 days."""
    return attrs.evolve(design, parts=SIDES)


def control(name: str, reading: Reading, invariant_id: str, reason: str, *, lives: bool = True) -> WorldDesign:
    """The composition with one part as its own page has it: refuted wherever it is tried."""
    design = compose_design(reading, lives=lives)
    return attrs.evolve(design, name=f"world/{name}", refuted={invariant_id: Refuted(reason, "*")})


def stocked_rows(races: str, faults: FaultSet = NONE, *, hard: FaultSet = NONE, deep: bool = False) -> Iterator[Row]:
    """Races in a stocked repository that lives. Beside the online job time passes; beside the offline one it has
    passed, and who brings an object begins after that."""
    for race in races.split():
        words = race.replace(".", "-").split("-")
        adapt = settle if "collect" in words else as_it_is
        # A settled race has a jump already, of two hours: that is more than `LATER`.
        given = (hard if hard is not NONE else LATE) if "reap" in words and adapt is as_it_is else faults
        yield from rows(WORLD, race, given, STOCKED, adapt=adapt, deep=deep)


KEPT: Final = data.committed_data_is_kept.id
STAGED: Final = data.staged_data_is_kept.id
ACTIVE: Final = "active-data-is-kept"

UNNOTED: Final = control(
    "heads-unnoted",
    Reading(heads="by commits only"),
    KEPT,
    "a merge, a revert or a move of the branch takes a head away and does not note it: to the online job the commit "
    "that took the token looks like one that never came true",
)
BY_ENTRY: Final = control(
    "copies-by-entry",
    Reading(copies="by entry"),
    STAGED,
    "the copier has read an entry whose commit expires before it stages the copy: nothing is pinned",
)
# Over old commits the same loss has the id that runs of retention are judged by, too.
BY_ENTRY_OLD: Final = attrs.evolve(
    BY_ENTRY, refuted={**BY_ENTRY.refuted, "uncommitted-data-is-kept": BY_ENTRY.refuted[STAGED]}
)
ONCE: Final = control(
    "commits-once",
    Reading(commits="once"),
    KEPT,
    "the commit under way holds what was overwritten since it was read; no listing of the offline job shows it",
)
ANY: Final = control(
    "jobs-of-any",
    Reading(jobs="of whom they began with"),
    KEPT,
    "the job goes on after its repository was deleted, cleaned and restored: it takes the records that the cleaner has "
    "deleted for ones that never were",
    lives=False,
)
ANY_NEXT: Final = attrs.evolve(ANY, refuted={STAGED: Refuted("the next repository has the same namespace", "*")})
TAKEN: Final = control(
    "unrestored-taken",
    Reading(unrestored="taken as it is"),
    KEPT,
    "the job lists a bare repository whose commits are still on their way: all its objects look like garbage",
    lives=False,
)
BY_NAME: Final = control(
    "restored-by-name",
    Reading(restored_last="by-name"),
    ACTIVE,
    "the default branch is there and another is on its way: its commits look expired",
    lives=False,
)
SENTENCES: Final = control(
    "sentences-go",
    Reading(sentences="go with it"),
    ACTIVE,
    "the sentence of a swept commit went with its repository, and a dump brings the commit back",
    lives=False,
)


def like_another(pair: str) -> bool:
    """Whether a pair is as another one, only longer: a reset of a prefix is one of its paths, a move a copy first."""
    return not {"move", "reset_prefix", "copy_committed-commit"}.isdisjoint((pair, *pair.split("-")))


def pairs() -> Iterator[Row]:
    """Every open pair; and every operation beside the end of its repository, and its replacement."""
    yield from stocked_rows(" ".join(pair for pair in OPEN if not like_another(pair)))
    yield from stocked_rows(" ".join(pair for pair in OPEN if like_another(pair)), deep=True)
    for word in (*USERS.split(), *JOBS):
        faults, adapt = (LATE if word == "reap" else NONE), (settle if word == "collect" else as_it_is)
        yield from rows(MORTAL, f"{word}-{ENDING}", faults, STOCKED, adapt=adapt)
        yield from rows(MORTAL, f"{word}-{REPLACING}", faults, STOCKED, adapt=adapt, deep=word not in JOBS)


def lives_of_jobs() -> Iterator[Row]:
    """Jobs that outlive their repository, or meet the next one half made."""
    for design in (MORTAL, ANY):
        yield from rows(design, f"reap-{RESTORING}", LATE, DUMPED)
        yield from rows(design, f"collect-{RESTORING}", OLD, DUMPED)
    for design in (MORTAL, ANY_NEXT):
        yield from rows(design, "late_collect-read@main", OLD, NEXT)
    for design in (MORTAL, TAKEN):
        yield from rows(design, "restore_refs-collect", OLD, BARE)
    # The online job finds a token's branch by its name, also where a restore has made it.
    yield from rows(MORTAL, "upload.reap", LATE, RESTORED)
    for design in (MORTAL, BY_NAME):
        yield from rows(with_old_commits(design), f"restore_refs-{RUN}", NONE, OLD_BARE)
    for design in (MORTAL, SENTENCES):
        yield from rows(with_old_commits(design), f"delete_branch@z.{RUN}-{COMING_BACK}", NONE, OLD_DUMPED)
        yield from rows(with_old_commits(design), f"{RUN}-{REVIVING}", NONE, OLD_DUMPED, deep=True)
    # A run that condemns two commits: one branch's head, and what is used when it has come back.
    yield from rows(with_old_commits(MORTAL), f"{RUN}-{REVIVING}", NONE, LEFT_DUMPED, only=ACTIVE)
    # The same reading. Over old commits it is active data that is lost.
    unrefused = attrs.evolve(TAKEN, refuted={ACTIVE: Refuted(TAKEN.refuted[KEPT].reason, "*")})
    yield from rows(with_old_commits(unrefused), f"restore_refs-{RUN}", NONE, OLD_BARE, deep=True)


def controls() -> Iterator[Row]:
    """Each part as its own page has it, in the smallest race that shows what it lacks; and composed."""
    for design in (WORLD, UNNOTED):
        before = ("merge-reap revert-reap", STOCKED), ("update_branch-reap", TAGGED)
        for races, there in before:
            # The composition has the stocked pairs among its `pairs` already, and a name is used once.
            if design is UNNOTED or there is TAGGED:
                yield from rows(design, races, LATE, there)
    for design in (WORLD, BY_ENTRY_OLD):
        yield from rows(with_old_commits(design), f"copy_side-delete_branch@z.{RUN}", NONE, AGED)
    for design in (WORLD, ONCE):
        yield from rows(design, "delete.collect-commit", NONE, STOCKED, adapt=settle)
        yield from rows(design, "upload.collect-commit", NONE, STOCKED, adapt=settle, deep=True)


TRIPLE_USERS: Final = ("upload", "copy", "commit", "merge", "revert", "reset_entry", "update_branch", "delete_branch")
TRIPLES: Final = tuple(f"{one}-{other}-{job}" for one, other in combinations(TRIPLE_USERS, 2) for job in JOBS)
"""Two users and a job."""
FOURS: Final = (
    "upload-commit-reset_entry-reap upload-commit-merge-reap upload-merge-update_branch-reap copy-revert-merge-reap "
    "upload-reap-collect-delete_branch"
)
"""Three users and a job, or two of each."""
ENDED_USERS: Final = ("upload", "commit", "merge", "copy")


def ending_rows() -> Iterator[Row]:
    """A user and a job, while the repository is deleted and cleaned."""
    for word in ENDED_USERS:
        yield from rows(MORTAL, f"{word}-reap-{ENDING}", LATE, STOCKED, deep=True)
        yield from rows(MORTAL, f"{word}-collect-{ENDING}", NONE, STOCKED, deep=True, adapt=settle)
        yield from rows(MORTAL, f"{word}-{ENDING}", CRASH, STOCKED, deep=True)


ROWS = [
    *pairs(),
    *controls(),
    *lives_of_jobs(),
    *(
        row
        for word in AGED_USERS.split()
        for row in rows(with_old_commits(WORLD), f"{word}-{RUN}", NONE, AGED, deep=True)
    ),
    *stocked_rows(" ".join(OPEN), HARD, hard=LATE_HARD, deep=True),
    *stocked_rows(" ".join(TRIPLES), deep=True),
    *stocked_rows(FOURS, deep=True),
    *ending_rows(),
]

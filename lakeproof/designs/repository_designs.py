"""The life cycle of one repository id: what is common to all variants.

A variant says which flows it has and what is known to be refuted; the races, their faults and the invariants that
can be exercised in each are the same for all.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.designs import Design, Row, Speaker, Word, rows
from lakeproof.designs.races import (
    FAULTS,
    LATE_WRITE,
    LOST,
    NONE,
    PAGED,
    REFUSED,
    SCAN_FAILURE,
    Before,
    FaultSet,
    Race,
    Refuted,
    fault,
    jump,
)
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.model import calls
from lakeproof.model.invariants import Invariant, lifecycle, outcomes, reclamation
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.invariants.alone import answers_in_its_terms
from lakeproof.model.linearizable import linearizable
from lakeproof.model.repository import repository
from lakeproof.scenario import Aftermath, Faults

JUMP: Final = 121_000_000
"""Microseconds: just over the two minutes after which an ``initial`` repository counts as failed."""

ONE_FAULT: Final = FAULTS | jump(JUMP)
"""Every race also with one fault of each of these kinds."""

MORE_FAULTS: Final = (
    ONE_FAULT
    | REFUSED
    | LATE_WRITE
    | fault("crash-and-lost-answer", Faults(crashes=1, lost_answers=1))
    | fault("clock-jump-and-skew", Faults(clock_jumps=(JUMP,), clock_skew=(JUMP, 0, -JUMP)))
)
"""What a variant that claims to hold must stand."""

WORDS: Final[Mapping[str, Word[RepositoryFlows]]] = {
    "create": Word(lambda flows: flows.create_repository, "r"),
    "create_bare": Word(lambda flows: flows.create_bare_repository, "r"),
    "create_other": Word(lambda flows: flows.create_bare_repository, "a"),  # before r: a scan in pages meets it first
    "delete": Word(lambda flows: flows.delete_repository, "r"),
    "get": Word(lambda flows: flows.get_repository, "r"),
    "list": Word(lambda flows: flows.list_repositories),
    "create_branch": Word(lambda flows: flows.create_branch, "r", "b"),
    "get_branch": Word(lambda flows: flows.get_branch, "r", "main"),
    "tag": Word(lambda flows: flows.create_tag, "r", "t"),
    "clean": Word(lambda flows: flows.clean),
    "retry_delete": Word(lambda flows: flows.delete_repository, "r", attempts=2),
}
"""``create_other`` makes a repository that nothing touches, ``retry_delete`` is tried again after an error."""

EXISTS: Final = Before("", "create")
ABSENT: Final = Before("absent/", "")
TWO_BRANCHES: Final = Before("two_branches/", "create.create_branch")
BESIDE: Final = Before("", "create.create_other")

EXISTING: Final = """
    delete-create delete-get delete-create_branch delete-delete-create delete-create-get delete-create-create_branch
    delete-create-get_branch delete-create-create delete-create-tag delete-create-list delete-create_bare-create_branch
    tag-tag
"""
CREATED: Final = """
    create-create create-get create-create_branch create-delete create-create_bare create-create-delete
    create-delete-get create-delete-create_branch
"""
"""Races on an id that does not exist."""
CLEANED: Final = "delete-create-clean delete-clean-create_branch delete-create-clean-create_branch"
CREATED_CLEANED: Final = "create-delete-clean"
CROWDS: Final = (
    "delete-delete-create-create delete-delete-create-create_branch-get delete-delete-delete-create-create-get"
)
"""Where it is the size that finds it: four to six clients, without faults."""
IN_PAGES: Final = "delete-create delete-create_branch delete-create-list"
"""Races in which every scan takes one entry at a time, so that writes fall between its batches and it may break. The
id exists, and another one before it."""
PAGED_FAULTS: Final = PAGED | fault("paged-crash", Faults(crashes=1)) | SCAN_FAILURE

ANSWERS_MAX: Final = 3
"""Clients. With more of them the races are searched for what their size finds, and their answers are not judged."""

RETURNS: Final = Refuted(
    "an unacknowledged claim that arrives after the delete brings the entry back: to a `SetIf` nil, what was deleted "
    "was never there",
    "absent/create-delete/late-write",
)
"""Of every variant whose entries vanish and whose claims ask for absence."""


UNSURE: Final = (
    "a `SetIf` that was applied and reported as failed answers `NotUnique`, `BranchExists`, `TagExists` or "
    "`Conflict`: a definite no for what has happened"
)
BROKEN_SCAN: Final = (
    "the scan of the partition breaks when the entry is hidden or gone already, and its definite error is the answer "
    "of the delete"
)
UNSURE_CREATES: Final = (
    "*create/false-predicate *create-*/false-predicate delete-create_bare-create_branch/false-predicate"
)
BROKEN_SCANS: Final = "delete-*/paged-scan-failure"
UNSURE_READS: Final = (
    "delete-create-get/false-predicate delete-create-list/false-predicate absent/create-get/false-predicate "
    "absent/create-delete-get/false-predicate"
)
"""Where a get or a list sees what a create has denied."""
UNSURE_OPERATIONS: Final = (
    "delete-create-create_branch/false-predicate delete-create-get_branch/false-predicate "
    "delete-create-tag/false-predicate absent/create-create_branch/false-predicate "
    "absent/create-delete-create_branch/false-predicate"
)
"""Where an operation in the repository does."""
UNSURE_TAGS: Final = "tag-tag/false-predicate"
"""Where a create of a tag is refused by itself."""
SEEN_SCANS: Final = "delete-create_branch/paged-scan-failure delete-create-list/paged-scan-failure"
FAILED: Final = "failed-call-changed-nothing"


def by_kind(garbage: Refuted, *, branches: str, commits: str = "", tags: str = "") -> dict[str, Refuted]:
    """That garbage cannot be reclaimed, and in which races it is garbage of each kind: of the others it can be."""
    kinds = {"branches-are-reclaimable": branches, "commits-are-reclaimable": commits, "tags-are-reclaimable": tags}
    narrower = {name: Refuted(garbage.reason, races) for name, races in kinds.items() if races}
    return {invariants.garbage_is_reclaimable.id: garbage, **narrower}


@attrs.frozen(kw_only=True)
class RepositoryDesign(Design[RepositoryFlows]):
    """A variant of the repository flows."""

    faults: FaultSet = ONE_FAULT
    blind_create: bool = False
    """Whether create claims the id without having looked: then it is refused by the predicate alone."""
    leaves_garbage: bool = False
    """Whether a delete leaves its entities to a cleaner."""

    vocabulary: ClassVar = WORDS

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """Two deletes, the second as a retry, and one create, two minutes later. Or one run of the cleaner."""
        words = ("delete", "delete", "create")
        free = invariants.ID_BECOMES_REUSABLE, words, invariants.id_becomes_reusable
        reusable = self.after(*free, paged=race.paged, clock_advance=JUMP)
        if self.flows.clean is None or "delete" not in race.words or len(race.clients) > ANSWERS_MAX:
            return [reusable]
        cleaned = lifecycle.SUPERSEDED_IS_CLEANED, ["clean"], lifecycle.superseded_is_cleaned
        return [reusable, self.after(*cleaned, paged=race.paged, clock_advance=JUMP)]

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        made = [self.call(word, Speaker("a", 0)) for word in race.words]
        # Each attempt counts: a retry may delete the next repository.
        kinds = [calls.kind_of(call.name) for call in made for _ in range(call.attempts)]
        exists = "create" in race.before
        creates = sum(kind in invariants.CREATING for kind in kinds)
        deletes = kinds.count(calls.DELETE_REPOSITORY)
        reads = any(kind in invariants.USING for kind in kinds)
        # A delete that is tried again by its caller answers for its last try alone.
        answers = len(race.clients) <= ANSWERS_MAX and all(call.attempts == 1 for call in made)
        arises: dict[Invariant, bool | int] = {
            invariants.active_is_complete: True,
            invariants.no_reachable_zombie: True,
            # A create that looks first is refused by its look. Alone beside an existing repository it never
            # comes to its claim.
            invariants.create_is_unique: creates + exists > 1 and (creates > 1 or self.blind_create),
            invariants.deleted_is_inaccessible: deletes and reads,
            # A successor is hit by a second delete, or by a write of the first one that comes once more.
            invariants.delete_spares_successor: creates
            and (deletes > 1 or (exists and deletes and race.faults.duplicates)),
            invariants.create_is_effective: creates and (deletes or not exists),  # else each create is refused
            invariants.delete_is_effective: deletes,
            lifecycle.some_delete_succeeds: set(race.ops) == {"delete"} and len(race.ops) > 1,
            invariants.list_shows_active_only: calls.LIST_REPOSITORIES in kinds,
            invariants.garbage_is_reclaimable: self.leaves_garbage and (deletes or _abandons(race)),
            # Kind by kind only where all kinds together are refuted: there one kind hides the others.
            **dict.fromkeys(reclamation.OF_A_KIND.values(), invariants.garbage_is_reclaimable.id in refuted),
            invariants.cleaner_spares_live: calls.CLEAN in kinds,
            lifecycle.get_shows_active_only: answers and calls.GET_REPOSITORY in kinds,
            outcomes.failed_call_changed_nothing: answers,
            answers_in_its_terms: answers,
            linearizable(repository(exists=exists)): answers and (reads or calls.LIST_REPOSITORIES in kinds),
        }
        narrower = reclamation.OF_A_KIND
        # The globs of a kind are wider than those of all kinds. By them alone it would be judged where no
        # garbage is left.
        return [each for each, does in arises.items() if does or (each.id in refuted and each.id not in narrower)]


def _abandons(race: Race) -> bool:
    """Whether a claim may be abandoned, and taken over."""
    return race.words.count("create") > 1 and bool(race.faults.crashes and race.faults.clock_jumps)


def everything(design: RepositoryDesign) -> Iterator[Row]:
    """All races of a variant, under all its faults."""
    cleans = design.flows.clean is not None
    faults = design.faults
    yield from rows(design, EXISTING, faults, EXISTS)
    yield from rows(design, CREATED, faults, ABSENT)
    if cleans:
        yield from rows(design, CLEANED, faults, EXISTS)
        yield from rows(design, CREATED_CLEANED, faults, ABSENT)
    # Where it takes a write that comes back, or a client that tries again.
    if faults is ONE_FAULT:
        yield from rows(design, "delete-create", LATE_WRITE, EXISTS)
        yield from rows(design, "create-delete", LATE_WRITE, ABSENT)
    yield from rows(design, "retry_delete-create", LOST, EXISTS)  # an error of the store, for the retry
    yield from rows(design, IN_PAGES + (" delete-clean-create_branch" if cleans else ""), PAGED_FAULTS, BESIDE, paged=1)
    yield from rows(design, CROWDS, NONE, EXISTS)

"""Repositories, one operation after another: by a client alone, and then with faults.

Without faults each answer is exact, and so is what is left. With faults there is no other client to blame: these are
the smallest races in which a flow has to say what has become of it.

Example: what step2 answers to the words of ``old_claim.get.get.create.list.delete.create.clean``, one after the other::

    old_claim    r, of which the creator has confirmed nothing for two minutes: ABANDONED
    get, get     RepositoryDeleting, twice: `Rules.declares` has get say so, and the first one writes it
    create       NotUnique: the entry is still there
    list         ()
    delete       None
    create       another instance of r
    clean        1: the record that the delete has left of the first one
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs import hardened, identifiers, kv3, naive, step1, step2
from lakeproof.designs.designs import HOLDS, Row, Word, recast, rows
from lakeproof.designs.races import (
    CRASH,
    FALSE,
    FAULTY,
    LOST,
    NONE,
    REFUSED,
    SCAN_FAILURE,
    Before,
    FaultSet,
    Race,
    Refuted,
    fault,
)
from lakeproof.designs.repository_designs import FAILED, UNSURE, RepositoryDesign
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RepositoryFlows
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.repositories.records import (
    default_branch,
    initial_commit,
    new_repository,
    write_branch,
    write_commit,
    write_entry,
)
from lakeproof.model import calls, keys
from lakeproof.model.errors import NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.model.identifiers import BranchID, RepositoryID
from lakeproof.model.invariants import Invariant, outcomes, reclamation, refs
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.invariants.alone import (
    ALONE_IS_EXACT,
    alone_is_exact,
    answers_in_its_terms,
    cleaner_goes_on,
    doubt_has_a_reason,
    of_repositories,
)
from lakeproof.model.linearizable import linearizable
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState
from lakeproof.model.repository import entity_branch
from lakeproof.model.repository_specification import CLAIM_LASTS, Leaves, Rules, Standing
from lakeproof.scenario import Aftermath, Faults


async def leave(env: Env, repository_id: RepositoryID, state: RepositoryState, age: int, noted: bool) -> Repository:
    """A repository that was created ``age`` microseconds ago, as it was left by a creator that stopped before its last
    write (INITIAL), or by a delete that stopped after its first write (DELETING), or when the entry was gone (DELETED).
    noted: whether there is a record that leads to the instance."""
    # The age of a claim is that of its creation date.
    repository = new_repository(env, repository_id, await env.clock.now() - age, state)
    # No entry is written with the state DELETED: the specification takes it from the answer, and knows that it is gone.
    if state is not RepositoryState.DELETED:
        await write_entry(env, repository)
    await write_commit(env, uid_partition(repository), initial_commit(repository))
    await write_branch(env, uid_partition(repository), default_branch(env, repository))
    if noted:
        name, uid = repository.repository_id, repository.instance_uid
        record = CleanupRecord(repository_id=name, instance_uid=uid)
        await env.store.set(keys.DELETED, keys.cleanup_key(name, uid), encode(record))  # also a line of `kv3`'s list
    return repository


def branch_at(flows: RepositoryFlows) -> Flow:
    """The create of a branch at a commit that is named."""

    async def create_branch_at(env: Env, repository_id: RepositoryID, branch_id: BranchID, commit_id: str) -> object:
        # Nothing looks whether the commit is there.
        return await flows.create_branch(env, repository_id, branch_id, commit_id=commit_id)

    return create_branch_at


YOUNG: Final = CLAIM_LASTS - 1  # a claim of exactly two minutes is abandoned
"""Microseconds: the oldest claim that is still its creator's."""

OWN_WORDS: Final[Mapping[str, Word[RepositoryFlows]]] = {
    "get_b": Word(lambda flows: flows.get_branch, "r", "b"),
    "delete_b": Word(lambda flows: flows.delete_branch, "r", "b"),
    "delete_main": Word(lambda flows: flows.delete_branch, "r", "main"),
    "claim": Word(lambda _: leave, "r", RepositoryState.INITIAL, YOUNG, False),
    "old_claim": Word(lambda _: leave, "r", RepositoryState.INITIAL, CLAIM_LASTS, False),
    "noted_claim": Word(lambda _: leave, "r", RepositoryState.INITIAL, YOUNG, True),
    "old_noted_claim": Word(lambda _: leave, "r", RepositoryState.INITIAL, CLAIM_LASTS, True),
    "old": Word(lambda _: leave, "r", RepositoryState.ACTIVE, CLAIM_LASTS, False),
    "old_noted": Word(lambda _: leave, "r", RepositoryState.ACTIVE, CLAIM_LASTS, True),
    "branch_at": Word(branch_at, "r", "d", "elsewhere"),
    "half_deleted": Word(lambda _: leave, "r", RepositoryState.DELETING, 0, False),
    "half_emptied": Word(lambda _: leave, "r", RepositoryState.DELETED, 0, True),
}

IN_COMPANY: Final = ("linearizable", "create-is-unique", "delete-spares-successor", "deleted-is-inaccessible")
"""Invariants whose situation takes two clients."""

OF_ENTITIES: Final = ("active-is-complete", "no-reachable-zombie", "head-exists")
"""Invariants whose situation takes a repository that is not bare."""

SETTLED: Final = Before("alone/settled/", "")
"""In front of the calls that are exact although something fails: their flow makes it good."""


@attrs.frozen(kw_only=True)
class AloneDesign(RepositoryDesign):
    """A variant, with what it promises to a client that is alone."""

    rules: Rules

    vocabulary: ClassVar = {**RepositoryDesign.vocabulary, **OWN_WORDS}

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        # The races of `branches`: the repository stays, and only its branch is judged.
        if len(race.clients) > 1:
            branch = entity_branch(exists="create_branch" in race.before)
            return [linearizable(branch), answers_in_its_terms]
        if race.faults == Faults() or race.name.startswith(SETTLED.name):
            return [alone_is_exact(of_repositories(self.rules)), answers_in_its_terms]
        # With a fault answers are not exact: what remains are the promises that need no second client.
        candidates = (*super().invariants(race, refuted), refs.head_exists, doubt_has_a_reason)
        left_out = {
            *IN_COMPANY,
            *reclamation.OF_A_KIND,
            *(() if race.faults.refusals else (outcomes.failed_call_changed_nothing.id,)),
            *(OF_ENTITIES if race.words in (("create_bare",), ("clean",)) else ()),  # no repository, or a bare one
            *(() if race.faults.lost_answers or race.faults.crashes else (invariants.garbage_is_reclaimable.id,)),
        }
        cleaner = [cleaner_goes_on] if "clean" in race.words else []
        # What is refuted is judged in any case: else its glob would match no race that checks it.
        return [*(each for each in candidates if each.id not in left_out - set(refuted)), *cleaner]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return [] if race.faults == Faults() or race.name.startswith(SETTLED.name) else super().aftermath(race)


def alone(design: RepositoryDesign, rules: Rules, refuted: Mapping[str, Refuted] = HOLDS) -> AloneDesign:
    """The design as a client that is alone knows it. refuted: what a fault is enough for."""
    return recast(design, AloneDesign, "", refuted=refuted, rules=rules)


NOTHING_LEFT: Final = Rules()
REFUSES_DELETING: Final = {
    (calls.GET_REPOSITORY, Standing.DELETING): RepositoryDeleting,
    (calls.CREATE_REPOSITORY, Standing.DELETING): NotUnique,
}
BY_STATE: Final = Rules(refuses=REFUSES_DELETING)
REFUSES_CLAIMED: Final = {
    **REFUSES_DELETING,
    (calls.GET_REPOSITORY, Standing.CLAIMED): RepositoryNotFound,
    (calls.GET_REPOSITORY, Standing.ABANDONED): RepositoryDeleting,
    (calls.CREATE_REPOSITORY, Standing.CLAIMED): NotUnique,
    (calls.CREATE_REPOSITORY, Standing.ABANDONED): NotUnique,
}
BY_CLAIM: Final = Rules(leaves=Leaves.A_RECORD, refuses=REFUSES_CLAIMED, declares=frozenset({calls.GET_REPOSITORY}))
THROUGH_GET: Final = attrs.evolve(
    BY_CLAIM, refuses={**REFUSES_CLAIMED, (calls.DELETE_REPOSITORY, Standing.CLAIMED): RepositoryNotFound}
)
"""A delete that begins with `get_repository` answers what get answers."""
DECLARES: Final = attrs.evolve(BY_CLAIM, declares=BY_CLAIM.declares | {calls.CREATE_REPOSITORY})
BY_TOMBSTONE: Final = Rules(
    leaves=Leaves.A_TOMBSTONE,
    refuses={
        (calls.GET_REPOSITORY, Standing.CLAIMED): RepositoryNotFound,
        (calls.GET_REPOSITORY, Standing.ABANDONED): RepositoryNotFound,
        (calls.CREATE_REPOSITORY, Standing.CLAIMED): NotUnique,
    },
    settles=frozenset({calls.DELETE_REPOSITORY}),
)
"""An abandoned claim is free for a create."""

LIVES: Final = """
    create.get.create.create_bare.get_branch.list.delete.delete.get.list
    create_bare.get.create_bare.create.list.delete.create.create_other.list.get_branch
    create.delete.create.get.get_branch.tag.delete.create_bare.list
"""
ENTITY_LIVES: Final = """
    get.delete.get_branch.tag.create_branch.delete_b
    create.create_branch.create_branch.get_b.get_branch.delete_b.get_b.delete_b.delete_main
    create.tag.tag.create_branch.delete.delete.get.get_b.tag
    create_bare.get_branch.create_branch.tag.list create.branch_at.create_branch.tag.list
"""
CLEANED_LIVES: Final = """
    clean.create.tag.clean.delete.clean.clean
    create.create_branch.create_other.delete.create.delete.create.clean.list.clean
"""
OLD: Final = " old.get.create.create_bare.list "
HALF_DELETED: Final = OLD + "half_deleted.get.create.create_bare.list.get_branch.tag.delete.get.create.list"
CLAIMS: Final = """
    claim.get.create.create_bare.list.get_branch.delete.create.clean
    old_claim.get.get.create.list.delete.create.clean
    old_claim.create.get.clean.delete.clean
    old_claim.delete.get.clean.create
"""
NOTED_CLAIMS: Final = """
    noted_claim.get.create.create_bare.list.clean.delete.clean.create.clean
    old_noted_claim.get.create.get.clean.clean old_noted_claim.create_bare.get.clean
    old_noted.get.create.create_bare.list.clean.delete.clean
    old_noted_claim.delete.get.clean.create old_noted_claim.clean.get.delete.create.clean
"""
HALF_EMPTIED: Final = " half_emptied.half_emptied.get.clean.create.clean.list "
ALONE: Final = Before("alone/", "")


def lives(design: AloneDesign, text: str = "") -> Iterator[Row]:
    """What every reading goes through alone, without faults, and more."""
    cleans = CLEANED_LIVES if design.flows.clean is not None else ""
    yield from rows(design, LIVES + cleans + text, NONE, ALONE)


ONE_FAULT: Final = FAULTY | fault("refused-in-doubt", Faults(refusals=1, lost_answers=1, false_predicates=1))
ON_ABSENT: Final = Before("alone/absent/", "")
ON_EXISTING: Final = Before("alone/", "create")


def faulty(design: AloneDesign) -> Iterator[Row]:
    """Single operations with faults."""
    cleans = " delete.clean" if design.rules.leaves is not Leaves.NOTHING else ""
    yield from rows(design, "create create_bare", ONE_FAULT, ON_ABSENT)
    yield from rows(design, "delete create_branch tag get_branch" + cleans, ONE_FAULT, ON_EXISTING)
    yield from rows(design, "delete list" + cleans, SCAN_FAILURE, ON_EXISTING, paged=1)
    if cleans:
        yield from rows(design, "clean", REFUSED | LOST, Before("alone/two/", "create.delete.create.delete"))


def branches(design: AloneDesign, faults: FaultSet = NONE) -> Iterator[Row]:
    """One branch of a repository that stays."""
    yield from rows(design, "create_branch-create_branch create_branch-delete_b-get_b", faults, ON_EXISTING)
    yield from rows(design, "create_branch-delete_b", faults, Before("alone/branch/", "create.create_branch"))


HALF_DONE: Final = (
    f"{UNSURE}; and a refusal in the middle of an operation is handed on as it is, definite, when a part is done"
)
IN_DOUBT: Final = (
    "alone/absent/create/refused-in-doubt alone/absent/create_bare/refused-in-doubt "
    "alone/create_branch/refused-in-doubt"
)
ENTRY_FIRST: Final = Refuted(
    "the entry alone says that a repository exists, and branch and commit are written after it", "alone/absent/create/*"
)
BRANCH_FIRST: Final = Refuted("the branch is written before the commit that it names", "alone/absent/create/*")

NAIVE_ALONE: Final = alone(
    naive.NAIVE,
    NOTHING_LEFT,
    {
        "active-is-complete": Refuted(
            f"{ENTRY_FIRST.reason}; the entities are deleted before it", "alone/absent/create/* alone/delete/*"
        ),
        "head-exists": BRANCH_FIRST,
        FAILED: Refuted(HALF_DONE, IN_DOUBT),
    },
)
ENTRY_FIRST_ALONE: Final = attrs.evolve(
    NAIVE_ALONE, name="repositories/naive-entry-first", options={"delete": {"entry_first": True}}, refuted=HOLDS
)
"""The delete in the other order: the text does not say in which."""
KV3_REFUTED: Final = {
    "active-is-complete": ENTRY_FIRST,
    "head-exists": BRANCH_FIRST,
    FAILED: Refuted(HALF_DONE, f"{IN_DOUBT} alone/delete/refused-in-doubt"),
}
KV3_ALONE: Final = alone(
    kv3.KV3,
    NOTHING_LEFT,
    {
        **KV3_REFUTED,
        "garbage-is-reclaimable": Refuted(
            "with the entry gone nothing leads to the partition", "alone/delete/crash alone/delete/lost-answer"
        ),
    },
)
ENTRY_LAST_ALONE: Final = alone(
    kv3.ENTRY_LAST,
    NOTHING_LEFT,
    {
        ALONE_IS_EXACT: Refuted(
            "a create asks last whether the id is free: one that is refused has written a branch and a commit, and "
            "nothing leads to them",
            "alone/create.get.create.create_bare.* alone/create_bare.get.create_bare.create.*",
        ),
        "head-exists": Refuted(f"{BRANCH_FIRST.reason}; no entry leads to it yet", "alone/absent/create/crash"),
    },
)
LISTED_ALONE: Final = alone(identifiers.LISTED, NOTHING_LEFT, KV3_REFUTED)
STEP1_ALONE: Final = alone(
    step1.STEP1, BY_STATE, {FAILED: Refuted(HALF_DONE, f"{IN_DOUBT} alone/delete/refused-in-doubt")}
)
STEP2_ALONE: Final = alone(
    step2.STEP2,
    BY_CLAIM,
    {
        FAILED: Refuted(
            HALF_DONE,
            "alone/absent/create_bare/refused-in-doubt alone/create_branch/refused-in-doubt "
            "alone/delete/refused-in-doubt alone/delete.clean/refused-in-doubt",
        )
    },
)
HARDENED_ALONE: Final = alone(hardened.HARDENED, BY_TOMBSTONE)

ROWS = [
    *lives(NAIVE_ALONE, OLD + ENTITY_LIVES),
    *lives(ENTRY_FIRST_ALONE),
    *lives(KV3_ALONE, OLD + ENTITY_LIVES),
    *lives(ENTRY_LAST_ALONE),
    *lives(LISTED_ALONE, HALF_EMPTIED),
    *lives(STEP1_ALONE, HALF_DELETED + ENTITY_LIVES),
    *lives(alone(step1.STATE_BY_SET_IF, BY_STATE), HALF_DELETED),
    *lives(alone(identifiers.UID_AFTERWARDS, BY_STATE), HALF_DELETED),
    # What is declared is written, even if nothing follows.
    *lives(STEP2_ALONE, HALF_DELETED + CLAIMS + ENTITY_LIVES + " old_claim.get "),
    *lives(alone(step2.BY_SET_IF, BY_CLAIM), HALF_DELETED + CLAIMS),
    *lives(alone(step2.THROUGH_GET, THROUGH_GET), HALF_DELETED + CLAIMS),
    *lives(alone(step2.DECLARES_FAILED, DECLARES), HALF_DELETED + CLAIMS + " old_claim.create "),
    *lives(HARDENED_ALONE, NOTED_CLAIMS + ENTITY_LIVES),
    *lives(alone(identifiers.BY_TIMESTAMP, BY_STATE)),
    *faulty(NAIVE_ALONE),
    *faulty(KV3_ALONE),
    *faulty(LISTED_ALONE),
    # A delete that ends takes its line off the list: only those that stopped leave work to the collector.
    *rows(LISTED_ALONE, "clean", REFUSED | LOST, Before("alone/two/", "half_emptied.half_emptied")),
    *faulty(STEP1_ALONE),
    *faulty(STEP2_ALONE),
    *faulty(HARDENED_ALONE),
    *rows(HARDENED_ALONE, "create.delete.get.create.create_branch.get_b", LOST | FALSE, SETTLED),
    *rows(HARDENED_ALONE, "create.tag", FALSE, SETTLED),
    *rows(ENTRY_LAST_ALONE, "create", CRASH, ON_ABSENT),
    *branches(NAIVE_ALONE),
    *branches(KV3_ALONE),
    *branches(STEP1_ALONE),
    *branches(STEP2_ALONE),
    *branches(HARDENED_ALONE, NONE | FALSE),
    # A branch that was seen, and deleted, was there before the one that has its name now: its creator is not refused.
    *rows(HARDENED_ALONE, "create_branch-get_b.delete_b.create_branch", FALSE, ON_EXISTING),
]

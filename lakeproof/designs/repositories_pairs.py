"""Every operation on a repository, and every two, and then the cleaner: generated from the vocabulary, with a crash.

A repository has a tag, and one client does one thing, or two, and stops anywhere; or two clients do one thing each, at
once. Then the cleaner runs, or a user takes the name. What a deletion has begun must stay within reach at each of its
steps: of each kind of entity, and the name. Beside them: claims that are ninety seconds old, and those that are older
than the two minutes of the text; and the scan at startup that declares old ones failed.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations_with_replacement, product
from typing import Final

import attrs

from lakeproof.designs import hardened, kv3, naive, step1, step2
from lakeproof.designs.designs import HOLDS, Row, Word, recast, rows
from lakeproof.designs.races import CRASH, NONE, Before, Race, Refuted, jump
from lakeproof.designs.repository_designs import ABSENT, JUMP, RepositoryDesign
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RepositoryFlows
from lakeproof.impl.repositories.errors import Conflict, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.records import scan_entries
from lakeproof.model.invariants import Invariant, lifecycle, reclamation
from lakeproof.model.invariants import repositories as invariants
from lakeproof.scenario import Aftermath

CHANGES: Final = ("create", "create_bare", "delete", "get", "create_branch", "tag", "delete_b")
CREATES: Final = ("create", "create_bare")
LIVED_IN: Final = Before("", "create.tag")


def at_startup(flows: RepositoryFlows) -> Flow:
    """The "designated scan at startup": each repository is looked at, as any access would."""

    async def scan_at_startup(env: Env, *, batch_size: int = 0, **reading: Hashable) -> None:
        async for entry in scan_entries(env, batch_size):
            # What becomes of one repository does not stop the scan.
            with suppress(RepositoryNotFound, RepositoryDeleting, Conflict):
                await flows.get_repository(env, entry.repository_id, **reading)

    return scan_at_startup


WORDS: Final[Mapping[str, Word[RepositoryFlows]]] = {
    "delete_b": Word(lambda flows: flows.delete_branch, "r", "b"),
    "startup": Word(at_startup),
}


@attrs.frozen(kw_only=True)
class PairsDesign(RepositoryDesign):
    """A variant of which every pair is searched."""

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words, deletes = race.words, "delete" in race.words
        arises: dict[Invariant, bool] = {
            invariants.no_reachable_zombie: True,
            invariants.delete_is_effective: deletes,
            invariants.cleaner_spares_live: deletes and "clean" in words,
            reclamation.deletion_leaves_a_lead: deletes,
            **dict.fromkeys(reclamation.OF_A_KIND.values(), True),
        }
        return [invariant for invariant, does in arises.items() if does]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        found = []
        if not set(CREATES) & set(race.words):
            free = reclamation.NAME_IS_NOT_BLOCKED, ["create"], reclamation.name_is_not_blocked
            found.append(self.after(*free, clock_advance=JUMP))
        if self.flows.clean is not None and "delete" in race.words:
            cleaned = lifecycle.SUPERSEDED_IS_CLEANED, ["clean"], lifecycle.superseded_is_cleaned
            found.append(self.after(*cleaned, clock_advance=JUMP))
        return found


def _of(
    design: RepositoryDesign, kind: type[RepositoryDesign], name: str, refuted: Mapping[str, Refuted]
) -> RepositoryDesign:
    # The scan gets each repository, in the reading that the design has of a get.
    options = {**design.options, **({"startup": design.options["get"]} if "get" in design.options else {})}
    words = {**WORDS, **design.words}
    return recast(design, kind, f"-{name}", refuted=refuted, words=words, options=options)


def pairs(design: RepositoryDesign, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    """Each change, each two by one client, and each two at once by two clients; and the cleaner, if there is one."""
    one = _of(design, PairsDesign, "pairs", refuted)
    cleans = ".clean" if one.flows.clean is not None else ""
    sequences = [*CHANGES, *(f"{first}.{second}" for first, second in product(CHANGES, repeat=2))]
    yield from rows(one, " ".join(f"{words}{cleans}" for words in sequences), CRASH, LIVED_IN)
    two = (f"{first}-{second}" for first, second in combinations_with_replacement(CHANGES, 2))
    yield from rows(one, " ".join(f"{words}{cleans}" for words in two), NONE, LIVED_IN)


@attrs.frozen(kw_only=True)
class ClaimsDesign(RepositoryDesign):
    """A variant whose claims last."""

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [invariants.create_is_effective, reclamation.claim_lasts_two_minutes]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return []


TOO_YOUNG: Final = 90_000_000
"""Microseconds: less than the two minutes of a claim."""
TIMES: Final = jump(TOO_YOUNG, "ninety-seconds") | jump(JUMP)


def claims(design: RepositoryDesign, words: str, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    """A create beside others, while time passes."""
    one = _of(design, ClaimsDesign, "claims", refuted)
    yield from rows(one, " ".join(f"create-{word}" for word in words.split()), TIMES, ABSENT)


DELETING: Final = "delete/crash delete.*/crash *.delete/crash"
BRANCHES, COMMITS, TAGS = reclamation.OF_A_KIND  # the ids
LEADS: Final = reclamation.deletion_leaves_a_lead.id
LATER: Final = (
    "a writer that has read the entry before writes when the delete has emptied the partition, and nothing leads there"
)
OVERTAKEN: Final = {
    BRANCHES: Refuted(LATER, "delete-create_branch"),
    TAGS: Refuted(LATER, "delete-tag"),
    LEADS: Refuted(LATER, "delete-create_branch delete-tag"),
}
ENTRY_FIRST: Final = Refuted("the entry goes first, and nothing else leads to the partition", DELETING)
LEADERLESS: Final = {
    LEADS: ENTRY_FIRST.but(also="delete-* create-delete create_bare-delete"),
    BRANCHES: ENTRY_FIRST.but(also="delete-create_branch", reason=LATER),
    COMMITS: ENTRY_FIRST,
    TAGS: ENTRY_FIRST.but(also="delete-tag", reason=LATER),
}
HANGING: Final = Refuted("a create writes branch and commit first, and its entry last", "delete.create/crash")
OF_STEP1: Final = {**OVERTAKEN, BRANCHES: HANGING.but(also="delete-create_branch", reason=LATER), COMMITS: HANGING}
BLOCKED: Final = Refuted("the entry stays, `deleting`, until a delete is repeated", DELETING)
BLOCKED_CLEANED: Final = Refuted(
    '"so if the deletion operation fails or takes a long time, the `RepositoryID` is not being blocked": a delete that '
    "stops before its last step leaves the entry, `deleting`, and neither a create nor the cleaner touches it",
    "delete.clean/crash delete.*.clean/crash *.delete.clean/crash",
)
DECLARED: Final = Refuted(
    "an access that finds a claim older than two minutes declares the repository failed, by a blind `set`, when it is "
    "active already",
    "absent/create-*/clock-jump",
)
NAME: Final = reclamation.NAME_IS_NOT_BLOCKED.id

ROWS = [
    *pairs(naive.NAIVE, OVERTAKEN),
    *pairs(kv3.KV3, LEADERLESS),
    *pairs(step1.STEP1, {NAME: BLOCKED, **OF_STEP1}),
    *pairs(step2.STEP2, {NAME: BLOCKED_CLEANED}),
    *pairs(step2.BY_SET_IF, {NAME: BLOCKED_CLEANED}),
    *pairs(hardened.HARDENED),
    *claims(step2.STEP2, "get create_branch startup", {invariants.create_is_effective.id: DECLARED}),
    *claims(step2.BY_SET_IF, "get create_branch startup"),
    *claims(hardened.HARDENED, "create create_bare clean"),
]

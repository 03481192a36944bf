"""What lakeFS has beside its branches: the open design of compaction, weak ownership, the repository cache."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import attrs

from lakefs_today import cache, compaction, flows, ownership, promises
from lakefs_today.scenarios.words import RAW, UpstreamDesign
from lakeproof.designs.branch_designs import BRANCH, WRITTEN
from lakeproof.designs.designs import HOLDS, Word, rows, variant
from lakeproof.designs.races import CRASH, FALSE, NONE, Race, Refuted, jump
from lakeproof.designs.repository_designs import EXISTS, RepositoryDesign
from lakeproof.impl.flows import BranchFlows
from lakeproof.model.invariants import Invariant

INACCESSIBLE: Final = promises.answer_is_of_living_repository.id

WORDS: Final[Mapping[str, Word[BranchFlows]]] = {
    "compact": Word(lambda _: compaction.compact, BRANCH),
    "hold": Word(lambda _: ownership.hold_branch, BRANCH, "one"),
    "refresh": Word(lambda _: ownership.refresh_branch, BRANCH, "one"),
}


@attrs.frozen(kw_only=True)
class OwnedDesign(UpstreamDesign):
    """Branches with owners."""

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        held = [promises.released_branch_is_free] if "hold" in race.words else []
        return [*super().invariants(race, refuted), *held]


COMPACTED: Final = UpstreamDesign(
    name="compaction/upstream",
    flows=attrs.evolve(flows.FLOWS, get_entry=compaction.get_entry, delete_entry=compaction.delete_entry),
    source="lakeFS design/open/staging-compaction.md, and pkg/graveler/graveler.go",
    refuted={
        "read-is-legal": Refuted(
            "a delete trusts a tombstone that the compactor has not seen, or misses an entry that goes from a token to "
            "the compaction meanwhile; and so does a read",
            "compact-delete.read compact.sweep-delete.read compact.sweep-read",
        )
    },
    words=WORDS,
    options={},
)
CAREFUL: Final = variant(
    COMPACTED,
    "careful",
    HOLDS,
    None,
    " (ours: reads look again, deletes trust no sealed token)",
    rereads=True,
    careful=True,
)
OWNED: Final = OwnedDesign(
    name="ownership/upstream",
    flows=attrs.evolve(flows.FLOWS, commit=ownership.commit),
    source="lakeFS pkg/distributed/mc_owner.go and pkg/graveler/ref/manager.go, BranchUpdate",
    refuted={
        "released-branch-is-free": Refuted(
            "the own refresh comes between the two steps of a release, which takes it for another owner; and a SetIf "
            "that was applied and reported as failed has no owner that knows of it",
            "hold-refresh*",
        )
    },
    words=WORDS,
)
INSISTS: Final = OwnedDesign(
    name="ownership/upstream-insists",
    flows=OWNED.flows,
    source=OWNED.source + " (ours: a release that is beaten looks again)",
    refuted=HOLDS,
    words=WORDS,
    options={**RAW, "hold": {"insists": True}},
)


@attrs.frozen(kw_only=True)
class CachedDesign(RepositoryDesign):
    """Repositories behind a cache: what a call returns shows what it has found."""

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        asked = [
            each for each in super().invariants(race, refuted) if each.id not in (INACCESSIBLE, "create-is-unique")
        ]
        return [*asked, promises.answer_is_of_living_repository]


CACHED: Final = CachedDesign(
    name="repositories/upstream-cached",
    flows=cache.FLOWS,
    source="lakeFS pkg/graveler/ref/manager.go, GetRepository",
    refuted={
        "linearizable": Refuted("it is read after it was deleted", "get-delete.get*"),
        INACCESSIBLE: Refuted(
            "a server answers from what it knew some seconds ago; neither a delete nor a create tells it",
            "get-delete.get* get-delete.create.get*",
        ),
    },
    blind_create=True,
)

ASKED: Final = "head-exists token-has-one-owner read-is-legal"
LATER: Final = jump(2_000_000)
MOMENTS: Final = jump(6_000_000, "six-seconds-later")

ROWS = [
    *rows(COMPACTED, "compact-delete.read compact.sweep-delete.read", NONE, WRITTEN, only=ASKED),
    *rows(COMPACTED, "compact.sweep-read compact-write.read", NONE, WRITTEN, only=ASKED),
    *rows(CAREFUL, "compact-delete.read compact.sweep-delete.read", NONE, WRITTEN, only=ASKED),
    *rows(CAREFUL, "compact.sweep-read", NONE, WRITTEN, only=ASKED),
    *rows(OWNED, "commit-commit", NONE, WRITTEN),
    *rows(OWNED, "commit-commit", CRASH | LATER, WRITTEN, deep=True),
    *rows(OWNED, "hold-refresh", NONE | FALSE),
    *rows(INSISTS, "hold-refresh", NONE | FALSE),
    *rows(CACHED, "get-delete.get get-delete.create_branch get-delete.create.get", NONE | MOMENTS, EXISTS),
]

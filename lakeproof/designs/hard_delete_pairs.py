"""Every operation of a proposal, and every two, and then its background job: generated from the vocabulary.

A race that is picked shows what its author thought of. Here no operation is left out: each, and each two one after
the other by one client, in a repository that has staged and committed objects on two branches that have parted. Then
the job runs after its grace time, and all that is shown must exist. Of the proposals that hold in company, also each
two at once by two clients. The pairs of readings that are refuted anyway are deep.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Final

import attrs

from lakeproof.designs import hard_delete_no_copies as no_copies
from lakeproof.designs import hard_delete_object_path as object_path
from lakeproof.designs import hard_delete_offline as offline
from lakeproof.designs import hard_delete_online as online
from lakeproof.designs import hard_delete_reference_counter as counter
from lakeproof.designs import hard_delete_reference_tracking as tracking
from lakeproof.designs import hard_delete_token_states as tokens
from lakeproof.designs._hard_delete import COMMITTED, ObjectDesign
from lakeproof.designs.designs import HOLDS, Row, recast, rows
from lakeproof.designs.hard_delete_alone import KEPT, LOSES_COMMITTED, LOSES_SHARED, existence_checks
from lakeproof.designs.races import NONE, Before, Race, Refuted
from lakeproof.model.invariants import Invariant, data
from lakeproof.scenario import Aftermath

CALLS: Final = (
    *("upload", "link", "stage", "copy", "move", "delete", "reset", "reset_entry", "reset_prefix"),
    *("create_branch", "delete_branch", "commit", "merge"),
)

LIVED_IN: Final = Before("", "upload:y.commit.upload.upload@main.commit@main")
"""Branch b: y is committed and x is staged. Branch main: another x is committed, so that the two
have parted."""


LOST_COUNT: Final = Refuted(LOSES_COMMITTED, "commit.move commit.delete")
SHARED: Final = Refuted(
    LOSES_SHARED,
    "move upload.move link.move stage.move copy.move create_branch.move move.upload move.link move.stage move.copy "
    "move.move move.delete move.create_branch stage.upload stage.delete copy.upload copy.delete",
)

ALL_DATA: Final = (data.committed_data_is_kept, data.committed_data_is_unchanged)


@attrs.frozen(kw_only=True)
class PairsDesign(ObjectDesign):
    """A proposal of which every pair is searched. Only what is lost counts: its garbage is judged in its own races."""

    judged: ObjectDesign

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        # Also where neither call commits: the setup has committed objects, which any call might delete.
        return ALL_DATA

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return existence_checks(self.judged.aftermath(race))


def operations(design: ObjectDesign) -> list[str]:
    """The words of a design for calls that a user makes and that change something, its job left out."""
    # The flow of a word is None where the proposal lacks it, as ``merge``.
    words = {name for name, word in design.known.items() if word.flow(design.flows) is not None}
    return [word for word in CALLS if word in words]


def pairs(
    design: ObjectDesign, refuted: Mapping[str, Refuted] = HOLDS, *, deep: bool = True, at_once: bool = False
) -> Iterator[Row]:
    """Each operation, and each two by one client; at_once: also each two by two clients (deep)."""
    one = recast(design, PairsDesign, "-pairs", refuted=refuted, judged=design)
    names = operations(one)
    in_turn = (f"{first}.{second}" for first, second in product(names, repeat=2))
    yield from rows(one, " ".join(names), NONE, LIVED_IN)
    yield from rows(one, " ".join(in_turn), NONE, LIVED_IN, deep=deep)
    if at_once:
        two = (f"{first}-{second}" for first, second in combinations_with_replacement(names, 2))
        yield from rows(one, " ".join(two), NONE, LIVED_IN, deep=True)


ROWS = [
    *pairs(object_path.PATH),
    *pairs(object_path.IMMUTABLE, at_once=True),
    *pairs(counter.TEXT, {COMMITTED: LOST_COUNT, KEPT: LOST_COUNT}),
    *pairs(counter.CAREFUL, deep=False, at_once=True),
    *pairs(counter.UNSTAGED, at_once=True),
    *pairs(tracking.TEXT, {KEPT: SHARED}),
    *pairs(tokens.TEXT),
    *pairs(tokens.MENDED, deep=False, at_once=True),
    *pairs(no_copies.TEXT),
    *pairs(no_copies.CAREFUL, deep=False, at_once=True),
    *pairs(offline.OFFLINE),
    *pairs(offline.MENDED, deep=False, at_once=True),
    *pairs(online.ONLINE, deep=False),
    *pairs(online.UNTIMED, at_once=True),
]

"""Designs in which each entry has an object of its own, and what is asked of them in the end.

While a move is under way two entries have one address, both locked: in races with moves that is asked only in the end.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import EntryLocked
from lakeproof.model.invariants import Finding, Reached, Violation, data
from lakeproof.model.snapshot import Outcome, Snapshot
from lakeproof.scenario import Aftermath, Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from lakeproof.scenarios._hard_delete import ObjectDesign, moves
from lakeproof.scenarios.races import Race

ENDS_WITH_ONE: Final = "address-ends-with-one-entry"
USABLE: Final = "entry-stays-usable"


def _ends_with_one(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    found: list[Finding] = []
    for each in data.address_has_one_entry.check(snapshot):
        if isinstance(each, Violation):
            found.append(attrs.evolve(each, invariant=ENDS_WITH_ONE))
        else:
            found.append(each)
    return found


def _stays_usable(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    for outcome in outcomes:
        if isinstance(outcome.error, EntryLocked):
            return [Violation(USABLE, f"nobody is there any more, and an operation is refused: {outcome.error!r}")]
    return [Reached("nothing is locked")]


AT_THE_END: Final = Aftermath(
    id=ENDS_WITH_ONE, meaning="at quiescence, no two live entries share an address", calls=[], check=_ends_with_one
)


@attrs.frozen(kw_only=True)
class OneEntryDesign(ObjectDesign):
    """A proposal in which no two live entries share an address."""

    one_entry: bool = True

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        settles = moves(race) and not {"drop", "reset"} & set(race.words)
        return [*super().aftermath(race), *([AT_THE_END] if settles else [])]


def stays_usable(design: OneEntryDesign, lease: int = 0) -> Aftermath:
    """An upload and a delete, after locks with a time have run out."""
    return Aftermath(
        id=USABLE,
        meaning="at quiescence, an entry can be overwritten and deleted",
        calls=[
            Call(design.flows.upload_object, REPOSITORY, BRANCH, X, b"z0"),
            Call(design.flows.delete_object, REPOSITORY, BRANCH, X),
        ],
        check=_stays_usable,
        clock_advance=2 * (lease + 1),
    )

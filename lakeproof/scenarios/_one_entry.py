"""Races over entries that each have an object of their own, and what is asked of them in the end.

While a move is under way two entries have one address, both locked: in races with moves that is asked only in the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import EntryLocked
from lakeproof.model.invariants import Finding, Reached, Violation, data
from lakeproof.model.snapshot import Outcome, Snapshot
from lakeproof.scenario import Aftermath, Call, Faults, Scenario
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from lakeproof.scenarios._hard_delete import Variant, scenario

NONE: Final = {"": Faults()}
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
    id=ENDS_WITH_ONE,
    meaning="at quiescence, no two live entries share an address",
    calls=[],
    check=_ends_with_one,
)


def stays_usable(variant: Variant, lease: int = 0) -> Aftermath:
    """An upload and a delete, after locks with a time have run out."""
    return Aftermath(
        id=USABLE,
        meaning="at quiescence, an entry can be overwritten and deleted",
        calls=[
            Call(variant.flows.upload_object, REPOSITORY, BRANCH, X, b"z0"),
            Call(variant.flows.delete_object, REPOSITORY, BRANCH, X),
        ],
        check=_stays_usable,
        clock_advance=2 * (lease + 1),
    )


def race(
    variant: Variant,
    words: str,
    faults: Mapping[str, Faults] = NONE,
    *,
    initially: str = "",
    under: str = "",
    name: str = "",
    after: Sequence[Aftermath] = (),
    deep: bool = False,
) -> Iterator[Scenario]:
    """A race under each of these faults, with what is asked in its end. initially: words of what happened before."""
    moves = "move" in words
    settles = moves and not {"drop", "reset"} & set(words.replace(".", "-").split("-"))
    asked = [*([AT_THE_END] if settles else []), *after]
    for suffix, budget in faults.items():
        found = scenario(
            attrs.evolve(variant, one_entry=not moves),
            words,
            budget,
            suffix=suffix,
            initially=[word for word in initially.split(".") if word],
            name=name or under + words,
            deep=deep,
        )
        called = found.name.removeprefix(f"{variant.name}/")
        more = {each.id: variant.refuted[each.id].reason for each in asked if _refuted(variant, each.id, called)}
        yield attrs.evolve(
            found,
            aftermath=[*found.aftermath, *asked],
            expect={**found.expect, **dict.fromkeys(more, "violated")},
            reason="; ".join([*([found.reason] if found.reason else []), *(f"{i}: {why}" for i, why in more.items())]),
        )


def _refuted(variant: Variant, invariant_id: str, called: str) -> bool:
    refuted = variant.refuted.get(invariant_id)
    return refuted is not None and any(fnmatchcase(called, pattern) for pattern in refuted.races)


def races(
    variant: Variant,
    words: Sequence[str],
    faults: Mapping[str, Faults] = NONE,
    *,
    initially: str = "",
    under: str = "",
    deep: bool = False,
) -> Iterator[Scenario]:
    """Several of them."""
    for each in words:
        yield from race(variant, each, faults, initially=initially, under=under, deep=deep)


def staged(
    variant: Variant, words: Sequence[str], faults: Mapping[str, Faults] = NONE, *, deep: bool = False
) -> Iterator[Scenario]:
    """Races after one upload, alone."""
    return races(variant, words, faults, initially="upload", under="staged/", deep=deep)

"""The life cycle of one repository id, as scenarios: what is common to all variants.

A variant says which flows it has and what is known to be refuted; the races, their faults and the invariants that
can be exercised in each are the same for all.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Final

import attrs

from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants import repositories as invariants
from lakeproof.scenario import Aftermath, Call, Faults, Scenario

JUMP: Final = 121_000_000
"""Microseconds: just over the two minutes after which an ``initial`` repository counts as failed."""

FAULTS: Final[Mapping[str, Faults]] = {
    "": Faults(),
    "/crash": Faults(crashes=1),
    "/lost-answer": Faults(lost_answers=1),
    "/false-predicate": Faults(false_predicates=1),
    "/clock-jump": Faults(clock_jumps=(JUMP,)),
}
"""Every race also with one fault of each of these kinds."""

MORE_FAULTS: Final[Mapping[str, Faults]] = {
    **FAULTS,
    "/refusal": Faults(refusals=1),
    "/late-write": Faults(lost_answers=1, duplicates=1),
    "/crash-and-lost-answer": Faults(crashes=1, lost_answers=1),
    "/clock-jump-and-skew": Faults(clock_jumps=(JUMP,), clock_skew=(JUMP, 0, -JUMP)),
}
"""What a variant that claims to hold must stand."""

OPERATIONS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "create": ("create_repository", ("r",)),
    "bare": ("create_bare_repository", ("r",)),
    "delete": ("delete_repository", ("r",)),
    "get": ("get_repository", ("r",)),
    "list": ("list_repositories", ()),
    "branch": ("create_branch", ("r", "b")),
    "unbranch": ("delete_branch", ("r", "b")),
    "look": ("get_branch", ("r", "main")),
    "tag": ("create_tag", ("r", "t")),
    "clean": ("clean", ()),
    "retry": ("delete_repository", ("r",)),
}
"""The words of which races are named: one client each. ``retry`` is a delete that is tried again after an error."""

RETRIES: Final = 2
"""How often a client tries that retries."""

EXISTING: Final = (
    "delete-create",
    "delete-get",
    "delete-branch",
    "delete-delete-create",
    "delete-create-get",
    "delete-create-branch",
    "delete-create-look",
    "delete-create-create",
    "delete-create-tag",
    "delete-create-list",
    "delete-bare-branch",
)
"""Races on an id that exists."""

ABSENT: Final = (
    "create-create",
    "create-get",
    "create-branch",
    "create-delete",
    "create-bare",
    "create-create-delete",
    "create-delete-get",
    "create-delete-branch",
)
"""Races on an id that does not exist."""

CLEANING: Final[Sequence[tuple[str, bool]]] = (
    ("delete-create-clean", True),
    ("delete-clean-branch", True),
    ("delete-create-clean-branch", True),
    ("create-delete-clean", False),
)
"""Races with the cleaner: (race, id exists)."""

CROWDS: Final = (
    "delete-delete-create-create",
    "delete-delete-create-branch-get",
    "delete-delete-delete-create-create-get",
)
"""Where it is the size that finds it: four to six clients, without faults."""


PAGED: Final = ("delete-create", "delete-branch", "delete-create-list", "delete-clean-branch")
"""Races in which every scan takes one entry at a time, so that writes fall between its batches and it may break. The
id exists, and another one before it."""

PAGED_FAULTS: Final[Mapping[str, Faults]] = {
    "/paged": Faults(),
    "/paged-crash": Faults(crashes=1),
    "/paged-scan-failure": Faults(scan_failures=1),
}

UNACKNOWLEDGED: Final[Sequence[tuple[str, bool, str, Faults]]] = (
    ("delete-create", True, "/late-write", MORE_FAULTS["/late-write"]),
    ("create-delete", False, "/late-write", MORE_FAULTS["/late-write"]),
    ("retry-create", True, "/lost-answer", FAULTS["/lost-answer"]),
)
"""Where it takes a write that comes back, or a client that tries again: (race, id exists, suffix, faults)."""


@attrs.frozen
class Refuted:
    """Why an invariant does not hold, and in which races: patterns over names without the variant."""

    reason: str
    races: tuple[str, ...]


RETURNS: Final = Refuted(
    "an unacknowledged claim that arrives after the delete brings the entry back: to a `SetIf` nil, what was deleted "
    "was never there",
    ("absent/create-delete/late-write",),
)
"""Of every variant whose entries vanish and whose claims ask for absence."""


@attrs.frozen(kw_only=True)
class Variant:
    """A variant of the repository flows, as the catalogue sees it."""

    name: str
    flows: ModuleType
    source: str
    refuted: Mapping[str, Refuted]
    options: Mapping[str, Mapping[str, object]] = attrs.field(factory=dict)
    """By flow name: the reading of the text that this variant takes."""
    faults: Mapping[str, Faults] = FAULTS
    blind_create: bool = False
    """Whether create claims the id without having looked: then it is refused by the predicate alone."""
    leaves_garbage: bool = False
    """Whether a delete leaves its entities to a cleaner."""


def scenarios(variant: Variant, *, races: Sequence[str] | None = None) -> Iterator[Scenario]:
    """All scenarios of a variant; or only those of some races (by name, "absent/" where the id does not exist)."""
    existing = [(race, True) for race in EXISTING]
    absent = [(race, False) for race in ABSENT]
    cleaning = CLEANING if hasattr(variant.flows, "clean") else ()
    chosen = (
        [*existing, *absent, *cleaning]
        if races is None
        else [(race.removeprefix("absent/"), not race.startswith("absent/")) for race in races]
    )
    for race, exists in chosen:
        for suffix, faults in variant.faults.items():
            yield scenario(variant, race, faults, exists=exists, suffix=suffix)
    if races is None:
        for race, exists, suffix, faults in UNACKNOWLEDGED:
            if race.startswith("retry") or suffix not in variant.faults:
                yield scenario(variant, race, faults, exists=exists, suffix=suffix)
        for race in PAGED:
            if "clean" not in race or hasattr(variant.flows, "clean"):
                for suffix, faults in PAGED_FAULTS.items():
                    yield scenario(paged(variant), race, faults, exists=True, suffix=suffix, before=("a",))
        for race in CROWDS:
            yield scenario(variant, race, Faults(), exists=True)


def scenario(
    variant: Variant,
    race: str,
    faults: Faults,
    *,
    exists: bool,
    suffix: str = "",
    clients: Sequence[Sequence[Call]] | None = None,
    before: Sequence[str] = (),
) -> Scenario:
    """One race of a variant under some faults. ``clients`` where the words of the race do not say it all; ``before``:
    ids of bare repositories that nobody touches."""
    name = ("" if exists else "absent/") + race + suffix
    calls = clients if clients is not None else [[call(variant, word)] for word in race.split("-")]
    setup = [call(variant, "create")] if exists else []
    setup += [Call(variant.flows.create_bare_repository, other) for other in before]
    tries = [each.name for client in calls for each in client for _ in range(each.attempts)]
    expect = {
        invariant_id: "violated"
        for invariant_id, refuted in variant.refuted.items()
        if any(fnmatchcase(name, pattern) for pattern in refuted.races)
    }
    return Scenario(
        name=f"repositories/{variant.name}/{name}",
        setup=setup,
        clients=calls,
        invariants=exercised(variant, tries, exists=exists, expect=expect),
        aftermath=[id_becomes_reusable(variant)],
        faults=faults,
        expect=expect,
        reason="; ".join(f"{i}: {variant.refuted[i].reason}" for i in expect),
        source=variant.source,
    )


def call(variant: Variant, word: str) -> Call:
    """The call that a word of a race stands for, in the variant's reading."""
    name, args = OPERATIONS[word]
    attempts = RETRIES if word == "retry" else 1
    return Call(getattr(variant.flows, name), *args, attempts=attempts, **variant.options.get(name, {}))


def paged(variant: Variant) -> Variant:
    """The variant with scans that take one entry at a time."""
    options = {name: dict(chosen) for name, chosen in variant.options.items()}
    for name, _ in OPERATIONS.values():
        flow = getattr(variant.flows, name, None)
        if flow is not None and "batch_size" in inspect.signature(flow).parameters:
            options.setdefault(name, {})["batch_size"] = 1
    return attrs.evolve(variant, options=options)


def id_becomes_reusable(variant: Variant) -> Aftermath:
    """Two deletes, the second as a retry, and one create, two minutes later."""
    return Aftermath(
        id=invariants.ID_BECOMES_REUSABLE,
        meaning=invariants.ID_BECOMES_REUSABLE_MEANING,
        calls=[call(variant, "delete"), call(variant, "delete"), call(variant, "create")],
        check=invariants.id_becomes_reusable,
        clock_advance=JUMP,
    )


def exercised(variant: Variant, names: Sequence[str], *, exists: bool, expect: Mapping[str, str]) -> list[Invariant]:
    """The invariants whose situation arises when calls of these names race, and those that are refuted there."""
    creates = sum(name in invariants.CREATES for name in names)
    deletes = names.count(invariants.DELETE)
    reads = any(name in invariants.REACHING for name in names)
    arises: dict[Invariant, bool | int] = {
        invariants.active_is_complete: True,
        invariants.no_reachable_zombie: True,
        invariants.create_is_unique: creates + exists > 1 and (creates > 1 or variant.blind_create),
        invariants.deleted_is_inaccessible: deletes and reads,
        invariants.delete_spares_successor: deletes > 1 and creates,
        invariants.create_is_effective: creates and (deletes or not exists),
        invariants.delete_is_effective: deletes,
        invariants.list_shows_active_only: "list_repositories" in names,
        invariants.garbage_is_reclaimable: variant.leaves_garbage and deletes,
        invariants.cleaner_spares_live: "clean" in names,
    }
    return [invariant for invariant, does in arises.items() if does or invariant.id in expect]

"""Uploads, copies, deletes, commits, resets and background jobs at once: what is common to all proposals.

A race is named by its clients, joined by "-"; a client that does several things one after the other joins them by ".".
Every proposal is a module of flows with the names and arguments of `lakeproof.impl.catalog.objects`, and
``background_job`` where it has one.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Final

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.graveler import founding
from lakeproof.impl.refs import branches
from lakeproof.model.invariants import Invariant, data
from lakeproof.scenario import Aftermath, Call, Faults, Flow, Scenario
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._life_cycle import Refuted

Z: Final = b"z"
MAIN: Final = REPOSITORY.default_branch_id
OUTSIDE: Final = "ext://brought/o"
"""An address of an object that lakeFS does not own."""

FAULTS: Final[Mapping[str, Faults]] = {
    "": Faults(),
    "/crash": Faults(crashes=1),
    "/lost-answer": Faults(lost_answers=1),
    "/false-predicate": Faults(false_predicates=1),
}
PAGED: Final[Mapping[str, Faults]] = {"/paged": Faults()}

WORDS: Final[Mapping[str, tuple[str, tuple[Hashable, ...]]]] = {
    "upload": ("upload_object", (BRANCH, X)),
    "uploady": ("upload_object", (BRANCH, Y)),
    "uploadmain": ("upload_object", (MAIN, X)),
    "link": ("upload_and_link", (BRANCH, X)),
    "stage": ("stage_again", (BRANCH, Y, X)),
    "bring": ("stage_object", (BRANCH, X, OUTSIDE, b"o")),
    "copy": ("copy_object", (BRANCH, Y, BRANCH, X)),
    "copyback": ("copy_object", (BRANCH, X, BRANCH, Y)),
    "copymain": ("copy_object", (MAIN, X, BRANCH, X)),
    "move": ("move_object", (BRANCH, X, Y)),
    "movez": ("move_object", (BRANCH, X, Z)),
    "delete": ("delete_object", (BRANCH, X)),
    "deletey": ("delete_object", (BRANCH, Y)),
    "reset": ("reset_branch", (BRANCH,)),
    "drop": ("delete_branch", (BRANCH,)),
    "commit": ("commit", (BRANCH,)),
    "commitmain": ("commit", (MAIN,)),
    "read": ("read_object", (BRANCH, X)),
    "job": ("background_job", ()),
}
"""The words of which races are made: the flow and its arguments. An upload adds its content, a commit its message."""

ADDING: Final = ("upload", "uploady", "uploadmain", "link", "stage", "copy", "copyback", "copymain", "move", "movez")


@attrs.frozen(kw_only=True)
class Variant:
    """A proposal in one reading, as the catalogue sees it."""

    name: str  # hard-delete/proposal
    flows: ModuleType | SimpleNamespace
    source: str
    options: Mapping[str, Mapping[str, Hashable]] = attrs.field(factory=dict)
    """By word: what this reading does in its own way."""
    words: Mapping[str, tuple[str, tuple[Hashable, ...]]] = attrs.field(factory=dict)
    """Words of its own, beside `WORDS`."""
    refuted: Mapping[str, Refuted] = attrs.field(factory=dict)
    one_entry: bool = False
    """Whether the design forbids that two live entries share an address."""
    grace: int = 0
    """Microseconds after which the background job may do its work."""
    before_jobs: Sequence[str] = ()
    """Words of what must have been said before the background job can do all its work, whatever comes of it."""
    jobs: int = 1
    """How many runs of the job may pass until all garbage is gone."""


def scenario(
    variant: Variant,
    race: str,
    faults: Faults | None = None,
    *,
    suffix: str = "",
    paged: int = 0,
    initially: Sequence[str] = (),
    only: Sequence[str] | None = None,
    deep: bool = False,
    name: str = "",
) -> Scenario:
    """One race of a proposal under some faults.

    paged: rows per page of every scan and listing; 0: one page. initially: words of what happened before, alone. only:
    the ids of the invariants to check. name: what to call it instead of ``race``, where the design names it.
    """
    clients = [client.split(".") for client in race.split("-")]
    called = (name or race) + suffix
    expect = {
        invariant_id: "violated"
        for invariant_id, refuted in variant.refuted.items()
        if any(fnmatchcase(called, pattern) for pattern in refuted.races)
    }
    checked = _invariants(variant, clients, initially)
    aftermath = [_reclaimed(variant)]
    if only is not None:
        checked = [each for each in checked if each.id in only]
        aftermath = [each for each in aftermath if each.id in only]
    known = {each.id for each in checked} | {each.id for each in aftermath}
    expect = {invariant_id: verdict for invariant_id, verdict in expect.items() if invariant_id in known}
    return Scenario(
        name=f"{variant.name}/{called}",
        setup=[
            Call(founding.found, REPOSITORY),
            Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
            *(_call(variant, word, "s", position, 0) for position, word in enumerate(initially)),
        ],
        clients=[
            [_call(variant, word, "abcdefgh"[client], position, paged) for position, word in enumerate(words)]
            for client, words in enumerate(clients)
        ],
        invariants=checked,
        aftermath=aftermath,
        faults=faults or Faults(),
        expect=expect,
        reason="; ".join(f"{each}: {variant.refuted[each].reason}" for each in expect),
        source=variant.source,
        deep=deep,
    )


def scenarios(
    variant: Variant,
    races: Sequence[str],
    faults: Mapping[str, Faults] = FAULTS,
    *,
    paged: int = 0,
    initially: Sequence[str] = (),
    under: str = "",
    deep: bool = False,
) -> Iterator[Scenario]:
    """Each race under each of these faults. under: what to call races after different beginnings ("staged/")."""
    for race in races:
        for suffix, budget in faults.items():
            yield scenario(
                variant,
                race,
                budget,
                suffix=suffix,
                paged=paged,
                initially=initially,
                deep=deep,
                name=under + race,
            )


def _call(variant: Variant, word: str, client: str, position: int, paged: int) -> Call:
    flow_name, args = variant.words[word] if word in variant.words else WORDS[word]
    flow = _flow(variant, flow_name)
    options = dict(variant.options.get(word, {}))
    if paged and "batch_size" in inspect.signature(flow).parameters:
        options["batch_size"] = paged
    if flow_name in ("upload_object", "upload_and_link"):
        args = (*args, f"{client}{position}".encode())
    if flow_name == "commit":
        args = (*args, f"{client}{position}")
    return Call(flow, REPOSITORY, *args, **options)  # type: ignore[arg-type]


def _flow(variant: Variant, name: str) -> Flow:
    """The proposal's own flow; what users compose of several is composed of the proposal's."""
    if name == "upload_and_link":
        return _named(
            catalog.upload_and_link,
            get_address=variant.flows.get_physical_address,
            link=variant.flows.link_physical_address,
        )
    if name == "stage_again":
        return _named(catalog.stage_again, stage=variant.flows.stage_object)
    return getattr(variant.flows, name)  # type: ignore[no-any-return]


def _named(flow: Flow, **options: Callable[..., object]) -> Flow:  # type: ignore[explicit-any]
    return partial(flow, **options)


def _invariants(variant: Variant, clients: Sequence[Sequence[str]], initially: Sequence[str]) -> list[Invariant]:
    """The invariants whose situation arises where clients say these words, after others."""
    words = [word for client in clients for word in client]
    commits = any(word.startswith("commit") for word in (*words, *initially))
    changes = "drop" not in words and any(
        word.startswith(("upload", "link", "delete")) and "reset" not in client[position:]
        for client in clients
        for position, word in enumerate(client)
    )
    arises: list[tuple[Invariant, bool]] = [
        (data.committed_data_is_kept, commits),
        (data.committed_data_is_unchanged, commits),
        (data.staged_data_is_kept, _stages(words, initially)),
        (data.address_has_one_entry, variant.one_entry),
        (data.acknowledged_upload_is_kept, changes),
    ]
    return [invariant for invariant, does in arises if does]


def _stages(words: Sequence[str], initially: Sequence[str]) -> bool:
    """Whether a branch shows a staged entry at some time."""
    at_first = any(word in ADDING for word in initially) and "commit" not in initially
    return at_first or any(word in ADDING for word in words)


def _reclaimed(variant: Variant) -> Aftermath:
    """Some runs of the background job, if the proposal has one, after its grace time."""
    words = [*variant.before_jobs, *["job"] * (variant.jobs if _has_job(variant) else 0)]
    before = len(variant.before_jobs)
    return Aftermath(
        id=data.GARBAGE_IS_RECLAIMED,
        meaning=data.GARBAGE_IS_RECLAIMED_MEANING,
        calls=[_call(variant, word, "z", at, 0) for at, word in enumerate(words)],
        check=lambda outcomes, snapshot: tuple(data.garbage_is_reclaimed(outcomes[before:], snapshot)),
        clock_advance=variant.grace,
    )


def _has_job(variant: Variant) -> bool:
    return hasattr(variant.flows, "background_job")

"""Writers, readers, committers, resetters and deleters of one branch, as scenarios: what is common to all variants.

A race is named by its clients, joined by "-"; a client that does several things one after the other joins them by ".":
``write.commit-read`` is a client that writes and then commits, and one that reads.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Final

import attrs

from lakeproof.impl.graveler import founding, lock_free, merging, reading, resetting, writing
from lakeproof.impl.refs import branches
from lakeproof.model.branch import BranchState, branch
from lakeproof.model.entry import ENTRY
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.invariants import Invariant, entries, refs, resets
from lakeproof.model.linearizable import Specification, linearizable
from lakeproof.model.records import Repository
from lakeproof.scenario import Aftermath, Call, Faults, Flow, Scenario
from lakeproof.scenarios._life_cycle import Refuted

REPOSITORY: Final = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=1_700_000_000_000_000,
    instance_uid=InstanceUID("u"),
)
BRANCH: Final = BranchID("b")
X, Y = b"x", b"y"

FAULTS: Final[Mapping[str, Faults]] = {
    "": Faults(),
    "/crash": Faults(crashes=1),
    "/lost-answer": Faults(lost_answers=1),
    "/false-predicate": Faults(false_predicates=1),
}
PAGED: Final[Mapping[str, Faults]] = {
    "/paged": Faults(),
    "/paged-scan-failure": Faults(scan_failures=1),
}

FLOWS: Final[Mapping[str, tuple[Flow, tuple[bytes, ...]]]] = {
    "write": (writing.set_entry, (X,)),
    "writey": (writing.set_entry, (Y,)),
    "cached": (writing.set_entries, ()),
    "remove": (writing.delete_entry, (X,)),
    "add": (writing.create_entry, (X,)),
    "swap": (writing.replace_entry, (X,)),
    "read": (reading.get_entry, (X,)),
    "list": (reading.list_entries, ()),
    "reset": (resetting.reset_branch, ()),
    "resetx": (resetting.reset_entry, (X,)),
    "resetall": (resetting.reset_prefix, (b"",)),
    "drop": (branches.delete_branch, ()),
    "branch": (branches.create_branch, ()),
    "merge": (merging.merge, ()),
    "revert": (merging.revert, ()),
}
"""The words of which races are made, with the path that they are about. ``commit`` is the variant's own."""

_MAIN_AHEAD: Final = [
    Call(writing.set_entry, REPOSITORY, REPOSITORY.default_branch_id, b"m", b"m0"),
    Call(lock_free.commit, REPOSITORY, REPOSITORY.default_branch_id, "ahead"),
]
"""What ``ahead`` does before: main gets a commit that the branch does not have, of a path that nobody else writes."""

IDENTIFIED: Final = ("write", "writey", "cached", "add", "swap")
RESETS: Final = ("reset", "resetx", "resetall")

_OVER: Final = BranchState().with_changes((X, b"s0")).after_commit()
STAGED: Final[Mapping[tuple[str, ...], Specification]] = {
    (): branch(),
    ("write",): branch(BranchState().with_changes((X, b"s0"))),
    ("write", "commit", "write"): branch(_OVER.with_changes((X, b"s2"))),
}
"""The specification of the branch in races with resets, by the words of what was before."""


@attrs.frozen(kw_only=True)
class Variant:
    """A variant of the flows of a branch, as the catalogue sees it."""

    name: str  # area/variant
    commit: Flow
    source: str
    flows: Mapping[str, Flow] = attrs.field(factory=dict)
    """By word: what this variant does in its own way."""
    options: Mapping[str, Mapping[str, object]] = attrs.field(factory=dict)
    """By word."""
    refuted: Mapping[str, Refuted] = attrs.field(factory=dict)
    beatable: bool = True
    """Whether a committer can be beaten by another: not where it holds a lock."""


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
) -> Scenario:
    """One race of a variant under some faults.

    paged: rows per page of every scan; 0: one page. initially: words of what happened before, alone. only: the ids of
    the invariants to check, where all of them would make the search too large. deep: too large to be part of every run.
    """
    words = [client.split(".") for client in race.split("-")]
    name = race + suffix
    clients = [
        [_call(variant, word, client, position, paged) for position, word in enumerate(client_words)]
        for client, client_words in enumerate(words)
    ]
    expect = {
        invariant_id: "violated"
        for invariant_id, refuted in variant.refuted.items()
        if any(fnmatchcase(name, pattern) for pattern in refuted.races)
    }
    flat = [word for client_words in words for word in client_words]
    checked = _invariants(variant, words, flat, initially, expect)
    aftermath = _aftermath(variant, flat)
    if only is not None:
        checked = [invariant for invariant in checked if invariant.id in only]
        aftermath = [after for after in aftermath if after.id in only]
    return Scenario(
        name=f"{variant.name}/{name}",
        setup=_setup(variant, initially),
        clients=clients,
        invariants=checked,
        aftermath=aftermath,
        faults=faults or Faults(),
        expect=expect,
        reason="; ".join(f"{i}: {variant.refuted[i].reason}" for i in expect),
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
    only: Sequence[str] | None = None,
    deep: bool = False,
) -> Iterator[Scenario]:
    """Each race under each of these faults."""
    for race in races:
        for suffix, budget in faults.items():
            yield scenario(variant, race, budget, suffix=suffix, paged=paged, initially=initially, only=only, deep=deep)


def _setup(variant: Variant, initially: Sequence[str]) -> list[Call]:
    setup = [
        Call(founding.found, REPOSITORY),
        Call(branches.create_branch, REPOSITORY, BRANCH, REPOSITORY.default_branch_id),
    ]
    for position, word in enumerate(initially):
        setup += _MAIN_AHEAD if word == "ahead" else [_call(variant, word, -1, position, 0)]
    return setup


def _call(variant: Variant, word: str, client: int, position: int, paged: int) -> Call:
    options = dict(variant.options.get(word, {}))
    who = f"{'abcdefghijklmnopqr'[client] if client >= 0 else 's'}{position}"
    if paged and word in ("commit", "list", "reset", "resetall"):
        options["batch_size"] = paged
    if word == "commit":
        return Call(variant.commit, REPOSITORY, BRANCH, who, **options)  # type: ignore[arg-type]
    flow, path = FLOWS[word]
    if word in ("merge", "revert"):
        source = REPOSITORY.default_branch_id if word == "merge" else BRANCH
        return Call(FLOWS[word][0], REPOSITORY, BRANCH, source, who, **options)  # type: ignore[arg-type]
    if word == "branch":
        source = REPOSITORY.default_branch_id
        return Call(variant.flows.get(word, flow), REPOSITORY, BRANCH, source, **options)  # type: ignore[arg-type]
    args: tuple[Hashable, ...] = (*path, who.encode()) if word in IDENTIFIED else path
    if word == "cached":
        args = (((X, who.encode()), (Y, who.encode())),)
    if word == "swap":
        args = (*args, b"s0")
    return Call(variant.flows.get(word, flow), REPOSITORY, BRANCH, *args, **options)  # type: ignore[arg-type]


def _invariants(
    variant: Variant,
    words: Sequence[Sequence[str]],
    flat: Sequence[str],
    initially: Sequence[str],
    expect: Mapping[str, str],
) -> list[Invariant]:
    """The invariants whose situation arises in such a race."""
    writes = any(
        word in IDENTIFIED and "remove" not in client[position:]
        for client in words
        for position, word in enumerate(client)
    )
    survives = "drop" not in flat or "branch" in flat
    commits = flat.count("commit")
    heads = commits + flat.count("merge") + flat.count("revert")
    causal = any(
        word in (*IDENTIFIED, "remove") and "commit" in client[position:]
        for client in words
        for position, word in enumerate(client)
    )
    written = [position for position, word in enumerate(initially) if word == "write"]
    initial = {X: b"s%d" % written[-1]} if written else {}
    staged = initial if written and "commit" not in initially[written[-1] :] else {}
    rereads = any(client.count("read") > 1 for client in words)
    resets_any = any(word in RESETS for word in flat)
    writes_any = any(word in IDENTIFIED for word in flat)
    # Beside a write that is under way a read may be taken back: there, it is asked of who reads twice.
    alone = resets_any and "read" in flat and not writes_any
    sequential = STAGED.get(tuple(initially)) if resets_any else ENTRY
    forgets = resets_any and (staged or writes_any)
    arises: list[tuple[Invariant, object]] = [
        (refs.head_exists, True),
        (refs.token_has_one_owner, True),
        (entries.write_is_kept_beside("merge"), writes and survives),
        (entries.acknowledged_delete_is_kept, "remove" in flat),
        (entries.commit_is_causal, causal),
        (refs.commits_form_one_line, heads),
        (entries.read_is_legal(initial, BRANCH), any(_reads_first(client) for client in words)),
        (linearizable(sequential or ENTRY), sequential is not None and (alone or rereads)),
        (refs.commit_makes_progress, commits > 1 and variant.beatable),
        (refs.branch_delete_spares_successor, "branch" in flat and flat.count("drop") > 1),
        (entries.refused_write_is_absent, flat.count("add") > 1 or flat.count("swap") > 1),
        (entries.branch_starts_clean, "branch" in flat and any(word in IDENTIFIED for word in flat)),
        (resets.reset_is_kept(staged, BRANCH), forgets),
    ]
    return [invariant for invariant, does in arises if does or invariant.id in expect]


def _reads_first(client: Sequence[str]) -> bool:
    """Whether a client reads before it resets: after a reset nothing is asked of single reads."""
    before = takewhile(lambda word: word not in RESETS, client)
    return any(word in ("read", "list") for word in before)


def _aftermath(variant: Variant, flat: Sequence[str]) -> list[Aftermath]:
    if "commit" not in flat or "drop" in flat:
        return []
    return [
        Aftermath(
            id=refs.BRANCH_STAYS_COMMITTABLE,
            meaning=refs.BRANCH_STAYS_COMMITTABLE_MEANING,
            calls=[_call(variant, "commit", -1, 9, 0)],
            check=refs.branch_stays_committable,
        )
    ]

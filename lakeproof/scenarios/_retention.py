"""Runs that mark and sweep, and users who commit, branch, merge, revert and copy: what is common to all variants.

The history is given: on main ``A`` (30 days old, has x) <- ``B`` (20 days, has z and no x), with a branch b at its
head; and, where a race asks for them, a dangling ``D`` (30 days, has y), and a branch z at ``E`` (30 days, has w). By
rules of seven days A and D are expired; B and E are not, for they are heads. A race is named as in `_hard_delete`.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from types import ModuleType, SimpleNamespace
from typing import Final

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import merging
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.commits import add_commit, new_commit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import runs as retention
from lakeproof.model import keys
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, encode_object_entry, identity_of
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import BranchID, MetaRangeID, StagingToken
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants import retention as invariants
from lakeproof.model.objects import etag
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Aftermath, Call, Faults, Flow, Scenario
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "committed-object-retention.md"
MAIN: Final = REPOSITORY.default_branch_id
OTHER: Final = BranchID("z")
NOW: Final = REPOSITORY.creation_date
RULES: Final = Rules(7)
RUN: Final = "n"


def _entry(path: bytes, name: str) -> Entry:
    data = encode_object_entry(ObjectEntry(address=f"data/{name}", e_tag=etag(name.encode()), size_bytes=len(name)))
    return Entry(path=path, identity=identity_of(data), data=data)


def _commit(name: str, parent: Commit, age_days: int, *entries: Entry) -> Commit:
    return new_commit(
        [parent],
        write(entries).meta_range_id,
        committer="lakeproof",
        message=name,
        creation_date=NOW - age_days * DAY,
    )


FIRST: Final = new_commit([], MetaRangeID(""), committer="lakeproof", message="R", creation_date=NOW - 40 * DAY)
OLD, KEPT, DEAD, SIDE = _entry(X, "a"), _entry(b"z", "c"), _entry(Y, "d"), _entry(b"w", "e")
A: Final = _commit("A", FIRST, 30, OLD)
B: Final = _commit("B", A, 20, KEPT)
D: Final = _commit("D", FIRST, 30, DEAD)
E: Final = _commit("E", FIRST, 30, SIDE)

HISTORY: Final[Mapping[str, tuple[tuple[Commit, ...], tuple[tuple[Entry, ...], ...], tuple[BranchID, ...]]]] = {
    "line": ((A, B), ((OLD,), (KEPT,)), (MAIN, BRANCH)),
    "dangling": ((D,), ((DEAD,),), ()),
    "branch": ((E,), ((SIDE,),), (OTHER,)),
}
"""By part: commits, sets of entries, and the branches that stand at the last of the commits."""


async def write_history(env: Env, repository: Repository, parts: tuple[str, ...]) -> None:
    """Write a repository with some parts of the history, objects and all, as if it had happened in its time."""
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))
    await add_commit(env, repository, FIRST)
    for part in parts:
        commits, contents, heads = HISTORY[part]
        for entries in contents:
            for name, content in write(entries).objects.items():
                await env.objects.put(object_address(repository.storage_namespace, name), content)
            for entry in entries:
                found = decode_object_entry(entry.data)
                await env.objects.put(catalog.at(repository, found), found.address.removeprefix("data/").encode())
        for commit in commits:
            await add_commit(env, repository, commit)
        for branch_id in heads:
            branch = Branch(
                branch_id=branch_id,
                commit_id=commits[-1].commit_id,
                staging_token=StagingToken(f"r-{branch_id}:u.s.0"),
            )
            await env.store.set(uid_partition(repository), keys.branch_key(branch_id), encode(branch))


AS_TEXT: Final = SimpleNamespace(
    mark=retention.mark,
    create_branch=branches.create_branch,
    update_branch=branches.update_branch,
    create_tag=tags.create_tag,
    merge=merging.merge,
    revert=merging.revert,
    restore_object=retention.restore_object,
)
PLAIN: Final[Mapping[str, Flow]] = {
    "sweep": retention.sweep,
    "upload_object": catalog.upload_object,
    "stage_object": catalog.stage_object,
    "commit": catalog.commit,
    "reset_branch": catalog.reset_branch,
    "delete_branch": branches.delete_branch,
}
"""The flows that all variants share."""

WORDS: Final[Mapping[str, tuple[str, tuple[Hashable, ...]]]] = {
    "fork": ("create_branch", ("c", A.commit_id)),
    "forkz": ("create_branch", ("a", OTHER)),
    "dropz": ("delete_branch", (OTHER,)),
    "back": ("update_branch", (BRANCH, A.commit_id)),
    "tag": ("create_tag", ("t", A.commit_id)),
    "merge": ("merge", (BRANCH, D.commit_id, "M")),
    "revert": ("revert", (BRANCH, B.commit_id, "V")),
    "restore": ("restore_object", (BRANCH, X, A.commit_id)),
    "stage": ("stage_object", (BRANCH, X, f"{REPOSITORY.storage_namespace}/data/a", b"a")),
    "commitz": ("commit", (OTHER, "N")),
    "upload": ("upload_object", (BRANCH, Y, b"u")),
    "commit": ("commit", (BRANCH, "N")),
    "reset": ("reset_branch", (BRANCH,)),
    "drop": ("delete_branch", (BRANCH,)),
}
"""The words of which races are made, beside "mark" and "sweep"."""


@attrs.frozen(kw_only=True)
class Variant:
    """A way to mark and to sweep."""

    name: str
    flows: ModuleType | SimpleNamespace = AS_TEXT
    options: Mapping[str, Mapping[str, Hashable]] = attrs.field(factory=dict)
    """By word."""
    rules: Rules = RULES
    now_rules: Rules | None = None
    """The rules that hold when all is over; None: the same."""
    tags: bool = False
    runs_apart: bool = True
    """Whether each run has an id of its own."""
    grace: int = 0
    """Microseconds that pass before the last run."""
    hypothetical: bool = True
    """Whether commits count that only a dummy child keeps."""
    source: str = SOURCE
    refuted: Mapping[str, Refuted] = attrs.field(factory=dict)


def scenario(
    variant: Variant,
    race: str,
    faults: Faults | None = None,
    *,
    suffix: str = "",
    paged: int = 0,
    parts: tuple[str, ...] = ("line",),
    initially: Sequence[str] = (),
    deep: bool = False,
) -> Scenario:
    """One race of a variant over some parts of the history. initially: words of what happened before, alone."""
    called = "".join(f"after-{word}/" for word in initially) + race + suffix
    rules = variant.now_rules or variant.rules
    words = [client.split(".") for client in race.split("-")]
    flat = [*initially, *(word for client in words for word in client)]
    checked: list[Invariant] = [
        invariants.active_data_is_kept(rules, tags=variant.tags, hypothetical=variant.hypothetical)
    ]
    if any(word in ("restore", "stage", "upload") for word in flat):
        checked.append(invariants.uncommitted_data_is_kept)
    expect = {
        invariant_id: "violated"
        for invariant_id, refuted in variant.refuted.items()
        if any(fnmatchcase(called, pattern) for pattern in refuted.races)
    }
    known = {each.id for each in checked} | {invariants.EXPIRED_DATA_IS_RECLAIMED}
    expect = {invariant_id: verdict for invariant_id, verdict in expect.items() if invariant_id in known}
    return Scenario(
        name=f"retention/{variant.name}/{called}",
        setup=[
            Call(write_history, REPOSITORY, parts),
            *(_call(variant, word, "s", paged=0) for word in initially),
        ],
        clients=[
            [_call(variant, word, "abc"[client], paged=paged) for word in each] for client, each in enumerate(words)
        ],
        invariants=checked,
        aftermath=[
            Aftermath(
                id=invariants.EXPIRED_DATA_IS_RECLAIMED,
                meaning=invariants.EXPIRED_DATA_IS_RECLAIMED_MEANING,
                calls=[_call(variant, word, "z", paged=0) for word in ("mark", "sweep")],
                check=invariants.expired_data_is_reclaimed(rules, tags=variant.tags),
                clock_advance=variant.grace,
            )
        ],
        faults=faults or Faults(),
        expect=expect,
        reason="; ".join(f"{each}: {variant.refuted[each].reason}" for each in expect),
        source=variant.source,
        deep=deep,
    )


def _call(variant: Variant, word: str, client: str, *, paged: int) -> Call:
    options = dict(variant.options.get(word, {}))
    run_id = RUN + client if variant.runs_apart else RUN
    if word == "mark":
        rules = (variant.now_rules or variant.rules) if client == "z" else variant.rules
        if paged:
            options["batch_size"] = paged
        return Call(_flow(variant, "mark"), REPOSITORY, rules, run_id, **options)  # type: ignore[arg-type]
    if word == "sweep":
        return Call(retention.sweep, REPOSITORY, run_id, **options)  # type: ignore[arg-type]
    name, args = WORDS[word]
    return Call(_flow(variant, name), REPOSITORY, *args, **options)  # type: ignore[arg-type]


def _flow(variant: Variant, name: str) -> Flow:
    return PLAIN[name] if name in PLAIN else getattr(variant.flows, name)


def scenarios(
    variant: Variant,
    races: Sequence[str],
    faults: Mapping[str, Faults],
    *,
    paged: int = 0,
    parts: tuple[str, ...] = ("line",),
    initially: Sequence[str] = (),
    deep: bool = False,
) -> Iterator[Scenario]:
    """Each race under each of these faults."""
    for race in races:
        for suffix, budget in faults.items():
            yield scenario(
                variant, race, budget, suffix=suffix, paged=paged, parts=parts, initially=initially, deep=deep
            )

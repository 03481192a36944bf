"""Faults planted in flows of branches: each is found by the invariant that is there for it, in a race or alone."""

from collections.abc import AsyncIterator

import attrs
import pytest

from lakeproof.designs import branches_alone, locks, met, scenarios_of
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, BranchDesign
from lakeproof.designs.branches_alone import INITIAL
from lakeproof.designs.designs import HOLDS
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import (
    commits,
    dropping,
    listing,
    lock_free,
    locked,
    merges,
    reads,
    resets,
    restorations,
    tokens,
    writes,
)
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches
from lakeproof.model import kv
from lakeproof.model.committed import Entry
from lakeproof.model.errors import BranchBusy, EntryChanged, PathExists
from lakeproof.model.invariants.met import CallResult, Meeting, Met, met_as_specified
from lakeproof.model.records import Branch, Repository
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from lakeproof.scenario import Faults, Scenario
from tests.machines import planted_branches as bugs
from tests.machines.planting import no, no_tokens, nothing, yes
from tests.planting import Planted, race, tiered

BRANCHES = BranchDesign(name="planted/branches", flows=FLOWS, source="tests", refuted=HOLDS)
KEEPING = attrs.evolve(BRANCHES, options={"commit": {"reading": lock_free.Reading(drops=False)}})
ACKNOWLEDGED, RESET, CONDITIONAL = (
    "acknowledged-write-is-kept",
    "acknowledged-reset-is-kept",
    "conditional-write-saw-absence",
)
OVER, AHEAD, AGAIN = "write.commit.write", "write_ahead.commit_ahead", "commit-reset_entry.read.reset_entry.read"
FAULTS = {"": Faults(), "false": Faults(false_predicates=1), "crash": Faults(crashes=1)}


async def other(env: Env, repository: Repository, branch: Branch, path: bytes) -> tuple[bytes, kv.Predicate]:
    return b"other", b""


async def no_changes(*_: object, **__: object) -> dict[bytes, object]:
    return {}


async def none_at_all(*_: object, **__: object) -> AsyncIterator[object]:
    none: tuple[object, ...] = ()
    for each in none:
        yield each


async def newest_parent(env: Env, repository: Repository, one: object, other: object) -> object:
    return one


def asked(design: BranchDesign, words: str, before: str = "", faults: str = "") -> Scenario:
    return race(design, words, before, FAULTS[faults])


RACES = [
    Planted(where=where, name=name, instead=instead, scenario=asked(design, *words), invariant=invariant)
    for where, name, instead, design, words, invariant in [
        (lock_free, "swap", bugs.swap_by_set, KEEPING, ("commit-commit",), "commits-form-one-line"),
        (commits, "swap", bugs.swap_by_set, KEEPING, ("write-commit-commit",), ACKNOWLEDGED),
        (lock_free, "without", no_tokens, KEEPING, ("write.commit-write.commit",), ACKNOWLEDGED),
        (lock_free, "still_sealed", bugs.all_of_ours, KEEPING, ("write.commit-write.commit",), ACKNOWLEDGED),
        (commits, "add_commit", nothing, KEEPING, ("commit-commit",), "head-exists"),
        (branches, "birth_token", bugs.one_token, KEEPING, ("commit-commit",), "token-has-one-owner"),
        (reads, "tokens", bugs.oldest_first, BRANCHES, ("write.commit-write.read",), "read-is-legal"),
        (reads, "tokens", bugs.open_only, BRANCHES, ("write.commit-read",), "read-is-legal"),
        (resets, "swap", bugs.swap_by_set, BRANCHES, ("write:y.commit-reset_entry", "write"), ACKNOWLEDGED),
        (resets, "cover_branch", bugs.beneath, BRANCHES, ("commit-reset_entry.read", "write"), RESET),
        (resets, "cover_branch", bugs.unchanged, BRANCHES, ("write-reset_entry.read", "write"), RESET),
        (resets, "cover_branch", bugs.over_nothing, BRANCHES, ("write:y-reset_entry", "write"), ACKNOWLEDGED),
        (restorations, "get_committed", nothing, BRANCHES, ("commit-reset_entry.read", OVER), "linearizable"),
        (resets, "_is_done", lambda *_: False, BRANCHES, ("read.write.read-reset_entry", "write", "false"),
         "linearizable"),
        (lock_free, "restorations_over", no_tokens, BRANCHES, (AGAIN, "write"), RESET),
        (commits, "restored_paths", bugs.no_paths, BRANCHES, (AGAIN, "write"), RESET),
        (merges, "replace_branch", bugs.set_or_not, KEEPING, ("merge-merge", AHEAD), "commit-is-effective"),
        (merges, "merge_committed", bugs.only_destination, KEEPING, ("write-merge", AHEAD), "merge-is-effective"),
        (merges, "resolve", bugs.own_head, KEEPING, ("write-merge", AHEAD), "merge-is-effective"),
        (merges, "merge_committed", bugs.only_destination, KEEPING, ("write:y-revert", "write.commit"),
         "revert-is-effective"),
        (lock_free, "swap", bugs.swap_nothing, KEEPING, ("write-commit",), "commit-is-effective"),
        (writes, "_find", bugs.absent, KEEPING, ("create-commit", "write"), CONDITIONAL),
        (writes, "_find", other, KEEPING, ("create-commit",), CONDITIONAL),
        (resets, "swap", bugs.keeping_sealed, KEEPING, ("commit-reset.read", "write", "crash"), RESET),
        (writes, "same_token", no, KEEPING, ("write-commit",), "call-makes-progress"),
        (branches, "replace_branch", nothing, KEEPING, ("delete_branch.create_branch-read",),
         "branch-create-is-effective"),
    ]
]  # fmt: skip
BY_NAME = {scenario.name: scenario for module in (branches_alone, locks, met) for scenario in scenarios_of(module)}
ALONE = [
    Planted(
        where=where, name=what, instead=instead, scenario=BY_NAME[name], invariant=BY_NAME[name].aftermath[-1].id
    )
    for name, where, what, instead in [
        ("alone/lock-free/commits", lock_free, "drop_all", nothing),
        ("alone/lock-free/resets", resets, "drop_all", nothing),
        ("alone/lock-free/merges", merges, "changes", none_at_all),
        ("alone/lock-free/merges", merges, "merge_committed", bugs.only_destination),
        ("alone/lock-free/crossed", merges, "merge_base", newest_parent),
        ("alone/lock-free/entries", writes, "PathExists", EntryChanged),
        ("alone/lock-free/resets", resets, "as_in_head", no_changes),
        ("alone/locked/entries", locked, "_unlock", nothing),
        ("locks/leased/before-its-end", locked, "_take_over", yes),
        ("locks/leased/at-its-end", locked, "_take_over", no),
        ("locks/one-each/commit/crash", locked, "lock_key", lambda *_: b"locks"),
        ("locks/drops-later/commit.job/crash", dropping, "drop", nothing),
        ("alone/lock-free/pages", listing, "CommonPrefix", lambda path: Entry(path=path, identity=b"", data=b"")),
        ("met/lock-free/write-commit", writes, "same_token", yes),
        ("met/lock-free/layers-commit-reset_entry.read", lock_free, "restorations_over", no_tokens),
        ("met/lock-free/crossed-commit-commit.write:y.write:z.seal", lock_free, "still_sealed",
         lambda ours, branch: ours if branch.sealed_tokens else ()),
        ("met/lock-free/reset_entry-seal", resets, "unstage", nothing),
        ("met/lock-free/often-write", tokens, "WriteNotSettled", PathExists),
    ]
]  # fmt: skip


@pytest.mark.parametrize("planted", tiered([*RACES, *ALONE]))
def test_a_planted_fault_is_found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert planted.is_found(monkeypatch)


MADE = ("reset_branch", (REPOSITORY, BRANCH))
BUSY = CallResult(error=(BranchBusy, (BRANCH,)))


@pytest.mark.parametrize(("once", "met_others", "right"), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)])
def test_only_a_call_that_tries_once_and_has_met_others_may_give_up(once: int, met_others: int, right: int) -> None:
    others = (MADE,) * met_others
    check = met_as_specified([Meeting(MADE, others, once=bool(once))], INITIAL, lambda *_: None, drops=True)
    (found,) = check((Outcome(Status.OK, Met(BUSY, (CallResult(),) * len(others))),), Snapshot({}, {}, 0, ()))
    assert ("in no order right" in str(found)) is not bool(right)

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
from lakeproof.model.committed import Entry
from lakeproof.model.errors import BranchBusy, EntryChanged, PathExists
from lakeproof.model.invariants.met import CallResult, Meeting, Met, met_as_specified
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from lakeproof.scenario import Faults, Scenario
from tests.machines import planted as bugs
from tests.planting import Planted, no, nothing, race, tiered, yes

BRANCHES = BranchDesign(name="planted/branches", flows=FLOWS, source="tests", refuted=HOLDS)
KEEPING = attrs.evolve(BRANCHES, options={"commit": {"reading": lock_free.Reading(drops=False)}})
ACKNOWLEDGED, RESET, CONDITIONAL = (
    "acknowledged-write-is-kept",
    "acknowledged-reset-is-kept",
    "conditional-write-saw-absence",
)
OVER, AHEAD, AGAIN = "write.commit.write", "write_ahead.commit_ahead", "commit-reset_entry.read.reset_entry.read"
FAULTS = {"": Faults(), "false": Faults(false_predicates=1), "crash": Faults(crashes=1)}


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


MERGES = "    return await merge_committed(\n"
OURS_ALONE = f"    return destination.meta_range_id\n{MERGES}"
"""A merge that merges nothing."""
FOUND = "return None if change.data is None else change.identity, predicate"
BELOW = "return None if below is None else below.identity, None"
BIRTH = 'StagingToken(f"{repository.repository_id}-{branch_id}:{repository.instance_uid}.{birth}.0")'
FORGOTTEN = (restorations, *bugs.FORGOTTEN)
TAKEN_AGAIN = (lock_free, *bugs.TAKEN_AGAIN)
NOT_DROPPED = (lock_free, *bugs.NOT_DROPPED)

RACES = [
    Planted(where=where, name=name, instead=instead, scenario=asked(design, *words), invariant=invariant)
    for where, name, instead, design, words, invariant in [
        (tokens, bugs.REPLACE, bugs.BLIND_COMMIT, KEEPING, ("commit-commit",), "commits-form-one-line"),
        (tokens, bugs.REPLACE, bugs.BLIND_SEAL, KEEPING, ("write-commit-commit",), ACKNOWLEDGED),
        (*NOT_DROPPED, KEEPING, ("write.commit-write.commit",), ACKNOWLEDGED),
        (*TAKEN_AGAIN, KEEPING, ("write.commit-write.commit",), ACKNOWLEDGED),
        (commits, "await add_commit(env, repository, commit)", "pass", KEEPING, ("commit-commit",), "head-exists"),
        (branches, BIRTH, 'StagingToken("r-main:u.s1.0")', KEEPING, ("commit-commit",), "token-has-one-owner"),
        (reads, "branch.tokens", "branch.tokens[::-1]", BRANCHES, ("write.commit-write.read",), "read-is-legal"),
        (reads, "branch.tokens", "branch.tokens[:1]", BRANCHES, ("write.commit-read",), "read-is-legal"),
        (tokens, bugs.REPLACE, bugs.BLIND_RESET, BRANCHES, ("write:y.commit-reset_entry", "write"), ACKNOWLEDGED),
        (restorations, bugs.COVERED, "(branch.staging_token, *branch.sealed_tokens, restoration)", BRANCHES,
         ("commit-reset_entry.read", "write"), RESET),
        (restorations, "attrs.evolve(branch, staging_token=staging_token, sealed_tokens=sealed)", "branch", BRANCHES,
         ("write-reset_entry.read", "write"), RESET),
        (restorations, bugs.COVERED, "(restoration,)", BRANCHES, ("write:y-reset_entry", "write"), ACKNOWLEDGED),
        (restorations, "get_committed", nothing, BRANCHES, ("commit-reset_entry.read", OVER), "linearizable"),
        (resets, "_is_done", lambda *_: False, BRANCHES, ("read.write.read-reset_entry", "write", "false"),
         "linearizable"),
        (*FORGOTTEN, BRANCHES, (AGAIN, "write"), RESET),
        (commits, *bugs.NONE_LEFT_OUT, BRANCHES, (AGAIN, "write"), RESET),
        (merges, "raise RefChanged(branch.branch_id) from None", "return", KEEPING, ("merge-merge", AHEAD),
         "commit-is-effective"),
        (merges, MERGES, OURS_ALONE, KEEPING, ("write-merge", AHEAD), "merge-is-effective"),
        (merges, "theirs = await get_commit(env, repository, await resolve(env, repository, source))", "theirs = ours",
         KEEPING, ("write-merge", AHEAD), "merge-is-effective"),
        (merges, MERGES, OURS_ALONE, KEEPING, ("write:y-revert", "write.commit"), "revert-is-effective"),
        (tokens, f"await {bugs.REPLACE}", f"_ = start or await {bugs.REPLACE}", KEEPING, ("write-commit",),
         "commit-is-effective"),
        (writes, FOUND, "return None, predicate", KEEPING, ("create-commit", "write"), CONDITIONAL),
        (writes, BELOW, 'return b"other", b""', KEEPING, ("create-commit",), CONDITIONAL),
        (resets, bugs.RESET_BRANCH, bugs.KEEPS_SEALED, KEEPING, ("commit-reset.read", "write", "crash"), RESET),
        (tokens, bugs.IS_OPEN, "False", KEEPING, ("write-commit",), "call-makes-progress"),
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
        ("alone/lock-free/merges", merges, MERGES, OURS_ALONE),
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
        ("met/lock-free/layers-commit-reset_entry.read", *FORGOTTEN),
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

"""Bugs planted in the resets of a branch, and in a committer beside them, are found."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import attrs
import pytest

from lakeproof.explore.search import Limits, search
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import committing, lock_free, resetting, restoring
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.tokens import TRIES, Beaten, Change, Swapped
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Faults
from lakeproof.scenarios._branch_data import BranchDesign
from lakeproof.scenarios.designs import HOLDS, rows
from lakeproof.scenarios.races import Before, fault

DESIGN = BranchDesign(name="planted/resets", flows=FLOWS, source="tests", refuted=HOLDS)
KEPT = "acknowledged-reset-is-kept"
WRITTEN = "write"
OVER = "write.commit.write"


async def replace_whatever_is_there(env: Env, repository: Repository, branch: Branch, predicate: object) -> None:
    await env.store.set(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch))


def over_nothing(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=(restoration,))


def beneath(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    sealed = (found.staging_token, *found.sealed_tokens, restoration)
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=sealed)


def unchanged(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    return found


def never(*args: object) -> bool:
    return False


def no_restorations(*args: object) -> tuple[StagingToken, ...]:
    return ()


async def no_paths(*args: object) -> frozenset[bytes]:
    return frozenset()


async def nothing(*args: object) -> None:
    """Find nothing."""


async def swap_by_set(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    change: Change,
    *,
    beaten: Beaten | None = None,
    start: tuple[Branch, bytes] | None = None,
    tries: int = TRIES,
) -> Swapped | None:
    branch, _ = await branches.read_branch(env, repository, branch_id) if start is None else start
    after = await change(branch)
    if after is None:
        return None
    await replace_whatever_is_there(env, repository, after, None)
    return Swapped(branch, after)


BUGS: Mapping[str, tuple[ModuleType, str, Callable[..., Any], str, str, Faults, str]] = {  # type: ignore[explicit-any]
    "a reset changes the branch by set": (
        resetting, "swap", swap_by_set, "write:y.commit-reset_entry", WRITTEN, Faults(),
        "acknowledged-write-is-kept",
    ),
    "a restoration lies under what it is to hide": (
        resetting, "covered", beneath, "commit-reset_entry.read", WRITTEN, Faults(), KEPT,
    ),
    "a reset leaves the branch as it is": (
        resetting, "covered", unchanged, "write-reset_entry.read", WRITTEN, Faults(), KEPT,
    ),
    "a reset of a path takes the tokens of all others along": (
        resetting, "covered", over_nothing, "write:y-reset_entry", WRITTEN, Faults(), "acknowledged-write-is-kept",
    ),
    "a path is restored as a deletion": (
        restoring, "get_committed", nothing, "commit-reset_entry.read", OVER, Faults(), "linearizable",
    ),
    "a reset that was reported as failed is made twice": (
        resetting, "_is_done", never, "read.write.read-reset_entry", WRITTEN, Faults(false_predicates=1),
        "linearizable",
    ),
    "a committer does not look for restorations": (
        lock_free, "restorations_over", no_restorations, "commit-reset_entry.read.reset_entry.read", WRITTEN, Faults(),
        KEPT,
    ),
    "a committer combines anew and leaves nothing out": (
        committing, "restored_paths", no_paths, "commit-reset_entry.read.reset_entry.read", WRITTEN, Faults(), KEPT,
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, planted, race, initially, faults, invariant = BUGS[bug]
    (row,) = rows(DESIGN, race, fault("", faults), Before("", initially))
    races = row.scenario()
    before = {found.id: found.verdict for found in search(races, Limits(seconds_max=60)).findings}
    assert before[invariant] == "holds"
    monkeypatch.setattr(module, name, planted)
    after = {found.id: found.verdict for found in search(races, Limits(seconds_max=60)).findings}
    assert after[invariant] == "violated", after

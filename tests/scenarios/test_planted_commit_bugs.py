"""Bugs planted in the flows of a branch are found: each by the invariant that is there for it."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from lakeproof.explore.search import Limits, search
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import committing, lock_free, reading
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.tokens import TRIES, Beaten, Change, Swapped
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.scenarios._branch_data import BranchDesign
from lakeproof.scenarios.designs import HOLDS, rows

DROPPING = BranchDesign(name="planted/lock-free", flows=FLOWS, source="tests", refuted=HOLDS)
KEPT = {"commit": {"reading": lock_free.Reading(drops=False)}}
KEEPING = attrs.evolve(DROPPING, name="planted/keeping", options=KEPT)


async def replace_whatever_is_there(env: Env, repository: Repository, branch: Branch, predicate: object) -> None:
    await env.store.set(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch))


def all_of_ours(ours: tuple[StagingToken, ...], branch: Branch) -> tuple[StagingToken, ...]:
    return ours


def none_left(branch: Branch, tokens: tuple[StagingToken, ...]) -> tuple[StagingToken, ...]:
    return ()


async def add_nothing(env: Env, repository: Repository, commit: Commit) -> None:
    pass


def one_token(env: Env, repository: Repository, branch_id: str, *, fresh: bool = True) -> StagingToken:
    return StagingToken("r-main:u.s1.0")


def oldest_first(branch: Branch) -> tuple[StagingToken, ...]:
    return (*reversed(branch.sealed_tokens), branch.staging_token)


def without_sealed(branch: Branch) -> tuple[StagingToken, ...]:
    return (branch.staging_token,)


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


BUGS: Mapping[str, tuple[Any, str, Callable[..., Any], BranchDesign, str, str]] = {  # type: ignore[explicit-any]
    "finishing by set": (
        lock_free, "swap", swap_by_set, KEEPING, "commit-commit", "commits-form-one-line",
    ),
    "sealing by set": (
        committing, "swap", swap_by_set, KEEPING, "write-commit-commit",
        "acknowledged-write-is-kept",
    ),
    "the fast path forgets tokens sealed since": (
        lock_free, "without", none_left, KEEPING, "write.commit-write.commit", "acknowledged-write-is-kept",
    ),
    "a committer that was beaten commits all that it sealed once more": (
        lock_free, "still_sealed", all_of_ours, KEEPING, "write.commit-write.commit", "acknowledged-write-is-kept",
    ),
    "a commit record is not written": (
        committing, "add_commit", add_nothing, KEEPING, "commit-commit", "head-exists",
    ),
    "two branches get one token": (
        branches, "birth_token", one_token, KEEPING, "commit-commit", "token-has-one-owner",
    ),
    "a reader takes the oldest token first": (
        reading, "tokens", oldest_first, DROPPING, "write.commit-write.read", "read-is-legal",
    ),
    "a reader forgets the sealed tokens": (
        reading, "tokens", without_sealed, DROPPING, "write.commit-read", "read-is-legal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, planted, design, race, invariant = BUGS[bug]
    (row,) = rows(design, race)
    races = row.scenario()
    before = {found.id: found.verdict for found in search(races, Limits(seconds_max=60)).findings}
    assert before[invariant] == "holds"
    monkeypatch.setattr(module, name, planted)
    after = {found.id: found.verdict for found in search(races, Limits(seconds_max=60)).findings}
    assert after[invariant] == "violated", after

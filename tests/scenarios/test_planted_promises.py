"""What an answer promises: bugs planted in flows of repositories and branches are found, each by its promise."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import ModuleType
from typing import Any

import attrs
import pytest

from lakeproof.explore.search import Limits, search
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.graveler import lock_free, merging, resetting, writing
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.tokens import Change, Swapped, swap
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories._records import read_entry
from lakeproof.impl.repositories.errors import RepositoryNotFound
from lakeproof.impl.staging import get_staged
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, RepositoryID
from lakeproof.model.records import Branch, CleanupRecord, Repository, RepositoryState
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios import catalogue
from lakeproof.scenarios._branch_data import BranchDesign
from lakeproof.scenarios._repositories import RepositoryDesign
from lakeproof.scenarios.designs import HOLDS, rows
from lakeproof.scenarios.races import Before, fault

KEEPS = {"commit": {"reading": lock_free.Reading(drops=False)}}
BRANCHES = BranchDesign(name="planted/branches", flows=FLOWS, source="tests", refuted=HOLDS, options=KEEPS)
REPOSITORIES = RepositoryDesign(
    name="planted/repositories", flows=hardened.FLOWS, source="tests", refuted=HOLDS, leaves_garbage=True
)
CRASH = Faults(crashes=1)


async def replace_or_not(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    try:
        await branches.replace_branch(env, repository, branch, predicate)
    except kv.PredicateFailed:
        return


async def replace_nothing(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    """Write no record."""


async def absent(env: Env, repository: Repository, branch: Branch, path: bytes) -> tuple[None, kv.Predicate]:
    found = await get_staged(env, branch.staging_token, path)
    return None, None if found is None else found[1]


async def other(env: Env, repository: Repository, branch: Branch, path: bytes) -> tuple[bytes, kv.Predicate]:
    return b"other", b""


async def with_sealed(env: Env, repository: Repository, branch_id: BranchID, change: Change, **how: Any) -> object:  # type: ignore[explicit-any]
    async def keeping(branch: Branch) -> Branch | None:
        after = await change(branch)
        return None if after is None else attrs.evolve(after, sealed_tokens=branch.sealed_tokens)

    return await swap(env, repository, branch_id, keeping, **how)


async def without_a_swap(env: Env, repository: Repository, branch_id: BranchID, change: Change, **how: Any) -> Swapped:  # type: ignore[explicit-any]
    branch, _ = how["start"]
    after = await change(branch)
    return Swapped(branch, branch if after is None else after)


async def never(*_: object) -> bool:
    return False


async def only_destination(*_: object, destination: str, **__: object) -> str:
    return destination


async def no_removal(env: Env, repository: Repository, branch_id: BranchID) -> None:
    await branches.read_branch(env, repository, branch_id)


async def no_removal_at_all(*_: object) -> None:
    """Delete nothing."""


def flows_of(name: str, flow: Callable[..., Any]) -> BranchDesign:  # type: ignore[explicit-any]
    return attrs.evolve(BRANCHES, flows=attrs.evolve(FLOWS, **{name: flow}))


def scenario_of(design: Any, race: str, before: str, faults: Faults) -> Scenario:  # type: ignore[explicit-any]
    (row,) = rows(design, race, fault("", faults), Before("", before))
    return row.scenario()


def verdicts(scenario: Scenario) -> Mapping[str, str]:
    return {found.id: found.verdict for found in search(scenario, Limits(seconds_max=60)).findings}


AHEAD = "write_ahead.commit_ahead"
PATCHED: Mapping[str, tuple[ModuleType, str, Callable[..., Any], str, str, Faults, str]] = {  # type: ignore[explicit-any]
    "a merge ignores a failed set_if": (
        merging, "replace_branch", replace_or_not, "merge-merge", AHEAD, Faults(), "commit-is-effective",
    ),
    "a merge leaves the source out": (
        merging, "merge_committed", only_destination, "write-merge", AHEAD, Faults(), "merge-is-effective",
    ),
    "a revert undoes nothing": (
        merging, "merge_committed", only_destination, "write:y-revert", "write.commit", Faults(),
        "revert-is-effective",
    ),
    "a commit does not move the branch": (
        lock_free, "swap", without_a_swap, "write-commit", "", Faults(), "commit-is-effective",
    ),
    "a create of an entry finds every path absent": (
        writing, "_find", absent, "create-commit", "write", Faults(), "conditional-write-saw-absence",
    ),
    "a create of an entry finds no path absent": (
        writing, "_find", other, "create-commit", "", Faults(), "conditional-write-saw-absence",
    ),
    "a reset keeps its sealed tokens": (
        resetting, "swap", with_sealed, "commit-reset.read", "write", CRASH, "acknowledged-reset-is-kept",
    ),
    "a writer takes no write for settled": (
        writing, "same_token", never, "write-commit", "", Faults(), "call-makes-progress",
    ),
    "a branch is not written": (
        branches, "replace_branch", replace_nothing, "delete_branch.create_branch-read", "", Faults(),
        "branch-create-is-effective",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", PATCHED)
def test_a_bug_planted_in_a_branch_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, planted, race, before, faults, invariant = PATCHED[bug]
    scenario = scenario_of(BRANCHES, race, before, faults)
    assert verdicts(scenario)[invariant] == "holds"
    monkeypatch.setattr(module, name, planted)
    assert verdicts(scenario)[invariant] == "violated"


@pytest.mark.parametrize("planted", [no_removal, no_removal_at_all])
def test_a_delete_of_a_branch_that_deletes_nothing_is_found(planted: Callable[..., Any]) -> None:  # type: ignore[explicit-any]
    assert verdicts(scenario_of(BRANCHES, "delete_branch-read", "", Faults()))["branch-delete-is-effective"] == "holds"
    forgetful = flows_of("delete_branch", wraps(branches.delete_branch)(planted))
    found = verdicts(scenario_of(forgetful, "delete_branch-read", "", Faults()))
    assert found["branch-delete-is-effective"] == "violated"


def test_a_reader_that_gives_up_without_a_reason_is_found() -> None:
    assert verdicts(scenario_of(BRANCHES, "read-write", "", Faults()))["call-makes-progress"] == "holds"
    impatient = attrs.evolve(BRANCHES, options={"read": {"tries": 0}})
    assert verdicts(scenario_of(impatient, "read-write", "", Faults()))["call-makes-progress"] == "violated"


async def get_any(env: Env, repository_id: RepositoryID) -> Repository:
    found = await read_entry(env, repository_id)
    if found is None or found[0].state is RepositoryState.DELETED:
        raise RepositoryNotFound(repository_id)
    return found[0]


async def get_none(env: Env, repository_id: RepositoryID) -> Repository:
    await read_entry(env, repository_id)
    raise RepositoryNotFound(repository_id)


async def list_none(env: Env, *, batch_size: int = 0) -> tuple[Repository, ...]:
    await hardened.list_repositories(env, batch_size=batch_size)
    return ()


FLOW_BUGS: Mapping[str, tuple[str, Callable[..., Any], str, str, str]] = {  # type: ignore[explicit-any]
    "get returns a repository that is not active yet": (
        "get_repository", get_any, "create-get", "", "get-shows-active-only",
    ),
    "get does not find what was created": ("get_repository", get_none, "create-get", "", "linearizable"),
    "a list leaves out what is there": ("list_repositories", list_none, "delete-create-list", "create", "linearizable"),
}  # fmt: skip


@pytest.mark.parametrize("bug", FLOW_BUGS)
def test_a_bug_planted_in_a_repository_is_found(bug: str) -> None:
    name, planted, race, before, invariant = FLOW_BUGS[bug]
    assert verdicts(scenario_of(REPOSITORIES, race, before, Faults()))[invariant] == "holds"
    replaced = wraps(getattr(hardened, name))(planted)
    flows: RepositoryFlows = attrs.evolve(hardened.FLOWS, **{name: replaced})
    faulty = attrs.evolve(REPOSITORIES, flows=flows)
    assert verdicts(scenario_of(faulty, race, before, Faults()))[invariant] == "violated"


async def is_deleted(env: Env, record: CleanupRecord) -> bool:
    found = await read_entry(env, record.repository_id)
    if found is None or found[0].instance_uid != record.instance_uid:
        return False
    return found[0].state is RepositoryState.DELETED


def test_a_cleaner_that_spares_superseded_instances_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = scenario_of(REPOSITORIES, "delete-create", "create", Faults())
    assert verdicts(scenario)["superseded-is-cleaned"] == "holds"
    monkeypatch.setattr(hardened, "is_dead", is_deleted)
    assert verdicts(scenario)["superseded-is-cleaned"] == "violated"


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("repositories/step1/absent/create-get/false-predicate", 5),
        ("repositories/kv3/absent/create-get/false-predicate", 2),
        ("repositories/hardened/absent/create-get/false-predicate", 0),
        ("branches/plain/create_branch-delete_branch/false-predicate", 4),
        ("merges/by-set-if/merge-merge/false-predicate", 14),
    ],
)
def test_a_definite_error_of_what_has_happened_is_found(name: str, steps: int) -> None:
    scenario = next(scenario for scenario in catalogue() if scenario.name == name)
    (found,) = (each for each in search(scenario).findings if each.id == "failed-call-changed-nothing")
    assert (0 if found.counterexample is None else len(found.counterexample.moves)) == steps

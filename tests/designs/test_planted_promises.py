"""What an answer promises: bugs planted in flows of repositories and branches are found, each by its promise."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import attrs
import pytest

from lakeproof.designs import catalogue
from lakeproof.designs.branch_designs import BranchDesign
from lakeproof.designs.designs import HOLDS
from lakeproof.designs.repository_designs import RepositoryDesign
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import entities, hardened
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Repository
from lakeproof.scenario import Faults
from lakeproof.search.search import search
from tests.designs.planting import race, replaced, verdicts
from tests.machines.planted_objects import get_any, get_none, list_none

KEEPS = {"commit": {"reading": lock_free.Reading(drops=False)}}
BRANCHES = BranchDesign(name="planted/branches", flows=FLOWS, source="tests", refuted=HOLDS, options=KEEPS)
REPOSITORIES = RepositoryDesign(
    name="planted/repositories", flows=hardened.FLOWS, source="tests", refuted=HOLDS, leaves_garbage=True
)


async def no_removal(env: Env, repository: Repository, branch_id: BranchID) -> None:
    await branches.read_branch(env, repository, branch_id)


async def no_removal_at_all(*_: object) -> None:
    """Delete nothing."""


def flows_of(name: str, flow: Callable[..., Any]) -> BranchDesign:  # type: ignore[explicit-any]
    return attrs.evolve(BRANCHES, flows=attrs.evolve(FLOWS, **{name: flow}))


@pytest.mark.parametrize("planted", [no_removal, no_removal_at_all])
def test_a_delete_of_a_branch_that_deletes_nothing_is_found(planted: Callable[..., Any]) -> None:  # type: ignore[explicit-any]
    assert verdicts(race(BRANCHES, "delete_branch-read"))["branch-delete-is-effective"] == "holds"
    forgetful = flows_of("delete_branch", wraps(branches.delete_branch)(planted))
    found = verdicts(race(forgetful, "delete_branch-read"))
    assert found["branch-delete-is-effective"] == "violated"


def test_a_reader_that_gives_up_without_a_reason_is_found() -> None:
    assert verdicts(race(BRANCHES, "read-write"))["call-makes-progress"] == "holds"
    impatient = attrs.evolve(BRANCHES, options={"read": {"tries": 0}})
    assert verdicts(race(impatient, "read-write"))["call-makes-progress"] == "violated"


FLOW_BUGS: Mapping[str, tuple[str, Callable[..., Any], str, str, str]] = {  # type: ignore[explicit-any]
    "get returns a repository that is not active yet": (
        "get_repository", get_any, "create-get", "", "get-shows-active-only",
    ),
    "get does not find what was created": ("get_repository", get_none, "create-get", "", "linearizable"),
    "a list leaves out what is there": ("list_repositories", list_none, "delete-create-list", "create", "linearizable"),
}  # fmt: skip


@pytest.mark.parametrize("bug", FLOW_BUGS)
def test_a_bug_planted_in_a_repository_is_found(bug: str) -> None:
    name, planted, words, before, invariant = FLOW_BUGS[bug]
    assert verdicts(race(REPOSITORIES, words, before))[invariant] == "holds"
    replaced = wraps(getattr(hardened, name))(planted)
    flows: RepositoryFlows = attrs.evolve(hardened.FLOWS, **{name: replaced})
    faulty = attrs.evolve(REPOSITORIES, flows=flows)
    assert verdicts(race(faulty, words, before))[invariant] == "violated"


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


UNLOOKED = "            await _still_there(env, repository, **reading)\n        return "
DEFINITE = (
    "            found = await env.store.find(partition, key)\n        except kv.KVError as error:\n            raise"
)
ANY_INSTANCE = "        if found.instance_uid != repository.instance_uid:\n            raise kv.OutcomeUnknown\n"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (f"{UNLOOKED}branch", "            pass\n        return branch", "create_branch-create_branch.delete.clean"),
        (f"{UNLOOKED}Tag", "            pass\n        return Tag", "tag-tag.delete.clean"),
        (ANY_INSTANCE, "", "create_branch-create_branch.delete.create.clean.create_branch"),
        (ANY_INSTANCE, "", "tag-tag.delete.create.clean.tag"),
        (f"{DEFINITE} kv.OutcomeUnknown from error", DEFINITE, "tag-tag"),
    ],
)
def test_a_creation_that_answers_wrongly_is_found(
    before: str, after: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client must not answer that it has made a record when its repository was deleted and cleaned before its write,
    nor that it has not when a look was refused."""
    faults = Faults(refusals=1, false_predicates=1) if after else Faults()
    assert verdicts(race(REPOSITORIES, words, "create", faults))["linearizable"] == "holds"
    replaced(monkeypatch, entities, before, after)
    made = entities.entity_flows(hardened.get_repository, entities.uid_partition, knows_its_own=True)
    faulty = attrs.evolve(REPOSITORIES, flows=attrs.evolve(hardened.FLOWS, **made))
    assert verdicts(race(faulty, words, "create", faults))["linearizable"] == "violated"

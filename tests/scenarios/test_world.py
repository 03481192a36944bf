"""The world: every pair of operations is proved somewhere, and what only a combination shows is found when planted."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from itertools import combinations, combinations_with_replacement, product
from types import ModuleType
from typing import Any

import pytest

from lakeproof.explore.search import Limits, search
from lakeproof.impl.effects import Env
from lakeproof.impl.world import guarding, history, jobs, sentences
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Scenario
from lakeproof.scenarios import catalogue, world

PARTS = (
    "hard-delete/online/*", "hard-delete/online-untimed/*", "hard-delete/online-decided/*",
    "hard-delete/online-readers-look-again/*", "hard-delete/offline-looks-again/*", "commits/lock-free/*", "merges/*",
    "branches/tombstone/*", "tags/*", "dumps/branches-first/*",
)  # fmt: skip
"""The sound designs of parts."""
FLOW_OF = {
    "upload": "upload_object",
    "copy": "copy_object",
    "copy_committed": "copy_object",
    "move": "move_object",
    "delete": "delete_object",
    "read": "read_object",
    "reset": "reset_branch",
    "tag": "create_tag",
    "dump": "dump_refs",
    "reap": "background_job",
    "collect": "background_job",
}
"""What a word of the world is called in its part."""


def met(scenarios: list[Scenario]) -> set[frozenset[str]]:
    """The pairs of flows that different clients say."""
    names = [[{call.name for call in client} for client in each.clients] for each in scenarios]
    return {frozenset(pair) for clients in names for one, other in combinations(clients, 2)
            for pair in product(one, other)}  # fmt: skip


def test_the_pairs_that_are_called_proved_are_races_of_sound_parts() -> None:
    found = met([each for each in catalogue() if any(fnmatchcase(each.name, part) for part in PARTS)])
    claimed = {pair: frozenset(FLOW_OF.get(word, word) for word in pair.split("-")) for pair in world.PROVED.split()}
    assert [pair for pair, flows in claimed.items() if flows not in found] == []


def test_every_other_pair_is_a_race_of_the_world() -> None:
    names = {each.name.split("/")[3] for each in world.SCENARIOS if "/stocked/" in each.name}
    words = (*world.USERS.split(), *world.JOBS)
    pairs = {"-".join(pair) for pair in combinations_with_replacement(words, 2)}
    assert len(words) == 19
    assert len(pairs) == 190
    assert pairs - names - set(world.PROVED.split()) == set()


def test_every_operation_meets_the_end_of_its_repository_and_a_run_of_retention() -> None:
    names = {each.name for each in world.SCENARIOS}
    for word in (*world.USERS.split(), *world.JOBS):
        late = "/clock-jump" if word == "reap" else ""
        assert f"world/composed/stocked/{word}-delete_repository.clean{late}" in names
        assert f"world/composed/stocked/{word}-delete_repository.create_repository{late}" in names
    for word in world.AGED_USERS.split():
        assert f"world/composed/aged/{word}-mark.sweep" in names


def test_only_the_composition_is_expected_to_hold() -> None:
    for each in world.SCENARIOS:
        assert bool(each.expect) is not each.name.startswith("world/composed/")


async def never_ask(env: Env, repository: Repository) -> None:
    """A job that trusts what it began with."""


def asked_once(env: Env, repository: Repository) -> Env:
    """A job that asks nothing before it deletes."""
    return env


async def write_nothing(env: Env, repository: Repository, branch: Branch, *_: object) -> None:
    """Neither which tokens are taken, nor which head is left."""


async def publish_nothing(env: Env, repository: Repository, run_id: str, batch_size: int = 0) -> None:
    """Sentences stay in the repository's partition."""


BUGS: Mapping[str, tuple[ModuleType, str, Callable[..., Any], str, str]] = {  # type: ignore[explicit-any]
    "the online job does not ask whether its repository lives": (
        jobs, "asking_first", asked_once,
        "dumped/reap-delete_repository.clean.create_bare.restore_refs/clock-jump", "committed-data-is-kept",
    ),
    "the offline job does not ask, either": (
        guarding, "check_alive", never_ask,
        "dumped/collect-delete_repository.clean.create_bare.restore_refs/clock-jump", "committed-data-is-kept",
    ),
    "a job of long ago deletes data of the next repository": (
        jobs, "asking_first", asked_once, "next/late_collect-read@main/clock-jump", "staged-data-is-kept",
    ),
    "the offline job takes a repository that is being restored for an empty one": (
        jobs, "check_restored", never_ask, "bare/restore_refs-collect/clock-jump", "committed-data-is-kept",
    ),
    "a run does not publish what it has condemned": (
        sentences, "publish", publish_nothing,
        "aged-dumped/delete_branch@z.mark.sweep-delete_repository.create_bare.restore_refs", "active-data-is-kept",
    ),
    "a merge writes nothing ahead": (
        history, "write_ahead", write_nothing, "stocked/merge-reap/clock-jump", "committed-data-is-kept",
    ),
    "a revert writes nothing ahead": (
        history, "write_ahead", write_nothing, "stocked/revert-reap/clock-jump", "committed-data-is-kept",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_what_only_a_combination_shows_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, planted, race, invariant = BUGS[bug]
    (scenario,) = (each for each in world.SCENARIOS if each.name == f"world/composed/{race}")
    assert verdict(scenario, invariant) == "holds"
    monkeypatch.setattr(module, name, planted)
    assert verdict(scenario, invariant) == "violated"


def verdict(scenario: Scenario, invariant: str) -> str:
    found = search(scenario, Limits(seconds_max=120))
    return next(each.verdict for each in found.findings if each.id == invariant)

"""The world: every pair of operations is proved somewhere, and what only a combination shows is found when planted."""

from fnmatch import fnmatchcase
from itertools import combinations, combinations_with_replacement, product

import pytest

from lakeproof.designs import catalogue, scenarios_of, world
from lakeproof.impl.hard_delete import online
from lakeproof.impl.world import guards, jobs, sentences
from lakeproof.scenario import Scenario
from tests.planting import Planted, nothing, tiered

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
    names = {each.name.split("/")[3] for each in scenarios_of(world) if "/stocked/" in each.name}
    words = (*world.USERS.split(), *world.JOBS)
    pairs = {"-".join(pair) for pair in combinations_with_replacement(words, 2)}
    assert len(words) == 19
    assert len(pairs) == 190
    assert pairs - names - set(world.PROVED.split()) == set()


def test_every_operation_meets_the_end_of_its_repository_and_a_run_of_retention() -> None:
    names = {each.name for each in scenarios_of(world)}
    for word in (*world.USERS.split(), *world.JOBS):
        late = "/clock-jump" if word == "reap" else ""
        assert f"world/composed/stocked/{word}-delete_repository.clean{late}" in names
        assert f"world/composed/stocked/{word}-delete_repository.create_repository{late}" in names
    for word in world.AGED_USERS.split():
        assert f"world/composed/aged/{word}-mark.sweep" in names


def test_only_the_composition_is_expected_to_hold() -> None:
    for each in scenarios_of(world):
        assert bool(each.expect) is not each.name.startswith("world/composed/")


NEXT = "delete_repository.clean.create_bare.restore_refs"
KEPT = "committed-data-is-kept"
BY_RACE = {each.name.removeprefix("world/composed/"): each for each in scenarios_of(world)}
PLANTED = [
    Planted(where=where, name=name, instead=instead, scenario=BY_RACE[words], invariant=invariant)
    for where, name, instead, words, invariant in [
        (jobs, "asking_first", lambda env, _: env, f"dumped/reap-{NEXT}/clock-jump", KEPT),
        (guards, "check_alive", nothing, f"dumped/collect-{NEXT}/clock-jump", KEPT),
        (jobs, "asking_first", lambda env, _: env, "next/late_collect-read@main/clock-jump", "staged-data-is-kept"),
        (jobs, "check_restored", nothing, "bare/restore_refs-collect/clock-jump", KEPT),
        (
            sentences,
            "publish",
            nothing,
            "aged-dumped/delete_branch@z.mark.sweep-delete_repository.create_bare.restore_refs",
            "active-data-is-kept",
        ),
        (online, "write_ahead", nothing, "stocked/merge-reap/clock-jump", KEPT),
        (online, "write_ahead", nothing, "stocked/revert-reap/clock-jump", KEPT),
    ]
]


@pytest.mark.parametrize("planted", tiered(PLANTED))
def test_what_only_a_combination_shows_is_found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    assert planted.is_found(monkeypatch)

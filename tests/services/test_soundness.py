"""No false alarms: histories of a service that does one thing after the other, seen through overlapping intervals, with
calls that nobody answered, never violate anything; and with one answer or one entry changed they often do. The same of
known causes, where they are set aside."""

from collections.abc import Iterable
from random import Random

import pytest

from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from lakeproof.services.judging import judge_entries, judge_repositories
from lakeproof.services.known import CAUSES, Excused, Judged, Known
from lakeproof.services.promised import TRUNK
from tests.services.simple import CACHE_SECONDS, Simple, driven

ALL = frozenset(CAUSES)


def broken(judgements: Iterable[Judged]) -> list[str]:
    return [f"{name}: {found.evidence}" for name, found in judgements if isinstance(found, Violation)]


def aside(judgements: Iterable[Judged]) -> set[str]:
    return {found.cause for _, found in judgements if isinstance(found, Excused)}


def histories(seed: int, causes: frozenset[str] = frozenset(), count: int = 60) -> tuple[list[Judged], list[Judged]]:
    """What is said of the entries and of the repositories of a run in which these causes are at work, and set aside."""
    rng, known = Random(seed), Known(causes, CACHE_SECONDS)
    service = Simple(Random(f"{seed} causes"), causes)
    calls = driven(rng, service, entries=True, count=count)
    entries = list(judge_entries(calls, service.held, known))
    calls = driven(rng, service, entries=False, count=count)
    # Caches are let expire before anybody looks: the last lives are the true ones.
    return entries, list(judge_repositories(calls, service.lives, known))


@pytest.mark.parametrize("group", range(4))
def test_a_service_that_is_right_is_never_blamed(group: int) -> None:
    for seed in range(group * 20, group * 20 + 20):
        entries, repositories = histories(seed)
        assert broken([*entries, *repositories]) == [], seed


@pytest.mark.parametrize("cause", [*sorted(CAUSES), "all"])
def test_a_known_cause_that_is_set_aside_is_never_blamed(cause: str) -> None:
    causes = ALL if cause == "all" else frozenset({cause})
    excused: set[str] = set()
    for seed in range(15):
        entries, repositories = histories(seed, causes)
        assert broken([*entries, *repositories]) == [], seed
        excused |= aside([*entries, *repositories])
    assert excused == causes, "each one showed, and was counted"


@pytest.mark.deep
@pytest.mark.parametrize("group", range(10))
def test_a_service_that_is_right_is_not_blamed_in_a_hundred_thousand_calls(group: int) -> None:
    """10 times 50 histories of 100 calls on entries and 100 on repositories; every other one with all known causes."""
    for seed in range(1000 + group * 50, 1000 + group * 50 + 50):
        entries, repositories = histories(seed, ALL if seed % 2 else frozenset(), count=100)
        assert broken([*entries, *repositories]) == [], seed


@pytest.mark.parametrize("causes", [frozenset[str](), ALL], ids=["nothing", "everything"])
def test_most_lost_entries_are_noticed_whatever_is_set_aside(causes: frozenset[str]) -> None:
    noticed = tried = 0
    for seed in range(30):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=True)
        content = service.held.branches[TRUNK]
        if content:
            tried += 1
            gone = rng.choice(sorted(content))
            held = service.held
            held.branches[TRUNK] = {path: value for path, value in content.items() if path != gone}
            noticed += bool(broken(judge_entries(calls, held, Known(causes))))
    assert noticed > tried / 4


@pytest.mark.parametrize("causes", [frozenset[str](), ALL], ids=["nothing", "everything"])
def test_most_wrong_answers_about_repositories_are_noticed(causes: frozenset[str]) -> None:
    noticed = 0
    for seed in range(60):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=False)
        refused = [call for call in calls if call.name == "create_repository" and call.status is Status.FAIL]
        wrong = rng.choice(refused)
        wrong.status, wrong.code = Status.OK, 201
        noticed += bool(broken(judge_repositories(calls, service.lives, Known(causes))))
    assert noticed > (10 if causes else 20)

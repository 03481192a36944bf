"""No false alarms: histories of a service that does one thing after the other, seen through overlapping intervals, with
calls that nobody answered, never violate anything. What is done wrongly is found as what it is, one row for each. The
same of known causes, where they are set aside."""

from collections.abc import Iterable
from random import Random
from typing import Final

import pytest

from lakeproof.live.lakefs.judge import judge_entries, judge_repositories
from lakeproof.live.lakefs.known_issues import CAUSES, KnownIssues
from lakeproof.live.lakefs.promises import IDS, TRUNK
from lakeproof.live.lakefs.workload import OF_ENTRIES
from lakeproof.live.report import Judged, Suppressed
from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from tests.live.simple import CACHE_SECONDS, Simple, driven
from tests.live.wrong import Wrong

ALL = frozenset(CAUSES)


def broken(judgements: Iterable[Judged]) -> list[str]:
    return [f"{name}: {found.evidence}" for name, found in judgements if isinstance(found, Violation)]


def aside(judgements: Iterable[Judged]) -> set[str]:
    return {found.cause for _, found in judgements if isinstance(found, Suppressed)}


def histories(seed: int, causes: frozenset[str] = frozenset(), count: int = 60) -> tuple[list[Judged], list[Judged]]:
    """What is said of the entries and of the repositories of a run in which these causes are at work, and set aside."""
    rng, issues = Random(seed), KnownIssues(causes, CACHE_SECONDS)
    service = Simple(Random(f"{seed} causes"), causes)
    calls = driven(rng, service, entries=True, count=count)
    entries = list(judge_entries(calls, service.final, issues))
    calls = driven(rng, service, entries=False, count=count)
    # Caches are let expire before anybody looks: the last lives are the true ones.
    return entries, list(judge_repositories(calls, service.lives, issues))


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


@pytest.mark.long
def test_a_service_that_is_right_is_not_blamed_in_ten_thousand_calls_that_are_new_each_time(run_seed: int) -> None:
    """50 histories of 100 calls on entries and 100 on repositories; every other one with all known causes."""
    for seed in range(run_seed * 50, run_seed * 50 + 50):
        entries, repositories = histories(seed, ALL if seed % 2 else frozenset(), count=100)
        assert broken([*entries, *repositories]) == [], seed


def test_most_lost_entries_are_noticed_though_all_known_causes_are_set_aside() -> None:
    noticed = tried = 0
    for seed in range(30):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=True)
        content = service.final.branches[TRUNK]
        if content:
            tried += 1
            gone = rng.choice(sorted(content))
            final = service.final
            final.branches[TRUNK] = {path: value for path, value in content.items() if path != gone}
            noticed += bool(broken(judge_entries(calls, final, KnownIssues(ALL))))
    assert noticed > tried / 4


REPOSITORIES: Final = "repositories"
"""In the place of kinds of calls: those on repositories that come and go."""
MISDEEDS: Final = (
    ("lost", "set_entry", "", {"acknowledged-write-is-kept"}),
    ("lost", "delete_entry", "delete,set,get", {"acknowledged-delete-is-kept"}),
    ("lost", "reset_branch", "reset_branch,side set,create_branch", {"acknowledged-reset-is-kept"}),
    ("lost", "reset_prefix", "reset_prefix,side set,create_branch", {"acknowledged-reset-is-kept"}),
    ("lost", "commit", "", {"commits-form-one-line"}),
    ("lost", "merge", "set,commit,merge", {"commits-form-one-line"}),
    ("lost", "revert", "undone", {"commits-form-one-line"}),
    ("lost", "cherry_pick", "undone,moved", {"commits-form-one-line"}),
    ("lost", "import", "import", {"commits-form-one-line"}),
    ("lost", "hard_reset", "moved", {"branch-update-is-effective"}),
    ("lost", "create_branch", "create_branch,delete_branch,get_branch", {"create-is-effective"}),
    ("lost", "delete_branch", "create_branch,delete_branch,get_branch", {"deleted-is-inaccessible"}),
    ("lost", "create_tag", "tag,get_tag,delete_tag", {"create-is-effective"}),
    ("lost", "delete_tag", "tag,get_tag,delete_tag", {"deleted-is-inaccessible"}),
    ("lost", "update_metadata", "update_metadata,stat_entry,set", {"update-is-effective"}),
    ("lost", "create_pull", "pull,offered", {"pull-request-is-linearizable"}),
    ("lost", "edit_pull", "pull,offered", {"pull-request-is-linearizable"}),
    ("lost", "close_pull", "pull,offered", {"pull-request-is-linearizable"}),
    ("lost", "merge_pull", "pull,offered", {"pull-request-is-linearizable"}),
    ("lost", "create_repository", REPOSITORIES, {"create-is-effective"}),
    ("lost", "delete_repository", REPOSITORIES, {"deleted-is-inaccessible"}),
    ("lost", "set_entry", REPOSITORIES, {"acknowledged-write-is-kept"}),
    ("lost", "create_branch", REPOSITORIES, {"create-is-effective"}),
    ("again", "set_entry", "set,get", {"acknowledged-write-is-kept"}),
    ("again", "hard_reset", "moved", {"branch-update-is-effective"}),
    ("again", "delete_branch", "create_branch,delete_branch,get_branch", {"branch-delete-spares-successor"}),
    ("again", "delete_repository", REPOSITORIES, {"delete-spares-successor"}),
    ("refused", "create_entry", "create", {"refused-write-is-absent"}),
    *(
        ("refused", call, kinds, {"commits-form-one-line"})
        for call, kinds in (("commit", ""), ("revert", "undone"), ("cherry_pick", "undone,moved"), ("import", "import"))
    ),
    ("refused", "create_tag", "tag,get_tag", {"refused-write-is-absent"}),
    ("refused", "create_branch", "create_branch,delete_branch,get_branch", {"refused-write-is-absent"}),
    *(
        ("refused", call, REPOSITORIES, {"refused-write-is-absent"})
        for call in ("create_repository", "create_branch", "set_entry")
    ),
    ("granted", "create_entry", "create", {"conditional-write-is-exclusive"}),
    ("granted", "create_tag", "tag", {"create-is-unique"}),
    ("granted", "create_branch", "create_branch,delete_branch,get_branch", {"create-is-unique"}),
    ("granted", "create_repository", REPOSITORIES, {"create-is-unique"}),
    ("stale", "get_entry", "get,delete,set", {"read-is-legal"}),
    ("stale", "get_branch", "moved", {"branch-update-is-effective"}),
    ("stale", "get_tag", "tag,get_tag,delete_tag", {"create-is-effective"}),
    ("stale", "stat_entry", "update_metadata,stat_entry,set", {"update-is-effective"}),
    ("stale", "get_pull", "pull,offered", {"pull-request-is-linearizable"}),
    ("stale", "get_repository", REPOSITORIES, {"deleted-is-inaccessible"}),
    ("stale", "list_repositories", REPOSITORIES, {"deleted-is-inaccessible"}),
    ("partial", "commit", "", {"commit-is-causal"}),
    ("partial", "merge", "set,commit,merge", {"commit-is-causal"}),
    ("emptied", "merge", "set,commit,merge", {"commit-is-causal"}),
    ("partial", "import", "import", {"import-is-whole"}),
    ("partial", "revert", "undone,commit", {"revert-is-effective"}),
    ("partial", "cherry_pick", "undone,moved", {"revert-is-effective"}),
    ("haunted", "create_branch", "create_branch,delete_branch,side set", {"branch-starts-clean"}),
    ("haunted", "create_repository", REPOSITORIES, {"no-reachable-zombie"}),
)
"""What is done wrongly, in calls among which it shows, and as what."""


@pytest.mark.parametrize(("misdeed", "call", "kinds", "names"), MISDEEDS)
def test_what_a_service_does_wrongly_is_found(misdeed: str, call: str, kinds: str, names: set[str]) -> None:
    often = {kind: OF_ENTRIES[kind] for kind in kinds.split(",")} if kinds not in {"", REPOSITORIES} else OF_ENTRIES
    for seed in range(80):
        service = Wrong(Random(seed), misdeed=misdeed, of=call)
        entries = kinds != REPOSITORIES
        calls = driven(Random(f"{seed} calls"), service, entries=entries, count=100, often=often)
        found = judge_entries(calls, service.final) if entries else judge_repositories(calls, service.lives)
        if any(name in names for name, each in found if isinstance(each, Violation)):
            return
    raise AssertionError(f"{misdeed} {call} was not noticed")


def test_each_invariant_is_broken_by_a_misdeed() -> None:
    assert {name for *_, names in MISDEEDS for name in names} == set(IDS)


def test_wrong_answers_about_repositories_are_noticed_though_all_known_causes_are_set_aside() -> None:
    noticed = 0
    for seed in range(60):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=False)
        refused = [call for call in calls if call.name == "create_repository" and call.status is Status.FAIL]
        wrong = rng.choice(refused)
        wrong.status, wrong.code = Status.OK, 201
        noticed += bool(broken(judge_repositories(calls, service.lives, KnownIssues(ALL))))
    assert noticed > 10

"""KnownIssues causes on the fake: alone they are set aside and counted, a bug behind them is found; and what is blamed
first where they are not known."""

import json
from pathlib import Path

import pytest

from lakeproof.live.lakefs.calls import NEVER, Call
from lakeproof.live.lakefs.contents import FinalState, RepositoryState
from lakeproof.live.lakefs.judge import judge_entries, judge_repositories
from lakeproof.live.lakefs.known_issues import CACHE, CAUSES, KnownIssues
from lakeproof.live.lakefs.rounds import ServicePlan
from lakeproof.live.report import Suppressed
from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from tests.fake_lakefs.bugs import CACHE_SECONDS
from tests.live.runs import run, service

LAKE = "lake"
PATH = "a/1"


def call(name: str, began: int, ended: int, *args: str, value: object = None, code: int = 0) -> Call:
    """ended: 0 for one that nobody answered. code: of a refusal."""
    made = Call(0, name, args, began, ended=ended or NEVER, noted=ended or began + 1)
    made.status = Status.FAIL if code else Status.OK if ended else Status.INFO
    made.code, made.value = code, value if isinstance(value, str | tuple) else None
    return made


def write(began: int, ended: int, value: str, branch: str = "main", path: str = PATH) -> Call:
    return call("set_entry", began, ended, LAKE, branch, path, value)


def create(began: int, ended: int, value: str, code: int = 0) -> Call:
    return call("create_entry", began, ended, LAKE, "main", PATH, value, code=code)


def delete(began: int, ended: int) -> Call:
    return call("delete_entry", began, ended, LAKE, "main", PATH)


def get(began: int, ended: int, value: str | None) -> Call:
    return call("get_entry", began, ended, LAKE, "main", PATH, value=value, code=0 if value else 404)


def commit(began: int, ended: int, name: str, branch: str = "main") -> Call:
    return call("commit", began, ended, LAKE, branch, name, value=name)


def final(value: str | None = None, *log: str, **commits: str) -> FinalState:
    """What main holds at the path; its commits, newest first; and what commits hold there (an empty one: nothing)."""
    content = {PATH: value} if value else {}
    return FinalState(
        branches={"main": content},
        logs={"main": log},
        commits={name: ({PATH: kept} if kept else {}) for name, kept in commits.items()},
    )


CREATED = call("create_repository", 1, 2, "r", "ns/1", value="ns/1")
DELETED = call("delete_repository", 5, 6, "r")
AGAIN = call("create_repository", 7, 8, "r", "ns/2", value="ns/2")


KNOWN = {cause: KnownIssues(frozenset({cause}), CACHE_SECONDS + 0.1) for cause in CAUSES}
BEHIND = {
    "missed-read": "lost-commit",
    "refused-delete": "zombie",
    "refused-write": "lost-merge",
    "cache": "create-race",
}


@pytest.mark.deep
@pytest.mark.parametrize("cause", CAUSES)
def test_a_known_cause_alone_holds(cause: str) -> None:
    done, _ = run(cause, ServicePlan(issues=KNOWN[cause], rounds=1, calls=300))
    assert done.violations == []
    assert set(done.suppressed) <= {cause}


@pytest.mark.long
@pytest.mark.parametrize("cause", CAUSES)
def test_a_known_cause_is_counted_in_a_longer_run(cause: str) -> None:
    done, _ = run(cause, ServicePlan(issues=KNOWN[cause], rounds=6, calls=800))
    assert done.violations == []
    assert done.suppressed[cause]


@pytest.mark.long
def test_the_caches_of_two_servers_are_one_known_cause() -> None:
    assert run(CACHE, ServicePlan(rounds=40, calls=500), servers=2)[0].violations
    done, _ = run(CACHE, ServicePlan(issues=KNOWN[CACHE], rounds=5, calls=800), servers=2)
    assert done.violations == []
    assert done.suppressed[CACHE]


@pytest.mark.long
@pytest.mark.parametrize(("cause", "bug"), BEHIND.items())
def test_a_bug_behind_a_known_cause_is_found(cause: str, bug: str) -> None:
    assert run(f"{cause}+{bug}", ServicePlan(issues=KNOWN[cause], rounds=80, calls=500))[0].violations


def judged(issues: KnownIssues, *calls: object, last: str = "") -> tuple[set[str], set[str]]:
    """What is violated, and what is set aside, of calls on repository r."""
    lasts = {"r": RepositoryState(last, frozenset({"main"}))} if last else {}
    found = list(judge_repositories(list(calls), lasts, issues))  # type: ignore[arg-type]
    broken = {name for name, each in found if isinstance(each, Violation)}
    return broken, {each.cause for _, each in found if isinstance(each, Suppressed)}


SECOND = 1_000_000_000


def timed(*calls: object) -> None:
    """A second between two events."""
    for each in calls:
        each.called, each.returned = each.began * SECOND, each.noted * SECOND  # type: ignore[attr-defined]


def test_a_stale_answer_is_blamed_for_itself_and_is_no_proof_of_life() -> None:
    """No successor ever existed."""
    stale, gone = call("get_repository", 7, 8, "r", value="ns/1"), call("get_repository", 9, 10, "r", code=404)
    timed(CREATED, DELETED, stale, gone)
    assert judged(KnownIssues(), CREATED, DELETED, stale, gone) == ({"deleted-is-inaccessible"}, set())


def test_a_cache_excuses_what_it_may_remember_and_nothing_older() -> None:
    stale = call("get_repository", 9, 10, "r", value="ns/1")
    timed(CREATED, DELETED, stale)  # the delete ended at 6, the read began at 9
    for seconds, excused in ((2.5, False), (3.5, True)):
        broken, aside = judged(KnownIssues(frozenset({CACHE}), seconds), CREATED, DELETED, stale)
        assert (broken, aside) == ((set(), {CACHE}) if excused else ({"deleted-is-inaccessible"}, set()))


def test_a_cache_excuses_no_listing_and_no_second_create() -> None:
    listed = call("list_repositories", 9, 10, "r", value=(("r", "ns/1"),))
    timed(CREATED, DELETED, listed)
    issues = KnownIssues(frozenset({CACHE}), 100)
    assert judged(issues, CREATED, DELETED, listed)[0] == {"deleted-is-inaccessible"}
    timed(CREATED, AGAIN)
    assert judged(issues, CREATED, AGAIN)[0] == {"create-is-unique"}


def test_a_write_through_a_cache_may_go_to_the_life_before() -> None:
    upload = call("set_entry", 9, 10, "r", "main", "p", "1")
    timed(CREATED, DELETED, AGAIN, upload)
    assert judged(KnownIssues(), CREATED, DELETED, AGAIN, upload, last="ns/2")[0] == {"acknowledged-write-is-kept"}
    issues = KnownIssues(frozenset({CACHE}), 100)
    assert judged(issues, CREATED, DELETED, AGAIN, upload, last="ns/2") == (set(), {CACHE})


def test_a_delete_that_says_404_may_have_taken_effect_if_that_is_known_and_explains_no_other_deed() -> None:
    refused = call("delete_repository", 3, 4, "r", code=404)
    gone = call("get_repository", 7, 8, "r", code=404)
    assert judged(KnownIssues(), CREATED, refused, gone)[0] == {"create-is-effective"}
    issues = KNOWN["refused-delete"]
    assert judged(issues, CREATED, refused, gone) == (set(), {"refused-delete"})
    assert judged(issues, CREATED, gone)[0] == {"create-is-effective"}


def entries(issues: KnownIssues, calls: list[object], found: FinalState) -> tuple[list[str], set[str]]:
    judgements = list(judge_entries(calls, found, issues))  # type: ignore[arg-type]
    broken = [f"{name}: {each.evidence}" for name, each in judgements if isinstance(each, Violation)]
    return broken, {each.cause for _, each in judgements if isinstance(each, Suppressed)}


def test_a_412_whose_value_is_read_or_committed_is_blamed_first_and_alone() -> None:
    """A read or a commit that has the value is no violation of its own."""
    read = [write(1, 2, "1"), delete(3, 4), create(5, 6, "2", code=412), get(7, 8, "2"), delete(9, 10)]
    kept = [write(1, 2, "1"), create(3, 4, "2", code=412), commit(5, 6, "c"), write(7, 8, "3")]
    for calls, found in ((read, final()), (kept, final("3", "c", c="2"))):
        broken, _ = entries(KnownIssues(), list(calls), found)
        assert {line.partition(":")[0] for line in broken} == {"refused-write-is-absent"}
        assert "fail 412 was refused, and " in broken[0]
        assert entries(KNOWN["refused-write"], list(calls), found) == ([], {"refused-write"})


def test_a_known_412_excuses_no_lost_write_and_no_other_refusal() -> None:
    lost = [write(1, 2, "1"), create(3, 4, "2", code=412)]
    broken, _ = entries(KNOWN["refused-write"], list(lost), final())
    assert broken[0].startswith("acknowledged-write-is-kept")
    other = [write(1, 2, "1"), create(3, 4, "2", code=404)]
    broken, _ = entries(KNOWN["refused-write"], list(other), final("2"))
    assert broken


def test_a_read_of_nothing_is_excused_beside_a_commit_alone() -> None:
    issues = KNOWN["missed-read"]
    beside = [write(1, 2, "1"), commit(3, 6, "c"), get(4, 5, None)]
    after = [write(1, 2, "1"), commit(3, 4, "c"), get(5, 6, None)]
    stale = [write(1, 2, "1"), write(3, 4, "2"), commit(5, 8, "c"), get(6, 7, "1")]
    assert entries(issues, list(beside), final("1", "c", c="1")) == ([], {"missed-read"})
    assert entries(issues, list(after), final("1", "c", c="1"))[0]
    assert entries(issues, list(stale), final("2", "c", c="2"))[0]


def test_a_stale_read_of_metadata_is_excused_beside_a_commit_alone() -> None:
    issues, found = KNOWN["missed-read"], final("1", "c", c="1")
    update = call("update_metadata", 3, 4, "lake", "main", "a/1", "m")
    stat = call("stat_entry", 6, 7, "lake", "main", "a/1", value="")
    assert entries(issues, [write(1, 2, "1"), update, commit(5, 8, "c"), stat], found) == ([], {"missed-read"})
    assert entries(issues, [write(1, 2, "1"), update, commit(8, 9, "c"), stat], found)[0]


def test_what_is_set_aside_is_in_the_output(tmp_path: Path) -> None:
    words = ("--known", "cache=0.5", "--rounds", "1", "--json", "--out", str(tmp_path / "out"))
    result = service(*words, bugs="cache", seed=3)
    found = json.loads(result.stdout)
    assert found["rounds"] == 1
    assert found["verdict"] != "violated"
    assert found["known"].keys() <= {"cache"}
    if found["verdict"] == "holds" and found["known"]:
        assert f"; set aside: cache {found['known']['cache']} (seed 3)" in result.stderr

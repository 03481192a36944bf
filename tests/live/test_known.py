"""KnownIssues causes on the fake: alone they are set aside and counted, a bug behind them is found; and what is blamed
first where they are not known."""

import json
from pathlib import Path

import attrs
import pytest

from lakeproof.live.engine import Plan
from lakeproof.live.lakefs.calls import NEVER, Call
from lakeproof.live.lakefs.contents import FinalState, RepositoryState
from lakeproof.live.lakefs.existence import Judgement
from lakeproof.live.lakefs.judge import judge_entries, judge_repositories
from lakeproof.live.lakefs.known_issues import CACHE, CAUSES, Causes, KnownIssues, judge_causes
from lakeproof.live.report import NotJudged, Suppressed
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
    "missed-read": "lost-write",
    "refused-delete": "create-race",
    "refused-write": "dirty-branch",
    "cache": "create-race",
}


@pytest.mark.long
@pytest.mark.parametrize("cause", CAUSES)
def test_a_known_cause_is_counted_in_a_longer_run(cause: str) -> None:
    done, _ = run(cause, Plan(rounds=6, calls=800), issues=KNOWN[cause])
    assert done.violations == []
    assert done.suppressed[cause]


@pytest.mark.long
def test_the_caches_of_two_servers_are_one_known_cause() -> None:
    assert run(CACHE, Plan(rounds=40, calls=500), servers=2)[0].violations
    done, _ = run(CACHE, Plan(rounds=5, calls=800), issues=KNOWN[CACHE], servers=2)
    assert done.violations == []
    assert done.suppressed[CACHE]


@pytest.mark.long
@pytest.mark.parametrize(("cause", "bug"), BEHIND.items())
def test_a_bug_behind_a_known_cause_is_found(cause: str, bug: str) -> None:
    assert run(f"{cause}+{bug}", Plan(rounds=80, calls=500), issues=KNOWN[cause])[0].violations


SECOND = 1_000_000_000
NOTHING = KnownIssues()
CACHES = KnownIssues(frozenset({CACHE}), 100)
GONE = call("get_repository", 7, 8, "r", code=404)
STALE = call("get_repository", 9, 10, "r", value="ns/1")
UPLOAD = call("set_entry", 9, 10, "r", "main", "p", "1")
REFUSED = call("delete_repository", 3, 4, "r", code=404)
INACCESSIBLE = "deleted-is-inaccessible"


@pytest.mark.parametrize(
    ("issues", "calls", "broken"),
    [
        # A stale answer is blamed for itself, and is no proof of life: no successor ever existed.
        (NOTHING, (CREATED, DELETED, STALE, attrs.evolve(GONE, began=11, ended=12, noted=12)), INACCESSIBLE),
        # A cache excuses what it may remember, and nothing older: the delete ended at 6, the read began at 9.
        (KnownIssues(frozenset({CACHE}), 2.5), (CREATED, DELETED, STALE), INACCESSIBLE),
        (KnownIssues(frozenset({CACHE}), 3.5), (CREATED, DELETED, STALE), ""),
        # It excuses no listing, and no second create.
        (CACHES, (CREATED, DELETED, call("list_repositories", 9, 10, "r", value=(("r", "ns/1"),))), INACCESSIBLE),
        (CACHES, (CREATED, AGAIN), "create-is-unique"),
        # A write through a cache may go to the life before.
        (NOTHING, (CREATED, DELETED, AGAIN, UPLOAD), "acknowledged-write-is-kept"),
        (CACHES, (CREATED, DELETED, AGAIN, UPLOAD), ""),
        # A delete that says 404 may have taken effect, and explains no other deed.
        (NOTHING, (CREATED, REFUSED, GONE), "create-is-effective"),
        (KNOWN["refused-delete"], (CREATED, REFUSED, GONE), ""),
        (KNOWN["refused-delete"], (CREATED, GONE), "create-is-effective"),
    ],
)
def test_a_cause_excuses_what_it_may_have_done_to_a_repository(
    issues: KnownIssues, calls: tuple[Call, ...], broken: str
) -> None:
    """With a second between two events. broken: empty, all is set aside."""
    calls = tuple(attrs.evolve(each, called=each.began * SECOND, returned=each.noted * SECOND) for each in calls)
    last = {"r": RepositoryState("ns/2", frozenset({"main"}))} if calls[-1].name == "set_entry" else {}
    found = list(judge_repositories(calls, last, issues))
    assert {name for name, each in found if isinstance(each, Violation)} == set(broken.split())
    assert {each.cause for _, each in found if isinstance(each, Suppressed)} == (set() if broken else issues.causes)


READ = (write(1, 2, "1"), delete(3, 4), create(5, 6, "2", code=412), get(7, 8, "2"), delete(9, 10))
KEPT = (write(1, 2, "1"), create(3, 4, "2", code=412), commit(5, 6, "c"), write(7, 8, "3"))
UPDATED = (write(1, 2, "1"), call("update_metadata", 3, 4, LAKE, "main", PATH, "m"))
STAT = call("stat_entry", 6, 7, LAKE, "main", PATH, value="")


@pytest.mark.parametrize(
    ("cause", "calls", "found", "broken"),
    [
        # Of a 412 whose value is read or committed: a read or a commit that has it is no violation of its own.
        ("", READ, final(), "refused-write-is-absent"),
        ("", KEPT, final("3", "c", c="2"), "refused-write-is-absent"),
        ("refused-write", READ, final(), ""),
        ("refused-write", KEPT, final("3", "c", c="2"), ""),
        # It excuses no lost write, and no other refusal.
        ("refused-write", KEPT[:2], final(), "acknowledged-write-is-kept"),
        (
            "refused-write",
            (*KEPT[:1], create(3, 4, "2", code=404)),
            final("2"),
            "acknowledged-write-is-kept refused-write-is-absent",
        ),
        # A read of nothing is excused beside a commit, and not after it; nor is one of an older value.
        ("missed-read", (*KEPT[:1], commit(3, 6, "c"), get(4, 5, None)), final("1", "c", c="1"), ""),
        ("missed-read", (*KEPT[:1], commit(3, 4, "c"), get(5, 6, None)), final("1", "c", c="1"), "read-is-legal"),
        (
            "missed-read",
            (*KEPT[:1], write(3, 4, "2"), commit(5, 8, "c"), get(6, 7, "1")),
            final("2", "c", c="2"),
            "read-is-legal",
        ),
        # So it is with a stale read of metadata.
        ("missed-read", (*UPDATED, commit(5, 8, "c"), STAT), final("1", "c", c="1"), ""),
        ("missed-read", (*UPDATED, commit(8, 9, "c"), STAT), final("1", "c", c="1"), "update-is-effective"),
    ],
)
def test_a_cause_excuses_what_it_may_have_done_to_a_path(
    cause: str, calls: tuple[Call, ...], found: FinalState, broken: str
) -> None:
    """broken: empty, all is set aside."""
    judgements = list(judge_entries(calls, found, KNOWN.get(cause, NOTHING)))
    violations = [(name, each.evidence) for name, each in judgements if isinstance(each, Violation)]
    assert {name for name, _ in violations} == set(broken.split())
    assert {each.cause for _, each in judgements if isinstance(each, Suppressed)} == (set() if broken else {cause})
    if not cause:
        assert "fail 412 was refused, and " in violations[0][1]


def test_what_is_set_aside_is_in_the_output(tmp_path: Path) -> None:
    words = ("--known", "cache=0.5", "--rounds", "1", "--json", "--out", str(tmp_path / "out"))
    result = service(*words, bugs="cache", seed=3)
    found = json.loads(result.stdout)
    assert found["rounds"] == 1
    assert found["verdict"] != "violated"
    assert found["known"].keys() <= {"cache"}
    if found["verdict"] == "holds" and found["known"]:
        assert f"; set aside: cache {found['known']['cache']} (seed 3)" in result.stderr


def test_what_is_too_much_to_judge_with_a_cause_is_not_judged() -> None:
    def judging(causes: Causes) -> list[Judgement]:
        return [(INACCESSIBLE, NotJudged("too many orders") if causes else Violation(INACCESSIBLE, "seen"))]

    cached = frozenset({CACHE})
    found = [each for _, each in judge_causes(judging, cached, KnownIssues(cached))]
    assert [type(each) for each in found] == [NotJudged, Suppressed]

"""What a service was told against what it holds: hand-made histories, legal and illegal."""

import json

import pytest

from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from lakeproof.services.calls import NEVER, Answer, Call, Recorder, lines
from lakeproof.services.judging import (
    CAUSAL,
    ONE_LINE,
    RESET_KEPT,
    WRITE_KEPT,
    ZOMBIE,
    Held,
    Last,
    judge_entries,
    judge_founded,
    judge_repositories,
)
from lakeproof.services.presence import BRANCH_SPARED, EFFECTIVE, INACCESSIBLE, UNIQUE
from lakeproof.services.promised import EXCLUSIVE, IDS

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


def reset(began: int, ended: int, branch: str = "main") -> Call:
    return call("reset_branch", began, ended, LAKE, branch)


def branch_call(name: str, began: int, ended: int, branch: str = "side", code: int = 0) -> Call:
    args = (LAKE, branch, "main") if name == "create_branch" else (LAKE, branch)
    return call(name, began, ended, *args, code=code)


def held(value: str | None = None, *log: str, **commits: str) -> Held:
    """What main holds at the path; its commits, newest first; and what commits hold there (an empty one: nothing)."""
    content = {PATH: value} if value else {}
    return Held(
        branches={"main": content},
        logs={"main": log},
        commits={name: ({PATH: kept} if kept else {}) for name, kept in commits.items()},
    )


def broken(calls: list[Call], found: Held) -> set[str]:
    return {name for name, finding in judge_entries(calls, found) if isinstance(finding, Violation)}


SIDE = Held(branches={"main": {}, "side": {PATH: "1"}}, logs={"main": (), "side": ()})
LEGAL = {
    "a write is kept": ([write(1, 2, "1")], held("1")),
    "or what came after it": ([write(1, 4, "1"), write(2, 3, "2")], held("1")),
    "or what may have": ([write(1, 2, "1"), write(3, 0, "2")], held("2")),
    "a write that nobody answered did not happen": ([write(1, 0, "1")], held()),
    "or did": ([write(1, 0, "1"), get(3, 4, "1")], held("1")),
    "a delete is kept": ([write(1, 2, "1"), delete(3, 4)], held()),
    "a commit holds what was acknowledged": ([write(1, 2, "1"), commit(3, 4, "c")], held("1", "c", c="1")),
    "and may miss what was not": ([write(1, 4, "1"), commit(2, 3, "c")], held("1", "c", c="")),
    "a reset forgets": ([write(1, 2, "1"), reset(3, 4)], held()),
    "but for what was committed": (
        [write(1, 2, "1"), commit(3, 4, "c"), reset(5, 6)],
        held("1", "c", c="1"),
    ),
    "or may have been": ([write(1, 2, "1"), commit(3, 0, "c"), reset(5, 6)], held("1", "c", c="1")),
    "or is written meanwhile": ([write(1, 4, "1"), reset(2, 5)], held("1")),
    "a read while the reset is under way": ([write(1, 2, "1"), reset(3, 6), get(4, 5, "1")], held()),
    "one of two creates succeeds": ([create(1, 4, "1"), create(2, 3, "2", code=412)], held("1")),
    "both, with a delete that may come between": ([create(1, 4, "1"), delete(2, 3), create(5, 6, "2")], held("2")),
    "or with one that nobody answered": ([create(1, 2, "1"), delete(3, 0), create(5, 6, "2")], held("2")),
    "commits stand on each other": ([commit(1, 2, "c"), commit(3, 4, "d")], held(None, "d", "c", c="", d="")),
    "and go with their branch": (
        [branch_call("create_branch", 1, 2), commit(3, 4, "c", "side"), branch_call("delete_branch", 5, 6)],
        held(None, c=""),
    ),
    "a new branch is clean": (
        [
            branch_call("create_branch", 1, 2),
            write(3, 4, "1", "side"),
            branch_call("delete_branch", 5, 6),
            branch_call("create_branch", 7, 8),
        ],
        Held(branches={"main": {}, "side": {}}),
    ),
}
ILLEGAL: dict[str, tuple[str, list[Call], Held]] = {
    "a lost write": (WRITE_KEPT, [write(1, 2, "1")], held()),
    "an older write comes back": (WRITE_KEPT, [write(1, 2, "1"), write(3, 4, "2")], held("1")),
    "a delete comes back": ("acknowledged-delete-is-kept", [write(1, 2, "1"), delete(3, 4)], held("1")),
    "a refused write happened": ("refused-write-is-absent", [create(1, 2, "1", code=412)], held("1")),
    "a commit misses what was acknowledged": (
        CAUSAL,
        [write(1, 2, "1"), commit(3, 4, "c")],
        held("1", "c", c=""),
    ),
    "a commit cannot be read": (CAUSAL, [write(1, 2, "1"), commit(3, 4, "c")], held("1", "c")),
    "a stale read": ("read-is-legal", [write(1, 2, "1"), write(3, 4, "2"), get(5, 6, "1")], held("2")),
    "a read of nothing": ("read-is-legal", [write(1, 2, "1"), get(3, 4, None)], held("1")),
    "a read of what nobody wrote": ("read-is-legal", [write(1, 2, "1"), get(3, 4, "7")], held("1")),
    "a reset that returns": (RESET_KEPT, [write(1, 2, "1"), reset(3, 4)], held("1")),
    "a read of what was reset": (
        RESET_KEPT,
        [write(1, 2, "1"), reset(3, 4), get(5, 6, "1"), delete(7, 8)],
        held(),
    ),
    "two creates at once": (EXCLUSIVE, [create(1, 4, "1"), create(2, 3, "2")], held("1")),
    "a create where something is": (EXCLUSIVE, [write(1, 2, "1"), create(3, 4, "2")], held("2")),
    "a delete that was over before": (EXCLUSIVE, [delete(1, 2), create(3, 4, "1"), create(5, 6, "2")], held("2")),
    "a commit is not on its branch": (ONE_LINE, [commit(1, 2, "c"), commit(3, 4, "d")], held(None, "d", c="", d="")),
    "a commit is above a later one": (
        ONE_LINE,
        [commit(1, 2, "c"), commit(3, 4, "d")],
        held(None, "c", "d", c="", d=""),
    ),
    "a merge is not on its branch": (
        ONE_LINE,
        [call("merge", 1, 2, LAKE, "side", "main", value="m")],
        Held(branches={"side": {}}, logs={"side": ("s",)}),
    ),
    "a merge misses a commit": (
        CAUSAL,
        [commit(1, 2, "c"), call("merge", 3, 4, LAKE, "side", "main", value="m")],
        Held(
            branches={"main": {}, "side": {}},
            logs={"main": ("c",), "side": ("m",)},
            ancestors={"m": frozenset({"m"})},
            commits={"c": {}},
        ),
    ),
    "a branch that is not clean": (
        "branch-starts-clean",
        [
            branch_call("create_branch", 1, 2),
            write(3, 4, "1", "side"),
            branch_call("delete_branch", 5, 6),
            branch_call("create_branch", 7, 8),
        ],
        SIDE,
    ),
    "a read of what was written to the branch before": (
        "branch-starts-clean",
        [
            branch_call("create_branch", 1, 2),
            write(3, 4, "1", "side"),
            branch_call("delete_branch", 5, 6),
            branch_call("create_branch", 7, 8),
            call("get_entry", 9, 10, LAKE, "side", PATH, value="1"),
        ],
        Held(branches={"main": {}, "side": {}}),
    ),
    "a branch is created twice": (
        UNIQUE,
        [branch_call("create_branch", 1, 4), branch_call("create_branch", 2, 3)],
        SIDE,
    ),
    "a write to a deleted branch": (
        INACCESSIBLE,
        [branch_call("create_branch", 1, 2), branch_call("delete_branch", 3, 4), write(5, 6, "1", "side")],
        SIDE,
    ),
    "a branch went with the one before it": (
        BRANCH_SPARED,
        [
            branch_call("create_branch", 1, 2),
            branch_call("delete_branch", 3, 4),
            branch_call("create_branch", 5, 6),
            branch_call("get_branch", 7, 8, code=404),
        ],
        held(),
    ),
}


@pytest.mark.parametrize(("calls", "found"), LEGAL.values(), ids=list(LEGAL))
def test_a_legal_history_of_entries_holds(calls: list[Call], found: Held) -> None:
    assert broken(calls, found) == set()


@pytest.mark.parametrize(("name", "calls", "found"), ILLEGAL.values(), ids=list(ILLEGAL))
def test_what_breaks_an_invariant_of_entries_is_found(name: str, calls: list[Call], found: Held) -> None:
    assert name in IDS
    assert name in broken(calls, found)


CREATED = call("create_repository", 1, 2, "r", "ns/1", value="ns/1")
DELETED = call("delete_repository", 5, 6, "r")
AGAIN = call("create_repository", 7, 8, "r", "ns/2", value="ns/2")


def upload(began: int, ended: int, path: str = "p") -> Call:
    return call("set_entry", began, ended, "r", "main", path, "1")


REPOSITORIES: dict[str, tuple[set[str], list[Call], dict[str, Last]]] = {
    "one life after the other": (
        set(),
        [CREATED, upload(3, 4), DELETED, AGAIN, upload(9, 10, "q")],
        {"r": Last("ns/2", frozenset({"main"}), frozenset({"q"}))},
    ),
    "a path of the life before it": (
        {ZOMBIE},
        [CREATED, upload(3, 4), DELETED, AGAIN],
        {"r": Last("ns/2", frozenset({"main"}), frozenset({"p"}))},
    ),
    "a branch of the life before it": (
        {ZOMBIE},
        [CREATED, call("create_branch", 3, 4, "r", "b", "main"), DELETED, AGAIN],
        {"r": Last("ns/2", frozenset({"main", "b"}))},
    ),
    "what was uploaded is gone": ({WRITE_KEPT}, [CREATED, upload(3, 4)], {"r": Last("ns/1", frozenset({"main"}))}),
    "what was uploaded when the repository may not have been there": (
        set(),
        [call("create_repository", 1, 4, "r", "ns/1"), upload(2, 5)],
        {"r": Last("ns/1", frozenset({"main"}))},
    ),
    "a branch is gone": (
        {EFFECTIVE},
        [CREATED, call("create_branch", 3, 4, "r", "b", "main")],
        {"r": Last("ns/1", frozenset({"main"}))},
    ),
    "an upload after the delete": ({INACCESSIBLE}, [CREATED, DELETED, upload(9, 10)], {}),
    "the old life in a listing": (
        {INACCESSIBLE},
        [CREATED, DELETED, AGAIN, call("list_repositories", 9, 10, "r", value=(("r", "ns/1"),))],
        {},
    ),
    "a refusal says nothing": (set(), [CREATED, call("create_repository", 3, 4, "r", "ns/2", code=409), DELETED], {}),
    "gone while it is being deleted": (set(), [CREATED, call("get_repository", 3, 4, "r", code=410), DELETED], {}),
    "gone before": ({EFFECTIVE}, [CREATED, call("get_repository", 3, 4, "r", code=404), DELETED], {}),
}


@pytest.mark.parametrize(("names", "calls", "last"), REPOSITORIES.values(), ids=list(REPOSITORIES))
def test_repositories_that_come_and_go(names: set[str], calls: list[Call], last: dict[str, Last]) -> None:
    found = {name for name, finding in judge_repositories(calls, last) if isinstance(finding, Violation)}
    assert found == names


def test_every_invariant_has_one_line() -> None:
    assert len(set(IDS)) == len(IDS) == 20


def test_the_history_tells_every_call_twice_in_the_order_of_events() -> None:
    recorder = Recorder()
    one = recorder.begin(1, "get_repository", ("r",))
    other = recorder.begin(2, "commit", ("r", "main", "m"))
    third = recorder.begin(0, "get_branch", ("r", "main"))
    recorder.end(one, Answer(Status.FAIL, 404, words="404: no such repository"))
    recorder.end(other, Answer(Status.INFO, 500))
    recorder.end(third, Answer(Status.OK, 200, "c1", server="h:8000"))
    told = [json.loads(line) for line in lines(recorder.calls)]
    assert [(event["process"], event["type"], event.get("http")) for event in told] == [
        (1, "invoke", None),
        (2, "invoke", None),
        (0, "invoke", None),
        (1, "fail", 404),
        (2, "info", 500),
        (0, "ok", 200),
    ]
    assert told[-1]["server"] == "h:8000"
    assert third.shown == "get_branch(r, main) [3, 6] ok 200 at h:8000"
    assert [event["time"] for event in told] == sorted(event["time"] for event in told)
    assert (one.ended, other.ended, other.noted) == (4, NEVER, 5)


def test_what_a_round_begins_with_is_there_in_the_end() -> None:
    there = Held(branches={"main": {}, "merged": {}})
    assert list(judge_founded("lake", ("main", "merged"), there)) == []
    del there.branches["main"]
    [(name, finding)] = judge_founded("lake", ("main", "merged"), there)
    assert name == "create-is-effective"
    assert isinstance(finding, Violation)
    assert finding.evidence == "branch main of lake was made in the beginning and never deleted; in the end it is gone"

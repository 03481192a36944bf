"""Commits, and the branches and tags that lead to them: hand-made histories, legal and illegal."""

import pytest

from lakeproof.model.invariants import Reached, Violation
from lakeproof.services.calls import Call
from lakeproof.services.heads import HEAD_MOVED, ONE_LINE, REVERTED, judge_heads
from lakeproof.services.held import Held
from lakeproof.services.presence import EFFECTIVE, INACCESSIBLE, UNIQUE
from tests.services.test_judging import LAKE, call


def commit(began: int, ended: int, name: str, branch: str = "moved") -> Call:
    return call("commit", began, ended, LAKE, branch, name, value=name)


def hard(began: int, ended: int, ref: str) -> Call:
    return call("hard_reset", began, ended, LAKE, "moved", ref)


def head(began: int, ended: int, found: str) -> Call:
    return call("get_branch", began, ended, LAKE, "moved", value=found)


def undo(name: str, began: int, ended: int, ref: str, unique: str, value: str | None = None) -> Call:
    return call(name, began, ended, LAKE, "undone", ref, unique, value=value)


def line(branch: str, *log: str, messages: dict[str, str] | None = None, **commits: dict[str, str]) -> Held:
    """The commits of a branch, newest first, and what some of them hold."""
    return Held(branches={branch: {}}, logs={branch: log}, commits=dict(commits), messages=messages or {})


def tag(name: str, began: int, ended: int, *rest: str, value: str | None = None, code: int = 0) -> Call:
    return call(name, began, ended, LAKE, "t", *rest, value=value, code=code)


def judged(calls: list[Call], held: Held) -> tuple[set[str], set[str]]:
    found = list(judge_heads(calls, held))
    broken = {name for name, finding in found if isinstance(finding, Violation)}
    return broken, {name for name, finding in found if isinstance(finding, Reached)}


PICKED = {"first": {}, "a": {"p": "1"}, "b": {"p": "1", "q": "2"}}
LEGAL: dict[str, tuple[list[Call], Held, str]] = {
    "a reset takes commits away": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 6, "a")],
        line("moved", "a"),
        HEAD_MOVED,
    ),
    "a head after a reset": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 6, "a"), head(7, 8, "a")],
        line("moved", "a"),
        HEAD_MOVED,
    ),
    "either head beside a reset": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 9, "a"), head(6, 7, "b")],
        line("moved", "a"),
        HEAD_MOVED,
    ),
    "a reset that nobody answered may come later": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 0, "a"), commit(6, 7, "c"), head(8, 9, "a")],
        line("moved", "a"),
        "",
    ),
    "a commit that nobody answered may be the head": (
        [commit(1, 2, "a"), commit(3, 0, "b"), head(4, 5, "b")],
        line("moved", "b", "a"),
        "",
    ),
    "a revert": (
        [undo("revert", 1, 2, "b", "m")],
        line("undone", "r", "b", "a", "first", messages={"r": "m"}, **PICKED, r={"p": "1"}),
        REVERTED,
    ),
    "a revert of a service that keeps no messages": (
        [undo("revert", 1, 2, "b", "m")],
        line("undone", "r", "b", "a", "first", **PICKED, r={"p": "9"}),
        "",
    ),
    "a cherry-pick": (
        [undo("cherry_pick", 1, 2, "b", "m", "c")],
        Held(
            branches={"undone": {}},
            logs={"undone": ("c", "x"), "moved": ("b", "a")},
            commits={**PICKED, "x": {"z": "9"}, "c": {"z": "9", "q": "2"}},
        ),
        REVERTED,
    ),
    "tags come and go": (
        [
            tag("create_tag", 1, 2, "a", value="a"),
            tag("get_tag", 3, 4, value="a"),
            tag("delete_tag", 5, 6),
            tag("create_tag", 7, 8, "b", value="b"),
            tag("get_tag", 9, 10, value="b"),
        ],
        Held(),
        EFFECTIVE,
    ),
    "a tag of a branch that nobody answered": (
        [tag("create_tag", 1, 0, "main"), tag("get_tag", 3, 4, value="z")],
        Held(),
        "",
    ),
}
ILLEGAL: dict[str, tuple[list[Call], Held, str]] = {
    "a hard reset that was not done": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 6, "a"), head(7, 8, "b")],
        line("moved", "b", "a"),
        HEAD_MOVED,
    ),
    "a hard reset that is undone in the end": (
        [commit(1, 2, "a"), commit(3, 4, "b"), hard(5, 6, "a")],
        line("moved", "b", "a"),
        HEAD_MOVED,
    ),
    "a stale head": ([commit(1, 2, "a"), commit(3, 4, "b"), head(5, 6, "a")], line("moved", "b", "a"), HEAD_MOVED),
    "a head that nobody made": ([commit(1, 2, "a"), head(3, 4, "z")], line("moved", "a"), HEAD_MOVED),
    "a revert is not on its branch": (
        [undo("revert", 1, 2, "b", "m"), undo("revert", 3, 4, "a", "n")],
        line("undone", "r", "b", "a", messages={"r": "m"}),
        ONE_LINE,
    ),
    "a revert that changes nothing": (
        [undo("revert", 1, 2, "b", "m")],
        line("undone", "r", "b", "a", messages={"r": "m"}, **PICKED, r=PICKED["b"]),
        REVERTED,
    ),
    "a revert that takes more": (
        [undo("revert", 1, 2, "b", "m")],
        line("undone", "r", "b", "a", messages={"r": "m"}, **PICKED, r={}),
        REVERTED,
    ),
    "a cherry-pick that brings more": (
        [undo("cherry_pick", 1, 2, "b", "m", "c")],
        Held(
            branches={"undone": {}},
            logs={"undone": ("c", "x"), "moved": ("b", "a")},
            commits={**PICKED, "x": {}, "c": {"p": "1", "q": "2"}},
        ),
        REVERTED,
    ),
    "two tags at once": (
        [tag("create_tag", 1, 4, "a", value="a"), tag("create_tag", 2, 3, "a", value="a")],
        Held(),
        UNIQUE,
    ),
    "a tag that is deleted and there": (
        [tag("create_tag", 1, 2, "a", value="a"), tag("delete_tag", 3, 4), tag("get_tag", 5, 6, value="a")],
        Held(),
        INACCESSIBLE,
    ),
    "a tag that is gone": (
        [tag("create_tag", 1, 2, "a", value="a"), tag("get_tag", 3, 4, code=404)],
        Held(),
        EFFECTIVE,
    ),
    "a tag that leads elsewhere": (
        [tag("create_tag", 1, 2, "a", value="a"), tag("get_tag", 3, 4, value="b")],
        Held(),
        EFFECTIVE,
    ),
}


@pytest.mark.parametrize(("calls", "held", "reached"), LEGAL.values(), ids=list(LEGAL))
def test_a_legal_history_of_heads_holds(calls: list[Call], held: Held, reached: str) -> None:
    broken, found = judged(calls, held)
    assert broken == set()
    assert not reached or reached in found


@pytest.mark.parametrize(("calls", "held", "name"), ILLEGAL.values(), ids=list(ILLEGAL))
def test_what_breaks_an_invariant_of_heads_is_found(calls: list[Call], held: Held, name: str) -> None:
    assert name in judged(calls, held)[0]

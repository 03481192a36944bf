"""Calls that meet others: planted bugs are found; the flows as they are hold."""

import pytest

from lakeproof.explore.search import search
from lakeproof.impl.graveler import lock_free, resetting, tokens, writing
from lakeproof.model.errors import BranchBusy, PathExists
from lakeproof.model.invariants.met import Answer, Meeting, Met, met_as_specified
from lakeproof.model.records import Branch
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from lakeproof.scenario import Scenario
from lakeproof.scenarios import met
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios.branches_alone import INITIAL

BY_NAME = {scenario.name: scenario for scenario in met.SCENARIOS}


def verdict(scenario: Scenario) -> str:
    checked = scenario.aftermath[-1]
    return next(finding.verdict for finding in search(scenario).findings if finding.id == checked.id)


async def yes(*_: object) -> bool:
    return True


def nothing_over(*_: object) -> tuple[str, ...]:
    return ()


async def not_forgotten(*_: object) -> None:
    """Leave what is staged."""


def all_ours(ours: tokens.Tokens, branch: Branch) -> tokens.Tokens:
    return ours if branch.sealed_tokens else ()


PLANTED: list[tuple[str, object, str, object]] = [
    ("met/lock-free/write-commit", writing, "same_token", yes),
    ("met/lock-free/layers-commit-reset_entry.read", lock_free, "restorations_over", nothing_over),
    ("met/lock-free/crossed-commit-commit.write:y.write:z.seal", lock_free, "still_sealed", all_ours),
    ("met/lock-free/reset_entry-seal", resetting, "unstage", not_forgotten),
    ("met/lock-free/often-write", tokens, "WriteNotSettled", PathExists),
]


@pytest.mark.parametrize("name", sorted({name for name, *_ in PLANTED}))
def test_the_flows_as_they_are_answer_as_specified(name: str) -> None:
    assert verdict(BY_NAME[name]) == "holds"


@pytest.mark.parametrize(("name", "module", "what", "instead"), PLANTED)
def test_a_planted_bug_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, module: object, what: str, instead: object
) -> None:
    monkeypatch.setattr(module, what, instead)
    assert verdict(BY_NAME[name]) == "violated"


RESET = ("reset_branch", (REPOSITORY, BRANCH))
BUSY = Answer(error=(BranchBusy, (BRANCH,)))
EMPTY = Snapshot({}, {}, 0, ())


@pytest.mark.parametrize("others", [(), (RESET,)])
def test_a_call_that_tries_more_than_once_may_not_give_up(others: tuple[tuple[str, tuple[object, ...]], ...]) -> None:
    check = met_as_specified([Meeting(RESET, others)], INITIAL, lambda *_: None, drops=True)
    (found,) = check((Outcome(Status.OK, Met(BUSY, (Answer(),) * len(others))),), EMPTY)
    assert "in no order right" in str(found)


def test_a_call_that_tries_once_may_give_up_only_if_it_has_met_others() -> None:
    for others, right in (((), False), ((RESET,), True)):
        check = met_as_specified([Meeting(RESET, others, once=True)], INITIAL, lambda *_: None, drops=True)
        (found,) = check((Outcome(Status.OK, Met(BUSY, (Answer(),) * len(others))),), EMPTY)
        assert ("in no order right" in str(found)) is not right

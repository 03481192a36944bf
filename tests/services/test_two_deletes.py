"""docs/lakefs-today.md, "Two deletes that both answer 404": the schedule that it tells is found, and is as long."""

import re
from pathlib import Path

from tests.commands import lakeproof

FILE = """
from lakeproof import Call, Scenario
from lakeproof.impl.upstream.repositories import create_branch, create_repository, delete_repository
from lakeproof.model.invariants import Eventually, Reached, Violation
from lakeproof.model.snapshot import Status


def some_delete_succeeds(snapshot):
    answers = [call for calls in snapshot.clients for call in calls]
    if all(call.status is Status.FAIL for call in answers):
        yield Violation("some-delete-succeeds", ", ".join(type(call.error).__name__ for call in answers))
    else:
        yield Reached("one has succeeded")


ONE = Eventually(id="some-delete-succeeds", meaning="of two deletes one succeeds", check=some_delete_succeeds)
DELETE, CREATE = Call(delete_repository, "r"), Call(create_repository, "r")
SCENARIOS = [
    Scenario(
        name="two/deletes/two-branches",
        setup=[CREATE, Call(create_branch, "r", "b")],
        clients=[[DELETE], [DELETE]],
        invariants=[ONE],
        expect={"some-delete-succeeds": "violated"},
    ),
    Scenario(name="two/deletes/one-branch", setup=[CREATE], clients=[[DELETE], [DELETE]], invariants=[ONE]),
    Scenario(
        name="two/deletes/and-a-third",
        setup=[CREATE, Call(create_branch, "r", "b")],
        clients=[[DELETE, DELETE], [DELETE]],
        invariants=[ONE],
    ),
]
"""


def test_two_deletes_of_a_repository_with_two_branches_may_both_fail_and_a_third_succeeds(tmp_path: Path) -> None:
    """The third comes after one of the two; no schedule lets all of them fail."""
    (tmp_path / "two.py").write_text(FILE)
    result = lakeproof("verify", "--from", str(tmp_path / "two.py"), "--out", str(tmp_path / "traces"))
    assert result.exit_code == 0, result.output
    [trace] = (tmp_path / "traces").iterdir()
    shown = lakeproof("show", str(trace)).stdout
    assert re.match(r"some-delete-succeeds is violated in two/deletes/two-branches, 18 steps", shown)
    assert "BranchNotFound, BranchNotFound" in shown

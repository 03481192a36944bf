"""The gallery: each file is complete, and refuted and proved as it says."""

import runpy
import shutil
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

from lakeproof import Call, Client, check
from lakeproof.model.invariants import Liveness
from lakeproof.scenario import recovery
from tools.pages.gallery import FOLDER, Bug, bugs, problems

BUGS = bugs()


def run_gallery(folder: Path = FOLDER) -> int:
    """Run the program that `make gallery` runs."""
    return int(runpy.run_path(str(folder / "__main__.py"))["main"]([]))


def planted(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A copy of the gallery's program and of one file, with texts of the file replaced."""
    shutil.copy(FOLDER / "__main__.py", folder)
    text = (FOLDER / f"{name}.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.py"
    path.write_text(text)
    return path


def without_options(calls: Sequence[Call]) -> Sequence[Call]:
    """The same calls, as published: options are what repairs a flow."""
    plain = [Call(call.flow, *call.args) for call in calls]
    recover = [Call(call.flow, *call.args) for call in recovery(calls)]
    return Client(plain, recover=recover) if recover else plain


def test_there_are_at_least_thirty_bugs_and_each_has_a_title_of_its_own() -> None:
    assert len(BUGS) >= 30
    assert len({bug.paragraphs[0] for bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_a_file_cites_its_threads_has_both_scenarios_and_at_most_thirty_lines_of_flows(bug: Bug) -> None:
    assert list(problems(bug)) == []


def test_all_are_refuted_and_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_gallery() == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == f"{len(BUGS)} bugs: all as expected"
    for line, bug in zip(lines, BUGS, strict=True):
        assert line.split()[0] == bug.name
        assert f" refuted in {bug.constant('STEPS')} steps; repaired: proved, " in line


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_a_repaired_scenario_is_violated_without_its_repair(bug: Bug) -> None:
    repaired = bug.scenarios[1]
    [invariant] = repaired.named_ids
    check(
        attrs.evolve(
            repaired,
            setup=without_options(repaired.setup),
            clients=[without_options(calls) for calls in repaired.clients],
            expect={invariant: "violated"},
        )
    )


SAFE = [bug for bug in BUGS if not any(isinstance(each, Liveness) for each in bug.scenarios[1].invariants)]
"""Whose invariants no crash may break: progress may well need that whoever holds a lock goes on."""


@pytest.mark.parametrize("bug", SAFE, ids=[bug.name for bug in SAFE])
def test_a_repaired_scenario_holds_with_another_crash(bug: Bug) -> None:
    repaired = bug.scenarios[1]
    check(attrs.evolve(repaired, faults=attrs.evolve(repaired.faults, crashes=repaired.faults.crashes + 1)))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("paimon_rename", 'Call(commit, "w1", conditional=True)', 'Call(commit, "w1")', "is violated, expected holds"),
        ("paimon_rename", "    if conditional:", "    if True:", "is holds, expected violated"),
        ("paimon_rename", "STEPS = 7", "STEPS = 6", "refuted in 7 steps"),
        ("paimon_rename", "yield Reached(", "str(", "is inconclusive, expected holds"),
    ],
)
def test_a_bug_that_is_not_as_its_file_says_ends_the_run_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str, said: str
) -> None:
    planted(tmp_path, name, (old, new))
    assert run_gallery(tmp_path) == 1
    out = capsys.readouterr().out
    assert said in out
    assert "NOT AS EXPECTED" in out
    assert out.endswith("1 bug: NOT AS EXPECTED\n")

"""Verdicts for other tools: each format counts the same, and no text of a scenario breaks out of it."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from lakeproof.show.formats import render_verdicts
from lakeproof.show.formats.common import SourceLine, place_at
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome
from tests.commands import ROOT, lakeproof
from tests.show.hostile import ALL, HOSTILE
from tests.show.test_page import Reading
from tests.show.traces import EARLY, RACE, outcome, verdict

SOURCE = Source(Path("flows.py"))


NEVER = "it was never reached"
LOST = outcome(
    "counters/lost",
    verdict("counts", "violated"),
    verdict("known", "violated", "violated"),
    verdict("gone", "holds", "violated"),
    verdict("fine", "holds"),
    verdict("open", "inconclusive", why=NEVER),
    verdict("left-open", "inconclusive", "inconclusive", NEVER),
)
TROUBLE = "flows.py:3: counters/broken: no"
BROKEN = outcome("counters/broken", verdict("counts", "inconclusive", why=TROUBLE), trouble=TROUBLE)
EVIL = outcome(ALL, verdict(ALL, "violated", trace=HOSTILE), verdict(ALL + "2", "inconclusive", ALL, NEVER))
EVIL_BROKEN = outcome(ALL, trouble=ALL)


def shown(format_: str, *outcomes: Outcome) -> str:
    # A folder in bytes that are no text: what is shown must be text all the same.
    traces = {
        (each.scenario, one.invariant): Path(f"out\udcff/{n}.json")
        for each in outcomes
        for n, one in enumerate(each.verdicts)
    }
    return render_verdicts(format_, outcomes, traces, SOURCE).encode().decode()


class TestJUnit:
    def test_a_surprise_fails_an_expected_violation_passes_and_trouble_is_an_error(self) -> None:
        root = ET.fromstring(shown("junit", LOST, BROKEN))  # noqa: S314  # we have written it
        found = {
            (str(case.get("classname")), str(case.get("name"))): [child.tag for child in case]
            for case in root.iter("testcase")
        }
        lost = "counters/lost"
        assert found == {
            (lost, "counts"): ["failure"],
            (lost, "known"): ["system-out"],
            (lost, "gone"): ["failure"],
            (lost, "fine"): [],
            (lost, "open"): ["failure"],
            (lost, "left-open"): ["skipped"],
            ("counters/broken", "counts"): ["error"],
        }
        assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
            "tests": "7",
            "failures": "3",
            "errors": "1",
            "skipped": "1",
        }
        assert [suite.get("time") for suite in root] == ["1.250", "1.250"]

    def test_hostile_text_stays_text(self) -> None:
        root = ET.fromstring(shown("junit", EVIL))  # noqa: S314
        assert {found.tag for found in root.iter()} == {"testsuites", "testsuite", "testcase", "failure"}
        assert root.get("failures") == "2"


class TestGitHub:
    def test_hostile_text_is_no_command_and_no_property(self) -> None:
        lines = shown("github", EVIL, EVIL_BROKEN).splitlines()
        assert [line.partition(" ")[0] for line in lines] == ["::error", "::error", "::error", "::notice"]
        for line in lines:
            properties = line.removeprefix("::").partition(" ")[2].partition("::")[0]
            assert re.fullmatch(r"(file=[^,:]*,)?(line=\d+,)?title=[^,:]*", properties)


class TestSARIF:
    def test_a_result_for_each_surprise_with_the_schedule_as_a_flow(self) -> None:
        log = json.loads(shown("sarif", LOST, BROKEN))
        assert log["version"] == "2.1.0"
        [run] = log["runs"]
        assert [(found["ruleId"], found["level"]) for found in run["results"]] == [
            ("counts", "error"),
            ("gone", "error"),
            ("open", "warning"),
            ("counts", "error"),
        ]
        assert "flows.py:3: counters/broken: no" in run["results"][-1]["message"]["text"]
        rules = run["tool"]["driver"]["rules"]
        assert [rules[found["ruleIndex"]]["id"] for found in run["results"]] == ["counts", "gone", "open", "counts"]
        assert rules[0]["shortDescription"]["text"] == RACE.meaning
        flow = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
        assert len(flow) == len(RACE.schedule)
        assert flow[0]["location"]["message"]["text"] == "1. a reads counters/n: not found"
        assert all(one["location"]["physicalLocation"]["region"]["startLine"] > 0 for one in flow)
        assert run["invocations"][0]["executionSuccessful"] is False

    def test_a_violation_before_any_step_has_no_flow(self) -> None:
        """The schema of SARIF wants a location in each, and code scanning refuses the whole log."""
        log = json.loads(shown("sarif", outcome("counters/lost", verdict("counts", "violated", trace=EARLY))))
        assert "codeFlows" not in log["runs"][0]["results"][0]


class TestMarkdown:
    def test_hostile_text_ends_no_cell_no_fence_and_no_fold(self) -> None:
        told = shown("markdown", EVIL)
        [header, *_] = [line for line in told.splitlines() if line.startswith("| scenario")]
        for row in [line for line in told.splitlines() if line.startswith("| &lt;")]:
            assert len(re.findall(r"(?<!\\)\|", row)) == header.count("|")
        outside, fence = [], ""
        for line in told.splitlines():
            if not fence and (found := re.match("`{3,}", line)):
                fence = found[0]
            elif fence and line == fence:
                fence = ""
            elif not fence:
                outside.append(line)
        assert fence == ""
        assert {tag for tag, _ in Reading("\n".join(outside)).elements} == {"details", "summary"}


@pytest.mark.parametrize("format_", ["junit", "github", "sarif", "markdown"])
def test_no_open_verdict_and_no_scenario_that_could_not_be_run_is_silent(format_: str) -> None:
    alone = outcome("counters/lost", verdict("open", "inconclusive", why=NEVER))
    quiet = outcome("counters/lost", verdict("open", "inconclusive", "inconclusive", NEVER))
    assert NEVER in shown(format_, alone)
    assert re.search("counters/broken|could not be run", shown(format_, BROKEN), re.IGNORECASE)
    assert shown(format_, alone) != shown(format_, quiet)


def test_a_place_needs_a_file_and_a_line() -> None:
    assert place_at("a/b.py:12", SOURCE) == SourceLine("a/b.py", 12)
    assert [place_at(at, SOURCE) for at in ("", "b.py", ":3", "b.py:x", "b.py:²")] == [None] * 5


def test_a_place_in_a_module_that_the_file_imports_has_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType("pkg.no_others_name")
    module.__file__ = str(tmp_path / "pkg" / "no_others_name.py")
    Path("pkg").mkdir()
    Path("pkg", "no_others_name.py").touch()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert place_at("no_others_name.py:3", SOURCE) == SourceLine("pkg/no_others_name.py", 3)


FLOWS = """\
from lakeproof import Call, Eventually, Scenario, Violation


async def take(env):
    await env.store.set(b"shop", b"stock", b"taken: 1, 100%")


def nothing_is_there(snapshot):
    if snapshot.store:
        yield Violation("nothing-is-there", "it holds: 1, 100%")


SCENARIOS = [
    Scenario(
        name="shop/take",
        clients=[[Call(take)]],
        invariants=[Eventually(id="nothing-is-there", meaning="nothing is there", check=nothing_is_there)],
    )
]
"""


def test_the_problem_matcher_of_the_page_finds_the_line_of_the_flow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    block = re.search(r"```json\n(\{\n  \"version\": \"2\.0\.0\".*?)```", page, re.DOTALL)
    assert block
    (task,) = json.loads(block[1])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(FLOWS)
    words = task["command"].replace("${relativeFile}", "shop.py").split()
    lines = lakeproof(*words[1:]).stdout.splitlines()
    (found,) = filter(None, (re.match(pattern["regexp"], line) for line in lines))
    assert found[pattern["severity"]] == "error"
    assert (found[pattern["file"]], found[pattern["line"]]) == ("shop.py", "5")
    assert "nothing-is-there" in found[0]
    assert found[pattern["message"]].startswith("shop/take")

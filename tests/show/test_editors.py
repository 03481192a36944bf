"""A surprise is found by an editor at its line, with the problem matcher of docs/ci.md."""

import json
import re
from pathlib import Path

import pytest

from tests.commands import ROOT, lakeproof

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

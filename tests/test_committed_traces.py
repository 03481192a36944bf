"""The traces in examples/traces: the races that the hard-delete document names, and more, replayed step by step."""

from pathlib import Path

import pytest

from lakeproof.search import trace as traces
from tests.commands import ROOT, lakeproof

FOLDER = ROOT / "examples" / "traces"
SCENARIOS = (FOLDER / "SCENARIOS").read_text().split()
FILES = sorted(FOLDER.glob("*.json"))


def test_every_scenario_of_the_list_has_a_trace_and_every_trace_is_of_the_list() -> None:
    assert {traces.read(path).scenario for path in FILES} == set(SCENARIOS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_code_still_does_what_the_trace_says(path: Path) -> None:
    result = lakeproof("replay", str(path))
    assert result.exit_code in (0, 1), result.output
    assert result.stdout.splitlines()[-1].startswith("replayed: ")

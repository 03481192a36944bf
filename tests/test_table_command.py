"""`lakeproof table`: what was verified, as Markdown."""

import json
from pathlib import Path

import pytest

from tests.commands import lakeproof

pytestmark = pytest.mark.usefixtures("in_tmp_path")


def verdict(scenario: str, invariant: str, told: str) -> str:
    return json.dumps({"scenario": scenario, "invariant": invariant, "verdict": told, "expected": "holds"}) + "\n"


def test_rows_are_variants_and_columns_invariants_and_one_violation_counts() -> None:
    Path("verdicts").write_text(
        verdict("d/one/a", "kept", "holds")
        + verdict("d/one/b", "kept", "violated")
        + verdict("d/two/a", "kept", "holds")
        + verdict("d/two/a", "found", "inconclusive")
    )
    assert lakeproof("table", "verdicts").stdout.splitlines() == [
        "## d",
        "",
        "| | `kept` | `found` |",
        "| --- | --- | --- |",
        "| `one` | **violated** in 1 of 2 | - |",
        "| `two` | holds (1) | ? (1) |",
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "holds no verdicts"),
        ("{}\n", "line 1: '{}' is no verdict"),
        (verdict("d/one/a", "kept", "holds") + "nonsense\n", "line 2: 'nonsense' is no verdict"),
        (verdict("d/one/a", "kept", "perhaps"), "line 1: "),
        ("[]\n", "line 1: '[]' is no verdict"),
    ],
)
def test_what_is_no_verdict_is_refused_by_its_line(content: str, told: str) -> None:
    Path("verdicts").write_text(content)
    result = lakeproof("table", "verdicts")
    assert result.exit_code == 2
    assert f"lakeproof: verdicts: {told}" in result.stderr
    assert result.stdout == ""

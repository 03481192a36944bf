"""Released programs behind the gate: what is known of each of them, and what is proved."""

import json
import sys
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from tests.commands import lakeproof

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "gate"
TRACES = sorted((ROOT / "docs" / "gallery" / "traces").glob("*.json"))
OF_OTHER_RELEASES = ("slatedb_stalled-writer.acknowledged_is_there",)
"""Replayed by test_releases.py; those of lakeFS, by test_lakefs.py."""
INSTALLED = [each for each in TRACES if each.stem not in OF_OTHER_RELEASES and not each.stem.startswith("lakefs_")]

deep = pytest.mark.deep
RANDOM = ("--strategy", "random", "--schedules", "5")
COVERS = "parallel requests as threads"
"""What the verdicts on the files below cover."""


def run(tmp_path: Path, file: str, name: str, *words: str) -> tuple[int, dict[str, dict[str, object]]]:
    """The exit code, and the row of each invariant of one scenario."""
    asked = ["gate", "run", str(EXAMPLES / file), name, "--json", "--out", str(tmp_path), *words]
    result = lakeproof(*asked)
    sys.stderr.write(result.stderr)  # why, if the test fails
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {row["invariant"]: row for row in rows if row["scenario"] == name}


FEW: Final = 20
"""Schedules of a deep test, at most; others are long."""


def pair(file: str, name: str, classes: int) -> ParameterSet:
    return pytest.param(file, name, classes, marks=pytest.mark.deep if classes <= FEW else pytest.mark.long, id=name)


@pytest.mark.parametrize(
    ("file", "name", "invariant", "schedules"),
    [
        ("delta.py", "delta/one-append/lost-answer", "recorded_once", ()),
        pytest.param(*("delta.py", "delta/optimize-optimize", "readable_and_explained", RANDOM), marks=deep),
        pytest.param(
            "icechunk_repository.py", "icechunk/one-commit/lost-answer", "refused_is_not_there", (), marks=deep
        ),
        pytest.param("iceberg_catalog.py", "iceberg/one-rename/lost-answer", "each_table_has_one_name", (), marks=deep),
        pytest.param("lance_table.py", "lance/append-cleanup-unverified", "readable_and_explained", RANDOM, marks=deep),
    ],
)
def test_what_is_known_of_a_program_is_found_and_replays(
    tmp_path: Path, file: str, name: str, invariant: str, schedules: tuple[str, ...]
) -> None:
    _, rows = run(tmp_path, file, name, *schedules)
    row = rows[invariant]
    assert (row["verdict"], row["expected"]) == ("violated", "violated")
    again = lakeproof("gate", "replay", str(row["trace"]), "--from", str(EXAMPLES / file))
    assert again.exit_code == 1, again.output
    assert f"violated: {invariant}" in again.output


@pytest.mark.parametrize(
    ("file", "name", "classes"),
    [
        ("slatedb_store.py", "slatedb/one-put/lost-answer", 7),
        pair("delta.py", "delta/delete-delete", 6),
        pair("lance_table.py", "lance/append-append", 6),
        pair("icechunk_repository.py", "icechunk/commit-commit", 10),
    ],
)
def test_every_class_of_schedules_is_run_and_each_invariant_holds(
    tmp_path: Path, file: str, name: str, classes: int
) -> None:
    code, rows = run(tmp_path, file, name)
    assert code == 0
    assert {(row["verdict"], row["schedules"], row["covers"]) for row in rows.values()} == {("holds", classes, COVERS)}


@pytest.mark.deep
def test_a_sample_that_violates_nothing_is_no_proof(tmp_path: Path) -> None:
    sample = ("--strategy", "pct", "--schedules", "3")
    code, rows = run(tmp_path, "slatedb_store.py", "slatedb/put-put", *sample)
    row = rows["acknowledged_is_there"]
    assert (code, row["verdict"], row["schedules"], row["all"]) == (3, "inconclusive", 3, False)


CLASSES: Final = {
    "delta.py": {
        "delta/append-append": 18, "delta/append-overwrite": 14, "delta/append-delete": 14,
        "delta/append-optimize": 24, "delta/append-vacuum": 2, "delta/append-vacuum-full": 62,
        "delta/overwrite-overwrite": 10, "delta/overwrite-delete": 8, "delta/overwrite-optimize": 18,
        "delta/overwrite-vacuum": 7, "delta/overwrite-vacuum-full": 36, "delta/delete-optimize": 10,
        "delta/delete-vacuum": 7, "delta/delete-vacuum-full": 8, "delta/optimize-optimize": 22,
        "delta/optimize-vacuum": 16, "delta/optimize-vacuum-full": 119, "delta/vacuum-vacuum": 1,
        "delta/vacuum-vacuum-full": 1, "delta/vacuum-full-vacuum-full": 1, "delta/lost-answer/append-append": 282,
        "delta/lost-answer/append-overwrite": 159, "delta/lost-answer/append-delete": 131,
        "delta/lost-answer/append-optimize": 391, "delta/lost-answer/append-vacuum": 11,
        "delta/lost-answer/overwrite-overwrite": 84, "delta/lost-answer/overwrite-delete": 49,
        "delta/lost-answer/overwrite-optimize": 207, "delta/lost-answer/overwrite-vacuum": 76,
        "delta/lost-answer/delete-delete": 22, "delta/lost-answer/delete-optimize": 81,
        "delta/lost-answer/delete-vacuum": 62, "delta/lost-answer/optimize-optimize": 356,
        "delta/lost-answer/optimize-vacuum": 330, "delta/lost-answer/vacuum-vacuum": 1,
    },
    "lance_table.py": {
        "lance/one-append/lost-answer": 7, "lance/one-delete/lost-answer": 5, "lance/one-compact/lost-answer": 11,
        "lance/append-overwrite": 6, "lance/append-delete": 6, "lance/append-compact": 16, "lance/append-cleanup": 9,
        "lance/append-cleanup-unverified": 9, "lance/overwrite-overwrite": 6, "lance/overwrite-delete": 6,
        "lance/overwrite-compact": 16, "lance/overwrite-cleanup": 9, "lance/delete-delete": 6,
        "lance/delete-compact": 16, "lance/compact-compact": 62, "lance/compact-cleanup": 27,
        "lance/delete-cleanup": 7,
    },
    "icechunk_repository.py": {
        "icechunk/one-commit/lost-answer": 7, "icechunk/one-commit/refusal": 4, "icechunk/commit-collect": 9,
    },
    "slatedb_store.py": {
        "slatedb/put-put": 48, "slatedb/put-collect": 63,
    },
}  # fmt: skip
"""By file: of each pair of calls, how many classes of schedules there are."""


@pytest.mark.parametrize(
    ("file", "name", "classes"), [pair(file, *each) for file, pairs in CLASSES.items() for each in pairs.items()]
)
def test_each_pair_of_calls_has_the_verdict_that_its_page_tells(
    tmp_path: Path, file: str, name: str, classes: int
) -> None:
    code, rows = run(tmp_path, file, name)
    assert code == 0
    assert {(row["schedules"], row["covers"]) for row in rows.values()} == {(classes, COVERS)}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "classes", "violated"),
    [
        ("iceberg/create-create", 2, ""),
        ("iceberg/rename-rename", 4, ""),
        ("iceberg/rename-drop", 3, ""),
        ("iceberg/rename-replace", 7, "what_was_created_is_there"),
        ("iceberg/one-create/lost-answer", 9, "what_was_refused_is_not_there"),
        ("iceberg/one-rename/lost-answer", 5, "each_table_has_one_name"),
    ],
)
def test_a_catalog_of_iceberg_has_the_verdicts_that_its_page_tells(
    tmp_path: Path, name: str, classes: int, violated: str
) -> None:
    code, rows = run(tmp_path, "iceberg_catalog.py", name)
    assert code == 0
    assert {(row["schedules"], row["all"]) for row in rows.values()} == {(classes, True)}
    assert [each for each, row in rows.items() if row["verdict"] == "violated"] == ([violated] if violated else [])


def replayed(trace: Path, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    told = json.loads(trace.read_text())
    result = lakeproof("gate", "replay", str(trace), "--from", told["file"], "--times", str(times))
    [invariant] = told["violated"]
    told = f"{times} of {times}: violated, same invariant: {invariant}"
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, told), result.output


@pytest.mark.long
@pytest.mark.parametrize("trace", INSTALLED, ids=[each.stem for each in INSTALLED])
def test_a_trace_of_the_gallery_has_one_verdict_in_a_hundred_replays(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed(trace, 100, monkeypatch)


LOST_ANSWERS = [each for each in TRACES if "lost-answer" in each.name and "delta" in each.name]


@pytest.mark.deep
@pytest.mark.parametrize("trace", LOST_ANSWERS, ids=[each.stem for each in LOST_ANSWERS])
def test_the_trace_of_a_lost_answer_has_one_verdict_every_time(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):  # each with a setup of its own
        replayed(trace, 3, monkeypatch)


def test_the_gallery_has_traces_and_each_is_told_of() -> None:
    pages = (ROOT / "docs" / "gate-findings.md").read_text()
    assert TRACES
    assert [trace.name for trace in TRACES if trace.name not in pages] == []

"""A running lakeFS behind the gate, where the environment names a binary; and what is said where it does not."""

import json
import os
from pathlib import Path

import pytest

from tests.commands import lakeproof

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "lakefs"
TRACES = sorted((ROOT / "docs" / "gallery" / "traces").glob("lakefs_*.json"))
NAMED = "LAKEPROOF_LAKEFS"
runs = pytest.mark.skipif(not Path(os.environ.get(NAMED, "")).is_file(), reason=f"{NAMED} names no lakeFS binary")


@runs
@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "schedules"), [("lakefs/create-create", 20), ("lakefs/create-delete", 51), ("lakefs/delete-create", 204)]
)
def test_a_creation_and_a_deletion_of_lakefs_have_so_many_classes(tmp_path: Path, name: str, schedules: int) -> None:
    words = ["gate", "run", str(EXAMPLES / "repositories.py"), name, "--json", "--out", str(tmp_path)]
    result = lakeproof(*words)
    assert result.exit_code == 0, result.output
    for row in map(json.loads, result.stdout.splitlines()):
        assert (row["verdict"], row["schedules"], row["all"]) == ("holds", schedules, False)
        assert row["covers"].startswith("parallel requests as threads")


@runs
@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "schedules", "violating"),
    [
        ("create-branch-create-branch", 4, 0),
        ("create-branch-delete-branch", 2, 0),
        ("delete-branch-create-branch", 2, 0),
        ("delete-branch-delete-branch", 16, 12),
        ("create-branch-create", 1, 0),
        ("create-branch-delete", 14, 0),
        ("delete-branch-create", 1, 0),
        ("delete-branch-delete", 13, 1),
        ("upload-commit", 22, 0),
    ],
)
def test_branches_of_lakefs_in_all_pairs_and_an_upload_with_a_commit_have_so_many_classes(
    tmp_path: Path, name: str, schedules: int, violating: int
) -> None:
    words = ["gate", "run", str(EXAMPLES / "branches.py"), f"lakefs/{name}", "--json", "--out", str(tmp_path)]
    result = lakeproof(*words)
    assert result.exit_code == 0, result.output
    row, *others = map(json.loads, result.stdout.splitlines())
    assert (row["verdict"], row["schedules"]) == ("violated" if violating else "holds", schedules)
    assert row["violating"] == violating
    assert [each["verdict"] for each in others] == ["holds"] * len(others)


@runs
@pytest.mark.deep
def test_the_counterexample_of_step1_happens_in_lakefs_and_its_flows_could_have_asked_for_this(tmp_path: Path) -> None:
    scenario = "repositories/step1/delete-delete-create"
    assert lakeproof("verify", scenario, "--out", str(tmp_path)).exit_code == 0
    trace = tmp_path / f"{scenario.replace('/', '_')}.delete-spares-successor.json"
    log = tmp_path / "log.jsonl"
    result = lakeproof("replay", str(trace), "--gate", str(EXAMPLES / "lakefs_profile.py"), "--log", str(log))
    assert result.exit_code == 0, result.output
    assert "of 12 steps that are requests the program made 12, in the order of the trace; " in result.stdout
    words = ["follows", str(log), "--name", "r=repository-r", "--parallel", "--flows"]
    ours = ["lakefs/delete-delete-create", "--from", str(EXAMPLES.parent / "lakefs_today" / "wire.py")]
    assert lakeproof(*words, *ours).exit_code == 0
    refused = lakeproof(*words, scenario)
    assert refused.exit_code == 1
    assert "expected: delete_repository('repository-r') asks for scan repository-r-" in refused.stdout


@runs
@pytest.mark.deep
@pytest.mark.parametrize("trace", TRACES, ids=[each.stem for each in TRACES])
def test_a_trace_of_lakefs_has_one_verdict_in_a_hundred_replays(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    written = json.loads(trace.read_text())
    result = lakeproof("gate", "replay", str(trace), "--from", written["file"], "--times", "100")
    [invariant] = written["violated"]
    told = f"100 of 100: violated, same invariant: {invariant}"
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, told), result.output


def test_without_a_binary_the_service_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(NAMED, str(tmp_path / "nowhere"))
    result = lakeproof("gate", "run", str(EXAMPLES / "repositories.py"), "lakefs/create-delete")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "lakefs_server.py" in result.stderr
    assert "name the lakeFS binary, as in LAKEPROOF_LAKEFS=$(which lakefs)" in capfd.readouterr().err

"""A running lakeFS behind the gate, where the environment names a binary; and what is said where it does not. How many
classes its calls have, and its traces: test_programs.py."""

from pathlib import Path

import pytest

from tests.commands import ROOT, lakeproof
from tests.gate.test_programs import LAKEFS, of_lakefs

EXAMPLES = ROOT / "examples" / "lakefs"


@of_lakefs
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


def test_without_a_binary_the_service_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(LAKEFS, str(tmp_path / "nowhere"))
    result = lakeproof("gate", "run", str(EXAMPLES / "repositories.py"), "lakefs/create-delete")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "lakefs_server.py" in result.stderr
    assert "name the lakeFS binary, as in LAKEPROOF_LAKEFS=$(which lakefs)" in capfd.readouterr().err

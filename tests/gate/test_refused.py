"""What the gate does not have is never judged as the program's behaviour: the run is inconclusive, and says why."""

import json
from pathlib import Path

import pytest

from tests.commands import lakeproof

FILE = Path(__file__).with_name("refused.py")


def run(name: str, out: Path, *words: str) -> tuple[int, dict[str, object], str]:
    """The exit code, the last row, and what was complained of."""
    result = lakeproof("gate", "run", str(FILE), name, "--json", "--out", str(out), *words)
    return result.exit_code, json.loads(result.stdout.splitlines()[-1]) if result.stdout else {}, result.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tags", "tags: c1 PUT bucket/n: x-amz-tagging of a PUT is not known here"),
        ("states", 'ExecuteStatement {"Statement": "UPDATE t SET v = 1"} is not known here'),
        ("expires", "expires: c1 SET n ex 60: EX without GateScenario(expiries=...) is not known here"),
        ("setup", "setup: reader PUT bucket/n: x-amz-tagging of a PUT is not known here"),
        ("after", "after: reader PUT bucket/n: x-amz-tagging of a PUT is not known here"),
    ],
)
def test_a_request_that_the_gate_does_not_have_decides_nothing(tmp_path: Path, name: str, told: str) -> None:
    code, row, said = run(name, tmp_path)
    assert (code, row["verdict"], row["all"]) == (3, "inconclusive", False), said
    assert told in said
    assert "so what follows is not judged; let the program do without it" in said
    assert said.count("not known here") == 1, "once, however often the schedule is tried"


def test_a_bounded_search_and_a_sample_decide_nothing_either(tmp_path: Path) -> None:
    for words in (["--preemptions", "1"], ["--strategy", "pct", "--schedules", "2"]):
        code, row, said = run("tags", tmp_path, *words)
        assert (code, row["verdict"], row["schedules"]) == (3, "inconclusive", 0)
        assert "x-amz-tagging" in said


def test_a_body_too_large_for_the_gate_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeproof.gate.fronts.wire.BODY_BYTES_MAX", 5)
    monkeypatch.setattr("lakeproof.gate.fronts.redis.parser.BODY_BYTES_MAX", 60)
    for name, why in (
        ("s3", "a request of HTTP: a body of more than 5 bytes"),
        ("redis", "c1: a command of more than"),
    ):
        code, row, said = run(f"large/{name}", tmp_path)
        assert (code, row["verdict"]) == (3, "inconclusive")
        assert f"large/{name}: {why}" in said


def test_a_process_that_asks_for_such_a_thing_as_it_starts_is_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "start.py"
    ask = "import os\nif 'REDIS_URL' in os.environ: redis('LPUSH', 'a', 'b')\n"
    file.write_text(f"from tests.gate.refused import *\n{ask}SCENARIOS = [s for s in SCENARIOS if s.name == 'lock']\n")
    result = lakeproof("gate", "run", str(file), "--out", str(tmp_path))
    assert (result.exit_code, "LPUSH is not known here" in result.stderr) == (3, True), result.output


def test_a_replay_of_such_a_program_shows_nothing(tmp_path: Path) -> None:
    for name in ("tags", "setup"):
        trace = tmp_path / "trace.json"
        told = {"gate": 1, "file": "x", "scenario": name, "violated": {"nothing": "x"}, "steps": []}
        trace.write_text(json.dumps(told))
        result = lakeproof("gate", "replay", str(trace), "--from", str(FILE))
        assert (result.exit_code, "violated" in result.stdout) == (3, False)


def test_a_run_in_which_no_call_did_what_it_is_for_decides_nothing(tmp_path: Path) -> None:
    code, row, said = run("lock", tmp_path)
    assert (code, row["verdict"]) == (0, "holds"), said
    code, row, said = run("lock/taken", tmp_path)
    assert (code, row["verdict"]) == (3, "inconclusive")
    assert "reached: in no schedule a call of a client has done what it is for" in said
    code, row, said = run("lock/taken/violated", tmp_path)
    assert (code, row) == (2, {})
    assert "reached raised KeyError: 'x'; let it return whether a call has done what it is for" in said


def test_a_conditional_write_can_be_answered_by_a_conflict(tmp_path: Path) -> None:
    code, row, said = run("lock/conflict", tmp_path)
    # Without one the first call has the lock. With one, before the other call or after it, two have it: one schedule
    # of each client, of which the conflict comes first or second.
    assert (code, row["verdict"], row["all"]) == (0, "violated", True), said
    steps = json.loads(Path(str(row["trace"])).read_text())["steps"]
    assert sorted((each["mode"], each["status"]) for each in steps) == [("conflict", 409), ("normal", 200)]
    code, row, said = run("plain/conflict", tmp_path)
    assert (row["verdict"], row["schedules"]) == ("holds", 1)


def test_a_process_has_a_fixed_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed of hashes, too: the order of a set is the same in every run."""
    for name in ("HTTPS_PROXY", "AWS_PROFILE", "OF_MY_OWN"):
        monkeypatch.setenv(name, "x")
    orders = set()
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        code, row, said = run("environment", tmp_path)
        assert code == 0, said
        orders.add(row["evidence"])
    assert len(orders) == 1

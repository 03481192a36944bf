"""`gate replay --times`: one verdict every time, or what differed."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from lakeproof.commands.gate_replay import Verdict
from tests.commands import complaint, lakeproof

COUNTER = Path(__file__).parents[2] / "examples" / "gate" / "counter.py"

FLIPS = """
asked = []

def flips(outcome):
    asked.append(outcome)
    return "it is the second time" if len(asked) == 2 else None

"""


def replay(trace: Path, *words: str, file: Path = COUNTER) -> Result:
    return lakeproof("gate", "replay", str(trace), "--from", str(file), *words)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the lost update."""
    folder = tmp_path_factory.mktemp("traces")
    lakeproof("gate", "run", str(COUNTER), "counter/blind", "--out", str(folder))
    return folder / "counter_blind.counted_once.json"


def test_a_violation_that_comes_every_time_is_told_in_one_line(trace: Path) -> None:
    result = replay(trace, "--times", "5")
    assert result.exit_code == 1, result.output
    assert result.stdout.splitlines()[-1] == "5 of 5: violated, same invariant: counted_once"


def test_a_verdict_that_differs_once_is_counted_and_its_replay_named(trace: Path, tmp_path: Path) -> None:
    edited = tmp_path / "counter.py"
    text = COUNTER.read_text().replace("[counted_once]", "[flips]").replace('"counted_once"', '"flips"')
    edited.write_text(text.replace("scenario = partial", f"{FLIPS}scenario = partial"))
    result = replay(trace, "--times", "3", file=edited)
    assert result.exit_code == 3, result.output
    assert result.stdout.splitlines()[-3:] == [
        "2 of 3: not violated; first in replay 1",
        "1 of 3: violated: flips; first in replay 2",
        "the trace has violated: counted_once",
    ]


def test_another_invariant_every_time_is_not_the_verdict_of_the_trace(trace: Path, tmp_path: Path) -> None:
    other = tmp_path / "trace.json"
    other.write_text(trace.read_text().replace('"counted_once"', '"another"', 1))
    result = replay(other, "--times", "2")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-2:] == ["2 of 2: violated: counted_once", "the trace has violated: another"]


def test_an_answer_that_the_trace_does_not_have_is_named(trace: Path, tmp_path: Path) -> None:
    told = json.loads(trace.read_text())
    told["steps"][2]["status"] = 412
    other = tmp_path / "trace.json"
    other.write_text(json.dumps(told))
    otherwise = "step 3 was answered 200, in the trace 412"
    result = replay(other, "--times", "2")
    assert result.exit_code == 3
    assert f"2 of 2: violated: counted_once; {otherwise}" in result.stdout
    once = replay(other)
    assert (once.exit_code, once.stderr.strip()) == (1, otherwise)


def test_a_program_that_no_longer_follows_does_so_every_time(trace: Path, tmp_path: Path) -> None:
    other = tmp_path / "trace.json"
    other.write_text(trace.read_text().replace('"counter/blind"', '"counter/careful"'))
    result = replay(other, "--times", "2")
    assert result.exit_code == 3
    assert "2 of 2: nothing is shown: after " in result.stdout


def test_a_program_that_is_mended_violates_nothing_however_often(trace: Path, tmp_path: Path) -> None:
    edited = tmp_path / "counter.py"
    edited.write_text(COUNTER.read_text().replace("return None if found == acknowledged else", "return None and"))
    result = replay(trace, "--times", "2", file=edited)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "2 of 2: not violated")


def test_a_trace_executes_no_file_by_itself(trace: Path, tmp_path: Path) -> None:
    """It may be anybody's. The file is executed that the user names, and no other."""
    executed = tmp_path / "executed"
    planted = tmp_path / "planted file.py"
    planted.write_text(f"open({str(executed)!r}, 'w')\n")
    other = tmp_path / "trace.json"
    other.write_text(trace.read_text().replace(str(COUNTER), str(planted)))
    said = complaint(lakeproof("gate", "replay", str(other)))
    assert f"if its file is yours, add --from '{planted}'" in said
    assert replay(other).exit_code == 1
    assert not executed.exists()


def test_a_replay_of_which_nothing_is_known_is_inconclusive_and_never_a_pass() -> None:
    kinds = (Verdict(undecided="x"), Verdict(), Verdict(violated=frozenset("a")))
    assert [each.exit_code for each in kinds] == [3, 0, 1]

"""`gate replay --times`: one verdict every time, or what differed."""

import functools
import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import Result

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


def test_the_line_that_is_printed_works_where_it_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = Path(sys.executable).with_name("lakeproof")
    monkeypatch.setattr(sys, "argv", [str(installed)])
    monkeypatch.setenv("PATH", os.defpath)
    found = lakeproof("gate", "run", str(COUNTER), "counter/blind", "--out", str(tmp_path))
    [program, *words] = shlex.split(found.stdout.splitlines()[-1])
    assert Path(program).samefile(installed)
    assert "violated: counted_once" in lakeproof(*words).stdout


Change = tuple[tuple[str, str], ...]
IN_THE_TRACE = "first in replay 2\nthe trace has violated: counted_once\n"
FLIPPING: Change = (
    ("[counted_once]", "[flips]"),
    ('"counted_once"', '"flips"'),
    ("scenario = partial", f"{FLIPS}scenario = partial"),
)
ANOTHER: Change = (('"counted_once"', '"another"'),)
CAREFUL: Change = (('"counter/blind"', '"counter/careful"'),)
MENDED: Change = (("return None if found == acknowledged else", "return None and"),)


@pytest.mark.parametrize(
    ("in_trace", "in_program", "times", "code", "told"),
    [
        ((), (), 5, 1, "5 of 5: violated, same invariant: counted_once\n"),
        ((), FLIPPING, 3, 3, f"2 of 3: not violated; first in replay 1\n1 of 3: violated: flips; {IN_THE_TRACE}"),
        (ANOTHER, (), 2, 3, "2 of 2: violated: counted_once\nthe trace has violated: another\n"),
        (CAREFUL, (), 2, 3, "2 of 2: nothing is shown: after "),
        ((), MENDED, 2, 0, "2 of 2: not violated\n"),
        ((), MENDED, 1, 0, "PUT bucket/counter -> 200\nnot violated\n"),
    ],
)
def test_each_verdict_of_many_replays_is_counted(
    in_trace: Change, in_program: Change, times: int, code: int, told: str, trace: Path, tmp_path: Path
) -> None:
    copy, program = tmp_path / "trace.json", tmp_path / "counter.py"
    copy.write_text(functools.reduce(lambda text, each: text.replace(*each, 1), in_trace, trace.read_text()))
    program.write_text(functools.reduce(lambda text, each: text.replace(*each), in_program, COUNTER.read_text()))
    result = replay(copy, "--times", str(times), file=program)
    assert result.exit_code == code, result.output
    assert told in result.stdout
    assert result.stdout.endswith(told) or not told.endswith("\n")


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


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "[" * 100_000,
        '{"gate": 1, "steps": 1}',
        (
            '{"gate": 1, "file": "", "scenario": "", "violated": {},'
            ' "steps": [{"client": "c1", "request": "x", "number": Infinity, "mode": "normal", "status": 0}]}'
        ),
    ],
    ids=["text", "deep", "steps", "infinite"],
)
def test_a_file_that_is_no_trace_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(text)
    assert "trace.json: " in complaint(replay(tmp_path / "trace.json"))


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

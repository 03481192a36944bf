"""`verify --baseline`: what differs from an earlier run is named, row by row."""

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import HEAD, RACING, complaint, lakeproof

COUNTS = "increments-count"


@pytest.fixture(autouse=True)
def before(in_tmp_path: Path) -> Path:
    """Every test runs in a folder of its own, with the scenario file and an earlier run in it."""
    shutil.copy(RACING, in_tmp_path / "racing.py")
    path = Path("before.jsonl")
    path.write_text(lakeproof("verify", "--from", "racing.py", "--json").stdout)
    return path


def verify(*arguments: str, file: str = "racing.py") -> tuple[int, list[str]]:
    """The exit code, and what is printed about the baseline."""
    result = lakeproof("verify", "--from", file, "--baseline", "before.jsonl", *arguments)
    about = ("new: ", "gone: ", "changed: ", "baseline ")
    text = result.stderr if "--json" in arguments else result.stdout
    return result.exit_code, [line for line in text.splitlines() if line.startswith(about)]


def rewritten(path: Path, **fields: object) -> None:
    """The first row says something else."""
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | fields, ensure_ascii=False), *rest]) + "\n")


def test_the_same_catalogue_differs_in_nothing() -> None:
    assert verify("known") == (0, ["baseline before.jsonl: 2 of its 5 rows were searched again; none differs"])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("verdict", "holds", "verdict holds -> violated"),
        ("steps", 5, "steps 5 -> 4"),
        ("steps", None, "steps none -> 4"),
        ("states", 7_000, "states 7,000 -> "),
        ("transitions", 1, "transitions 1 -> "),
    ],
)
def test_each_field_that_is_compared_is_named_where_it_differs(
    before: Path, field: str, value: object, words: str
) -> None:
    rewritten(before, **{field: value})
    code, [line, last] = verify("lost-update", "known")
    assert code == 1
    assert line.startswith(f"changed: counters/lost-update {COUNTS}: {words}")
    assert last.endswith("; 1 changed")


def test_seconds_and_evidence_may_differ(before: Path) -> None:
    rewritten(before, seconds=1e9, evidence="an\u2028other\u0085", bounds={}, trace="elsewhere")
    assert verify("counters")[1][0].endswith("none differs")


def test_a_scenario_that_exists_no_more_is_gone_and_one_that_was_not_there_is_new() -> None:
    Path("mine.py").write_text(HEAD + "SCENARIOS = [KNOWN, attrs.evolve(ATOMIC, name='counters/fresh')]\n")
    code, lines = verify(file="mine.py")
    assert code == 1
    assert lines == [
        f"new: counters/fresh {COUNTS}: holds",
        "new: counters/fresh no-unhandled-exception: holds",
        f"gone: counters/lost-update {COUNTS}: violated",
        f"gone: counters/atomic {COUNTS}: holds",
        "gone: counters/atomic no-unhandled-exception: holds",
        "baseline before.jsonl: 2 of its 5 rows were searched again; 2 new, 3 gone",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "before.jsonl: has no verdicts; write it with `lakeproof verify --json`"),
        ("{}\n", "before.jsonl: line 1: '{}' is no verdict with its states, transitions and steps"),
        ('{"scenario": "s", "invariant": "i", "verdict": "holds", "states": 1}\n', "is no verdict"),
        ("nonsense\n", "before.jsonl: line 1: 'nonsense' is no verdict"),
    ],
)
def test_a_file_that_is_no_earlier_run_is_refused_before_anything_is_searched(
    before: Path, text: str, words: str
) -> None:
    before.write_text(text)
    assert words in complaint(lakeproof("verify", "--from", "racing.py", "--baseline", "before.jsonl"))


def test_a_row_that_comes_twice_is_refused(before: Path) -> None:
    before.write_text(before.read_text() * 2)
    said = complaint(lakeproof("verify", "--from", "racing.py", "--baseline", "before.jsonl"))
    assert said == f"before.jsonl: line 6: counters/lost-update {COUNTS} is there twice; name a file of one run"

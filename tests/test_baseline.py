"""What one run leaves for others: `verify --baseline`, `--report` and `--propose`."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.commands import HEAD, RACING, ROOT, complaint, lakeproof

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


def test_each_report_is_what_the_option_of_its_format_prints() -> None:
    reports = ["--report", "json=new/v.jsonl", "--report", "junit=v.xml", "--report", "markdown=v.md"]
    done = lakeproof("verify", "--from", "racing.py", "--format", "github", *reports)
    assert done.exit_code == 1
    assert done.stdout.startswith("::error ")
    written = [json.loads(line) for line in Path("new/v.jsonl").read_text().splitlines()]
    printed = [json.loads(line) for line in lakeproof("verify", "--from", "racing.py", "--json").stdout.splitlines()]
    assert [line | {"seconds": 0, "bounds": 0} for line in written] == [
        line | {"seconds": 0, "bounds": 0} for line in printed
    ]
    assert [line["bounds"] for line in written] == [line["bounds"] for line in printed]
    assert ET.parse("v.xml").getroot().get("failures") == "1"  # noqa: S314  # we have just written it
    assert Path("v.md").read_text() == lakeproof("verify", "--from", "racing.py", "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["json"], "'json': expected FORMAT=FILE, with a format of json, junit, github, sarif, markdown; write"),
        (["yaml=v"], "'yaml=v': expected FORMAT=FILE"),
        (["json="], "'json=': expected FORMAT=FILE"),
        (["json=v", "sarif=v"], "two reports go to v; name two files"),
        (["json=racing.py/v"], "racing.py: cannot be written: it is no folder; make room there, or choose another"),
        (["json=."], ".: cannot be written: it is a folder"),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_anything_is_searched(given: list[str], told: str) -> None:
    options = [word for each in given for word in ("--report", each)]
    assert told in complaint(lakeproof("verify", "--from", "racing.py", "--out", "later", *options))
    assert not Path("later").exists()


def test_a_folder_below_one_without_access_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    program = (
        "import os, pathlib, sys\n"
        "from lakeproof.verify.outputs import Unusable, check_writable\n"
        "if not os.getuid(): os.setuid(65534)\n"  # root has access to all
        "try: check_writable(pathlib.Path(sys.argv[1]))\n"
        "except Unusable as error: print(error)\n"
    )
    command = [sys.executable, "-c", program, str(closed / "deep" / "er")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ": cannot be written: Permission denied; make room there" in done.stdout, done.stderr


def test_what_is_proposed_for_scenarios_of_no_design_is_their_expect() -> None:
    done = lakeproof("verify", "--from", "racing.py", "--propose")
    assert (done.exit_code, done.stdout.splitlines()) == (
        0,
        [
            "# counters/lost-update",
            'expect={"increments-count": "violated"},',
            "# counters/known",
            'expect={"increments-count": "violated"},',
            "# counters/atomic",
            "expect={},",
        ],
    )

"""`verify --report` and `--propose`: what one run leaves for other programs, and for the author of a scenario."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.commands import HEAD, ROOT, complaint, lakeproof


@pytest.fixture(autouse=True)
def _here(in_tmp_path: Path) -> None:
    Path("mine.py").write_text(f"{HEAD}SCENARIOS = [LOST_UPDATE, KNOWN, ATOMIC]\n")


def test_each_report_is_what_the_option_of_its_format_prints() -> None:
    reports = ["--report", "json=new/v.jsonl", "--report", "junit=v.xml", "--report", "markdown=v.md"]
    done = lakeproof("verify", "--from", "mine.py", "--format", "github", *reports)
    assert done.exit_code == 1
    assert done.stdout.startswith("::error ")
    written = [json.loads(line) for line in Path("new/v.jsonl").read_text().splitlines()]
    printed = [json.loads(line) for line in lakeproof("verify", "--from", "mine.py", "--json").stdout.splitlines()]
    assert [line | {"seconds": 0, "bounds": 0} for line in written] == [
        line | {"seconds": 0, "bounds": 0} for line in printed
    ]
    assert [line["bounds"] for line in written] == [line["bounds"] for line in printed]
    assert ET.parse("v.xml").getroot().get("failures") == "1"  # noqa: S314  # we have just written it
    assert Path("v.md").read_text() == lakeproof("verify", "--from", "mine.py", "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["json"], "'json': expected FORMAT=FILE, with a format of json, junit, github, sarif, markdown; write"),
        (["yaml=v"], "'yaml=v': expected FORMAT=FILE"),
        (["json="], "'json=': expected FORMAT=FILE"),
        (["json=v", "sarif=v"], "two reports go to v; name two files"),
        (["json=mine.py/v"], "mine.py: cannot be written: it is no folder; make room there, or choose another folder"),
        (["json=."], ".: cannot be written: it is a folder"),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_anything_is_searched(given: list[str], told: str) -> None:
    options = [word for each in given for word in ("--report", each)]
    assert told in complaint(lakeproof("verify", "--from", "mine.py", *options))
    assert not Path("out").exists()


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
    done = lakeproof("verify", "--from", "mine.py", "--propose")
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

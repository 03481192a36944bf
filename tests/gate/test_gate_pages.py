"""The commands of the pages that lead to a first schedule run in their order, and end as the pages say."""

import re
import shlex
from pathlib import Path

import pytest

from tests.commands import ROOT, lakeproof
from tests.gate.test_programs import CLASSES, REPLAYED
from tests.gate.test_releases import ON_RELEASES

DOCS = ROOT / "docs"
COMMAND = re.compile(r"^ +\$ (lakeproof (?!verify).*)$", re.MULTILINE)
FILE = "lakeproof gate run examples/gate/"
REPLAY = "lakeproof gate replay out/traces/"

ENDS = {
    "gate.md": {
        f"{FILE}first.py s3/blind": (0, "violated: 8 schedules, all of them"),
        f"{REPLAY}s3_blind.what_was_added_is_there.json --from examples/gate/first.py": (1, "violated: what_was_"),
        f"{FILE}first.py s3/careful": (0, "holds: 8 schedules, all of them"),
        f"{FILE}first.py dynamodb": (0, "dynamodb/careful: one_is_sold holds: 6 schedules, all of them"),
        f"{FILE}redis_lock.py lock/blind": (0, "who_has_taken_it_has_it violated: 20 schedules, all of them"),
        f"{FILE}redis_lock.py lock/watch": (0, "who_has_taken_it_has_it holds: 21 schedules, all of them"),
    },
    "gate-findings.md": {
        f"{FILE}delta.py delta/one-append/lost-answer": (0, "recorded_once violated: 5 schedules, all with"),
        f"{REPLAY}delta_one-append_lost-answer.recorded_once.json --from examples/gate/delta.py": (1, "violated: "),
        f"{FILE}delta.py delta/append-append": (0, "holds: 18 schedules, all with parallel requests as threads"),
        f"{FILE}delta.py delta/append-optimize --preemptions 1": (3, "all with at most 1 preemption ("),
        f"{FILE}iceberg_catalog.py iceberg/one-rename/lost-answer": (0, "has_one_name violated: 5 schedules"),
        f"{FILE}iceberg_catalog.py": (0, "what_was_created_is_there violated: 7 schedules, all of them"),
        f"{FILE}slatedb_store.py slatedb/put-put --strategy pct --schedules 10": (3, "10 schedules, not all"),
        f"{FILE}slatedb_store.py slatedb/put-put": (0, "holds: 48 schedules, all with parallel requests as threads"),
    },
}
"""By page: its commands in their order, each with its exit code and something that it prints. Replays of the traces
that the gallery has are run by test_programs.py; lakeFS is no dependency, and its commands are run where it is."""

ELSEWHERE = ("lakeproof gate replay docs/gallery/traces/", "lakeproof follows ")


def commands(page: str) -> list[str]:
    found = COMMAND.findall((DOCS / page).read_text())
    return [each for each in found if not each.startswith(ELSEWHERE) and "examples/lakefs/" not in each]


def counted_elsewhere(command: str) -> list[int]:
    """How many classes have its scenarios, where test_programs.py runs them as it does; replays need the others."""
    _, _, run, file, *words = command.split()
    of_file = CLASSES.get(file.removeprefix("examples/"), {}) if run == "run" else {}
    return [each for name, each in of_file.items() if words in ([], [name]) and not (words and name in REPLAYED)]


@pytest.mark.parametrize(
    "page", [pytest.param("gate.md", marks=pytest.mark.deep), pytest.param("gate-findings.md", marks=pytest.mark.long)]
)
def test_the_commands_of_a_page_end_as_it_says(page: str, in_tmp_path: Path) -> None:
    (in_tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, (code, told) in ENDS[page].items():
        if counts := counted_elsewhere(command):
            assert (code, any(f": {each} schedules" in told for each in counts)) == (0, True), command
            continue
        result = lakeproof(*shlex.split(command)[1:])
        assert (result.exit_code, told in result.stdout) == (code, True), f"{command}: {result.output}"


def test_every_command_of_the_pages_is_run_by_a_test() -> None:
    assert {page: commands(page) for page in ENDS} == {page: list(ends) for page, ends in ENDS.items()}
    others = {path.relative_to(DOCS).as_posix() for path in (DOCS / "gallery").glob("*.md")} - {*ENDS}
    assert {page: commands(page) for page in others if commands(page)} == {}


def test_every_command_on_another_release_is_run_by_a_test() -> None:
    pages = (DOCS / "gate-findings.md").read_text()
    assert set(re.findall(r"\$ PYTHONPATH=(\S+) lakeproof gate (.*)$", pages, re.MULTILINE)) == {*ON_RELEASES}


def test_every_trace_that_a_page_replays_is_there() -> None:
    pages = "".join(path.read_text() for path in DOCS.rglob("*.md"))
    named = re.findall(r"lakeproof gate replay (docs/gallery/traces/\S+)", pages)
    assert named
    assert [each for each in named if not (ROOT / each).is_file()] == []

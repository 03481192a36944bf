"""How `spark check` ends: what was read, what was found, where it is, and a next command that runs as it is printed."""

import shlex
from pathlib import Path

import click
import pytest

from lakeproof.commands.diagnose import diagnose
from lakeproof.spark_checks.checks.catalogue import CHECKS
from lakeproof.spark_checks.checks.command import command as check
from lakeproof.spark_checks.checks.report import ending
from lakeproof.spark_checks.checks.run import Outcome, Summary
from lakeproof.spark_checks.uncommitted.command import command as uncommitted

ALL = {"kv": 9, "metaranges": 2, "ranges": 2, "objects": 3, "repositories": 1, "commits": 2}
ROWS = {"kv": 9, "repositories": 1, "commits": 2}
COMMANDS = {"check": check, "uncommitted": uncommitted, "diagnose": diagnose}


def ended(where: str, rows: dict[str, int], out: str | None = None, **counts: int) -> list[str]:
    things = counts.pop("things", 1)
    outcomes = tuple(
        Outcome(check=each, judged=True, things=things, counts=counts if each.id == "head-exists" else {}, examples=())
        for each in CHECKS
    )
    summary = Summary(where=where, rows=rows, outcomes=outcomes, seconds={}, until=1_000_000, engine="classic")
    return list(ending(summary, out, [where, "--beside", "a b"]))


def test_what_was_read_and_until_when_comes_first_in_words_of_lakefs() -> None:
    lines = ended("dump.json", {**ROWS, "tags": 0})
    assert lines[0] == "read: 9 rows of kv, 1 repository, 2 commits, 0 tags"
    assert lines[1].startswith("until: the newest commit is of 1970-01-01T00:00:01+00:00")
    assert lines[2].startswith(f"0 violations in {len(CHECKS)} checks; ")


@pytest.mark.parametrize(
    ("rows", "out", "counts", "expected"),
    [
        (ALL, None, {"violation": 1}, "check"),  # all findings in a folder
        (ALL, "checked", {"violation": 1}, "diagnose"),
        (ROWS, None, {}, "check"),  # the object store, too
        (ALL, None, {"garbage": 1}, "uncommitted"),
    ],
)
def test_the_next_command_is_one_that_is_there_with_the_dataset_of_this_one(
    rows: dict[str, int], out: str | None, counts: dict[str, int], expected: str
) -> None:
    last = ended("dump 1.json", rows, out, **counts)[-1]
    words = shlex.split(last.partition(": ")[2])
    assert words[0] == "lakeproof"
    name = words[2] if words[1] == "spark" else words[1]
    assert name == expected
    # It parses; an option or argument that is not there is an error.
    asked = COMMANDS[name].make_context(name, words[words.index(name) + 1 :], resilient_parsing=False)
    assert isinstance(asked, click.Context)
    assert "dump 1.json" in asked.params.values()
    assert asked.params.get("beside", "a b") == "a b"


def test_where_no_command_helps_none_is_named(tmp_path: Path) -> None:
    assert not [line for line in ended("dump.json", ALL) if line.startswith("next")]
    assert not [line for line in ended(str(tmp_path), ALL, "checked", violation=1) if line.startswith("next")]
    assert not [line for line in ended("dump.json", ALL, things=0, garbage=1) if line.startswith("next")]


def test_a_part_of_a_store_asks_for_the_whole() -> None:
    assert "whole store" in ended("dump.json", {"kv": 9, "repositories": 0})[-1]

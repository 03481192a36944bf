"""The page for operators: each of its commands runs, in order, over a store that is healthy."""

import json
import re
import shlex
from pathlib import Path
from string import Template

import pytest
from pyspark.sql import SparkSession

from tests.commands import ROOT, lakeproof
from tests.spark.lakefs.world import Installation, Repo, around

PAGE = ROOT / "docs" / "lakefs-at-rest.md"
COMMANDS = re.findall(r"^    lakeproof (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.deep
@pytest.mark.usefixtures("interpreted")
def test_every_command_of_the_page_does_what_it_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Installation()
    around(lake)
    repo = Repo(lake, "sound").build()
    repo.object("old", 1)  # nobody refers to it
    kv, block = lake.write(tmp_path / "lake")
    monkeypatch.chdir(tmp_path)
    Path("rules.json").write_text(json.dumps({"default_retention_days": 10, "branches": []}))
    said = []
    for command in COMMANDS:
        words = shlex.split(Template(command).substitute(KV=kv, BLOCK=block))
        if "uncommitted" in words:
            words += ["--now", "2100-01-01"]  # the files of the test are young
        done = lakeproof(*words)
        assert done.exit_code == 0, (command, done.stdout, done.stderr)
        said.append(done.stdout)
    assert "0 violations in 22 checks" in said[0]
    assert re.search(r"^marked +1 ", said[3], re.MULTILINE)
    assert Path("checked/summary.html").is_file()
    assert Path("diagnosis.zip").is_file()
    gone = set(lake.files) - {each.relative_to(block).as_posix() for each in Path(block).rglob("*") if each.is_file()}
    assert gone == {f"sound/{repo.address('old')}"}, "what was marked is deleted, and nothing else"

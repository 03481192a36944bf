"""A lakeFS from verdict to deletion: over a bucket (the gate's S3, a small cloud of ours), and by the page for
operators, whose commands run in order over a folder."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from string import Template

import boto3
import pytest
from botocore.config import Config
from pyspark.sql import SparkSession

from tests.commands import ROOT, lakeproof
from tests.gate.stores import served
from tests.spark.clouds import ACCOUNT, BOX, Cloud, serving
from tests.spark.commands import LAKEPROOF, ran
from tests.spark.lakefs.world import Installation, Repo, around

Files = dict[str, bytes]
Left = Callable[[], set[str]]
Place = tuple[dict[str, str], Left]
"""The environment in which it is found, and what is left there."""


def said(environment: dict[str, str], *arguments: str) -> str:
    """What a command prints that ends with 0. A process of its own: workers take credentials from the environment in
    which the engine was started; of Amazon's it is a JVM."""
    engine = ("--master", "local[2]") if "AWS_REGION" in environment else ("--engine", "embedded")
    done = ran(*LAKEPROOF, *arguments, *engine, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def amazon(files: Files) -> Iterator[Place]:
    with served(BOX) as store:
        keys = {"aws_access_key_id": "me", "aws_secret_access_key": "x", "region_name": "us-east-1"}
        client = boto3.client("s3", endpoint_url=store.url, config=Config(s3={"addressing_style": "path"}), **keys)
        for name, content in files.items():
            client.put_object(Bucket=BOX, Key=name, Body=content)

        def left() -> set[str]:
            pages = client.get_paginator("list_objects_v2").paginate(Bucket=BOX)
            return {each["Key"] for page in pages for each in page["Contents"]}

        own = {name.upper(): value for name, value in keys.items() if name != "region_name"}
        yield {**own, "AWS_ENDPOINT_URL": store.url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}, left


@contextmanager
def ours(files: Files) -> Iterator[Place]:
    with serving(Cloud(dict(files))) as cloud:
        yield cloud.environment, lambda: set(cloud.objects)


BLOB = f"https://{ACCOUNT}.blob.core.windows.net/{BOX}"


@pytest.mark.long
@pytest.mark.parametrize(
    ("base", "block", "place"),
    [
        pytest.param(f"s3://{BOX}", "s3://", amazon, id="s3"),
        pytest.param(f"gs://{BOX}", "gs://", ours, id="gs"),
        pytest.param(BLOB, "https://", ours, id="azure"),
    ],
)
def test_only_what_nothing_refers_to_is_deleted_from_a_bucket(
    tmp_path: Path, base: str, block: str, place: Callable[[Files], AbstractContextManager[Place]]
) -> None:
    lake = Installation(base=base)
    around(lake)
    repo = Repo(lake, "sound").build()
    repo.object("old", 1)  # nobody refers to it
    kv, _ = lake.write(tmp_path / "lake")
    with place(lake.files) as (environment, left):
        common = (kv, "--blockstore", block)
        said(environment, "check", *common, "--only", "table-is-sound")
        out = ("--run", "u", "--out", str(tmp_path / "runs"))
        marked = said(environment, "uncommitted", *common, *out, "--older-than", "0s", "--now", "2100-01-01")
        assert re.search(r"^marked +1 ", marked, re.MULTILINE)
        where = ("--objects", base, "--dataset", kv, "--blockstore", block)
        said(environment, "sweep", str(tmp_path / "runs"), "--run", "u", "--delete", *where)
        assert set(lake.files) - left() == {f"sound/{repo.address('old')}"}
        rules = tmp_path / "rules.json"
        rules.write_text(json.dumps({"default_retention_days": 10, "branches": []}))
        out = ("--run", "r", "--out", str(tmp_path / "runs"))
        expired = said(environment, "retention", *common, *out, "--rules", str(rules), "--now", "2100-01-01")
        assert re.search(r"^marked +2 ", expired, re.MULTILINE), expired
        said(environment, "sweep", str(tmp_path / "runs"), "--run", "r", "--delete", *where)
        dangling = {"sound/data/sound/gone-x", "leaving/data/leaving/gone-x"}  # of commits that no branch reaches
        assert set(lake.files) - left() == {f"sound/{repo.address('old')}", *dangling}


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

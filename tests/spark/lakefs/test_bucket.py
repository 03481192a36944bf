"""A lakeFS over a bucket, from verdict to deletion: the gate's S3."""

import os
import re
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from tests.gate.stores import served
from tests.spark.lakefs.world import Installation, Repo, around


def ran(url: str, *arguments: str) -> str:
    """What a command prints that ends with 0. A process of its own: workers take credentials from the environment in
    which Java was started."""
    found = {"AWS_ENDPOINT_URL": url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    keys = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "x"}
    done = subprocess.run(
        [sys.executable, "-m", "lakeproof", "spark", *arguments, "--master", "local[2]"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **found, **keys},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.deep
def test_only_what_nothing_refers_to_is_deleted_from_a_bucket(tmp_path: Path) -> None:
    lake = Installation(base="s3://bucket")
    around(lake)
    repo = Repo(lake, "sound").build()
    repo.object("old", 1)  # nobody refers to it
    kv, _ = lake.write(tmp_path / "lake")
    with served("bucket") as store:
        named = {"aws_access_key_id": "me", "aws_secret_access_key": "x", "region_name": "us-east-1"}
        client = boto3.client("s3", endpoint_url=store.url, config=Config(s3={"addressing_style": "path"}), **named)
        for name, content in lake.files.items():
            client.put_object(Bucket="bucket", Key=name, Body=content)
        common = (kv, "--blockstore", "s3://")
        ran(store.url, "check", *common, "--only", "table-is-sound")
        out = ("--run", "u", "--out", str(tmp_path / "runs"))
        marked = ran(store.url, "uncommitted", *common, *out, "--older-than", "0s", "--now", "2100-01-01")
        assert re.search(r"^marked +1 ", marked, re.MULTILINE)
        where = ("--objects", "s3://bucket", "--dataset", kv, "--blockstore", "s3://")
        ran(store.url, "sweep", str(tmp_path / "runs"), "--run", "u", "--delete", *where)
        pages = client.get_paginator("list_objects_v2").paginate(Bucket="bucket")
        left = {each["Key"] for page in pages for each in page["Contents"]}
    assert set(lake.files) - left == {f"sound/{repo.address('old')}"}

"""Where namespaces lie, and what is listed there: in folders, and in the gate's S3."""

from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from lakeproof.spark_checks.data.stored import stores
from lakeproof.spark_checks.data.stored.stores import Blockstore
from lakeproof.words import Unusable
from tests.gate.stores import served

AZURE = "https://me.blob.core.windows.net/box"
FILES = {
    "shop/data/a/1": b"x",
    "shop/data/a/2": b"yy",
    "shop/_lakefs/dummy": b"",
    "shopping/data/a": b"no part of shop",
    "goner/_lakefs/dummy": b"",
    "others/file": b"of nobody",
}


@pytest.mark.parametrize(
    ("url", "namespace", "where"),
    [
        ("/block", "local://shop", ("/block", "shop")),
        ("file:///block", "local://a/b/", ("/block", "a/b")),
        ("/copy", "s3://bucket/shop", ("/copy", "bucket/shop")),
        ("s3://bucket", "s3://bucket/shop", ("s3://bucket", "shop")),
        ("s3://bucket/a", "s3://bucket/a/shop", ("s3://bucket", "a/shop")),
        ("s3://bucket", "s3://bucket", ("s3://bucket", "")),
        ("s3://", "s3://other/shop/x", ("s3://other", "shop/x")),
        ("gs://", "gs://bucket/shop", ("gs://bucket", "shop")),
        ("https://", f"{AZURE}/shop", (AZURE, "shop")),
        ("s3://copy/of", "local://shop", ("s3://copy", "of/shop")),
    ],
)
def test_a_namespace_lies_where_the_block_store_says(url: str, namespace: str, where: tuple[str, str]) -> None:
    assert Blockstore(url).where(namespace) == where


@pytest.mark.parametrize(
    ("url", "namespace"),
    [("s3://bucket", "s3://bucket-2/shop"), ("s3://bucket/a", "s3://bucket/ab"), ("s3://", "gs://bucket/shop")],
)
def test_a_namespace_elsewhere_is_refused_and_not_taken_for_empty(url: str, namespace: str) -> None:
    with pytest.raises(Unusable, match="is not there"):
        Blockstore(url).where(namespace)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="no such folder"):
        Blockstore(str(tmp_path / "gone")).demand_there()
    with pytest.raises(Unusable, match="a worker finds no such folder"):
        list(stores.objects(str(tmp_path / "gone"), "shop"))


def known(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Where S3 is, and who asks."""
    own = {"ENDPOINT_URL": url, "ALLOW_HTTP": "true", "ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "x"}
    for name, value in {**own, "REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)


def test_a_folder_and_a_bucket_of_the_same_objects_are_listed_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with served("bucket") as store:
        known(monkeypatch, store.url)
        client = boto3.client("s3", endpoint_url=store.url, config=Config(s3={"addressing_style": "path"}))
        for name, content in FILES.items():
            client.put_object(Bucket="bucket", Key=name, Body=content)
        here, there = str(tmp_path), "s3://bucket"
        for where in (here, there):
            listed = {each.path: each.size_bytes for each in stores.objects(where, "shop")}
            assert listed == {"data/a/1": 1, "data/a/2": 2, "_lakefs/dummy": 0}
            assert list(stores.objects(where, "nothing")) == []
            opened = stores.open_store(where)
            assert stores.content(opened, "shop/data/a/2") == b"yy"
            assert stores.content(opened, "shop/data/a/3") is None
        assert Blockstore(here).neighbours(frozenset({"local://shop"})) == ["local://goner"]
        assert Blockstore(there).neighbours(frozenset({"s3://bucket/shop"})) == ["s3://bucket/goner"]
        assert all(each.e_tag is None for each in stores.objects(here, "shop"))
        assert all(each.e_tag and '"' not in each.e_tag for each in stores.objects(there, "shop"))

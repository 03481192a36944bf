"""Where namespaces lie, and what is listed there: in folders, in the gate's S3, and in a small Google Cloud Storage and
Azure of ours."""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from obstore.store import from_url

from lakeproof.spark_checks.data.stored import stores
from lakeproof.spark_checks.data.stored.stores import Blockstore
from lakeproof.spark_checks.engine.troubles import describe_error
from lakeproof.spark_checks.sweep.clouds import Cloud as Target
from lakeproof.spark_checks.sweep.clouds import open_store
from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, VANISHED, End
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.words import Unusable
from tests.gate.stores import served
from tests.spark.clouds import ACCOUNT, BEARER, BOX, SECONDS, Cloud, Trouble, serving, tag
from tests.spark.sweep.marking import FREE

AZURE = "https://me.blob.core.windows.net/box"
FILES = {
    "shop/data/a/1": b"x",
    "shop/data/a/2": b"yy",
    "shop/data/part#1": b"zzz",
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
            assert listed == {"data/a/1": 1, "data/a/2": 2, "data/part#1": 3, "_lakefs/dummy": 0}
            assert list(stores.objects(where, "nothing")) == []
            opened = stores.open_store(where)
            assert stores.content(opened, "shop/data/a/2") == b"yy"
            assert stores.content(opened, "shop/data/a/3") is None
        assert Blockstore(here).neighbours(frozenset({"local://shop"})) == ["local://goner"]
        assert Blockstore(there).neighbours(frozenset({"s3://bucket/shop"})) == ["s3://bucket/goner"]
        assert all(each.e_tag is None for each in stores.objects(here, "shop"))
        assert all(each.e_tag and '"' not in each.e_tag for each in stores.objects(there, "shop"))


def test_a_key_that_the_library_does_not_list_is_named_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("bucket") as store:
        known(monkeypatch, store.url)
        client = boto3.client("s3", endpoint_url=store.url, config=Config(s3={"addressing_style": "path"}))
        client.put_object(Bucket="bucket", Key="shop/data//x", Body=b"")
        with pytest.raises(Unusable, match=r'"shop/data//x" contained empty path segment\); .* rename it$'):
            list(stores.objects("s3://bucket", "shop"))


GOOGLE, ON_AZURE = f"gs://{BOX}", f"https://{ACCOUNT}.blob.core.windows.net/{BOX}"
URLS = (GOOGLE, f"az://{BOX}", ON_AZURE)
MANY = {f"shop/data/{number:02} ä&%20": b"x" * number for number in range(20)}
MARKED = {"shop/_lakefs/dummy": b"", "goner/_lakefs/dummy": b"", "shopping/data/a": b"no part of shop"}


@pytest.fixture(scope="module")
def running() -> Iterator[Cloud]:
    with serving(Cloud()) as found:
        yield found


@pytest.fixture
def cloud(running: Cloud, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    running.heal()
    running.objects = MANY | MARKED
    for name in [each for each in os.environ if each.startswith(("GOOGLE_", "AZURE_"))]:
        monkeypatch.delenv(name)
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    soon = timedelta(milliseconds=1)  # as many requests again as by default, and no seconds between them
    retries = {"backoff": {"init_backoff": soon, "max_backoff": soon, "base": 2}}
    monkeypatch.setattr(stores, "from_url", partial(from_url, retry_config=retries))
    return running


@pytest.mark.parametrize("url", URLS)
def test_a_bucket_is_listed_page_by_page_and_its_objects_are_read(cloud: Cloud, url: str) -> None:
    listed = {f"shop/{each.path}": each for each in stores.objects(url, "shop")}
    assert {name: each.size_bytes for name, each in listed.items()} == {
        name: len(content) for name, content in (MANY | MARKED).items() if name.startswith("shop/")
    }
    assert cloud.asked == {"list": 3}, "21 names, seven a page"
    assert {each.last_modified // 1_000_000 for each in listed.values()} == {SECONDS}
    assert all(each.e_tag and '"' not in each.e_tag for each in listed.values())
    store = stores.open_store(url)
    assert stores.content(store, "shop/data/03 ä&%20") == b"xxx"
    assert stores.content(store, "shop/data/nothing") is None
    assert list(stores.objects(url, "nothing")) == []
    assert Blockstore(url).neighbours(frozenset({f"{url}/shop"})) == [f"{url}/goner"]


BROKEN: dict[str, tuple[int | Trouble | None, str]] = {
    "credentials-of-another": (None, "403 Forbidden (AuthorizationFailure)"),
    "refused": (403, "403 Forbidden (SoItIs)"),
    "cut-short": (Trouble.CUT, "body error"),
    "half-an-answer": (Trouble.TORN, "invalid list response"),
    "dead": (Trouble.DEAD, "error sending request"),
}
"""What becomes of the second page, and what is said of it."""


@pytest.mark.parametrize("url", [GOOGLE, ON_AZURE])
@pytest.mark.parametrize("name", BROKEN)
def test_half_a_listing_is_none_and_one_line_says_why(cloud: Cloud, url: str, name: str) -> None:
    wrong, words = BROKEN[name]
    cloud.trouble = lambda *_: wrong if cloud.asked["list"] > 1 else None
    cloud.token = BEARER if wrong else "of another"
    with pytest.raises(Unusable) as refused:
        list(stores.objects(url, "shop"))
    told = str(refused.value)
    assert words in told
    assert told.startswith(f"{url}/shop: cannot be read (")
    assert "\n" not in told
    assert cloud.url not in told


@pytest.mark.parametrize(("url", "code"), [(GOOGLE, "NoSuchBucket"), (ON_AZURE, "ContainerNotFound")])
def test_a_container_that_is_not_there_is_no_empty_one(cloud: Cloud, url: str, code: str) -> None:
    with pytest.raises(Unusable, match=rf"404 Not Found \({code}\)"):
        list(stores.objects(f"{url}-other", "shop"))
    with pytest.raises(Unusable, match=code):
        Blockstore(f"{url}-other").neighbours(frozenset({f"{url}-other/shop"}))
    with pytest.raises(Unusable, match=rf"cannot be looked at \(.*\({code}\)\); see that it is there"):
        open_store(f"{url}-other")


@pytest.mark.parametrize("url", [GOOGLE, ON_AZURE])
def test_an_object_that_is_refused_is_not_taken_for_one_that_is_gone(cloud: Cloud, url: str) -> None:
    store = stores.open_store(url)
    cloud.trouble = lambda asked, _: 403 if asked in {"GET", "HEAD"} else None
    with pytest.raises(Unusable, match="403 Forbidden"):
        stores.content(store, "shop/data/03 ä&%20")
    with pytest.raises(Unusable, match=r"403|Forbidden"):
        Blockstore(url).neighbours(frozenset({f"{url}/shop"}))


@pytest.mark.parametrize("url", [GOOGLE, ON_AZURE])
def test_a_sweep_deletes_what_is_as_it_was_seen(cloud: Cloud, url: str) -> None:
    there = Target(open_store(url), base=url, pace=FREE, at_once=2)
    names = [there.name(f"{url}/shop/data/{number:02} ä&%20") for number in (3, 4)]
    [first, second] = there.look(names)
    assert isinstance(second, Found)
    assert first == Found(3, SECONDS * 1_000_000, tag(MANY[names[0]]))
    cloud.objects[names[1]] = b"put again"
    done = there.delete([(names[0], first), (names[1], second)])
    assert done == [DELETED, PUT_AGAIN]
    assert there.delete([(names[0], first)]) == [GONE]
    assert MANY.keys() - cloud.objects.keys() == {names[0]}
    cloud.trouble = lambda asked, _: 403 if asked == "DELETE" else None
    [third] = there.look(["shop/data/05 ä&%20"])
    assert isinstance(third, Found)
    [entry] = there.delete([("shop/data/05 ä&%20", third)])
    assert entry.end == (End.FAILED if url == GOOGLE else End.PERHAPS)  # of Azure's batches obstore says no more
    assert "403" in f"{entry.reason} {entry.detail}"
    assert "shop/data/05 ä&%20" in cloud.objects
    cloud.trouble = lambda asked, _: 404 if asked == "DELETE" else None
    assert there.delete([("shop/data/05 ä&%20", third)]) == [VANISHED]
    cloud.trouble = lambda asked, _: 403 if asked == "HEAD" else None
    assert "403 Forbidden" in f"{there.look(names)[0]}"  # and not: it is gone


def test_what_the_library_says_is_shortened_to_its_cause() -> None:
    whole = (
        "Generic GCS error: Error performing list request: Error performing GET http://host/box?list-type=2&prefix=a-b"
        " in 3.98s, after 10 retries, max_retries: 10, retry_timeout: 180s  - Server returned non-2xx status code: 403"
        " Forbidden: <?xml version='1.0'?>\n<Error>\n <Code>AccessDenied</Code></Error>\n\nDebug source:\nGeneric {"
    )
    found = "Generic GCS error: Error performing list request: Server returned non-2xx status code: 403 Forbidden"
    assert describe_error(OSError(whole)) == f"{found} (AccessDenied)"
    assert describe_error(OSError()) == "OSError"
    assert describe_error(OSError("plain\n\nDebug source:\nrest")) == "plain"
    assert len(describe_error(OSError("x" * 900))) == 200

"""A lakeFS over Google Cloud Storage and Azure, from connection to verdict: a small cloud of ours."""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from obstore.store import from_url
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data.stored import stores
from lakeproof.spark_checks.data.stored.stores import Blockstore
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.troubles import describe_error
from lakeproof.spark_checks.sweep.clouds import Cloud as Target
from lakeproof.spark_checks.sweep.clouds import open_store
from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, End
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.clouds import ACCOUNT, BEARER, BOX, SECONDS, Cloud, Trouble, serving
from tests.spark.lakefs.world import Installation, Repo, around
from tests.spark.sweep.marking import FREE

if TYPE_CHECKING:
    from obstore.store import RetryConfig

GOOGLE, AZURE = f"gs://{BOX}", f"https://{ACCOUNT}.blob.core.windows.net/{BOX}"
URLS = (GOOGLE, f"az://{BOX}", AZURE)
FILES = {f"shop/data/{number:02} ä&%20": b"x" * number for number in range(20)}
MARKED = {"shop/_lakefs/dummy": b"", "goner/_lakefs/dummy": b"", "shopping/data/a": b"no part of shop"}


@pytest.fixture(scope="module")
def running() -> Iterator[Cloud]:
    with serving(Cloud()) as found:
        yield found


@pytest.fixture
def cloud(running: Cloud, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    running.heal()
    running.objects = FILES | MARKED
    for name in [each for each in os.environ if each.startswith(("GOOGLE_", "AZURE_"))]:
        monkeypatch.delenv(name)
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    soon = timedelta(milliseconds=1)  # as many requests again as by default, and no seconds between them
    retries: RetryConfig = {"backoff": {"init_backoff": soon, "max_backoff": soon, "base": 2}}
    monkeypatch.setattr(stores, "from_url", partial(from_url, retry_config=retries))
    return running


@pytest.mark.parametrize("url", URLS)
def test_a_bucket_is_listed_page_by_page_and_its_objects_are_read(cloud: Cloud, url: str) -> None:
    listed = {f"shop/{each.path}": each for each in stores.objects(url, "shop")}
    assert {name: each.size_bytes for name, each in listed.items()} == {
        name: len(content) for name, content in (FILES | MARKED).items() if name.startswith("shop/")
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


@pytest.mark.parametrize("url", [GOOGLE, AZURE])
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


@pytest.mark.parametrize(("url", "code"), [(GOOGLE, "NoSuchBucket"), (AZURE, "ContainerNotFound")])
def test_a_container_that_is_not_there_is_no_empty_one(cloud: Cloud, url: str, code: str) -> None:
    with pytest.raises(Unusable, match=rf"404 Not Found \({code}\)"):
        list(stores.objects(f"{url}-other", "shop"))
    with pytest.raises(Unusable, match=code):
        Blockstore(f"{url}-other").neighbours(frozenset({f"{url}-other/shop"}))
    with pytest.raises(Unusable, match=rf"cannot be looked at \(.*\({code}\)\); see that it is there"):
        open_store(f"{url}-other")


@pytest.mark.parametrize("url", [GOOGLE, AZURE])
def test_an_object_that_is_refused_is_not_taken_for_one_that_is_gone(cloud: Cloud, url: str) -> None:
    store = stores.open_store(url)
    cloud.trouble = lambda asked, _: 403 if asked in {"GET", "HEAD"} else None
    with pytest.raises(Unusable, match="403 Forbidden"):
        stores.content(store, "shop/data/03 ä&%20")
    with pytest.raises(Unusable, match=r"403|Forbidden"):
        Blockstore(url).neighbours(frozenset({f"{url}/shop"}))


@pytest.mark.parametrize("url", [GOOGLE, AZURE])
def test_a_sweep_deletes_what_is_as_it_was_seen(cloud: Cloud, url: str) -> None:
    there = Target(open_store(url), base=url, pace=FREE, at_once=2)
    names = [there.name(f"{url}/shop/data/{number:02} ä&%20") for number in (3, 4)]
    [first, second] = there.look(names)
    assert isinstance(first, Found)
    assert isinstance(second, Found)
    assert first.size_bytes == 3
    cloud.objects[names[1]] = b"put again"
    done = there.delete([(names[0], first), (names[1], second)])
    assert done == [DELETED, PUT_AGAIN]
    assert there.delete([(names[0], first)]) == [GONE]
    assert FILES.keys() - cloud.objects.keys() == {names[0]}
    cloud.trouble = lambda asked, _: 403 if asked == "DELETE" else None
    [third] = there.look(["shop/data/05 ä&%20"])
    assert isinstance(third, Found)
    [entry] = there.delete([("shop/data/05 ä&%20", third)])
    assert entry.end == (End.FAILED if url == GOOGLE else End.PERHAPS)  # of Azure's batches obstore says no more
    assert "403" in f"{entry.reason} {entry.detail}"
    assert "shop/data/05 ä&%20" in cloud.objects
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


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("url", "block"),
    [
        pytest.param(AZURE, "https://", id="https", marks=pytest.mark.deep),
        pytest.param(GOOGLE, "gs://", id="gs", marks=pytest.mark.long),
        pytest.param(f"az://{BOX}/all", f"az://{BOX}/all", id="az", marks=pytest.mark.long),
    ],
)
def test_a_bucket_is_judged_and_what_cannot_be_read_of_it_is_not(
    spark: SparkSession, cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, block: str
) -> None:
    lake = Installation(base=url)
    around(lake)
    repo = Repo(lake, "sound").build()
    kv, _ = lake.write(tmp_path / "lake")
    below = url.partition(BOX)[2].strip("/")
    cloud.objects = {f"{below}/{name}".strip("/"): content for name, content in lake.files.items()}
    for name, value in cloud.environment.items() if engine_of(spark).name == "classic" else ():
        monkeypatch.setitem(spark.sparkContext.environment, name, value)  # of workers
    asked = ("spark", "check", kv, "--blockstore", block, "--only", "table-is-sound")
    del cloud.objects[f"{below}/sound/_lakefs/{repo.ranges[1].id}".strip("/")]
    damaged = lakeproof(*asked)
    assert damaged.exit_code == 1, damaged.output
    assert f"{repo.namespace}/_lakefs/{repo.ranges[1].id}" in "".join(damaged.stdout.split()), "on whatever lines"
    assert "1 violation in 1 of 1 check" in damaged.stdout, "and all else was read"
    cloud.trouble = lambda *_: 403 if cloud.asked["list"] > 1 else None
    cloud.asked.clear()
    assert "403 Forbidden (SoItIs)" in complaint(lakeproof(*asked))

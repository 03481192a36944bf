"""What a command reads from a URL, and writes to one, is what it reads and writes in a folder of this machine."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import footers, runs, staging, workspace
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.tables import DECODED
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.commands import timeless
from tests.spark.conftest import ON_CLASSIC_TOO, Mount
from tests.spark.retention.worlds import NOW
from tests.spark.test_ended_runs import Place, place_in


@pytest.fixture(scope="module")
def here(mount: Mount) -> Place:
    return place_in(mount.folder)._replace(out=str(mount.folder / "here"))


@pytest.fixture(scope="module")
def there(here: Place, mount: Mount) -> Place:
    return here._replace(dataset=f"{mount.url}/dataset", out=f"{mount.url}/there")


def rows(table: DataFrame) -> list[str]:
    return sorted(str(row) for row in table.collect())


def report(spark: SparkSession, place: Place, run: str) -> dict[str, object]:
    found = runs.read_report(folder_at(place.out), run)
    return {name: value for name, value in found.items() if name not in ("dataset", "files", "unsealed")}


def placeless(text: str) -> str:
    return re.sub(r'"unsealed": .*', "", timeless(text))


@ON_CLASSIC_TOO
@pytest.mark.deep
@pytest.mark.parametrize("kind", ["uncommitted", "retention"])
def test_a_run_at_a_url_is_that_of_a_folder(
    spark: SparkSession, kind: str, here: Place, there: Place, mount: Mount
) -> None:
    run = f"{kind}-run"
    for place in (here, there):
        assert place.ask(kind, run, "--now", str(NOW)).exit_code == 0
    assert report(spark, here, run) == report(spark, there, run)
    one, two = (spark.read.parquet(f"{place.out}/{run}/addresses") for place in (here, there))
    assert rows(one) == rows(two) != []
    folder = folder_at(there.out).child(run)
    tables = {each.partition("/")[0] for each, _ in folder.files()}
    assert tables == {"addresses", "report.json", "known" if kind == "uncommitted" else "commits"}
    assert complaint(there.ask(kind, run)).startswith(f"{there.out}/{run}: is there already")
    if kind == "uncommitted":
        done = there.ask(kind, "second", "--since", folder.where, "--now", str(NOW))
        assert done.exit_code == 0, done.output
        assert report(spark, there, "second")["accounts"] == report(spark, there, run)["accounts"]
    assert runs.demand_run(folder, kind).where == f"{there.out}/{run}"  # type: ignore[arg-type]
    file = max((mount.folder / "there" / run / "addresses").glob("*.parquet"))
    file.write_bytes(file.read_bytes()[:-9] + b"x" + file.read_bytes()[-8:])
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)  # of Spark's writer
    with pytest.raises(Unusable, match=r"\.parquet: is not what the run has written; mark once more"):
        runs.demand_run(folder, kind)  # type: ignore[arg-type]


def test_a_new_run_whose_input_is_refused_leaves_no_folder(spark: SparkSession, there: Place) -> None:
    done = there._replace(dataset=f"{there.dataset}/nowhere").ask("uncommitted", "refused")
    assert "nowhere/kv: there is no table kv/" in done.stderr.splitlines()[-1]
    assert not folder_at(f"{there.out}/refused").exists()


def test_typed_tables_are_decoded_to_a_url_and_read_from_one(spark: SparkSession, here: Place, mount: Mount) -> None:
    shutil.copytree(here.dataset, mount.folder / "typed")
    arguments = ("spark", "decode", f"{mount.url}/typed", "--out", f"{mount.url}/typed/decoded")
    assert lakeproof(*arguments).exit_code == 0
    assert complaint(lakeproof(*arguments)).startswith(f"{mount.url}/typed/decoded: is there already; name another")
    found, local = open_dataset(spark, f"{mount.url}/typed"), open_dataset(spark, str(mount.folder / "typed"))
    assert found.decoded.keys() == DECODED.keys()
    for name, table in found.decoded.items():
        assert rows(table) == rows(local.decoded[name])
        assert footers.count(table) == footers.count(local.decoded[name])
    for name in ("kv", "metaranges", "ranges", "objects"):
        assert rows(getattr(found, name)) == rows(getattr(local, name)) != []
    assert runs.time_of(None, found) == runs.time_of(None, local)


def test_checks_write_their_findings_and_pages_to_a_url(spark: SparkSession, here: Place, mount: Mount) -> None:
    asked = ("--only", "parents-exist", "--only", "staged-has-owner", "--json")
    one = lakeproof("spark", "check", here.dataset, *asked, "--out", str(mount.folder / "checked"))
    two = lakeproof("spark", "check", f"{mount.url}/dataset", *asked, "--out", f"{mount.url}/checked-there")
    assert placeless(one.stdout) == placeless(two.stdout)
    assert one.exit_code == two.exit_code == 1
    found = [mount.folder / name for name in ("checked", "checked-there")]
    assert "spark check" in (found[1] / "summary.html").read_text()
    one_, two_ = (spark.read.parquet(str(each / "findings")) for each in found)
    assert rows(one_) == rows(two_) != []


@pytest.fixture
def work(spark: SparkSession, mount: Mount) -> Iterator[Path]:
    """The session works there."""
    workspace.remove(spark)
    workspace.place(spark, mount.url)
    yield mount.folder
    workspace.remove(spark)
    workspace.place(spark, None)


def test_what_is_staged_at_a_url_is_whole_or_an_error_and_goes_with_the_session(
    spark: SparkSession, work: Path
) -> None:
    assert workspace.stage(spark.range(10).repartition(3), "rows").count() == 10
    assert list(work.glob("lakeproof-spark-*/rows-*/rows/*.parquet"))
    written = staging.write(spark.range(6).selectExpr("id", "id % 2 as odd"), workspace.fresh(spark, "rows"), by="odd")
    assert written.folders == {"odd=0": 3, "odd=1": 3}
    for each in work.glob("lakeproof-spark-*/rows-*/rows/odd=1/*.parquet"):
        each.unlink()
    with pytest.raises(Unusable, match="odd=1: 3 rows were written, and 0 are there"):
        staging.read(written, spark.range(0).schema, spark, "odd=1")
    workspace.remove(spark)
    assert not list(work.glob("lakeproof-spark-*"))


def test_a_work_folder_that_is_not_there_is_one_line(spark: SparkSession) -> None:
    workspace.remove(spark)
    workspace.place(spark, "/nowhere/at/all")
    with pytest.raises(Unusable, match=r"^/nowhere/at/all: cannot be worked in \(No such file or directory\)"):
        workspace.folder(spark)
    workspace.place(spark, None)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "d", "--out", "nothing://b"], r"nothing://b: is on no file system that can be reached \(.*; name s"),
        (["uncommitted", "d", "--out", "nothing://b"], r"nothing://b: is on no file system that can be reached"),
        (["generate", "s3a://b/x"], ".*s3a://b/x: expected a folder; name one of this machine"),
    ],
)
def test_an_out_that_cannot_be_is_one_line_and_makes_no_folder_of_that_name(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert re.match(words, complaint(lakeproof("spark", *arguments)))
    assert list(tmp_path.iterdir()) == []

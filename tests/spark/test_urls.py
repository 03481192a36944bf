"""What a command writes to a URL is what it writes to a folder of this machine, and is checked alike. Everything here
also reads its dataset by a URL."""

import re
import shutil
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import footers, runs
from lakeproof.spark_checks.dataset import open_dataset
from lakeproof.spark_checks.hadoop_folder import folder_in
from lakeproof.spark_checks.retention import commit_files
from lakeproof.spark_checks.tables import DECODED
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.retention.test_commit_files import READ, ROWS, STRANGE
from tests.spark.retention.worlds import NOW, world
from tests.spark.test_clusters import timeless
from tests.spark.test_resuming import Place, end_after, refused
from tests.spark.uncommitted.test_uncommitted import with_promises

URL = "viewfs://urls/mount"
KINDS = ["uncommitted", "retention"]


@pytest.fixture(scope="module")
def behind(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder behind the URL, with a dataset and rules. In bare/, the dataset has no typed tables."""
    folder = tmp_path_factory.mktemp("behind")
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.viewfs.mounttable.urls.link./mount", folder.as_uri())
    snapshots.write(snapshots.tables(with_promises(world(3, 6))), folder / "bare")
    (folder / "rules.json").write_text('{"default_retention_days": 4}')
    return folder


@pytest.fixture(scope="module")
def here(behind: Path) -> Place:
    return Place(str(behind / "bare"), str(behind / "here"), str(behind / "rules.json"))


@pytest.fixture(scope="module")
def there(here: Place) -> Place:
    return here._replace(dataset=f"{URL}/bare", out=f"{URL}/there")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest, here: Place, there: Place) -> str:
    """Of two runs, one in each place, by the name of run."""
    for place in (here, there):
        assert place.ask(request.param, f"{request.param}-run", "--now", str(NOW)).exit_code == 0
    return str(request.param)


def rows(table: DataFrame) -> list[str]:
    return sorted(str(row) for row in table.collect())


def report(spark: SparkSession, place: Place, run: str) -> dict[str, object]:
    found = runs.read_report(folder_in(spark, place.out), run)
    return {name: value for name, value in found.items() if name not in ("dataset", "files", "unsealed")}


class TestRuns:
    def test_the_report_is_the_same_and_so_is_what_is_marked(
        self, spark: SparkSession, kind: str, here: Place, there: Place
    ) -> None:
        run = f"{kind}-run"
        assert report(spark, here, run) == report(spark, there, run)
        one, two = (spark.read.parquet(f"{place.out}/{run}/addresses") for place in (here, there))
        assert rows(one) == rows(two) != []
        tables = {each.partition("/")[0] for each, _ in folder_in(spark, there.out).child(run).files()}
        assert tables == {"addresses", "report.json", "report.html", "known" if kind == "uncommitted" else "commits"}

    def test_its_files_are_what_it_has_written_or_it_is_refused(
        self, spark: SparkSession, kind: str, there: Place, behind: Path
    ) -> None:
        run = f"{kind}-run"
        folder = folder_in(spark, there.out).child(run)
        assert runs.demand_run(folder, kind).where == f"{there.out}/{run}"  # type: ignore[arg-type]
        shutil.copytree(behind / "there" / run, behind / "there" / f"{run}-changed")
        changed = folder_in(spark, there.out).child(f"{run}-changed")
        file = max((behind / "there" / f"{run}-changed" / "addresses").glob("*.parquet"))
        content = file.read_bytes()
        file.write_bytes(content[:-9] + b"x" + content[-8:])
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)  # of Spark's writer
        with pytest.raises(Unusable, match=r"\.parquet: is not what the run has written; mark once more"):
            runs.demand_run(changed, kind)  # type: ignore[arg-type]
        file.unlink()
        with pytest.raises(Unusable, match="is gone, and the run is not whole without it"):
            runs.demand_run(changed, kind)  # type: ignore[arg-type]

    def test_one_that_is_there_is_refused(self, kind: str, there: Place) -> None:
        run = f"{kind}-run"
        said = complaint(there.ask(kind, run, "--now", str(NOW)))
        assert said.startswith(f"{there.out}/{run}: is there already, and has its report")

    def test_one_that_is_not_there_is_one_line(self, spark: SparkSession, kind: str, there: Place) -> None:
        with pytest.raises(Unusable, match=rf"{there.out}: has no run 'x'; those there are .*{kind}-run"):
            runs.demand_run(folder_in(spark, f"{there.out}/x"), "uncommitted")

    @pytest.mark.parametrize("kind", ["retention"], indirect=True)
    def test_the_commits_are_the_same(self, spark: SparkSession, kind: str, here: Place, there: Place) -> None:
        one, two = (
            spark.read.csv(f"{place.out}/{kind}-run/commits", schema=READ, header=True, escape='"')
            for place in (here, there)
        )
        assert rows(one) == rows(two) != []

    @pytest.mark.parametrize("kind", ["uncommitted"], indirect=True)
    def test_a_run_goes_on_from_the_last_one(self, spark: SparkSession, kind: str, there: Place) -> None:
        last = f"{there.out}/{kind}-run"
        done = there.ask(kind, "second", "--since", last, "--now", str(NOW))
        assert done.exit_code == 0, done.output
        first, second = report(spark, there, f"{kind}-run"), report(spark, there, "second")
        assert second["accounts"] == first["accounts"]
        assert second["asked"] == {"older_than": 86_400_000_000, "since": f"{kind}-run", "lenient": True}
        with pytest.raises(Unusable, match="is a run of uncommitted; name one of retention"):
            runs.demand_run(folder_in(spark, last), "retention")

    @pytest.mark.parametrize("kind", ["uncommitted"], indirect=True)
    def test_a_run_that_was_ended_goes_on(self, spark: SparkSession, kind: str, there: Place) -> None:
        with pytest.MonkeyPatch.context() as patch:
            end_after("committed", patch)
            assert there.ask(kind, "broken", "--now", str(NOW)).exit_code == 130
        assert "was begun with now" in refused(there.ask(kind, "broken", "--now", "0"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("lakeproof.spark_checks.decoding.write", None)  # is not called
            patch.setattr("lakeproof.spark_checks.holdings.committed", None)
            assert there.ask(kind, "broken", "--now", str(NOW)).exit_code == 0
        assert report(spark, there, "broken") | {"run": ""} == report(spark, there, f"{kind}-run") | {"run": ""}
        assert runs.demand_run(folder_in(spark, f"{there.out}/broken"), "uncommitted").name == "broken"
        assert not folder_in(spark, f"{there.out}/broken").exists("stages")

    def test_a_new_run_whose_input_is_refused_leaves_no_folder(self, spark: SparkSession, there: Place) -> None:
        done = there._replace(dataset=f"{URL}/nowhere").ask("uncommitted", "refused")
        assert "nowhere/kv: there is no table kv/" in refused(done)
        assert not folder_in(spark, f"{there.out}/refused").exists()


class TestTypedTables:
    def test_they_are_decoded_to_a_url_and_read_from_one(self, spark: SparkSession, behind: Path) -> None:
        shutil.copytree(behind / "bare", behind / "typed")
        arguments = ("spark", "decode", f"{URL}/typed", "--out", f"{URL}/typed/decoded")
        done = lakeproof(*arguments)
        assert done.exit_code == 0
        assert complaint(lakeproof(*arguments)).startswith(f"{URL}/typed/decoded: is there already; name another")
        found = open_dataset(spark, f"{URL}/typed")
        local = open_dataset(spark, str(behind / "typed"))
        assert found.decoded.keys() == DECODED.keys()
        for name, table in found.decoded.items():
            assert rows(table) == rows(local.decoded[name])
            assert footers.count(table) == footers.count(local.decoded[name])
        for name in ("kv", "metaranges", "ranges", "objects"):
            assert rows(getattr(found, name)) == rows(getattr(local, name)) != []
        assert runs.time_of(None, found) == runs.time_of(None, local)
        assert footers.youngest(found.objects, "last_modified") is None  # nobody knows without a job

    def test_a_table_that_is_not_there_is_an_error(self, spark: SparkSession, behind: Path) -> None:
        shutil.copytree(behind / "bare", behind / "less", ignore=shutil.ignore_patterns("ranges"))
        with pytest.raises(Unusable, match=f"{URL}/less/ranges: there is no table ranges/"):
            open_dataset(spark, f"{URL}/less")


def placeless(text: str) -> str:
    return re.sub(r'"unsealed": .*', "", timeless(text))


def test_checks_write_their_findings_and_pages_to_a_url(spark: SparkSession, behind: Path) -> None:
    asked = ("--only", "parents-exist", "--only", "staged-has-owner", "--json")
    one = lakeproof("spark", "check", str(behind / "bare"), *asked, "--out", str(behind / "checked"))
    two = lakeproof("spark", "check", f"{URL}/bare", *asked, "--out", f"{URL}/checked-there")
    assert placeless(one.stdout) == placeless(two.stdout)
    assert one.exit_code == two.exit_code == 1
    found = [behind / name for name in ("checked", "checked-there")]
    assert placeless((found[0] / "summary.jsonl").read_text()) == placeless((found[1] / "summary.jsonl").read_text())
    assert "<h1>Checks of" in (found[1] / "summary.html").read_text()
    one_, two_ = (spark.read.parquet(str(each / "findings")) for each in found)
    assert rows(one_) == rows(two_) != []
    again = lakeproof("spark", "check", f"{URL}/bare", "--out", f"{URL}/checked-there")
    assert complaint(again).startswith(f"{URL}/checked-there: is there already; name another folder")


class TestCommitFiles:
    def test_spark_reads_at_a_url_what_was_written_whatever_the_names_are(
        self, spark: SparkSession, behind: Path
    ) -> None:
        expected = [(name, f" {name}-{n}\n", n % 2 == 0, "m" if n else None) for name in STRANGE for n in range(3)]
        table = spark.createDataFrame(expected, ROWS)
        for _ in range(2):  # what was there is replaced
            assert commit_files.write(table, folder_in(spark, f"{URL}/commits")) == len(expected)
        assert commit_files.write(table, behind / "commits-here") == len(expected)
        one, two = (
            spark.read.csv(
                where,
                schema=READ,
                header=True,
                escape='"',
                multiLine=True,
                ignoreLeadingWhiteSpace=False,
                ignoreTrailingWhiteSpace=False,
            )
            for where in (f"{URL}/commits", str(behind / "commits-here"))
        )
        assert rows(one) == rows(two)
        found = {(row["repository_id"], row["commit_id"], row["expired"], row["metarange_id"]) for row in one.collect()}
        assert found == set(expected)

    def test_no_rows_are_no_files(self, spark: SparkSession, behind: Path) -> None:
        assert commit_files.write(spark.createDataFrame([], ROWS), folder_in(spark, f"{URL}/none")) == 0
        assert not list((behind / "none").rglob("*.csv"))

    def test_a_file_that_is_lost_ends_it(
        self, spark: SparkSession, behind: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from pyspark.sql.readwriter import DataFrameWriter

        write = DataFrameWriter.csv

        def csv(self: DataFrameWriter, path: str) -> None:
            write(self, path)
            next((behind / "lost").rglob("*.csv")).unlink()

        monkeypatch.setattr(DataFrameWriter, "csv", csv)
        table = spark.createDataFrame([("a", "c", True, "m"), ("b", "c", True, "m")], ROWS)
        with pytest.raises(Unusable, match="urls/mount/lost: 2 rows were written, and 1 are there"):
            commit_files.write(table, folder_in(spark, f"{URL}/lost"))

"""As many rows are read as the footers tell of: in each job that decides something, and counted where tasks run."""

import attrs
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import scanned, workspace
from lakeproof.spark_checks.dataset import read_table
from lakeproof.spark_checks.scanned import Scan
from lakeproof.spark_checks.tables import LONG, table
from tests.commands import lakeproof
from tests.spark.retention.worlds import NOW
from tests.spark.test_staging import dataset, last_line, rules

__all__ = ["dataset", "rules"]

TABLE = table(id=LONG)


@pytest.fixture
def scan(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Scan:
    """Of ten rows, which nobody has read yet."""
    where = str(tmp_path_factory.mktemp("scanned") / "rows")
    spark.range(10).repartition(3).write.parquet(where)
    return Scan.of("rows/", read_table(spark, where, TABLE))


def test_a_job_that_reads_all_rows_is_whole_whatever_it_does_with_them(scan: Scan) -> None:
    workspace.staged(scan.rows.where("id > 5").select(f.col("id") + 1), "some", [scan])
    assert scan._found() == 10


@pytest.mark.parametrize("expected", [9, 11])
def test_a_job_that_reads_another_number_of_rows_ends_the_run(scan: Scan, expected: int) -> None:
    wrong = attrs.evolve(scan, expected=expected)
    with pytest.raises(Unusable, match=rf"^rows/: .* tell of {expected} rows, and tasks have read 10; name a place"):
        workspace.staged(scan.rows, "all", [wrong])


def test_a_table_that_need_not_be_read_is_counted_by_itself(spark: SparkSession, scan: Scan) -> None:
    nothing = spark.range(0).repartition(2)
    joined = scan.rows.repartition(2, "id").join(nothing, "id")
    assert workspace.staged(joined, "none", [scan]).count() == 0
    assert scan._found() < 10  # Spark has stopped
    with pytest.raises(Unusable, match="tell of 11 rows, and tasks have read 10"):
        attrs.evolve(scan, expected=11).demand_whole()


def test_a_count_that_was_lost_is_repeated_and_files_that_have_less_are_an_error(scan: Scan) -> None:
    scan.rows.limit(1).collect()
    assert scan._found() == 1
    scan.demand_whole()
    less = attrs.evolve(scan, table=scan.table.where("id > 0"))
    with pytest.raises(Unusable, match="tell of 10 rows, and tasks have read 9; "):
        less.demand_whole()


def test_a_part_of_a_plan_that_has_no_rows_takes_its_count_with_it(spark: SparkSession, scan: Scan) -> None:
    nothing = scan.rows.repartition(2, "id").join(scan.table.repartition(2, "id"), "id", "left_anti")
    assert workspace.staged(nothing.unionAll(spark.range(3)), "three", [scan]).count() == 3


def test_a_stage_that_was_repeated_and_so_counted_twice_is_no_error(scan: Scan) -> None:
    twice = attrs.evolve(scan, rows=scan.rows.unionAll(scan.table))
    again = attrs.evolve(twice, observed=Scan.of("rows/", twice.rows).observed)
    workspace.staged(again.rows, "twice", [scan])
    scan.demand_whole()


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
class TestThroughTheCommands:
    @pytest.mark.parametrize(
        ("command", "names"),
        [
            ("check", {"kv/", "metaranges/", "ranges/", "objects/", "commits", "branches", "tags", "staged"}),
            ("uncommitted", {"kv/", "metaranges/", "ranges/", "commits", "staged entries"}),
            ("retention", {"kv/", "metaranges/", "ranges/", "commits", "staged entries"}),
        ],
    )
    def test_every_table_that_decides_is_counted_by_the_job_that_reads_it(
        self, command: str, names: set[str], dataset: str, rules: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: dict[str, list[int]] = {}
        demand = Scan.demand_whole

        def demanded(self: Scan) -> None:
            read.setdefault(self.name, []).append(self._found() - self.expected)
            demand(self)

        monkeypatch.setattr(Scan, "demand_whole", demanded)
        arguments = {"check": (), "uncommitted": ("--lenient",), "retention": ("--rules", rules)}[command]
        more = () if command == "check" else ("--now", str(NOW), "--out", f"{tmp_path}/out")
        done = lakeproof("spark", command, dataset, *arguments, *more)
        assert done.exit_code in (0, 1, 3), done.output
        assert names <= read.keys()
        if command != "check":  # which may stop where nothing is to be found
            assert {each for found in read.values() for each in found} == {0}

    def test_a_run_of_which_a_job_reads_less_marks_nothing(
        self, dataset: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = Scan.of.__func__  # type: ignore[attr-defined]

        def one_is_lost(cls: type[Scan], called: str, table_: object) -> Scan:
            found: Scan = make(cls, called, table_)
            return attrs.evolve(found, expected=found.expected + (called == "kv/"))

        monkeypatch.setattr(scanned.Scan, "of", classmethod(one_is_lost))
        done = lakeproof("spark", "uncommitted", dataset, "--now", str(NOW), "--lenient", "--out", f"{tmp_path}/out")
        assert last_line(done).startswith("lakeproof: kv/: the footers of its files tell of ")
        assert list((tmp_path / "out").iterdir()) == []  # type: ignore[operator]

"""Every file of a table is looked at before a row is read: what Spark takes for null, or passes over, is refused."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data.dataset import open_dataset, read_table
from lakeproof.spark_checks.engine import layout, places
from lakeproof.spark_checks.engine.tables import AT_REST, DECODED, LONG, STRING, table
from lakeproof.words import Unusable
from tests.spark import snapshots
from tests.spark.conftest import CLASSIC, Mount
from tests.spark.retention.worlds import world

RANGES = ("range_id", "path", "address", "checksum", "size_bytes")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Each of its tables has two files."""
    folder = tmp_path / "dataset"
    snapshots.write(snapshots.tables(world(7, 3)), folder, files=2)
    return folder


def second(dataset: Path, name: str = "ranges") -> Path:
    return dataset / name / "part-1.parquet"


def renamed(dataset: Path) -> None:
    file = second(dataset)
    parquet.write_table(parquet.read_table(file).rename_columns(["range_id", "path", "addr", *RANGES[3:]]), file)


def retyped(dataset: Path) -> None:
    file = second(dataset)
    rows = parquet.read_table(file)
    at = rows.schema.get_field_index("size_bytes")
    parquet.write_table(rows.set_column(at, "size_bytes", rows.column(at).cast(pa.string())), file)


def emptied(dataset: Path) -> None:
    second(dataset).write_bytes(b"")


def hidden(dataset: Path) -> None:
    second(dataset).rename(dataset / "ranges" / "_part-1.parquet")


def half_copied(dataset: Path) -> None:
    second(dataset).rename(dataset / "ranges" / ".part-1.parquet._COPYING_")


def half_written(dataset: Path) -> None:
    (dataset / "ranges" / "_temporary" / "0").mkdir(parents=True)
    second(dataset).rename(dataset / "ranges" / "_temporary" / "0" / "part-1.parquet")


def deeper(dataset: Path) -> None:
    (dataset / "ranges" / "more").mkdir()
    second(dataset).rename(dataset / "ranges" / "more" / "part-1.parquet")


def beside_folders(dataset: Path) -> None:
    """Spark reads what is in the folder, and passes over the file that was there before."""
    (dataset / "ranges" / "day=1").mkdir()
    second(dataset).rename(dataset / "ranges" / "day=1" / "part-1.parquet")


def in_folders_of_other_columns(dataset: Path) -> None:
    for number, name in enumerate(("day=1", "week=1")):
        (dataset / "ranges" / name).mkdir()
        file = dataset / "ranges" / f"part-{number}.parquet"
        file.rename(dataset / "ranges" / name / file.name)


def in_folders_at_other_places(dataset: Path) -> None:
    for number, name in enumerate(("more/day=1", "day=2")):
        (dataset / "ranges" / name).mkdir(parents=True)
        file = dataset / "ranges" / f"part-{number}.parquet"
        file.rename(dataset / "ranges" / name / file.name)


def noted(dataset: Path) -> None:
    (dataset / "ranges" / "notes.txt").write_text("mind the gap")


def copied_half(dataset: Path) -> None:
    second(dataset).rename(dataset / "ranges" / "000000_1._COPYING_")


def in_two_spellings(dataset: Path) -> None:
    rows = parquet.read_table(second(dataset))
    parquet.write_table(rows.append_column("Address", rows.column("path")), second(dataset))


def of_delta(dataset: Path) -> None:
    (dataset / "ranges" / "_delta_log").mkdir()
    (dataset / "ranges" / "_delta_log" / "0.json").write_text("{}")


def with_file(name: str) -> Callable[[Path], None]:
    def add(dataset: Path) -> None:
        file = dataset / "ranges" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("{}")

    add.__name__ = f"with_file_{name}"
    return add


DAMAGES = (
    (renamed, r"part-1\.parquet: has no column address \(\['addr', .*expected of ranges/: .*write the file again so"),
    (retyped, r"part-1\.parquet: column size_bytes is string; expected of ranges/"),
    (emptied, r"part-1\.parquet: cannot be read as Parquet \(0 bytes\); bring it back whole, or write the table again"),
    (noted, r"notes\.txt: cannot be read as Parquet \(.*\); take it away if it is not of the table, or bring it back"),
    (hidden, r"_part-1\.parquet: Spark passes over files of such a name; take it away, or give it one that tells"),
    (half_copied, r"\.part-1\.parquet\._COPYING_: is of a write that has not ended"),
    (copied_half, r"000000_1\._COPYING_: is of a write that has not ended; wait for its end"),
    (half_written, r"_temporary/0/part-1\.parquet: is of a write that has not ended"),
    (
        deeper,
        r"more/part-1\.parquet: lies in a folder that is not named column=value, and Spark passes over it; move it",
    ),
    (
        beside_folders,
        r"ranges/part-0\.parquet: lies in no folder named column=value, and day=1/part-1\.parquet does, so that Spark ",
    ),
    (in_folders_of_other_columns, r"part-1\.parquet: lies in week=value, and day=1/part-0\.parquet in day=value; take"),
    (in_folders_at_other_places, r"part-0\.parquet: lies in more/day=value, and day=2/part-1\.parquet in day=value; "),
    (in_two_spellings, r"part-1\.parquet: has columns Address and address, which Spark takes for one"),
    (of_delta, r"ranges: is a Delta table"),
    (with_file(".hoodie/hoodie.properties"), r"ranges: is a Hudi table, of whose files some are not valid; export it"),
    (with_file("_spark_metadata/0"), r"ranges: is what a stream of Spark has written, of whose files some are not"),
    (with_file("metadata/v1.metadata.json"), r"ranges: is an Iceberg table, of whose files some are not valid"),
)


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_second_file_that_is_not_as_the_first_is_named(
    spark: SparkSession, dataset: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(dataset)
    with pytest.raises(Unusable, match=words) as told:
        open_dataset(spark, str(dataset))
    assert "\n" not in str(told.value)
    assert "leave it out" not in str(told.value)


def test_what_spark_leaves_beside_its_files_is_no_data(spark: SparkSession, dataset: Path) -> None:
    before = open_dataset(spark, str(dataset)).kv.count()
    for name in ("_SUCCESS", ".part-0.parquet.crc", "_committed_1", "_metadata", "_metadata.part", "_common_metadata~"):
        (dataset / "kv" / name).write_bytes(b"")
    assert open_dataset(spark, str(dataset)).kv.count() == before


def test_folders_named_by_a_column_are_read_at_one_depth(spark: SparkSession, dataset: Path) -> None:
    before = open_dataset(spark, str(dataset)).ranges.count()
    for number in range(2):
        folder = dataset / "ranges" / f"day={number}"
        folder.mkdir()
        (dataset / "ranges" / f"part-{number}.parquet").rename(folder / "part.parquet")
    (dataset / "ranges" / "_SUCCESS").write_bytes(b"")
    assert open_dataset(spark, str(dataset)).ranges.count() == before


@CLASSIC
def test_files_may_differ_in_what_is_widened_without_a_loss_and_in_other_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    for number, kind in enumerate((pa.int64(), pa.int32(), pa.int16())):
        rows = pa.table({"n": pa.array([number], kind), "s": ["x"], f"more{number}": [1]})
        parquet.write_table(rows, tmp_path / f"{number}.parquet")
    found = read_table(spark, str(tmp_path), table(s=STRING, n=LONG)).collect()
    assert sorted((row["s"], row["n"]) for row in found) == [("x", 0), ("x", 1), ("x", 2)]


def test_times_of_nanoseconds_are_refused_and_those_of_old_files_taken(spark: SparkSession, tmp_path: Path) -> None:
    schema = AT_REST["objects"]
    times = pa.array([10**18], "timestamp[ns]")
    rows = {"storage_namespace": ["s"], "address": ["a"], "size_bytes": [1], "last_modified": times}
    parquet.write_table(pa.table(rows), tmp_path / "0.parquet", use_deprecated_int96_timestamps=True)
    assert read_table(spark, str(tmp_path), schema).collect()[0]["last_modified"].year == 2001
    parquet.write_table(pa.table(rows), tmp_path / "1.parquet", version="2.6")
    with pytest.raises(Unusable, match=r"1\.parquet: column last_modified is timestamp_ntz in nanoseconds"):
        read_table(spark, str(tmp_path), schema)


class TestByUrl:
    def test_footers_say_there_what_they_say_here(self, spark: SparkSession, mount: Mount) -> None:
        schema = table(**{field.name: field.dataType for each in DECODED.values() for field in each})
        spark.createDataFrame([], schema).write.parquet(str(mount.folder / "kinds"))
        for file in (mount.folder / "kinds").glob("*.parquet"):
            url = f"{mount.url}/kinds/{file.name}"
            there, here = (places.File("", each, places.stamp(file)) for each in (url, str(file)))
            assert layout._columns(there) == layout._columns(here)

    def test_a_file_that_is_damaged_is_named_with_its_url(self, spark: SparkSession, mount: Mount) -> None:
        for number, column in enumerate(("n", "m")):
            (mount.folder / "rows").mkdir(exist_ok=True)
            parquet.write_table(pa.table({column: [number]}), mount.folder / "rows" / f"{number}.parquet")
        with pytest.raises(Unusable, match=rf"^{mount.url}/rows/1\.parquet: has no column n \(\['m'\]\)"):
            read_table(spark, f"{mount.url}/rows", table(n=LONG))
        (mount.folder / "rows" / "1.parquet").write_bytes(b"")
        with pytest.raises(
            Unusable, match=r"1\.parquet: cannot be read as Parquet \(.*\); bring it back whole"
        ) as told:
            read_table(spark, f"{mount.url}/rows", table(n=LONG))
        assert "\n" not in str(told.value)
        (mount.folder / "rows" / "1.parquet").unlink()
        assert read_table(spark, f"{mount.url}/rows", table(n=LONG)).count() == 1
        with pytest.raises(Unusable, match="there is no table gone/"):
            read_table(spark, f"{mount.url}/gone", table(n=LONG))

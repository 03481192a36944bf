"""Every file of a table is looked at before a row is read: what Spark takes for null, or passes over, is refused."""

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data.dataset import open_dataset, read_table
from lakeproof.spark_checks.engine import layout, places
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.folders import files
from lakeproof.spark_checks.engine.tables import AT_REST, DECODED, LONG, STRING, table
from lakeproof.spark_checks.engine.troubles import translate_errors
from lakeproof.words import Unusable
from tests.spark import snapshots
from tests.spark.conftest import ON_CLASSIC_TOO, Mount
from tests.spark.retention.worlds import world

Damage = Callable[[Path], None]
"""To the folder of ranges/."""


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Each of its tables has two files."""
    folder = tmp_path / "dataset"
    snapshots.write(snapshots.tables(world(7, 3)), folder, files=2)
    return folder


def moved(**places: str) -> Damage:
    """Files of ranges/ that lie elsewhere beneath it: ``first``, ``second``."""

    def move(ranges: Path) -> None:
        for name, place in places.items():
            (ranges / place).parent.mkdir(parents=True, exist_ok=True)
            (ranges / f"part-{int(name == 'second')}.parquet").rename(ranges / place)

    return move


def added(name: str, text: str = "{}") -> Damage:
    def add(ranges: Path) -> None:
        (ranges / name).parent.mkdir(exist_ok=True)
        (ranges / name).write_text(text)

    return add


def rewritten(change: Callable[[pa.Table], pa.Table]) -> Damage:
    """The second file, with other columns."""

    def write(ranges: Path) -> None:
        parquet.write_table(change(parquet.read_table(ranges / "part-1.parquet")), ranges / "part-1.parquet")

    return write


def renamed(rows: pa.Table) -> pa.Table:
    return rows.rename_columns(["addr" if each == "address" else each for each in rows.column_names])


def retyped(rows: pa.Table) -> pa.Table:
    at = rows.schema.get_field_index("size_bytes")
    return rows.set_column(at, "size_bytes", rows.column(at).cast(pa.string()))


def in_two_spellings(rows: pa.Table) -> pa.Table:
    return rows.append_column("Address", rows.column("path"))


def cut(ranges: Path) -> None:
    (ranges / "part-1.parquet").write_bytes((ranges / "part-1.parquet").read_bytes()[:-10])


def with_other_tags(ranges: Path) -> None:
    file = ranges.parent / "objects" / "part-1.parquet"
    rows = parquet.read_table(file)
    parquet.write_table(rows.append_column("e_tag", pa.array([b"x"] * len(rows), pa.binary())), file)


DAMAGES = {
    "gone": (lambda ranges: shutil.rmtree(ranges.parent), r"dataset: there is no such folder; a dataset is a folder"),
    "tags": (with_other_tags, r"part-1\.parquet: column e_tag is binary; expected of objects/: .*e_tag: string"),
    "lost": (shutil.rmtree, r"ranges: there is no table ranges/; a dataset is a folder with kv/.*an empty one will do"),
    "empty": (moved(first="../a", second="../b"), r"ranges: has no Parquet file; write the table"),
    "cut": (cut, r"part-1\.parquet: cannot be read as Parquet \(.*\); bring it back whole"),
    "renamed": (
        rewritten(renamed),
        r"part-1\.parquet: has no column address \(\['addr', .*expected of ranges/: .*write the file again so",
    ),
    "retyped": (rewritten(retyped), r"part-1\.parquet: column size_bytes is string; expected of ranges/"),
    "in two spellings": (
        rewritten(in_two_spellings),
        r"part-1\.parquet: has columns Address and address, which Spark takes for one",
    ),
    "emptied": (
        added("part-1.parquet", ""),
        r"part-1\.parquet: cannot be read as Parquet \(0 bytes\); bring it back whole, or write the table again",
    ),
    "notes": (
        added("notes.txt", "mind the gap"),
        r"notes\.txt: cannot be read as Parquet \(.*\); take it away if it is not of the table, or bring it back",
    ),
    "hidden": (
        moved(second="_part-1.parquet"),
        r"_part-1\.parquet: Spark passes over files of such a name; take it away, or give it one that tells",
    ),
    "half copied": (
        moved(second=".part-1.parquet._COPYING_"),
        r"\.part-1\.parquet\._COPYING_: is of a write that has not ended",
    ),
    "copied under a name of Hive": (
        moved(second="000000_1._COPYING_"),
        r"000000_1\._COPYING_: is of a write that has not ended; wait for its end",
    ),
    "half written": (
        moved(second="_temporary/0/part-1.parquet"),
        r"_temporary/0/part-1\.parquet: is of a write that has not ended",
    ),
    "deeper": (
        moved(second="more/part-1.parquet"),
        r"more/part-1\.parquet: lies in a folder that is not named column=value, and Spark passes over it; move it",
    ),
    "beside folders": (  # Spark reads what is in the folder, and passes over the file that was there before
        moved(second="day=1/part-1.parquet"),
        r"ranges/part-0\.parquet: lies in no folder named column=value, and day=1/part-1\.parquet does, so that Spark ",
    ),
    "in folders of other columns": (
        moved(first="day=1/part-0.parquet", second="week=1/part-1.parquet"),
        r"part-1\.parquet: lies in week=value, and day=1/part-0\.parquet in day=value; take",
    ),
    "of Delta": (added("_delta_log/0.json"), r"ranges: is a Delta table"),
    "of a stream": (
        added("_spark_metadata/0"),
        r"ranges: is what a stream of Spark has written, of whose files some are not",
    ),
    "of Iceberg": (
        added("metadata/v1.metadata.json"),
        r"ranges: is an Iceberg table, of whose files some are not valid",
    ),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
def test_a_second_file_that_is_not_as_the_first_is_named(
    spark: SparkSession, dataset: Path, damage: Damage, words: str
) -> None:
    damage(dataset / "ranges")
    with pytest.raises(Unusable, match=words) as told:
        open_dataset(spark, str(dataset))
    assert "\n" not in str(told.value)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "\udcff.parquet").write_bytes(b"")
    with pytest.raises(Unusable, match=r"/.udcff.parquet': is no text in UTF-8, by which engines .* rename it"):
        files(str(tmp_path))


@ON_CLASSIC_TOO
def test_a_column_of_folders_that_is_all_digits_is_text(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "s=007").mkdir()
    parquet.write_table(pa.table({"n": [1]}), tmp_path / "s=007" / "part.parquet")
    assert read_table(spark, str(tmp_path), table(s=STRING, n=LONG)).collect()[0]["s"] == "007"


def everywhere(change: Callable[[pa.Table], pa.Table], **how: Any) -> Damage:  # type: ignore[explicit-any]
    """Both files, written anew."""

    def write(ranges: Path) -> None:
        for file in sorted(ranges.glob("*.parquet")):
            parquet.write_table(change(parquet.read_table(file)), file, **how)

    return write


def smaller(rows: pa.Table) -> pa.Table:
    at = rows.schema.get_field_index("size_bytes")
    wide = rows.append_column("more", pa.array([{"a": [1]}] * len(rows)))
    return wide.set_column(at, "size_bytes", rows.column(at).cast(pa.int32())).select([*reversed(wide.column_names)])


def beside(ranges: Path) -> None:
    for name in ("_SUCCESS", ".part-9.parquet.crc", "_committed_1", "_metadata", "_metadata.part", "_common_metadata~"):
        (ranges / name).write_bytes(b"")


def folders(ranges: Path) -> None:
    moved(first="day=a%2Fb c+/part.parquet", second="day=\u00e9#?{*}/x y%20.parquet")(ranges)
    (ranges / "_SUCCESS").write_bytes(b"")
    (ranges / "day=0").mkdir()


HARMLESS: dict[str, Damage] = {
    "smaller integers, other columns, another order": everywhere(smaller),
    "packed by gzip": everywhere(lambda rows: rows, compression="gzip", row_group_size=2),
    "packed by lz4": everywhere(lambda rows: rows, compression="lz4", data_page_version="2.0"),
    "what Spark leaves beside its files": beside,
    "in folders named by a column": folders,
}


@ON_CLASSIC_TOO
@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_however_it_lies_the_same_rows_are_read(spark: SparkSession, dataset: Path, change: Damage) -> None:
    before = sorted(map(str, open_dataset(spark, str(dataset)).ranges.collect()))
    change(dataset / "ranges")
    assert sorted(map(str, open_dataset(spark, str(dataset)).ranges.collect())) == before != []


def read_or_refused(spark: SparkSession, where: Path, column: str) -> list[tuple[object, ...]]:
    """The rows; none where Sail has refused the column."""
    found: list[tuple[object, ...]] = []
    refused = pytest.raises(Unusable, match=f"['`]{column}['`].*, which Sail cannot read; name --engine classic")
    with refused if engine_of(spark).name == "embedded" else nullcontext(), translate_errors():
        found += [(*row,) for row in read_table(spark, str(where), table(s=STRING, n=LONG)).orderBy("n").collect()]
    return found


@ON_CLASSIC_TOO
@pytest.mark.parametrize("files", [1, 2])
def test_a_text_that_is_encoded_as_numbers_is_read_or_another_engine_is_named(
    spark: SparkSession, tmp_path: Path, files: int
) -> None:
    texts = (pa.array(["x"]).dictionary_encode(), pa.array(["x"]))
    for number, each in enumerate(texts[:files]):
        parquet.write_table(pa.table({"s": each, "n": [number]}), tmp_path / f"{number}.parquet")
    assert read_or_refused(spark, tmp_path, "s") in ([], [("x", number) for number in range(files)])


@ON_CLASSIC_TOO
def test_files_may_differ_in_what_is_widened_without_a_loss_and_in_other_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    for number, kind in enumerate((pa.int64(), pa.int32(), pa.int16())):
        rows = pa.table({"n": pa.array([number], kind), "s": ["x"], f"more{number}": [1]})
        parquet.write_table(rows, tmp_path / f"{number}.parquet")
    assert read_or_refused(spark, tmp_path, "n") in ([], [("x", 0), ("x", 1), ("x", 2)])


@ON_CLASSIC_TOO
def test_times_of_nanoseconds_are_refused_and_those_of_old_files_taken(spark: SparkSession, tmp_path: Path) -> None:
    schema = AT_REST["objects"]
    times = pa.array([10**18], "timestamp[ns]")
    rows = {"storage_namespace": ["s"], "address": ["a"], "size_bytes": [1], "last_modified": times}
    parquet.write_table(pa.table(rows), tmp_path / "0.parquet", use_deprecated_int96_timestamps=True)
    assert read_table(spark, str(tmp_path), schema).collect()[0]["last_modified"].year == 2001
    parquet.write_table(pa.table(rows), tmp_path / "1.parquet", version="2.6")
    with pytest.raises(Unusable, match=r"1\.parquet: column last_modified is timestamp_ntz in nanoseconds"):
        read_table(spark, str(tmp_path), schema)


def test_footers_say_at_a_url_what_they_say_here(spark: SparkSession, mount: Mount) -> None:
    schema = table(**{field.name: field.dataType for each in DECODED.values() for field in each})
    spark.createDataFrame([], schema).write.parquet(str(mount.folder / "kinds"))
    for file in (mount.folder / "kinds").glob("*.parquet"):
        url = f"{mount.url}/kinds/{file.name}"
        there, here = (places.File("", each, places.stamp(file)) for each in (url, str(file)))
        assert layout._columns(there) == layout._columns(here)


def test_a_file_that_is_damaged_is_named_with_its_url(spark: SparkSession, mount: Mount) -> None:
    (mount.folder / "rows").mkdir()
    parquet.write_table(pa.table({"n": [0]}), mount.folder / "rows" / "0.parquet")
    assert read_table(spark, f"{mount.url}/rows", table(n=LONG)).count() == 1
    parquet.write_table(pa.table({"m": [1]}), mount.folder / "rows" / "1.parquet")
    for where, words in (("rows", r"/1\.parquet: has no column n \(\['m'\]\)"), ("gone", ": there is no table gone/")):
        with pytest.raises(Unusable, match=f"^{mount.url}/{where}{words}"):
            read_table(spark, f"{mount.url}/{where}", table(n=LONG))

"""Datasets: read as they are, or refused in one line that names the table, what is expected, and the repair."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.spark_checks.engine.troubles import translate_errors
from lakeproof.words import Unusable

ROWS: dict[str, list[dict[str, object]]] = {
    "kv": [{"partition_key": b"graveler", "key": b"repos/r", "value": b""}],
    "metaranges": [{"meta_range_id": "m", "range_id": "1"}],
    "ranges": [{"range_id": "1", "path": "a", "address": "data/a", "checksum": "e", "size_bytes": 3}],
    "objects": [{"storage_namespace": "s3://b/r", "address": "data/a", "size_bytes": 3, "last_modified": 1}],
}


def write(folder: Path, name: str, rows: list[dict[str, object]], schema: pa.Schema) -> Path:
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    file = target / "part-0.parquet"
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), file)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, schema in AT_REST.items():
        write(tmp_path, name, [dict(row) for row in ROWS[name]], to_arrow_schema(schema, timezone="UTC"))
    return tmp_path


def test_a_folder_has_the_four_tables(spark: SparkSession, folder: Path) -> None:
    dataset = open_dataset(spark, str(folder))
    assert dataset.tables == set(AT_REST)
    assert dataset.keys == "design"
    for name, schema in AT_REST.items():
        table = getattr(dataset, name)
        assert table.schema == schema
        assert table.count() == 1


def test_an_empty_dataset_is_a_dataset(spark: SparkSession, folder: Path) -> None:
    for name, schema in AT_REST.items():
        write(folder, name, [], to_arrow_schema(schema, timezone="UTC"))
    assert open_dataset(spark, str(folder)).objects.isEmpty()


def test_columns_may_come_in_any_order_with_others_and_as_smaller_integers(spark: SparkSession, folder: Path) -> None:
    schema = pa.schema(
        [("extra", pa.string()), ("size_bytes", pa.int32()), *((name, pa.string()) for name in ("checksum", "path"))]
    )
    fields = [*schema, pa.field("address", pa.string()), pa.field("range_id", pa.string())]
    write(folder, "ranges", [{"range_id": "1", "size_bytes": 3}], pa.schema(fields))
    ranges = open_dataset(spark, str(folder)).ranges
    assert ranges.schema == AT_REST["ranges"]
    assert ranges.select("size_bytes").collect()[0][0] == 3


def test_a_partition_column_of_digits_is_text(spark: SparkSession, folder: Path) -> None:
    (folder / "metaranges" / "part-0.parquet").unlink()
    write(folder / "metaranges", "meta_range_id=007", [{"range_id": "1"}], pa.schema([("range_id", pa.string())]))
    assert open_dataset(spark, str(folder)).metaranges.collect()[0]["meta_range_id"] == "007"


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        (".", "there is no such folder.*kv/"),
        ("ranges", "ranges: there is no table ranges/.*an empty one will do"),
        ("ranges/part-0.parquet", "ranges: has no Parquet file"),
    ],
)
def test_what_is_no_dataset_is_refused_in_one_line(spark: SparkSession, folder: Path, lost: str, words: str) -> None:
    where = folder / lost
    where.unlink() if where.is_file() else shutil.rmtree(where)
    with pytest.raises(Unusable, match=words) as refused:
        open_dataset(spark, str(folder))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("keep", [0, 3, 100, -10])
def test_a_file_that_is_cut_off_is_named(spark: SparkSession, folder: Path, keep: int) -> None:
    file = folder / "kv" / "part-0.parquet"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(Unusable) as refused, translate_errors():
        open_dataset(spark, str(folder)).kv.collect()
    assert "kv" in str(refused.value)
    assert "\n" not in str(refused.value)

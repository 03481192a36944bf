"""The time of a run: that of the youngest object, whatever wrote the listing."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data.dataset import Dataset, read_table
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.tables import KV, METARANGES, OBJECTS, RANGES, no_rows

LATE = datetime(2024, 5, 6, 7, 8, 9, 123_457, tzinfo=UTC)
MICROSECONDS = 1_714_979_289_123_457
EARLY = datetime(2024, 1, 1, tzinfo=UTC)


def written(spark: SparkSession, folder: Path, kind: pa.DataType, *files: list[datetime | None]) -> Dataset:
    """A listing in several files."""
    for i, times in enumerate(files):
        columns = {
            "storage_namespace": pa.array(["s3://b/r"] * len(times), pa.string()),
            "address": pa.array([f"data/{n}" for n in range(len(times))], pa.string()),
            "size_bytes": pa.array([1] * len(times), pa.int64()),
            "last_modified": pa.array(times, pa.timestamp("us", "UTC")).cast(kind),
        }
        old = kind == pa.timestamp("ns")
        pq.write_table(pa.table(columns), folder / f"{i}.parquet", use_deprecated_int96_timestamps=old)
    kv, metaranges, ranges = (no_rows(spark, schema) for schema in (KV, METARANGES, RANGES))
    return Dataset("d", "design", kv, metaranges, ranges, read_table(spark, str(folder), OBJECTS), tables=frozenset())


@pytest.mark.parametrize("kind", [pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("ns")], ids=str)
def test_the_youngest_object_of_all_files_says_when(spark: SparkSession, tmp_path: Path, kind: pa.DataType) -> None:
    late = LATE.replace(microsecond=123_000) if kind == pa.timestamp("ms", "UTC") else LATE
    expected = MICROSECONDS // 1000 * 1000 if late != LATE else MICROSECONDS
    dataset = written(spark, tmp_path, kind, [EARLY, late, None], [EARLY], [None])
    assert runs.time_of(None, dataset) == expected

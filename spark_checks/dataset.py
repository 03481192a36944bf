"""Datasets: the four tables, wherever they come from.

A folder of Parquet tables (docs/reference/dataset.md), a JSON dump of lakeFS' store, or the table ``kv`` of a
PostgreSQL database. The last two hold ``kv/`` alone; the other tables may lie in a folder beside.
"""

from typing import Final, Literal

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from lakeproof.tasks import Unusable
from spark_checks import layout, places
from spark_checks.places import is_there, local
from spark_checks.tables import AT_REST, DECODED, KV

Keys = Literal["design", "lakefs"]
"""Which key schema: the design's, or that of lakeFS as it was built, whose staged entries have bare paths for keys."""

LAYOUT: Final = "a dataset is a folder with kv/, metaranges/, ranges/ and objects/ (docs/reference/dataset.md)"


@attrs.frozen
class Dataset:
    """The tables at rest, of exactly the schemas of `spark_checks.tables`.

    tables: which of them the source has; the others are empty, and what needs them cannot be judged.
    decoded: the typed tables, where the source has them.
    """

    where: str
    keys: Keys
    kv: DataFrame
    metaranges: DataFrame
    ranges: DataFrame
    objects: DataFrame
    tables: frozenset[str]
    decoded: dict[str, DataFrame] = attrs.Factory(dict)

    @property
    def spark(self) -> SparkSession:
        return self.kv.sparkSession


def open_dataset(spark: SparkSession, where: str, keys: Keys | None = None, beside: str | None = None) -> Dataset:
    """Open a dataset; of Parquet, only footers are read. ``keys``: by default lakefs for dumps and databases, design
    for folders. ``beside``: a folder with the tables that a dump or a database does not have.

    Raises Unusable: no dataset is there, a table is missing, or its columns are not those of the schema.
    """
    if where.startswith(("postgresql://", "postgres://")):
        from spark_checks.postgresql import staged_table

        kv = staged_table(spark, where)
        return _with_tables(spark, where.partition("@")[2] or where, keys or "lakefs", kv, beside)
    path = local(where)
    if path is not None and path.is_file():
        from spark_checks.dumps import staged_dump

        return _with_tables(spark, where, keys or "lakefs", staged_dump(spark, path), beside)
    if path is not None and not path.is_dir():
        raise Unusable(f"{where}: there is no such folder; {LAYOUT}")
    return _folder(spark, where.rstrip("/"), keys or "design", beside)


def _folder(spark: SparkSession, where: str, keys: Keys, beside: str | None) -> Dataset:
    decoded = {}
    if is_there(spark, f"{where}/decoded"):
        decoded = {name: _table(spark, f"{where}/decoded/{name}", schema) for name, schema in DECODED.items()}
    only_decoded = decoded and not is_there(spark, f"{where}/kv")
    kv = empty(spark, KV) if only_decoded else _table(spark, f"{where}/kv", KV)
    found = _with_tables(spark, where, keys, kv, beside or where)
    return attrs.evolve(found, decoded=decoded, tables=found.tables - {"kv"} if only_decoded else found.tables)


def _with_tables(spark: SparkSession, where: str, keys: Keys, kv: DataFrame, beside: str | None) -> Dataset:
    def table_named(name: str) -> DataFrame:
        return empty(spark, AT_REST[name]) if beside is None else _table(spark, f"{beside}/{name}", AT_REST[name])

    return Dataset(
        where,
        keys,
        kv,
        metaranges=table_named("metaranges"),
        ranges=table_named("ranges"),
        objects=table_named("objects"),
        tables=frozenset({"kv"}) if beside is None else frozenset(AT_REST),
    )


def empty(spark: SparkSession, schema: StructType) -> DataFrame:
    """A table without rows."""
    return spark.createDataFrame([], schema)


def read_table(spark: SparkSession, where: str, schema: StructType) -> DataFrame:
    """A table of Parquet files with these columns, in any order. Raises Unusable."""
    return _table(spark, where, schema)


def _table(spark: SparkSession, where: str, schema: StructType) -> DataFrame:
    name = where.rstrip("/").rpartition("/")[2]
    files = places.files(spark, where)
    if files is None:
        raise Unusable(f"{where}: there is no table {name}/; {LAYOUT}: an empty one will do")
    read = layout.data_files(where, files)
    layout.demand_columns(spark, name, read, schema)
    found = spark.read.schema(schema).parquet(where).select(*schema.names)
    listed = [each for each in found.inputFiles() if not each.endswith(("/_metadata", "/_common_metadata"))]
    if len(listed) != len(read):
        raise Unusable(
            f"{where}: has {len(read)} files, of which Spark reads {len(listed)}: they lie at different depths, or the "
            "table is being written; put all of them at one depth, in folders named column=value"
        )
    return found

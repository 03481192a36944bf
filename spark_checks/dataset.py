"""Datasets: the four tables, wherever they come from.

A folder of Parquet tables (docs/reference/dataset.md), a JSON dump of lakeFS' store, or the table ``kv`` of a
PostgreSQL database. The last two hold ``kv/`` alone; the other tables may lie in a folder beside.
"""

from typing import Final, Literal

import attrs
import pyarrow as pa
from pyarrow.parquet import read_schema
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, StructType

from lakeproof.tasks import Unusable
from spark_checks.places import is_there, local
from spark_checks.tables import AT_REST, DECODED, KV

Keys = Literal["design", "lakefs"]
"""Which key schema: the design's, or that of lakeFS as it was built, whose staged entries have bare paths for keys."""

LAYOUT: Final = "a dataset is a folder with kv/, metaranges/, ranges/ and objects/ (docs/reference/dataset.md)"

_WIDENS: Final = {"bigint": {"int", "smallint", "tinyint"}, "timestamp": {"timestamp_ntz"}, "int": {"smallint"}}
"""What is taken for a type without a loss."""


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
    if _is_exactly(where, schema):
        return spark.read.schema(schema).parquet(where)
    name = where.rstrip("/").rpartition("/")[2]
    try:
        found = spark.read.parquet(where)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            raise Unusable(f"{where}: there is no table {name}/; {LAYOUT}: an empty one will do") from None
        if "UNABLE_TO_INFER_SCHEMA" in str(error):
            raise Unusable(f"{where}: has no Parquet file; write the table, an empty one if there is nothing") from None
        raise
    kinds = {field.name: field.dataType for field in found.schema}
    for field in schema:
        if field.name not in kinds:
            raise Unusable(f"{where}: has no column {field.name} ({sorted(kinds)}); {_columns(name, schema)}")
        if not _fits(kinds[field.name], field.dataType):
            is_ = kinds[field.name].simpleString()
            raise Unusable(f"{where}: column {field.name} is {is_}; {_columns(name, schema)}")
    return found.select(*(found[field.name].cast(field.dataType).alias(field.name) for field in schema))


def _is_exactly(where: str, schema: StructType) -> bool:
    """Whether a footer says so, of a folder of this machine without partitions. Asking Spark is a job a table."""
    path = local(where)
    files = [] if path is None else sorted(path.glob("[!._]*.parquet"))  # Spark passes over the others
    if not files:
        return False
    try:
        found = read_schema(files[0])
    except (pa.ArrowException, OSError):
        return False
    wanted = to_arrow_schema(schema, timezone="UTC")
    return all(field.name in found.names and found.field(field.name).type == field.type for field in wanted)


def _fits(found: DataType, wanted: DataType) -> bool:
    name = wanted.simpleString()
    return found.simpleString() == name or found.simpleString() in _WIDENS.get(name, set())


def _columns(name: str, schema: StructType) -> str:
    told = ", ".join(f"{field.name}: {field.dataType.simpleString()}" for field in schema)
    return f"expected of {name}/: {told}"

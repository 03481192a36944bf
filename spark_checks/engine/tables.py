"""The tables: four at rest (the dataset layout), and those that the records of ``kv/`` decode into.

Times in decoded tables are microseconds since 1970, as in `lakeproof.model.records`; ``objects.last_modified`` is
Spark's timestamp. An address in ``objects/`` is relative to its storage namespace. One in ``ranges/`` is what the entry
says, read as lakeFS' BY_PREFIX: full if it has a scheme, else relative to the namespace of the repository that refers
to it. Source: docs/reference/dataset.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

BINARY: Final = BinaryType()
BOOLEAN: Final = BooleanType()
INT: Final = IntegerType()
LONG: Final = LongType()
STRING: Final = StringType()
STRINGS: Final = ArrayType(StringType(), containsNull=True)
TIMESTAMP: Final = TimestampType()


def table(**columns: DataType) -> StructType:
    """A schema; every column may be null, as Parquet files of others have it."""
    return StructType([StructField(name, kind, nullable=True) for name, kind in columns.items()])


def no_rows(spark: SparkSession, schema: StructType) -> DataFrame:
    """A table without rows."""
    return spark.range(1).where("id < 0").select(*(f.lit(None).cast(each.dataType).alias(each.name) for each in schema))


def of_arrow(spark: SparkSession, rows: "pa.Table") -> DataFrame:
    """A table of Arrow's; Spark Connect takes none without rows."""
    if not rows.num_rows:
        return no_rows(spark, from_arrow_schema(rows.schema))
    return spark.createDataFrame(rows)


KV: Final = table(partition_key=BINARY, key=BINARY, value=BINARY)
METARANGES: Final = table(meta_range_id=STRING, range_id=STRING)
RANGES: Final = table(range_id=STRING, path=STRING, address=STRING, checksum=STRING, size_bytes=LONG)
OBJECTS: Final = table(storage_namespace=STRING, address=STRING, size_bytes=LONG, last_modified=TIMESTAMP)

VERSIONS: Final = table(e_tag=STRING, version_id=STRING)
"""What ``objects/`` may have besides: by what a store tells that an object is another one than it was."""

AT_REST: Final = {"kv": KV, "metaranges": METARANGES, "ranges": RANGES, "objects": OBJECTS}
"""The dataset layout: folder by folder."""

REPOSITORIES: Final = table(
    partition_key=BINARY,
    key=BINARY,
    repository_id=STRING,
    storage_namespace=STRING,
    default_branch_id=STRING,
    creation_date=LONG,
    state=INT,
    instance_uid=STRING,
    bare=BOOLEAN,
    home=BINARY,  # the partition of its entities: "<id>-<uid>", or the id alone where there is no uid
)
BRANCHES: Final = table(
    partition_key=BINARY,
    key=BINARY,
    branch_id=STRING,
    commit_id=STRING,  # "" in the tombstone of a deleted branch
    staging_token=STRING,
    sealed_tokens=STRINGS,  # newest first
    hidden=BOOLEAN,
)
TAGS: Final = table(partition_key=BINARY, key=BINARY, tag_id=STRING, commit_id=STRING)
COMMITS: Final = table(
    partition_key=BINARY,
    key=BINARY,
    commit_id=STRING,
    creation_date=LONG,
    meta_range_id=STRING,  # "" where nothing is committed
    parents=STRINGS,  # the first one first
    version=INT,
    generation=INT,
    instance=STRING,  # of the repository it was made for, where its metadata says so; else null
)
STAGED: Final = table(
    partition_key=BINARY,  # the staging token
    key=BINARY,
    token=STRING,
    path=BINARY,
    tombstone=BOOLEAN,
    address=STRING,  # as the entry says it; null in a tombstone, and where the data is no catalog entry
    address_type=INT,  # as `lakeproof.model.catalog.AddressType`
    size_bytes=LONG,
)
CLEANUPS: Final = table(partition_key=BINARY, key=BINARY, repository_id=STRING, instance_uid=STRING)
UNDECODABLE: Final = table(
    partition_key=BINARY,
    key=BINARY,
    kind=STRING,  # what the key asks for; "entry" for a staged value's data; null where no schema knows the key
    reason=STRING,
)

DECODED: Final = {
    "repositories": REPOSITORIES,
    "branches": BRANCHES,
    "tags": TAGS,
    "commits": COMMITS,
    "staged": STAGED,
    "cleanups": CLEANUPS,
    "undecodable": UNDECODABLE,
}
"""What the records of ``kv/`` decode into. A dataset may hold these, under ``decoded/``, beside ``kv/``."""


ROWS: Final = 1 << 14
"""Of a batch."""

Row = tuple[object, ...]


def batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    """Rows, in the order of the schema's fields, as one batch."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)  # `zip` of no rows yields no columns
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


@attrs.frozen
class Wide:
    """Tables that one pass over some rows makes, all at once: as one table with the columns of all, of which a folder
    is written for each. ``kind``: the column that tells them apart. Columns of one name have one type."""

    kind: str
    schemas: Mapping[str, StructType]

    @cached_property
    def schema(self) -> StructType:
        columns = {field.name: field.dataType for schema in self.schemas.values() for field in schema}
        return table(**{self.kind: STRING}, **columns)

    @cached_property
    def arrow(self) -> pa.Schema:
        return to_arrow_schema(self.schema)

    def batches(self, rows: Mapping[str, Sequence[Row]]) -> Iterator[pa.RecordBatch]:
        """Rows of each table, in the order of its schema: the columns of the others are null."""
        for name, some in rows.items():
            if some:
                own = dict(zip(self.schemas[name].names, zip(*some, strict=True), strict=True))
                own[self.kind] = (name,) * len(some)
                arrays = [
                    pa.array(own[each.name], each.type) if each.name in own else pa.nulls(len(some), each.type)
                    for each in self.arrow
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=self.arrow)


def batches(rows: Iterable[Row], schema: pa.Schema, size: int = ROWS) -> Iterator[pa.RecordBatch]:
    """All rows, so many a batch. Memory: one batch."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield batch(some, schema)

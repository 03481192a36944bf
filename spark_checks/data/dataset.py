"""Datasets: the four tables, wherever they come from.

A folder of Parquet tables (docs/reference/dataset.md), a file with lakeFS' store (its JSON dump, or JSON Lines), or the
table ``kv`` of a PostgreSQL or DynamoDB database. All but the first hold ``kv/`` alone; the other tables may lie in a
folder beside, or are made of what the object store holds (`lakeproof.spark_checks.data.stored`).

Example: what a `Dataset` has, by what it is opened from::

    source                                        keys       tables
    ds/, with all four                            design     kv, metaranges, ranges, objects
    ds/, without objects/                                    none: Unusable; "an empty one will do"
    ds/, with decoded/ in place of kv/            design     metaranges, ranges, objects; and decoded
    dump.json, or a database                      lakefs     kv: checks of data are not judged
    the same, --beside ds/                        lakefs     all four
    the same, --blockstore s3://lake              lakefs     all four, and "stored": three were read from the store

"""

from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import attrs
from google.protobuf.message import DecodeError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import keys
from lakeproof.spark_checks.data import manifest
from lakeproof.spark_checks.data.unchanged import Noted
from lakeproof.spark_checks.engine import folders, footers, layout, places
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.tables import AT_REST, DECODED, KV, OBJECTS, VERSIONS, no_rows
from lakeproof.spark_checks.engine.together import together
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from lakeproof.spark_checks.data.stored.tables import Stored

Keys = Literal["design", "lakefs"]
"""Which key schema: the design's, or that of lakeFS as it was built, whose staged entries have bare paths for keys."""

_NONE: Final = StructType([])

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""How Spark names the folder of null."""
LAYOUT: Final = "a dataset is a folder with kv/, metaranges/, ranges/ and objects/ (docs/reference/dataset.md)"

_POSTGRESQL: Final = ("postgresql://", "postgres://")
_DYNAMODB: Final = ("dynamodb+https://", "dynamodb+http://")
DATABASES: Final = (*_POSTGRESQL, *_DYNAMODB)
STORED: Final = "stored"
"""Among a dataset's tables: its others come from the object store itself."""


@attrs.frozen
class Dataset:
    """The tables at rest, of exactly the schemas of `lakeproof.spark_checks.engine.tables`.

    tables: which of them the source has; the others are empty, and what needs them cannot be judged.
    decoded: the typed tables, where the source has them.
    noted: the files, as they were when they were opened.
    unsealed: the folders without a manifest, of which it is unknown whether all their files are there.
    versions: ``objects`` with those of the columns `VERSIONS` that its files have; None: they have none.
    stored: what the object store holds, where the other tables were made of it.
    """

    where: str
    keys: Keys
    kv: DataFrame
    metaranges: DataFrame
    ranges: DataFrame
    objects: DataFrame
    tables: frozenset[str]
    decoded: dict[str, DataFrame] = attrs.Factory(dict)
    noted: Noted = attrs.Factory(Noted)
    unsealed: tuple[str, ...] = ()
    versions: DataFrame | None = None
    stored: "Stored | None" = None

    @property
    def spark(self) -> SparkSession:
        return self.kv.sparkSession

    @property
    def at_rest(self) -> dict[str, DataFrame]:
        """Those of the four tables that the source has."""
        return {name: getattr(self, name) for name in AT_REST if name in self.tables}

    def demand_read(self) -> None:
        """At the end of a run: the files are those that were opened, and tasks find as many rows in each table as the
        driver's footers tell. Workers may have another folder under the same name, and an engine may pass over a file.
        Runs a job for each table.

        Raises Unusable.
        """
        self.noted.demand_same()
        typed = {f"decoded/{name}": each for name, each in self.decoded.items()}
        with together(self.spark) as begin:
            for name, table in (self.at_rest | typed).items():
                begin(partial(_demand_counted, self.where, name, table))


def _demand_counted(where: str, name: str, table: DataFrame) -> None:
    # The driver's count comes from footers, the other one from tasks: two ways that fail differently.
    expected, found = footers.count(table), table.agg(f.count(f.lit(1))).collect()[0][0]
    if found != expected:
        raise Unusable(
            f"{where}: {name}/: the footers of its files tell of {expected:,} rows, and tasks have read {found:,}; "
            "name a place that the driver and all workers see alike"
        )


def open_dataset(
    spark: SparkSession,
    where: str,
    keys: Keys | None = None,
    beside: str | None = None,
    blockstore: str | None = None,
) -> Dataset:
    """Open a dataset; of Parquet, only footers are read. ``keys``: by default lakefs for dumps and databases, design
    for folders. ``beside``: a folder with the tables that a dump or a database does not have. ``blockstore``: where
    the namespaces of the repositories are, of which these tables are made instead.

    Raises Unusable: no dataset is there, a table is missing, its columns are not those of the schema, or its files not
    those of its manifest.
    """
    named = [each.rstrip("/") for each in (where, beside) if each is not None and is_folder(each)]
    if beside is not None and blockstore is not None:
        raise Unusable("--beside and --blockstore both say where the other tables are; name one of them")
    noted = Noted()
    for each in filter(manifest.read, named):
        for table in manifest.TABLES:
            noted.note(f"{each}/{table}", folders.files(f"{each}/{table}") or ())
    # Manifests are compared before any table is opened, so that a lost file is named as such.
    unsealed = tuple(each for each in named if not manifest.demand(each))
    found = attrs.evolve(_open(spark, where, keys, beside), unsealed=unsealed)
    noted.demand_same()  # what was opened is what was compared
    return found if blockstore is None else _with_stored(found, blockstore)


def _with_stored(found: Dataset, blockstore: str) -> Dataset:
    """The tables of the object store, in place of those that the source may have."""
    from lakeproof.spark_checks.data.stored.stores import Blockstore
    from lakeproof.spark_checks.data.stored.tables import load

    named = namespaces(found.kv, found.decoded.get("repositories"))
    if not named:
        raise Unusable(
            f"{found.where}: has no repository, and repositories say where their objects are; leave out --blockstore"
        )
    stored = load(found.spark, Blockstore(blockstore), named)
    return attrs.evolve(
        found,
        metaranges=stored.metaranges,
        ranges=stored.ranges,
        objects=stored.objects,
        versions=stored.versions,
        # The other tables now come from the store, whatever lay beside.
        tables=found.tables | (AT_REST.keys() - {"kv"}) | {STORED},
        stored=stored,
    )


def is_folder(where: str) -> bool:
    """Whether a source is a folder of Parquet tables, and no file or database."""
    path = places.local(where)
    return path.is_dir() if path is not None else not where.startswith(DATABASES)


def _open(spark: SparkSession, where: str, keys: Keys | None, beside: str | None) -> Dataset:
    if where.startswith(DATABASES):
        from lakeproof.stores.redaction import hide_secrets  # drivers, which workers do not have, come with it

        kv = _database(spark, where)
        return _with_tables(spark, hide_secrets(where), keys or "lakefs", kv, beside)
    path = places.local(where)
    if path is not None and path.is_file():
        from lakeproof.spark_checks.data.dumps import staged_dump

        noted = Noted()
        # Before it is read: what changes during the read must differ from this note.
        noted.note_file(path)
        return _with_tables(spark, where, keys or "lakefs", staged_dump(spark, path), beside, noted)
    if path is not None and not path.is_dir():
        raise Unusable(f"{where}: there is no such folder; {LAYOUT}")
    return _folder(spark, where.rstrip("/"), keys or "design", beside)


def _database(spark: SparkSession, where: str) -> DataFrame:
    if where.startswith(_DYNAMODB):
        from lakeproof.spark_checks.data import dynamodb

        return dynamodb.staged_table(spark, where)
    from lakeproof.spark_checks.data import postgresql

    return postgresql.staged_table(spark, where)


def _folder(spark: SparkSession, where: str, keys: Keys, beside: str | None) -> Dataset:
    decoded, noted = {}, Noted()
    if folders.is_there(f"{where}/decoded"):
        manifest.demand_origin(where, keys)  # a check of stale tables would be a verdict on another store
        # All of them or none: one typed table that is missing would look like one without rows.
        decoded = {name: _table(spark, f"{where}/decoded/{name}", schema, noted) for name, schema in DECODED.items()}
    only_decoded = decoded and not folders.is_there(f"{where}/kv")
    kv = no_rows(spark, KV) if only_decoded else _table(spark, f"{where}/kv", KV, noted)
    found = _with_tables(spark, where, keys, kv, beside or where, noted)
    # What needs the records themselves must not take the empty table for them.
    tables = found.tables - {"kv"} if only_decoded else found.tables
    return attrs.evolve(found, decoded=decoded, tables=tables)


def _with_tables(
    spark: SparkSession, where: str, keys: Keys, kv: DataFrame, beside: str | None, noted: Noted | None = None
) -> Dataset:
    noted = noted or Noted()

    def table_named(name: str) -> DataFrame:
        if beside is None:
            return no_rows(spark, AT_REST[name])
        return _table(spark, f"{beside}/{name}", AT_REST[name], noted)

    # Without a folder beside, `tables` says that the empty ones are no answer.
    objects, versions = no_rows(spark, OBJECTS), None
    if beside is not None:
        objects, versions = _listing(spark, f"{beside}/objects", noted)
    return Dataset(
        where,
        keys,
        kv,
        metaranges=table_named("metaranges"),
        ranges=table_named("ranges"),
        objects=objects,
        versions=versions,
        tables=frozenset({"kv"}) if beside is None else frozenset(AT_REST),
        noted=noted,
    )


def read_table(spark: SparkSession, where: str, schema: StructType) -> DataFrame:
    """A table of Parquet files with these columns, in any order. Raises Unusable."""
    return _table(spark, where, schema, Noted())


def _listing(spark: SparkSession, where: str, noted: Noted) -> tuple[DataFrame, DataFrame | None]:
    """``objects/``, and the same with `VERSIONS`, where it has any of them."""
    found = with_plain_namespace(_table(spark, where, OBJECTS, noted, VERSIONS))
    more = [each for each in VERSIONS.names if each in found.columns]
    return found.select(*OBJECTS.names), found if more else None


def with_plain_namespace(rows: DataFrame) -> DataFrame:
    """With no slash at the end of ``storage_namespace``."""
    # As in lakeFS, which leaves it out of addresses. With it, no reference would lie in its namespace.
    return rows.withColumn("storage_namespace", f.rtrim("storage_namespace", f.lit("/")))


def _table(spark: SparkSession, where: str, schema: StructType, noted: Noted, more: StructType = _NONE) -> DataFrame:
    """more: columns that are read where any file has them."""
    name = where.rstrip("/").rpartition("/")[2]
    files = folders.files(where)
    if files is None:
        raise Unusable(f"{where}: there is no table {name}/; {LAYOUT}: an empty one will do")
    noted.note(where, files)
    read = layout.data_files(where, files)
    there = layout.demand_columns(name, read, schema, more)
    # A column that no file has must not be read: all its values would be null, and pass for known.
    schema = StructType([*schema, *(field for field in more if field.name in there)])
    _demand_plain_folders(spark, read)
    # The schema is given: Spark would infer it from one file. `select` moves columns of folders to their places.
    found = spark.read.schema(schema).parquet(places.full(where)).select(*schema.names)
    # Spark lists the folder itself, later, and perhaps on another machine's view of it.
    listed = footers.input_files(found)
    if len(listed) != len(read):
        raise Unusable(
            f"{where}: has {len(read)} files, and Spark reads {len(listed)}, as where the table is being written; "
            "run the command again when no process writes there"
        )
    return found


def _demand_plain_folders(spark: SparkSession, files: list[places.File]) -> None:
    """Raises Unusable: a folder stands for null, which Sail takes for a text, or a file is named as a folder is."""
    if engine_of(spark).name != "embedded":
        return
    for each in files:
        if "=" in each.relative.rpartition("/")[2]:
            raise Unusable(f"{each.full}: has a '=' in its name, and Sail passes over it; name it otherwise")
        if any(part.endswith(("=", f"={NULL}")) for part in each.relative.split("/")):
            raise Unusable(f"{each.full}: lies in the folder of null, which Sail takes for text; name --engine classic")


def namespaces(kv: DataFrame, repositories: DataFrame | None = None) -> frozenset[str]:
    """The storage namespaces of all repositories, whatever their state; a record that cannot be read has none. The
    driver holds their records. Runs a job. ``repositories``: as a typed table, where there is one."""
    if repositories is not None:
        found = [row[0] for row in repositories.select("storage_namespace").distinct().collect()]
    else:
        rows = kv.where(f.col("partition_key") == f.lit(keys.GRAVELER)).select("key", "value").collect()
        found = [_namespace(each) for key, each in rows if bytes(key or b"").startswith(keys.REPOSITORIES_PREFIX)]
    # Null is a record that cannot be read, "" one without a namespace.
    return frozenset(str(each).rstrip("/") for each in found if each)


def _namespace(value: bytes | None) -> str | None:
    try:
        return str(pb.RepositoryData.FromString(bytes(value or b"")).storage_namespace)
    except (DecodeError, UnicodeDecodeError):
        return None

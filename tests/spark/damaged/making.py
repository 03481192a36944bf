"""Small random worlds as datasets of several files a table, with and without typed tables and checksums of pages."""

import random
from collections.abc import Sequence
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from lakeproof.model.records import Commit
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks import manifest
from lakeproof.spark_checks.decoding import decode_batch
from lakeproof.spark_checks.tables import AT_REST, DECODED, KV
from tests.spark.retention.worlds import world
from tests.spark.snapshots import isolated, tables


@attrs.frozen
class Shape:
    """How a world is written. ``decoded``: with typed tables. ``summed``: pages have checksums."""

    seed: int
    decoded: bool
    summed: bool

    @property
    def name(self) -> str:
        """Of the world: all its names begin so."""
        return f"w{self.seed}x"


def shape(seed: int) -> Shape:
    chance = random.Random(f"shape {seed}")
    return Shape(seed, decoded=chance.random() < 0.25, summed=chance.random() < 0.5)


def make(shaped: Shape, folder: Path, *, day: int = 0) -> Path:
    """The dataset of a seed. ``day``: another dump, of the same repositories, with other histories."""
    chance = random.Random(f"write {shaped.seed} {day}")
    found = isolated(whole(world(shaped.seed * 7 + day, 1 + shaped.seed % 3)), shaped.name)
    made = attrs.asdict(tables(found), recurse=False)
    for name, schema in AT_REST.items():
        _write(made[name], schema, folder / name, shaped, chance)
    if shaped.decoded:
        rows = decode_batch(_table(made["kv"], KV).combine_chunks().to_batches()[0], "design")
        for name, schema in DECODED.items():
            _write(rows.get(name, []), schema, folder / "decoded" / name, shaped, chance)
    return folder


def sealed(folder: Path, *, hashed: bool) -> Path:
    manifest.seal(None, str(folder), hashed=hashed)
    return folder


def whole(found: Snapshot) -> Snapshot:
    """Without the parents that are missing, for which a run would end."""
    store = dict(found.store)
    for (partition, key), record in found.store.items():
        if isinstance(record, Commit):
            there = tuple(each for each in record.parents if (partition, b"commits/" + each.encode()) in store)
            store[partition, key] = attrs.evolve(record, parents=there)
    return attrs.evolve(found, store=store)


def _table(rows: Sequence[tuple[object, ...]], schema: StructType) -> pa.Table:
    arrow = to_arrow_schema(schema, timezone="UTC")
    columns = list(zip(*rows, strict=True)) or [()] * len(arrow)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, arrow, strict=True)]
    return pa.Table.from_arrays(arrays, schema=arrow)


def _write(
    rows: Sequence[tuple[object, ...]], schema: StructType, folder: Path, shaped: Shape, chance: random.Random
) -> None:
    """Up to three files, each with a few groups of rows. Rows lie in any order."""
    folder.mkdir(parents=True)
    shuffled = list(rows)
    chance.shuffle(shuffled)
    files = chance.randint(1, 3)
    for number in range(files):
        table = _table(shuffled[number::files], schema)
        write(table, folder / f"part-{number}.parquet", shaped, chance.randint(3, 40))


def write(table: pa.Table, path: Path, shaped: Shape, group: int = 20) -> None:
    compression = ("none", "snappy", "zstd")[shaped.seed % 3]
    pq.write_table(table, path, compression=compression, write_page_checksum=shaped.summed, row_group_size=group)

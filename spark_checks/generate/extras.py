"""Garbage and planted violations on Spark: numbers and places go to workers, records and objects come back.

What is made from nothing but a number goes by a count; what is at stake in bulk (an object that is lost, or shared) is
picked from the listing, evenly, by arithmetic on its index.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Final

import attrs
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StringType, StructField, StructType

from lakeproof.spark_checks.engine.tables import BINARY, KV, LONG, STRING, table
from lakeproof.spark_checks.engine.workspace import staged
from lakeproof.spark_checks.generate.data import committed_objects, first_object, own_objects
from lakeproof.spark_checks.generate.ground import SHOWN_PERIOD, Ground, integer, namespace, repository_id
from lakeproof.spark_checks.generate.mistakes import AGAIN, GARBAGE, plant
from lakeproof.spark_checks.generate.planted import Place, Planted
from lakeproof.words import Unusable

LISTED: Final = table(id=STRING, subject=STRING, evidence=STRING)
MADE: Final = table(
    **{field.name: BINARY for field in KV},
    **dict.fromkeys(("storage_namespace", "address"), STRING),
    **dict.fromkeys(("size_bytes", "last_modified"), LONG),
    **dict.fromkeys(LISTED.names, STRING),
)
"""A record, a row of the listing, or a line of the list of what was planted: the columns of the others are null."""
_ARROW: Final = to_arrow_schema(MADE)


@attrs.frozen(eq=False)
class Extras:
    """``made``: rows of `MADE`, kept. ``counts``: what was asked for, by id."""

    made: DataFrame
    counts: Mapping[str, int]

    @property
    def records(self) -> DataFrame:
        return self.made.where("key is not null").select(*KV.names)

    @property
    def objects(self) -> DataFrame:
        columns = ("storage_namespace", "address", "size_bytes")
        return self.made.where("address is not null").select(*columns, f.timestamp_micros("last_modified"))

    @property
    def listed(self) -> DataFrame:
        return self.made.where("id is not null").select(*LISTED.names)


def extras(ground: Ground, counts: Mapping[str, int]) -> Extras:
    """Everything that is asked for, and the garbage. Raises Unusable."""
    check_fit(ground, counts)
    again = min(counts.get("address-has-one-entry", 0) // 2, ground.total("bringing"))
    numbers = {GARBAGE: ground.sizes.deleted, **counts}
    if again:
        numbers["address-has-one-entry"] -= again
    spans = [(name, count) for name, count in numbers.items() if count and name not in IN_BULK]
    bulk = [
        ("committed-data-is-kept", lost_committed(ground, counts)),
        ("staged-data-is-kept", lost_staged(ground, counts)),
        (AGAIN, committed_objects(ground).where(chosen_committed(ground, again, 1)) if again else None),
    ]
    parts = [_places(ground, _numbers(ground, spans))]
    parts += [_picked(ground, name, frame) for name, frame in bulk if frame is not None]
    sizes = ground.sizes

    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row for each in batch.to_pylist() for row in _rows(each, sizes.seed, sizes.now)]
            yield pa.RecordBatch.from_pylist(rows, _ARROW)

    found = reduce(DataFrame.unionAll, parts).mapInArrow(made, MADE)
    return Extras(staged(found, "extras"), counts)


IN_BULK: Final = frozenset({"committed-data-is-kept", "staged-data-is-kept"})


def check_fit(ground: Ground, counts: Mapping[str, int]) -> None:
    """Raises Unusable where more is asked for than there is room for."""
    room = {
        "cleanup-spares-live": (ground.sizes.repositories, "--repositories"),
        "committed-data-is-kept": (ground.total("bringing"), "--commits or --objects"),
        "staged-data-is-kept": (ground.total("shown"), "--staged"),
    }
    for name, (most, more) in room.items():
        if counts.get(name, 0) > most:
            raise Unusable(f"{name}: {counts[name]}, and at most {most} fit; plant fewer, or choose more {more}")


def lost_committed(ground: Ground, counts: Mapping[str, int]) -> DataFrame | None:
    """`data.committed_objects` that are left out of the listing."""
    count = counts.get("committed-data-is-kept", 0)
    return committed_objects(ground).where(chosen_committed(ground, count, 0)) if count else None


def lost_staged(ground: Ground, counts: Mapping[str, int]) -> DataFrame | None:
    count = counts.get("staged-data-is-kept", 0)
    if not count:
        return None
    return ground.pieces("staged", "k").where(chosen_staged(ground, count))


def chosen_committed(ground: Ground, count: int, odd: int) -> Column:
    """Of `data.committed_objects`: one object of so many main commits, all with an even (0) or odd (1) position, which
    are reachable from the default branch. The last object that the commit brought, or the first."""
    made = ground.blocks
    owner = f.col("owner")
    position = integer(owner, made.size) * made.mains + owner % made.size
    pair = integer(position + odd, 2)
    on_main = (owner % made.size < made.mains) & (position % 2 == odd) & pair.between(1, f.col("bringing"))
    which = first_object(owner) + (f.lit(0) if odd else own_objects(owner) - 1)
    number = f.col("first_bringing") + pair - 1
    return on_main & (f.col("k") == which) & _spread(number, count, ground.total("bringing"))


def chosen_staged(ground: Ground, count: int) -> Column:
    """Of the plan with ``k``: so many entries with an object that are under the open token of their branch."""
    k, period = f.col("k"), f.col("branches") * SHOWN_PERIOD
    number = f.col("first_shown") + integer(k, period) * f.col("branches") + k % period
    return (k % period < f.col("branches")) & _spread(number, count, ground.total("shown"))


def _spread(number: Column, count: int, total: int) -> Column:
    """Whether it is one of ``count`` numbers that lie evenly among those below ``total``."""
    return integer((number + 1) * count, max(total, 1)) > integer(number * count, max(total, 1))


def _numbers(ground: Ground, spans: list[tuple[str, int]]) -> DataFrame:
    """The numbers of each id, ``i`` of ``count``, dealt out to the repositories ``r`` in turn."""
    schema = StructType(
        [StructField("name", StringType()), StructField("count", LongType()), StructField("each", LongType())]
    )
    rows = [(name, count, 2 if name == "commits-have-no-cycle" else 1) for name, count in spans]
    frame = ground.spark.createDataFrame(rows, schema).repartition(1 if len(rows) < 2 else ground.partitions)
    numbers = f.explode(f.sequence(f.lit(0).cast("bigint"), f.col("count") - 1))
    frame = frame.withColumn("i", numbers)
    return frame.withColumn("r", integer(f.col("i"), f.col("each")) % ground.sizes.repositories)


def _places(ground: Ground, frame: DataFrame) -> DataFrame:
    return _with_place(ground, ground.of_repository(frame), f.lit(None).cast("string"))


def _picked(ground: Ground, name: str, frame: DataFrame) -> DataFrame:
    frame = frame.select("*", f.lit(name).alias("name"), f.lit(0).cast("bigint").alias("count"))
    number = f.col("first_staged" if name == "staged-data-is-kept" else "first_committed") + f.col("k")
    return _with_place(ground, frame.withColumn("i", f.col("k")), ground.address(number))


def _with_place(ground: Ground, frame: DataFrame, address: Column) -> DataFrame:
    r = f.col("r")
    return frame.select(
        *("name", "count", "i", "r", "created"),
        address.alias("address"),
        repository_id(r).alias("repository_id"),
        ground.uid(r).alias("uid"),
        namespace(r).alias("namespace"),
        ground.commit_id(r, f.lit(0)).alias("first_commit"),
        ground.token(r, f.lit(0), f.lit(0)).alias("open_token"),
    )


_PLACE: Final = ("r", "created", "repository_id", "uid", "namespace", "first_commit", "open_token")


def _rows(row: dict[str, object], seed: int, now: int) -> Iterator[dict[str, object]]:
    """Rows of `MADE`."""
    place = Place(seed=seed, now=now, **{name: row[name] for name in _PLACE})  # type: ignore[arg-type]
    name, i, count, address = row["name"], row["i"], row["count"], row["address"]
    assert isinstance(name, str)
    assert isinstance(i, int)
    assert isinstance(count, int)
    found: Planted = plant(name, i, count, place, str(address))
    for record in found.records:
        yield dict(zip(KV.names, record, strict=True))
    yield from (attrs.asdict(each) for each in found.objects)
    yield from (attrs.asdict(each) for each in found.findings)

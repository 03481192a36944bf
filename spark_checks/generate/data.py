"""Metaranges, ranges, and the listing of objects.

Each commit but a repository's first one writes one range, which takes the place of the one that its ancestor
``ranges`` generations up has written; its metarange has the ranges of itself and of its last ancestors, over first
parents. So commits share most of their ranges, and a range that was superseded is only in older commits. A range
holds the objects that its commit brought, and carries over those of the earlier versions of its place, down to
``versions`` in all. Every object has one path, and a later version of the place gives that path to another object.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX
from lakeproof.spark_checks.engine.tables import METARANGES, RANGES
from lakeproof.spark_checks.generate.ground import ELSEWHERE, Ground, integer, namespace
from lakeproof.spark_checks.generate.records import ancestor, graph, meta_range_id, size_bytes, staged_date, window
from lakeproof.spark_checks.generate.sizes import DAY, IMPORTED_EVERY

assert DATA_PREFIX == "data/", "`Ground.address` says it, too"


def range_id(ground: Ground, c: Column) -> Column:
    return ground.content_id("range", f.col("r"), c)


def metaranges(ground: Ground) -> DataFrame:
    """Commits times ``ranges``, at most."""
    if not ground.sizes.committed:
        return ground.spark.createDataFrame([], METARANGES)
    steps = f.explode(f.sequence(f.lit(0), window(ground) - 1))
    frame = graph(ground).where((f.col("generation") > 1) & (f.col("limit") > 0))
    frame = frame.withColumn("meta_range_id", meta_range_id(ground)).where(f.col("meta_range_id") != "")
    frame = frame.withColumn("steps", steps).withColumn("writer", ancestor(ground, f.col("steps")))
    return frame.where(f.col("writer") <= f.col("limit")).select(
        "meta_range_id", range_id(ground, f.col("writer")).alias("range_id")
    )


def writers(ground: Ground) -> DataFrame:
    """Commits with an object of their own: rows of `records.graph`."""
    c = f.col("c")
    return graph(ground, ground.pieces("commits", "c").where((c > 0) & (c <= f.col("limit"))))


def own_objects(c: Column) -> Column:
    """How many objects a commit brings."""
    return f.col("quotient") + f.when(c <= f.col("remainder"), 1).otherwise(0)


def first_object(c: Column) -> Column:
    """The number of the first of them within the repository."""
    return (c - 1) * f.col("quotient") + f.least(c - 1, f.col("remainder"))


def ranges(ground: Ground) -> DataFrame:
    """Entries: each committed object as often as ranges hold it, and some that refer to what lies elsewhere."""
    sizes = ground.sizes
    if not sizes.committed:
        return ground.spark.createDataFrame([], RANGES)
    frame = writers(ground).withColumn("range_id", range_id(ground, f.col("c")))
    earlier = f.least(f.lit(sizes.versions - 1), integer(f.col("generation") - 2, sizes.ranges))
    frame = frame.withColumn("back", f.explode(f.sequence(f.lit(0).cast("bigint"), earlier)))
    owner = f.when(f.col("back") == 0, f.col("c")).otherwise(ancestor(ground, f.col("back") * sizes.ranges))
    frame = frame.withColumn("owner", owner)
    written = f.col("generation") - f.col("back") * sizes.ranges
    folder = f.concat_ws(
        "/", f.lit("tables"), written % sizes.ranges, integer(written, sizes.ranges) % sizes.versions, f.lit("")
    )
    frame = frame.select(
        *("r", "range_id", "quotient", "remainder", "first_committed"),
        folder.alias("folder"),
        (f.col("first_committed") + first_object(f.col("owner"))).alias("first"),
        f.explode(f.sequence(f.lit(0).cast("bigint"), own_objects(f.col("owner")) - 1)).alias("j"),
    )
    frame = frame.withColumn("number", f.col("first") + f.col("j"))
    number = f.col("number")
    path = f.concat(f.col("folder"), f.col("j").cast("string"))
    full = f.concat(namespace(f.col("r")), f.lit("/"), ground.address(number))
    own = frame.select(
        "range_id",
        path.alias("path"),
        f.when(number % 64 == 5, full).otherwise(ground.address(number)).alias("address"),
        ground.name("etag", number).alias("checksum"),
        size_bytes(ground, number).alias("size_bytes"),
    )
    imported = frame.where(number % IMPORTED_EVERY == 7).select(
        "range_id",
        f.concat(path, f.lit("-linked")).alias("path"),
        f.concat(f.lit(ELSEWHERE), ground.name("imported", number)).alias("address"),
        ground.name("imported etag", number).alias("checksum"),
        size_bytes(ground, number).alias("size_bytes"),
    )
    return own.unionAll(imported)


def row_of_listing(frame: DataFrame, address: Column, size: Column, modified: Column) -> DataFrame:
    return frame.select(
        namespace(f.col("r")).alias("storage_namespace"),
        address.alias("address"),
        size.cast("bigint").alias("size_bytes"),
        f.timestamp_micros(modified).alias("last_modified"),
    )


def committed_objects(ground: Ground) -> DataFrame:
    """The plan with ``k``, the number of an object within its repository, and ``owner``, its commit."""
    k, quotient, remainder = f.col("k"), f.col("quotient"), f.col("remainder")
    ahead = remainder * (quotient + 1)
    owner = f.when(k < ahead, integer(k, quotient + 1)).otherwise(
        remainder + integer(k - ahead, f.greatest(quotient, f.lit(1)))
    )
    return ground.pieces("committed", "k").withColumn("owner", owner + 1)


def committed_listing(ground: Ground, frame: DataFrame) -> DataFrame:
    """Dated about when their commits were made, never later than now."""
    number = f.col("first_committed") + f.col("k")
    made = ground.blocks
    about = f.col("created") + integer(f.col("owner") * made.mains, made.size) * f.col("step")
    return row_of_listing(frame, ground.address(number), size_bytes(ground, number), about)


def staged_listing(ground: Ground, frame: DataFrame) -> DataFrame:
    number = f.col("first_staged") + f.col("k")
    return row_of_listing(frame, ground.address(number), size_bytes(ground, number), staged_date(ground, number))


def stale_listing(ground: Ground) -> DataFrame:
    """Objects that nothing refers to. One in sixteen was written within the last day."""
    number = f.col("first_stale") + f.col("k")
    span = f.when(number % 16 == 0, DAY).otherwise(400 * DAY)
    modified = f.lit(ground.sizes.now) - ground.below("stale", span, number)
    return row_of_listing(ground.pieces("stale", "k"), ground.address(number), size_bytes(ground, number), modified)


def internal_listing(ground: Ground) -> DataFrame:
    """The ranges and metaranges themselves."""
    c = f.col("c")
    prefix = f.lit(INTERNAL_PREFIX)
    of_ranges = row_of_listing(
        writers(ground), f.concat(prefix, range_id(ground, c)), own_objects(c) * 100, f.col("date")
    )
    frame = graph(ground).withColumn("id", meta_range_id(ground)).where(f.col("id") != "")
    of_metaranges = row_of_listing(frame, f.concat(prefix, f.col("id")), window(ground) * 200, f.col("date"))
    return of_ranges.unionAll(of_metaranges)


def sound_parts(ground: Ground) -> list[DataFrame]:
    """The parts of the listing in which nothing is planted."""
    return [stale_listing(ground), *([internal_listing(ground)] if ground.sizes.committed else [])]

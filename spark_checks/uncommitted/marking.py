"""A run over what was never committed: the listing, minus what anybody refers to, minus what is young or no user's.

Source: hard-delete-uncommitted-data.md, "Decision"; docs/hard-delete/offline.md; docs/spark-uncommitted.md.
"""

from pathlib import Path
from typing import Final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.tasks import Unusable
from spark_checks import holdings, ledger, runs
from spark_checks.addresses import physical
from spark_checks.dataset import Dataset, read_table
from spark_checks.decoding import ISSUED_PREFIX, Entities, decode
from spark_checks.ledger import ACTIVE, ISSUED, MARKED, TOO_YOUNG, TRACKED
from spark_checks.progress import doing
from spark_checks.runs import KNOWN, Report
from spark_checks.tables import STRING, table
from spark_checks.together import together
from spark_checks.workspace import staged

KEEPS: Final = (
    "no-repository",
    "internal",
    "outside-data",
    "committed",
    "staged",
    "tracked-copy",
    "issued",
    TOO_YOUNG,
)
ROOTS: Final = table(storage_namespace=STRING, meta_range_id=STRING)


@attrs.frozen(kw_only=True)
class Asked:
    """What a run is asked for, in microseconds. ``since``: the folder of a run that is whole, whose knowledge of what
    is committed this one takes over."""

    now: int
    older_than: int
    since: Path | None = None

    @property
    def cutoff(self) -> int:
        """What was modified later is too young."""
        return self.now - self.older_than


def mark(dataset: Dataset, asked: Asked, folder: Path) -> Report:
    """Write ``addresses/`` and ``known/`` of a run to its folder, and at the end the report.

    Raises:
        Unusable: something that decides what is kept is missing or cannot be read; nothing was marked.
        Mismatch.
    """
    spark = dataset.spark
    holdings.demand_tables(dataset, {"kv"})  # no typed table has what is being copied
    with doing(spark, "reading the records"):
        entities = decode(dataset)
    with doing(spark, "reading what is committed, staged and promised"), together(spark) as begin:
        sound = begin(lambda: holdings.demand_sound(dataset, entities))
        promised = begin(lambda: _promised(dataset, entities, asked.cutoff))
        others = begin(lambda: holdings.staged(entities))
        listed = begin(lambda: ledger.listing(dataset, entities.repositories, asked.cutoff))
        entries, objects = begin(entities.staged.count), begin(dataset.objects.count)
        todo, before = _minus_known(_roots(entities), asked.since)
        todo = staged(todo, "roots")
        committed = holdings.committed(dataset, todo.withColumn("bits", f.lit(ACTIVE).cast("bigint")))
        sound.result()
        begin(lambda: _demand_readable(dataset, committed.lost))
        begin(lambda: _all_roots(todo, asked.since).write.parquet(str(folder / KNOWN / "metaranges")))
        known = _now_known(committed.references, before, str(folder / KNOWN / "committed"))
    with doing(spark, "matching the objects"):
        references = [known.withColumn("bits", f.lit(ACTIVE).cast("bigint"))]
        references += [ledger.marks(each) for each in (others.result(), *promised.result())]
        rows = known.count() + entries.result()
        judged = ledger.judged(listed.result(), references, KEEPS, f.lit(MARKED), rows)
        fates = ledger.no_older_than_young(judged)
    with doing(spark, "writing the addresses"), together(spark) as begin:
        sums = begin(lambda: ledger.accounts(fates))
        written = runs.write_marked(ledger.marked(fates), folder)
    report = Report(
        kind="uncommitted",
        run=folder.name,
        dataset=dataset.where,
        now=asked.now,
        asked={"older_than": asked.older_than, "since": asked.since and asked.since.name},
        listing=objects.result(),
        accounts=tuple(sums.result()),
        files=runs.files_of(folder, runs.ADDRESSES) + runs.files_of(folder, KNOWN),
    )
    runs.finish(folder, report, written)
    return report


def _roots(entities: Entities) -> DataFrame:
    """The metaranges of all commits of repositories, reachable or not: `ROOTS`."""
    homes = entities.repositories.select("home", "storage_namespace").distinct()
    commits = entities.commits.where(f.coalesce("meta_range_id", f.lit("")) != "")
    rows = commits.join(homes, commits["partition_key"] == homes["home"])
    return rows.select(*ROOTS.names).distinct()


def _minus_known(roots: DataFrame, since: Path | None) -> tuple[DataFrame, DataFrame | None]:
    """The metaranges that are still to be read, and what the last run knew to be committed: `ledger.KNOWN`."""
    if since is None:
        return roots, None
    spark = roots.sparkSession
    read = read_table(spark, str(since / KNOWN / "metaranges"), ROOTS)
    return roots.join(read, ROOTS.names, "left_anti"), read_table(spark, str(since / KNOWN / "committed"), ledger.KNOWN)


def _now_known(references: DataFrame, before: DataFrame | None, target: str) -> DataFrame:
    """What is committed, written to the target: `ledger.KNOWN`. Runs go on from one another for long, and new
    metaranges have much in common with old ones: then each fingerprint is written once."""
    found = ledger.marks(references).select(*ledger.KNOWN.names)
    if before is not None:
        found = found.unionByName(before).distinct()
    found.write.option("parquet.enable.dictionary", False).parquet(target)  # a dictionary of all different values
    return read_table(references.sparkSession, target, ledger.KNOWN)


def _all_roots(new: DataFrame, since: Path | None) -> DataFrame:
    if since is None:
        return new
    return new.unionByName(read_table(new.sparkSession, str(since / KNOWN / "metaranges"), ROOTS))


def _demand_readable(dataset: Dataset, lost: DataFrame) -> None:
    """Raises Unusable."""
    for row in lost.limit(1).collect():
        raise Unusable(
            f"{dataset.where}: {row['what']} {row['id']} of a commit is not there, so that nobody knows what it keeps; "
            "bring it back"
        )


def _promised(dataset: Dataset, entities: Entities, cutoff: int) -> tuple[DataFrame, ...]:
    """What is being copied since the cutoff, and what was issued to be linked: physical, bits. Few have any: the keys
    are read first, and the values only where there are some. Runs jobs.

    Raises Unusable: a record of a copy says nothing.
    """
    prefixed = f.startswith("key", f.lit(COPIES_PREFIX)) | f.startswith("key", f.lit(ISSUED_PREFIX))
    if dataset.kv.select("key").where(prefixed).isEmpty():
        return ()
    homes = entities.repositories.select("home", "storage_namespace").distinct()
    found = dataset.kv.where(prefixed)
    rows = staged(found.join(homes, found["partition_key"] == homes["home"]), "promised")
    is_copy = f.startswith("key", f.lit(COPIES_PREFIX))
    said = f.when(f.is_valid_utf8("value"), f.col("value").cast("string"))
    copies = rows.where(is_copy).select(
        "partition_key",
        "key",
        f.split(said, " ", 2).getItem(0).try_cast("bigint").alias("began"),
        f.try_element_at(f.split(said, " ", 2), f.lit(2)).alias("physical"),
    )
    for row in copies.where("began is null or physical is null").limit(1).collect():
        key = bytes(row["key"]).decode("utf-8", "backslashreplace")
        raise Unusable(
            f"{dataset.where}: {key}: is no record of a copy, expected microseconds, a space and an address; delete it"
        )
    rest = f.expr(f"substring(key, {len(ISSUED_PREFIX) + 1})").cast("string")
    issued = rows.where(~is_copy).select(physical(f.col("storage_namespace"), rest).alias("physical"))
    return (
        copies.where(f.col("began") > cutoff).select("physical", f.lit(TRACKED).cast("bigint").alias("bits")),
        issued.select("physical", f.lit(ISSUED).cast("bigint").alias("bits")),
    )

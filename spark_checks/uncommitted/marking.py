"""A run over what was never committed: the listing, minus what anybody refers to, minus what is young or no user's.

Source: hard-delete-uncommitted-data.md, "Decision"; docs/hard-delete/offline.md; docs/spark-uncommitted.md.
"""

from pathlib import Path
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.tasks import Unusable
from spark_checks import denominators, footers, holdings, ledger, runs, staging
from spark_checks.addresses import physical
from spark_checks.dataset import Dataset, read_table
from spark_checks.decoding import ISSUED_PREFIX, Entities, decode
from spark_checks.holdings import ACTIVE
from spark_checks.ledger import MARKED, TOO_YOUNG
from spark_checks.namespaces import namespaces
from spark_checks.progress import doing
from spark_checks.runs import KNOWN, Report
from spark_checks.tables import STRING, table
from spark_checks.together import together
from spark_checks.workspace import staged

ORDER: Final = (
    "committed",
    "staged",
    "tracked-copy",
    "issued",
    "no-repository",
    "internal",
    "outside-data",
    TOO_YOUNG,
    MARKED,
)
ROOTS: Final = table(storage_namespace=STRING, meta_range_id=STRING)


@attrs.frozen(kw_only=True)
class Asked:
    """What a run is asked for, in microseconds. ``since``: the folder of a run that is whole, whose knowledge of what
    is committed this one takes over. ``lenient``: a commit that something names, and that has no record, keeps
    nothing, instead of ending the run."""

    now: int
    older_than: int
    since: Path | None = None
    lenient: bool = False

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
        owned = begin(lambda: namespaces(entities.repositories))
        sound = begin(lambda: holdings.demand_sound(dataset, entities))
        whole = begin(lambda: holdings.demand_whole(dataset, entities, lenient=asked.lenient))
        promised = begin(lambda: _promised(dataset, entities, asked.cutoff))
        others = begin(lambda: holdings.staged(entities))
        todo, before = _minus_known(_roots(entities), asked.since, folder)
        committed = holdings.committed(dataset, todo.withColumn("bits", f.lit(ACTIVE).cast("bigint")))
        holdings.demand_apart(dataset, owned.result())
        sound.result()
        whole.result()
        begin(lambda: _demand_readable(dataset, committed.lost))
        known = _now_known(committed.references, before, str(folder / KNOWN / "committed"))
    with doing(spark, "matching the objects"):
        said = {"staged": others.result(), **promised.result()}
        references = {"committed": known} | {reason: ledger.fingerprints(each) for reason, each in said.items()}
        rows = footers.count(known) + footers.count(entities.staged)
        listed = ledger.listing(dataset, owned.result(), asked.cutoff)
        judged = ledger.judged(listed, ORDER, references, rows)
        fates = ledger.no_older_than_young(judged)
    with doing(spark, "writing the addresses"), together(spark) as begin:
        sums = begin(lambda: ledger.accounts(fates))
        written = runs.write_marked(ledger.marked(fates), folder)
    report = Report(
        kind="uncommitted",
        run=folder.name,
        dataset=dataset.where,
        now=asked.now,
        asked={
            "older_than": asked.older_than,
            "since": asked.since and asked.since.name,
            "lenient": asked.lenient,
        },
        listing=footers.count(dataset.objects),
        rows=denominators.rows_read(dataset, entities),
        accounts=tuple(sums.result()),
        files=runs.files_of(folder, runs.ADDRESSES) + runs.files_of(folder, KNOWN),
        findings=dict(whole.result()),
    )
    runs.finish(folder, report, written)
    return report


def _roots(entities: Entities) -> DataFrame:
    """The metaranges of all commits of repositories, reachable or not: `ROOTS`."""
    homes = entities.homes()
    commits = entities.commits.where(f.coalesce("meta_range_id", f.lit("")) != "")
    rows = commits.join(homes, commits["partition_key"] == homes["home"])
    return rows.select(*ROOTS.names).distinct()


def _minus_known(roots: DataFrame, since: Path | None, folder: Path) -> tuple[DataFrame, DataFrame | None]:
    """The metaranges that are still to be read, and what the last run knew to be committed: `ledger.KNOWN`. All roots,
    those of the last run with them, are written to the folder."""
    spark = roots.sparkSession
    target = str(folder / KNOWN / "metaranges")
    if since is None:
        return staging.read(staging.write(roots, target), ROOTS, spark), None
    read = read_table(spark, str(since / KNOWN / "metaranges"), ROOTS)
    todo = staged(roots.join(read, ROOTS.names, "left_anti"), "roots")
    staging.write(todo.unionByName(read), target)
    return todo, read_table(spark, str(since / KNOWN / "committed"), ledger.KNOWN)


def _now_known(references: DataFrame, before: DataFrame | None, target: str) -> DataFrame:
    """What is committed, written to the target: `ledger.KNOWN`. Runs go on from one another for long, and new
    metaranges have much in common with old ones: then each fingerprint is written once."""
    found = ledger.fingerprints(references)
    if before is not None:
        found = found.unionByName(before).distinct()
    # All values are different, and as good as random: a dictionary has them all, and nothing compresses them.
    plain = {"parquet.enable.dictionary": "false", "compression": "uncompressed"}
    return staging.read(staging.write(found, target, options=plain), ledger.KNOWN, references.sparkSession)


def _demand_readable(dataset: Dataset, lost: DataFrame) -> None:
    """Raises Unusable."""
    for row in lost.limit(1).collect():
        raise Unusable(
            f"{dataset.where}: {row['what']} {row['id']} of a commit is not there, so that nobody knows what it keeps; "
            "bring it back"
        )


def _promised(dataset: Dataset, entities: Entities, cutoff: int) -> dict[str, DataFrame]:
    """What is being copied since the cutoff, and what was issued to be linked, by reason: physical. Few have any: the
    keys are read first, and the values only where there are some. Runs jobs.

    Raises Unusable: a record of a copy says nothing.
    """
    is_copy, is_issued = (begins("key", prefix) for prefix in (COPIES_PREFIX, ISSUED_PREFIX))
    prefixed = is_copy | is_issued
    if dataset.kv.select("key").where(prefixed).isEmpty():
        return {}
    homes = entities.homes()
    found = dataset.kv.where(prefixed)
    rows = staged(found.join(homes, found["partition_key"] == homes["home"]), "promised")
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
    issued = rows.where(is_issued).select(physical(f.col("storage_namespace"), rest).alias("physical"))
    return {"tracked-copy": copies.where(f.col("began") > cutoff).select("physical"), "issued": issued}


def begins(name: str, prefix: bytes) -> Column:
    """Whether bytes begin with others, as a comparison: groups of rows whose statistics say no are not read. The last
    byte of the prefix is not 255."""
    after = prefix[:-1] + bytes([prefix[-1] + 1])
    return (f.col(name) >= f.lit(prefix)) & (f.col(name) < f.lit(after))

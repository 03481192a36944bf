"""A run over what was never committed: the listing, minus what anybody refers to, minus what is young or no user's.

Source: hard-delete-uncommitted-data.md, "Decision"; docs/designs/hard-delete.md; docs/spark-uncommitted.md.
"""

from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from lakeproof.impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.spark_checks import holdings, ledger
from lakeproof.spark_checks.data import blanks, denominators
from lakeproof.spark_checks.data.addresses import physical
from lakeproof.spark_checks.data.dataset import Dataset, read_table
from lakeproof.spark_checks.data.decoding import Entities, decode
from lakeproof.spark_checks.data.kinds import ISSUED_PREFIX
from lakeproof.spark_checks.data.namespaces import namespaces
from lakeproof.spark_checks.engine import footers, runs, staging
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.engine.progress import doing
from lakeproof.spark_checks.engine.runs import KNOWN, Report
from lakeproof.spark_checks.engine.tables import STRING, table
from lakeproof.spark_checks.engine.together import Begin, together
from lakeproof.spark_checks.engine.workspace import stage
from lakeproof.spark_checks.findings import as_text, is_named
from lakeproof.spark_checks.holdings import ACTIVE
from lakeproof.spark_checks.ledger import MARKED, TOO_YOUNG
from lakeproof.words import Unusable

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
class MarkOptions:
    """The options of a run, in microseconds. ``since``: the folder of a run that is whole, whose knowledge of what
    is committed this one takes over. ``lenient``: a commit that something names, and that has no record, keeps
    nothing, instead of ending the run."""

    now: int
    older_than: int
    since: Folder | None = None
    lenient: bool = False

    @property
    def cutoff(self) -> int:
        """What was modified later is too young."""
        return max(self.now - self.older_than, -(1 << 63))  # times have 64 bits


def mark(dataset: Dataset, options: MarkOptions, folder: Folder) -> Report:
    """Write ``addresses/`` and ``known/`` of a run to its folder, and at the end the report.

    Raises:
        Unusable: something that decides what is kept is missing or cannot be read; nothing was marked.
        Mismatch.
    """
    spark = dataset.spark
    if options.since is not None:
        runs.demand_engine(options.since, engine_of(spark).name)
    holdings.demand_tables(dataset, {"kv"})  # no typed table has what is being copied
    blanks.demand_filled(dataset)
    with doing(spark, "reading the records"):
        entities = decode(dataset)
    # Independent jobs: while one plans or ends, others have the cores. A failure in any of them ends the run.
    with doing(spark, "reading what is committed, staged and promised"), together(spark) as begin:
        owned = begin(lambda: namespaces(entities.repositories))
        begin(lambda: holdings.demand_sound(dataset, entities))
        whole = begin(lambda: holdings.demand_whole(dataset, entities, lenient=options.lenient))
        promised = begin(lambda: _find_promised(dataset, entities, options.cutoff))
        others = begin(lambda: holdings.find_staged(entities))
        known = _write_committed(dataset, entities, options.since, folder, begin)
        holdings.demand_apart(dataset, owned.result())
    with doing(spark, "matching the objects"):
        others_ = {"staged": others.result(), **promised.result()}
        references = {"committed": known} | {reason: ledger.fingerprints(each) for reason, each in others_.items()}
        rows = footers.count(known) + footers.count(entities.staged)
        listed = ledger.listing(dataset, owned.result(), options.cutoff)
        # One object may be in the listing twice. If one of its rows is young, it was just put again.
        fates = ledger.no_older_than_young(ledger.judge(listed, ORDER, references, rows))
    with doing(spark, "writing the addresses"), together(spark) as begin:
        sums = begin(lambda: ledger.accounts(fates))
        examples = begin(lambda: ledger.examples(fates))
        written = runs.write_marked(ledger.carry_versions(dataset, ledger.marked_rows(fates)), folder)
    report = Report(
        kind="uncommitted",
        run=folder.name,
        dataset=dataset.where,
        now=options.now,
        options={
            "older_than": options.older_than,
            "since": options.since and options.since.name,
            "lenient": options.lenient,
            "keys": dataset.keys,
        },
        listing=footers.count(dataset.objects),
        rows=denominators.rows_read(dataset, entities),
        unsealed=dataset.unsealed,
        engine=engine_of(spark).shown,
        accounts=tuple(sums.result()),
        # What the next run reuses is evidence as well, so its hashes are in the report, too.
        files=runs.files_of(folder, runs.ADDRESSES) + runs.files_of(folder, KNOWN),
        findings=dict(whole.result()),
        examples=tuple(examples.result()),
    )
    dataset.demand_read()
    runs.finish(folder, report, written)
    return report


def _roots(entities: Entities) -> DataFrame:
    """The metaranges of all commits of repositories, reachable or not: `ROOTS`."""
    homes = entities.homes()
    # A commit that nothing reaches keeps its data: only retention may decide that it is lost.
    commits = entities.commits.where(is_named("meta_range_id"))
    rows = commits.join(homes, commits["partition_key"] == homes["home"])
    return rows.select(*ROOTS.names).distinct()


def _write_committed(
    dataset: Dataset, entities: Entities, since: Folder | None, folder: Folder, begin: Begin
) -> DataFrame:
    """What is committed: `ledger.KNOWN`. Metaranges that the last run has read are not read again; they, and those that
    are new, are written down for the next one."""
    roots = _roots(entities)

    def last(name: str, schema: StructType) -> DataFrame | None:
        return None if since is None else read_table(dataset.spark, f"{since.where}/{KNOWN}/{name}", schema)

    read = last("metaranges", ROOTS)

    def new(found: DataFrame) -> DataFrame:
        return found if read is None else found.join(read, ROOTS.names, "left_anti")

    # Also those of commits whose records are gone by now: too much is kept, and never too little.
    both = roots if read is None else new(roots).unionByName(read)
    where = f"{folder.where}/{KNOWN}"
    metaranges = staging.read(staging.write(both, f"{where}/metaranges"), ROOTS, dataset.spark)
    # Of all metaranges, the files just written are a table already; of a part, one is made, as it is read twice.
    todo = new(metaranges) if read is None else stage(new(metaranges), "roots")
    committed = holdings.find_committed(dataset, todo.withColumn("bits", f.lit(ACTIVE).cast("bigint")))
    # At the same time as the write of the references; both need the same ranges.
    readable = begin(lambda: holdings.demand_readable(dataset, committed.lost))
    found, before = ledger.fingerprints(committed.references), last("committed", ledger.KNOWN)
    if before is not None:  # chains are long, and new metaranges have much in common with old ones
        found = found.unionByName(before).distinct()
    # All values are different, and as good as random: a dictionary has them all, and nothing compresses them.
    plain = {"parquet.enable.dictionary": "false", "compression": "uncompressed"}
    written = staging.write(found, f"{where}/committed", options=plain)
    # Before anything rests on what was written: a metarange that is missing keeps unknown objects.
    readable.result()
    return staging.read(written, ledger.KNOWN, dataset.spark)


def _find_promised(dataset: Dataset, entities: Entities, cutoff: int) -> dict[str, DataFrame]:
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
    # A copy of a deleted repository promises nothing.
    rows = stage(found.join(homes, found["partition_key"] == homes["home"]), "promised")
    text = as_text(f.col("value"))
    copies = rows.where(is_copy).select(
        "partition_key",
        "key",
        # Two parts: an address may have spaces.
        f.split(text, " ", 2).getItem(0).try_cast("bigint").alias("began"),
        f.try_element_at(f.split(text, " ", 2), f.lit(2)).alias("physical"),
    )
    for row in copies.where("began is null or physical is null").limit(1).collect():
        key = bytes(row["key"]).decode("utf-8", "backslashreplace")
        raise Unusable(
            f"{dataset.where}: {key}: is no record of a copy, expected microseconds, a space and an address; delete it"
        )
    # The rest of the key, cut from hexadecimal digits: keys are bytes, of which `substring` would take characters.
    rest = as_text(f.unhex(f.expr(f"substring(hex(key), {2 * len(ISSUED_PREFIX) + 1})")))
    issued = rows.where(is_issued).select("key", physical(f.col("storage_namespace"), rest).alias("physical"))
    for row in issued.where("physical is null").limit(1).collect():
        key = bytes(row["key"]).decode("utf-8", "backslashreplace")
        raise Unusable(f"{dataset.where}: {key}: names no address, expected one in UTF-8; delete it")
    return {
        # An older record is of a copy that has ended or failed, and left it behind.
        "tracked-copy": copies.where(f.col("began") > cutoff).select("physical"),
        "issued": issued.select("physical"),
    }


def begins(name: str, prefix: bytes) -> Column:
    """Whether bytes begin with others, as a comparison: groups of rows whose statistics say no are not read. The last
    byte of the prefix is not 255."""
    after = prefix[:-1] + bytes([prefix[-1] + 1])
    return (f.col(name) >= f.lit(prefix)) & (f.col(name) < f.lit(after))

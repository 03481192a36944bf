"""A run of retention: which commits are expired, which objects only they reach, and where all others stay.

Source: committed-object-retention.md; `lakeproof.model.retention`; docs/spark-retention.md.
"""

import json
from collections.abc import Mapping
from typing import Final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks import holdings, ledger
from lakeproof.spark_checks.data import blanks, denominators
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities, decode
from lakeproof.spark_checks.data.namespaces import namespaces
from lakeproof.spark_checks.engine import footers, runs
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.engine.progress import doing
from lakeproof.spark_checks.engine.runs import Report
from lakeproof.spark_checks.engine.workspace import stage
from lakeproof.spark_checks.findings import is_named
from lakeproof.spark_checks.holdings import ACTIVE, ELSEWHERE, EXPIRED
from lakeproof.spark_checks.ledger import KNOWN, MARKED
from lakeproof.spark_checks.retention import commit_files
from lakeproof.spark_checks.retention.rulebook import ALL, Rulebook
from lakeproof.spark_checks.retention.walk import HEAD_MISSING, NOTES, TAG_MISSING, walk_commits
from lakeproof.words import Unusable

UNREFERENCED: Final = "unreferenced"
ORDER: Final = (
    "active-commit",
    "staged",
    "no-repository",
    "internal",
    "outside-data",
    MARKED,
    "expired-elsewhere",
    UNREFERENCED,
)
_BITS: Final = {"active-commit": ACTIVE, MARKED: EXPIRED, "expired-elsewhere": ELSEWHERE}


@attrs.frozen(kw_only=True)
class MarkOptions:
    """The options of a run. ``now``: microseconds since 1970. ``tags``: a tag keeps its commit, and nothing behind
    it; the text knows no tags. ``lenient``: a head without a record keeps nothing, instead of ending the run."""

    now: int
    tags: bool = False
    lenient: bool = False


def mark(dataset: Dataset, rules: Rulebook, options: MarkOptions, folder: Folder) -> Report:
    """Write ``commits/`` and ``addresses/`` of a run to its folder, and at the end the report.

    Raises:
        Unusable: something that decides what is kept is missing or cannot be read; nothing was marked.
        runs.Mismatch: the report does not add up.
    """
    spark = dataset.spark
    holdings.demand_tables(dataset)
    blanks.demand_filled(dataset)
    recorded = {"tags": options.tags, "lenient": options.lenient, "rules": _encode_rules(rules), "keys": dataset.keys}
    with doing(spark, "reading the records"):
        entities = decode(dataset)
        holdings.demand_sound(dataset, entities, tags=options.tags)
        owned = namespaces(entities.repositories)
        holdings.demand_apart(dataset, owned)
    with doing(spark, "walking the commits"):
        # Staged, since it is read for the counts, for damage, for the CSV files and for the roots.
        states = stage(_states(entities, rules, options), "walked")
    findings = _findings(states)
    _demand_sound(dataset, states, findings, lenient=options.lenient)
    with doing(spark, "writing the commits"):
        _write_commits(states, entities, folder.child(runs.COMMITS), findings["commits"])
    committed = holdings.find_committed(dataset, stage(_roots(states, entities), "roots"))
    with doing(spark, "matching the objects"):
        # Before anything is matched: what a lost range keeps is unknown, and an object that it names would be marked.
        lost = holdings.demand_readable(dataset, committed.lost)
        # ranges are read once
        known = stage(committed.references.select("bits", ledger.known_as()), "known")
        references = {reason: known.where(holdings.has(bit)).select(*KNOWN.names) for reason, bit in _BITS.items()}
        # Staged entries keep their objects, whatever the rules say of commits.
        references["staged"] = ledger.fingerprints(holdings.find_staged(entities))
        # Only the number of pieces depends on it: about is enough.
        rows = footers.count(known) + footers.count(entities.staged)
        listed = ledger.listing(dataset, owned)
        judged = ledger.judge(listed, ORDER, references, rows)
    with doing(spark, "writing the addresses"):
        expired = committed.references.where(holdings.has(EXPIRED))
        # What was marked by a fingerprint is compared letter by letter: a collision deletes nothing.
        fates = ledger.only_named(judged, expired, UNREFERENCED)
        written = runs.write_marked(ledger.carry_versions(dataset, ledger.marked_rows(fates)), folder)
    report = Report(
        kind="retention",
        run=folder.name,
        dataset=dataset.where,
        now=options.now,
        options=dict(recorded),
        listing=footers.count(dataset.objects),
        rows=denominators.rows_read(dataset, entities),
        unsealed=dataset.unsealed,
        engine=engine_of(spark).shown,
        accounts=tuple(ledger.accounts(fates)),
        files=runs.files_of(folder, runs.ADDRESSES),
        findings={**findings, "expired-commit-cannot-be-read": lost},
        notes=tuple(rules.strangers(entities)),
        examples=tuple(ledger.examples(fates)),
    )
    # Last of all, and before the report: only now is it known that all rows were read.
    dataset.demand_read()
    runs.finish(folder, report, written)
    return report


def _states(entities: Entities, rules: Rulebook, options: MarkOptions) -> DataFrame:
    """`WALKED`, not computed yet."""
    spark = entities.commits.sparkSession
    limits = rules.limits(spark, options.now)
    # A repository that the rules name has its own book, and all others share one.
    own = f.when(f.col("repository_id").isin(*rules.repositories), f.col("repository_id")).otherwise(ALL)
    # One row for each partition: two records with one home would double its commits in the join.
    homes = entities.repositories.where("home is not null").groupBy("home").agg(f.min(own).alias("book"))
    branches, count = rules.branch_limits(spark, options.now), footers.count(entities.commits)
    return walk_commits(entities, homes.join(limits, "book"), branches, count, now=options.now, tags=options.tags)


def _findings(states: DataFrame) -> dict[str, int]:
    notes = f.col("notes")
    counts = [f.count_if(notes.bitwiseAND(bits) != 0).alias(name) for name, bits in NOTES.items()]
    # `expired` is null in the rows of missing heads, and `count` leaves nulls out.
    row = states.agg(
        f.count("expired").alias("commits"), f.count_if(f.col("expired")).alias("expired-commits"), *counts
    ).collect()[0]
    return {name: int(row[name]) for name in ("commits", "expired-commits", *NOTES)}


def _demand_sound(dataset: Dataset, states: DataFrame, findings: Mapping[str, int], *, lenient: bool) -> None:
    """Raises Unusable: a commit has two records, or, unless lenient, a head has none."""
    missing = states.where(f.col("notes").bitwiseAND(HEAD_MISSING | TAG_MISSING) != 0)
    # The count is known: sound data needs no second job.
    for row in missing.limit(1).collect() if findings["head-exists"] and not lenient else ():
        home = bytes(row["home"]).decode("utf-8", "replace")
        raise Unusable(
            f"{dataset.where}: {home}: commit {row['commit_id']} is the head of a branch or has a tag, and has no "
            "record: its kept objects are unknown; bring it back, or go on without it with --lenient"
        )
    if findings["commit-is-unique"]:  # they may differ in their parents, and so in what they keep
        raise Unusable(
            f"{dataset.where}: {findings['commit-is-unique']:,} commits have the id of another record of their "
            "repository, as where a file is there twice; take what is doubled away"
        )


def _write_commits(states: DataFrame, entities: Entities, target: Folder, count: int) -> None:
    homes = entities.repositories.groupBy("home").agg(f.min("repository_id").alias("repository_id"))
    rows = states.where("expired is not null").join(f.broadcast(homes), "home")
    commit_files.write(rows.withColumnRenamed("meta_range_id", "metarange_id"), target, count)


def _roots(states: DataFrame, entities: Entities) -> DataFrame:
    homes = entities.homes()
    bits = f.when(f.col("expired"), EXPIRED).otherwise(ACTIVE).cast("bigint").alias("bits")
    known = states.where("expired is not null").where(is_named("meta_range_id"))
    # Commits first, then repositories: of a metarange that an active and an expired commit share, both bits remain.
    rows = known.groupBy("home", "meta_range_id").agg(f.bit_or(bits).alias("bits"))
    found = rows.join(homes, "home").groupBy("storage_namespace", "meta_range_id")
    return found.agg(f.bit_or("bits").alias("bits"))


def _encode_rules(rules: Rulebook) -> dict[str, object]:
    """As `rulebook.parse` reads them."""
    own = {name: json.loads(each.encode()) for name, each in rules.repositories.items()}
    return {"default": json.loads(rules.default.encode()), "repositories": own}

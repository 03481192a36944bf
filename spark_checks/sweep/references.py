"""A second look for references: the mark of the run once more, over the dataset as it is now.

There is one definition of what is kept, that of the run: its own `mark` is called, with the rules, the age and the time
of the run, and what the run has marked stands for the listing. What is marked once more may go. What is
not has a reference now, or another reason to be kept.
Cost: as a run, of as many objects as are marked; of uncommitted data, only metaranges are read that are new since,
unless Sail has marked: then nothing of what it knew is taken over.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final, cast

import attrs

from lakeproof.model.retention import InvalidRules
from lakeproof.spark_checks.data import manifest
from lakeproof.spark_checks.data.dataset import Dataset, read_table
from lakeproof.spark_checks.engine import runs, workspace
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.runs import Report
from lakeproof.spark_checks.engine.tables import OBJECTS
from lakeproof.spark_checks.ledger import MARKED, where_listed
from lakeproof.spark_checks.retention import marks as retention
from lakeproof.spark_checks.retention import rulebook
from lakeproof.spark_checks.sweep.marks import Hashes, Marked
from lakeproof.spark_checks.sweep.sweep import Again
from lakeproof.spark_checks.uncommitted import marks as uncommitted
from lakeproof.words import Unusable

AT_ONCE: Final = 10_000


def look_again(dataset: Dataset, run: Marked) -> Again:
    """What of a run is referred to in a dataset.

    Raises:
        Unusable: whatever ends a run over such a dataset; what is kept is unknown then.
        Mismatch.
    """
    notes = tuple(map(manifest.note, dataset.unsealed))
    # Nothing can be referred to, so that no job is needed.
    if not run.marked:
        return Again(dataset.where, Hashes(iter(())), {}, {}, notes)
    # Read by the other schema, staged entries would be unknown or foreign, and keep nothing.
    if (keys := run.options["keys"]) != dataset.keys:
        raise Unusable(
            f"{dataset.where}: is read with --keys {dataset.keys}, and the run was with {keys}; say --keys {keys}"
        )
    spark = dataset.spark
    listed = read_table(spark, f"{run.folder.where}/{runs.ADDRESSES}", OBJECTS)
    # No versions: no sweep reads what is written here.
    now = attrs.evolve(dataset, objects=listed, versions=None, tables=dataset.tables | {"objects"})
    folder = folder_at(workspace.fresh(spark, "again")).child("again")
    folder.make()
    # With the time of the run, not of today: else younger objects would count as old.
    report = _mark(now, run, folder)
    marked = read_table(spark, f"{folder.where}/{runs.ADDRESSES}", OBJECTS).select(where_listed().alias("physical"))
    # What is spared, and not what goes: a set of hashes may say too much of the first, and never of the second.
    spared = listed.select(where_listed().alias("physical")).join(marked, "physical", "left_anti")
    kept = {each.reason: each.objects for each in report.accounts if each.reason != MARKED}
    return Again(
        dataset.where, Hashes(_pieces(str(row[0]) for row in spared.toLocalIterator())), kept, report.rows, notes
    )


def _pieces(addresses: Iterator[str]) -> Iterator[list[str]]:
    while piece := list(islice(addresses, AT_ONCE)):
        yield piece


def _mark(dataset: Dataset, run: Marked, folder: Folder) -> Report:
    lenient = bool(run.options["lenient"])
    if run.kind == "uncommitted":
        age = cast("int", run.options["older_than"])
        # What the run knew to be committed has none of what it marked: only what is new since needs to be read. What
        # Sail knew is found out once more.
        since = None if run.embedded else folder_at(run.folder.where)
        return uncommitted.mark(
            dataset, uncommitted.MarkOptions(now=run.now, older_than=age, since=since, lenient=lenient), folder
        )
    options = retention.MarkOptions(now=run.now, tags=bool(run.options["tags"]), lenient=lenient)
    return retention.mark(dataset, _rules(run), options, folder)


def _rules(run: Marked) -> rulebook.Rulebook:
    """Raises Unusable."""
    try:
        return rulebook.parse(json.dumps(run.options["rules"]).encode())
    except InvalidRules:
        raise Unusable(
            f"{run.folder.where}: its report does not say by which rules it was marked; mark once more"
        ) from None

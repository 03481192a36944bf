"""ETags and versions of what is marked: taken from the listing once more, where it has them, so that the ledger need
not carry them for every object.

Rows of one object that say the same but for the ETag (or version) leave none of it: it is "" then, which no object has.
Cost: none without such columns; else one reading of the listing and a join with what is marked.
"""

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.engine.tables import OBJECTS, VERSIONS

AMBIGUOUS: Final = ""


def carried(dataset: Dataset, marked: DataFrame) -> DataFrame:
    """The same rows of ``objects/``, with what the listing has of `VERSIONS` besides."""
    if dataset.versions is None:
        return marked
    named = [name for name in VERSIONS.names if name in dataset.versions.columns]
    # A null is a value here: a row with a tag, and one without, disagree.
    one = [
        f.when(f.count_distinct(f.struct(name)) == 1, f.first(name)).otherwise(f.lit(AMBIGUOUS)).alias(name)
        for name in named
    ]
    told = dataset.versions.withColumnsRenamed({name: f"told_{name}" for name in OBJECTS.names})
    same = [f.col(name).eqNullSafe(f.col(f"told_{name}")) for name in OBJECTS.names]
    few = told.join(marked, same, "left_semi").groupBy(*(f"told_{name}" for name in OBJECTS.names)).agg(*one)
    return marked.join(few, same, "left").select(*OBJECTS.names, *named)

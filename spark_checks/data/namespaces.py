"""The storage namespaces of a dataset's repositories: looked at by name where they are few, else by joins."""

from collections.abc import Collection, Sequence
from typing import Final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.spark_checks.data.addresses import is_data

AT_HAND: Final = 10_000
"""Names that the driver holds: a join of few rows takes seconds to plan."""


@attrs.frozen
class Namespaces:
    """owned: each once, one column of that name. names: the same, if they are no more than `AT_HAND`."""

    owned: DataFrame
    names: tuple[str, ...] | None


def namespaces(repositories: DataFrame) -> Namespaces:
    """repositories: with storage_namespace. Runs a job."""
    owned = repositories.select(f.col("storage_namespace").alias("owned")).where("owned is not null").distinct()
    names = tuple(str(row["owned"]) for row in owned.limit(AT_HAND + 1).collect())
    return Namespaces(owned, names if len(names) <= AT_HAND else None)


def first_nested(found: Namespaces) -> Sequence[tuple[str, str]]:
    """A pair of `find_nested`, or none. Runs a job where the names are many."""
    if found.names is not None:
        return nested_among(found.names)[:1]
    return [(row["outer"], row["inner"]) for row in find_nested(found.owned).limit(1).collect()]


def nested_among(names: Collection[str]) -> list[tuple[str, str]]:
    """`find_nested`, of names at hand. Linear in all their parts."""
    known = set(names)
    found = []
    for inner in sorted(known):
        parts = inner.split("/")
        outers = ("/".join(parts[:n]) for n in range(1, len(parts)))
        data = DATA_PREFIX.rstrip("/")
        found += [(outer, inner) for n, outer in enumerate(outers, 1) if outer in known and parts[n] == data]
    return found


def find_nested(owned: DataFrame) -> DataFrame:
    """Pairs of namespaces, the second where the first has the objects of users. owned: as `Namespaces` has it."""
    names = owned.select(f.col("owned").alias("inner"))
    parts = f.split("inner", "/")
    shorter = f.transform(f.sequence(f.lit(1), f.size(parts) - 1), lambda n: f.concat_ws("/", f.slice(parts, 1, n)))
    prefixes = names.where(f.size(parts) > 1).select("inner", f.explode(shorter).alias("outer"))
    found = prefixes.join(names.select(f.col("inner").alias("outer")), "outer")
    return found.where(is_data(f.col("outer"), f.concat("inner", f.lit("/")))).select("outer", "inner")

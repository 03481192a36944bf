"""The storage namespaces of a dataset's repositories. The driver holds their names: some 200 bytes each."""

from collections.abc import Collection

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.model.catalog import DATA_PREFIX


@attrs.frozen
class Namespaces:
    """owned: each once, one column of that name. names: the same."""

    owned: DataFrame
    names: tuple[str, ...]


def namespaces(repositories: DataFrame) -> Namespaces:
    """repositories: with storage_namespace. Runs a job."""
    owned = repositories.select(f.col("storage_namespace").alias("owned")).where("owned is not null").distinct()
    return Namespaces(owned, tuple(str(row["owned"]) for row in owned.collect()))


def find_nested(names: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of namespaces, the second where the first has the objects of users. Linear in all their parts."""
    known, data = set(names), DATA_PREFIX.rstrip("/")
    found = []
    for inner in sorted(known):
        parts = inner.split("/")
        # Each prefix at a slash is looked up: no pair of names is compared.
        outers = ("/".join(parts[:n]) for n in range(1, len(parts)))
        found += [(outer, inner) for n, outer in enumerate(outers, 1) if outer in known and parts[n] == data]
    return found

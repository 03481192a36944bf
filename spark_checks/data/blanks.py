"""Columns that must say something, so that it is known what is kept: a null there is no answer, and not "nothing".

A column that was lost on the way (renamed, and filled where schemas were merged) is there, and all null.
Read as they are, references without an address keep nothing, and branches without a commit are deleted ones.
Cost: footers; a scan of these columns where footers do not count nulls.
"""

from collections.abc import Mapping
from typing import Final

from pyspark.sql import functions as f

from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.engine import footers
from lakeproof.words import Unusable

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "kv": ("partition_key", "key", "value"),
    "metaranges": ("meta_range_id",),  # an empty metarange has no range_id
    "ranges": ("range_id", "address"),
    "decoded/repositories": ("partition_key", "repository_id", "storage_namespace", "home"),
    "decoded/branches": ("partition_key", "branch_id", "commit_id", "staging_token", "sealed_tokens"),
    "decoded/tags": ("partition_key", "tag_id", "commit_id"),
    "decoded/commits": ("partition_key", "commit_id", "creation_date", "meta_range_id", "parents"),
    "decoded/staged": ("partition_key", "tombstone"),  # a tombstone has no address
}
"""By table: what no row may leave out. What a listing leaves out keeps the object."""

_BLANK_ENTRY: Final = (
    "(not tombstone and (address is null or address_type is null)) "
    "or (token is null and try_validate_utf8(partition_key) is not null)"
)
"""Of ``decoded/staged``: a tombstone has no address, and a partition that is no text no token."""


def demand_filled(dataset: Dataset) -> None:
    """Raises Unusable: a row of a table leaves out what decides over what is kept. Runs a job for some tables."""
    typed = {f"decoded/{name}": each for name, each in dataset.decoded.items()}
    for name, table in (dataset.at_rest | typed).items():
        if name not in REQUIRED:
            continue
        # Only columns with nulls, or with an unknown number of them, are scanned.
        counts = footers.nulls(table, REQUIRED[name])
        unsure = [f"{column} is null" for column in REQUIRED[name] if counts.get(column) != 0]
        for condition in unsure + [_BLANK_ENTRY] * (name == "decoded/staged"):
            if not table.where(condition).select(f.lit(1)).isEmpty():
                raise Unusable(
                    f"{dataset.where}: a row of {name}/ leaves out what it keeps ({condition}); write the table again, "
                    "with all of its columns"
                )

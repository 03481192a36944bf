"""What a check finds: one row for each thing that is wrong, with the evidence. One schema for all checks.

``kind`` is "violation" (the invariant is broken), "garbage" (nothing is broken, something can be reclaimed) or "note".
``subject`` names what is broken, in one way for each id, so that findings can be counted and compared: see `IDS`.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine.tables import STRING, table

FINDINGS: Final = table(id=STRING, kind=STRING, subject=STRING, evidence=STRING)

RECORD: Final = "partition and key of the record, as `at` tells them"
ADDRESS: Final = "physical address of the object"

IDS: Final = {
    "no-reachable-zombie": RECORD,
    "garbage-is-reclaimable": RECORD,
    "active-is-complete": "<repository id>-<instance uid>",
    "head-exists": RECORD,
    "parents-exist": RECORD,
    "meta-range-exists": RECORD,
    "generation-is-right": RECORD,
    "child-is-not-older": RECORD,
    "commits-have-no-cycle": RECORD,
    "token-has-one-owner": "the staging token",
    "staged-has-owner": "the staging token",
    "cleanup-spares-live": RECORD,
    "committed-data-is-kept": ADDRESS,
    "staged-data-is-kept": ADDRESS,
    "address-has-one-entry": ADDRESS,
    "key-is-known": RECORD,
    "key-names-record": RECORD,
    "record-is-decodable": RECORD,
}
"""The ids of the checks, and what their subject is."""


def as_text(column: Column) -> Column:
    """Bytes as text; null where they are no UTF-8. A cast would make no check, or raise: as the engine has it."""
    return f.try_validate_utf8(column)


def text(column: Column) -> Column:
    """Bytes as text where they are printable UTF-8, else as 0x and hexadecimal digits."""
    decoded = as_text(column)
    printable = decoded.isNotNull() & ~decoded.rlike(r"[\x00-\x1f\x7f]")
    return f.when(printable, decoded).otherwise(f.concat(f.lit("0x"), f.lower(f.hex(column))))


def at(partition_key: Column, key: Column) -> Column:
    """Where a record is: its partition and its key, as text."""
    return f.concat(text(partition_key), f.lit(" "), text(key))

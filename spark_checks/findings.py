"""What a check finds: one row for each thing that is wrong, with the evidence. One schema for all checks.

``kind`` is "violation" (the invariant is broken), "garbage" (nothing is broken, something can be reclaimed) or "note".
``subject`` names what is broken, in one way for each id, so that findings can be counted and compared: a record by its
partition and key (`at`), an object by its physical address, a staging token, a repository as <id>-<instance uid>.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine.tables import STRING, table

FINDINGS: Final = table(id=STRING, kind=STRING, subject=STRING, evidence=STRING)


def as_text(column: Column) -> Column:
    """Bytes as text; null where they are no UTF-8. A cast would make no check, or raise: as the engine has it."""
    return f.try_validate_utf8(column)


def text(column: Column) -> Column:
    """Bytes as text where they are printable UTF-8, else as 0x and hexadecimal digits."""
    decoded = as_text(column)  # null if it is no UTF-8; `printable` is then false, and not null
    printable = decoded.isNotNull() & ~decoded.rlike(r"[\x00-\x1f\x7f]")
    return f.when(printable, decoded).otherwise(f.concat(f.lit("0x"), f.lower(f.hex(column))))


def at() -> Column:
    """Where a record is: its partition and its key, as text."""
    return sentence(text(f.col("partition_key")), " ", text(f.col("key")))


def sentence(*parts: str | Column) -> Column:
    """Words and columns, one after the other; null if one is."""
    return f.concat(*(f.lit(each) if isinstance(each, str) else each for each in parts))


def is_named(column: str) -> Column:
    """Whether a text is there, and not empty."""
    # An absent string of protobuf reads as "", and a null may stand in typed tables that others have written.
    return f.coalesce(column, f.lit("")) != ""

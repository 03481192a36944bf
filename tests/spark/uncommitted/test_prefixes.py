"""Keys of copies and of issued addresses are asked for as a range, and those are the keys with the prefix."""

import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.spark_checks.data.kinds import ISSUED_PREFIX
from lakeproof.spark_checks.engine.tables import BINARY, table
from lakeproof.spark_checks.uncommitted.marks import begins


@pytest.mark.parametrize("prefix", [COPIES_PREFIX, ISSUED_PREFIX], ids=bytes.decode)
def test_the_range_of_a_prefix_has_what_begins_with_it(spark: SparkSession, prefix: bytes) -> None:
    others = [b"", prefix[:-1], prefix[:-1] + b".", prefix[:-1] + b"0", b"x" + prefix, prefix.upper(), b"\xff"]
    inside = [prefix, prefix + b"a", prefix + b"\xff\xff", prefix + b"\x00", prefix * 2]
    rows = spark.createDataFrame([(key,) for key in [*others, *inside, None]], table(key=BINARY))
    found = {bytes(row["key"]) for row in rows.where(begins("key", prefix)).collect()}
    assert found == set(inside) == {key for key in others + inside if key.startswith(prefix)}

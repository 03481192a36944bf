"""Decoding: every record of kv/ becomes the row that the codec's record is, or a row that says what is wrong."""

from typing import cast

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.testing import assertDataFrameEqual

from lakeproof.impl.codec import decode_at, encode
from lakeproof.model import keys
from lakeproof.model.catalog import AddressType, ObjectEntry, decode_object_entry
from lakeproof.model.records import StagedEntry
from lakeproof.spark_checks.data.dataset import Dataset, Keys
from lakeproof.spark_checks.data.decoding import TABLES, Rows, decode, decode_batch
from lakeproof.spark_checks.data.kinds import design_kind
from lakeproof.spark_checks.engine.tables import AT_REST, DECODED, KV, METARANGES, OBJECTS, RANGES, no_rows
from lakeproof.spark_checks.generate import records

BRANCH = records.branch("main", "c2", "r-main:u.3", ("r-main:u.2", "r-main:u.1"))
COMMIT = records.commit(
    "c2", 1_700_000_001_000_001, meta_range_id="m2", instance="u", parents=("c1", "c0"), generation=2
)
ENTRY = ObjectEntry(
    address="data/x", address_type=AddressType.RELATIVE, e_tag="e", size_bytes=7, last_modified=1_700_000_000_000_007
)
STAGED = records.staged_entry("a/b", ENTRY)
HOME = b"r-u"
RECORDS = {
    (keys.GRAVELER, b"repos/r"): encode(records.repository("r", "u", 1_700_000_000_123_456, namespace="s3://b/r")),
    (HOME, b"branches/main"): encode(BRANCH),
    (HOME, b"tags/v1"): encode(records.tag("v1", "c1")),
    (HOME, b"commits/c2"): encode(COMMIT),
    (b"r-main:u.3", b"key/a/b"): encode(STAGED),
    (b"r-main:u.3", b"key/a/c"): encode(records.staged_entry("a/c", None)),
    (keys.DELETED, b"repo/r/old"): encode(records.cleanup("r", "old")),
}


def decoded(records: dict[tuple[bytes | None, bytes | None], bytes | None], keys_are: Keys = "design") -> Rows:
    columns = [[a for a, _ in records], [b for _, b in records], list(records.values())]
    arrays = [pa.array(column, pa.binary()) for column in columns]
    found = decode_batch(pa.record_batch(arrays, names=["partition_key", "key", "value"]), keys_are)
    made = [batch.num_rows for batch in TABLES.batches(found)]
    assert made == [len(rows) for rows in found.values()], "all fits into the tables"
    return found


def row(table: str, rows: Rows, number: int = 0) -> dict[str, object]:
    return dict(zip(DECODED[table].names, rows[table][number], strict=True))


class TestDamage:
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            (b"copies/data/x", b"1700000000000000 s3://bucket/r/data/x y"),
            *((key, b"x") for key in (b"link-addresses/data/x", b"retention/pins/c/1", b"retention/condemned/c/1")),
            *((key, b"x") for key in (b"locks/main", b"committed-tokens/t:1", b"noted-tokens/t:1", b"dropped/t:1")),
            *((key, b"x") for key in (b"references/s3://b/x", b"staging/committed/x", b"staging/deleted/t:1")),
            (b"retention/left/main/1", b"c 1"),
        ],
    )
    def test_what_flows_keep_beside_the_schema_is_known_and_in_no_table(self, key: bytes, value: bytes) -> None:
        """In the partition of a repository; beneath a token it may be a path of lakeFS."""
        assert decoded({(HOME, key): value}) == {}
        assert list(decoded({(b"graveler", key): value, (b"r-main:u.3", key): value})) == ["undecodable"]

    @pytest.mark.parametrize("part", [b"/fates", b"/heads"])
    def test_the_journal_of_commits_is_known_and_that_of_addresses_may_refer_to_data(self, part: bytes) -> None:
        assert decoded({(HOME + part, b"t:1/c"): b"1"}) == {}
        assert list(decoded({(HOME + b"/addresses", b"t:1/x"): b"open - p"})) == ["undecodable"]

    @pytest.mark.parametrize(
        "value",
        [b"", b"yesterday s3://b/x", b"17", b"17 ", b"\xff", b"9" * 20 + b" s3://b/x", b"9" * 19 + b" s3://b/x"],
    )
    def test_a_record_of_a_copy_that_says_nothing_is_told(self, value: bytes) -> None:
        assert row("undecodable", decoded({(HOME, b"copies/x"): value}))["kind"] == "copy"

    @pytest.mark.parametrize("address", [(None, b"k"), (b"p", None), (None, None)])
    def test_a_record_without_a_key_is_told(self, address: tuple[bytes | None, bytes | None]) -> None:
        assert list(decoded({address: b"v"})) == ["undecodable"]

    def test_an_entry_that_the_catalog_did_not_write_is_staged_and_told(self) -> None:
        value = encode(StagedEntry(key=b"a", identity=b"i", data=b"\xff\xff"))
        rows = decoded({(b"t:1", b"key/a"): value})
        assert row("staged", rows)["address"] is None
        assert row("undecodable", rows)["kind"] == "entry"

    def test_a_token_that_is_open_and_sealed_is_refused_as_the_codec_does(self) -> None:
        value = encode(BRANCH).replace(b"r-main:u.1", b"r-main:u.3")
        assert "open and sealed at once" in str(
            row("undecodable", decoded({(HOME, b"branches/main"): value}))["reason"]
        )

    @pytest.mark.parametrize("address", [(HOME, b"branches/main"), (HOME, b"commits/c2")])
    def test_what_a_newer_store_says_beside_it_is_reported_and_the_record_is_judged(
        self, address: tuple[bytes, bytes]
    ) -> None:
        rows = decoded({address: RECORDS[address] + b"\xa2\x06\x03mr2"})  # field 100, a text
        assert len(rows) == 2
        assert "field 100 is unknown" in str(row("undecodable", rows)["reason"])

    def test_a_date_beyond_all_clocks_does_not_overflow(self) -> None:
        seconds = b"\x08" + b"\xff" * 8 + b"\x7f"
        value = b"\x22" + bytes([len(seconds)]) + seconds
        found = row("commits", decoded({(HOME, b"commits/c"): value}))
        assert found["creation_date"] == (1 << 63) - 1


@given(
    st.sampled_from([keys.GRAVELER, keys.DELETED, b"r-u", b"t", b"", b"\xff", b"a\0b"]),
    st.sampled_from([b"repos/", b"branches/", b"commits/", b"tags/", b"key/", b"repo/", b"x"]),
    st.sampled_from([b"", b"a", b"a/b", b"\xff", b"a\0", b"r/u", b"r/u-v"]),
)
def test_an_address_is_what_the_key_schema_says(partition: bytes, prefix: bytes, name: bytes) -> None:
    parsed = keys.parse(partition, prefix + name)
    assert design_kind(partition, prefix + name) == (None if parsed is None else parsed.kind)


@given(st.binary(min_size=1, max_size=40))
def test_no_bytes_make_the_decoder_fail(value: bytes) -> None:
    for address in RECORDS:
        rows = decoded({address: value})
        try:
            record = decode_at(*address, value)
        except ValueError:
            assert list(rows) == ["undecodable"]
            found = row("undecodable", rows)
            assert (found["partition_key"], found["key"]) == address
            assert found["reason"]
            continue
        table = next(name for name in rows if name != "undecodable")
        if isinstance(record, StagedEntry) and record.data is not None:
            try:
                entry = decode_object_entry(record.data)
            except ValueError:
                assert row("undecodable", rows)["kind"] == "entry"
            else:
                assert row(table, rows)["address"] == entry.address


def test_the_tables_have_their_schemas_and_all_the_rows(spark: SparkSession) -> None:
    kv = spark.createDataFrame([*((*address, value) for address, value in RECORDS.items()), (HOME, b"?", b"")], KV)
    metaranges, ranges, objects = (no_rows(spark, schema) for schema in (METARANGES, RANGES, OBJECTS))
    entities = decode(Dataset("here", "design", kv, metaranges, ranges, objects, tables=frozenset(AT_REST)))
    expected = decoded(cast("dict[tuple[bytes | None, bytes | None], bytes | None]", RECORDS))
    for name, schema in DECODED.items():
        table = getattr(entities, name)
        assert table.schema == schema
        if name != "undecodable":
            assertDataFrameEqual(table, spark.createDataFrame(expected[name], schema))
    assert entities.undecodable.select(f.col("key").cast("string")).collect()[0][0] == "?"

"""lakeFS' JSON dump: read entry by entry, and refused where it is no such dump."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.data.dumps import entries
from lakeproof.spark_checks.engine.tables import KV
from lakeproof.words import Unusable

ROWS = [(b"graveler", b"repos/r", b"\x00\xff"), (b"r-main:1", b"a/b", b""), (b"p", b"k", b"v")]


def encoded(row: tuple[bytes, bytes, bytes], partition: str) -> dict[str, str]:
    names = (partition, "key", "value")
    return {name: base64.b64encode(field).decode() for name, field in zip(names, row, strict=True)}


def dump(rows: list[tuple[bytes, bytes, bytes]]) -> str:
    told = [encoded(row, "partition") for row in rows]
    return json.dumps({"version": "1", "timestamp": "2026-01-01T00:00:00Z", "entries": told})


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "dump.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@given(rows=st.lists(st.tuples(st.binary(), st.binary(), st.binary()), max_size=8))
def test_a_dump_and_rows_as_json_lines_are_read_back(tmp_path: Path, rows: list[tuple[bytes, bytes, bytes]]) -> None:
    assert list(entries(written(tmp_path, dump(rows)))) == rows
    lines = [json.dumps(encoded(row, "partition_key")) for row in rows]
    if lines:
        assert list(entries(written(tmp_path, "\n".join(lines) + "\n"))) == rows


NAMES = st.sampled_from(["graveler", "auth", "shop-dc1c", "shop-main:ed5f", "pulls", "kv-internal-metadata"])


@given(rows=st.lists(st.tuples(NAMES, st.text(st.characters(codec="utf-8"), min_size=1), st.binary()), max_size=8))
def test_what_lakefs_writes_is_read_back(tmp_path: Path, rows: list[tuple[str, str, bytes]]) -> None:
    """Partition and key in plain text, the value in base64; a field that is empty is left out, as Go does it."""
    told = [{"partition": p, "key": k, "value": base64.b64encode(v).decode()} for p, k, v in rows]
    document = {"version": "1.0", "timestamp": "2026-01-01T00:00:00Z", **({"entries": told} if told else {})}
    found = list(entries(written(tmp_path, json.dumps(document, ensure_ascii=False))))
    assert found == [(p.encode(), k.encode(), v) for p, k, v in rows]


def test_a_dump_is_a_dataset_of_one_table_with_the_keys_of_lakefs(spark: SparkSession, tmp_path: Path) -> None:
    dataset = open_dataset(spark, str(written(tmp_path, dump(ROWS))))
    assert dataset.keys == "lakefs"
    assert dataset.tables == {"kv"}
    assertDataFrameEqual(dataset.kv, spark.createDataFrame(ROWS, KV))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"partition_key": "YQ==", "key": "YQ==", "value": ""}\n{"partition_key": "YQ=="', "dump.json:2: no JSON"),
        ('{"partition_key": "YQ==", "key": "YQ==", "value": ""}\n[]', "dump.json:2: expected an object with"),
        ('{"partition_key": "YQ==", "key": "YQ=="}', "dump.json:1: expected an object with"),
        ('{"partition_key": "YQ==", "key": "%", "value": ""}', "dump.json:1: key is '%', expected base64"),
        (
            '{"entries": [{"partition": "shop-1", "key": "tags/x"}, {"partition": "Z3JhdmVsZXI=", "key": "eA=="}]}',
            "entry 1: partition 'Z3JhdmVsZXI=' is in base64, and others are plain",
        ),
        ('{"entries": [{"partition": "shop-1", "key": "tags/x", "value": "%"}]}', "value is '%', expected base64"),
        ("", "no JSON after entry 0"),
        ("[1, 2]", 'has no list "entries"'),
        ('{"entries": 3}', 'has no list "entries"'),
        ('{"entries": [3]}', "entry 0 is 3, expected an object"),
        ('{"entries": [{"partition": "YQ==", "value": ""}]}', "entry 0: key is None, expected base64"),
        ('{"entries": [{"partition": "YQ==", "key": 3, "value": ""}]}', "entry 0: key is 3, expected base64"),
        ('{"entries": [{"partition": "YQ==", "key": "%", "value": ""}]}', "entry 0: key is '%', expected base64"),
        (dump(ROWS)[:-20], "no JSON after entry 2"),
        (dump(ROWS) + "x", "no JSON after entry 3"),
        (b'{"entries": [{"partition": "\xff"}]}', "after entry 0"),
    ],
)
def test_what_is_no_dump_and_no_rows_is_refused_with_the_place(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(Unusable) as refused:
        list(entries(written(tmp_path, text)))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.data())
def test_a_damaged_dump_never_fails_otherwise(tmp_path: Path, data: st.DataObject) -> None:
    whole = dump(ROWS).encode()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + data.draw(st.binary(max_size=3)) + whole[at + data.draw(st.integers(0, 9)) :]
    try:
        found = list(entries(written(tmp_path, damaged)))
    except Unusable:
        return
    assert all(len(row) == 3 for row in found)

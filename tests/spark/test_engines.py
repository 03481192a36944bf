"""Engines: which one is chosen, and that what is found does not depend on it: oracles of Python's own, for each."""

import io
import json
import sys
import threading
from contextlib import nullcontext
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click
import pytest
from py4j.protocol import Py4JError
from pyarrow import parquet
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import embedded, footers, progress, session, settings
from lakeproof.spark_checks.engine.engines import Name, engine_of
from lakeproof.spark_checks.engine.session import Options, choose_engine
from lakeproof.spark_checks.engine.together import together
from lakeproof.spark_checks.engine.troubles import translate_errors
from lakeproof.words import Unusable
from tests.commands import lakeproof, spawned
from tests.spark import snapshots
from tests.spark.commands import mark_by_command
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.retention.worlds import world


@pytest.mark.parametrize(
    ("options", "environment", "engine"),
    [
        (Options(), {}, "classic"),
        (Options(engine="embedded"), {}, "embedded"),
        (Options(master="local[1]"), {}, "classic"),
        (Options(), {settings.GATEWAY: "1"}, "classic"),
        (Options(remote="sc://host"), {}, "connect"),
        (Options(), {session.REMOTE: "sc://host"}, "connect"),
        (Options(engine="connect"), {session.REMOTE: "sc://host"}, "connect"),
        (Options(engine="embedded"), {session.REMOTE: "sc://host"}, "embedded"),
        (Options(engine="embedded", master="local[1]"), {}, None),
        (Options(engine="classic", remote="sc://host"), {}, None),
        (Options(master="local[1]", remote="sc://host"), {}, None),
        (Options(master="local[1]"), {settings.GATEWAY: "1"}, None),
        (Options(engine="connect"), {}, None),
    ],
)
def test_it_is_what_options_say_or_the_environment_and_what_does_not_go_together_is_refused(
    options: Options, environment: dict[str, str], engine: Name | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (session.REMOTE, settings.GATEWAY):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Unusable) if engine is None else nullcontext():
        assert choose_engine(options) == engine


HOSTILE = [bytes([n]) for n in range(256)] + [
    b"",
    b"\xff" * 9,
    b"x" * 100_000,
    bytes(range(256)),
    "é\U0001f600".encode(),
    b"\xed\xa0\x80",  # half a surrogate
    b"\xc0\x80",  # zero, written too long
    b"\xf4\x90\x80\x80",  # beyond the last character
]


def shown(key: bytes) -> str:
    """As `findings.text` has it."""
    try:
        text = key.decode()
    except UnicodeDecodeError:
        text = "\0"
    return f"0x{key.hex()}" if any(each < " " or each == "\x7f" for each in text) else text


@ON_CLASSIC_TOO
def test_every_byte_of_a_key_is_told_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    made = snapshots.tables(world(7, 2))
    made.kv += [(b"strange", key, b"") for key in HOSTILE]
    snapshots.write(made, tmp_path / "data")
    lakeproof("spark", "check", str(tmp_path / "data"), "--only", "key-is-known", "--out", str(tmp_path / "out"))
    subjects = parquet.read_table(tmp_path / "out" / "findings").column("subject").to_pylist()
    found = sorted(each for each in subjects if each.startswith("strange "))
    assert found == sorted(f"strange {shown(key)}" for key in HOSTILE)


@ON_CLASSIC_TOO
def test_sizes_that_come_to_more_than_64_bits_are_summed_exactly(spark: SparkSession, tmp_path: Path) -> None:
    made = snapshots.tables(world(7, 2))
    largest, long_ago = 2**63 - 1, datetime(1970, 1, 2, tzinfo=UTC)
    made.objects += [("s3://nobody", f"data/{n}", largest, long_ago) for n in range(3)]
    snapshots.write(made, tmp_path / "data")
    done = mark_by_command(tmp_path / "data", tmp_path / "out", "--lenient", "--json")
    report = json.loads(done.stdout)
    accounts = {each["reason"]: each for each in report["accounts"]}
    assert accounts["no-repository"]["bytes"] >= 3 * largest
    assert report["engine"] == engine_of(spark).shown


WORD = (1 << 64) - 1
FINGERPRINTS = {
    0: (0x98B1582B0977E704, 0xBCD4D0236FECF265),
    1: (0x83A7B47F8D92D727, 0x979FA5D6EBE52D5B),
    4: (0x1F332230B2638CB9, 0x48BD70A7F8364717),
    8: (0x0C6631FDA6194569, 0x38D056401897C61B),
    31: (0xCE9CE149817CE82A, 0xFBDF02F99E257C3B),
    32: (0xA058DA75ECC0B760, 0xA97057EABC8D2F4E),
    63: (0xA7AD28F02B07E8B3, 0xD174E99892117B08),
    100_000: (0x5B7956FEF090FB23, 0xFD285684A9E7ED9D),
}
"""Of so many bytes, and of them and a text: by the specification of xxHash (github.com/Cyan4973/xxHash,
doc/xxhash_spec.md) with the seed 42; of several columns, each hash is the seed of the next."""


@ON_CLASSIC_TOO
def test_fingerprints_are_those_of_xxhash_on_every_engine(spark: SparkSession) -> None:
    """Runs go on from one another, whatever has made them."""
    rows = [(size, bytes(n * 7 % 251 for n in range(size)), f"{size} é") for size in FINGERPRINTS]
    table = spark.createDataFrame(rows, "size bigint, key binary, text string")
    found = table.select("size", f.xxhash64("key"), f.xxhash64("key", "text")).collect()
    assert {size: (one & WORD, both & WORD) for size, one, both in found} == FINGERPRINTS


@ON_CLASSIC_TOO
def test_an_engine_that_reads_fewer_rows_than_the_footers_tell_ends_the_run(
    spark: SparkSession, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_dataset(spark, str(dataset))
    opened.demand_read()
    count = footers.count
    monkeypatch.setattr(footers, "count", lambda table: count(table) + 1)
    with pytest.raises(Unusable, match=r"kv/: the footers of its files tell of [\d,]+ rows, and tasks have read "):
        opened.demand_read()


@ON_CLASSIC_TOO
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("storage_namespace=__HIVE_DEFAULT_PARTITION__/part.parquet", "lies in the folder of null, which Sail"),
        ("day=1.parquet", "has a '=' in its name, and Sail passes over it; name it otherwise"),
    ],
)
def test_a_file_that_sail_reads_otherwise_is_refused_there(
    spark: SparkSession, dataset: Path, name: str, words: str
) -> None:
    objects, blank = dataset / "objects", ["storage_namespace"] if "/" in name else []
    rows = parquet.read_table(objects / "part.parquet")
    (objects / "part.parquet").unlink()
    (objects / name).parent.mkdir(exist_ok=True)
    parquet.write_table(rows.drop_columns(blank), objects / name)
    if engine_of(spark).name == "embedded":
        with pytest.raises(Unusable, match=words):
            open_dataset(spark, str(dataset))
        return
    found = open_dataset(spark, str(dataset)).objects
    assert found.count() == len(rows)
    assert found.where("storage_namespace is null").count() == len(rows) * len(blank)


class TestTrouble:
    def test_a_query_that_needs_more_memory_than_it_may_take_is_one_line(self, dataset: Path) -> None:
        process = spawned("spark", "check", str(dataset), "--engine", "embedded", "--memory", "64k")
        stdout, stderr = process.communicate()
        assert (process.returncode, stdout) == (2, "")
        line = stderr.splitlines()[-1]
        assert line.startswith("lakeproof: the memory that Sail may take does not suffice; say more with --memory")

    def test_a_server_that_is_gone_is_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
        spark, _, stop = embedded.start(Options())
        client = spark.client
        client.set_retry_policies([])
        stop()
        with pytest.raises(Unusable, match="the Spark Connect server does not answer any more"), translate_errors():
            spark.range(3).count()
        client.close()

    @pytest.mark.parametrize("error", [ConnectionRefusedError(), Py4JError("Answer from Java side is empty")])
    def test_a_jvm_that_was_killed_is_one_line(self, error: Exception) -> None:
        import_module("lakeproof.spark_checks.engine.classic")
        with pytest.raises(Unusable, match="the JVM has ended"), translate_errors():
            raise error

    def test_sizes_are_powers_of_1024_with_a_unit(self) -> None:
        assert [settings.size(each) for each in ("1k", "512M", "3g", "2tb")] == [1 << 10, 1 << 29, 3 << 30, 1 << 41]
        for text in ("", "1", "0m", "-1g", "1.5g", "1x", "3 g"):
            with pytest.raises(Unusable, match=f"^--memory {text!r}: expected a number with k, m, g or t"):
                settings.memory(click.Context(click.Command("x")), click.Option(["--memory"]), text)


def fail(why: str) -> None:
    raise Unusable(why)


@ON_CLASSIC_TOO
def test_the_first_failure_of_what_was_begun_is_told_before_that_of_the_block(spark: SparkSession) -> None:
    with pytest.raises(Unusable, match="one"), together(spark) as begin:  # noqa: PT012
        begin(lambda: fail("one"))
        begin(lambda: fail("two"))
        fail("three")


@ON_CLASSIC_TOO
def test_what_waits_for_a_thread_does_not_begin_after_ctrl_c(spark: SparkSession) -> None:
    begun: list[str] = []
    cancelled = threading.Event()
    with pytest.raises(KeyboardInterrupt), together(spark) as begin:  # noqa: PT012
        for _ in range(4):
            begin(lambda: cancelled.wait(10))
        begin(lambda: begun.append("waiting")).add_done_callback(lambda _: cancelled.set())
        raise KeyboardInterrupt
    assert begun == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@ON_CLASSIC_TOO
def test_a_live_line_ends_without_a_traceback_where_the_engine_is_gone(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    met, unhandled = threading.Event(), list[object]()

    def count() -> NoReturn:
        met.set()
        raise ConnectionRefusedError

    monkeypatch.setattr(progress, "PERIOD_SECONDS", 0)
    monkeypatch.setattr(progress, "_tasks", lambda _: nullcontext(count))
    monkeypatch.setattr(threading, "excepthook", unhandled.append)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.doing(spark, "working"):
        assert met.wait(60)
    assert unhandled == []

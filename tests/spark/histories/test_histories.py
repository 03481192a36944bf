"""Histories on Spark: the verdicts of the local checker, key by key, wherever the events lie."""

import json
import os
import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.histories import DEFAULTS, read
from lakeproof.model.linearizability.checker import check
from lakeproof.model.linearizability.specifications import ALL
from lakeproof.spark_checks.engine.troubles import translate_errors
from lakeproof.spark_checks.histories import verdicts
from lakeproof.spark_checks.histories.reader import PARQUET, events, of_file
from lakeproof.spark_checks.histories.verdicts import VERDICTS, Judging, judge, model_of
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.damages import blank

Event = dict[str, object]


def generated(seed: int, *, keys: int, calls: int, processes: int = 4, stale: float = 0.0) -> list[Event]:
    """A history of registers that are linearizable, but for reads that tell an old value now and then."""
    rng = random.Random(seed)
    held: dict[str, list[object]] = {f"\ud800{number}": [None] for number in range(keys)}  # half a character
    under_way: dict[int, tuple[str, str, object]] = {}
    found: list[Event] = []
    for number in range(calls):
        process = rng.randrange(processes)
        if process in under_way:
            f, key, value = under_way.pop(process)
            if f == "read":
                value = held[key][0 if rng.random() < stale else -1]
            else:
                held[key].append(value)
            kind = "info" if f == "write" and rng.random() < 0.05 else "ok"
            found.append({"process": process, "type": kind, "f": f, "key": key, "value": value, "time": number})
            continue
        key = rng.choice(list(held))
        f = rng.choice(["read", "write"])
        value = None if f == "read" else number
        under_way[process] = (f, key, value)
        found.append({"process": process, "type": "invoke", "f": f, "key": key, "value": value, "time": number})
    return found


KILL: Event = {"process": "nemesis", "type": "info", "f": "kill", "key": None, "value": None, "time": -1}
HISTORIES = {
    "good/1.jsonl": generated(1, keys=5, calls=400),
    "good/2.jsonl": generated(2, keys=40, calls=900),
    "bad.jsonl": generated(3, keys=6, calls=500, stale=0.2),
    "one.jsonl": [KILL, *generated(4, keys=1, calls=300)],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in HISTORIES.items():
        path = tmp_path / "histories" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return tmp_path / "histories"


def locally(folder: Path) -> dict[tuple[str, str], tuple[str, int]]:
    """What the local checker says of each key."""
    found = {}
    for name in HISTORIES:
        history = read(folder / name, memory=1 << 30)
        for verdict in check(ALL["register"], history):
            found[name, json.dumps(verdict.key)] = (verdict.verdict.value, verdict.operations)
    return found


def on_spark(spark: SparkSession, folder: Path) -> dict[tuple[str, str], tuple[str, int]]:
    staged = events(spark, folder).persist()
    judged = judge(staged, Judging(model=model_of(staged), settings=DEFAULTS["jsonl"]))
    assert judged.schema == VERDICTS
    rows = judged.collect()
    staged.unpersist()
    assert all((row["evidence"] is not None) == (row["verdict"] == "violated") for row in rows)
    return {(row["history"], row["key"]): (row["verdict"], row["operations"]) for row in rows}


@ON_CLASSIC_TOO
@pytest.mark.parametrize("large", [verdicts.LARGE, 60], ids=["all together", "large ones alone"])
def test_the_verdicts_are_those_of_the_local_checker(
    spark: SparkSession, folder: Path, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "LARGE", large)
    expected = locally(folder)
    assert {verdict for verdict, _ in expected.values()} == {"holds", "violated"}
    assert on_spark(spark, folder) == expected


def test_parquet_rows_get_the_same_verdicts(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    rows = [
        {**line, "history": name, "index": number, "process": str(line["process"])}
        | {column: json.dumps(line[column]) for column in ("key", "value")}
        for name, lines in HISTORIES.items()
        for number, line in enumerate(lines, start=1)
    ]
    for row in rows[::2]:  # one key, two spellings
        row["key"] = str(row["key"]).replace("ud", "uD")
    target, table = tmp_path / "table", pa.Table.from_pylist(rows)
    target.mkdir()
    parquet.write_table(table, target / "part-0.parquet")
    blank(target / "part-0.parquet", table.schema.get_field_index("value"), pa.string())
    blanked = judge(events(spark, target), Judging(model="register", settings=DEFAULTS["jsonl"]))
    assert {row["algorithm"] for row in blanked.collect()} == {"none"}
    parquet.write_table(table, target / "part-0.parquet")
    assert {field.name for field in PARQUET} == set(rows[0])
    assert on_spark(spark, target) == locally(folder)


@pytest.mark.deep
def test_the_evidence_is_impossible_by_itself(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    staged = events(spark, folder).where("history = 'bad.jsonl'").persist()
    rows = judge(staged, Judging(model="register", settings=DEFAULTS["jsonl"])).collect()
    staged.unpersist()
    bad = [row for row in rows if row["verdict"] == "violated"]
    assert bad
    for row in bad:
        (tmp_path / "small.jsonl").write_text("\n".join(row["evidence"]))
        [verdict] = check(ALL["register"], read(tmp_path / "small.jsonl", memory=1 << 30))
        assert verdict.verdict.value == "violated"
        assert len(row["evidence"]) < 2 * row["operations"]


def test_a_completion_without_a_key_is_of_its_invocation(tmp_path: Path) -> None:
    lines = [
        '{"process": 0, "type": "invoke", "f": "write", "key": "a", "value": 1}',
        '{"process": 1, "type": "invoke", "f": "read", "key": "b"}',
        '{"process": 0, "type": "ok", "f": "write"}',
        '{"process": 1, "type": "ok", "f": "read", "value": null}',
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    found = [(number, key) for _, key, number, _, _ in of_file(str(tmp_path / "x.jsonl"), "x.jsonl")]
    assert found == [(1, '"a"'), (2, '"b"'), (3, '"a"'), (4, '"b"')]


@ON_CLASSIC_TOO
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is no JSON"),
        ('{"process": 0}', "expected an object with process, type, f"),
        ('{"process": 0, "type": "ok", "f": "read"}', "process 0 returned, and had invoked nothing"),
        ('{"process": 7, "type": "invoke", "f": "read", "key": "z"}', "invoked read before its last operation"),
        ('{"process": 7, "type": "ok", "f": "write", "value": 3}', "expected 'read', which it invoked"),
        ('{"process": 7, "type": "ok", "f": "read", "value": 3, "time": "x"}', "expected nanoseconds"),
    ],
)
def test_a_damaged_line_is_named(spark: SparkSession, tmp_path: Path, line: str, words: str) -> None:
    first = '{"process": 7, "type": "invoke", "f": "read", "key": "k"}'
    (tmp_path / "x.jsonl").write_text(f"{first}\n{line}\n")
    with pytest.raises(Unusable) as refused, translate_errors():
        judge(events(spark, tmp_path), Judging(model="register", settings=DEFAULTS["jsonl"])).collect()
    assert words in str(refused.value)
    assert "x.jsonl: line 2" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("index", "key", "words"),
    [
        ((None, None), '"k"', "h: an event has no index"),
        ((4, 4), '"k"', "h: line 4: two events have this index"),
        ((4, 5), "k", "h: line 4: key 'k' is no JSON"),
    ],
)
def test_a_damaged_row_is_named(
    spark: SparkSession, tmp_path: Path, index: tuple[int | None, ...], key: str, words: str
) -> None:
    event = {"history": "h", "process": "7", "f": "read", "key": key, "value": "null", "time": 0}
    rows = [{**event, "index": number, "type": kind} for number, kind in zip(index, ("invoke", "ok"), strict=True)]
    parquet.write_table(pa.Table.from_pylist(rows, to_arrow_schema(PARQUET)), tmp_path / "part-0.parquet")
    with pytest.raises(Unusable, match=words), translate_errors():
        judge(events(spark, tmp_path), Judging(model="register", settings=DEFAULTS["jsonl"])).collect()


def damaged(name: str, folder: Path) -> None:
    match name:
        case "dangling.jsonl":
            (folder / name).symlink_to("nowhere")
        case "loop":
            (folder / name).symlink_to(".")
        case _:
            (folder / name).write_bytes(b"")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("more.JSONL.gz", "is not read beside or as JSON Lines; unpack it, or take it away"),
        ("part-0.parquet", "is not read beside or as JSON Lines"),
        ("dangling.jsonl", "cannot be looked at .No such file or directory"),
        ("loop", "cannot be looked at .Too many levels of symbolic links"),
        (".part-0.json.crc", ""),
        ("notes.txt", ""),
    ],
)
def test_a_history_that_is_not_read_is_named(spark: SparkSession, folder: Path, name: str, words: str) -> None:
    """What is violated there would pass unseen. Of endings, capital letters are no others."""
    (folder / "bad.jsonl").rename(folder / "BAD.JSONL")
    damaged(name, folder)
    with pytest.raises(Unusable, match=f"{name}.*{words}") if words else nullcontext():
        assert events(spark, folder).select("history").distinct().count() == len(HISTORIES)


def test_a_folder_that_cannot_be_read_is_named_and_one_that_a_link_leads_to_is_read(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "good").rename(folder.parent / "elsewhere")
    (folder / "good").symlink_to("../elsewhere")
    assert events(spark, folder).select("history").distinct().count() == len(HISTORIES)
    scandir = os.scandir

    def forbidden(path: str) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "good":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", forbidden)
    with pytest.raises(Unusable, match=r"/good: cannot be looked at \(Permission denied\); make it accessible"):
        events(spark, folder)


class TestCommand:
    def test_a_folder_that_is_not_there_or_has_none_is_refused(self, spark: SparkSession, tmp_path: Path) -> None:
        told = complaint(lakeproof("spark", "histories", str(tmp_path / "nowhere")))  # before there is a session
        assert told == f"{tmp_path}/nowhere: there is no such folder; name one with histories"
        with pytest.raises(Unusable, match="has no Parquet file"):
            events(spark, tmp_path)
        (tmp_path / "h.jsonl.gz").write_bytes(b"")
        with pytest.raises(Unusable, match=r"h.jsonl.gz: is not read beside or as Parquet; unpack it"):
            events(spark, tmp_path)

    def test_violations_are_told_with_their_evidence(self, spark: SparkSession, folder: Path, tmp_path: Path) -> None:
        out = tmp_path / "verdicts"
        result = lakeproof("spark", "histories", str(folder), "--out", str(out))
        assert result.exit_code == 1, result.output
        last = result.stdout.splitlines()[-1]
        assert last.startswith(f"VIOLATED: 6 of {len(locally(folder))} keys are not linearizable (register; ")
        assert spark.read.parquet(str(out)).count() == len(locally(folder))

    @pytest.mark.parametrize(("reads", "code"), [([], 0), ([None], 3), ([None, 1], 0)])
    def test_writes_alone_hold_and_make_up_for_no_reads_of_other_keys(
        self, spark: SparkSession, tmp_path: Path, reads: list[int | None], code: int
    ) -> None:
        calls = [("write", "a", 1), ("write", "b", 1), *(("read", "b", value) for value in reads)]
        lines = [
            {"process": 0, "type": kind, "f": f, "key": key, "value": value}
            for f, key, value in calls
            for kind in ("invoke", "ok")
        ]
        (tmp_path / "h.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        for command in (["check", str(tmp_path / "h.jsonl")], ["spark", "histories", str(tmp_path)]):
            assert lakeproof(*command, "--model", "register", "--nil", "unrecorded").exit_code == code, command

    @pytest.mark.parametrize(("last", "code", "unanswered"), [("ok", 0, 0), ("info", 3, 1)])
    def test_what_holds_ends_with_0_if_every_history_has_an_answer(
        self, spark: SparkSession, folder: Path, last: str, code: int, unanswered: int
    ) -> None:
        (folder / "bad.jsonl").unlink()
        said = [{"process": 0, "type": kind, "f": "write", "key": "k", "value": 1} for kind in ("invoke", last)]
        (folder / "two.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in (KILL, *said)))
        result = lakeproof("spark", "histories", str(folder), "--json")
        assert result.exit_code == code, result.output
        sums = json.loads(result.stdout.splitlines()[-1])
        assert (sums["violated"], sums["inconclusive"], sums["unanswered"]) == (0, 0, unanswered)

"""A random damage to a sealed dataset, to a table between two stages, or to a run that is over: refused in one line, or
the right answer."""

import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.data import manifest
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.data.decoding import decode_batch
from lakeproof.spark_checks.engine.tables import DECODED
from lakeproof.spark_checks.retention.marks import _encode_rules
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark import damages, snapshots
from tests.spark.commands import mark_by_command
from tests.spark.retention.test_marking import RULES
from tests.spark.retention.worlds import world
from tests.spark.sweep.test_references import MARKS, sound


def small(seed: int) -> Snapshot:
    return sound(world(seed, 1 + seed % 3))


def made(seed: int, folder: Path) -> Path:
    """The dataset of a seed, of one to three files a table; every fourth has typed tables."""
    snapshots.write(snapshots.tables(small(seed)), folder, files=1 + seed % 3)
    if seed % 4 == 0:
        kv = pq.read_table(folder / "kv").combine_chunks().to_batches()[0]
        rows = decode_batch(kv, "design")
        for name, schema in DECODED.items():
            arrow = to_arrow_schema(schema, timezone="UTC")
            typed = [dict(zip(schema.names, row, strict=True)) for row in rows.get(name, ())]
            (folder / "decoded" / name).mkdir(parents=True)
            pq.write_table(pa.Table.from_pylist(typed, schema=arrow), folder / "decoded" / name / "part.parquet")
        manifest.note_origin(str(folder / "decoded"), str(folder), "design")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() if each.is_file() else b"" for each in folder.rglob("*")}


def test_a_sealed_world_that_is_damaged_is_never_read(spark: SparkSession, tmp_path: Path) -> None:
    tally: Counter[str] = Counter()
    for seed in range(42):
        chance, folder = Random(seed), made(seed, tmp_path / str(seed))
        manifest.seal(str(folder), hashed=True)
        before = contents(folder)
        damage = damages.OF_DATASETS[seed % len(damages.OF_DATASETS)]
        damage(chance, chance.choice(sorted(folder.rglob("*.parquet"))))
        if contents(folder) == before:
            continue
        tally[damage.__name__] += 1
        if damage is damages.stray:
            open_dataset(spark, str(folder))
        else:
            with pytest.raises(Unusable) as refused:
                open_dataset(spark, str(folder))
            assert str(folder) in str(refused.value)
            assert "\n" not in str(refused.value)
        shutil.rmtree(folder)
    assert len(tally) == len(damages.OF_DATASETS)
    assert tally.total() > 33


def ran(command: str, dataset: Path, out: Path) -> tuple[int, str]:
    """Exit code, and what it complains of. Its run is called ``run``."""
    rules = out.parent / "rules.json"
    rules.write_text(json.dumps(_encode_rules(RULES)))
    done = mark_by_command(dataset, out, *(("--rules", str(rules)) if command == "retention" else ()), kind=command)
    assert done.exit_code == 0 or (done.exit_code, done.stdout) == (2, "")
    return done.exit_code, done.stderr


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
def test_a_run_whose_files_were_damaged_is_neither_swept_nor_gone_on_from(tmp_path: Path) -> None:
    dataset = made(7, tmp_path / "dataset")
    assert ran("uncommitted", dataset, tmp_path / "out")[0] == 0
    files = sorted((tmp_path / "out" / "run").rglob("*.parquet"))
    assert {each.relative_to(tmp_path).parts[2] for each in files} == {"addresses", "known"}
    for number, damage in enumerate(damages.OF_RUNS):
        file, out = files[number % len(files)], tmp_path / str(number)
        shutil.copytree(tmp_path / "out", out)
        damage(Random(number), out / file.relative_to(tmp_path / "out"))
        since = ("--since", str(out / "run"), "--out", str(tmp_path / "next"))
        swept = complaint(lakeproof("spark", "sweep", str(out), "--run", "run"))
        assert swept == complaint(lakeproof("spark", "uncommitted", str(dataset), *since)), damage
        assert str(out) in swept
    assert not (tmp_path / "next").exists()


def struck(seed: int, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command of which one table is damaged as soon as it is written; which, and how, is the seed's. What became of
    it; whatever it is, it is right."""
    chance, dataset = Random(seed), made(seed, scratch / "dataset")
    command, damage, at = chance.choice(sorted(MARKS)), chance.choice(damages.OF_CONTENT), chance.randrange(9)
    written: list[str] = []

    def strike(name: str, files: list[Path]) -> None:
        written.append(name)
        if len(written) == at + 1 and files:
            damage(chance, chance.choice(files))

    with monkeypatch.context() as patched:
        damages.as_written(patched, strike)
        code, said = ran(command, dataset, scratch / "out")
    told = (seed, command, damage, written[at : at + 1], said)
    if code:
        assert not (scratch / "out" / "run" / "report.json").exists(), told
        return "refused"
    rows = pq.read_table(scratch / "out" / "run" / "addresses").to_pylist()
    found = [f"{each['storage_namespace']}/{each['address']}" for each in rows]
    assert sorted(found) == sorted(MARKS[command](small(seed))), told
    return "right"


@pytest.mark.usefixtures("spark")
@pytest.mark.deep
def test_a_stage_that_is_damaged_gives_the_right_answer_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Counter(struck(seed, tmp_path / str(seed), monkeypatch) for seed in range(12))
    assert tally["refused"] >= 3

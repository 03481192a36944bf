"""A damage to what a command has written: between its stages, or before the next command reads the run."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameWriter

from tests.commands import complaint, lakeproof
from tests.spark.damaged import answers
from tests.spark.damaged.judging import COMMANDS, marked, progress, run, seeds
from tests.spark.damaged.making import make, shape
from tests.spark.retention.worlds import NOW

Change = Callable[[random.Random, Path], None]


def gone(_: random.Random, file: Path) -> None:
    file.unlink()


def emptied(_: random.Random, file: Path) -> None:
    file.write_bytes(b"")


def cut(chance: random.Random, file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: chance.randint(1, len(whole) - 1)])


def flipped(chance: random.Random, file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    file.write_bytes(bytes(whole))


def without_rows(_: random.Random, file: Path) -> None:
    pq.write_table(pq.read_schema(file).empty_table(), file)


CHANGES: dict[str, Change] = {each.__name__: each for each in (gone, emptied, cut, flipped, without_rows)}


@pytest.fixture(scope="module")
def run_of_before(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset and the folder of a run over it."""
    folder = tmp_path_factory.mktemp("before")
    make(shape(8), folder / "dataset")
    done = run("uncommitted", folder / "dataset", folder / "out", "first")
    assert done.exit_code == 0, done.output
    return folder


def doubled(_: random.Random, file: Path) -> None:
    shutil.copy(file, file.with_name(f"copy-{file.name}"))


def doubled_under_another_name(_: random.Random, file: Path) -> None:
    """Spark reads it as well."""
    shutil.copy(file, file.with_name(f"{file.name}.bak"))


def half_copied(_: random.Random, file: Path) -> None:
    shutil.copy(file, file.with_name(f"copy-{file.name}._COPYING_"))


def of_another_run(chance: random.Random, file: Path) -> None:
    rows = pq.read_table(file)
    pq.write_table(rows.slice(chance.randint(0, len(rows))), file.with_name("part-9.parquet"))


@pytest.mark.deep
@pytest.mark.parametrize(
    "change", [*CHANGES.values(), doubled, doubled_under_another_name, half_copied, of_another_run]
)
def test_a_run_whose_files_were_damaged_is_neither_swept_nor_gone_on_from(
    run_of_before: Path, change: Change, tmp_path: Path
) -> None:
    files = sorted((run_of_before / "out" / "first").rglob("*.parquet"))
    assert {each.relative_to(run_of_before).parts[2] for each in files} == {"addresses", "known"}
    for number, file in enumerate(files):
        out = tmp_path / str(number)
        shutil.copytree(run_of_before / "out", out)
        change(random.Random(number), out / file.relative_to(run_of_before / "out"))
        dataset, since = str(run_of_before / "dataset"), str(out / "first")
        swept = complaint(lakeproof("spark", "sweep", str(out), "--run", "first"))
        went_on = complaint(
            lakeproof("spark", "uncommitted", dataset, "--since", since, "--out", str(tmp_path / "next"))
        )
        assert swept == went_on
        assert str(out) in swept
    assert not (tmp_path / "next").exists()


def one_damaged_stage(seed: int, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command of which one table is damaged as soon as it is written; which, and how, is the seed's. What became of
    it; whatever it is, it is right."""
    chance, shaped = random.Random(f"stage {seed}"), shape(seed)
    command = chance.choice(sorted(COMMANDS))
    folder = make(shaped, scratch / "dataset")
    sound = COMMANDS[command](answers.rows(folder), NOW)
    change, at = chance.choice(sorted(CHANGES)), chance.randrange(9)
    written: list[str] = []
    write = DataFrameWriter.parquet

    def parquet(self: DataFrameWriter, path: str, *args: str) -> None:
        write(self, path, *args)
        written.append(Path(path).name)
        files = sorted(Path(path).rglob("*.parquet"))
        if len(written) == at + 1 and files:
            CHANGES[change](chance, chance.choice(files))

    with monkeypatch.context() as patched:
        patched.setattr(DataFrameWriter, "parquet", parquet)
        done = run(command, folder, scratch / "out", "run")
    told = (seed, command, change, written[at : at + 1], done.output)
    if done.exit_code == 0:
        assert marked(scratch / "out" / "run") == sound, told
        return "as the sound one" if at < len(written) else "unchanged"
    assert (done.exit_code, done.stdout) == (2, ""), told
    assert not (scratch / "out" / "run" / "report.json").exists(), told
    return "refused"


def stages(of: range, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    tally: Counter[str] = Counter()
    for number, seed in enumerate(of):
        tally[one_damaged_stage(seed, scratch / str(seed), monkeypatch)] += 1
        shutil.rmtree(scratch / str(seed))
        if number % 20 == 19:
            progress(number + 1, of, tally)
    return tally


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
def test_a_stage_that_is_damaged_gives_the_right_answer_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = stages(range(10), tmp_path, monkeypatch)
    assert tally["refused"] >= 3


@pytest.mark.long
@pytest.mark.usefixtures("spark")
def test_a_thousand_stages_that_are_damaged_give_the_right_answer_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(seeds(1_000), tmp_path, monkeypatch)

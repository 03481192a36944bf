"""A run that was ended goes on with what is whole of it, and says in the end what an unbroken one says."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import attrs
import click
import pytest
from click.testing import Result
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import ledger, runs
from lakeproof.spark_checks.dataset import open_dataset
from lakeproof.spark_checks.folders import LocalFolder
from lakeproof.spark_checks.owners import this_process
from lakeproof.spark_checks.stages import Stages, begun
from lakeproof.spark_checks.staging import Written
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.retention.worlds import NOW, world
from tests.spark.uncommitted.test_uncommitted import with_promises

STAGES = {
    "uncommitted": ["decoded", "metaranges", "committed", "fates"],
    "retention": ["decoded", "walked", "known", "fates"],
}
TABLE = Stages.table


class Place(NamedTuple):
    """Where a test works. Paths and URLs."""

    dataset: str
    out: str
    rules: str

    def ask(self, kind: str, run: str, *more: str) -> Result:
        own = ("--rules", self.rules) if kind == "retention" else ()
        return lakeproof("spark", kind, self.dataset, "--out", self.out, "--run", run, "--lenient", *own, *more)

    def folder(self, run: str) -> Path:
        return Path(self.out, run)


@pytest.fixture
def place(tmp_path: Path, spark: SparkSession) -> Place:
    snapshots.write(snapshots.tables(with_promises(world(3, 6))), tmp_path / "dataset")
    rules = tmp_path / "rules.json"
    rules.write_text('{"default_retention_days": 4}')
    return Place(str(tmp_path / "dataset"), str(tmp_path / "out"), str(rules))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stages that are made, one after another."""
    found: list[str] = []

    def table(self: Stages, name: str, write: Callable[[str], Written], where: str | None = None) -> Written:
        def making(target: str) -> Written:
            found.append(name)
            return write(target)

        return TABLE(self, name, making, where)

    monkeypatch.setattr(Stages, "table", table)
    return found


def end_after(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Ctrl-C does, when this stage is whole."""
    before = Stages.table

    def table(self: Stages, name: str, write: Callable[[str], Written], where: str | None = None) -> Written:
        found = before(self, name, write, where)
        if name == stage:
            raise click.Abort
        return found

    monkeypatch.setattr(Stages, "table", table)


def told(folder: Path) -> object:
    """A report without what is of one run: its name, and its files."""
    found = json.loads((folder / "report.json").read_text())
    return {name: value for name, value in found.items() if name not in ("run", "files")}


def marked(spark: SparkSession, folder: Path) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.read.parquet(str(folder / "addresses")).drop("last_modified").collect())


def tables(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("kind", [pytest.param("uncommitted", marks=pytest.mark.deep), "retention"])
def test_a_run_that_is_ended_after_each_of_its_stages_makes_each_once_and_ends_as_an_unbroken_one(
    kind: str, place: Place, spark: SparkSession, made: list[str]
) -> None:
    time = ("--now", str(NOW))
    assert place.ask(kind, "unbroken", *time).exit_code == 0
    assert made == STAGES[kind]
    made.clear()
    for stage in STAGES[kind]:
        with pytest.MonkeyPatch.context() as patch:
            end_after(stage, patch)
            done = place.ask(kind, "broken", *time)
        assert done.exit_code == 130
        assert "/broken: is not at its end; the same command with --run broken goes on\n" in done.stderr
        assert made == [stage]
        assert not (place.folder("broken") / "report.json").exists()
        made.clear()
    assert place.ask(kind, "broken", *time).exit_code == 0
    assert made == []
    one, two = place.folder("unbroken"), place.folder("broken")
    assert told(one) == told(two)
    assert marked(spark, one) == marked(spark, two) != []
    assert tables(one) == tables(two)
    assert "stages" not in tables(two)
    assert runs.demand_files(two, runs.read_report(two.parent, "broken"))
    again = place.ask(kind, "broken", *time)
    assert (again.exit_code, "broken: is there already, and has its report" in again.stderr) == (2, True)
    assert told(one) == told(two)


def test_a_stage_that_is_not_as_it_was_left_is_made_anew(place: Place, spark: SparkSession, made: list[str]) -> None:
    time = ("--now", str(NOW))
    assert place.ask("uncommitted", "unbroken", *time).exit_code == 0
    with pytest.MonkeyPatch.context() as patch:
        end_after("fates", patch)
        assert place.ask("uncommitted", "broken", *time).exit_code == 130
    folder = place.folder("broken")
    first(folder / "stages/decoded/table=commits").unlink()
    first(folder / "known/metaranges").write_bytes(b"")
    other = first(folder / "known/committed")
    other.write_bytes(other.read_bytes())  # the same bytes: written by somebody all the same
    os.utime(other, ns=(1, 1))
    (folder / "stages/fates.json").unlink()
    (folder / "addresses").mkdir()
    (folder / "addresses/part-of-another.parquet").write_bytes(b"")
    made.clear()
    assert place.ask("uncommitted", "broken", *time).exit_code == 0
    assert made == STAGES["uncommitted"]
    assert told(folder) == told(place.folder("unbroken"))
    assert marked(spark, folder) == marked(spark, place.folder("unbroken"))


def first(folder: Path) -> Path:
    return min(folder.glob("*.parquet"))


@pytest.fixture
def ended(place: Place, made: list[str]) -> Place:
    """There is a run that was ended, by the name of broken. It was told no time."""
    with pytest.MonkeyPatch.context() as patch:
        end_after("decoded", patch)
        assert place.ask("uncommitted", "broken").exit_code == 130
    made.clear()
    return place


def refused(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    return done.stderr.splitlines()[-1].removeprefix("lakeproof: ")


class TestWhatDiffers:
    def test_a_dataset_that_has_changed_is_refused(self, ended: Place, made: list[str]) -> None:
        os.utime(first(Path(ended.dataset, "objects")), ns=(1, 1))
        folder = ended.folder("broken")
        said = refused(ended.ask("uncommitted", "broken"))
        assert said == (
            f"{folder}: {ended.dataset} has changed since the run began; begin another run, and remove this one"
        )
        assert made == []
        assert (folder / "stages").is_dir()

    def test_a_file_more_is_a_change(self, ended: Place) -> None:
        one = first(Path(ended.dataset, "kv"))
        one.with_name("again.parquet").write_bytes(one.read_bytes())
        assert "has changed since the run began" in refused(ended.ask("uncommitted", "broken"))

    def test_other_options_are_refused_and_the_same_go_on(self, ended: Place, made: list[str]) -> None:
        folder = ended.folder("broken")
        said = refused(ended.ask("uncommitted", "broken", "--older-than", "48h"))
        assert said == (
            f"{folder}: was begun with older_than 86400000000, and is asked for 172800000000; ask for the same as "
            "before, or begin another run"
        )
        assert "was begun with now " in refused(ended.ask("uncommitted", "broken", "--now", "0"))
        assert 'was begun with keys "design", and is asked for "lakefs"' in refused(
            ended.ask("uncommitted", "broken", "--keys", "lakefs")
        )
        assert 'was begun with kind "uncommitted"' in refused(ended.ask("retention", "broken"))
        assert made == []
        began = json.loads((folder / "stages/run.json").read_text())["now"]
        assert ended.ask("uncommitted", "broken", "--older-than", "1440m").exit_code == 0
        assert made == STAGES["uncommitted"][1:]
        assert json.loads((folder / "report.json").read_text())["now"]["microseconds"] == began

    def test_stages_without_what_was_asked_are_not_trusted(self, ended: Place, made: list[str]) -> None:
        (ended.folder("broken") / "stages/run.json").write_text("{")
        assert ended.ask("uncommitted", "broken", "--older-than", "48h").exit_code == 0
        assert made == STAGES["uncommitted"]

    def test_a_run_over_a_database_does_not_go_on(self, spark: SparkSession, place: Place, tmp_path: Path) -> None:
        dataset = attrs.evolve(open_dataset(spark, place.dataset), sources=None)
        begun(LocalFolder(tmp_path / "run"), dataset, {})
        with pytest.raises(Unusable, match="a run over a database cannot go on"):
            begun(LocalFolder(tmp_path / "run"), dataset, {})


class TestOwners:
    def test_a_run_that_another_process_has_is_refused(self, ended: Place) -> None:
        owner = ended.folder("broken") / "stages/owner.json"
        assert not owner.exists()
        owner.write_bytes(this_process().encode())
        said = refused(ended.ask("uncommitted", "broken"))
        assert said.startswith(f"{ended.folder('broken')}: process {os.getpid()} of ")
        assert said.endswith(" is working there; wait for its end, or name another run with --run")
        owner.write_bytes(attrs.evolve(this_process(), host="other").encode())
        said = refused(ended.ask("uncommitted", "broken"))
        assert "of other has begun it, and may still work there; if it has ended, remove stages/owner.json" in said
        owner.write_bytes(b"?")
        assert "a process has begun it" in refused(ended.ask("uncommitted", "broken"))

    def test_a_run_whose_process_was_killed_goes_on(self, ended: Place) -> None:
        owner = ended.folder("broken") / "stages/owner.json"
        owner.write_bytes(attrs.evolve(this_process(), started="1").encode())
        assert ended.ask("uncommitted", "broken").exit_code == 0
        assert not (ended.folder("broken") / "stages").exists()


class TestWhatIsLeft:
    def test_a_new_run_whose_input_is_refused_leaves_nothing_and_one_that_goes_on_stays(
        self, ended: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no(*_: object) -> Iterator[None]:
            raise Unusable("no")

        monkeypatch.setattr(ledger, "judging", no)
        for name in ("new", "broken"):
            assert refused(ended.ask("uncommitted", name)) == "no"
        assert tables(Path(ended.out)) == ["broken"]

    def test_a_run_that_ends_before_its_first_stage_leaves_nothing(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def abort(*_: object) -> Iterator[None]:
            raise click.Abort

        monkeypatch.setattr("lakeproof.spark_checks.dataset.open_dataset", abort)
        done = place.ask("uncommitted", "new")
        assert (done.exit_code, done.stderr) == (130, "")
        assert tables(Path(place.out)) == []

    def test_a_disk_that_is_full_says_how_to_go_on(
        self, place: Place, made: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> Iterator[None]:
            raise PySparkException("Job aborted: java.io.IOException: No space left on device")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ledger, "judging", full)
            said = refused(place.ask("uncommitted", "new"))
        assert said.startswith("no space left on the device that Spark works on; make room, or set ")
        assert said.endswith("; go on with --run new")
        made.clear()
        assert place.ask("uncommitted", "new").exit_code == 0
        assert made == ["fates"]

    def test_counts_that_do_not_add_up_are_not_gone_on_from(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def wrong(*_: object) -> None:
            raise runs.Mismatch("1 of 2")

        monkeypatch.setattr(runs, "finish", wrong)
        with pytest.raises(AssertionError):  # a traceback: it is a mistake of ours
            place.ask("uncommitted", "new")
        assert "stages" not in tables(place.folder("new"))
        assert "no run that could go on" in refused(place.ask("uncommitted", "new"))

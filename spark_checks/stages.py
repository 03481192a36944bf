"""The stages of a run: tables that cost much, in the folder of the run, so that one that was ended goes on from them.

Each table that is whole has a record beside it: its rows by folder, and how its files are. A run that goes on takes it
over if the files are as they were and their footers count as many rows; else the table is removed and made anew. What
the run was asked for, and how the files of its dataset were, is recorded before the first stage, and must be the same
when the run goes on. All of it goes when the run has its report.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import footers, places, staging
from lakeproof.spark_checks.dataset import Dataset
from lakeproof.spark_checks.fingerprints import fingerprint, triples
from lakeproof.spark_checks.folders import Folder
from lakeproof.spark_checks.scanned import Scan
from lakeproof.spark_checks.staging import Written
from lakeproof.version import version

STAGES: Final = "stages"
ASKED: Final = "run.json"

Fields = Mapping[str, object]


@attrs.frozen
class Stages:
    """Those of one run. ``folder``: of the run. ``asked``: stands for what it was asked for; a record says the same,
    or it is of another run."""

    spark: SparkSession
    folder: Folder
    asked: str

    def rows(
        self,
        name: str,
        schema: StructType,
        make: Callable[[], DataFrame],
        where: str | None = None,
        *,
        scans: Sequence[Scan] = (),
    ) -> DataFrame:
        """The rows that a stage has written, or that it makes and writes now, which runs a job. ``where``: in the
        folder of the run; by default with the other stages. ``scans``: as `staging.write` has them. Raises Unusable, as
        `staging` does."""
        written = self.table(name, lambda target: staging.write(make(), target, scans=scans), where)
        return staging.read(written, schema, self.spark)

    def table(self, name: str, write: Callable[[str], Written], where: str | None = None) -> Written:
        """The same with a writer, which is given where to."""
        target = f"{self.folder.where}/{where or f'{STAGES}/{name}'}"
        found = self._whole(name, target)
        if found is None:
            self._forget(name)
            places.delete(self.spark, target)
            found = write(target)
            self._record(name, {"folders": dict(found.folders), "files": self._files(target)})
        return found

    def number(self, name: str, count: Callable[[], int]) -> int:
        """A number that a stage has found, or finds now."""
        found = self._recorded(name).get("number")
        if not isinstance(found, int):
            found = count()
            self._record(name, {"number": found})
        return found

    def remove(self) -> None:
        """The run has its report, and needs them no more. Raises Unusable."""
        self.folder.delete(STAGES)

    def _whole(self, name: str, target: str) -> Written | None:
        """What was written there, if there is a record, and it is true."""
        record = self._recorded(name)
        if not record or record.get("files") != self._files(target):
            return None
        folders = cast("dict[str, int]", record["folders"])
        try:
            there = {folder: rows for folder, rows in footers.by_folder(self.spark, target).items() if rows}
        except Unusable:  # a footer is damaged
            return None
        return Written(target, folders) if there == {name: rows for name, rows in folders.items() if rows} else None

    def _files(self, target: str) -> str:
        return fingerprint(triples(self.spark, target))

    def _recorded(self, name: str) -> Fields:
        found = _read(self.folder, f"{STAGES}/{name}.json")
        return found if found.get("asked") == self.asked else {}

    def _record(self, name: str, fields: Fields) -> None:
        self.folder.write(f"{STAGES}/{name}.json", (json.dumps({"asked": self.asked, **fields}) + "\n").encode())

    def _forget(self, name: str) -> None:
        self.folder.delete(f"{STAGES}/{name}.json")


def begun(folder: Folder, dataset: Dataset, asked: Fields) -> Stages:
    """The stages of a run: of a new one, or of one that was ended and is asked for the same.

    Raises Unusable: it was asked for something else, or its dataset is not as it was.
    """
    files = None if dataset.sources is None else _fingerprint(dataset, dataset.sources)
    wanted = {"lakeproof": version(), "dataset": dataset.where, "keys": dataset.keys, **asked, "files": files}
    text = json.dumps(wanted, indent=2, sort_keys=True) + "\n"
    before = was_asked(folder)
    if before:
        _demand_same(folder, before, json.loads(text))
    else:
        folder.write(f"{STAGES}/{ASKED}", text.encode())
    return Stages(dataset.spark, folder, hashlib.sha256(text.encode()).hexdigest())


def was_asked(folder: Folder) -> Fields:
    """What a run that has not ended was asked for; nothing, if it is new."""
    return _read(folder, f"{STAGES}/{ASKED}")


def _fingerprint(dataset: Dataset, sources: tuple[str, ...]) -> str:
    return fingerprint(each for where in sources for each in triples(dataset.spark, where))


def _demand_same(folder: Folder, before: Fields, now: Fields) -> None:
    for name in (*now, *(each for each in before if each not in now)):
        was, is_ = before.get(name), now.get(name)
        if name == "files" and is_ is None:
            raise Unusable(
                f"{folder.where}: a run over a database cannot go on, for nobody knows whether it has changed; begin "
                "another run"
            )
        if was != is_ and name == "files":
            raise Unusable(
                f"{folder.where}: {now['dataset']} has changed since the run began; begin another run, and remove this "
                "one"
            )
        if was != is_:
            raise Unusable(
                f"{folder.where}: was begun with {name} {_shown(was)}, and is asked for {_shown(is_)}; ask for the "
                "same as before, or begin another run"
            )


def _shown(value: object) -> str:
    return json.dumps(value) if value is not None else "nothing"


def _read(folder: Folder, name: str) -> Fields:
    """A record; nothing, if there is none, or none that can be read."""
    if not folder.exists(name):
        return {}
    try:
        found = json.loads(folder.read(name))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

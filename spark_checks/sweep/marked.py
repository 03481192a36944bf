"""A run that is whole, as a sweep takes it. The one place where a sweep reads a report."""

from typing import cast

import attrs

from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.ledger import MARKED


@attrs.frozen
class Marked:
    """``files``: what the run has written, by name. ``marked``: how many rows of ``addresses/`` there are. ``asked``:
    what it was asked for, as its report has it. ``now``: microseconds since 1970. ``engine``: what has marked."""

    folder: Folder
    files: tuple[str, ...]
    kind: str
    engine: str
    marked: int
    now: int
    asked: runs.Fields

    @property
    def engine_name(self) -> str:
        """The first word of it."""
        return self.engine.partition(" ")[0]

    @property
    def embedded(self) -> bool:
        """Whether Sail has marked it: then nothing that it has written is evidence of what may go."""
        return self.engine_name == "embedded"


def whole_run(out: str, run: str) -> Marked:
    """A run in a folder, or at a URL. Raises Unusable: there is no such run, it never came to its end, or its files are
    not what it wrote."""
    around = folder_at(out)
    report = runs.read_report(around, run)
    folder = around.child(run)
    accounts = cast("list[dict[str, object]]", report["accounts"])
    now = cast("dict[str, int]", report["now"])
    return Marked(
        folder=folder,
        files=runs.demand_whole(folder, report),
        kind=str(report["kind"]),
        engine=str(report.get("engine") or "classic"),
        marked=sum(cast("int", each["objects"]) for each in accounts if each["reason"] == MARKED),
        now=now["microseconds"],
        asked=cast("runs.Fields", report.get("asked", {})),
    )

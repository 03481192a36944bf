"""The dataset on disk: whole, or not there.

Everything is written to a folder beside the target, which is renamed when it is complete; what is left of a run that
failed is removed.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import reduce
from pathlib import Path
from typing import Final

import attrs
from pyspark.sql import DataFrame

from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.spark_checks.generate import data, records
from lakeproof.spark_checks.generate.extras import Extras, chosen_committed, chosen_staged, extras
from lakeproof.spark_checks.generate.ground import Ground
from lakeproof.spark_checks.generate.tables import records as kv_records
from lakeproof.words import Unusable

PLANTED: Final = "planted.jsonl"
ABOUT: Final = "generated.json"
OURS: Final = frozenset({*AT_REST, "decoded", PLANTED, ABOUT})
"""What a dataset of ours consists of."""


@attrs.frozen(eq=False)
class Made:
    """A dataset as tables not yet computed."""

    tables: dict[str, DataFrame]
    extras: Extras


def make(ground: Ground, violations: Mapping[str, int]) -> Made:
    """All tables of a dataset. Raises Unusable: more violations than fit."""
    more = extras(ground, violations)
    drafts = {
        "repositories": records.repositories(ground),
        "branches": records.branches(ground),
        "tags": records.tags(ground),
        "commits": records.commits(ground),
        "staged": records.staged(ground),
    }
    kv = reduce(DataFrame.unionAll, (kv_records(name, draft) for name, draft in drafts.items()))
    tables = {
        "kv": kv.unionAll(more.records),
        "metaranges": data.metaranges(ground),
        "ranges": data.ranges(ground),
        "objects": _listing(ground, violations).unionAll(more.objects),
    }
    return Made(tables, more)


def _listing(ground: Ground, violations: Mapping[str, int]) -> DataFrame:
    lost, unstaged = (violations.get(name, 0) for name in ("committed-data-is-kept", "staged-data-is-kept"))
    committed = data.committed_objects(ground)
    if lost:
        committed = committed.where(~chosen_committed(ground, lost, 0))
    staged = ground.pieces("staged", "k")
    if unstaged:
        staged = staged.where(~chosen_staged(ground, unstaged))
    parts = [data.committed_listing(ground, committed), data.staged_listing(ground, staged)]
    return reduce(DataFrame.unionAll, [*parts, *data.sound_parts(ground)])


def check_target(out: Path, overwrite: bool) -> None:
    """Raises Unusable: something is there that must not be lost."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir():
        raise Unusable(f"{out}: is a file, expected a folder that is new or empty; name another")
    if not overwrite:
        raise Unusable(f"{out}: is not empty; name another folder, or add --overwrite")
    foreign = sorted(path.name for path in out.iterdir() if path.name not in OURS)
    if foreign:
        raise Unusable(f"{out}: holds {foreign[0]!r}, which is of no dataset: not overwritten; name another folder")


@contextmanager
def whole(out: Path) -> Iterator[Path]:
    """A folder that takes the target's place at the end, or goes. Raises Unusable."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
    except OSError as error:
        raise Unusable(f"{out}: cannot be written ({error.strerror}); name another folder") from None
    try:
        yield part
        part.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        part.rename(out)
    except OSError as error:
        raise Unusable(f"{out}: cannot be written ({error.strerror}); make room, or name another folder") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _silently(_: str) -> AbstractContextManager[None]:
    return nullcontext()


def write(
    ground: Ground,
    made: Made,
    out: Path,
    doing: Callable[[str], AbstractContextManager[None]] = _silently,
) -> None:
    """Write a dataset to an empty folder: the tables at rest, what was planted, and what was asked for."""
    for name, frame in made.tables.items():
        with doing(f"writing {name}/"):
            staging.write(frame, str(out / name), options={"compression": "zstd"})
    with (out / PLANTED).open("w", encoding="utf-8") as file:
        for row in made.extras.listed.orderBy("id", "subject").toLocalIterator():
            file.write(json.dumps(row.asDict()) + "\n")
    (out / ABOUT).write_text(json.dumps(attrs.asdict(ground.sizes), indent=1) + "\n", encoding="utf-8")

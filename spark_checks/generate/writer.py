"""The dataset on disk: whole, or not there.

Everything is written to a folder beside the target, which is renamed when it is complete; what is left of a run that
failed is removed.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.progress import doing
from lakeproof.spark_checks.engine.tables import AT_REST, LONG, OBJECTS, batches, of_arrow, table
from lakeproof.spark_checks.generate import mistakes, sound
from lakeproof.spark_checks.generate.mistakes import Finding
from lakeproof.spark_checks.generate.plan import Hashes, repositories
from lakeproof.spark_checks.generate.records import KV, ListedObject
from lakeproof.spark_checks.generate.sizes import Sizes
from lakeproof.spark_checks.generate.sound import RowKind
from lakeproof.words import Unusable

PLANTED: Final = "planted.jsonl"
ABOUT: Final = "generated.json"
PIECE_MAX: Final = 8_192
PIECES_OF_PARTITION: Final = 16
_MADE: Final = AT_REST | {"objects": table(**{each.name: each.dataType for each in OBJECTS} | {"last_modified": LONG})}
_PLANTED_IN: Final = {"kv": KV, "objects": ListedObject}
_PIECES: Final = pa.schema([("kind", pa.string()), *((name, pa.int64()) for name in ("r", "begin", "end"))])


@attrs.frozen
class DatasetPlan:
    """The dataset to write: sizes, and how many violations of each id. ``numbers``: how many are made of what.
    ``lost``: the objects that the listing leaves out. Raises Unusable: more violations than fit."""

    sizes: Sizes
    violations: Mapping[str, int] = attrs.field(factory=dict)
    numbers: Mapping[str, int] = attrs.field(init=False)
    lost: Hashes = attrs.field(init=False, eq=False)

    def __attrs_post_init__(self) -> None:
        # A frozen class sets fields that depend on others so.
        object.__setattr__(self, "numbers", mistakes.numbers(self.sizes, self.violations))
        object.__setattr__(self, "lost", mistakes.find_lost(self.sizes, self.violations))

    def pieces(self, name: str, partitions: int) -> list[tuple[str, int, int, int]]:
        """What a table is made of: of each kind so many numbers of a repository; -1: of what is planted."""
        counts = [
            (kind, repo.r, each.count(repo))
            for kind, each in sound.KINDS[name].items()
            for repo in repositories(self.sizes)
        ]
        if name in _PLANTED_IN:
            counts += [(kind, -1, count) for kind, count in self.numbers.items()]
        # Several pieces for each partition even out their lengths; each fits into memory.
        size = min(max(sum(count for *_, count in counts) // (partitions * PIECES_OF_PARTITION), 1), PIECE_MAX)
        return [
            (kind, r, begin, min(begin + size, count)) for kind, r, count in counts for begin in range(0, count, size)
        ]

    def batches(
        self, name: str, schema: pa.Schema, kind: str, r: int, begin: int, end: int
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a piece."""
        if r < 0:
            planted = (mistakes.plant(kind, i, self.numbers[kind], self.sizes) for i in range(begin, end))
            # A planted thing yields rows of two tables and lines of the list. Here only those of this table are wanted.
            rows = (each for made in planted for each in made if isinstance(each, _PLANTED_IN[name]))
            yield from batches(rows, schema)
            return
        repo, of = repositories(self.sizes)[r], sound.KINDS[name][kind]
        if isinstance(of, RowKind):
            yield from batches(of.rows(repo, begin, end), schema)
            return
        for columns in of.columns(repo, begin, end, self.lost):
            yield pa.RecordBatch.from_arrays([*columns], schema=schema)

    def planted(self) -> list[Finding]:
        """What was planted, sorted."""
        return sorted(
            each
            for name, count in self.numbers.items()
            for i in range(count)
            for each in mistakes.plant(name, i, count, self.sizes)
            if isinstance(each, Finding)
        )


def make(spark: SparkSession, request: DatasetPlan, name: str, partitions: int) -> DataFrame:
    """A table, not yet computed."""
    found = [dict(zip(_PIECES.names, piece, strict=True)) for piece in request.pieces(name, partitions)]
    pieces = of_arrow(spark, pa.Table.from_pylist(found, _PIECES))
    schema = _MADE[name]
    arrow = to_arrow_schema(schema)

    def made(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in found:
            for piece in batch.to_pylist():
                yield from request.batches(name, arrow, **piece)

    # By hash, so that the rows of a partition do not depend on the machine.
    rows = pieces.repartition(partitions, "kind", "r", "begin").mapInArrow(made, schema)
    return rows.withColumn("last_modified", f.timestamp_micros("last_modified")) if name == "objects" else rows


def check_target(out: Path) -> None:
    """Raises Unusable: something is there that must not be lost."""
    if out.is_file():
        raise Unusable(f"{out}: is a file, expected a folder that is new or empty; name another")
    if out.exists() and any(out.iterdir()):
        raise Unusable(f"{out}: is not empty; name another folder, or remove it")


@contextmanager
def whole(out: Path) -> Iterator[Path]:
    """A folder that takes the target's place at the end, or goes. Raises Unusable."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target: within one file system a rename is atomic.
        part = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent))
    except OSError as error:
        raise Unusable(f"{out}: cannot be written ({error.strerror}); name another folder") from None
    try:
        yield part
        # `mkdtemp` makes folders that only their owner can enter.
        part.chmod(0o755)
        part.rename(out)  # an empty folder gives way
    except OSError as error:
        raise Unusable(f"{out}: cannot be written ({error.strerror}); make room, or name another folder") from None
    finally:
        # After the rename there is nothing left of it.
        shutil.rmtree(part, ignore_errors=True)


def write(spark: SparkSession, request: DatasetPlan, partitions: int, out: Path) -> None:
    """Write a dataset to an empty folder: the tables at rest, what was planted, and the plan."""
    for name in AT_REST:
        with doing(spark, f"writing {name}/"):
            frame = make(spark, request, name, partitions)
            staging.write(frame, str(out / name), options={"compression": "zstd"})
    lines = (json.dumps(each._asdict()) + "\n" for each in request.planted())
    (out / PLANTED).write_text("".join(lines), encoding="utf-8")
    (out / ABOUT).write_text(json.dumps(attrs.asdict(request.sizes), indent=1) + "\n", encoding="utf-8")

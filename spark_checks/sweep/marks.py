"""What a run has marked, as a sweep reads it: each object with its columns of the listing, in batches that are always
the same.
"""

from collections.abc import Iterator, Sequence
from typing import Final, cast

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.runs import ADDRESSES, REPORT
from lakeproof.spark_checks.ledger import MARKED
from lakeproof.words import Unusable

BATCH: Final = 1_000
"""What one request deletes at most (S3's limit), and what is in doubt when a sweep is killed."""
_COLUMNS: Final = ("storage_namespace", "address", "size_bytes", "last_modified", "e_tag", "version_id")


@attrs.frozen
class Mark:
    """A row of ``addresses/``. ``last_modified``: microseconds since 1970. None: the run does not say. ``e_tag``: "" if
    the listing had several of the object, of which none counts."""

    address: str
    size_bytes: int | None
    last_modified: int | None
    e_tag: str | None = None
    version_id: str | None = None


def batches(folder: Folder, files: Sequence[str]) -> Iterator[list[Mark]]:
    """The marks of a run, `BATCH` at a time, in the order of its files. Memory: one batch. Raises Unusable."""
    for file, where in _open_files(folder, files):
        yield from _of_file(file, where)


def _open_files(folder: Folder, files: Sequence[str]) -> Iterator[tuple[pq.ParquetFile, str]]:
    """Those of ``addresses/``, one after the other, and where each is."""
    for name in files:
        if name.partition("/")[0] == ADDRESSES:
            with folder.open(name) as file:
                yield pq.ParquetFile(file), f"{folder.where}/{name}"


def _of_file(file: pq.ParquetFile, where: str) -> Iterator[list[Mark]]:
    there = [name for name in _COLUMNS if name in file.schema_arrow.names]
    if missing := set(_COLUMNS[:4]) - set(there):
        raise Unusable(f"{where}: has no column {min(missing)}, by which an object is known again; mark once more")
    # Batches of a fixed size, file by file: a batch number in the journal always means the same rows.
    for batch in file.iter_batches(BATCH, columns=there):
        found = {name: _values(batch.column(name)) for name in there}
        nothing = [None] * batch.num_rows
        rows = (found.get(name, nothing) for name in _COLUMNS)
        yield [_mark(*row) for row in zip(*rows, strict=True)]


def _values(column: pa.Array) -> list[object]:
    """Times as microseconds."""
    # In microseconds, whatever the unit of the file.
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    return cast("list[object]", column.to_pylist())


def _mark(*row: object) -> Mark:
    namespace, address, size, modified, e_tag, version = row
    return Mark(
        f"{namespace}/{address}",
        cast("int | None", size),
        cast("int | None", modified),
        None if e_tag is None else unquote(str(e_tag)),
        None if version is None else str(version),
    )


def unquote(e_tag: str) -> str:
    """HTTP has quotes around it, listings may have none."""
    return e_tag.removeprefix("W/").strip('"')


class Hashes:
    """A set of addresses, eight bytes each. It may take a few others for its own, one in 2⁶⁴ for each that it has: fit
    to say what is kept, and not what goes."""

    def __init__(self, addresses: Iterator[Sequence[str]]) -> None:
        # Python's own hash of a text has 64 bits. It differs from process to process, and the set is used in one only.
        pieces = [np.fromiter(map(hash, piece), np.int64, len(piece)) for piece in addresses]
        self._sorted = np.sort(np.concatenate([np.empty(0, np.int64), *pieces]))

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, address: str) -> bool:
        value = hash(address)
        at = int(np.searchsorted(self._sorted, value))
        return at < len(self._sorted) and int(self._sorted[at]) == value

    def repeated(self) -> frozenset[int]:
        """The hashes that are there more than once."""
        return frozenset(self._sorted[1:][self._sorted[1:] == self._sorted[:-1]].tolist())


class Doubles:
    """Objects that have several rows in a run, for the listing had them several times. Where the rows differ, it is
    unknown which of them is the object's.

    Cost: two readings of the run; eight bytes an object, and the rows of the doubles.
    """

    def __init__(self, folder: Folder, files: Sequence[str]) -> None:
        # First pass: eight bytes an object. Second pass: the rows of the few hashes that came twice.
        every = Hashes([mark.address for mark in batch] for batch in batches(folder, files))
        self._rows: dict[str, set[Mark]] = {}
        self._met: set[str] = set()
        again = every.repeated()
        for batch in batches(folder, files) if again else ():
            for mark in batch:
                # Two addresses may share a hash; each is a key of its own, and has one row then.
                if hash(mark.address) in again:
                    self._rows.setdefault(mark.address, set()).add(mark)

    def differ(self, mark: Mark) -> bool:
        """Whether other rows say something else of the object."""
        return len(self._rows.get(mark.address, ())) > 1

    def met(self, mark: Mark) -> bool:
        """Whether a row of the same object was met before."""
        if mark.address not in self._rows:
            return False
        if mark.address in self._met:
            return True
        self._met.add(mark.address)
        return False


@attrs.frozen
class Marked:
    """``files``: what the run has written, by name. ``marked``: how many rows of ``addresses/`` there are. ``options``:
    those of the run, as its report has them. ``now``: microseconds since 1970. ``engine``: what has marked."""

    folder: Folder
    files: tuple[str, ...]
    kind: str
    engine: str
    marked: int
    now: int
    options: runs.Fields

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
    files = runs.demand_whole(folder, report)
    accounts = cast("list[dict[str, object]]", report["accounts"])
    counted = [each["objects"] for each in accounts if each["reason"] == MARKED] or [0]
    marked = sum(file.metadata.num_rows for file, _ in _open_files(folder, files))
    # Before anything is deleted: of a run without marks, no reference is looked for again.
    if counted != [marked]:
        raise Unusable(f"{folder.where}/{REPORT}: is not of these {marked:,} marked objects; mark once more")
    now = cast("dict[str, int]", report["now"])
    return Marked(
        folder=folder,
        files=files,
        kind=str(report["kind"]),
        engine=str(report["engine"]),
        marked=marked,
        now=now["microseconds"],
        options=cast("runs.Fields", report["asked"]),
    )

"""Delete what a run has marked: of retention, or of what was never committed. Needs no Spark.

The run must be whole: its report is there, and its files are what the report says. Each batch of addresses is deleted
and then written down in ``swept/``, so that a sweep that was cut short goes on where it was, and deletes at most one
batch again; an object that is gone already is no error.
Memory: one batch.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, Protocol, cast

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import trio

from impl.stores.local_objects import LocalObjectStore, NotAnObjectStore
from lakeproof.tasks import Unusable
from model import objects
from spark_checks.runs import ADDRESSES, demand_files, read_report

BATCH: Final = 10_000
SWEPT: Final = "swept"
STORE: Final = "file:"


class Target(Protocol):
    """Where objects are deleted."""

    def has(self, address: str) -> bool:
        """Whether there is an object at a physical address."""

    def delete(self, address: str) -> None:
        """Delete it. Raises OSError, objects.ObjectError."""


class FileTree:
    """Objects as plain files: ``s3://bucket/r/data/x`` is ``bucket/r/data/x`` in a folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise Unusable(f"{folder}: is no folder; name the one with the objects with --objects")
        self._folder = folder.resolve()

    def _path(self, address: str) -> Path:
        relative = PurePosixPath(address.partition("://")[2] or address)
        path = self._folder.joinpath(*relative.parts)
        if relative.is_absolute() or ".." in relative.parts or not path.parent.resolve().is_relative_to(self._folder):
            raise Unusable(f"address {address!r}: leads out of {self._folder}; nothing more was deleted")
        return path

    def has(self, address: str) -> bool:
        return self._path(address).is_file()

    def delete(self, address: str) -> None:
        self._path(address).unlink(missing_ok=True)


class Store:
    """The object store of lakeproof, in a folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise Unusable(f"{folder}: is no folder; name that of an object store with --objects")
        try:
            self._store = LocalObjectStore(folder, durable=False)
        except NotAnObjectStore as error:
            raise Unusable(str(error)) from None

    def has(self, address: str) -> bool:
        try:
            trio.run(self._store.apply, objects.HeadObject(address))
        except objects.ObjectNotFound:
            return False
        return True

    def delete(self, address: str) -> None:
        trio.run(self._store.apply, objects.DeleteObject(address))


def target(where: str) -> Target:
    """``file:FOLDER`` is an object store of lakeproof, anything else a folder of plain files. Raises Unusable."""
    return Store(Path(where.removeprefix(STORE))) if where.startswith(STORE) else FileTree(Path(where))


@attrs.frozen
class Swept:
    """What a sweep has done, or in a dry run would do. ``there``: objects that were found, of those that it looked at;
    ``before``: what earlier sweeps of the run had written down."""

    marked: int
    before: int
    there: int
    gone: int


def sweep(out: Path, run: str, where: Target | None, *, delete: bool) -> Swept:
    """Look at all that a run has marked, and delete it if told so. No target: only count.

    Raises Unusable: no such run, or it is not whole; an address that leads elsewhere; the store refuses.
    """
    folder = out / run
    report = read_report(out, run)
    files = demand_files(folder, report)
    marked = before = there = gone = 0
    for number, addresses in enumerate(_batches(folder, files)):
        marked += len(addresses)
        done = folder / SWEPT / f"part-{number:06}.parquet"
        if done.exists():
            before += len(addresses)
            continue
        found = [where is not None and where.has(address) for address in addresses]
        there += sum(found)
        gone += len(found) - sum(found)
        if delete and where is not None:
            _delete(where, addresses)
            _write_down(done, addresses, found)
    return Swept(marked, before, there, gone) if where is not None else Swept(marked, before, 0, 0)


def _batches(folder: Path, files: tuple[Path, ...]) -> Iterator[list[str]]:
    """Physical addresses, always the same in the same batches."""
    for path in files:
        if path.relative_to(folder).parts[0] != ADDRESSES:
            continue
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH, columns=["storage_namespace", "address"]):
                columns = (cast("list[str]", batch.column(number).to_pylist()) for number in range(2))
                yield [f"{namespace}/{address}" for namespace, address in zip(*columns, strict=True)]


def _delete(where: Target, addresses: list[str]) -> None:
    for address in addresses:
        try:
            where.delete(address)
        except (OSError, objects.ObjectError) as error:
            raise Unusable(f"{address}: cannot be deleted ({error}); mend that and sweep the run again") from None


def _write_down(path: Path, addresses: list[str], found: list[bool]) -> None:
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    pq.write_table(pa.table({"address": addresses, "was_there": found}), part)
    part.replace(path)

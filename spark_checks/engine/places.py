"""Where tables lie: folders of this machine, or a URL (``s3://``, ``gs://``, ``abfss://``, ``hdfs://``).

The driver reaches URLs by Arrow's file systems, with the credentials of the environment, as each store's own tools take
them (`lakeproof.spark_checks.engine.folders`); the engine that reads the rows has its own.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from lakeproof.running.tasks import Unusable

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.folders import ArrowFolder

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


@attrs.frozen
class Stamp:
    """By what a file is known to be the same: its bytes; when it was modified, in units of its file system; which one
    it is: the number of its node, or nothing."""

    bytes: int
    modified: int
    which: str


@attrs.frozen
class File:
    """A file of a folder: its path in it, in full, and what it was when it was listed."""

    relative: str
    full: str
    stamp: Stamp


def local(where: str) -> Path | None:
    """The path, where it is one of this machine: no scheme, or file:."""
    scheme, colon, rest = where.partition(":")
    if colon and scheme == "file":
        return Path("/" + rest.lstrip("/"))
    return None if _SCHEME.match(where) else Path(where)


def is_there(where: str) -> bool:
    """Whether there is such a folder. Raises Unusable."""
    path = local(where)
    return _folder(where).exists() if path is None else path.is_dir()


def stamp(path: Path) -> Stamp:
    """Of a file of this machine. Raises OSError."""
    found = path.stat()
    return Stamp(found.st_size, found.st_mtime_ns, f"{found.st_dev}:{found.st_ino}")


def files(where: str) -> list[File] | None:
    """All files beneath a folder, sorted. None: there is no such folder.

    Raises Unusable.
    """
    path = local(where)
    if path is None:
        folder = _folder(where)
        return folder.stamped() if folder.exists() else None
    if not path.is_dir():
        return None
    found = sorted(each for each in path.rglob("*") if each.is_file())
    try:
        return [File(each.relative_to(path).as_posix(), str(each), stamp(each)) for each in found]
    except OSError as error:
        raise Unusable(
            f"{error.filename}: cannot be looked at ({error.strerror}); run the command again when no process "
            "writes there"
        ) from None


def delete(where: str) -> None:
    """Delete a folder, if it is there and can be deleted: what is left costs room, and nothing else."""
    from lakeproof.spark_checks.engine.folders import folder_at

    try:
        folder_at(where).delete()
    except Unusable:
        return


def part(file: str, start: int, length: int) -> bytes:
    """So many bytes of a file, or as many as there are. Raises Unusable."""
    from lakeproof.spark_checks.engine.folders import folder_at

    around, _, name = file.rpartition("/")
    with folder_at(around or "/").open(name) as here:
        try:
            here.seek(start)
            return here.read(length)
        except OSError as error:
            why = error.strerror or " ".join(str(error).split())[:160]
            raise Unusable(f"{file}: cannot be read ({why}); make it accessible, or bring it back") from None


def _folder(where: str) -> "ArrowFolder":
    from lakeproof.spark_checks.engine.folders import ArrowFolder

    return ArrowFolder.of(where)

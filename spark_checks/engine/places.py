"""Where tables lie: folders of this machine, or a URL (``s3://``, ``gs://``, ``abfss://``, ``hdfs://``).

The driver reaches URLs by Arrow's file systems, with the credentials of the environment, as each store's own tools take
them (`lakeproof.spark_checks.engine.folders`); the engine that reads the rows has its own.
"""

import re
from pathlib import Path
from typing import Final

import attrs

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


@attrs.frozen
class Stamp:
    """By what a file is known to be the same: its bytes; when it was modified, in units of its file system; which one
    it is: the number of its node, or the ETag of an object."""

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
    if colon and scheme == "file":  # "file:/a", "file:///a" and "file://a" are the path /a
        return Path("/" + rest.lstrip("/"))
    return None if _SCHEME.match(where) else Path(where)  # a path may have a colon, but hardly one before a slash


def full(where: str) -> str:
    """As engines get it: in full, because a server has a working folder of its own."""
    path = local(where)
    return where if path is None else str(path.absolute())


def stamp(path: Path) -> Stamp:
    """Of a file of this machine. Raises OSError."""
    found = path.stat()
    # A file that was renamed into the place of another has another inode, even with equal size and time.
    return Stamp(found.st_size, found.st_mtime_ns, f"{found.st_dev}:{found.st_ino}")

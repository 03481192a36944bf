"""Files as they are: path, size and modification time, and one value that stands for many of them."""

import hashlib
from collections.abc import Iterable

from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places
from lakeproof.spark_checks.places import File

Triple = tuple[str, int, int]
"""A file: its full path, bytes, and when it was modified: nanoseconds since 1970 on this machine, elsewhere
milliseconds."""


def fingerprint(files: Iterable[Triple]) -> str:
    """SHA-256 of files as they are, in whatever order they come."""
    found = hashlib.sha256()
    for each in sorted(files):
        found.update(repr(each).encode())
    return found.hexdigest()


def triples(spark: SparkSession, where: str) -> list[Triple]:
    """All files beneath a folder, or the file itself; none, where nothing is. Marks of writers, whose names begin with
    "_" or ".", are left out. Raises Unusable."""
    path = places.local(where)
    if path is None:
        return _of(places.files(spark, where) or ())
    path = path.absolute()
    try:
        found = [File(path.name, str(path), places.stamp(path))] if path.is_file() else None
    except OSError as error:
        raise Unusable(
            f"{where}: cannot be looked at ({error.strerror}); bring it back, or name another file"
        ) from None
    return _of(found or places.files(spark, str(path)) or ())


def _of(files: Iterable[File]) -> list[Triple]:
    return [
        (each.full, each.stamp.bytes, each.stamp.modified)
        for each in files
        if not each.relative.rpartition("/")[2].startswith(("_", "."))
    ]

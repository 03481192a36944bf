"""Where tables lie: folders of this machine, or what Spark's file systems know by a URL (``s3a://``, ``hdfs://``)."""

import re
import shutil
from pathlib import Path
from typing import Final

import attrs
from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable

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
    if colon and scheme == "file":
        return Path("/" + rest.lstrip("/"))
    return None if _SCHEME.match(where) else Path(where)


def is_there(spark: SparkSession, where: str) -> bool:
    """Whether there is such a folder."""
    path = local(where)
    if path is not None:
        return path.is_dir()
    system, at = hadoop(spark, where)
    return bool(system.exists(at))


def stamp(path: Path) -> Stamp:
    """Of a file of this machine. Raises OSError."""
    found = path.stat()
    return Stamp(found.st_size, found.st_mtime_ns, f"{found.st_dev}:{found.st_ino}")


def files(spark: SparkSession, where: str) -> list[File] | None:
    """All files beneath a folder, sorted. None: there is no such folder.

    Raises Unusable.
    """
    path = local(where)
    if path is not None:
        if not path.is_dir():
            return None
        return _of_this_machine(path)
    try:
        system, at = hadoop(spark, where)
        if not system.exists(at):
            return None
        prefix = str(system.makeQualified(at).toString()).rstrip("/") + "/"
        listed, found = system.listFiles(at, True), []
        while listed.hasNext():
            found.append(_of_hadoop(listed.next(), prefix))
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{where}: cannot be listed ({why(error)}); name another folder") from None
    return sorted(found, key=lambda each: each.full)


def _of_this_machine(folder: Path) -> list[File]:
    """Raises Unusable: a file goes while it is looked at."""
    found = sorted(each for each in folder.rglob("*") if each.is_file())
    try:
        return [File(each.relative_to(folder).as_posix(), str(each), stamp(each)) for each in found]
    except OSError as error:
        raise Unusable(
            f"{error.filename}: cannot be looked at ({error.strerror}); run the command again when no process "
            "writes there"
        ) from None


def _of_hadoop(status: JavaObject, prefix: str) -> File:
    full = str(status.getPath().toString())
    try:
        which = str(status.getEtag())
    except Py4JError:  # of another class of status: its file system has no ETags
        which = ""
    return File(full.removeprefix(prefix), full, Stamp(status.getLen(), status.getModificationTime(), which))


def make(spark: SparkSession, where: str) -> None:
    """Make a folder, and those above it. Raises Unusable."""
    path = local(where)
    try:
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            return
        system, at = hadoop(spark, where)
        made = bool(system.mkdirs(at))
    except OSError as error:
        raise Unusable(f"{where}: cannot be made ({error.strerror}); name another folder") from None
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{where}: cannot be made ({why(error)}); name another folder") from None
    if not made:
        raise Unusable(f"{where}: cannot be made; name another folder")


def delete(spark: SparkSession, where: str) -> None:
    """Delete a folder, if it is there and can be deleted."""
    path = local(where)
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        system, at = hadoop(spark, where)
        system.delete(at, True)
    except (Py4JError, PySparkException, Unusable):
        return  # as rmtree: what is left costs room, and nothing else


def put(spark: SparkSession, file: Path, where: str) -> None:
    """Copy a file of this machine into a folder. Raises Unusable."""
    system, at = hadoop(spark, where)
    try:
        jvm = spark.sparkContext._jvm  # noqa: SLF001
        assert jvm is not None
        system.copyFromLocalFile(jvm.org.apache.hadoop.fs.Path(file.absolute().as_uri()), at)
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{where}: cannot be written ({why(error)}); name another folder") from None


def hadoop(spark: SparkSession, where: str) -> tuple[JavaObject, JavaObject]:
    """The file system of a URL, and the path in it. Raises Unusable."""
    jvm = spark.sparkContext._jvm  # noqa: SLF001  # Hadoop's file systems have no other door
    assert jvm is not None
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    try:
        path = jvm.org.apache.hadoop.fs.Path(where)
        return path.getFileSystem(configuration), path
    except (Py4JError, PySparkException) as error:
        raise Unusable(
            f"{where}: Spark has no such file system ({why(error)}); add its package, or name a folder"
        ) from None


def why(error: Exception) -> str:
    """What the JVM says, without the names of its classes."""
    told = getattr(error, "java_exception", None)
    text = str(error if told is None else told.toString()).strip().splitlines()[0]
    return text.rpartition("Exception: ")[2][:160] or text[:160]

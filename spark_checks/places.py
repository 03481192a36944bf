"""Where tables lie: folders of this machine, or what Spark's file systems know by a URL (``s3a://``, ``hdfs://``)."""

import shutil
from pathlib import Path

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.tasks import Unusable


def local(where: str) -> Path | None:
    """The path, where it is one of this machine: no scheme, or file:."""
    scheme, colon, rest = where.partition(":")
    if colon and scheme == "file":
        return Path("/" + rest.lstrip("/"))
    return None if "://" in where else Path(where)


def is_there(spark: SparkSession, where: str) -> bool:
    """Whether there is such a folder."""
    path = local(where)
    if path is not None:
        return path.is_dir()
    files, hadoop = _hadoop(spark, where)
    return bool(files.exists(hadoop))


def files(spark: SparkSession, where: str) -> list[tuple[str, str]] | None:
    """All files beneath a folder, sorted: the path in it, and in full. None: there is no such folder.

    Raises Unusable.
    """
    path = local(where)
    if path is not None:
        if not path.is_dir():
            return None
        found = sorted(each for each in path.rglob("*") if each.is_file())
        return [(each.relative_to(path).as_posix(), str(each)) for each in found]
    try:
        system, hadoop = _hadoop(spark, where)
        if not system.exists(hadoop):
            return None
        prefix = str(system.makeQualified(hadoop).toString()).rstrip("/") + "/"
        listed, names = system.listFiles(hadoop, True), []
        while listed.hasNext():
            names.append(str(listed.next().getPath().toString()))
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{where}: cannot be listed ({why(error)}); name another folder") from None
    return [(each.removeprefix(prefix), each) for each in sorted(names)]


def make(spark: SparkSession, where: str) -> None:
    """Make a folder, and those above it. Raises Unusable."""
    path = local(where)
    try:
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            return
        files, hadoop = _hadoop(spark, where)
        made = bool(files.mkdirs(hadoop))
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
        files, hadoop = _hadoop(spark, where)
        files.delete(hadoop, True)
    except (Py4JError, PySparkException, Unusable):
        return  # as rmtree: what is left costs room, and nothing else


def put(spark: SparkSession, file: Path, where: str) -> None:
    """Copy a file of this machine into a folder. Raises Unusable."""
    files, hadoop = _hadoop(spark, where)
    try:
        jvm = spark.sparkContext._jvm  # noqa: SLF001
        assert jvm is not None
        files.copyFromLocalFile(jvm.org.apache.hadoop.fs.Path(file.absolute().as_uri()), hadoop)
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{where}: cannot be written ({why(error)}); name another folder") from None


def _hadoop(spark: SparkSession, where: str) -> tuple[JavaObject, JavaObject]:
    """The file system of a URL, and the path in it. Raises Unusable."""
    jvm = spark.sparkContext._jvm  # noqa: SLF001  # Hadoop's file systems have no other door
    assert jvm is not None
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    try:
        hadoop = jvm.org.apache.hadoop.fs.Path(where)
        return hadoop.getFileSystem(configuration), hadoop
    except (Py4JError, PySparkException) as error:
        raise Unusable(
            f"{where}: Spark has no such file system ({why(error)}); add its package, or name a folder"
        ) from None


def why(error: Exception) -> str:
    """What the JVM says, without the names of its classes."""
    told = getattr(error, "java_exception", None)
    text = str(error if told is None else told.toString()).strip().splitlines()[0]
    return text.rpartition("Exception: ")[2][:160] or text[:160]

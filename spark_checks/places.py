"""Where tables lie: folders of this machine, or what Spark's file systems know by a URL (``s3a://``, ``hdfs://``)."""

import shutil
from pathlib import Path

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
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
    except Py4JError as error:
        raise Unusable(f"{where}: cannot be made ({_why(error)}); name another folder") from None
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
    except (Py4JError, Unusable):
        return  # as rmtree: what is left costs room, and nothing else


def put(spark: SparkSession, file: Path, where: str) -> None:
    """Copy a file of this machine into a folder. Raises Unusable."""
    files, hadoop = _hadoop(spark, where)
    try:
        jvm = spark.sparkContext._jvm  # noqa: SLF001
        assert jvm is not None
        files.copyFromLocalFile(jvm.org.apache.hadoop.fs.Path(file.absolute().as_uri()), hadoop)
    except Py4JError as error:
        raise Unusable(f"{where}: cannot be written ({_why(error)}); name another folder") from None


def _hadoop(spark: SparkSession, where: str) -> tuple[JavaObject, JavaObject]:
    """The file system of a URL, and the path in it. Raises Unusable."""
    jvm = spark.sparkContext._jvm  # noqa: SLF001  # Hadoop's file systems have no other door
    assert jvm is not None
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    try:
        hadoop = jvm.org.apache.hadoop.fs.Path(where)
        return hadoop.getFileSystem(configuration), hadoop
    except Py4JError as error:
        raise Unusable(
            f"{where}: Spark has no such file system ({_why(error)}); add its package, or name a folder"
        ) from None


def _why(error: Py4JError) -> str:
    """What the JVM says, without the names of its classes."""
    told = getattr(error, "java_exception", None)
    text = str(error if told is None else told.toString()).strip().splitlines()[0]
    return text.rpartition("Exception: ")[2][:160] or text[:160]

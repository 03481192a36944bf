"""Where tables lie: folders of this machine, or what Spark's file systems know by a URL."""

from pathlib import Path

from pyspark.sql import SparkSession


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
    jvm = spark.sparkContext._jvm  # noqa: SLF001  # Hadoop's file systems have no other door
    assert jvm is not None
    hadoop = jvm.org.apache.hadoop.fs.Path(where)
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # noqa: SLF001
    return bool(hadoop.getFileSystem(configuration).exists(hadoop))

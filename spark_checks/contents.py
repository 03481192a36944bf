"""The bytes of single files: on this machine, or wherever Spark's file systems know."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places

_BLOCK: Final = 1 << 20
T = TypeVar("T")


def size(spark: SparkSession | None, file: str) -> int:
    """How many bytes a file has. Raises Unusable."""
    path = places.local(file)
    if path is not None:
        return _here(path, lambda: path.stat().st_size)
    return _there(spark, file, lambda system, where: int(system.getFileStatus(where).getLen()))


def part(spark: SparkSession | None, file: str, start: int, length: int) -> bytes:
    """So many bytes of a file, or as many as there are. Raises Unusable."""
    path = places.local(file)
    if path is not None:
        return _here(path, lambda: _slice(path, start, length))

    def read(system: JavaObject, where: JavaObject) -> bytes:
        with closing(system.open(where)) as stream:
            stream.seek(start)
            return bytes(stream.readNBytes(length))

    return _there(spark, file, read)


def whole(spark: SparkSession | None, file: str) -> bytes | None:
    """All of a small file; None: there is none. Raises Unusable."""
    path = places.local(file)
    if path is not None:
        return _here(path, path.read_bytes) if path.exists() else None

    def read(system: JavaObject, where: JavaObject) -> bytes | None:
        if not system.exists(where):
            return None
        with closing(system.open(where)) as stream:
            return bytes(stream.readAllBytes())

    return _there(spark, file, read)


def sha256(spark: SparkSession | None, file: str) -> str:
    """Of all that a file has, in hexadecimal digits; one pass over it, on the driver. Raises Unusable."""
    path = places.local(file)
    if path is not None:
        return _here(path, lambda: _digest(path))

    def read(system: JavaObject, where: JavaObject) -> str:
        jvm = spark.sparkContext._jvm  # type: ignore[union-attr]  # noqa: SLF001
        assert jvm is not None
        with closing(system.open(where)) as stream:
            return str(jvm.org.apache.commons.codec.digest.DigestUtils.sha256Hex(stream))

    return _there(spark, file, read)


def replace(spark: SparkSession | None, file: str, text: bytes) -> None:
    """Write a small file: readers find what was there, or all of the new one. Raises Unusable."""
    path = places.local(file)
    if path is not None:
        part_ = path.with_name(f"{path.name}.part")

        def write() -> None:
            part_.write_bytes(text)
            part_.replace(path)

        _here(path, write)
        return

    def put(system: JavaObject, where: JavaObject) -> None:
        part_ = where.suffix(".part")
        with closing(system.create(part_, True)) as stream:
            stream.write(bytearray(text))
        system.delete(where, False)  # a rename does not overwrite
        if not system.rename(part_, where):
            raise Unusable(f"{file}: cannot be written; remove {part_.toString()}, and try once more")

    _there(spark, file, put)


def _slice(path: Path, start: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(length)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _here(path: Path, do: Callable[[], T]) -> T:
    try:
        return do()
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}; make it accessible, or bring it back") from None


def _there(spark: SparkSession | None, file: str, do: Callable[[JavaObject, JavaObject], T]) -> T:
    assert spark is not None, "only Spark knows what a URL is"
    system, where = places.hadoop(spark, file)
    try:
        return do(system, where)
    except (Py4JError, PySparkException) as error:
        raise Unusable(f"{file}: {places.why(error)}; make it accessible, or bring it back") from None

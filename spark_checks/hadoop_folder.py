"""A folder of a URL, by the file systems that the Spark session knows, with its credentials."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

import attrs
from py4j.java_gateway import JavaObject, JVMView
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.spark_checks import places
from lakeproof.spark_checks.folders import Folder, LocalFolder, refuse

T = TypeVar("T")

_STORES: Final = frozenset({"s3a", "s3n", "s3", "gs", "oss", "cosn"})
"""Where a file appears when it is closed, and to rename it is to copy it."""
_AT_ONCE: Final = 1 << 20
"""Bytes of a file that come through Python's door to the JVM; more go by a file of this machine."""


def folder_in(spark: SparkSession, where: str) -> Folder:
    """The folder of a path or URL, for who has a session."""
    path = places.local(where)
    return HadoopFolder(spark, where.rstrip("/")) if path is None else LocalFolder(path)


@attrs.frozen
class HadoopFolder:
    """A `lakeproof.spark_checks.folders.Folder`."""

    spark: SparkSession = attrs.field(repr=False)
    where: str

    @property
    def name(self) -> str:
        return self.where.rpartition("/")[2]

    def make(self) -> None:
        places.make(self.spark, self.where)

    def child(self, name: str) -> "HadoopFolder":
        return HadoopFolder(self.spark, f"{self.where}/{name}")

    def parent(self) -> "HadoopFolder":
        return HadoopFolder(self.spark, self.where.rpartition("/")[0])

    def exists(self, name: str = "") -> bool:
        return self._tried("looked at", name, lambda system, path: bool(system.exists(path)))

    def files(self, under: str = "") -> list[tuple[str, int]]:
        def listed(system: JavaObject, path: JavaObject) -> list[tuple[str, int]]:
            if not system.exists(path):
                return []
            base = places.hadoop(self.spark, self.where)[1]
            prefix = f"{system.makeQualified(base).toString()}/"
            each, found = system.listFiles(path, True), []
            while each.hasNext():
                file = each.next()
                found.append((str(file.getPath().toString()).removeprefix(prefix), int(file.getLen())))
            return sorted(found)

        return self._tried("listed", under, listed)

    def folders(self) -> list[str]:
        def listed(system: JavaObject, path: JavaObject) -> list[str]:
            there = system.listStatus(path) if system.exists(path) else []
            return sorted(str(each.getPath().getName()) for each in there if each.isDirectory())

        return self._tried("listed", "", listed)

    def read(self, name: str) -> bytes:
        with self.open(name) as file:
            return file.read()

    def open(self, name: str) -> BinaryIO:
        def opened(system: JavaObject, path: JavaObject) -> BinaryIO:
            if int(system.getFileStatus(path).getLen()) <= _AT_ONCE:
                with closing(system.open(path)) as stream:
                    return BytesIO(bytes(stream.readAllBytes()))
            with tempfile.TemporaryDirectory(prefix="lakeproof-copy-") as beside:
                copy = Path(beside) / "copy"
                there = self._jvm.org.apache.hadoop.fs.Path(copy.as_uri())
                system.copyToLocalFile(False, path, there, True)  # keep the source; no checksum file beside the copy
                return copy.open("rb")

        return self._tried("read", name, opened)

    def sha256(self, name: str) -> str:
        def hashed(system: JavaObject, path: JavaObject) -> str:
            with closing(system.open(path)) as stream:
                return str(self._jvm.org.apache.commons.codec.digest.DigestUtils.sha256Hex(stream))

        return self._tried("read", name, hashed)

    def write(self, name: str, data: bytes) -> None:
        def put(system: JavaObject, path: JavaObject) -> None:
            if str(system.getScheme()) in _STORES:
                _send(system, path, data)
                return
            part = self._jvm.org.apache.hadoop.fs.Path(path.getParent(), f".{path.getName()}.part")
            _send(system, part, data)
            system.delete(path, False)
            if not system.rename(part, path):
                raise OSError("it cannot be renamed")

        self._tried("written", name, put)

    def delete(self, name: str = "") -> None:
        self._tried("deleted", name, lambda system, path: system.delete(path, True))

    @property
    def _jvm(self) -> JVMView:
        jvm = self.spark.sparkContext._jvm  # noqa: SLF001  # Hadoop's file systems have no other door
        assert jvm is not None
        return jvm

    def _tried(self, done: str, name: str, work: Callable[[JavaObject, JavaObject], T]) -> T:
        where = f"{self.where}/{name}" if name else self.where
        system, path = places.hadoop(self.spark, where)
        try:
            return work(system, path)
        except (Py4JError, PySparkException) as error:
            raise refuse(where, done, places.why(error)) from None
        except OSError as error:
            raise refuse(where, done, error.strerror or error) from None


def _send(system: JavaObject, path: JavaObject, data: bytes) -> None:
    """A stream that fails is not closed: a store of objects would complete it."""
    stream = system.create(path, True)
    stream.write(bytearray(data))
    stream.close()

"""Under ``spark-submit``: its JVM runs already, and has settings of its own.

What it logs until the session has started only its own options leave out: docs/spark-clusters.md.
"""

import io
import os
import sys
from typing import Final

from py4j.java_gateway import JavaObject, JVMView
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext

GATEWAY: Final = "PYSPARK_GATEWAY_PORT"


def is_submitted() -> bool:
    """Whether ``spark-submit`` has started this process."""
    return GATEWAY in os.environ


def said() -> dict[str, str]:
    """The settings that ``spark-submit`` and the cluster's defaults say."""
    SparkContext._ensure_initialized()  # noqa: SLF001  # no session is there yet, and the JVM is
    return dict(SparkConf().getAll())


class JavaStderr(io.TextIOBase):
    """The JVM's stderr. If the JVM is gone: this process' own."""

    def __init__(self, stream: JavaObject) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # click writes b"" to learn whether a stream takes bytes
            raise TypeError(f"expected text, found {type(text).__name__}; write text")
        try:
            self._stream.print(text)
            self._stream.flush()
        except (Py4JError, OSError):
            assert sys.__stderr__ is not None
            sys.__stderr__.write(text)
        return len(text)


def own_stderr() -> None:
    """Write progress and errors to the JVM's stderr.

    ``spark-submit`` starts Python with both its outputs in one pipe, and copies that to its own stdout: progress would
    stand amidst what the command prints.
    """
    SparkContext._ensure_initialized()  # noqa: SLF001
    sys.stderr = JavaStderr(_jvm().java.lang.System.err)


def _jvm() -> JVMView:
    jvm = SparkContext._jvm  # noqa: SLF001  # logging and outputs of the JVM have no other door
    assert jvm is not None
    return jvm

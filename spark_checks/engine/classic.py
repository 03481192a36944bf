"""Classic Spark: the one module that reaches into a JVM. It starts one, or is in that of ``spark-submit``, and asks it
what Spark Connect does not tell. What it logs under ``spark-submit`` before the session starts only its own options
leave out (docs/spark-engines.md).
"""

import io
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import java, settings
from lakeproof.spark_checks.engine.settings import GATEWAY, LOOPBACK
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.session import Options

QUIET: Final = Path(__file__).with_name("log4j2.properties")
POOL: Final = "spark.scheduler.pool"
HEAP: Final = "3g"


def start(options: "Options") -> SparkSession:
    """Raises Unusable: there is no Java, or Spark does not start."""
    conf = dict(options.conf)
    if settings.PYTHON in conf:  # as under spark-submit, it goes before the variable
        os.environ["PYSPARK_PYTHON"] = conf[settings.PYTHON]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers run what the driver runs, not just any python3
    logging.getLogger().addHandler(logging.NullHandler())  # py4j logs a traceback of what Ctrl-C has interrupted
    if GATEWAY in os.environ:
        return _join_submitted(options)
    # PySpark's launcher takes JAVA_HOME first. Set, it names the Java whose version was looked at.
    os.environ["JAVA_HOME"] = java.java_home()
    if options.here:
        # Spark takes them for this machine's address and name, which need not resolve then.
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    # The JVM interprets methods of more than 8000 bytes, and wide expressions become such methods.
    fixed = "-XX:+UseParallelGC -XX:-DontCompileHugeMethods -XX:MetaspaceSize=256m"
    jvm = f"-Dlog4j2.configurationFile={QUIET.as_uri()} {fixed}"
    builder = (
        _builder(settings.layer(settings.of_classic(options), {}, options.conf, local=options.local))
        .master(options.master or "local[*]")
        .config("spark.driver.memory", options.memory or HEAP)
        # The user's options come last: of an option that is there twice, a JVM takes the last one.
        .config(settings.JAVA, " ".join((jvm, conf.get(settings.JAVA, ""))).strip())
    )
    with _jvm_log() as log:
        try:
            return builder.getOrCreate()
        except (PySparkException, Py4JError, OSError) as error:
            # What the launcher says on stderr names the cause; the exception often says only that the JVM has exited.
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            first, *_ = str(error).splitlines() or [type(error).__name__]
            why = next((line.strip() for line in lines if "rror" in line), first)
            raise Unusable(
                f"Spark: did not start on {options.master or 'this machine'} ({why[:200]}); see {log}, or try another "
                "--master or --memory"
            ) from None


def _join_submitted(options: "Options") -> SparkSession:
    """A session in the JVM that runs already: the master is that of spark-submit. Raises Unusable."""
    for key, _ in options.conf:
        if key.startswith("spark.driver.extra"):
            # Such settings are arguments of the JVM, and come too late for one that runs.
            raise Unusable(f"--conf {key}: the driver's JVM runs already; say it to spark-submit, before the script")
    SparkContext._ensure_initialized()  # noqa: SLF001  # no session is there yet, and the JVM is
    submitted = dict(SparkConf().getAll())
    work = () if options.work is None else ((settings.WORK, options.work),)
    own = settings.of_classic(options, master=submitted.get("spark.master"))
    local = settings.is_local(submitted.get("spark.master"))
    spark = _builder(settings.layer(own, submitted, options.conf + work, local=local)).getOrCreate()
    # The JVM was started with a log configuration of others.
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _builder(found: Mapping[str, str]) -> SparkSession.Builder:
    builder = SparkSession.builder.appName("lakeproof")
    for name, value in found.items():
        builder = builder.config(name, value)
    return builder


@contextmanager
def _jvm_log() -> Iterator[Path]:
    """The JVM inherits stderr when it is started, and talks. While it starts, stderr is a file."""
    handle, name = tempfile.mkstemp(prefix="lakeproof-spark-", suffix=".log")
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        # The JVM keeps this file as its stderr for good: what it writes later goes to the file that is unlinked below.
        os.dup2(handle, 2)
        yield Path(name)
        # Not in `finally`: where the start has failed, the message of the error names the file.
        Path(name).unlink(missing_ok=True)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(handle)


def is_local(spark: SparkSession) -> bool:
    """Whether driver and workers are one process."""
    return settings.is_local(spark.sparkContext.master)


def cores(spark: SparkSession) -> int:
    """How many tasks run at once, about."""
    return int(spark.sparkContext.defaultParallelism)


def describe(spark: SparkSession, what: str) -> None:
    """Name the jobs to come, as Spark's own pages show them."""
    spark.sparkContext.setJobDescription(what)


def progress(spark: SparkSession) -> tuple[int, int]:
    """How many tasks of the stages that run are done, and how many there are."""
    tracker = spark.sparkContext.statusTracker()
    # A stage can end between the two calls, and has no information then.
    stages = [stage for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()) if stage is not None]
    return sum(stage.numCompletedTasks for stage in stages), sum(stage.numTasks for stage in stages)


def share_fairly(spark: SparkSession, number: int) -> None:
    """The jobs of this thread have a fair share of the cores."""
    # Local properties belong to a thread, so the pool is that of the jobs that this thread begins.
    spark.sparkContext.setLocalProperty(POOL, f"beside-{number}")


def abandon() -> None:
    """End the JVM, which ends when its standard input does: now and then a query waits for good for a job that was
    cancelled."""
    # PySpark starts its JVM with a pipe as stdin, and the JVM exits at the end of that input.
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001  # under spark-submit it is not ours
    if process is not None and process.stdin is not None:
        process.stdin.close()


class JavaStderr(io.TextIOBase):
    """The JVM's stderr. If the JVM is gone: this process' own. ``spark-submit`` starts Python with both its outputs in
    one pipe, and copies that to its own stdout: progress would stand amidst what the command prints."""

    def __init__(self) -> None:
        SparkContext._ensure_initialized()  # noqa: SLF001  # no session is there yet, and the JVM is
        jvm = SparkContext._jvm  # noqa: SLF001
        assert jvm is not None
        self._stream = jvm.java.lang.System.err

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # click writes b"" to learn whether a stream takes bytes
            raise TypeError(f"expected text, found {type(text).__name__}; write text")
        try:
            self._stream.print(text)
            self._stream.flush()
        except (Py4JError, OSError):
            # The JVM is gone: the words that say why must not get lost with it.
            assert sys.__stderr__ is not None
            with suppress(OSError):
                sys.__stderr__.write(text)
        return len(text)

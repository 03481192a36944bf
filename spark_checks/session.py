"""The Spark session of every command: one builder, with the settings that matter and why; errors as one line.

Under ``spark-submit`` the session is what it says; else it is a local one, or that of ``--master``.
"""

import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import attrs
import click
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.commands import complain
from lakeproof.tasks import Unusable
from spark_checks import java, places, probing, sharing, workspace
from spark_checks.progress import doing
from spark_checks.troubles import told

P = ParamSpec("P")
R = TypeVar("R")

QUIET: Final = Path(__file__).with_name("log4j2.properties")
LOOPBACK: Final = "127.0.0.1"
LAZY: Final = (
    "-XX:Tier4InvocationThreshold=500000",
    "-XX:Tier4MinInvocationThreshold=60000",
    "-XX:Tier4CompileThreshold=1500000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""A hundred (for loops, ten) times the JVM's defaults."""
COMPILED: Final = {
    "org.apache.xbean.asm9.ClassReader": 10.0,
    "org.codehaus.janino.Scanner": 10.0,
    "jdk.internal.loader.URLClassPath*": 10.0,
    "java.io.ObjectInputStream": 10.0,
    "org.apache.spark.sql.catalyst.expressions.GeneratedClass*": 0.1,
}
"""So many times `LAZY`, for some classes. Ten times, where much is looped while a job is planned and sent, and over no
rows: to compile those methods, some of which are huge, takes longer than to run them. A tenth, for what Spark generates
for a query: all of it runs for each row."""
SCALED: Final = (
    "-XX:CompileCommand=quiet",
    *(f"-XX:CompileCommand=CompileThresholdScaling,{name}::*,{times}" for name, times in COMPILED.items()),
)
"""The JVM is to say nothing of it."""


@attrs.frozen(kw_only=True)
class Options:
    """Where the work is done. ``master``: None is all cores of this machine. ``memory``: the driver's heap, which in
    a local session is all that the JVM gets. ``work``: the folder to stage in, which all workers must share; None is
    one of this machine. ``parts``: shuffle partitions, 0 for a few. ``small``: many small jobs: compiling them would
    take longer than running them."""

    master: str | None = None
    memory: str = "3g"
    work: str | None = None
    parts: int = 0
    small: bool = False

    @property
    def local(self) -> bool:
        """Whether driver and workers are one process."""
        return is_local(self.master)

    @property
    def here(self) -> bool:
        """Whether all is on this machine, and needs no name that others can resolve."""
        return self.master is None or self.master.startswith("local")


def is_local(master: str | None) -> bool:
    """None is. ``local-cluster[...]`` is not: its workers are processes of their own."""
    return master is None or re.fullmatch(r"local(\[.*\])?", master) is not None


def settings(options: Options) -> dict[str, str]:
    """What a session is built with."""
    cores = os.cpu_count() or 1
    found = {
        # Times mean the same everywhere; a cast that fails or a sum that overflows is an error, not null or nonsense.
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        # Plans follow the sizes that are met: small shuffles are merged, skewed ones split.
        "spark.sql.adaptive.enabled": "true",
        # Whoever walks a graph or decodes a value gets columns, not pickled rows.
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # The default, INT96, has no statistics: whoever asks for what is young would read all.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        # Jobs that are begun at once share the cores, each in a pool of its own.
        "spark.scheduler.mode": "FAIR",
        # A file that is lost or damaged is an error, whatever the cluster is set to.
        "spark.sql.files.ignoreMissingFiles": "false",
        "spark.sql.files.ignoreCorruptFiles": "false",
        # A partition column of digits is still what the schema says.
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        # Progress is ours, on stderr.
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
    }
    if options.local:
        found |= {
            # The default of 200 makes 200 tiny tasks of a small table. AQE joins them, but they are written first.
            "spark.sql.shuffle.partitions": str(options.parts or 4 * cores),
            # Rows are hashed once more when they are shuffled, to find stages that another executor has repeated and
            # not the same: here there is one.
            "spark.sql.shuffle.orderIndependentChecksum.enabled": "false",
            "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch": "false",
        }
    if options.here:
        # A laptop's host name may resolve to nothing.
        found |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    if options.work is not None:
        found[workspace.SETTING] = options.work
    if options.small:
        found |= {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    if options.parts and not options.local:
        found["spark.sql.shuffle.partitions"] = str(options.parts)
    return found


@contextmanager
def session(options: Options | None = None, out: Path | str | None = None) -> Iterator[SparkSession]:
    """A session, stopped at the end. What Spark raises because of the input comes out as Unusable, one line.
    A session that this process has already is used as it is, and goes on. Ctrl-C ends all jobs, and comes out as
    click.Abort.

    out: where the command's tables go; the workers must share it, as the folder that is worked in.

    Raises Unusable: also where there is no Java, Spark does not start, or a folder is not shared.
    """
    there = SparkSession.getActiveSession()
    if there is not None:
        with told():
            yield there
        return
    spark = _started(options or Options())
    logging.getLogger().addHandler(logging.NullHandler())  # py4j logs a traceback of what Ctrl-C has interrupted
    try:
        with told():
            if not is_local(spark.sparkContext.master):
                with doing(spark, "probing the folders that the workers share"):
                    probing.demand_shared(spark, _shared(spark, out))
            yield spark
    except KeyboardInterrupt as error:
        complain("interrupted")
        raise click.Abort from error
    finally:
        workspace.remove(spark)
        spark.stop()


def _shared(spark: SparkSession, out: Path | str | None) -> dict[str, str]:
    """The folders that the workers must share, by option."""
    found = {"--work": f"{workspace.folder(spark)}/work"}
    if out is not None:
        found["--out"] = str(out)
    return found


def _started(options: Options) -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers run what the driver runs, not just any python3
    builder = SparkSession.builder.appName("lakeproof")
    for name, value in settings(options).items():
        builder = builder.config(name, value)
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit has started the JVM, and has its own --master
        return builder.getOrCreate()
    os.environ["JAVA_HOME"] = home = java.java_home()
    if options.here:
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    # Half of a short job's time would go to compile, once more and better, what runs a few thousand times: planner,
    # parser, serializers. What runs for each row is still called often enough.
    quick = " -XX:TieredStopAtLevel=1" if options.small else " ".join(("", *LAZY, *SCALED))
    shared = " ".join(("", *sharing.options(home)))
    # The JVM interprets methods of more than 8000 bytes, and wide expressions become such methods.
    jvm = f"-Dlog4j2.configurationFile={QUIET.as_uri()} -XX:+UseParallelGC -XX:-DontCompileHugeMethods{quick}{shared}"
    builder = (
        builder.master(options.master or "local[*]")
        .config("spark.driver.memory", options.memory)
        .config("spark.driver.extraJavaOptions", jvm)
    )
    with _jvm_log() as log:
        try:
            return builder.getOrCreate()
        except (PySparkException, Py4JError, OSError) as error:
            said = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            why = next((line.strip() for line in said if "rror" in line), str(error).splitlines()[0])
            raise Unusable(
                f"Spark: did not start on {options.master or 'this machine'} ({why[:200]}); see {log}, or try another "
                "--master or --memory"
            ) from None


@contextmanager
def _jvm_log() -> Iterator[Path]:
    """The JVM inherits stderr when it is started, and talks. While it starts, stderr is a file."""
    handle, name = tempfile.mkstemp(prefix="lakeproof-spark-", suffix=".log")
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        os.dup2(handle, 2)
        yield Path(name)
        Path(name).unlink(missing_ok=True)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(handle)


class _Folder(click.Path):
    """A folder of this machine, or of a mount: as a path, or with ``file:``."""

    def convert(
        self, value: "str | os.PathLike[str]", param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = places.local(str(value))
        if path is None:
            expected = "expected a folder; name one of this machine, or of a mount that all workers share"
            self.fail(f"{value}: {expected}", param, ctx)
        return path


FOLDER: Final = _Folder()


def spark_options(command: Callable[Concatenate[Options, P], R]) -> Callable[P, R]:
    """The options that all commands share; they come to the command as its first argument."""

    @click.option("--master", metavar="URL", help="A Spark master. [default: this machine, all cores]")
    @click.option(
        "--memory", default="3g", show_default=True, metavar="SIZE", help="Heap of the driver, as Spark writes it."
    )
    @click.option(
        "--work",
        metavar="URL",
        help="Where intermediate tables go: a folder or a URL that all workers share. [default: of this machine]",
    )
    @click.option("--shuffle-partitions", "parts", type=click.IntRange(1), default=None, metavar="N", hidden=True)
    @wraps(command)
    def wrapped(
        *args: object, master: str | None, memory: str, work: str | None, parts: int | None, **kwargs: object
    ) -> R:
        options = Options(master=master, memory=memory, work=work, parts=parts or 0)
        return command(options, *args, **kwargs)  # type: ignore[arg-type]

    return wrapped  # type: ignore[return-value]


def dataset_options(command: Callable[P, R]) -> Callable[P, R]:
    """The argument DATASET, and how it is to be read: ``dataset``, ``keys``, ``beside``."""
    for option in (
        click.option("--beside", metavar="DIR", help="A folder with the tables that a dump or database lacks."),
        click.option(
            "--keys",
            type=click.Choice(["design", "lakefs"]),
            help="The key schema. [default: design for a folder, lakefs for a dump or a database]",
        ),
        click.argument("dataset", metavar="DATASET"),
    ):
        command = option(command)
    return command

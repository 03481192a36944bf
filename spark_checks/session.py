"""The Spark session of every command: one builder, with the settings that matter and why; errors as one line.

Under ``spark-submit`` the session is what it says; else it is a local one, or that of ``--master``.
"""

import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Concatenate, Final, ParamSpec, TypeVar

import attrs
import click
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.commands.group import complain
from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import (
    configuring,
    java,
    places,
    probing,
    shipping,
    submitted,
    workers,
    workspace,
)
from lakeproof.spark_checks.configuring import Conf, is_local
from lakeproof.spark_checks.progress import doing
from lakeproof.spark_checks.troubles import told

P = ParamSpec("P")
R = TypeVar("R")

QUIET: Final = Path(__file__).with_name("log4j2.properties")
SMALL_BYTES: Final = 250_000_000
"""Of a dataset of two million objects, about."""
GRACE_SECONDS: Final = 20.0
"""For jobs to end that were cancelled."""
LOOPBACK: Final = "127.0.0.1"


@attrs.frozen(kw_only=True)
class Options:
    """Where the work is done. ``master``: None is all cores of this machine. ``memory``: the driver's heap, which in
    a local session is all that the JVM gets. ``work``: the folder to stage in, which all workers must share; None is
    one of this machine. ``small``: few rows: what runs for each of them is compiled once, fast, and hash tables begin
    small. ``conf``: what the user sets."""

    master: str | None = None
    memory: str = "3g"
    work: str | None = None
    small: bool = False
    conf: Conf = ()

    @property
    def local(self) -> bool:
        """Whether driver and workers are one process."""
        return is_local(self.master)

    @property
    def here(self) -> bool:
        """Whether all is on this machine, and needs no name that others can resolve."""
        return self.master is None or self.master.startswith("local")


def settings(options: Options) -> dict[str, str]:
    """What we would have a session be built with, besides `configuring.RELIED`."""
    cores = os.cpu_count() or 1
    found = {
        # Plans follow the sizes that are met: small shuffles are merged, skewed ones split.
        "spark.sql.adaptive.enabled": "true",
        # Whoever walks a graph or decodes a value gets columns, not pickled rows.
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # The default, INT96, has no statistics: whoever asks for what is young would read all.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        # Jobs that are begun at once share the cores, each in a pool of its own.
        "spark.scheduler.mode": "FAIR",
        # The typed tables are written side by side. Else all rows are sorted by the name of their table first.
        "spark.sql.maxConcurrentOutputFileWriters": "8",
        # Pages that were written with a checksum, as Spark writes them, are held against it.
        "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
        # Progress is ours, on stderr.
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
    }
    if options.local:
        found |= {
            # The default of 200 makes 200 tiny tasks of a small table. AQE joins them, but they are written first.
            "spark.sql.shuffle.partitions": str(4 * cores),
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
    if options.local and options.small:
        # The default is 64 MB of zeroes for each hash table and each sort of each task. What is larger has more pages.
        found["spark.buffer.pageSize"] = "2m"
    return found


@contextmanager
def session(options: Options | None = None, out: Path | str | None = None) -> Iterator[SparkSession]:
    """A session, stopped at the end. What Spark raises because of the input comes out as Unusable, one line.
    A session that this process has already is used, with the settings on which verdicts rest, and goes on as it was.
    Ctrl-C ends all jobs, and comes out as click.Abort; SIGTERM ends them, too, and comes out as SystemExit.

    out: where the command's tables go; the workers must share it, as the folder that is worked in.

    Raises Unusable: also where there is no Java, Spark does not start, a folder is not shared, or the workers' Python
    cannot do the work.
    """
    options = options or Options()
    there = SparkSession.getActiveSession()
    if there is not None:
        with told(), configuring.borrowed(there, options.conf):
            _prepare_workers(there, out)
            yield there
        return
    spark = _started(options)
    logging.getLogger().addHandler(logging.NullHandler())  # py4j logs a traceback of what Ctrl-C has interrupted
    try:
        with _ended_by_signals(spark), told():
            configuring.in_force(spark)
            _prepare_workers(spark, out)
            yield spark
    except _Terminated:
        complain("ended by SIGTERM")
        sys.exit(128 + signal.SIGTERM)
    except KeyboardInterrupt as error:
        complain("interrupted")
        raise click.Abort from error
    finally:
        _stop(spark)


class _Terminated(KeyboardInterrupt):
    """SIGTERM. py4j gives up the connection that a KeyboardInterrupt has met; other exceptions it swallows."""


def _prepare_workers(spark: SparkSession, out: Path | str | None) -> None:
    """Raises Unusable: they cannot do the work."""
    if is_local(spark.sparkContext.master):
        return
    with doing(spark, "asking the workers for their Python"):
        shipping.ship(spark)
        workers.demand_able(spark)
    with doing(spark, "probing the folders that the workers share"):
        probing.demand_shared(spark, _shared(spark, out))


@contextmanager
def _ended_by_signals(spark: SparkSession) -> Iterator[None]:
    """Ctrl-C and SIGTERM end all jobs and the block, so that what was staged is removed. Now and then a query of
    Spark's waits for good for a job that was cancelled, and a thread of ours for the query: then the JVM is ended."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    if threading.current_thread() is not threading.main_thread() or before[signal.SIGTERM] != signal.SIG_DFL:
        yield  # somebody else's to say
        return
    over = threading.Event()
    came: list[KeyboardInterrupt] = []

    def cancel() -> None:
        with suppress(Py4JError):
            spark.sparkContext.cancelAllJobs()
        if not over.wait(GRACE_SECONDS):
            _end_jvm()

    def end(number: int, _: FrameType | None) -> None:
        # This thread may be in the midst of a call to the JVM, over the one connection that it has.
        threading.Thread(target=cancel, daemon=True).start()
        came.append(_Terminated() if number == signal.SIGTERM else KeyboardInterrupt())
        raise came[0]

    for each in before:
        signal.signal(each, end)
    try:
        yield
    except Exception as error:  # what it has become on its way through the call that it has met
        if came:
            raise came[0] from error
        raise
    finally:
        over.set()
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_jvm() -> None:
    """It ends when its standard input does."""
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001  # under spark-submit it is not ours
    if process is not None and process.stdin is not None:
        process.stdin.close()


def _stop(spark: SparkSession) -> None:
    try:
        workspace.remove(spark)
        spark.stop()
    except (Py4JError, OSError):  # the JVM is gone
        workspace.remove_here()


def _shared(spark: SparkSession, out: Path | str | None) -> dict[str, str]:
    """The folders that the workers must share, by option."""
    found = {"--work": f"{workspace.folder(spark)}/work"}
    if out is not None:
        found["--out"] = str(out)
    return found


def _started(options: Options) -> SparkSession:
    conf = dict(options.conf)
    if configuring.PYTHON in conf:  # as under spark-submit, it goes before the variable
        os.environ["PYSPARK_PYTHON"] = conf[configuring.PYTHON]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers run what the driver runs, not just any python3
    if submitted.is_submitted():
        return _submitted(options)
    os.environ["JAVA_HOME"] = java.java_home()
    if options.here:
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    # Half of a short job's time would go to compile, once more and better, what runs a few thousand times.
    quick = " -XX:TieredStopAtLevel=1" if options.small else ""
    # The JVM interprets methods of more than 8000 bytes, and wide expressions become such methods. It collects all
    # garbage each time that classes need more room, beginning with 21 MB, of which Spark needs ten times as many.
    fixed = "-XX:+UseParallelGC -XX:-DontCompileHugeMethods -XX:MetaspaceSize=256m"
    jvm = f"-Dlog4j2.configurationFile={QUIET.as_uri()} {fixed}{quick}"
    builder = (
        _builder(configuring.layered(settings(options), {}, options.conf, local=options.local))
        .master(options.master or "local[*]")
        .config("spark.driver.memory", options.memory)
        .config(configuring.JAVA, " ".join((jvm, conf.get(configuring.JAVA, ""))).strip())
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


def _submitted(options: Options) -> SparkSession:
    """A session in the JVM that runs already: the master is that of spark-submit. Raises Unusable."""
    if options.master is not None:
        raise Unusable(f"--master {options.master}: spark-submit has one of its own; say it there, before the script")
    for key, _ in options.conf:
        if key.startswith("spark.driver.extra"):
            raise Unusable(f"--conf {key}: the driver's JVM runs already; say it to spark-submit, before the script")
    said = submitted.said()
    placed = attrs.evolve(options, master=said.get("spark.master"))
    asked = () if options.work is None else ((workspace.SETTING, options.work),)
    spark = _builder(
        configuring.layered(settings(placed), said, options.conf + asked, local=placed.local)
    ).getOrCreate()
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
        os.dup2(handle, 2)
        yield Path(name)
        Path(name).unlink(missing_ok=True)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(handle)


class _Place(click.Path):
    """A folder: as a path or with ``file:``, which comes as a path; or a URL that Spark's file systems know."""

    def convert(self, value: "str | os.PathLike[str]", param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = places.local(str(value))
        return str(value).rstrip("/") if path is None else str(path)


PLACE: Final = _Place()


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


def is_small(dataset: str) -> bool:
    """Whether a dataset lies on this machine and has few bytes: to compile well what runs for a second costs more than
    it saves. Asked before there is a JVM, whose options are fixed when it starts."""
    path = places.local(dataset)
    if path is None:
        return False
    try:
        files = [path] if path.is_file() else (each for each in path.rglob("*") if each.is_file())
        return sum(each.stat().st_size for each in files) <= SMALL_BYTES
    except OSError:  # who reads it says what is wrong
        return False


def spark_options(command: Callable[Concatenate[Options, P], R]) -> Callable[P, R]:
    """The options that all commands share; they come to the command as its first argument."""

    @click.option("--master", metavar="URL", help="Spark master. [default: this machine, all cores]")
    @click.option(
        "--memory", default="3g", show_default=True, metavar="SIZE", help="Heap of the driver, in Spark's notation."
    )
    @click.option(
        "--work",
        metavar="URL",
        help="Folder or URL for intermediate tables, shared by all workers. [default: a temporary folder]",
    )
    @click.option(
        "--conf",
        multiple=True,
        callback=configuring.option,
        metavar="KEY=VALUE",
        help="A Spark option; may be repeated. Options on which verdicts depend are refused.",
    )
    @wraps(command)
    def wrapped(
        *args: object,
        master: str | None,
        memory: str,
        work: str | None,
        conf: Conf,
        **kwargs: object,
    ) -> R:
        read = kwargs.get("dataset")
        small = isinstance(read, str) and is_small(read)
        options = Options(master=master, memory=memory, work=work, small=small, conf=conf)
        return command(options, *args, **kwargs)  # type: ignore[arg-type]

    return wrapped  # type: ignore[return-value]


blockstore_option = click.option(
    "--blockstore",
    metavar="URL",
    help="Where the storage namespaces are: a folder, s3://BUCKET, gs://, az:// or https:// (Azure).",
)
"""In place of ``--beside``: the other tables are made of what the object store holds."""


def dataset_options(command: Callable[P, R]) -> Callable[P, R]:
    """The argument DATASET, and how it is to be read: ``dataset``, ``keys``, ``beside``."""
    for option in (
        click.option("--beside", metavar="DIR", help="Folder with the tables that a dump or database does not have."),
        click.option(
            "--keys",
            type=click.Choice(["design", "lakefs"]),
            help="Key schema. [default: design for a folder, lakefs for a dump or a database]",
        ),
        click.argument("dataset", metavar="DATASET"),
    ):
        command = option(command)
    return command

"""The Spark session of every command: one builder for each engine; errors as one line.

Which engine: `--engine`; else ``--master`` and ``spark-submit`` mean classic, ``--remote`` and SPARK_REMOTE connect;
else the default.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from types import FrameType
from typing import Final, cast
from urllib.parse import urlsplit

import attrs
import click
from pyspark.sql import SparkSession

from lakeproof.commands.group import complain
from lakeproof.spark_checks.engine import artifacts, engines, settings, workspace
from lakeproof.spark_checks.engine.engines import Engine, Name
from lakeproof.spark_checks.engine.progress import doing
from lakeproof.spark_checks.engine.settings import GATEWAY, Conf, is_local
from lakeproof.spark_checks.engine.troubles import errors, translate_errors
from lakeproof.words import Unusable

GRACE_SECONDS: Final = 20.0
"""For jobs to end that were cancelled."""
REMOTE: Final = "SPARK_REMOTE"
_PORT: Final = 15002
"""Of a URL that names none."""
_CONNECTED: Final = "SPARK_CONNECT_MODE_ENABLED"
"""With it, PySpark's functions make expressions of Spark Connect."""


@attrs.frozen(kw_only=True)
class Options:
    """Where the work is done. ``engine``: None is what the others say, or the default. ``master``: None is all cores of
    this machine. ``remote``: the URL of a Spark Connect server. ``memory``: the heap of classic's driver, which in a
    local session is all that the JVM gets, None is 3g; or what Sail's queries may take, None is all. ``work``: the
    folder to stage in, which all workers must share; None is one of this machine. ``conf``: what the user sets."""

    engine: Name | None = None
    master: str | None = None
    remote: str | None = None
    memory: str | None = None
    work: str | None = None
    conf: Conf = ()

    @property
    def local(self) -> bool:
        """Whether classic's driver and workers are one process."""
        return is_local(self.master)

    @property
    def here(self) -> bool:
        """Whether all is on this machine, and needs no name that others can resolve."""
        return self.master is None or self.master.startswith("local")


def choose_engine(options: Options) -> Name:
    """Raises Unusable: the options contradict each other."""
    submitted = GATEWAY in os.environ
    if submitted and options.master is not None:
        raise Unusable(f"--master {options.master}: spark-submit has one of its own; say it there, before the script")
    named: dict[str, Name] = {}
    if options.engine is not None:
        named[f"--engine {options.engine}"] = options.engine
    if options.master is not None:
        named[f"--master {options.master}"] = "classic"
    if submitted:
        named["spark-submit"] = "classic"
    if options.remote is not None:
        named[f"--remote {options.remote}"] = "connect"
    if len({*named.values()}) > 1:
        # Two are enough for the message, even where three contradict each other.
        (one, meant), (other, also) = [*named.items()][:2]
        raise Unusable(f"{one} and {other}: the first is {meant}, the second {also}; leave one of them out")
    found = next(iter(named.values()), "connect" if os.environ.get(REMOTE) else default())
    if found == "connect" and not options.remote and not os.environ.get(REMOTE):
        raise Unusable("--engine connect: no server is named; name one with --remote sc://HOST:PORT, or SPARK_REMOTE")
    return found


def default() -> Name:
    """Classic, where it is installed."""
    # Without either, it is classic, too: its error says what to install.
    return "classic" if find_spec("py4j") is not None or find_spec("pysail") is None else "embedded"


@contextmanager
def session(options: Options | None = None) -> Iterator[SparkSession]:
    """A session, stopped at the end. What Spark raises because of the input comes out as Unusable, one line.
    A session that this process has already is used, with the settings on which verdicts rest, and goes on as it was.
    Ctrl-C ends all jobs, and comes out as click.Abort; SIGTERM ends them, too, and comes out as SystemExit.

    Raises Unusable: also where an engine is not installed, or does not start.
    """
    options = options or Options()
    # The session of a notebook, for example.
    there = next(iter(_ours), None) or SparkSession.getActiveSession()
    if there is not None:
        with translate_errors(), settings.borrow(there, _settings_relied_on(there), options.conf):
            yield there
        return
    with _start(options) as spark:
        engine = engines.engine_of(spark)
        try:
            with _ended_by_signals(spark, engine), translate_errors(), ExitStack() as until_the_end:
                # A server or a cluster may have its own values, and refuse others.
                settings.in_force(spark, _settings_relied_on(spark))
                if not engine.alone:
                    with doing(spark, "sending lakeproof to the workers"):
                        # Not in a `with` of its own: executors may join until the session ends, and get the file then.
                        until_the_end.enter_context(artifacts.ship_code(spark))
                yield spark
        except _Terminated:
            complain("ended by SIGTERM")
            # As shells report a process that a signal has ended.
            sys.exit(128 + signal.SIGTERM)
        except KeyboardInterrupt as error:
            complain("interrupted")
            raise click.Abort from error


def _settings_relied_on(spark: SparkSession) -> dict[str, settings.Relied]:
    """What verdicts rest on, as far as the engine of a session knows it."""
    engine = engines.engine_of(spark)
    if engine.name == "embedded":
        return {key: settings.RELIED[key] for key in settings.OF_EMBEDDED}
    return settings.relied_on(local=engine.alone)


_ours: Final[list[SparkSession]] = []


@contextmanager
def _start(options: Options) -> Iterator[SparkSession]:
    name = choose_engine(options)
    before = os.environ.pop(_CONNECTED, None)  # it may be that of a process that has started this one
    if name != "classic":
        os.environ[_CONNECTED] = "1"
    try:
        spark = _make(name, options)
        # `getActiveSession` knows the session of the current thread only.
        _ours.append(spark)
        workspace.place(spark, options.work)
        try:
            yield spark
        finally:
            _ours.remove(spark)
            engine = engines.engine_of(spark)
            workspace.remove(spark)
            with suppress(*errors(), OSError):  # it is gone
                spark.stop()
            engine.stop()
    finally:
        os.environ.pop(_CONNECTED, None)
        if before is not None:
            os.environ[_CONNECTED] = before


def _make(name: Name, options: Options) -> SparkSession:
    if name == "classic":
        from lakeproof.spark_checks.engine import classic

        spark = classic.start(options)
        engines.register(spark, engines.classic(spark))
    elif name == "embedded":
        from lakeproof.spark_checks.engine import embedded

        spark, version, stop = embedded.start(options)
        engines.register(spark, Engine("embedded", version, os.cpu_count() or 1, alone=True, stop=stop))
        # What verdicts rest on comes last, so that no option of the user's replaces it.
        settings.put(spark, dict(options.conf) | settings.OF_EMBEDDED)
    else:
        spark = _connect(options.remote or os.environ[REMOTE], options)
    return spark


def _connect(url: str, options: Options) -> SparkSession:
    """Raises Unusable: no server answers."""
    from pyspark.sql.connect.session import SparkSession as Connected

    refused: tuple[type[Exception], ...] = (*errors(), OSError, ValueError)
    try:
        _demand_reachable(url)
        spark = cast("SparkSession", Connected.builder.remote(url).create())
        engines.register(spark, engines.describe_connected(spark))
        settings.put(spark, settings.of_connect(options.conf))
    except refused as error:
        why = " ".join(str(error).split())[:200]
        raise Unusable(
            f"{url.partition(';')[0]}: no Spark Connect server can be used there ({why}); see that it runs, "
            "or name another with --remote"
        ) from None
    return spark


def _demand_reachable(url: str) -> None:
    """The client of Spark Connect would try for ten minutes. Through a proxy nothing is known. Raises OSError."""
    # The client of gRPC takes its proxy from these variables. A plain connection may not get through then.
    if any(os.environ.get(name) for name in ("grpc_proxy", "https_proxy", "http_proxy")):
        return
    found = urlsplit(url)
    with socket.create_connection((found.hostname or "", found.port or _PORT), GRACE_SECONDS):
        pass


class _Terminated(KeyboardInterrupt):
    """SIGTERM. py4j gives up the connection that a KeyboardInterrupt has met; other exceptions it swallows."""


@contextmanager
def _ended_by_signals(spark: SparkSession, engine: Engine) -> Iterator[None]:
    """Ctrl-C and SIGTERM end all jobs and the block, so that what was staged is removed."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    # Only the main thread may set handlers. A handler that is there already is of a host, such as a server.
    if threading.current_thread() is not threading.main_thread() or before[signal.SIGTERM] != signal.SIG_DFL:
        yield  # another library's to say
        return
    over = threading.Event()
    came: list[KeyboardInterrupt] = []

    def cancel() -> None:
        with suppress(*errors()):
            spark.interruptAll()
        # A cancelled job normally ends at once. If the block has not ended by then, the engine is given up.
        if not over.wait(GRACE_SECONDS):
            engine.abandon()

    def end(number: int, _: FrameType | None) -> None:
        # This thread may be in the middle of a call, over the one connection that it has.
        threading.Thread(target=cancel, daemon=True).start()
        # Kept, because the exception that arrives at the block may be another one: see below.
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

"""Progress of jobs, on stderr: a live line on a terminal, elsewhere a line when something begins."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, cast

from pyspark.sql import SparkSession

from lakeproof.show.style import console
from lakeproof.spark_checks.engine.engines import engine_of, is_remote
from lakeproof.spark_checks.engine.troubles import errors

if TYPE_CHECKING:
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

PERIOD_SECONDS: Final = 0.5


@contextmanager
def doing(spark: SparkSession, what: str) -> Iterator[None]:
    """Say what is being done while the block runs, and on a terminal how far its tasks are."""
    if engine_of(spark).name == "classic":
        from lakeproof.spark_checks.engine import classic

        classic.describe(spark, what)
    # A live line in a file or a log of CI would be noise.
    if not sys.stderr.isatty():
        sys.stderr.write(f"{what}\n")
        yield
        return
    over = threading.Event()
    with console(sys.stderr).status(what) as status, _tasks(spark) as tasks:

        def watch() -> None:
            began = time.monotonic()
            with suppress(*errors(), OSError):  # the engine is gone, as the block says in one line
                while not over.wait(PERIOD_SECONDS):  # false: the time is over, the block is not
                    done, total = tasks()
                    count = f", {done} of {total} tasks" if total else ""
                    status.update(f"{what}{count}, {round(time.monotonic() - began)} s")

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            # `status` must not be updated when its console has ended it.
            watcher.join()


@contextmanager
def _tasks(spark: SparkSession) -> Iterator[Callable[[], tuple[int, int]]]:
    """What tells how many tasks are done, and how many there are, of what runs now."""
    if not is_remote(spark):
        from lakeproof.spark_checks.engine import classic

        yield lambda: classic.progress(spark)
        return
    last = [(0, 0)]

    def update(stages: "Iterable[StageInfo] | None", *_: object) -> None:
        stages = list(stages or ())
        # The watcher reads it in another thread. The item of the list is replaced at once, so that no lock is needed.
        last[0] = sum(each.num_completed_tasks for each in stages), sum(each.num_tasks for each in stages)

    handler = cast("ProgressHandler", update)
    spark.registerProgressHandler(handler)
    try:
        yield lambda: last[0]
    finally:
        spark.removeProgressHandler(handler)

"""Progress of Spark's jobs, on stderr: a live line on a terminal, elsewhere a line when something begins."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pyspark.sql import SparkSession
from rich.status import Status

from lakeproof.report.style import console

PERIOD_SECONDS: Final = 0.5


@contextmanager
def doing(spark: SparkSession, what: str) -> Iterator[None]:
    """Say what is being done while the block runs, and on a terminal how far its tasks are."""
    spark.sparkContext.setJobDescription(what)
    if not sys.stderr.isatty():
        sys.stderr.write(f"{what}\n")
        yield
        return
    over = threading.Event()
    with console(sys.stderr).status(what) as status:
        watcher = threading.Thread(target=_watch, args=(spark, what, status, over), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def _watch(spark: SparkSession, what: str, status: Status, over: threading.Event) -> None:
    tracker = spark.sparkContext.statusTracker()
    began = time.monotonic()
    while not over.wait(PERIOD_SECONDS):
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        total, done = sum(stage.numTasks for stage in known), sum(stage.numCompletedTasks for stage in known)
        tasks = f", {done} of {total} tasks" if total else ""
        status.update(f"{what}{tasks}, {round(time.monotonic() - began)} s")

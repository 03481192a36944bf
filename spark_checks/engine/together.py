"""Jobs at once: while one waits for its plan, its last task or the disk, others have the cores."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from lakeproof.spark_checks.engine.engines import engine_of

T = TypeVar("T")

_AT_ONCE: Final = 4


class Begin(Protocol):
    """Begins some work, which runs Spark's jobs, in a thread of its own, with a fair share of the cores."""

    def __call__(self, work: Callable[[], T]) -> Future[T]: ...


@contextmanager
def together(spark: SparkSession) -> Iterator[Begin]:
    """All that is begun inside is over at the end. The first of it that failed is what is raised, in the order in which
    it was begun; what the block itself raises comes after that."""
    begun: list[Future[object]] = []

    def begin(work: Callable[[], T]) -> Future[T]:
        number = len(begun) + 1

        def done() -> T:
            if engine_of(spark).name == "classic":
                from lakeproof.spark_checks.engine import classic

                classic.share_fairly(spark, number)
            return work()

        # A thread of the pool needs the session's tags, or the local properties, of the thread that begins the work.
        future: Future[T] = pool.submit(inheritable_thread_target(spark)(done))
        begun.append(future)  # type: ignore[arg-type]
        return future

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        try:
            yield begin
        # The block often fails because a job has failed, as its `result` is missing: the job's own error comes first.
        except Exception:
            _demand(begun)
            raise
        _demand(begun)
    finally:
        # After Ctrl-C some of it still waits for a thread: the jobs that it would run are none that were cancelled.
        pool.shutdown(cancel_futures=True)


def _demand(begun: list[Future[object]]) -> None:
    # All of them, not only up to the first that failed: nothing may still write when the block is over.
    wait(begun)
    for each in begun:
        each.result()

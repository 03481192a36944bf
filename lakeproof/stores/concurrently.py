"""Requests that blocking clients send at the same time."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lakeproof.impl.stores.kv_answers import NotConforming

T = TypeVar("T")


def run_concurrently(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Run functions in threads, which all begin together; what they return, in their order. Raises NotConforming if
    one does, else what the first one raises."""
    # Starting a thread may take longer than a request, and so without it the first one would often be alone.
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], T]) -> T:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        ends = [pool.submit(run, task) for task in tasks]
    # A finding stands, although other tasks had no answer.
    for error in [each.exception() for each in ends]:
        if isinstance(error, NotConforming):
            raise error
    return [each.result() for each in ends]

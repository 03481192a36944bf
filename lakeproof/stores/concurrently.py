"""Requests that blocking clients send at the same time."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def run_concurrently(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Run functions in threads, which all begin together; what they return, in their order. Raises what the first one
    raises."""
    # Starting a thread may take longer than a request, and so without it the first one would often be alone.
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], T]) -> T:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [each.result() for each in [pool.submit(run, task) for task in tasks]]

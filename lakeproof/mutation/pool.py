"""A process for each piece of work, all from one that has loaded what they share; several at a time."""

import os
import time
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final, Generic, TypeVar, cast

import attrs

from lakeproof.mutation.work import Failed, Work, run
from lakeproof.verify.processes import SINGLE_THREADED, away_from_the_working_directory, deaf_to_interrupts

W = TypeVar("W", bound=Work)

POLL_SECONDS: Final = 0.25
GRACE_SECONDS: Final = 15.0
"""How much longer than the limit of one scenario a process may be silent."""


@attrs.define
class _Worker(Generic[W]):
    work: W
    process: BaseProcess
    pipe: "Connection[object, object]"
    last_message: float


@attrs.frozen
class WorkerMessage(Generic[W]):
    """One thing that a process has to say."""

    work: W
    message: object
    strange: bool = False
    """Whether the process has read what no key of a result holds: in another run it may be another thing."""


def carried_out(
    works: Iterable[W], jobs: int, silence_seconds: float, *, afresh: bool = False
) -> Iterator[WorkerMessage[W]]:
    """What processes have to say, as it comes; None when one has ended as it should. A process that is silent for too
    long, or ends otherwise, has `Failed`. afresh: nothing is loaded before: the search itself is changed."""
    for name in SINGLE_THREADED:
        # Before the processes begin: libraries read it once. Each process is to take one core.
        os.environ.setdefault(name, "1")
    # The fork server has loaded the search once, and each judge is a fork of it. A mutant of the search loads its own.
    context = get_context("spawn") if afresh else get_context("forkserver")
    if not afresh:
        context.set_forkserver_preload(["lakeproof.mutation.preloaded"])
    waiting = iter(works)
    workers: list[_Worker[W]] = []
    try:
        while True:
            while len(workers) < jobs and (work := next(waiting, None)) is not None:
                ours, theirs = context.Pipe()
                process = context.Process(target=run, args=(theirs, work), daemon=True)
                # Ctrl-C is for this process, which ends the others.
                with deaf_to_interrupts(), away_from_the_working_directory():
                    process.start()
                theirs.close()  # so that the pipe ends when the process does
                workers.append(_Worker(work, process, ours, time.monotonic()))
            if not workers:
                return
            ready = wait([worker.pipe for worker in workers], POLL_SECONDS)
            for worker in list(workers):
                if worker.pipe in ready:
                    worker.last_message = time.monotonic()
                    message, strange = _receive_message(worker)
                    last = message is None or isinstance(message, Failed)
                # Its own limit should have stopped it: it hangs where no limit looks, in C code, say.
                elif time.monotonic() - worker.last_message > silence_seconds + GRACE_SECONDS:
                    worker.process.kill()
                    message, strange, last = Failed("its process was silent for too long", ended=True), False, True
                else:
                    continue
                if last:
                    workers.remove(worker)
                    _dismiss(worker)
                yield WorkerMessage(worker.work, message, strange)
    finally:
        for worker in workers:
            _dismiss(worker)


def _receive_message(worker: _Worker[W]) -> tuple[object, bool]:
    """The message, None at its end; and whether something strange was read."""
    try:
        return cast("tuple[object, bool]", worker.pipe.recv())
    except (EOFError, OSError):  # it has ended, or was killed while it wrote
        worker.process.join()
        code = worker.process.exitcode or 0
        return Failed(f"its process ended with exit code {code}", ended=code < 0) if code else None, False


def _dismiss(worker: _Worker[W]) -> None:
    worker.pipe.close()
    worker.process.terminate()  # nothing, if it has ended
    worker.process.join()
    worker.process.close()

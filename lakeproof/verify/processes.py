"""Running scenarios, one after the other or on several processes.

A process is a fork of this one: it has the scenarios, with their flows and invariants, which need not be picklable. It
is sent names of scenarios, and sends back plain values.

Example: four scenarios on two processes, the largest first. A flow of ``exits`` calls ``os._exit(3)``: that is its
outcome, and another process takes its place. Outcomes come as they are ready, whatever the order of the scenarios.

    process 1    large .............................  yields large, the last one
    process 2    exits ..  yields exits: "its code ended the process (exit code 3); take the exit out of it"
    process 3              middle ...  yields middle   small ...  yields small

Had the kernel killed process 1 for want of memory, ``large`` would be inconclusive: "its process was ended from outside
(SIGKILL); fewer --jobs or less --max-memory may help".
"""

import gc
import mmap
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe, get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Final

import attrs

from lakeproof.model.messages import NoProtobuf
from lakeproof.scenario import Faults, Scenario
from lakeproof.search.board import Board, Overseer, die_with_parent
from lakeproof.search.fence import FORGOTTEN, HUNG, WATCH, in_one_line
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Task, carried_out, inconclusive_outcome, unusable

POLL_SECONDS: Final = 0.25
REPORT_SECONDS: Final = 0.2

_SAFE_PATH: Final = "PYTHONSAFEPATH"
# Arrays are searched on as many processes as there are cores: threads of a numerical library would only be in the way.
SINGLE_THREADED: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Listener:
    """Hears what is going on, and takes no notice of it."""

    def began(self, name: str) -> None: ...

    def at(self, name: str, depth: int, states: int, grows: str) -> None: ...

    def finished(self, name: str, outcome: Outcome) -> None: ...

    def tick(self) -> None: ...


def run(task: Task, scenarios: Sequence[Scenario], source: Source, jobs: int, listener: Listener) -> Iterator[Outcome]:
    """The outcome of each scenario, as they come in: large ones are begun first. What ended a scenario is
    its outcome."""
    # Before a search loads NumPy: its libraries read these variables once, when they are loaded.
    for name in SINGLE_THREADED:
        os.environ.setdefault(name, "1")
    # An engine's threads and connections are in no fork of this process.
    may_fork = getattr(task, "engine", None) is None
    if may_fork and (source.file is not None or min(jobs, len(scenarios)) > 1):
        # What a user's flow does to its process (os._exit, say) must not end the command, nor the other scenarios.
        yield from _run_on_processes(task, scenarios, source, min(jobs, len(scenarios)), listener)
        return
    for scenario in scenarios:
        listener.began(scenario.name)
        outcome = carried_out(task, scenario, source, _Throttled(partial(_tell, listener, scenario.name)))
        listener.finished(scenario.name, outcome)
        yield outcome


def _tell(listener: Listener, name: str, depth: int, states: int, grows: str) -> None:
    listener.at(name, depth, states, grows)
    listener.tick()


class _Throttled:
    """Passes progress on, a few times a second."""

    def __init__(self, report: Callable[[int, int, str], None]) -> None:
        self._report = report
        self._next = 0.0

    def __call__(self, depth: int, states: int, _: int, grows: str) -> None:
        # A search reports each level: a small one has many a second, and each would be a message through a pipe.
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + REPORT_SECONDS
            self._report(depth, states, grows)


@attrs.define
class _Worker:
    process: ForkProcess
    pipe: "Connection[object, object]"
    overseer: Overseer
    scenario: Scenario | None = None
    killed: bool = False


def _run_on_processes(
    task: Task, scenarios: Sequence[Scenario], source: Source, jobs: int, listener: Listener
) -> Iterator[Outcome]:
    # The last is taken first: the largest; or, one after the other, the first.
    waiting = sorted(scenarios, key=_size) if jobs > 1 else list(reversed(scenarios))
    workers: list[_Worker] = []
    by_name = {scenario.name: scenario for scenario in scenarios}
    try:
        for _ in range(jobs):
            workers.append(_begin(_start_worker(task, by_name, source, workers), waiting, listener))
        while any(worker.scenario for worker in workers):
            # With a limit, so that overseers look, and the display moves, while no worker has anything to report.
            ready = wait([worker.pipe for worker in workers if worker.scenario], POLL_SECONDS)
            for index, worker in enumerate(workers):
                # The watch within has not ended it: the code is in a call into C, or has taken the timer away. Its pipe
                # closes now, and is found ready by a later `wait`.
                if worker.overseer.out_of_time():
                    worker.killed = True
                    worker.process.kill()
                if worker.pipe not in ready or worker.scenario is None:
                    continue
                outcome = _receive_outcome(worker, listener)
                if outcome is None:
                    continue
                listener.finished(worker.scenario.name, outcome)
                # Its code has ended it, or it was killed just as its outcome came, and has not ended yet: only what is
                # still waiting needs another process.
                if waiting and (worker.killed or worker.process.exitcode is not None):
                    workers[index] = worker = _start_worker(task, by_name, source, workers)
                _begin(worker, waiting, listener)
                yield outcome
            listener.tick()
    finally:
        _dismiss(workers)


def _size(scenario: Scenario) -> tuple[int, int]:
    """A guess at how large the space of a scenario is."""
    faults = attrs.astuple(scenario.faults, recurse=False)
    calls = sum(len(client) for client in scenario.clients)
    return calls, sum(len(fault) if isinstance(fault, tuple) else fault for fault in faults)


def _start_worker(task: Task, by_name: Mapping[str, Scenario], source: Source, workers: Sequence[_Worker]) -> _Worker:
    ours, theirs = Pipe()
    # Anonymous memory is shared by a fork: 16 bytes are the two doubles of a Board.
    board = memoryview(mmap.mmap(-1, 16)).cast("d")
    # A fork has the parent's ends of all pipes: while it holds one, its owner never sees that the parent closed it.
    inherited = [ours, *(worker.pipe for worker in workers if not worker.pipe.closed)]

    def work() -> None:
        for pipe in inherited:
            pipe.close()
        _work(theirs, board, task, by_name, source)

    # daemon: the interpreter ends it at its own end, and does not wait for it.
    process = get_context("fork").Process(target=work, daemon=True)
    with deaf_to_interrupts(), warnings.catch_warnings():  # inherited: Ctrl-C is the parent's affair
        warnings.simplefilter("ignore", DeprecationWarning)  # threads: none of ours holds a lock that a worker needs
        process.start()
    theirs.close()  # else this process would hold the end open, and never see EOF when the worker dies
    return _Worker(process, ours, Overseer(board))


@contextmanager
def away_from_the_working_directory() -> Iterator[None]:
    """Python looks for modules of ``python -c`` in the working directory first. A ``signal.py`` that a user has there
    would end new processes, and the one that multiprocessing keeps beside them, before they begin."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        # The tracker counts shared semaphores, of which there are none here: if it was ended, that is no loss.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            resource_tracker.ensure_running()
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(worker: _Worker, waiting: list[Scenario], listener: Listener) -> _Worker:
    worker.scenario = waiting.pop() if waiting else None
    if worker.scenario is not None:
        listener.began(worker.scenario.name)
        with suppress(OSError):  # it has died: the next look at its pipe says so
            worker.pipe.send(worker.scenario.name)
    return worker


def _receive_outcome(worker: _Worker, listener: Listener) -> Outcome | None:
    """What a worker has to say: an outcome, or that it is under way."""
    assert worker.scenario is not None
    try:
        message = worker.pipe.recv()
    # It died, perhaps in the middle of a message. Where this process has killed it, its exit code is SIGKILL's.
    except (EOFError, OSError):
        worker.process.join()
        return _outcome_of_death(worker.scenario, HUNG if worker.killed else worker.process.exitcode)
    match message:
        case (int() as depth, int() as states, str() as grows):
            listener.at(worker.scenario.name, depth, states, grows)
            return None
        case Outcome():
            return message
        case Exception():
            raise message
        case _:
            raise AssertionError(f"a worker sent {message!r}")


def _outcome_of_death(scenario: Scenario, exitcode: int | None) -> Outcome:
    """The outcome of a scenario whose process is gone."""
    if exitcode == HUNG:
        return inconclusive_outcome(
            scenario, "its code ran on without an effect, and could not be interrupted; end its loop"
        )
    # An exit code comes from its own code; a signal from outside, as from a kernel that is short of memory.
    if exitcode is None or exitcode >= 0 or exitcode == -signal.SIGALRM:  # the timer of the watch outlives an exec
        return unusable(
            scenario,
            f"{scenario.name}: its code ended the process (exit code {exitcode}); take the exit out of it",
        )
    why = f"its process was ended from outside ({signal.Signals(-exitcode).name})"
    return inconclusive_outcome(scenario, f"{why}; fewer --jobs or less --max-memory may help")


def _dismiss(workers: Sequence[_Worker]) -> None:
    """End all workers, whatever they are at."""
    for worker in workers:
        worker.pipe.close()
        # SIGKILL: a fork has the handlers of this process, and the server of `explore` takes SIGTERM for a request.
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.process.close()


def _send(pipe: "Connection[object, object]", outcome: Outcome, scenario: Scenario) -> None:
    try:
        pipe.send(outcome)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  # it holds a value of the user's, which refuses in its own way
        why = f"{scenario.name}: its verdicts hold a value that is no plain text or number: {in_one_line(error)}"
        # Without its faults, which may hold the value: a class derived from int, say.
        pipe.send(unusable(attrs.evolve(scenario, faults=Faults()), why))


def _work(
    pipe: "Connection[object, object]", board: Board, task: Task, by_name: Mapping[str, Scenario], source: Source
) -> None:
    """What a process does: run what it is sent the name of, until the other end of the pipe is closed."""
    # A parent that is killed by SIGKILL runs no `finally`, and would leave its workers behind.
    die_with_parent()
    gc.freeze()  # what it was forked with stays: the collector would walk through the catalogue again and again
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has its parent's handler; `_dismiss` means the process
    os.dup2(2, 1)  # results are the command's: what flows print must not be among them
    sys.stdout = sys.stderr
    WATCH.board = board

    def report(*progress: object) -> None:
        pipe.send(progress)

    with suppress(EOFError, BrokenPipeError, ConnectionResetError), FORGOTTEN.noticed():
        while True:
            scenario = by_name[str(pipe.recv())]
            try:
                outcome = carried_out(task, scenario, source, _Throttled(report))
                _send(pipe, outcome, scenario)
            # The parent is gone: there is no one to report to.
            except (BrokenPipeError, ConnectionResetError):
                raise
            except OSError as error:
                # A plain one, which can be pickled; the parent raises it.
                pipe.send(OSError(error.errno, error.strerror, error.filename))
            except NoProtobuf:
                pipe.send(NoProtobuf())

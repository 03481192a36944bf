"""What a command costs: wall seconds, processor seconds and memory of the process and of all that it starts.

A process that outlives the one that started it (Spark's JVM does, by a moment) goes to the nearest ancestor that asked
for such: this one. So each process of the tree is waited for by its parent or here, and the kernel adds up what all of
them have used. Linux alone.
"""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

PAGE: Final = os.sysconf("SC_PAGE_SIZE")
PR_SET_CHILD_SUBREAPER: Final = 36
GRACE_SECONDS: Final = 30.0
"""For what outlives its parent."""


@attrs.frozen
class Cost:
    """Of one process with all its descendants: wall seconds to its end, processor seconds (user and system) to the end
    of them all, most bytes held, its exit code."""

    seconds: float
    cpu_seconds: float
    bytes: int
    code: int


def measured(command: Sequence[str], log: Path, limit: float | None = None) -> Cost:
    """Run a command; what it says goes to a file. limit: seconds after which it is stopped. No other child may run."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    most = [0]
    over = threading.Event()
    started = time.perf_counter()
    with log.open("a") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        watcher = threading.Thread(target=_watch, args=(process.pid, most, over))
        watcher.start()
        try:
            with _stopped_after(limit, process.pid):
                code, used = _waited(process.pid)
            seconds = time.perf_counter() - started
            process.returncode = code
            with _stopped_after(GRACE_SECONDS, os.getpid()):
                used += _all_waited()
        finally:
            over.set()
            watcher.join()
    return Cost(seconds, used, most[0], code)


def _waited(pid: int) -> tuple[int, float]:
    """The exit code of a child, and what was used by it and those that have ended before it."""
    used = 0.0
    while True:
        ended, status, usage = os.wait4(-1, 0)
        used += processor_seconds(usage)
        if ended == pid:
            return os.waitstatus_to_exitcode(status), used


def _all_waited() -> float:
    used = 0.0
    with contextlib.suppress(ChildProcessError):
        while True:
            used += processor_seconds(os.wait4(-1, 0)[2])
    return used


def processor_seconds(usage: resource.struct_rusage) -> float:
    """Of user and system."""
    return usage.ru_utime + usage.ru_stime


@contextlib.contextmanager
def _stopped_after(limit: float | None, pid: int) -> Iterator[None]:
    """A process and all that descend from it, but not this one, are killed if the block takes longer."""
    if limit is None:
        yield
        return
    timer = threading.Timer(limit, _kill, [pid])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kill(pid: int) -> None:
    for each in _tree(pid):
        if each != os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)


def _watch(pid: int, most: list[int], over: threading.Event) -> None:
    while not over.wait(0.25):
        most[0] = max(most[0], sum(map(_resident, _tree(pid))))


def _tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo.extend(children.get(found[-1], []))
    return found


def _resident(pid: int) -> int:
    """Its own pages: what it shares with the process that it was forked from is not counted twice."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE

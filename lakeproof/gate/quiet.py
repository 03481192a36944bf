"""When a program is quiet: all its threads sleep, and nothing is on its way to the store.

Then it waits for an answer of the gate, for a timer, or for nothing. On Linux this is read from ``/proc``; elsewhere
the gate waits for a stated time. Nothing is guessed from how long a program usually takes.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

SETTLING_SECONDS: Final = 0.02
"""Where threads cannot be seen: how long nothing must have arrived."""
STAT_BYTES: Final = 1 << 12
# S: it waits and can be woken; I: an idle thread of the kernel; t, T: it is stopped; X, x, Z: it has ended.
ASLEEP: Final = frozenset((b"S", b"I", b"t", b"T", b"X", b"Z", b"x"))
_CLOCK: Final = 2
"""CPUCLOCK_SCHED of Linux: what the scheduler has counted, in nanoseconds."""


def ran(pid: int) -> int:
    """How long all threads of a process have run so far, those that have ended too, in ns; -1: there is none.

    It is the clock of ``clock_getcpuclockid(3)``. A thread's time is counted when it leaves its core, at the latest:
    so a thread that sleeps is in it with all it has done.
    """
    try:
        # The kernel's MAKE_PROCESS_CPUCLOCK: the pid inverted, and the kind of clock in the three lowest bits.
        return time.clock_gettime_ns(~pid << 3 | _CLOCK)
    except OSError:
        return -1


def list_threads(pid: int) -> frozenset[str]:
    """The numbers of the threads of a process; none if it is gone."""
    try:
        return frozenset(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208  # names are all that is needed
    except FileNotFoundError:
        return frozenset()


def list_children(pid: int, tasks: Iterable[str]) -> frozenset[int]:
    """The processes that these threads have started; none if they have ended, or if the kernel does not list them."""
    found: set[int] = set()
    for task in tasks:
        with (
            suppress(OSError),
            open(f"/proc/{pid}/task/{task}/children", "rb") as file,  # noqa: PTH123  # a Path costs more than the read
        ):
            found.update(map(int, file.read().split()))
    return frozenset(found)


def kill_all(pid: int) -> None:
    """Kill what a process that leads a group has started, in groups of their own, too: it ends by itself then, as
    `lakeproof.gate.adopter` does. One that has started nothing is killed."""
    found = [pid]
    for each in found:  # grows
        found += list_children(each, list_threads(each))
    # From above: none lives on to see that one below it has ended.
    for each in found[1:]:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)
    if found == [pid]:  # or the kernel does not tell
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses a group in which all have ended
            os.killpg(pid, signal.SIGKILL)


_LISTED: Final = Path(f"/proc/self/task/{os.getpid()}/children")  # not by every kernel
CAN_SEE: Final = sys.platform == "linux" and _LISTED.exists() and ran(os.getpid()) > 0
"""Whether the machine tells what threads do, and which processes they start. A sandbox may look like Linux, and tell
nothing."""


class Watch:
    """Looks at the threads of processes, some ten times for each schedule: so their files stay open.

    A look asks how long the processes have run, then what each thread does, then again how long they have run. All
    threads sleep, and both times are the same: then none has run in between. For a thread that was woken by another
    one after it was seen asleep has been woken by one that ran in that time, and sleeps now, and its time is counted:

        question    how long has it run? 11      t sleeps      u sleeps        how long has it run? 12
        meanwhile                        u runs          u wakes t, sleeps

    So nothing that the program does can come later, unless a timer or another process wakes it, or a thread stays awake
    after all: on its way to sleep it is shown asleep, and still has its core for less than a microsecond. So who asks
    must look twice.
    """

    def __init__(self) -> None:
        self._threads: dict[tuple[int, str], int] = {}
        """An open file of each thread, which tells what it does; the one that was awake last is read first."""
        self._listed: dict[int, int] = {}
        """How long a process had run when its threads were listed: without running, it has no new ones."""
        self._children: dict[int, frozenset[int]] = {}
        """Listed with its threads: the processes that it has started."""

    def asleep(self, pids: Iterable[int]) -> Mapping[int, int] | None:
        """How long each of these processes, and of those that they have started, has run, in ns, if all their threads
        sleep, and none ran meanwhile; None: one did. A process that is gone has run for -1 ns."""
        times = {pid: ran(pid) for pid in self._with_children(pids)}
        # In this order: a thread that begins between the first clock and its list is found by the last clock.
        still = self._follow(times) and self._all_sleep() and all(ran(pid) == spent for pid, spent in times.items())
        return times if still else None

    def close(self) -> None:
        """Watch nothing any more."""
        for file in self._threads.values():
            os.close(file)
        self._threads.clear()
        self._listed.clear()
        self._children.clear()

    def _with_children(self, pids: Iterable[int]) -> list[int]:
        found = list(pids)
        for pid in found:  # grows
            found += [each for each in self._children.get(pid, ()) if each not in found]
        return found

    def _all_sleep(self) -> bool:
        for which, file in self._threads.items():
            try:
                line = os.pread(file, STAT_BYTES, 0)
            except OSError:  # it has just ended
                self._drop(which)
                return False
            # A thread in uninterruptible sleep (D) waits for a disk, and goes on by itself: it does not sleep.
            if line[line.rindex(b")") + 2 :][:1] not in ASLEEP:
                self._threads = {which: file, **self._threads}  # first in the next look: it is likely to be awake still
                return False
        return True

    def _follow(self, times: dict[int, int]) -> bool:
        """Open the files of new threads, and close those of threads that are not there any more; whether all that were
        listed are open, and all processes are among ``times``."""
        # These are of processes that were restarted.
        for pid in {pid for pid, _ in self._threads} - times.keys():
            self._list(pid, frozenset())
        moved = {pid for pid, spent in times.items() if self._listed.get(pid) != spent}
        # One that has run may have ended, or one that it has started: then those that this had started are of one above
        # it now, which need not have run. From below: who has started others is before them in ``times``.
        for pid in reversed(times):
            if self._children.get(pid, frozenset()) & moved:
                moved.add(pid)
        return all(self._relist(pid, times) for pid in times if pid in moved)

    def _relist(self, pid: int, times: Mapping[int, int]) -> bool:
        tasks = list_threads(pid)
        self._children[pid] = list_children(pid, tasks)
        # Without a clock there must be no threads either: otherwise one of the two is out of date.
        complete = self._list(pid, tasks) and (times[pid] >= 0 or not tasks) and self._children[pid] <= times.keys()
        if complete:
            self._listed[pid] = times[pid]
        return complete

    def _list(self, pid: int, tasks: frozenset[str]) -> bool:
        known = {task for process, task in self._threads if process == pid}
        for task in known - tasks:
            self._drop((pid, task))
        for task in tasks - known:
            try:
                self._threads[pid, task] = os.open(f"/proc/{pid}/task/{task}/stat", os.O_RDONLY)
            except OSError:  # it has just ended
                return False
        return True

    def _drop(self, which: tuple[int, str]) -> None:
        """A later thread may have the same number: nothing is known of it."""
        os.close(self._threads.pop(which))
        self._listed.pop(which[0], None)

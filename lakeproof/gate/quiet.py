"""When a program is quiet: all its threads sleep, and nothing is on its way to the store.

Then it waits for an answer that is held, for a timer, or for nothing. On Linux this is read from ``/proc``; elsewhere
the gate waits for a stated time. Nothing is guessed from how long a program usually takes.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

SETTLING_SECONDS: Final = 0.02
"""Where threads cannot be seen: how long nothing must have arrived."""
CAN_SEE: Final = sys.platform == "linux"
COUNTS_SLICES: Final = Path("/proc/self/schedstat").exists()
READ_BYTES: Final = 1 << 12
ASLEEP: Final = frozenset((b"S", b"I", b"t", b"T", b"X", b"Z", b"x"))


class Thread:
    """Two open files of a thread: what it does, and how often it has run. Raises OSError, as it may be gone."""

    def __init__(self, folder: str) -> None:
        self._state = os.open(f"{folder}/stat", os.O_RDONLY)
        try:
            self._runs = os.open(f"{folder}/{'schedstat' if COUNTS_SLICES else 'status'}", os.O_RDONLY)
        except OSError:
            os.close(self._state)
            raise

    def runs(self) -> bytes:
        """What grows whenever it runs: its time and its slices, where the kernel counts them, else its switches."""
        told = os.pread(self._runs, READ_BYTES, 0)
        if COUNTS_SLICES:
            return told
        return b"".join(line for line in told.splitlines() if b"ctxt_switches" in line)

    def sleeps(self) -> bool:
        """A thread in uninterruptible sleep (``D``) waits for a disk, and goes on by itself: it does not sleep."""
        told = os.pread(self._state, READ_BYTES, 0)
        return told[told.rindex(b")") + 2 :][:1] in ASLEEP

    def close(self) -> None:
        os.close(self._state)
        os.close(self._runs)


class Watch:
    """Looks at the threads of processes, some hundred times for each schedule: so their files stay open.

    A thread that was seen asleep, and has not run since it had run so often, is known to sleep or to have been woken.
    Two looks, three threads; t has been woken by u just after it was seen, and waits for a core:

        first look     t has run 7 times, sleeps      u has run 4 times: once more than known, sleeps      v: as known
        second look    t does not sleep

    So the first look asks for the state only of threads that have run; the second one, of all, and then how often each
    has run. If that is as it was, none was even woken between the two.
    """

    def __init__(self) -> None:
        self._threads: dict[tuple[int, str], Thread] = {}
        self._known: dict[tuple[int, str], bytes] = {}
        """How often a thread had run, just before it was seen asleep."""
        self._listed: dict[int, list[str]] = {}
        """The threads of each process, as they were listed last."""
        self._settled = False

    def forget(self) -> None:
        """The program has been given something to do: the next look is a first one."""
        self._settled = False

    def asleep(self, pids: Iterable[int]) -> Mapping[tuple[int, str], bytes] | None:
        """How often each thread of these processes has run so far, if all of them seem to sleep; None: one does not.

        Threads are looked at one after the other, and one may wake another that was seen asleep. So a program sleeps
        only if two looks in a row see the same. A process that is gone has no threads.
        """
        self._follow(pids)
        settled, self._settled = self._settled, False
        try:
            if settled and not all(thread.sleeps() for thread in self._threads.values()):
                return None
            found = {which: thread.runs() for which, thread in self._threads.items()}
            for which, runs in found.items():
                if self._known.get(which) != runs:
                    if not self._threads[which].sleeps():
                        return None
                    self._known[which] = runs
        except OSError:  # one has just ended; the next look forgets it
            self._forget_ended()
            return None
        self._settled = True
        return found

    def close(self) -> None:
        """Watch nothing any more."""
        for thread in self._threads.values():
            thread.close()
        self._threads.clear()
        self._known.clear()
        self._listed.clear()

    def _follow(self, pids: Iterable[int]) -> None:
        """Open the files of new threads, and close those of threads that are not listed any more."""
        listed = {pid: self._tasks(pid) for pid in pids}
        if listed == self._listed:
            return
        there = {(pid, task) for pid, tasks in listed.items() for task in tasks}
        for which in there - self._threads.keys():
            pid, task = which
            try:
                self._threads[which] = Thread(f"/proc/{pid}/task/{task}")
            except OSError:  # one has just ended
                listed = {}
        for which in self._threads.keys() - there:
            self._drop(which)
        self._listed = listed

    def _tasks(self, pid: int) -> list[str]:
        try:
            return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  # names are all that is needed
        except FileNotFoundError:
            return []

    def _forget_ended(self) -> None:
        """Close the files of threads that have ended; a later one may have the same number."""
        for which, thread in list(self._threads.items()):
            try:
                thread.runs()
                thread.sleeps()
            except OSError:
                self._drop(which)

    def _drop(self, which: tuple[int, str]) -> None:
        """A later thread may have the same number: nothing is known of it."""
        self._threads.pop(which).close()
        self._known.pop(which, None)
        self._listed = {}

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
        """What grows whenever it runs: its time slices, where the kernel counts them, else its switches."""
        told = os.pread(self._runs, READ_BYTES, 0)
        if COUNTS_SLICES:
            return told.rpartition(b" ")[2]
        return b"".join(line for line in told.splitlines() if b"ctxt_switches" in line)

    def sleeps(self) -> bool:
        """A thread in uninterruptible sleep (``D``) waits for a disk, and goes on by itself: it does not sleep."""
        told = os.pread(self._state, READ_BYTES, 0)
        return told[told.rindex(b")") + 2 :][:1] in ASLEEP

    def close(self) -> None:
        os.close(self._state)
        os.close(self._runs)


class Watch:
    """Looks at the threads of processes, some thousand times for each schedule: so their files stay open."""

    def __init__(self) -> None:
        self._threads: dict[tuple[int, str], Thread] = {}
        self._before: Mapping[tuple[int, str], bytes] = {}

    def asleep(self, pids: Iterable[int]) -> Mapping[tuple[int, str], bytes] | None:
        """How often each thread of these processes has run so far, if all of them sleep; None: one does not, or has
        run since the last look.

        Threads are looked at one after the other, and one may wake another that was seen asleep. So a program sleeps
        only if two looks in a row see the same. A process that is gone has no threads.
        """
        self._follow(pids)
        before, self._before = self._before, {}
        try:
            found = {which: thread.runs() for which, thread in self._threads.items()}
            self._before = found
            calm = found == before and all(thread.sleeps() for thread in self._threads.values())
        except OSError:  # one has just ended; the next look forgets it
            self._forget_ended()
            return None
        return found if calm else None

    def close(self) -> None:
        """Watch nothing any more."""
        for thread in self._threads.values():
            thread.close()
        self._threads.clear()

    def _follow(self, pids: Iterable[int]) -> None:
        """Open the files of new threads, and close those of threads that are not listed any more."""
        there: set[tuple[int, str]] = set()
        for pid in pids:
            try:
                tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  # names are all that is needed
            except FileNotFoundError:
                continue
            for task in tasks:
                if (pid, task) not in self._threads:
                    try:
                        self._threads[pid, task] = Thread(f"/proc/{pid}/task/{task}")
                    except OSError:
                        continue
                there.add((pid, task))
        for which in [each for each in self._threads if each not in there]:
            self._threads.pop(which).close()

    def _forget_ended(self) -> None:
        """Close the files of threads that have ended; a later one may have the same number."""
        for which, thread in list(self._threads.items()):
            try:
                thread.runs()
                thread.sleeps()
            except OSError:
                self._threads.pop(which).close()

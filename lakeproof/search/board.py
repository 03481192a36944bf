"""What processes that work for one another agree on: how long code of the user's may run, and to end together.

A board is a note that one process keeps for another: since when it runs code of the user's, and how long that may take.

The watch of a process (`lakeproof.search.fence`) is a signal handler, and Python calls those between two instructions
only: a call into C that does not come back (``all(itertools.repeat(1))``) is never interrupted, and code of the user's
may take the timer away. So the process that waits for the work reads the note, and kills the one that is over its time.
"""

import ctypes
import signal
import time
from contextlib import suppress
from typing import Final, Protocol

GRACE_SECONDS: Final = 5.0
"""How much longer than its limit code may run until its process is killed: the watch inside comes first."""

_STRIDE_SECONDS_MAX: Final = 1.0
"""Between two looks no more than this counts: while both processes are stopped (Ctrl-Z), nothing runs."""


_DIE_WITH_PARENT: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux' prctl."""


def die_with_parent() -> None:
    """Let this process be killed when the one that began it ends, however that ends. Linux only; elsewhere nothing."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)  # None: libc, which the interpreter has loaded


class Board(Protocol):
    """Two numbers in memory that two processes share: when the code was entered (monotonic seconds; 0: none runs), and
    its limit in seconds."""

    def __getitem__(self, index: int, /) -> float: ...

    def __setitem__(self, index: int, value: float, /) -> None: ...


class Overseer:
    """Reads the note of another process from time to time."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._entered = 0.0
        self._waited_seconds = 0.0
        self._looked = time.monotonic()

    def out_of_time(self) -> bool:
        """Whether the other process has been in one stretch of code for longer than it may."""
        now = time.monotonic()
        # Not the clock alone: it goes on while both processes are stopped, and the code has not run.
        passed, self._looked = min(now - self._looked, _STRIDE_SECONDS_MAX), now
        entered = self._board[0]
        if not entered or entered != self._entered:  # another stretch of code began meanwhile, or none runs
            self._entered, self._waited_seconds = entered, 0.0
            return False
        self._waited_seconds += passed
        return self._waited_seconds > self._board[1] + GRACE_SECONDS

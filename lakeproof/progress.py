"""Progress of long work, on stderr: a live line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

SILENCE_SECONDS: Final = 10.0
"""Where nobody watches, a line at most this often."""


class Progress:
    """Counts scenarios that are done."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = self._states = 0
        self._last = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, scenario: str, states: int) -> None:
        """One more is done."""
        self._done += 1
        self._states += states
        told = f"{self._states:,} states; {scenario}"
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=told)
        elif time.monotonic() - self._last > SILENCE_SECONDS:
            self._last = time.monotonic()
            sys.stderr.write(f"lakeproof: {self._done} of {self._total} scenarios, {told}\n")

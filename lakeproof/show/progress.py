"""Progress of long work, on stderr: a live line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from lakeproof.show.style import console
from lakeproof.verify.processes import Listener
from lakeproof.verify.tasks import Outcome
from lakeproof.words import plural

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

BAR_WIDTH: Final = 20

SILENCE_SECONDS: Final = 10.0
"""Where no terminal is, a line at most this often."""

ESTIMATED_FROM: Final = 0.05
"""From this share of the scenarios on, their time is a measure of the others'."""


class Progress(Listener):
    """Hears what runs, and says so."""

    def __init__(self, doing: str, total: int) -> None:
        self._doing = doing
        self._total = total
        self._done = self._states = 0
        self._under_way: dict[str, tuple[int, int, str]] = {}
        self._started = self._last = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn(self._doing),
                BarColumn(bar_width=BAR_WIDTH),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
                console=console(sys.stderr),
                transient=True,
                auto_refresh=False,  # no thread: processes are forked while it is shown
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def began(self, name: str) -> None:
        self._under_way[name] = (0, 0, "")
        self.tick()

    def at(self, name: str, depth: int, states: int, grows: str) -> None:
        self._under_way[name] = (depth, states, grows)

    def finished(self, name: str, outcome: Outcome) -> None:
        self._under_way.pop(name, None)
        self._done += 1
        self._states += outcome.states
        if self._bar is not None:
            self._bar.advance(self._task)

    def tick(self) -> None:
        if self._bar is not None:
            # The widths of the other columns, with the blanks between them: the description has what is left of the
            # line.
            around = len(self._doing) + BAR_WIDTH + 2 * len(str(self._total)) + len("/ 0:00:00 0:00:00") + 5
            room = max(self._bar.console.width - around, 0)
            self._bar.update(self._task, description=self._describe()[:room], refresh=True)
        elif time.monotonic() - self._last >= SILENCE_SECONDS:
            self._last = time.monotonic()
            elapsed = round(self._last - self._started)
            done = f"{self._done:,} of {plural(self._total, 'scenario')} done after {elapsed} s"
            # At least one is done then, so the division is safe.
            if self._done >= self._total * ESTIMATED_FROM:
                done += f", about {round(elapsed / self._done * (self._total - self._done))} s left"
            sys.stderr.write(f"{self._doing}: {done}; {self._describe()}\n")

    def _describe(self) -> str:
        """How much has been seen, and what takes longest."""
        states = self._states + sum(states for _, states, _ in self._under_way.values())
        seen = f"{plural(states, 'state')}, " if states else ""
        if not self._under_way:
            return seen.removesuffix(", ")
        # The one with the most states.
        name, (depth, _, grows) = max(self._under_way.items(), key=lambda item: item[1][1])
        return f"{seen}now {name}" + (f" at depth {depth}{grows}" if depth else "")

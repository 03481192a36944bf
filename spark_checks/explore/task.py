"""What `lakeproof spark explore` does with a scenario: `lakeproof.verify.tasks.Verify`, its levels on Spark."""

import sys
import time
from contextlib import redirect_stdout
from typing import Final

import attrs

from lakeproof.scenario import Scenario
from lakeproof.search.search import Limits, Options, Result, search
from lakeproof.spark_checks.explore.levels import SparkLevels
from lakeproof.spark_checks.explore.search import DRIVER_STATES, on
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verify
from lakeproof.words import Progress, plural

REPORT_SECONDS: Final = 5.0


@attrs.frozen(kw_only=True)
class Explore(Verify):
    """Search every schedule, within limits. Not to be sent to another process: it holds an engine."""

    engine: SparkLevels
    driver_states: int = DRIVER_STATES
    options: Options = attrs.field(factory=Options)

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        try:
            # No process of its own keeps what flows print from the command's results.
            with redirect_stdout(sys.stderr):
                return super().run(scenario, source, Speed(scenario.name, progress))
        finally:
            self.engine.clear()

    def search(self, scenario: Scenario, limits: Limits, progress: Progress) -> Result:
        return search(scenario, limits, self.options, progress, on(self.engine, self.driver_states))


class Speed:
    """Passes progress on, and says now and then on stderr how fast it goes."""

    def __init__(self, name: str, progress: Progress) -> None:
        self._name, self._progress = name, progress
        self._time, self._states = time.monotonic(), 0

    def __call__(self, level: int, states: int, wide: int, grows: str) -> None:
        self._progress(level, states, wide, grows)
        now = time.monotonic()
        if states < self._states:  # the search has started over
            self._time, self._states = now, 0
        if now - self._time >= REPORT_SECONDS:
            rate = round((states - self._states) / (now - self._time))
            self._time, self._states = now, states
            sys.stderr.write(
                f"{self._name}: level {level} of {plural(wide, 'state')}, {plural(states, 'state')} so far, "
                f"{rate:,} states/s\n"
            )

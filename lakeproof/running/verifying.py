"""`check`: one scenario, from any test runner."""

from lakeproof.explore.trace import Trace
from lakeproof.report.story import story
from lakeproof.running.loading import Source
from lakeproof.running.tasks import Outcome, Unusable, Verify, carried_out
from lakeproof.scenario import Scenario


class NotAsExpected(AssertionError):
    """A verdict that differs from what the scenario expects. The text has the verdict and, where an invariant is
    violated, the shortest schedule that violates it. ``outcome``: all verdicts, with traces."""

    def __init__(self, text: str, outcome: Outcome) -> None:
        super().__init__(text)
        self.outcome = outcome


def check(scenario: Scenario, *, states_max: int | None = None, seconds_max: float | None = None) -> Outcome:
    """Search every schedule of a scenario, in this process; all verdicts, if each is as the scenario expects.

    states_max, seconds_max: where the search stops; what is not decided by then is inconclusive. None: no limit.

    Raises:
        NotAsExpected: a verdict is not the expected one; inconclusive is not "holds".
        Unusable: the scenario cannot be run; one line that names the place and the repair.
    """
    task = Verify(states_max=states_max, seconds_max=seconds_max)
    outcome = carried_out(task, scenario, Source(), lambda states, transitions, depth: None)
    if outcome.trouble:
        raise Unusable(outcome.trouble)
    wrong = [verdict for verdict in outcome.verdicts if verdict.unexpected]
    if wrong:
        lines = [
            f"{scenario.name}: {verdict.invariant} is {verdict.verdict}, expected {verdict.expected}"
            + (f": {verdict.why}" if verdict.why else "")
            for verdict in wrong
        ]
        stories = [_shown(verdict.trace) for verdict in wrong if verdict.trace is not None]
        raise NotAsExpected("\n\n".join(["\n".join(lines), *stories]), outcome)
    return outcome


def _shown(trace: Trace) -> str:
    return story([trace]).plain

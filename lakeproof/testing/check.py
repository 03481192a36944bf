"""`check`: one scenario, from any test runner."""

import attrs

from lakeproof.scenario import Scenario
from lakeproof.search.trace import Trace
from lakeproof.show.story import story
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verify, carried_out, inconclusive_outcome
from lakeproof.words import Unusable


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
    # No file: the scenario was built by the test, and not loaded.
    outcome = carried_out(task, scenario, Source(), lambda *_: None)
    # Before the verdicts, which are inconclusive then: "expected holds" would hide the reason.
    if outcome.trouble:
        raise Unusable(outcome.trouble)
    wrong = [verdict for verdict in outcome.verdicts if verdict.unexpected]
    if wrong:
        lines = [
            f"{scenario.name}: {verdict.invariant} is {verdict.verdict}, expected {verdict.expected}"
            + (f": {verdict.why}" if verdict.why else "")
            for verdict in wrong
        ]
        stories = [story([verdict.trace]).plain for verdict in wrong if verdict.trace is not None]
        raise NotAsExpected("\n\n".join(["\n".join(lines), *stories]), outcome)
    return outcome


def still_violates(trace: Trace, scenario: Scenario) -> None:
    """Replay a trace that was recorded before. It returns if the code no longer follows it, or cannot be run: then only
    a search can say what holds. Cost: that of one execution.

    Raises:
        NotAsExpected: the code follows it, to the byte; the trace's invariant is violated as it was then.
    """
    from lakeproof.search.fence import Undecided
    from lakeproof.search.replay import replay
    from lakeproof.verify.isolation import isolate_code

    try:
        with isolate_code(scenario, Source()):
            replay(trace, scenario)
    # The code has changed, loops now, or is no flow any more: the search that follows reports that.
    except (Exception, Undecided):  # noqa: BLE001
        return
    name = trace.invariant
    # An outcome needs a verdict for each id; of the others, one execution says nothing.
    known = inconclusive_outcome(scenario, "an earlier counterexample was replayed first")
    verdicts = [
        attrs.evolve(each, verdict="violated", why="", trace=trace) if each.invariant == name else each
        for each in known.verdicts
    ]
    expected = scenario.expected(name)
    line = f"{scenario.name}: {name} is violated, expected {expected}: the code still follows an earlier counterexample"
    raise NotAsExpected(f"{line}\n\n{story([trace]).plain}", attrs.evolve(known, verdicts=tuple(verdicts)))

"""A counterexample as a story: a line a step, and at the end what it breaks."""

from lakeproof.explore.execution import label
from lakeproof.explore.trace import Execution, Trace
from lakeproof.report import words
from lakeproof.scenario import Scenario


def meaning_of(scenario: Scenario, invariant_id: str) -> str:
    """What an invariant of a scenario says."""
    checks = (*scenario.invariants, *scenario.aftermath)
    return next(check.meaning for check in checks if check.id == invariant_id)


def story(trace: Trace, scenario: Scenario, execution: Execution) -> str:
    """The whole counterexample, for a reader who does not know the code."""
    bounds = ", ".join(f"{name} {value}" for name, value in trace.faults) or "no faults"
    violated = f"violated: {trace.invariant}: {meaning_of(scenario, trace.invariant)}"
    lines = [f"{trace.scenario} ({bounds})", violated, "", *_cast(scenario, execution), ""]
    width = max((len(words.who(step)) for step in execution.steps), default=1)
    for number, step in enumerate(execution.steps, 1):
        told = ", ".join(part for part in (words.effect(step.op), words.reply(step)) if part)
        ended = words.outcome(step)
        lines.append(f"{number:4}  {words.who(step):{width}}  {told}" + (f"; {ended}" if ended else ""))
    return "\n".join([*lines, "", f"evidence: {trace.evidence}"])


def _cast(scenario: Scenario, execution: Execution) -> list[str]:
    """Who takes part."""
    cast = {words.who(step): "" for step in execution.steps if step.move.client >= 0}
    for client, calls in enumerate(scenario.clients):
        name = label(client)
        if name in cast:
            cast[name] = ", then ".join(map(str, calls))
    setup = [f"  before: {', '.join(map(str, scenario.setup))}"] if scenario.setup else []
    return setup + [f"  {name}: {calls}" for name, calls in sorted(cast.items())]

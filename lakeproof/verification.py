"""Verification of many scenarios: one process a core, verdicts and traces as plain data.

A worker searches a scenario, replays each counterexample on the real flows, and returns a `Verification`.
"""

import multiprocessing
import os
from collections.abc import Iterator, Sequence

import attrs

from lakeproof.explore.search import Limits, Result, search
from lakeproof.explore.trace import Trace, record
from lakeproof.scenario import Scenario, ScenarioError


@attrs.frozen(kw_only=True)
class Verdict:
    """The verdict on one invariant of one scenario, as reported."""

    scenario: str
    invariant: str
    expected: str
    verdict: str
    why: str
    reached: int
    steps: int | None
    trace: Trace | None

    @property
    def as_expected(self) -> bool:
        return self.verdict == self.expected


@attrs.frozen(kw_only=True)
class Verification:
    """What came of one scenario."""

    scenario: str
    bounds: str
    verdicts: tuple[Verdict, ...]
    states: int
    transitions: int
    depth: int
    complete: bool
    seconds: float
    final_states: int
    collision: float
    error: str = ""
    """Why the scenario could not be searched; it then has no verdicts."""


def verify_one(scenario: Scenario, limits: Limits, source: str = "") -> Verification:
    """Search a scenario; an unusable one comes back with ``error``."""
    from lakeproof.explore.execution import NondeterministicFlow, UnexpectedError

    try:
        result = search(scenario, limits)
    except (ScenarioError, NondeterministicFlow, UnexpectedError) as error:
        return Verification(
            scenario=scenario.name,
            bounds=bounds_of(scenario),
            verdicts=(),
            states=0,
            transitions=0,
            depth=0,
            complete=False,
            seconds=0.0,
            final_states=0,
            collision=0.0,
            error=f"{scenario.name}: {error}",
        )
    return Verification(
        scenario=scenario.name,
        bounds=bounds_of(scenario),
        verdicts=tuple(_verdicts(scenario, result, source)),
        states=result.states,
        transitions=result.transitions,
        depth=result.depth,
        complete=result.complete,
        seconds=result.seconds,
        final_states=result.final_states,
        collision=result.collision,
    )


def bounds_of(scenario: Scenario) -> str:
    """Clients, calls and fault budgets in a few words."""
    calls = sum(len(calls) for calls in scenario.clients)
    faults = [f"{name} {value}" for name, value in attrs.asdict(scenario.faults).items() if value]
    return ", ".join([f"{len(scenario.clients)} clients", f"{calls} calls", *(faults or ["no faults"])])


def _verdicts(scenario: Scenario, result: Result, source: str) -> Iterator[Verdict]:
    for finding in result.findings:
        found = finding.counterexample
        yield Verdict(
            scenario=scenario.name,
            invariant=finding.id,
            expected=scenario.expected(finding.id),
            verdict=finding.verdict,
            why=finding.why,
            reached=finding.reached,
            steps=None if found is None else len(found.moves),
            trace=None if found is None else record(scenario, finding.id, found.moves, source=source),
        )


_scenarios: dict[str, Scenario] = {}


def _begin(source: str | None) -> None:
    from lakeproof.catalogue import load

    os.environ["OMP_NUM_THREADS"] = "1"
    _scenarios.update({scenario.name: scenario for scenario in load(source)})


def _work(task: tuple[str, Limits, str]) -> Verification:
    name, limits, source = task
    return verify_one(_scenarios[name], limits, source)


def verify_all(
    scenarios: Sequence[Scenario], source: str | None, limits: Limits, jobs: int
) -> Iterator[Verification]:
    """Verify scenarios side by side, the largest first; yields each as it is done."""
    shown = "" if source is None else os.path.basename(source)  # noqa: PTH119  # a name, not a path
    ordered = sorted(scenarios, key=lambda s: -sum(len(calls) for calls in s.clients))
    if jobs == 1 or len(ordered) == 1:
        for scenario in ordered:
            yield verify_one(scenario, limits, shown)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(ordered)), _begin, (source,)) as pool:
        yield from pool.imap_unordered(_work, [(s.name, limits, shown) for s in ordered], chunksize=4)

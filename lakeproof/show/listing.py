"""Scenarios as a list, or by variant: name, bounds, what is known to be refuted."""

import json
from collections.abc import Sequence

import attrs
from rich.text import Text

from lakeproof.scenario import Faults, Scenario
from lakeproof.search.describe import printable, span
from lakeproof.show.table import variant
from lakeproof.words import plural


def families(scenarios: Sequence[Scenario]) -> Text:
    """One line a variant, and last the command that lists the scenarios of one."""
    groups: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault(variant(scenario.name) or scenario.name, []).append(scenario)
    width = max(map(len, groups))
    lines = [Text.assemble((f"{name:<{width}}", "bold"), f"  {_bounds(group)}") for name, group in groups.items()]
    return Text("\n").join([*lines, Text(f"\n`lakeproof scenarios {next(iter(groups))}` lists those of one line")])


def _bounds(group: Sequence[Scenario]) -> str:
    """How many there are, and what is known of them together."""
    every = {name for scenario in group for name in scenario.named_ids}
    refuted = {name for scenario in group for name in scenario.ids if scenario.expected(name) == "violated"}
    known = f", {len(refuted)} of them refuted" if refuted else ""
    return f"{plural(len(group), 'scenario')}, {plural(len(every), 'invariant')}{known}"


def listing(scenarios: Sequence[Scenario]) -> Text:
    """One line a scenario."""
    width = max(len(scenario.name) for scenario in scenarios)
    return Text("\n").join(_line(scenario, width) for scenario in scenarios)


def _line(scenario: Scenario, width: int) -> Text:
    refuted = [name for name in scenario.ids if scenario.expected(name) == "violated"]
    line = Text.assemble((f"{scenario.name:<{width}}", "bold"), f"  {plural(len(scenario.clients), 'client')}")
    faults = faults_in_words(scenario.faults)
    if faults:
        line.append(f", {faults}", "yellow")
    line.append(f"; {plural(len(scenario.named_ids), 'invariant')}")
    if refuted:
        line.append(f", refuted: {', '.join(refuted)}", "red")
    if scenario.deep:
        line.append(", deep")
    return line


def faults_in_words(faults: Faults) -> str:
    """Budgets: ``1 crash, 1 lost answer``; empty if nothing may go wrong."""
    parts = []
    for name, budget in attrs.asdict(faults).items():
        what = name.replace("_", " ")
        if isinstance(budget, int) and budget:
            parts.append(plural(budget, {"crashes": "crash"}.get(what, what.removesuffix("s")), what))
        # The jumps and the skew of clocks are tuples of times; a skew of zeros is none.
        elif budget and any(budget):
            parts.append(f"{what} {', '.join(span(part) for part in budget)}")
    return ", ".join(parts)


def as_json_line(scenario: Scenario) -> str:
    """One JSON object."""
    return json.dumps(
        {
            "scenario": scenario.name,
            "setup": [printable(str(call)) for call in scenario.setup],
            "clients": [[printable(str(call)) for call in calls] for calls in scenario.clients],
            "deep": scenario.deep,
            "bounds": attrs.asdict(scenario.faults),
            "expected": {name: scenario.expected(name) for name in scenario.ids},
            "reason": scenario.reason,
            "source": scenario.source,
        }
    )

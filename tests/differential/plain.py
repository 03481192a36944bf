"""The plain search: slow, obvious, without tries, tables or packing. It keeps the vectorised search honest.

It goes breadth first over `World` with a visited set, and its `Referee` takes invariants literally.
"""

from collections.abc import Hashable

import attrs

from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Violation
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search.faults import Move
from lakeproof.search.referee import Referee, Verdicts
from lakeproof.search.setup import prepare
from lakeproof.search.world import World


@attrs.frozen
class PlainResult:
    """What a plain search has established."""

    verdicts: dict[str, str]
    violations: dict[str, tuple[Violation, tuple[Move, ...]]]
    states: int
    transitions: int
    finals: frozenset[Exact]
    """Of `World.final`."""
    keys: frozenset[Exact]
    """Of pairs: `World.key`, and the states of the monitors."""


def plain_search(scenario: Scenario, states_max: int = 200_000) -> PlainResult:
    """Breadth first over worlds, with a visited set of raw states. Cost: a re-run per transition."""
    setting = prepare(scenario)
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    first = World(setting)
    start = referee.start()
    seen = {Exact((first.key(), start))}
    referee.state(first, start)
    finals: set[Exact] = {Exact(first.final())} if first.quiescent else set()
    level: list[tuple[World, tuple[Hashable, ...]]] = [(first, start)]
    transitions = 0
    while level:
        following: list[tuple[World, tuple[Hashable, ...]]] = []
        for world, monitors in level:
            for move in world.moves():
                transitions += 1
                twin = world.fork()
                before = twin.cells
                after = referee.step(twin, twin.step(move), before, monitors)
                key = Exact((twin.key(), after))
                if key in seen:
                    twin.close()
                    continue
                if len(seen) >= states_max:
                    for left, _ in (*level, *following, (twin, after)):
                        left.close()
                    raise AssertionError(f"{scenario.name}: more than {states_max} states: not for this search")
                seen.add(key)
                referee.state(twin, after)
                if twin.quiescent:
                    finals.add(Exact(twin.final()))
                following.append((twin, after))
            world.close()
        level = following
    verdicts.reached.setdefault(NO_UNHANDLED_EXCEPTION, 1)  # at least that no call ends, and none raises
    return _result(scenario, verdicts, len(seen), transitions, finals, set(seen))


def _verdict(found: Verdicts, name: str) -> str:
    """As the search would give it, all schedules being covered."""
    if name in found.violations:
        return "violated"
    return "holds" if found.reached.get(name) else "inconclusive"


def _result(
    scenario: Scenario,
    verdicts: Verdicts,
    states: int,
    transitions: int,
    finals: set[Exact],
    keys: set[Exact],
) -> PlainResult:
    return PlainResult(
        verdicts={name: _verdict(verdicts, name) for name in scenario.ids},
        violations=verdicts.violations,
        states=states,
        transitions=transitions,
        finals=frozenset(finals),
        keys=frozenset(keys),
    )

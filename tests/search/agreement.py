"""Searches are held against the plain one, where the enumerator of tests/differential cannot be: groups, records."""

from collections.abc import Sequence

from lakeproof.scenario import Scenario
from lakeproof.search.faults import Move
from lakeproof.search.plain import Referee, Verdicts
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from tests.differential.agreement import WAYS, Searched, disagreements, plain, run_search
from tests.differential.enumerator import Enumeration


def check_agreement(scenario: Scenario, expected: Enumeration | None = None) -> dict[str, Searched]:
    """Every way to search agrees with the plain search, and so do the flows themselves. Returns what was found."""
    expected = expected or plain(scenario)
    assert expected is not None
    assert disagreements(scenario, expected) == []
    found = {way: searched for way, options in WAYS.items() if (searched := run_search(scenario, options))}
    for searched in found.values():
        for finding in searched.result.findings:
            if finding.counterexample is not None:
                moves = finding.counterexample.moves
                assert finding.id in violated_by(scenario, moves)
                assert finding.id not in violated_by(scenario, moves[:-1]) or not moves
    return found


def violated_by(scenario: Scenario, moves: Sequence[Move]) -> set[str]:
    """The invariants that these moves violate, step by step on a world."""
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    world, monitors = World(prepare(scenario)), referee.start()
    referee.state(world, monitors)
    for move in moves:
        before = world.cells
        monitors = referee.step(world, world.step(move), before, monitors)
        referee.state(world, monitors)
    world.close()
    return set(verdicts.violations)


def schedules(scenario: Scenario, begun: tuple[Move, ...] = ()) -> int:
    """How many there are, from start to end, each run by itself."""
    world = World(prepare(scenario))
    for move in begun:
        world.step(move)
    moves = world.moves()
    world.close()
    return sum(schedules(scenario, (*begun, move)) for move in moves) if moves else 1

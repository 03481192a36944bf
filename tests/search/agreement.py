"""Searches are held against the plain one, where the enumerator of tests/differential cannot be: groups, records; and
against the enumerators of flows that send or watch."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

import attrs
import pytest
from _pytest.mark.structures import ParameterSet

from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Always, Eventually
from lakeproof.model.snapshot import CallView
from lakeproof.scenario import Scenario
from lakeproof.search.faults import Move
from lakeproof.search.minimise import reduce_preemptions
from lakeproof.search.referee import Referee, Verdicts
from lakeproof.search.replay import NotReproduced, record, replay
from lakeproof.search.results import Counterexample, Finding, Limits, Options, Result
from lakeproof.search.search import search
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from tests.differential.agreement import WAYS, Searched, compare, plain, searched_in
from tests.differential.enumerator import Enumeration
from tests.differential.plain import plain_search
from tests.search.walks import ALL_OVER, ENDS, End, Kind, S, everything


def in_parts(few: range, size: int, *, deep: range) -> "list[range | ParameterSet]":
    """Seeds for a parametrised test: ``few``, so many at a time; and ``deep`` at once, in that tier."""
    return [*(few[at : at + size] for at in range(0, len(few), size)), pytest.param(deep, marks=pytest.mark.deep)]


def verdicts(result: Result) -> dict[str, str]:
    return {finding.id: finding.verdict for finding in result.findings}


def found_of(scenario: Scenario, name: str) -> Finding:
    """What a search says of this invariant."""
    [finding] = [finding for finding in search(scenario).findings if finding.id == name]
    return finding


def check_agreement(scenario: Scenario, expected: Enumeration | None = None) -> dict[str, Searched]:
    """Every way to search agrees with the plain search, and so do the flows themselves. Returns what was found."""
    expected = expected or plain(scenario)
    assert expected is not None
    ways = {way: searched_in(way, scenario) for way in WAYS}
    assert [wrong for way, found in ways.items() for wrong in compare(scenario, expected, way, found)] == []
    found = {way: searched for way, searched in ways.items() if searched}
    findings = (finding for searched in found.values() for finding in searched.result.findings)
    for name, moves in {(each.id, tuple(each.counterexample.moves)) for each in findings if each.counterexample}:
        assert name in violated_by(scenario, moves)
        assert name not in violated_by(scenario, moves[:-1]) or not moves
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


def broken(scenario: Scenario) -> Counterexample | None:
    """The counterexample to the scenario's one invariant, which the flows follow; None: it holds."""
    [invariant] = scenario.invariants
    result = search(scenario, Limits(states_max=100_000))
    [finding] = [finding for finding in result.findings if finding.id == invariant.id]
    assert result.complete or isinstance(invariant, Always | Eventually)
    assert finding.verdict in ("holds", "violated") or not finding.reached
    if finding.counterexample is not None:
        moves, loop = finding.counterexample.moves, finding.counterexample.loop
        trace = record(scenario, invariant.id, moves, version="0", loop=loop)
        assert replay(trace, scenario).steps == len(moves)
    return finding.counterexample


def differences_from_plain(scenarios: Iterable[Scenario], states_max: int) -> Iterator[str]:
    """Where a search, merged or not, says otherwise than the plain one, or the flows do not follow what it has found.
    What is large is left out."""
    made = compared = 0
    for scenario in scenarios:
        made += 1
        try:
            expected = plain_search(scenario, states_max)
        except AssertionError:
            continue
        compared += 1
        for merge in (None, True):
            result = search(scenario, options=Options(merge=merge, keep_finals=True))
            if result.finals != expected.finals:
                yield f"{scenario.name}: final states"
            if verdicts(result) != expected.verdicts:
                yield f"{scenario.name}: verdicts"
            for finding in result.findings:
                if finding.counterexample is not None:
                    moves = reduce_preemptions(scenario, finding.counterexample.moves, finding.id)
                    trace = record(scenario, finding.id, moves, version="0")
                    if replay(trace, scenario).steps != len(expected.violations[finding.id][1]):
                        yield f"{scenario.name}: not a shortest counterexample"
    assert compared > made / 3


def ends_of(kind: Kind[S], scenario: Scenario) -> set[End]:
    """The final states of a search that nothing ends early, as an enumerator has them."""
    result = search(attrs.evolve(scenario, invariants=[ENDS]), options=Options(keep_finals=True))
    assert result.complete
    return {_end(kind, final) for final in result.finals}


def _end(kind: Kind[S], final: Exact) -> End:
    cells, clients = cast("tuple[frozenset[tuple[object, object]], tuple[tuple[CallView, ...], ...]]", final.value)
    held: Mapping[object, object] = dict(cells)
    views = tuple((calls[0].status, calls[0].value) if calls else () for calls in clients)
    return (*kind.cells(held), views)


def differences(kind: Kind[S], seeds: range) -> Iterator[str]:
    """Where the search says otherwise than the enumerator, or a counterexample is not replayed."""
    compared = 0
    for seed in seeds:
        scenario = kind.generated(seed)
        known = everything(kind, scenario)
        if known is None:
            continue
        compared += 1
        try:
            if ends_of(kind, scenario) != known.ends:
                yield f"{seed}: ends"
            for invariant, wrong in ((kind.invariant, any(map(kind.wrong, known.states))), (ALL_OVER, known.stuck)):
                if (broken(attrs.evolve(scenario, invariants=[invariant])) is not None) is not wrong:
                    yield f"{seed}: {invariant.id}"
        except (NotReproduced, AssertionError, IndexError) as error:
            yield f"{seed}: {type(error).__name__}"
    assert compared > len(seeds) / 2

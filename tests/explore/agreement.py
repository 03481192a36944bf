"""What it means that searches agree: assertions that hold a vectorised search against a plain one."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Final

import attrs

from lakeproof.explore.behaviour import Behaviour
from lakeproof.explore.faults import Move
from lakeproof.explore.plain import PlainResult, Referee, Verdicts, plain_search
from lakeproof.explore.search import Limits, Options, Result, _Search, _TooManyRestarts, _Violated
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import LateWrite, World
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView
from lakeproof.scenario import Scenario
from tests.explore.generated import FlowSet

STATES_MAX: Final = 300
"""Generated sets with more states than that are left out: the plain search would take seconds for each."""


@attrs.frozen
class Searched:
    """A search that has ended, with its behaviours: what each client's pasts were merged into."""

    result: Result
    behaviours: tuple[Behaviour, ...]
    groups: tuple[tuple[int, ...], ...]
    """Clients that were taken for interchangeable."""

    @property
    def verdicts(self) -> dict[str, str]:
        return {finding.id: finding.verdict for finding in self.result.findings}

    @property
    def nodes(self) -> int:
        """How many nodes there are, all clients together."""
        return sum(len(behaviour.nodes) for behaviour in {id(b): b for b in self.behaviours}.values())


def run_search(
    scenario: Scenario, *, merge: bool, symmetry: bool, ranked: bool = False, limits: Limits | None = None
) -> Searched | None:
    """Search. None if a ranked search has given way to a graded one."""
    options = Options(merge=merge, symmetry=symmetry, keep_finals=True)
    search = _Search(prepare(scenario), limits or Limits(), options, None, ranked, None, 0.0)
    try:
        result = search.run()
    except (_Violated, _TooManyRestarts):
        assert ranked, "only a ranked search gives way"
        return None
    return Searched(result, tuple(search.behaviours), tuple(map(tuple, search.symmetry.groups)))


def plain_or_none(scenario: Scenario, states_max: int) -> PlainResult | None:
    """A plain search; None if there are more states than that."""
    try:
        return plain_search(scenario, states_max)
    except AssertionError as error:
        if "not for this search" not in str(error):
            raise
        return None


def schedules(scenario: Scenario) -> int:
    """How many there are, from start to end, each run by itself."""
    return _following(scenario, ())


def _following(scenario: Scenario, begun: tuple[Move, ...]) -> int:
    world = World(prepare(scenario))
    for move in begun:
        world.step(move)
    moves = world.moves()
    world.close()
    return sum(_following(scenario, (*begun, move)) for move in moves) if moves else 1


@lru_cache(None)
def plain_of(flow_set: FlowSet) -> PlainResult | None:
    """What the plain search says of a generated set; None for the few that are too large for it."""
    return plain_or_none(flow_set.scenario(), STATES_MAX)


def check_unmerged(scenario: Scenario, plain: PlainResult) -> Searched:
    """A search that merges nothing visits just the states and transitions of the plain one."""
    found = run_search(scenario, merge=False, symmetry=False)
    assert found is not None
    assert found.result.complete
    assert found.verdicts == plain.verdicts
    assert found.result.finals == plain.finals
    assert found.result.states == plain.states
    assert found.result.transitions == plain.transitions
    check_counterexamples(scenario, plain, found.result)
    return found


def check_merged(
    scenario: Scenario, plain: PlainResult, *, merge: bool = True, symmetry: bool = False, ranked: bool = False
) -> Searched | None:
    """A search that merges comes to the same verdicts and finals, and visits each class of states once."""
    found = run_search(scenario, merge=merge, symmetry=symmetry, ranked=ranked)
    if found is None:
        assert "violated" in plain.verdicts.values(), "nothing is violated, and yet the ranked search gave way"
        return None
    assert found.result.complete
    assert found.verdicts == plain.verdicts
    assert {_sorted_final(final.value, found.groups) for final in found.result.finals} == {
        _sorted_final(final.value, found.groups) for final in plain.finals
    }
    nodes = found.nodes
    assert found.result.states == len(image(plain.keys, found))
    assert found.nodes == nodes, "a plain state has a past that the search has not met"
    assert found.result.states <= plain.states
    assert found.result.transitions <= plain.transitions
    check_counterexamples(scenario, plain, found.result)
    return found


def check_agreement(scenario: Scenario, plain: PlainResult) -> list[Searched]:
    """Every way to search agrees with the plain search. Returns what was found: unmerged, merged, symmetric, all."""
    return [
        check_unmerged(scenario, plain),
        *(
            found
            for found in (
                check_merged(scenario, plain),
                check_merged(scenario, plain, merge=False, symmetry=True),
                check_merged(scenario, plain, symmetry=True),
                check_merged(scenario, plain, symmetry=True, ranked=True),
            )
            if found is not None
        ),
    ]


def check_counterexamples(scenario: Scenario, plain: PlainResult, result: Result) -> None:
    """Every violation comes with moves that lead to it on the real flows, and not before; none are shorter."""
    for finding in result.findings:
        if finding.verdict == "violated":
            assert finding.counterexample is not None
            moves = finding.counterexample.moves
            assert finding.id in violated_by(scenario, moves)
            assert finding.id not in violated_by(scenario, moves[:-1]) or not moves
            assert len(moves) == len(plain.violations[finding.id][1])
        else:
            assert finding.counterexample is None


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


def image(keys: frozenset[Exact], found: Searched) -> set[Hashable]:
    """The classes of a search that plain states fall into."""
    return {_class_of(key.value, found) for key in keys}


def _class_of(key: Hashable, found: Searched) -> Hashable:
    assert isinstance(key, tuple)
    (cells, replies, crashed, jumps, left, late), monitors = key
    nodes = [_node(*past) for past in zip(found.behaviours, replies, crashed, strict=True)]
    for group in found.groups:
        for client, node in zip(group, sorted(nodes[client] for client in group), strict=True):
            nodes[client] = node
    if isinstance(late, LateWrite):  # it belongs to whoever shares the behaviour
        late = attrs.evolve(late, client=found.behaviours.index(found.behaviours[late.client]))
    return Exact((cells, tuple(nodes), jumps, left, late, monitors))


def _node(behaviour: Behaviour, replies: Sequence[object], crashed: bool) -> int:
    node = behaviour.root
    for reply in replies:
        node = behaviour.child(node, reply)
    return behaviour.crash(node) if crashed else node


def _sorted_final(final: Hashable, groups: Sequence[Sequence[int]]) -> Hashable:
    assert isinstance(final, tuple)
    cells, views = final
    shown: list[tuple[CallView, ...]] = list(views)
    for group in groups:
        for client, view in zip(group, sorted((shown[client] for client in group), key=repr), strict=True):
            shown[client] = view
    return Exact((cells, tuple(shown)))

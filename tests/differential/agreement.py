"""What it means that a search agrees with an oracle: verdicts, lengths of counterexamples, final states, and which
states are one to it."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, cast

import attrs

from lakeproof.model import kv, objects
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView
from lakeproof.scenario import Scenario, recovery
from lakeproof.search.behaviour import Behaviour, Disagreement
from lakeproof.search.by_level import RANKED_RESTARTS_MAX, GivesWay, LevelSearch, Plan
from lakeproof.search.faults import BUDGETS
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.replies import RESTARTED
from lakeproof.search.search import Options, Result
from lakeproof.search.setup import prepare
from lakeproof.search.world import LateWrite
from tests.differential.clients import Restarted
from tests.differential.enumerator import Enumeration, Past, TooManyStates, enumerate_states, final_key, whole_in_all
from tests.differential.generated import FlowSet
from tests.differential.plain import PlainResult, plain_search
from tests.differential.typed import typed

STATES_MAX: Final = 1000
"""Sets with more states than that are left out: a second for each is too much."""

WAYS: Final = {
    "neither": Options(merge=False, symmetry=False, keep_finals=True),
    "merged": Options(merge=True, symmetry=False, keep_finals=True),
    "symmetric": Options(merge=False, keep_finals=True),
    "merged and symmetric": Options(merge=True, keep_finals=True),
    "ranked": Options(merge=True, ranked=True, keep_finals=True),
    "automata": Options(merge=True, symmetry=False, keep_finals=True),
    "automata, symmetric": Options(merge=True, keep_finals=True),
    "automata, with identifiers renamed": Options(merge=True, symmetry=False),
}
"""All ways to search: the answer is the same. Identifiers keep their names where final states are kept."""


@attrs.frozen
class Searched:
    """A search that has ended, with its behaviours: what each client's pasts were merged into."""

    result: Result
    behaviours: tuple[Behaviour, ...]
    groups: tuple[tuple[int, ...], ...]
    """Clients that were taken for interchangeable."""

    @property
    def nodes(self) -> int:
        """How many nodes there are, all clients together."""
        return sum(len(behaviour.nodes) for behaviour in {id(b): b for b in self.behaviours}.values())


def run_search(scenario: Scenario, options: Options, kind: type[LevelSearch] = LevelSearch) -> Searched | None:
    """Search in this way and no other. None if a ranked search gives way to a graded one."""
    search = kind(Plan(setting=prepare(scenario), options=options, ranked=bool(options.ranked)))
    result = search.run()
    if isinstance(result, GivesWay):
        assert options.ranked, "only a ranked search gives way"
        return None
    return Searched(result, tuple(search.behaviours), tuple(map(tuple, search.symmetry.groups)))


def enumerated(flow_set: FlowSet, states_max: int = STATES_MAX) -> Enumeration | None:
    """All that there is; None for the few sets that are too large."""
    try:
        return enumerate_states(flow_set.scenario(), states_max=states_max)
    except TooManyStates:
        return None


def restarts_too_often(scenario: Scenario, options: Options) -> bool:
    """Whether a ranked search gives way because it has to start over too often: its flows remember much."""
    search = LevelSearch(Plan(setting=prepare(scenario), options=options, ranked=True))
    return search.run() is GivesWay.RESTARTS and search.restarts > RANKED_RESTARTS_MAX


def plain(scenario: Scenario, states_max: int = 200_000) -> Enumeration | None:
    """What the plain search says; None if there are more states than that."""
    try:
        return _as_enumerated(scenario, plain_search(scenario, states_max))
    except AssertionError as error:
        if "not for this search" not in str(error):
            raise
        return None


def _as_enumerated(scenario: Scenario, found: PlainResult) -> Enumeration:
    return Enumeration(
        verdicts=found.verdicts,
        lengths={name: len(moves) for name, (_, moves) in found.violations.items()},
        finals=frozenset(_finals(found.finals)),
        states=found.states,
        transitions=found.transitions,
        schedules=0,
        unspent=whole_in_all(scenario.faults, [_left(key.value) for key in found.keys]),
        pasts=tuple(_past(key.value) for key in found.keys),
    )


def _left(key: Hashable) -> dict[str, int]:
    """Of a key of the plain search."""
    ((*_, left, _), _) = cast("tuple[tuple[object, ...], Hashable]", key)
    return dict(zip(BUDGETS, cast("tuple[int, ...]", left), strict=True))


def _past(key: Hashable) -> Past:
    """Of a key of the plain search."""
    (cells, replies, crashed, jumps, left, late), monitors = cast("tuple[tuple[object, ...], Hashable]", key)
    whose = late.client if isinstance(late, LateWrite) else -1
    rest = Exact((cells, jumps, left, attrs.evolve(late, client=0) if isinstance(late, LateWrite) else None, monitors))
    return Past(replies, crashed, whose, rest)  # type: ignore[arg-type]


def searched_in(way: str, scenario: Scenario) -> Searched | None:
    """What a search of `WAYS` finds. None if a ranked one gives way."""
    return run_search(scenario, WAYS[way], LoopingSearch if way.startswith("automata") else LevelSearch)


def disagreements(scenario: Scenario, expected: Enumeration) -> Iterator[str]:
    """One line for each answer of a way to search that is another one."""
    return (f"{way}: {wrong}" for way in WAYS for wrong in compare(scenario, expected, way, searched_in(way, scenario)))


def compare(scenario: Scenario, expected: Enumeration, way: str, found: Searched | None) -> list[str]:
    """What a search that went this way says otherwise."""
    if found is None:
        fine = expected.lengths or restarts_too_often(scenario, WAYS[way])
        return [] if fine else ["nothing is violated, and yet the ranked search gives way"]
    return [
        f"{what}: enumerated {said}, searched {searched}"
        for what, said, searched in _answers(scenario, expected, found, WAYS[way])
        if said != searched
    ]


def _answers(
    scenario: Scenario, expected: Enumeration, found: Searched, options: Options
) -> Iterator[tuple[str, object, object]]:
    """(what, as enumerated, as searched)."""
    result = found.result
    findings = {finding.id: finding for finding in result.findings}
    lengths = {name: len(finding.counterexample.moves) for name, finding in findings.items() if finding.counterexample}
    yield "complete", True, result.complete
    yield "verdicts", expected.verdicts, {name: finding.verdict for name, finding in findings.items()}
    yield "faults that cannot happen", expected.unspent, frozenset(result.unspent)
    yield "lengths of the shortest counterexamples", expected.lengths, lengths
    if not options.keep_finals:
        return
    nodes = found.nodes
    yield "states", _classes(expected, found), result.states
    yield "nodes: all pasts are met", found.nodes, nodes
    if options.merge or options.symmetry:
        yield "at most as many transitions", True, result.transitions <= expected.transitions
    else:
        yield "states that nothing is merged into", expected.states, result.states
        yield "transitions", expected.transitions, result.transitions
    groups = _alike(scenario) if options.symmetry else []
    said = {_regrouped(final, groups) for final in expected.finals}
    ended = {_regrouped(final, groups) for final in _finals(result.finals)}
    yield "final states", len(said), len(ended)
    yield "final states that were enumerated only", [shown(final) for final in said - ended][:2], []
    yield "final states that were searched only", [], [shown(final) for final in ended - said][:2]


def _classes(expected: Enumeration, found: Searched) -> int | str:
    """How many classes of this search all states fall into: it visits each class once."""
    try:
        return len({_class_of(past, found) for past in expected.pasts})
    except Disagreement as error:
        return f"a past that the search has not met: {error}"


def _class_of(past: Past, found: Searched) -> Hashable:
    nodes = [_node(*each) for each in zip(found.behaviours, past.replies, past.crashed, strict=True)]
    for group in found.groups:
        for client, node in zip(group, sorted(nodes[client] for client in group), strict=True):
            nodes[client] = node
    # A late write belongs to whoever is interchangeable.
    late = next((group[0] for group in found.groups if past.late in group), past.late)
    return (tuple(nodes), late, past.rest)


def _node(behaviour: Behaviour, replies: Sequence[object], crashed: bool) -> int:
    node = behaviour.root
    for reply in replies:
        if isinstance(reply, Restarted):
            reply = RESTARTED
        if isinstance(reply, kv.KVError | objects.ObjectError):  # a store's message is the store's affair
            met = behaviour.nodes[node].children
            alike = (known for known in met if type(known) is type(reply))
            reply = reply if reply in met else next(alike, reply)
        node = behaviour.child(node, reply)
    return behaviour.crash(node) if crashed else node


def shown(key: Hashable) -> str:
    """A typed key, short enough to be read: without the programs, which the flow set shows."""
    if not isinstance(key, tuple | frozenset):
        return repr(key)
    if not isinstance(key, tuple) or not key or not isinstance(key[0], str):
        return f"({', '.join(map(shown, key))})"
    name = key[0].rpartition(".")[2]
    if name in ("int", "str", "bytes", "bool", "NoneType"):
        return str(key[1])
    return f"{name}({', '.join(map(shown, key[1:]))})" if name != "Program" else "..."


def _finals(finals: Iterable[Exact]) -> set[Hashable]:
    found = set()
    for final in finals:
        cells, views = cast("tuple[frozenset[tuple[object, object]], tuple[tuple[CallView, ...], ...]]", final.value)
        found.add(final_key(cells, views))
    return found


def _alike(scenario: Scenario) -> list[list[int]]:
    """Clients that run the same calls, by type and bits: a search may take them for interchangeable."""
    groups: dict[Hashable, list[int]] = {}
    for client, calls in enumerate(scenario.clients):
        groups.setdefault(typed((tuple(calls), recovery(calls))), []).append(client)
    return list(groups.values())


def _regrouped(final: Hashable, groups: Sequence[Sequence[int]]) -> Hashable:
    """The final state with what interchangeable clients were told in a fixed order."""
    cells, *views = cast("tuple[Hashable, ...]", final)
    shown = list(views)
    for group in groups:
        for client, view in zip(group, sorted((views[client] for client in group), key=repr), strict=True):
            shown[client] = view
    return (cells, *shown)

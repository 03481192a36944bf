"""What it means that a search agrees with the enumerator: verdicts, lengths of counterexamples and final states."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, cast

from lakeproof.explore.search import Options, Result, search
from lakeproof.model.snapshot import CallView
from tests.differential.enumerator import Enumeration, TooManyStates, enumerate_states, final_key
from tests.differential.generated import FlowSet
from tests.differential.typed import typed

STATES_MAX: Final = 1000
"""Sets with more states than that are left out: a second for each is too much."""

WAYS: Final = {
    "merged and symmetric": Options(keep_finals=True),
    "neither": Options(merge=False, symmetry=False, keep_finals=True),
    "merged": Options(symmetry=False, keep_finals=True),
    "symmetric": Options(merge=False, keep_finals=True),
    "ranked": Options(ranked=True, keep_finals=True),
}
"""All ways to search: the answer is the same."""


def enumerated(flow_set: FlowSet, states_max: int = STATES_MAX) -> Enumeration | None:
    """All that there is; None for the few sets that are too large."""
    try:
        return enumerate_states(flow_set.scenario(), states_max=states_max)
    except TooManyStates:
        return None


def disagreements(flow_set: FlowSet, expected: Enumeration) -> list[str]:
    """One line for each way to search that comes to another answer."""
    return [f"{way}: {wrong}" for way, options in WAYS.items() for wrong in compare_search(flow_set, expected, options)]


def compare_search(flow_set: FlowSet, expected: Enumeration, options: Options) -> list[str]:
    """What this search says otherwise."""
    try:
        result = search(flow_set.scenario(), options=options)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is no answer: the report names it
        return [f"the search raises {type(error).__name__}: {error}"]
    return [
        f"{what}: enumerated {said}, searched {found}"
        for what, said, found in _answers(flow_set, expected, result, options)
        if said != found
    ]


def _answers(
    flow_set: FlowSet, expected: Enumeration, result: Result, options: Options
) -> Iterable[tuple[str, object, object]]:
    """(what, as enumerated, as searched)."""
    findings = {finding.id: finding for finding in result.findings}
    lengths = {name: len(finding.counterexample.moves) for name, finding in findings.items() if finding.counterexample}
    yield "complete", True, result.complete
    yield "verdicts", expected.verdicts, {name: finding.verdict for name, finding in findings.items()}
    yield "lengths of the shortest counterexamples", expected.lengths, lengths
    if not (options.merge or options.symmetry):
        yield "states", expected.states, result.states
        yield "transitions", expected.transitions, result.transitions
    else:
        yield "states that nothing is merged into", True, result.states <= expected.states
        yield "transitions out of them", True, result.transitions <= expected.transitions
    groups = _alike(flow_set) if options.symmetry else []
    said = {_regrouped(final, groups) for final in expected.finals}
    found = {_regrouped(final, groups) for final in _finals(result)}
    yield "final states", len(said), len(found)
    yield "final states that were enumerated only", [shown(final) for final in said - found][:2], []
    yield "final states that were searched only", [], [shown(final) for final in found - said][:2]


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


def _finals(result: Result) -> set[Hashable]:
    found = set()
    for final in result.finals:
        cells, views = cast("tuple[frozenset[tuple[object, object]], tuple[tuple[CallView, ...], ...]]", final.value)
        found.add(final_key(cells, views))
    return found


def _alike(flow_set: FlowSet) -> list[list[int]]:
    """Clients that run the same calls, by type and bits: a search may take them for interchangeable."""
    groups: dict[Hashable, list[int]] = {}
    for client, calls in enumerate(flow_set.clients):
        groups.setdefault(typed(calls), []).append(client)
    return list(groups.values())


def _regrouped(final: Hashable, groups: Sequence[Sequence[int]]) -> Hashable:
    """The final state with what interchangeable clients were told in a fixed order."""
    cells, *views = cast("tuple[Hashable, ...]", final)
    shown = list(views)
    for group in groups:
        for client, view in zip(group, sorted((views[client] for client in group), key=repr), strict=True):
            shown[client] = view
    return (cells, *shown)

"""The search over flows that loop: against the explicit graph, and with faults planted in the comparison of states."""

from collections.abc import Iterator

import numpy as np
import pytest

from lakeproof.explore import bytecode, suspended
from lakeproof.explore.looping import LoopingSearch
from lakeproof.explore.packing import Visited, lay_out
from lakeproof.explore.search import Limits, Options
from lakeproof.explore.setting import prepare
from tests.differential.loops import KEEPERS, Keeper, Made, in_a_local, in_a_loop, in_an_iterator, in_what_is_shared, made

CHUNK = 20


def disagreements(each: Made) -> list[str]:
    """What the search says otherwise than the explicit graph."""
    scenario = each.scenario()
    result = LoopingSearch(prepare(scenario), Limits(), Options(symmetry=False), None, False, None, 0.0).run()
    finding = next(finding for finding in result.findings if finding.id == "never")
    verdict = "holds" if each.steps is None else "violated"
    steps = len(finding.counterexample.moves) if finding.counterexample else None
    found = [(verdict, finding.verdict, "verdict"), (each.steps, steps, "steps")]
    if each.steps is None:
        found.append((len(each.states), result.states, "states"))
    return [f"{what}: {expected}, searched {said}" for expected, said, what in found if expected != said]


def check(seeds: range, keepers: tuple[Keeper, ...] = KEEPERS) -> list[str]:
    sets = ((seed, made(seed, keepers)) for seed in seeds)
    return [f"made({seed}): {wrong}" for seed, each in sets if each is not None for wrong in disagreements(each)]


@pytest.mark.parametrize("first", range(0, 40, CHUNK))
def test_loops_agree_with_the_explicit_graph(first: int) -> None:
    assert check(range(first, first + CHUNK)) == []


@pytest.mark.parametrize("keeper", KEEPERS, ids=lambda keeper: keeper.__name__)
def test_every_way_to_keep_a_state_is_seen(keeper: Keeper) -> None:
    assert check(range(6), (keeper,)) == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1_000, 4_000, 100))
def test_many_loops_agree_with_the_explicit_graph(first: int) -> None:
    assert check(range(first, first + 100)) == []


PLANTED = {
    "an iterator's position is ignored": (in_an_iterator, in_a_loop),
    "sharing is ignored": (in_what_is_shared,),
    "a live local is called dead": (in_a_local,),
    "the stack is ignored": (in_a_loop,),
}


@pytest.fixture(params=PLANTED)
def planted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Keeper, ...]]:
    """A comparison with this fault in it."""
    match request.param:
        case "an iterator's position is ignored":
            known = suspended._parts_of
            monkeypatch.setattr(suspended, "_parts_of", lambda value: known(value)[:2])
        case "sharing is ignored":
            monkeypatch.setattr(suspended._Walk, "_numbered", lambda walk, one, other: False)
        case "a live local is called dead":
            live = bytecode.live_locals
            dead = lambda code, at: frozenset() if code is in_a_local.__code__ else live(code, at)  # noqa: E731
            monkeypatch.setattr(suspended, "live_locals", dead)
        case "the stack is ignored":
            slots = suspended._slots
            monkeypatch.setattr(suspended, "_slots", lambda *given: (slots(*given)[0], slots(*given)[1][-1:]))
    yield PLANTED[request.param]


def test_faults_of_the_comparison_are_found(planted: tuple[Keeper, ...]) -> None:
    assert any(check(range(first, first + 5), (keeper,)) for first in range(0, 60, 5) for keeper in planted)


def test_a_visited_set_is_exact_under_collisions_and_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingerprints of two bits: most rows share theirs with others."""
    from lakeproof.explore import packing

    monkeypatch.setattr(packing, "fingerprint", lambda words: words[0] & np.uint64(3))
    narrow, wide = lay_out([40, 40], [0, 1]), lay_out([50, 60], [0, 1])
    random = np.random.default_rng(1)
    visited, known, layout = Visited(narrow), set[tuple[int, int]](), narrow
    for turn in range(60):
        layout = wide if turn > 30 else narrow
        rows = [(int(a), int(b)) for a, b in random.integers(0, 12, (int(random.integers(1, 9)), 2))]
        rows = list(dict.fromkeys(rows))
        words = [np.array(part, np.uint64) for part in zip(*(layout.pack(row) for row in rows), strict=True)]
        met = visited.contains(words, layout)
        assert met.tolist() == [row in known for row in rows]
        visited.add([word[~met] for word in words], layout)
        known.update(rows)

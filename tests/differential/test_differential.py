"""Every way to search agrees with the enumerator, on random flow sets: verdicts, shortest counterexamples, final
states, by type and bits."""

from collections import Counter
from functools import lru_cache

import attrs
import pytest

from tests.differential.agreement import disagreements, enumerated, plain
from tests.differential.enumerator import Enumeration
from tests.differential.generated import FlowSet, flow_set
from tests.differential.handmade import HANDMADE

SETS = 75
"""The first part of them is compared by default, the others with `deep`."""
NEW_SETS = 250
PLAIN_STATES_MAX = 100
"""The plain search runs flows anew for each state: larger sets are left to the others."""
CHUNK = 25
"""Sets per test: few enough that several processes share the work."""


def check(seeds: range) -> None:
    """Compare these sets; all that disagree are shown, each with what makes it again."""
    found = []
    for seed in seeds:
        made = flow_set(seed)
        expected = enumerated(made)
        wrong = compared(made, expected) if expected else []
        if wrong:
            found.append("\n".join([f"flow_set({seed}):", f"{made}", *wrong]))
    assert not found, "\n\n".join(["the enumerator and a search disagree", *found])


def compared(made: FlowSet, expected: Enumeration) -> list[str]:
    try:
        return list(disagreements(made.scenario(), expected))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is no answer: the report names it
        return [f"a search raises {type(error).__name__}: {error}"]


@pytest.mark.parametrize("first", [0, *(pytest.param(at, marks=pytest.mark.deep) for at in range(CHUNK, SETS, CHUNK))])
def test_searches_agree_with_the_enumerator(first: int) -> None:
    check(range(first, first + CHUNK))


@pytest.mark.parametrize("name", HANDMADE)
def test_searches_agree_on_sets_made_by_hand(name: str) -> None:
    expected = enumerated(HANDMADE[name])
    assert expected is not None
    assert expected.lengths, "nothing is at stake"
    assert list(disagreements(HANDMADE[name].scenario(), expected)) == []
    assert plain(HANDMADE[name].scenario()) == expected_of_plain(expected)


@pytest.mark.parametrize("first", range(0, SETS, CHUNK))
def test_the_plain_search_agrees_with_the_enumerator(first: int) -> None:
    """So do worlds, one step at a time: what it expands, what samples and replays walk through."""
    for seed in range(first, first + CHUNK):
        made = flow_set(seed)
        expected = enumerated(made, PLAIN_STATES_MAX)
        if expected is not None:
            assert plain(made.scenario()) == expected_of_plain(expected), f"{seed}: {made}"


def expected_of_plain(expected: Enumeration) -> Enumeration:
    """It counts no schedules."""
    return attrs.evolve(expected, schedules=0)


@pytest.mark.long
def test_searches_agree_with_the_enumerator_on_sets_that_are_new_each_time(run_seed: int) -> None:
    first = (run_seed + 1) * NEW_SETS
    check(range(first, first + NEW_SETS))


@lru_cache(None)
def counted(seed: int) -> Enumeration | None:
    return enumerated(flow_set(seed))


@pytest.mark.deep
@pytest.mark.xdist_group("evidence")  # the enumerations are shared
class TestEvidence:
    """Agreement on nothing is worth nothing: the sets bring about what they are for. That each fault matters, and what
    equality would hide, tests/search/test_planted_faults.py shows."""

    def test_sets_are_the_same_on_every_run_and_few_are_left_out(self) -> None:
        assert flow_set(7) == flow_set(7)
        assert repr(flow_set(7)) == repr(flow_set(7)) != repr(flow_set(8))
        assert sum(counted(seed) is None for seed in range(SETS)) <= SETS // 6

    def test_each_kind_of_invariant_is_kept_and_violated_and_never_tested_in_some_sets(self) -> None:
        seen: Counter[tuple[str, str]] = Counter()
        for seed in range(SETS):
            found = counted(seed)
            seen.update(
                (name.partition("-")[2], verdict) for name, verdict in found.verdicts.items()
            ) if found else None
        kinds = {kind for kind, _ in seen} - {"", "Holds", "unhandled-exception"}
        assert len(kinds) == 9
        # Of two clients one can always be ahead of the other.
        wanted = {(kind, verdict) for kind in kinds for verdict in ("holds", "violated")} - {("NotAhead", "holds")}
        assert wanted <= seen.keys()
        assert sum(count for (_, verdict), count in seen.items() if verdict == "inconclusive") > SETS // 4

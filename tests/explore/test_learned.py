"""What is learned of flows in one search spares the next one re-runs, and changes nothing else."""

from collections.abc import Iterator

import attrs
import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.explore.execution import NondeterministicFlow
from lakeproof.explore.learned import LEARNED
from lakeproof.explore.search import Options, Result, search
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import STORE_AND_CLIENTS, Always, Reached
from tests.explore.handmade import HANDMADE

WAYS = (Options(keep_finals=True), Options(merge=False, symmetry=False, keep_finals=True))


def timeless(result: Result) -> dict[str, object]:
    """All of it but the time it took and what it was asked."""
    return {
        name: value
        for name, value in attrs.asdict(result, recurse=False).items()
        if name not in ("seconds", "scenario")
    }


def relatives() -> Iterator[Scenario]:
    """Scenarios that share programs, but not faults, clocks, order of clients or what the setup left."""
    for flow_set in HANDMADE.values():
        scenario = flow_set.scenario()
        yield attrs.evolve(scenario, faults=Faults())
        yield attrs.evolve(scenario, faults=Faults(crashes=1, lost_answers=1))
        yield attrs.evolve(scenario, faults=Faults(clock_skew=(7,)))
        yield attrs.evolve(scenario, setup=())
        yield attrs.evolve(scenario, faults=Faults(clock_jumps=(1,)))
        yield attrs.evolve(scenario, faults=Faults(clock_jumps=(1,)), start_time=scenario.start_time + 9)
        yield attrs.evolve(scenario, clients=scenario.clients[::-1])
        yield scenario


@pytest.mark.parametrize("options", WAYS, ids=["merged", "unmerged"])
def test_a_search_goes_as_if_nothing_had_been_learned(options: Options) -> None:
    alone = [timeless(search(scenario, options=options)) for scenario in relatives()]
    with LEARNED.kept():
        for _ in range(2):
            assert [timeless(search(scenario, options=options)) for scenario in relatives()] == alone


def test_a_flow_that_another_search_left_changed_is_no_flow() -> None:
    writes = [b"first"]

    async def write(env: Env) -> None:
        await env.store.set(b"p", b"k", writes[0])

    always = Always(id="any", meaning="any", check=lambda seen: [Reached("a state")], reads=STORE_AND_CLIENTS)
    scenario = Scenario(name="test/changes", clients=[[Call(write)]], invariants=[always])
    with LEARNED.kept():
        search(scenario)
        writes[0] = b"second"
        with pytest.raises(NondeterministicFlow, match="is not deterministic"):
            search(scenario)
    search(scenario)


def test_histories_beyond_the_bound_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakeproof.explore.learned.HISTORIES_MAX", 0)
    ran: list[int] = []

    async def count(env: Env) -> None:
        ran.append(1)
        await env.store.set(b"p", b"k", b"v")

    always = Always(id="any", meaning="any", check=lambda seen: [Reached("a state")])
    scenario = Scenario(name="test/forgotten", clients=[[Call(count)]], invariants=[always])
    search(scenario)
    once = len(ran)
    with LEARNED.kept():
        search(scenario)
        search(scenario)
    assert len(ran) == 3 * once

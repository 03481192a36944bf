"""What a search has learned of flows spares it re-runs where it starts over, and changes nothing else."""

import attrs
import pytest

from lakeproof import Call, Scenario
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import STORE_AND_CLIENTS, Always, Reached
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.search import Options, Result, search
from lakeproof.search.trie import Trie
from tests.differential.handmade import HANDMADE

WAYS = {
    "small": Options(keep_finals=True),
    "merged": Options(merge=True, keep_finals=True),
    "ranked": Options(ranked=True, keep_finals=True),
    "unmerged": Options(symmetry=False, merge=False),
}


def timeless(result: Result) -> dict[str, object]:
    """All of it but the time it took and what it was asked."""
    return {
        name: value
        for name, value in attrs.asdict(result, recurse=False).items()
        if name not in ("seconds", "scenario")
    }


@pytest.mark.deep
@pytest.mark.parametrize("way", WAYS)
def test_a_search_goes_as_if_nothing_had_been_learned(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios = [flow_set.scenario() for flow_set in HANDMADE.values()]
    options = WAYS[way]
    learning = [timeless(search(scenario, options=options)) for scenario in scenarios]
    assert way in ("small", "unmerged") or any(result["restarts"] for result in learning), "nothing is taken up again"
    begin = Behaviour.__init__

    def forgetful(self: Behaviour, trie: Trie, *, merge: bool = True, ranked: bool = False) -> None:
        begin(self, attrs.evolve(trie, root=None), merge=merge, ranked=ranked)

    monkeypatch.setattr(Behaviour, "__init__", forgetful)
    assert [timeless(search(scenario, options=options)) for scenario in scenarios] == learning


def test_a_flow_that_has_changed_since_the_last_search_is_run_again() -> None:
    writes = [b"first"]

    async def write(env: Env) -> None:
        await env.store.set(b"p", b"k", writes[0])

    always = Always(id="any", meaning="any", check=lambda seen: [Reached("a state")], reads=STORE_AND_CLIENTS)
    scenario = Scenario(name="test/changes", clients=[[Call(write)]], invariants=[always])
    before = search(scenario, options=Options(keep_finals=True)).finals
    writes[0] = b"second"
    assert search(scenario, options=Options(keep_finals=True)).finals != before

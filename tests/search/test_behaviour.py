"""Behaviour tries: merging is checked, flows that are not deterministic are named, minting ends symmetry."""

import gc
import itertools

import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.impl.effects import Env
from lakeproof.model import kv
from lakeproof.scenario import Flow
from lakeproof.search.execution import NondeterministicFlow
from lakeproof.search.search import Options, Result, search
from lakeproof.search.trie import Raw
from tests.differential.agreement import WAYS, run_search
from tests.search.agreement import check_agreement
from tests.search.walks import UNBROKEN

P = b"p"


async def get(env: Env, key: bytes) -> bytes:
    try:
        return (await env.store.get(P, key)).value
    except kv.NotFound:
        return b""


async def put(env: Env, *values: bytes) -> None:
    """Write these under a, b, c, ..."""
    for key, value in zip((b"a", b"b", b"c"), values, strict=False):
        await env.store.set(P, key, value)


async def forgets(env: Env) -> None:
    await get(env, b"a")
    await get(env, b"b")


async def remembers_in_an_iterator(env: Env) -> None:
    """What it has read under a and b is in the iterator alone, which no local variable names."""
    for value in [await get(env, b"a"), await get(env, b"b")]:
        if await get(env, b"c"):
            await env.store.set(P, b"d", value)


async def remembers_a_little(env: Env) -> bytes:
    """The first value shows only if the third read finds something, which it never does alone."""
    first = await get(env, b"a")
    await get(env, b"b")
    return first if await get(env, b"c") else b""


async def mints(env: Env) -> None:
    await get(env, b"a")
    await env.store.set(P, b"a", env.ids.unique("id").encode())


async def mints_late(env: Env) -> None:
    """It mints only after it has met another's value."""
    if await get(env, b"a"):
        await env.store.set(P, b"b", env.ids.unique("id").encode())
    else:
        await env.store.set(P, b"a", b"1")


def scenario(*flows: Flow | Call, setup: tuple[Call, ...] = (), faults: Faults | None = None) -> Scenario:
    return Scenario(
        name="behaviour",
        clients=[[flow if isinstance(flow, Call) else Call(flow)] for flow in flows],
        invariants=[UNBROKEN],
        setup=setup,
        faults=faults or Faults(),
    )


def states(scenario: Scenario, *, merge: bool, symmetry: bool = False) -> Result:
    return search(scenario, options=Options(merge=merge, symmetry=symmetry))


async def releases(env: Env) -> None:
    """Its last effect is in a ``finally``: an interpreter that closes it would run that."""
    try:
        await get(env, b"a")
        await get(env, b"b")
    finally:
        await env.store.set(P, b"d", b"released")


WRITER = Call(put, b"1", b"1", b"1")


@pytest.mark.parametrize("merge", [True, False])
def test_no_run_of_a_flow_is_kept_for_ever(merge: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr("lakeproof.impl.frames._keep", kept.append)
    found = states(scenario(releases, releases, WRITER), merge=merge)
    assert (found.complete, kept) == (True, [])


class TestMerging:
    def test_pasts_that_are_forgotten_are_merged(self) -> None:
        race = scenario(forgets, WRITER)
        # Reader at 0, 1, 2 or done; the writer at 0, 1, 2 or done: 3 x 4 states, whatever was read.
        assert states(race, merge=True).states == 12
        assert states(race, merge=False).states > 12
        check_agreement(race)

    def test_pasts_that_sit_in_an_iterator_are_kept_apart(self) -> None:
        race = scenario(remembers_in_an_iterator, WRITER)
        found = check_agreement(race)["merged"].result
        assert found.final_states == 3  # d: never written, empty, or what b held
        assert found.restarts > 0, "the first guess was right: the test shows nothing"

    def test_a_disagreement_becomes_an_experiment(self) -> None:
        race = scenario(remembers_a_little, WRITER)
        found = check_agreement(race)["merged"]
        assert found.result.restarts >= 1
        assert found.behaviours[0].experiments >= 1
        returned = {views[0][0].value for _, views in (final.value for final in found.result.finals)}  # type: ignore[misc, has-type]
        assert returned == {b"", b"1"}


class TestDeterminism:

    def test_a_flow_that_counts_its_runs_is_named_with_the_effect_at_which_it_diverged(self) -> None:
        runs = itertools.count()

        async def counts(env: Env) -> None:
            await get(env, b"a")
            await env.store.set(P, b"b", b"%d" % next(runs))

        with pytest.raises(NondeterministicFlow, match=r"counts\(\) of client a .*requested Set\(.*before Set\("):
            search(scenario(counts, WRITER))

    def test_a_flow_that_seldom_ends_otherwise_is_found(self) -> None:
        """It does so on its fifth run to the end: no schedule needs so many."""
        runs = itertools.count(1)

        async def seldom(env: Env) -> bool:
            await env.store.set(P, b"a", b"1")
            return next(runs) == 5

        with pytest.raises(NondeterministicFlow, match=r"seldom\(\) of client a .* returned True, and before"):
            search(scenario(seldom))

    def test_a_call_that_leaves_an_effect_to_the_next_one_is_found(self) -> None:
        runs = itertools.count()

        async def first(env: Env) -> None:
            for _ in range(1 + (next(runs) >= 3)):
                await env.store.set(P, b"x", b"1")

        async def second(env: Env) -> None:
            for key in (b"x", b"y", b"z")[next(runs) > 4 :]:
                await env.store.set(P, key, b"1")

        with pytest.raises(NondeterministicFlow, match="is not deterministic"):
            search(Scenario(name="shares", clients=[[Call(first), Call(second)]], invariants=[UNBROKEN]))


class TestMinting:
    @pytest.mark.parametrize("flow", [mints, mints_late])
    def test_clients_that_mint_are_told_apart(self, flow: Flow) -> None:
        race = scenario(flow, flow, flow)
        found = check_agreement(race)["merged and symmetric"]
        assert found.groups == ()
        assert len({id(trie) for trie in found.behaviours}) == 3

    @pytest.mark.parametrize(
        "race",
        [
            scenario(forgets, mints, forgets),
            scenario(forgets, forgets, forgets, faults=Faults(clock_skew=(0, 5, 0))),
            scenario(forgets, forgets, forgets, faults=Faults(clock_jumps=(1,), clock_skew=(0, 5, 0))),
        ],
        ids=["another program", "another clock", "another clock that jumps"],
    )
    def test_clients_of_one_program_and_clock_are_interchangeable(self, race: Scenario) -> None:
        found = run_search(race, WAYS["merged and symmetric"])
        assert found is not None
        assert found.groups == ((0, 2),)


def test_a_final_state_met_before_a_cell_was_known_is_told_whole() -> None:
    """A client crashes, for good, before it has met the key that it would have written later."""
    crashing = scenario(remembers_in_an_iterator, faults=Faults(crashes=1), setup=(Call(put, b"1", b"1", b"1"),))
    check_agreement(crashing)


def test_a_flow_that_has_changed_since_the_last_search_is_run_again() -> None:
    writes = [b"first"]

    async def write(env: Env) -> None:
        await env.store.set(P, b"k", writes[0])

    before = search(scenario(write), options=Options(keep_finals=True)).finals
    writes[0] = b"second"
    assert search(scenario(write), options=Options(keep_finals=True)).finals != before


@pytest.mark.parametrize("merge", [None, True])
def test_a_search_leaves_no_history_to_the_garbage_collector(merge: bool | None) -> None:
    def histories() -> int:
        return sum(type(each) is Raw for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = histories()  # of what other tests keep
        search(scenario(forgets, Call(put, b"1", b"1")), options=Options(merge=merge))
        assert histories() == before
    finally:
        gc.enable()

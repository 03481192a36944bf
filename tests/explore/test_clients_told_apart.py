"""An invariant that tells interchangeable clients apart is judged without symmetry."""

from collections.abc import Iterator

import pytest

from lakeproof.explore.search import Options, search
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import STORE_AND_CLIENTS, Always, Finding, OnStep, Reached, Violation
from lakeproof.model.snapshot import Snapshot, Transition
from lakeproof.scenario import Call, Scenario


async def note(env: Env) -> None:
    await env.store.set(b"p", b"k", b"v")


def _only(client: int) -> Always:
    def check(snapshot: Snapshot) -> Iterator[Finding]:
        done = [any(call.done for call in calls) for calls in snapshot.clients]
        if done[client] and sum(done) == 1:
            yield Violation("not-alone", f"client {client} is done and the other is not")
        elif any(done):
            yield Reached("somebody is done")

    return Always(id="not-alone", meaning="that client is not done first", check=check, reads=STORE_AND_CLIENTS)


def _not_second(client: int) -> OnStep:
    def check(transition: Transition) -> Iterator[Finding]:
        if transition.client == client and transition.before.store:
            yield Violation("not-second", f"client {client} writes when the other one has")
        else:
            yield Reached("a write")

    return OnStep(id="not-second", meaning="that client does not write last", check=check, watches=lambda *_: True)


@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("symmetry", [True, False])
def test_whichever_client_a_step_invariant_singles_out_it_is_refuted(client: int, symmetry: bool) -> None:
    scenario = Scenario(name="test/told-apart", clients=[[Call(note)], [Call(note)]], invariants=[_not_second(client)])
    result = search(scenario, options=Options(symmetry=symmetry))
    assert [found.verdict for found in result.findings] == ["violated"]


@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("symmetry", [True, False])
def test_whichever_client_an_invariant_singles_out_it_is_refuted(client: int, symmetry: bool) -> None:
    scenario = Scenario(name="test/told-apart", clients=[[Call(note)], [Call(note)]], invariants=[_only(client)])
    result = search(scenario, options=Options(symmetry=symmetry))
    assert [found.verdict for found in result.findings] == ["violated"]

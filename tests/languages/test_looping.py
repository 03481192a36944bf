"""Flows of programs that loop: a program says its state, and what can be checked of that is."""

import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from lakeproof import Call, Env, Faults, Program, Scenario, Terminates
from lakeproof.model.invariants import Fairness
from lakeproof.search import automaton
from lakeproof.search.execution import NondeterministicFlow
from lakeproof.search.results import Limits, Result
from lakeproof.search.search import search
from tests.search.walks import ENDS

pytestmark = pytest.mark.xdist_group("languages")
FLOWS = Program(f"{sys.executable} programs.py", folder=Path(__file__).parent)
LOCK = (b"locks", b"lock")
NONE = Faults()


async def lock(env: Env) -> None:
    while not await env.store.try_set_if(*LOCK, b"1", None):
        pass
    await env.store.delete(*LOCK)


async def poll(env: Env) -> None:
    while not await env.store.try_set_if(*LOCK, b"1", None):
        await env.clock.sleep(1_000_000)
    await env.store.delete(*LOCK)


def scenario(call: Call, faults: Faults = NONE, *, fairness: Fairness = "weak", time: str = "still") -> Scenario:
    """Two clients that make the call, which is to end."""
    ends = Terminates(call.name, id="it-ends", meaning="it ends", fairness=fairness)
    return Scenario(name="loops", clients=2 * [[call]], invariants=[ENDS, ends], time=time, faults=faults)


def established(of: Scenario) -> tuple[object, ...]:
    found = search(of)
    assert found.complete
    return found.states, found.transitions, [(each.id, each.verdict) for each in found.findings]


@pytest.mark.parametrize("faults", [NONE, Faults(crashes=1), Faults(lost_answers=1)], ids=["none", "crash", "lost"])
@pytest.mark.parametrize("fairness", ["weak", "strong", "none"])
def test_a_program_that_says_its_state_has_the_states_of_its_twin(faults: Faults, fairness: Fairness) -> None:
    calls = (FLOWS.call("lock"), Call(lock))
    found = [established(scenario(call, faults, fairness=fairness)) for call in calls]
    assert found[0] == found[1]


@pytest.mark.parametrize("language", ["python", "go"])
def test_it_may_sleep_in_any_language(language: str, built_in: Callable[[str], Program]) -> None:
    flows = FLOWS if language == "python" else built_in(language)
    for name, twin, time in (("lock", lock, "still"), ("poll", poll, "sleeps")):
        assert established(scenario(flows.call(name), time=time)) == established(scenario(Call(twin), time=time))


def stopped(flow: str) -> Result:
    return search(attrs.evolve(scenario(FLOWS.call(flow)), invariants=[ENDS]), Limits(states_max=120))


def test_one_that_does_not_say_it_is_inconclusive_and_the_output_says_why() -> None:
    found = stopped("silent")
    assert not found.complete
    assert found.stopped.endswith("; `state` is missing in the effects of a program of another language")


def test_a_state_that_grows_has_no_end_either() -> None:
    assert not stopped("counting").complete


@pytest.mark.parametrize(
    ("flow", "how"), [("lying", "and ends"), ("lying_later", "the states that it says then differ")]
)
def test_a_lie_is_found(flow: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = scenario(FLOWS.call(flow))
    message = rf"{flow}\(\) says one state after two histories, and after the same reply it .*{how}.*must decide all"
    with pytest.raises(NondeterministicFlow, match=message):
        search(made)
    monkeypatch.setattr(automaton, "CONFIRMED_MAX", 1)  # a planted fault: what a program says counts for a proof
    assert search(made).complete


def test_a_lie_that_comes_out_late_is_not_found() -> None:
    """As the page says."""
    assert search(scenario(FLOWS.call("lying", 9))).complete

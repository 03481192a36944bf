"""Sampling: it finds what is known to be there, repeats itself, and what it reports replays on the real flows."""

from collections.abc import Iterator
from contextlib import suppress
from typing import get_args

import attrs
import pytest

from lakeproof import Call, Env, Faults, Scenario, ScenarioError, kv
from lakeproof.model.invariants import Always, Eventually, Finding, Reached, Violation
from lakeproof.model.snapshot import Snapshot, Status
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.faults import Mode
from lakeproof.search.fence import Undecided
from lakeproof.search.kernel import Kernel
from lakeproof.search.sampling import Sample, Strategy, _Sampling, sample
from lakeproof.search.setup import prepare
from lakeproof.search.space import share_behaviours
from lakeproof.verify import tasks
from lakeproof.verify.loader import Source
from tests import racing
from tests.racing import increment, increment_if
from tests.search.agreement import violated_by
from tools.catalogues import everything

BY_NAME = {scenario.name: scenario for scenario in everything()}
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


LOST_UPDATE = attrs.evolve(racing.LOST_UPDATE, clients=[[Call(increment)]] * 3)
NO_LOST_UPDATE = attrs.evolve(racing.ATOMIC, clients=[[Call(increment_if)]] * 3)


def assert_replays(found: Sample) -> None:
    for name, counterexample in found.violations.items():
        assert name == counterexample.violation.invariant
        # By id: where one state violates an invariant twice, which one is named depends on the order of a store.
        assert name in violated_by(found.scenario, counterexample.moves)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_holds_is_never_violated(strategy: Strategy, seed: int) -> None:
    found = sample(NO_LOST_UPDATE, strategy=strategy, executions=500, seed=seed)
    assert (found.violations, found.executions) == ({}, 500)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "name",
    [
        "repositories/kv3/absent/create-delete/late-write",
        "repositories/step1/delete-create-create/crash",
        "repositories/step2/absent/create-delete-create_branch/clock-jump",
        "repositories/hardened/delete-create-clean/false-predicate",
        "repositories/hardened/delete-delete-create-create_branch-get",
    ],
)
def test_what_is_found_is_expected_and_replays(name: str, strategy: Strategy) -> None:
    scenario = BY_NAME[name]
    found = sample(scenario, strategy=strategy, executions=2000, seed=3)
    assert found.violations.keys() <= scenario.expect.keys()
    assert_replays(found)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_violation_of_every_kind_of_invariant_is_found(strategy: Strategy) -> None:
    """A state, a transition, an end, an order of events, an aftermath."""
    naive = BY_NAME["repositories/naive/delete-delete-create"]
    step2 = BY_NAME["repositories/step2/absent/create-delete-get"]
    found = sample(naive, strategy=strategy, executions=5000, seed=0).violations.keys()
    assert found == naive.expect.keys()
    assert found >= {"active-is-complete", "delete-spares-successor", "create-is-effective", "id-becomes-reusable"}
    assert "deleted-is-inaccessible" in sample(step2, strategy=strategy, executions=5000, seed=0).violations


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_flow_that_cannot_go_on_costs_no_violation_that_was_found_before(strategy: Strategy) -> None:
    async def breaks(env: Env) -> None:
        for _ in range(8):
            await env.store.set(b"other", b"key", b"value")
        with suppress(kv.NotFound):  # alone, it finds nothing
            await env.store.get(*racing.COUNTER)
            raise Undecided("it has broken")

    (each,) = LOST_UPDATE.invariants
    assert isinstance(each, Eventually)
    lost = Always(id=each.id, meaning=each.meaning, check=each.check)
    never = Always(id="never", meaning="never violated", check=lambda _: ())
    clients = [[Call(increment)], [Call(increment)], [Call(breaks)]]
    scenario = attrs.evolve(LOST_UPDATE, clients=clients, invariants=[lost, never])
    found = sample(scenario, strategy=strategy, executions=500)
    assert (set(found.violations), found.stopped) == ({each.id}, "it has broken")
    assert found.executions < 500, "those of the round that was broken off are none"
    assert_replays(found)
    outcome = tasks.Sample(strategy=strategy, executions=500, seed=0, depth=3).run(scenario, Source(), lambda *_: None)
    assert [(verdict.verdict, verdict.why) for verdict in outcome.verdicts] == [
        ("violated", ""),
        ("inconclusive", "it has broken"),
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_equal_arguments_give_equal_results(strategy: Strategy) -> None:
    scenario = BY_NAME["repositories/step2/delete-delete-create/crash"]
    once, again, other = (sample(scenario, strategy=strategy, executions=600, seed=seed) for seed in (5, 5, 6))
    assert once == again
    assert (once.steps, once.violations) != (other.steps, other.violations)


def pct(depth: int, seed: int, executions: int) -> _Sampling:
    setting = prepare(LOST_UPDATE)
    kernel = Kernel(setting, share_behaviours(setting, Behaviour, symmetry=False), [])
    sampling = _Sampling(LOST_UPDATE, kernel, "pct", seed, depth)
    sampling._round(executions, 100, 6)
    return sampling


def test_pct_without_a_change_point_runs_one_client_after_the_other() -> None:
    """So that one whose bug needs a preemption is not found with d = 1, and is with d = 2."""
    found = {depth: pct(depth, 0, 1000).violations.keys() for depth in (1, 2)}
    assert found == {1: set(), 2: {"increments-count"}}


def test_pct_finds_a_bug_of_depth_two_as_often_as_its_theorem_says() -> None:
    """With n clients and k steps an execution finds it with probability 1 / (n k) at least."""
    assert sum(bool(pct(2, seed, 1).violations) for seed in range(200)) >= 200 / (3 * 6)


def test_faults_are_drawn_and_spread() -> None:
    def nobody(seen: Snapshot) -> Iterator[Finding]:
        crashed = [call for call in seen.calls() if call.status is Status.CRASHED]
        yield Violation("nobody-crashes", f"{crashed}") if crashed else Reached("no crash")

    none = Eventually(id="nobody-crashes", meaning="every call ends", check=nobody)
    clients = [[Call(increment_if)], [Call(increment_if)]]
    scenario = Scenario(name="test/crash", clients=clients, invariants=[none], faults=Faults(crashes=1))
    found = sample(scenario, executions=1000, seed=0)
    moves = found.violations["nobody-crashes"].moves
    assert [move.mode for move in moves].count(Mode.CRASH) == 1
    assert_replays(found)


def test_executions_that_are_too_long_are_cut_and_counted() -> None:
    found = sample(LOST_UPDATE, executions=10, steps_max=5)
    assert (found.executions, found.steps, found.cut, found.violations) == (10, 50, 10, {})
    assert sample(NO_LOST_UPDATE, executions=10, steps_max=6).cut == 0


@pytest.mark.parametrize(
    "arguments",
    [{"executions": 0}, {"executions": -1}, {"depth": 0}, {"steps_max": 0}],
)
def test_a_number_out_of_range_is_refused(arguments: dict[str, int]) -> None:
    ((name, value),) = arguments.items()
    with pytest.raises(ScenarioError, match=rf"{name}={value}\b.*at least 1"):
        sample(LOST_UPDATE, **arguments)  # type: ignore[arg-type]  # mypy fears that a name is `strategy`


def test_a_walker_in_a_loop_does_not_run_each_round_from_the_beginning() -> None:
    begun: list[int] = []

    async def spin(env: Env) -> None:
        begun.append(1)
        while not [entry async for entry in env.store.scan(b"p")]:
            pass

    waits = Scenario(name="spin", clients=[[Call(spin)]], invariants=[], expect={"no-unhandled-exception": "holds"})
    assert sample(waits, strategy="random", executions=1, steps_max=400).steps == 400
    assert len(begun) < 100

"""The three algorithms, brute force, and the monitor of the exhaustive search: one verdict."""

import random
from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial

import attrs
import pytest

from benchmarks.linearizability import Client, Shape, Simulation, generated
from lakeproof.model.linearizability.checker import ALGORITHMS, Limits, check, decide_key
from lakeproof.model.linearizability.frontier import frontier
from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings, history
from lakeproof.model.linearizability.layout import Layout
from lakeproof.model.linearizability.problem import Budget, Verdict, make_steps, register
from lakeproof.model.linearizability.search import search
from lakeproof.model.linearizability.specifications import CAS_REGISTER, KV, KV_SCAN, REGISTER, Specification
from lakeproof.model.linearizability.values import REFUSED
from lakeproof.model.linearizability.zones import zones
from lakeproof.model.linearizable import Specification as MonitorSpecification
from lakeproof.model.linearizable import linearizable
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from tests.model.linearizability.generated import brute_force, drawn, simulated, small
from tests.model.test_branch_invariants import judged


def verdicts(specification: Specification, told: History) -> dict[str, Verdict | None]:
    numbers = range(len(told))
    problem = register(specification, told, numbers)
    by_zones = zones(problem)
    return {
        "zones": None if by_zones is None else by_zones.verdict,
        "frontier": frontier(problem, Budget()).verdict,
        "search": search(make_steps(specification, told, numbers), Budget()).verdict,
        "chosen": decide_key(specification, told, numbers, Limits())[0].verdict,
    }


def test_what_is_left_open_for_lack_of_memory_says_so() -> None:
    # Two possible writers: zones cannot tell. One is open for ever: no beam is tried first.
    writes = [Operation(process=number, f="write", argument=1, call=number, returned=9 - number) for number in (0, 1)]
    lost = Operation(process=2, f="write", argument=1, call=2, status=Status.INFO)
    read = Operation(process=3, f="read", result=1, call=3, returned=4)
    answer, _ = decide_key(REGISTER, history([*writes, lost, read]), range(4), Limits(memory=50_000))
    assert (answer.verdict is Verdict.INCONCLUSIVE) is (answer.why != "")


Made = Callable[[int], tuple[Specification, History]]


def agree(seeds: range, made: Made = small) -> Counter[tuple[bool, bool]]:
    """Compares all; returns how often it held, and zones applied."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in seeds:
        specification, told = made(seed)
        holds = brute_force(specification, told)
        expected = Verdict.HOLDS if holds else Verdict.VIOLATED
        found = verdicts(specification, told)
        assert {v for v in found.values() if v is not None} == {expected}, (seed, found, expected)
        seen[holds, found["zones"] is not None] += 1
    return seen


def test_all_algorithms_agree_with_brute_force_on_thousands_of_small_histories() -> None:
    seen = agree(range(4_000), partial(small, most=7))
    assert min(seen[holds, zoned] for holds in (True, False) for zoned in (True, False)) > 50, seen


def test_all_algorithms_agree_with_brute_force_on_operations_that_nothing_has_simulated() -> None:
    seen = agree(range(4_000), drawn)
    assert min(seen[holds, zoned] for holds in (True, False) for zoned in (True, False)) > 200, seen


REFUSED_SET, LOST_WRITE = partial(Operation, f="set_if", status=Status.FAIL), partial(Operation, status=Status.INFO)
LOST: dict[str, tuple[Operation, ...]] = {
    "it hides nothing if its own value was not there either": (
        REFUSED_SET(process=0, argument=(None, 7), call=0, returned=2),  # so 1 was there before 2
        LOST_WRITE(process=1, f="set", argument=1, call=1),
        REFUSED_SET(process=2, argument=(1, 8), call=3, returned=4),
        Operation(process=3, f="set", argument=2, call=5, returned=6),
    ),
    "the second one of a value was not there before its call": (
        LOST_WRITE(process=0, f="set", argument=1, call=0),
        Operation(process=1, f="get", result=1, call=1, returned=2),
        Operation(process=1, f="set", argument=2, call=3, returned=4),
        Operation(process=2, f="get", result=1, call=5, returned=9),  # after the last 3: only the second 1 is left
        Operation(process=1, f="set", argument=3, call=6, returned=7),
        LOST_WRITE(process=3, f="set", argument=1, call=8),
        Operation(process=1, f="get", result=3, call=10, returned=11),
    ),
}


@pytest.mark.parametrize("what", LOST)
def test_a_lost_write_explains_no_more_than_it_can(what: str) -> None:
    found = verdicts(KV, history(LOST[what], Settings(fail="predicate-false")))
    assert set(found.values()) - {None} == {Verdict.VIOLATED}


def doubted(rng: random.Random, op: Operation) -> Operation:
    """The same operation on a key; most sets are of one value, and not answered: the first to begin stands for all."""
    if op.f != "set" or rng.random() < 0.3:
        return attrs.evolve(op, key="k")
    return attrs.evolve(op, key="k", argument=1, status=Status.INFO, returned=NEVER)


def by_time(rng: random.Random, told: History) -> History:
    """The same operations, one after the other in any order of lines: only their times tell when they were."""
    again = History(Settings(order="time", fail=told.settings.fail))
    for number in rng.sample(range(len(told)), len(told)):
        op = told.operation(number)
        again.call(number, op.f, op.key, op.argument, time=op.call)
        if op.returned != NEVER:
            again.end(number, op.status, op.result, time=op.returned)
    again.settle()
    return again


@pytest.mark.parametrize("order", ["file", "time"])
def test_a_key_alone_and_one_that_is_judged_with_others_agree_with_brute_force(order: str) -> None:
    seen: Counter[bool] = Counter()
    for seed in range(1_500):
        rng = random.Random(seed)
        operations = simulated(rng, KV, most=7, spoiled=rng.choice((0.0, 0.3)))
        told = history((doubted(rng, each) for each in operations), Settings(fail="predicate-false"))
        holds, placed = brute_force(KV, told), by_time(rng, told) if order == "time" else told
        found = {each.verdict for specification in (KV, KV_SCAN) for each in check(specification, placed)}
        assert found == {Verdict.HOLDS if holds else Verdict.VIOLATED}, seed
        seen[holds] += 1
    assert min(seen[True], seen[False]) > 100, seen


@pytest.mark.deep
@pytest.mark.parametrize("made", [small, drawn])
def test_all_algorithms_agree_with_brute_force_on_many_small_histories(made: Made, run_seed: int) -> None:
    first = (run_seed + 1) * 100_000
    agree(range(first, first + 20_000), made)


def larger(seed: int) -> tuple[Specification, History]:
    rng = random.Random(seed)
    specification = rng.choice((REGISTER, CAS_REGISTER, KV))
    operations = simulated(rng, specification, most=60, spoiled=rng.choice((0.0, 0.1, 0.3)))
    return specification, history(operations, Settings(fail="predicate-false"))


@pytest.mark.parametrize("seeds", [range(300), pytest.param(range(1_000, 2_000), marks=pytest.mark.deep)])
def test_the_algorithms_agree_with_each_other_on_larger_histories(seeds: range) -> None:
    seen: Counter[Verdict] = Counter()
    for seed in seeds:
        specification, told = larger(seed)
        found = verdicts(specification, told)
        known = {v for v in found.values() if v is not None} - {Verdict.INCONCLUSIVE}
        assert len(known) == 1, (seed, found)
        seen.update(known)
    assert min(seen[Verdict.HOLDS], seen[Verdict.VIOLATED]) > len(seeds) * 0.16


def test_a_narrow_beam_and_a_small_budget_never_say_anything_wrong() -> None:
    said: Counter[tuple[str, Verdict]] = Counter()
    for seed in range(1_500):
        specification, told = small(seed, most=12)
        problem = register(specification, told, range(len(told)))
        true = frontier(problem, Budget()).verdict
        for name, answer in (
            ("beam", frontier(problem, Budget(), beam=1)),
            ("few", frontier(problem, Budget(configurations=2))),
        ):
            assert answer.verdict in (true, Verdict.INCONCLUSIVE), (seed, name)
            said[name, answer.verdict] += 1
    assert said["beam", Verdict.HOLDS] > 200
    assert said["few", Verdict.INCONCLUSIVE] > 5


def monitored(told: History) -> bool:
    """What the monitor of the exhaustive search of schedules says of a history of reads, writes and cas."""

    def apply(state: Hashable, name: str, args: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
        after, result = CAS_REGISTER.step(state, name, args[0])
        return after, result if name == "read" else "refused" if result is REFUSED else "done"

    monitor = linearizable(
        MonitorSpecification(name="register", initial=None, apply=apply, result=lambda call: call.value)
    )
    events: list[tuple[int, Event]] = []
    for number in range(len(told)):
        op = told.operation(number)
        answers = op.status is Status.FAIL and op.f == "cas"
        events.append((op.call, Invoked(number, 0, op.f, (op.argument,))))
        if op.returned != NEVER:
            value: Hashable = op.result if op.f == "read" else "refused" if answers else "done"
            status = Status.OK if answers else op.status
            events.append((op.returned, Returned(number, 0, CallView(op.f, (op.argument,), status, value))))
    return judged(monitor, (event for _, event in sorted(events, key=lambda pair: pair[0]))) != "violated"


def test_the_checker_agrees_with_the_monitor_of_the_exhaustive_search() -> None:
    held = 0
    for seed in range(300):
        rng = random.Random(seed)
        operations = simulated(rng, CAS_REGISTER, most=7, spoiled=rng.choice((0.0, 0.6)))
        told = history(operations, Settings(fail="predicate-false"))
        [found] = check(CAS_REGISTER, told)
        assert (found.verdict is Verdict.HOLDS) == monitored(told), seed
        held += found.verdict is Verdict.HOLDS
    assert 50 < held < 270


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_algorithm_that_is_asked_for_answers_or_says_that_it_cannot(algorithm: str) -> None:
    for seed in range(50):
        specification, told = small(seed)
        [found] = check(specification, told, algorithm=algorithm)
        assert found.algorithm == algorithm
        if found.verdict is Verdict.INCONCLUSIVE:
            assert algorithm == "zones"
            assert "several possible writers" in found.why


@pytest.mark.parametrize(("clients", "indefinite"), [(5, 0.0), (20, 0.0), (5, 0.01), (20, 0.05)])
def test_zones_decide_closed_loop_histories_of_distinct_values(clients: int, indefinite: float) -> None:
    shape = Shape(operations=20_000, clients=clients, keys=1, distinct=True, indefinite=indefinite)
    [found] = check(CAS_REGISTER, generated(shape), algorithm="zones")
    assert found.verdict is Verdict.HOLDS
    [found] = check(CAS_REGISTER, generated(attrs.evolve(shape, stale=True)), algorithm="zones")
    assert found.verdict is Verdict.VIOLATED


class _Refusing(Simulation):
    """Tells of compare-and-sets that took place as if they had been refused."""

    def _take_effect(self, client: Client) -> None:
        super()._take_effect(client)
        if client.f == "cas" and client.status is Status.OK and self.rng.random() < 0.2:
            client.status = Status.FAIL


def refusals(seeds: range) -> Counter[tuple[Verdict | None, Verdict]]:
    """What zones and the frontier say of closed-loop histories with refusals, some of them told wrongly."""
    said: Counter[tuple[Verdict | None, Verdict]] = Counter()
    for seed in seeds:
        operations, clients, indefinite = (8, 20, 60)[seed % 3], 2 + seed % 4, (0.0, 0.1, 0.3)[seed % 5 % 3]
        shape = Shape(operations=operations, clients=clients, keys=1, distinct=True, indefinite=indefinite)
        told = (_Refusing if seed % 2 else Simulation)(shape, seed).run()
        problem = register(CAS_REGISTER, told, range(len(told)))
        by_zones, by_frontier = zones(problem), frontier(problem, Budget())
        said[None if by_zones is None else by_zones.verdict, by_frontier.verdict] += 1
    return said


@pytest.mark.parametrize("seeds", [range(1_500), pytest.param(range(1_500, 12_000), marks=pytest.mark.deep)])
def test_what_zones_say_of_refusals_the_frontier_says(seeds: range) -> None:
    said = refusals(seeds)
    assert {pair for pair in said if pair[0] is not None and pair[0] is not pair[1]} == set()
    assert said[Verdict.HOLDS, Verdict.HOLDS] > len(seeds) / 2
    assert said[Verdict.VIOLATED, Verdict.VIOLATED] > len(seeds) / 20
    assert sum(count for (by_zones, _), count in said.items() if by_zones is None) < len(seeds) / 10


def test_the_last_layout_of_zones_proves_what_holds_whatever_was_chosen_before(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever hides a value is chosen without a look at what has no place then: at 635 and 665 that leads astray.
    monkeypatch.setattr("lakeproof.model.linearizability.zones.clash", lambda *spans: False)
    monkeypatch.setattr(Layout, "_clashes", lambda self, block, span: False)
    said = refusals(range(600, 700))
    assert said[Verdict.HOLDS, Verdict.VIOLATED] == 0 < said[None, Verdict.VIOLATED]

"""The generator of the linearizability benchmark: its histories are what it says, by all algorithms."""

from collections.abc import Iterable

import pytest

from benchmarks.linearizability import Shape, generated
from lakeproof.model.linearizability.checking import check
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import CAS_REGISTER


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("stale", [True, False])
@pytest.mark.parametrize("clients", [3, 10])
def test_a_generated_history_holds_unless_it_has_a_stale_read(distinct: bool, stale: bool, clients: int) -> None:
    for seed in range(20):
        shape = Shape(
            operations=200, clients=clients, keys=1, distinct=distinct, indefinite=0 if stale else 0.02, stale=stale
        )
        told = generated(shape, seed)
        assert len(told) == 200
        for algorithm in (None, "frontier"):
            [found] = check(CAS_REGISTER, told, algorithm=algorithm)
            assert found.verdict is (Verdict.VIOLATED if stale else Verdict.HOLDS), (seed, algorithm)


@pytest.mark.parametrize(("operations", "clients", "seeds"), [(2_000, 10, range(30)), (10_000, 5, (40, 57, 109, 127))])
def test_zones_decide_where_values_are_distinct_though_compare_and_sets_are_refused(
    operations: int, clients: int, seeds: Iterable[int]
) -> None:
    for seed in seeds:
        told = generated(Shape(operations=operations, clients=clients, keys=1, distinct=True), seed)
        [found] = check(CAS_REGISTER, told)
        assert (found.verdict, found.algorithm) == (Verdict.HOLDS, "zones")


def test_equal_seeds_give_equal_histories_with_all_clients_at_work() -> None:
    shape = Shape(operations=500, clients=7, keys=5, distinct=False, indefinite=0.05)
    one, other = generated(shape, 3), generated(shape, 3)
    assert [one.operation(i) for i in range(500)] == [other.operation(i) for i in range(500)]
    assert len(one.keys) == 5
    assert len({one.operation(i).process for i in range(500)}) > 7

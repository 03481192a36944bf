"""A service is asked for what the table of promises says of the operations that its clients call."""

from random import Random

from lakeproof.live.lakefs.calls import KIND_OF
from lakeproof.live.lakefs.promises import ALONE, ALONE_CALLS, COVERAGE, IDS
from lakeproof.live.lakefs.workload import Names, follow_ups, plan_entry_call, plan_repository_call
from lakeproof.model.promises import promised_ids


def test_clients_call_just_these_operations() -> None:
    rng, names, called = Random(1), Names("p", "mem://n", ("mem://outside/",)), set[str]()
    for _ in range(3_000):
        for planned in (plan_entry_call(rng, names), plan_repository_call(rng, names)):
            called.add(planned[0])
            called.update(name for name, _ in follow_ups(rng, planned, names))
            if planned[0] == "set_entry":
                names.learn("commit", (*planned[1][:2], "m"), "c1")
                names.learn("create_pull", planned[1], "p1")
    assert called >= KIND_OF.keys()
    assert {KIND_OF.get(name, name) for name in called} == {kind.name for kind in COVERAGE.kinds} | ALONE_CALLS


def test_each_promise_is_asked_or_has_a_reason_why_not() -> None:
    promises = set(promised_ids(*COVERAGE.kinds))
    assert set(IDS) - set(ALONE) == promises - COVERAGE.unjudged.keys()
    assert COVERAGE.unjudged.keys() - promises == set()

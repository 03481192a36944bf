"""``stress --flows`` and `service` judge what the table of promises says of the operations that their clients call."""

from collections.abc import Callable
from random import Random

import attrs
import pytest
import trio

from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.live.coverage import Coverage
from lakeproof.live.engine import Load
from lakeproof.live.flow_calls import Caller, FlowCall, entry_call, repository_call
from lakeproof.live.flow_promises import JUDGES, OF_ENTRIES, OF_REPOSITORIES, judges, observers
from lakeproof.live.flows import READABLE, Flows
from lakeproof.live.lakefs.calls import KIND_OF
from lakeproof.live.lakefs.promises import ALONE, ALONE_CALLS, COVERAGE, IDS
from lakeproof.live.lakefs.workload import Names, follow_ups, plan_entry_call, plan_repository_call
from lakeproof.live.recorder import Tally
from lakeproof.model import kv
from lakeproof.model.promises import promised_ids
from lakeproof.model.snapshot import Status
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.stores.wrappers import PrefixedStore
from tests.stores.mute import raising

GROUPS = pytest.mark.parametrize(
    ("group", "call"), [(OF_ENTRIES, entry_call), (OF_REPOSITORIES, repository_call)], ids=["entries", "repositories"]
)


@GROUPS
def test_clients_of_stress_call_just_these_operations(
    group: Coverage, call: Callable[[Random, bytes], FlowCall]
) -> None:
    rng = Random(1)
    assert {call(rng, b"i").name for _ in range(2_000)} == {kind.name for kind in group.kinds}


@GROUPS
def test_each_promise_is_judged_or_has_a_reason_why_not(group: Coverage, call: object) -> None:
    promises = promised_ids(*group.kinds)
    assert {judge.id for judge in judges(group)} == set(promises) - group.unjudged.keys()
    assert group.unjudged.keys() <= set(promises)
    assert {each for judge in judges(group) for each in judge.observers} == set(observers(group))


def test_a_promise_without_a_judge_or_a_reason_is_an_error() -> None:
    with pytest.raises(KeyError) as named:
        judges(Coverage(" ".join(kind.name for kind in OF_ENTRIES.kinds), reasons={}))
    assert named.value.args[0] in OF_ENTRIES.unjudged.keys() - JUDGES.keys()


def test_clients_of_service_call_just_these_operations() -> None:
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


def test_each_promise_of_service_is_judged_or_has_a_reason_why_not() -> None:
    promises = set(promised_ids(*COVERAGE.kinds))
    assert set(IDS) - set(ALONE) == promises - COVERAGE.unjudged.keys()
    assert COVERAGE.unjudged.keys() - promises == set()


class LosesAnswers(MemoryStore):
    """Of transacts."""

    async def apply_all(self, op: kv.Transact) -> None:
        await super().apply_all(op)
        raise kv.OutcomeUnknown


class TransactsNot(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.capabilities = frozenset()


@pytest.mark.parametrize(
    ("store", "status", "error"),
    [
        (MemoryStore(), Status.OK, type(None)),
        (MemoryStore({(b"mine/p", b"k"): b"1"}), Status.FAIL, kv.CheckFailed),
        (LosesAnswers(), Status.CRASHED, kv.OutcomeUnknown),
        (TransactsNot(), Status.FAIL, kv.Refused),
    ],
    ids=["done", "a check failed", "answer lost", "refused"],
)
def test_a_flow_that_transacts_is_recorded_as_any_other(
    store: MemoryStore, status: Status, error: type[kv.KVError | None]
) -> None:
    async def flow(env: Env) -> None:
        await env.store.transact(checks=[(b"p", b"k", None)], writes=[(b"p", b"k", b"1"), (b"p", b"l", b"1")])

    private = PrefixedStore(store, b"mine/")
    caller = Caller(private, MemoryObjectStore(), live_env(), (), Tally())
    client = caller.client()
    after = trio.run(caller.call, client, FlowCall("both", (), flow))
    [view] = caller.clients[client]
    assert (view.status, type(view.error), after == client) == (status, error, status is not Status.CRASHED)
    held = {(b"mine/p", b"k"), (b"mine/p", b"l")} if status in (Status.OK, Status.CRASHED) else set(store.contents())
    assert store.contents().keys() == held
    assert trio.run(private.clear) == []
    assert error is kv.CheckFailed or not store.contents()


def test_a_call_that_was_refused_half_way_is_in_doubt() -> None:
    async def flow(env: Env) -> None:
        await env.store.set(b"p", b"k", b"1")
        await env.store.set(b"p", b"l", b"1")

    store = raising(kv.Refused("full"), lambda op, number: number == 2)
    caller = Caller(store, MemoryObjectStore(), live_env(), (), Tally())
    client = caller.client()
    assert trio.run(caller.call, client, FlowCall("both", (), flow)) == client
    assert [view.status for view in caller.clients[client]] == [Status.INFO]


class Tears(MemoryStore):
    """Cuts one staged entry off."""

    torn = False

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Set) and op.key.startswith(b"key/") and not self.torn:
            self.torn, op = True, attrs.evolve(op, value=op.value[:-1])
        return await super().apply(op)


@pytest.mark.parametrize(
    ("store", "invariant"),
    [
        (raising(LookupError("no such row"), lambda op, number: number == 60), NO_UNHANDLED_EXCEPTION),
        (Tears(), READABLE),
    ],
)
def test_what_no_store_may_do_to_a_flow_is_a_violation(store: MemoryStore, invariant: str) -> None:
    made = trio.run(Flows(Load(clients=8), store).round)
    assert invariant in {violation.invariant for violation in made.violations}

"""The live driver: unchanged flows under trio, on real stores. Requests of a group of tasks are on their way together,
and cancelled ones are recalled."""

import gc
import warnings
from collections.abc import Callable

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from lakeproof.impl.effects import Env
from lakeproof.impl.live import NoLocalStore, NoObjectStore, NotAnEffect, live_env, run
from lakeproof.impl.parallel import Misused
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv, objects
from lakeproof.model.identifiers import InstanceUID, RepositoryID

R = RepositoryID("r")
P = b"p"


def test_an_error_of_the_store_is_raised_in_the_flow_where_it_performed_the_effect() -> None:
    async def flow(env: Env) -> str:
        try:
            await env.store.get(P, b"k")
        except kv.NotFound:
            await env.store.set(P, b"k", b"v")
        try:
            await env.objects.get("a")
        except objects.ObjectNotFound:
            return "both"
        return "one"

    store = MemoryStore()
    assert trio.run(run, flow(live_env()), store, MemoryObjectStore()) == "both"
    assert store.contents() == {(P, b"k"): b"v"}


def test_a_flow_that_wants_an_object_without_an_object_store_is_told_so() -> None:
    async def flow(env: Env) -> None:
        await env.objects.put("a", b"")

    with pytest.raises(NoObjectStore, match=r"Put\(address='a', content=b'.*pass one to run\(\)"):
        trio.run(run, flow(live_env()), MemoryStore())


def test_a_flow_that_awaits_anything_but_its_env_is_told_so() -> None:
    async def flow(env: Env) -> None:
        await trio.lowlevel.checkpoint()

    with pytest.raises(NotAnEffect, match="a flow may only await env"):
        trio.run(run, flow(live_env()), MemoryStore())


def test_identifiers_are_all_different_and_fit_to_be_a_uid() -> None:
    one, other = live_env(), live_env()
    minted = [env.ids.unique("instance") for env in (one, one, other)]
    assert len(set(minted)) == 3
    for uid in minted:
        keys.repository_partition(R, InstanceUID(uid))


def test_a_flow_that_is_cancelled_stops_before_its_effect_and_runs_nothing_more() -> None:
    async def flow(env: Env, wait: Callable[[], None]) -> None:
        try:
            await env.store.set(P, b"1", b"")
            wait()
            await env.store.set(P, b"2", b"")
        finally:
            ended.append("finally")
            await env.store.delete(P, b"1")

    ended: list[str] = []

    async def main() -> None:
        store = MemoryStore()
        with trio.CancelScope() as scope:
            await run(flow(live_env(), scope.cancel), store)
        assert scope.cancelled_caught
        assert ended == []  # as with a client that crashed
        assert store.contents() == {(P, b"1"): b""}

    trio.run(main)


def test_a_scan_that_a_flow_abandons_half_way_ends_without_a_warning() -> None:
    async def first(env: Env) -> bytes:
        async for entry in env.store.scan(P, batch_size=1):
            return entry.key
        return b""

    async def main() -> None:
        assert await run(first(live_env()), MemoryStore({(P, b"a"): b"", (P, b"b"): b""})) == b"a"

    gc.collect()  # what others have left is no matter of this flow
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trio.run(main)
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


class Broken(MemoryStore):
    """Raises what no store may raise."""

    async def apply(self, op: kv.Op) -> Answer:
        raise ZeroDivisionError


def test_a_bug_in_a_store_is_not_an_answer() -> None:
    async def flow(env: Env) -> None:
        try:
            await env.store.get(P, b"k")
        except Exception as error:  # noqa: BLE001  # the point: the flow never sees it
            seen.append(error)

    seen: list[Exception] = []

    with pytest.raises(ZeroDivisionError):
        trio.run(run, flow(live_env()), Broken())
    assert seen == []


def test_a_local_store_is_that_of_the_client_and_outlives_its_flow() -> None:
    async def flow(env: Env) -> bytes | None:
        found = await env.local.find(P, b"k")
        predicate = None if found is None else found.predicate
        await env.local.transact(checks=[(P, b"k", predicate)], writes=[(P, b"k", b"1")])
        await env.store.transact(writes=[(P, b"k", b"2"), (P, b"l", b"2")])
        return None if found is None else found.value

    async def main() -> None:
        store, local = MemoryStore(), MemoryStore()
        assert await run(flow(live_env()), store, local=local) is None
        assert await run(flow(live_env()), store, local=local) == b"1"
        assert (len(store.contents()), len(local.contents())) == (2, 1)
        with pytest.raises(NoLocalStore, match=r"Get.* without a local store; pass local= to run\(\)"):
            await run(flow(live_env()), store)

    trio.run(main)


class Meeting(MemoryStore):
    """Answers reads only when two of them are on their way; a read of ``stuck`` never."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.two = trio.Event()
        self.recalled: list[bytes] = []

    async def perform(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Get):
            self.waiting += 1
            if self.waiting == 2:
                self.two.set()
            try:
                await (trio.Event() if op.key == b"stuck" else self.two).wait()
            except trio.Cancelled:
                self.recalled.append(op.key)
                raise
        return await super().perform(op)


def test_requests_of_two_tasks_are_on_their_way_together() -> None:
    async def flow(env: Env) -> tuple[object, object]:
        async with env.parallel() as group:
            one = group.start(env.store.find, P, b"k")
            other = group.start(env.store.find, P, b"l")
        return one.value, other.value

    assert trio.run(run, flow(live_env()), Meeting()) == (None, None)


def test_where_one_task_fails_the_request_of_the_other_is_recalled() -> None:
    async def flow(env: Env) -> str:
        told = ""

        async def waits() -> None:
            nonlocal told
            try:
                await env.store.find(P, b"stuck")
            finally:
                told = "it was cancelled"

        try:
            async with env.parallel() as group:
                group.start(env.store.get, P, b"k")
                group.start(waits)
        except* kv.NotFound:
            pass
        async with env.parallel() as group:  # its tasks have the names of the first one's
            group.start(env.store.set, P, b"k", b"v")
        return told

    store = Meeting()
    assert trio.run(run, flow(live_env()), store) == "it was cancelled"
    assert store.recalled == [b"stuck"]
    assert store.contents() == {(P, b"k"): b"v"}


def test_on_cancellation_from_outside_nothing_of_the_flow_runs_any_more() -> None:
    ran: list[str] = []

    async def flow(env: Env) -> None:
        async def waits() -> None:
            try:
                await env.store.find(P, b"stuck")
            finally:
                ran.append("finally")

        async with env.parallel() as group:
            group.start(waits)

    async def main() -> None:
        with trio.move_on_after(0):
            await run(flow(live_env()), Meeting())

    trio.run(main)
    assert ran == []


def test_once_a_store_has_broken_nothing_of_the_flow_runs_not_even_what_was_answered_already() -> None:
    class BreaksWhereItAnswers(MemoryStore):
        async def perform(self, op: kv.Op) -> Answer:
            if op == kv.Get(P, b"breaks"):
                await wait_all_tasks_blocked()
                answered.set()
                raise OSError("no disk")
            await answered.wait()  # and no checkpoint after it: this task goes on although it is cancelled by then
            return kv.ValueWithPredicate(b"v", b"v")

    answered = trio.Event()
    ran: list[str] = []

    async def flow(env: Env) -> None:
        async def waits() -> None:
            try:
                await env.store.find(P, b"k")
            finally:
                ran.append("finally")

        async with env.parallel() as group:
            group.start(waits)
            await env.store.find(P, b"breaks")

    with pytest.raises(OSError, match="no disk"):
        trio.run(run, flow(live_env()), BreaksWhereItAnswers())
    assert ran == []


def test_foreign_awaits_and_misused_groups_are_refused() -> None:
    async def foreign(env: Env) -> None:
        async with env.parallel() as group:
            group.start(trio.lowlevel.cancel_shielded_checkpoint)

    async def misused(env: Env) -> None:
        async with env.parallel() as group:
            pass
        group.start(env.store.find, P, b"k")

    async def in_a_timeout(env: Env) -> None:
        async with env.timeout(1) as timeout:
            timeout.start(env.store.find, P, b"k")

    for flow, error in ((foreign, NotAnEffect), (misused, Misused), (in_a_timeout, Misused)):
        with pytest.raises(error):
            trio.run(run, flow(live_env()), MemoryStore())

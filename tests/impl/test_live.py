"""The live driver: unchanged flows under trio, by many tasks, on real stores."""

import gc
import warnings
from collections.abc import Callable

import pytest
import trio

from lakeproof.impl.effects import Env
from lakeproof.impl.live import NoLocalStore, NoObjectStore, NotAnEffect, live_env, run
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

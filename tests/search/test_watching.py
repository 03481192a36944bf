"""Watches, by hand: when they begin and end, who waits, times to live, loops; in memory, and where they are refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest
import trio

from lakeproof import (
    Always,
    Call,
    Client,
    Env,
    Faults,
    Finding,
    Reached,
    Reads,
    Scenario,
    Violation,
    kv,
)
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.impl.stores.base import Answer, Store
from lakeproof.model.snapshot import AnySnapshot, Status
from lakeproof.search import trace
from lakeproof.search.program import Mint
from lakeproof.search.replay import record
from lakeproof.search.results import Options
from lakeproof.search.search import search
from lakeproof.show.story import story
from tests.differential.plain import plain_search
from tests.search.agreement import broken, check_agreement
from tests.search.walks import ENDS

SECOND: Final = 1_000_000
K: Final = (b"p", b"k")


async def put(env: Env, *values: bytes) -> None:
    for value in values:
        await env.store.set(*K, value)


async def see(env: Env, count: int) -> tuple[bytes | None, ...]:
    """What is there, and the values of the next changes."""
    async with env.store.watch(*K) as changes:
        seen = [entry.value for entry in changes.entries]
        return (*seen, *[(await anext(changes)).value for _ in range(count)])


def scenario(*clients: Call | Client, **fields: object) -> Scenario:
    made = [client if isinstance(client, Client) else [client] for client in clients]
    return Scenario(name="w", clients=made, invariants=[ENDS], **fields)  # type: ignore[arg-type]


def values(of: Scenario, client: int = 0) -> set[object]:
    """What the last call of a client returns, by end; its status where it returns nothing."""
    finals = search(of, options=Options(keep_finals=True)).finals
    ends = [final.value[1][client][-1] for final in finals]  # type: ignore[index]
    return {end.value if end.status is Status.OK else end.status for end in ends}


def test_a_write_of_the_same_value_is_a_change() -> None:
    assert (b"1", b"1") in values(scenario(Call(see, 1), Call(put, b"1", b"1")))


async def swap(env: Env) -> None:
    await env.store.transact(writes=[(b"p", b"k", b"1"), (b"p", b"k2", b"2"), (b"p", b"absent", None)])


async def see_two_then_mark(env: Env) -> tuple[bytes, bytes]:
    async with env.store.watch(b"p") as changes:
        seen = ((await anext(changes)).key, (await anext(changes)).key)
        await env.store.set(*K, b"3")
        return seen


def test_what_a_transaction_changes_is_received_in_one_step() -> None:
    """Begin, the transaction, one receive, a write, the end: a chain but for what precedes the watch."""
    found = scenario(Call(see_two_then_mark), Call(swap))
    assert values(found) == {(b"k", b"k2"), Status.PENDING}
    assert search(found).depth == 5


@pytest.mark.parametrize("clients", [2, 3])
def test_clients_of_one_program_have_watches_of_their_own(clients: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twins = scenario(*clients * [Call(see, 1)], Call(put, b"1"))
    both = ((b"1",), Status.PENDING)
    for _ in range(2):
        plain = plain_search(twins)
        found = search(twins, options=Options(keep_finals=True))
        assert found.finals == plain.finals
        assert values(twins) == set(both)
        assert not found.symmetric
        monkeypatch.setattr(Mint, "owner", Mint.timer)  # a planted fault: they share one
        assert search(twins, options=Options(keep_finals=True)).finals != plain.finals
        monkeypatch.undo()


async def see_both(env: Env) -> tuple[bytes | None, ...]:
    """Two watches of one prefix, not ended in the order of their beginning."""
    first, second = env.store.watch(*K), env.store.watch(*K)
    await first.__aenter__()
    await second.__aenter__()
    one = (await anext(first)).value
    await first.__aexit__(None, None, None)
    other = ((await anext(second)).value, (await anext(second)).value)
    await second.__aexit__(None, None, None)
    return (one, *other)


def test_a_task_may_have_several_watches_of_one_prefix() -> None:
    found = scenario(Call(see_both), Call(put, b"1", b"2"))
    assert (b"1", b"1", b"2") in values(found)
    check_agreement(found)


async def lease(env: Env) -> None:
    await env.store.set(*K, b"1", ttl=SECOND)


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_the_end_of_a_time_to_live_is_a_change(time: str) -> None:
    leased = scenario(Call(see, 2), Call(lease), time=time, tick=SECOND)
    assert values(leased) == {(b"1", None), Status.PENDING}
    plain = plain_search(leased)
    assert search(leased, options=Options(keep_finals=True)).finals == plain.finals


async def follow_for_ever(env: Env) -> None:
    while True:
        async with env.store.watch(*K) as changes:
            if changes.entries:
                continue
            await anext(changes)


def test_watches_in_a_loop_have_an_end_of_states() -> None:
    assert search(scenario(Call(follow_for_ever), Call(put, b"1"))).complete


def _look(seen: AnySnapshot) -> Iterator[Finding]:
    for call in seen.calls():
        yield Violation("lost", "a watch") if isinstance(call.error, kv.WatchLost) else Reached("no loss")


LOST: Final = Always(id="lost", meaning="no watch is lost", check=_look, reads=frozenset({Reads.CLIENTS}))


def test_traces_and_stories_know_watches(tmp_path: Path) -> None:
    waits = scenario(Call(see, 2), Call(put, b"1"), faults=Faults(lost_watches=1))
    assert values(waits) == {Status.PENDING, Status.FAIL}
    waits = attrs.evolve(waits, invariants=[LOST])
    found = broken(waits)
    assert found is not None
    written = record(waits, LOST.id, found.moves, version="0", loop=found.loop)
    file = tmp_path / "trace.json"
    file.write_text(trace.dumps(written))
    assert trace.read(file) == written
    assert {"watch lost"} == {step.mode.value for step in written.schedule} - {"normal"}
    assert all(words in str(story([written])) for words in ("watches p/k*", "the watch is lost"))


async def hurry(env: Env) -> bytes | None:
    async with env.store.watch(*K) as changes:
        try:
            async with env.timeout(SECOND):
                change = await anext(changes)
        except TimeoutError:
            return b"late"
        return change.value


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_a_timeout_takes_no_change_away_and_leaves_the_watch_open(time: str) -> None:
    found = scenario(Call(hurry), Call(put, b"1"), time=time)
    assert values(found) == {b"1", b"late"}
    check_agreement(found)


async def see_in_tasks(env: Env) -> tuple[object, object]:
    async with env.parallel() as group:
        one, other = (group.start(see, env, 1) for _ in range(2))
    return one.value, other.value


async def hurry_over_all(env: Env) -> object:
    try:
        async with env.timeout(SECOND):
            seen = await see(env, 1)
    except TimeoutError:
        return "late", await see(env, 0)
    return seen


def test_tasks_have_watches_of_their_own_also_one_that_is_cancelled_with_its_watch() -> None:
    tasks = scenario(Call(see_in_tasks), Call(put, b"1"))
    assert values(tasks) == {((b"1",), (b"1",)), Status.PENDING}
    check_agreement(tasks)
    hurried = scenario(Call(hurry_over_all), Call(put, b"1"), time="sleeps")
    assert values(hurried) == {(b"1",), ("late", ()), ("late", (b"1",))}
    check_agreement(hurried)


def test_after_a_restart_there_is_no_watch() -> None:
    restarted = scenario(Client([Call(see, 1)], recover=Call(see, 0)), Call(put, b"1"), faults=Faults(restarts=1))
    assert values(restarted) == {(b"1",), (), Status.PENDING}
    check_agreement(restarted)


async def use_late(env: Env) -> None:
    async with env.store.watch(*K) as changes:
        pass
    await anext(changes)


def test_a_watch_that_is_over_receives_nothing() -> None:
    [_, raised] = search(scenario(Call(use_late))).findings
    assert raised.counterexample is not None
    assert "a watch is open within its async with alone" in str(raised.counterexample.violation)


def test_on_a_store_in_memory_a_watch_is_one() -> None:
    async def main() -> list[object]:
        store = MemoryStore({K: b"0"})
        seen: list[object] = []
        started = trio.Event()

        async def watch(env: Env) -> None:
            async with env.store.watch(b"p") as changes:
                seen.extend([entry.value for entry in changes.entries])
                started.set()
                async for change in changes:
                    seen.append((change.key, change.value))
                    if change.key == b"last":
                        break

        async def write(env: Env) -> None:
            await env.store.set(*K, b"1")
            await env.store.set(b"other", b"k", b"2")
            await env.store.transact(writes=[(*K, None), (b"p", b"absent", None)])
            await env.store.set(b"p", b"last", b"3")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, watch(live_env()), store)
            await started.wait()
            await run(write(live_env()), store)
        assert not store._feeds
        return seen

    assert trio.run(main) == [b"0", (b"k", b"1"), (b"k", None), (b"last", b"3")]


def test_a_store_without_watches_refuses_them() -> None:
    class Bare(Store):
        async def apply(self, op: kv.Op) -> Answer:
            raise AssertionError(op)

    with pytest.raises(kv.Refused, match="Bare has no watch; poll with scan"):
        trio.run(run, see(live_env(), 1), Bare())

"""Channels, by hand: who waits and what ends the wait, faults in traces and pictures, where channels are refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest
import trio
from jsonschema import Draft202012Validator

from lakeproof import (
    Aftermath,
    Always,
    Call,
    Client,
    Env,
    Eventually,
    Faults,
    Finding,
    OnStep,
    Reached,
    Scenario,
    Violation,
    kv,
)
from lakeproof.impl.live import NoChannel, live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.snapshot import AnySnapshot, Status
from lakeproof.scenario import ScenarioError
from lakeproof.search import trace
from lakeproof.search.faults import Mode
from lakeproof.search.replay import record, replay
from lakeproof.search.results import Options
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from lakeproof.show.pages.html import page
from lakeproof.show.pages.mermaid import diagram
from lakeproof.show.story import story
from tests.differential.plain import plain_search
from tests.search.agreement import check_agreement, differences_from_plain, ends_of
from tests.search.channelled import CHANNELLED, CHANNELS, P, follow
from tests.search.walks import ENDS

SECOND: Final = 1_000_000
LOCK: Final = (P, b"lock")


def test_interchangeable_receivers_are_exchanged() -> None:
    scenario = Scenario(
        name="twins",
        clients=[[Call(follow, "a", (("send", 0), ("send", 0)))], *2 * [[Call(follow, "b", (("receive", 0),))]]],
        invariants=[ENDS],
        faults=Faults(crashes=1),
    )
    found = check_agreement(scenario)
    assert found["symmetric"].result.states < found["neither"].result.states


async def send(env: Env, *messages: bytes) -> None:
    for message in messages:
        await env.channel("c0").send(message)


def test_a_channel_has_room_for_one_message_or_more() -> None:
    async def send_nowhere(env: Env) -> None:
        await env.channel("c", capacity=0).send(b"1")

    [_, raised] = search(scenario(Call(send_nowhere))).findings
    assert raised.counterexample is not None
    assert "capacity is 0: expected at least 1, or None" in raised.counterexample.violation.evidence


async def receive(env: Env) -> bytes:
    return await env.channel("c0").receive()


async def await_both(env: Env) -> tuple[bytes, bytes]:
    async with env.parallel() as group:
        here, there = (group.start(env.channel(name).receive) for name in CHANNELS)
    return here.value, there.value


async def hurry(env: Env) -> bytes:
    try:
        async with env.timeout(1):
            message = await env.channel("c0").receive()
    except TimeoutError:
        return b"late"
    return message


def scenario(*clients: Call, **fields: object) -> Scenario:
    return Scenario(name="c", clients=[[call] for call in clients], invariants=[ENDS], **fields)  # type: ignore[arg-type]


def values(of: Scenario) -> set[tuple[object, ...]]:
    """The messages left in c0, and what each call has returned, by end."""
    return {(left[0], *(view[1] if view else "" for view in views)) for left, _, views in ends_of(CHANNELLED, of)}  # type: ignore[index, attr-defined]


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_a_timeout_takes_no_message_away(time: str) -> None:
    hurried = scenario(Call(send, b"1"), Call(hurry), time=time)
    assert values(hurried) == {((), None, b"1"), ((b"1",), None, b"late")}
    check_agreement(hurried)


def test_a_send_that_is_cut_off_arrives_later_or_never() -> None:
    async def hurry_to_send(env: Env) -> None:
        try:
            async with env.timeout(1):
                await env.channel("c0").send(b"1")
        except TimeoutError:
            await env.channel("c0").send(b"2")

    for time in ("sleeps", "read"):
        cut_off = scenario(Call(hurry_to_send), time=time)
        assert {left for left, _ in values(cut_off)} == {(b"1",), (b"2",), (b"1", b"2"), (b"2", b"1")}
        assert plain_search(cut_off).finals == search(cut_off, options=Options(keep_finals=True)).finals


def test_a_client_with_two_receives_is_blocked_where_both_channels_are_empty() -> None:
    both = scenario(Call(await_both), Call(follow, "b", (("send", 0),)), Call(follow, "c", (("send", 1),)))
    assert values(both) == {((), (b"b0", b"c0"), (), ())}
    alone = scenario(Call(await_both), Call(follow, "b", (("send", 1),)))
    assert values(alone) == {((), None, ())}
    check_agreement(alone)
    nobody = scenario(Call(await_both))
    assert values(nobody) == {((), "")}
    filled = attrs.evolve(nobody, setup=[Call(follow, "s", (("send", 0), ("send", 1)))])
    assert values(filled) == {((), (b"s0", b"s0"))}


def test_the_clock_does_not_jump_once_all_wait() -> None:
    check_agreement(scenario(Call(follow, "a", (("get", 0), ("receive", 0))), faults=Faults(clock_jumps=(1,))))


def test_a_message_dies_with_the_restart_of_its_receiver() -> None:
    clients = [[Call(send, b"1")], Client([Call(keep)], recover=Call(keep))]
    restarts = attrs.evolve(scenario(Call(receive)), clients=clients, faults=Faults(restarts=1))
    check_agreement(restarts)
    kept = {(left[0], views[1][0]) for left, _, views in ends_of(CHANNELLED, restarts)}  # type: ignore[index]
    assert kept == {((), Status.OK), ((), Status.CRASHED)}


async def keep(env: Env) -> None:
    """What is received is written down: a restart in between loses it."""
    message = await env.channel("c0").receive()
    await env.local.set(P, b"k", message)


async def lease(env: Env) -> None:
    await env.store.set(*LOCK, b"1", ttl=2 * SECOND)
    await env.channel("c0").send(b"go")
    await env.clock.sleep(SECOND)


async def take(env: Env) -> tuple[bytes, bool, bytes | None]:
    """What it receives; whether the lock is free by then; and whether there is a second message."""
    message = await receive(env)
    taken = await env.store.try_set_if(*LOCK, b"2", None)
    return message, taken, await env.channel("c0").try_receive()


async def wait_in_vain(env: Env) -> None:
    await receive(env)
    await env.channel("c1").receive()


IN_TIME: Final = {
    "none": Faults(),
    "a loss": Faults(lost_messages=1),
    "a crash": Faults(crashes=1),
    "a duplicate, overtaken": Faults(duplicated_messages=1, reordered_messages=1),
}


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("faults", IN_TIME.values(), ids=IN_TIME)
def test_searches_agree_on_channels_and_times_to_live_in_one_scenario(faults: Faults, time: str) -> None:
    others = ([Call(take)], [Call(wait_in_vain)], [Call(take), Call(take)])
    made = [scenario(Call(lease), *calls, time=time, tick=SECOND, faults=faults) for calls in others]
    assert list(differences_from_plain(made, 200_000)) == []


def test_a_lock_is_free_for_who_receives_late_and_for_nobody_else() -> None:
    leased = scenario(Call(lease), Call(take), time="sleeps", tick=SECOND)
    ends = {taken for _, _, taken in values(leased)}
    assert ends == {(b"go", False, None), (b"go", True, None)}


def test_setup_and_aftermath_send_and_receive_and_do_not_wait() -> None:
    after = Aftermath(
        id="after", meaning="", calls=[Call(receive)], check=lambda ended, _: [Reached(str(ended[0].value))]
    )
    found = scenario(Call(receive), setup=[Call(send, b"1", b"2")], aftermath=[after])
    [example] = [each.example for each in search(found).findings if each.id == "after"]
    assert example == "b'2'"
    with pytest.raises(
        ScenarioError, match=r"receive\(\), alone, waits for a message or a change, at .*; send or write one"
    ):
        search(attrs.evolve(found, setup=[Call(send, b"1")]))


@pytest.mark.parametrize("waits", ["reads the clock", "sleeps"])
def test_a_setup_goes_on_where_one_task_waits_for_a_message_and_another_for_the_clock(waits: str) -> None:
    async def send_later(env: Env) -> None:
        await (env.clock.now() if waits == "reads the clock" else env.clock.sleep(1))
        await env.channel("c0").send(b"1")

    async def both(env: Env) -> None:
        async with env.parallel() as group:
            group.start(receive, env)
            group.start(send_later, env)

    found = search(attrs.evolve(scenario(Call(send, b"2")), setup=[Call(both)], time="read"))
    assert found.complete


def test_a_timeout_ends_the_wait_for_a_message_in_a_setup() -> None:
    async def receive_or_not(env: Env) -> None:
        with pytest.raises(TimeoutError):
            async with env.timeout(1):
                await receive(env)

    assert search(attrs.evolve(scenario(Call(send, b"2")), setup=[Call(receive_or_not)], time="read")).complete


def test_no_step_invariant_is_asked_about_messages() -> None:
    asked: list[object] = []

    def watches(name: str, op: object) -> bool:
        asked.append(op)
        return True

    steps = OnStep(id="steps", meaning="", watches=watches, check=lambda _: [])
    search(attrs.evolve(scenario(Call(follow, "a", (("send", 0), ("receive", 0), ("get", 0)))), invariants=[steps]))
    assert set(asked) == {kv.Get(P, b"k0")}


FAULTY: Final = {
    Mode.MESSAGE_LOST: Faults(lost_messages=1),
    Mode.MESSAGE_DUPLICATED: Faults(duplicated_messages=1),
    Mode.MESSAGE_OVERTAKEN: Faults(reordered_messages=1),
}


@pytest.mark.parametrize("mode", FAULTY)
def test_a_fault_is_in_the_trace_and_in_each_picture_of_it(mode: Mode, tmp_path: Path) -> None:
    def odd(seen: AnySnapshot) -> Iterator[Finding]:
        got = [call.value for call in seen.calls("receive_all") if call.done]
        yield Violation("odd", f"{got}") if got and got != [(b"1", b"2", None)] else Reached("as sent")

    invariant = Eventually(id="odd", meaning="all messages come, in order", check=odd)
    found = attrs.evolve(scenario(Call(receive_all), faults=FAULTY[mode]), invariants=[invariant])
    found = attrs.evolve(found, clients=[[Call(send, b"1", b"2"), Call(receive_all)]])
    finding = search(found).findings[0]
    assert finding.counterexample is not None
    told = record(found, "odd", finding.counterexample.moves, version="0")
    assert [step.mode for step in told.schedule if step.mode is not Mode.NORMAL] == [mode]
    trace.write(told, tmp_path / "trace.json")
    assert trace.read(tmp_path / "trace.json") == told
    assert replay(trace.read(tmp_path / "trace.json"), found).steps == len(told.schedule)
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/trace.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(trace.dumps(told)))
    for shown_ in (story([told]).plain, page(told), diagram(told)):
        assert "channel c0" in shown_
    assert sample(found, executions=500).violations


async def receive_all(env: Env) -> tuple[bytes | None, ...]:
    return tuple([await env.channel("c0").try_receive() for _ in range(3)])


def test_an_invariant_that_does_not_read_the_store_sees_no_messages() -> None:
    sees = Always(id="sees", meaning="", check=lambda seen: [Reached(str(seen.channels))], reads=frozenset())
    with pytest.raises(ScenarioError, match="looks at store of the snapshot"):
        search(attrs.evolve(scenario(Call(send, b"1")), invariants=[sees]))


def test_a_live_flow_is_refused_in_a_line() -> None:
    async def both(env: Env) -> None:
        async with env.parallel() as group:
            group.start(env.channel("c0").receive)

    for flow in (receive, both):
        with pytest.raises(
            NoChannel, match=r"no store has channels; run flows with env\.channel under the search alone"
        ):
            trio.run(run, flow(live_env()), MemoryStore())

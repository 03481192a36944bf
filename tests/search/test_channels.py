"""Channels: the search against an enumeration of all that generated flows can do; and planted faults."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

import attrs
import numpy as np
import pytest
import trio
from jsonschema import Draft202012Validator

from lakeproof import (
    Aftermath,
    Always,
    AlwaysEventually,
    Call,
    Client,
    Env,
    Eventually,
    Faults,
    Finding,
    OnStep,
    Reached,
    Scenario,
    Terminates,
    Violation,
)
from lakeproof.impl.live import NoChannel, live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model import channels
from lakeproof.model.channels import Messages
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import AnySnapshot, CallView
from lakeproof.scenario import ScenarioError
from lakeproof.search import expansion, semantics, tables, trace
from lakeproof.search.faults import COST, Mode
from lakeproof.search.packing import Words
from lakeproof.search.plain import plain_search
from lakeproof.search.replay import NotReproduced, record, replay
from lakeproof.search.results import Options
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from lakeproof.show.pages.html import page
from lakeproof.show.pages.mermaid import diagram
from lakeproof.show.story import story
from tests.search.agreement import check_agreement
from tests.search.channelled import (
    ALL_OVER,
    CHANNELS,
    CROWDED,
    End,
    P,
    end_of,
    everything,
    follow,
    generated,
    is_crowded,
    is_stuck,
    programs_of,
)
from tests.search.test_planted_faults import lose_mode
from tests.search.timed import ENDS

STATES_MAX: Final = 500


def shown(final: Exact) -> End:
    """A final state of the search, as the enumeration has it."""
    cells, views = cast(
        "tuple[frozenset[tuple[semantics.Cell, object]], tuple[tuple[CallView, ...], ...]]", final.value
    )
    held = dict(cells)
    return (
        tuple(held.get(("channel", name), ()) for name in CHANNELS),
        tuple(held.get(("kv", P, b"k%d" % number)) for number in range(2)),
        tuple((calls[0].status, calls[0].value) if calls else () for calls in views),
    )


def differences(seeds: range) -> Iterator[str]:
    """Where the search says otherwise than the enumeration, or a counterexample is not replayed."""
    compared = 0
    for seed in seeds:
        scenario = generated(seed)
        programs = programs_of(scenario)
        all_ = everything(programs, scenario.faults, STATES_MAX)
        if all_ is None:
            continue
        compared += 1
        try:
            if ends(scenario) != {end_of(programs, state) for state in all_.ends}:
                yield f"{seed}: ends"
            if broken(scenario, CROWDED) is not any(map(is_crowded, all_.states)):
                yield f"{seed}: crowded"
            if broken(scenario, ALL_OVER) is not any(is_stuck(programs, state) for state in all_.ends):
                yield f"{seed}: all over"
        except (NotReproduced, AssertionError, IndexError) as error:
            yield f"{seed}: {type(error).__name__}"
    assert compared > len(seeds) / 2


def ends(scenario: Scenario) -> set[End]:
    """The final states of a search that nothing ends early."""
    found = search(attrs.evolve(scenario, invariants=[ENDS]), options=Options(keep_finals=True))
    return {shown(final) for final in found.finals}


def broken(scenario: Scenario, invariant: Always | AlwaysEventually) -> bool:
    """Whether there is a counterexample, which the flows then follow."""
    alone = attrs.evolve(scenario, invariants=[invariant])
    [finding] = [each for each in search(alone).findings if each.id == invariant.id]
    if finding.counterexample is None:
        return False
    moves, loop = finding.counterexample.moves, finding.counterexample.loop
    replay(record(alone, invariant.id, moves, version="0", loop=loop), alone)
    return True


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_the_search_finds_what_can_be_and_nothing_else(first: int) -> None:
    assert list(differences(range(first, first + 20))) == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1_000, 3_000, 100))
def test_the_same_of_thousands(first: int) -> None:
    assert list(differences(range(first, first + 100))) == []


@pytest.mark.parametrize("seed", [0, 3, 5, 6, 7])
def test_all_ways_to_search_agree(seed: int) -> None:
    check_agreement(attrs.evolve(generated(seed), invariants=[CROWDED, ENDS]))


def test_interchangeable_receivers_are_exchanged() -> None:
    scenario = Scenario(
        name="twins",
        clients=[[Call(follow, "a", (("send", 0), ("send", 0)))], *2 * [[Call(follow, "b", (("receive", 0),))]]],
        invariants=[ENDS],
        faults=Faults(crashes=1),
    )
    found = check_agreement(scenario)
    assert found["symmetric"].result.states < found["neither"].result.states


Plant = Callable[[pytest.MonkeyPatch], None]


def _stepped(wrong: Callable[[Messages, channels.Op], tuple[Messages, bytes | None]]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(channels, "step", wrong)

    return plant


_step = channels.step


def _last_first(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | None]:
    left, taken = _step(messages if isinstance(op, channels.Send) else messages[::-1], op)
    return left if isinstance(op, channels.Send) else left[::-1], taken


def _sent_twice(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | None]:
    after, taken = _step(messages, op)
    return (*after, op.message) if isinstance(op, channels.Send) else after, taken


def _one_place(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | None]:
    """A channel takes one message; what is sent then is lost."""
    return (messages, None) if isinstance(op, channels.Send) and messages else _step(messages, op)


def _peeked(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | None]:
    """Whoever tries to receive may look, and leaves the last message."""
    looks = isinstance(op, channels.TryReceive) and len(messages) == 1 and messages[0].startswith(b"b")
    return (messages, None) if looks else _step(messages, op)


def _free(mode: Mode) -> Plant:
    return lambda patch: patch.setitem(COST, mode, ())


def _never_woken(patch: pytest.MonkeyPatch) -> None:
    """Who waits is woken by the first message, and by none that comes on top of it."""
    patch.setattr(channels, "waits", lambda messages, op: type(op) is channels.Receive and len(messages) != 1)


def _never_blocked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(expansion.Expansion, "_blocked", lambda self, words: np.zeros(len(words[0]), np.bool_))


def _any_blocked(patch: pytest.MonkeyPatch) -> None:
    """One client that waits stands for all."""

    def blocked(self: expansion.Expansion, words: Words) -> object:
        for table in self.tables:
            if table.awaited:
                return np.isin(table.nodes_of(words), list(table.awaited))
        return np.zeros(len(words[0]), np.bool_)

    patch.setattr(expansion.Expansion, "_blocked", blocked)


def _always_ready(patch: pytest.MonkeyPatch) -> None:
    """Fairness takes a client that waits for a message for one that can move."""
    patch.setattr(expansion.Expansion, "asleep", lambda self, table, words: np.zeros(len(words[0]), np.bool_))


def _refused(patch: pytest.MonkeyPatch) -> None:
    """A crash of a client that waits is forgotten."""
    usual = tables.ClientTable._compile_point

    def compiled(self: tables.ClientTable, node: tables.Node, number: int) -> None:
        usual(self, node, number)
        if Mode.CRASH in self.modes and isinstance(node.effect(self.task), channels.Receive):
            self.child[Mode.CRASH][node.id, number] = tables.IMPOSSIBLE

    patch.setattr(tables.ClientTable, "_compile_point", compiled)


PLANTS: Final[dict[str, Plant]] = {
    "last in, first out": _stepped(_last_first),
    "each message is delivered twice": _stepped(_sent_twice),
    "a message on top of another one is lost": _stepped(_one_place),
    "a try leaves the message": _stepped(_peeked),
    "messages are lost for nothing": _free(Mode.MESSAGE_LOST),
    "messages overtake for nothing": _free(Mode.MESSAGE_OVERTAKEN),
    "a lost wake-up": _never_woken,
    "who waits can move": _never_blocked,
    "one that waits stands for all": _any_blocked,
    "who waits is ready": _always_ready,
    "who waits does not crash": _refused,
    **{f"dropped transitions: {mode.value}": lose_mode(mode) for mode in (Mode.MESSAGE_LOST, Mode.MESSAGE_DUPLICATED)},
    f"dropped transitions: {Mode.MESSAGE_OVERTAKEN.value}": lose_mode(Mode.MESSAGE_OVERTAKEN),
}


@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[fault](monkeypatch)
    semantics._apply_to_one.cache_clear()
    try:
        assert any(True for _ in differences(range(60)))
    finally:
        semantics._apply_to_one.cache_clear()


async def send(env: Env, *messages: bytes) -> None:
    for message in messages:
        await env.channel("c0").send(message)


async def receive(env: Env) -> bytes:
    return await env.channel("c0").receive()


async def await_both(env: Env) -> tuple[bytes, bytes]:
    async with env.parallel() as group:
        here, there = (group.start(env.channel(name).receive) for name in CHANNELS)
    return here.value, there.value


async def hurry(env: Env) -> bytes:
    try:
        async with env.timeout(1):
            return await env.channel("c0").receive()
    except TimeoutError:
        return b"late"


def scenario(*clients: Call, **fields: object) -> Scenario:
    return Scenario(name="c", clients=[[call] for call in clients], invariants=[ENDS], **fields)  # type: ignore[arg-type]


def values(of: Scenario) -> set[tuple[object, ...]]:
    """The messages left in c0, and what each call has returned, by end."""
    return {(left[0], *(view[1] if view else "" for view in views)) for left, _, views in ends(of)}  # type: ignore[misc, index, attr-defined]


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


def test_the_clock_does_not_jump_once_all_wait() -> None:
    check_agreement(scenario(Call(follow, "a", (("get", 0), ("receive", 0))), faults=Faults(clock_jumps=(1,))))


def test_a_message_outlives_its_sender_and_dies_with_its_receiver() -> None:
    crashes = scenario(Call(send, b"1", b"2"), Call(receive), faults=Faults(crashes=1))
    assert ((b"2",), None, b"1") in values(crashes)
    restarts = attrs.evolve(
        crashes, clients=[[Call(send, b"1")], Client([Call(keep)], recover=Call(keep))], faults=Faults(restarts=1)
    )
    check_agreement(restarts)
    stuck = attrs.evolve(restarts, invariants=[Terminates(keep, id="kept")])
    [finding] = [each for each in search(stuck).findings if each.id == "kept"]
    assert finding.counterexample is None
    assert {left for left, *_ in values(restarts)} == {()}


async def keep(env: Env) -> None:
    """What is received is written down: a restart in between loses it."""
    message = await env.channel("c0").receive()
    await env.local.set(P, b"k", message)


def test_a_deadlock_breaks_what_must_end() -> None:
    async def exchange(env: Env, mine: str, other: str) -> None:
        await env.store.set(P, b"k", b"begun")
        message = await env.channel(mine).receive()
        await env.channel(other).send(message)

    wait = [Terminates(exchange, id="ends")]
    dead = scenario(Call(exchange, "c0", "c1"), Call(exchange, "c1", "c0"))
    [finding, _] = search(attrs.evolve(dead, invariants=wait)).findings
    assert finding.counterexample is not None
    assert (len(finding.counterexample.moves), finding.counterexample.loop) == (2, None)


def test_setup_and_aftermath_send_and_receive_and_do_not_wait() -> None:
    after = Aftermath(
        id="after", meaning="", calls=[Call(receive)], check=lambda ended, _: [Reached(str(ended[0].value))]
    )
    found = scenario(Call(receive), setup=[Call(send, b"1", b"2")], aftermath=[after])
    [example] = [each.example for each in search(found).findings if each.id == "after"]
    assert example == "b'2'"
    with pytest.raises(
        ScenarioError, match=r"receive\(\), alone, waits for a message that nobody sends, at .*; send one"
    ):
        search(attrs.evolve(found, setup=[Call(send, b"1")]))


def test_no_step_invariant_is_asked_about_messages() -> None:
    asked: list[str] = []
    steps = OnStep(id="steps", meaning="", watches=lambda name, op: asked.append(str(op)) is None, check=lambda _: [])
    search(attrs.evolve(scenario(Call(follow, "a", (("send", 0), ("receive", 0), ("get", 0)))), invariants=[steps]))
    assert set(asked) == {"Get(partition=b'p', key=b'k0')"}


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

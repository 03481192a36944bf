"""Liveness: verdicts against the explicit graph, by definition; lassos, which are made twice; and planted faults."""

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import attrs
import numpy as np
import pytest
from rich.console import Console

from lakeproof import AlwaysEventually, Call, Client, Env, Faults, LeadsTo, Scenario, Snapshot, Status, Terminates
from lakeproof.scenario import Flow
from lakeproof.search import graph
from lakeproof.search.packing import Index
from lakeproof.search.replay import NotReproduced, record
from lakeproof.search.search import Limits, search
from lakeproof.search.trace import Trace, TraceError, dumps, read, write
from lakeproof.show.lanes import show
from lakeproof.show.pages.html import page
from lakeproof.show.pages.mermaid import diagram
from lakeproof.show.story import story
from tests.differential.explicit import Made, made, seen_of
from tests.differential.promises import unkept
from tests.planting import text_fault
from tests.search.agreement import broken, in_parts, verdicts

FAIRNESS = ("none", "weak", "strong")
LOCK = (b"p", b"lock")


@attrs.frozen
class Wanted:
    """A property of a generated set, for the search and for the oracle."""

    each: Made
    key: tuple[tuple[bytes, bytes], ...]
    then: tuple[tuple[bytes, bytes], ...]
    client: int

    def ends(self, fairness: str) -> tuple[LeadsTo, bool | None]:
        """A client that has begun ends."""

        def pending(seen: Snapshot) -> bool:
            return any(call.status is Status.PENDING for call in seen.clients[self.client])

        known = unkept(
            self.each,
            lambda state: state.clients[self.client].begun and state.clients[self.client].at >= 0,
            lambda state: not (state.clients[self.client].begun and state.clients[self.client].at >= 0),
            fairness,
        )
        return LeadsTo(pending, lambda seen: not pending(seen), id="wanted", meaning="", fairness=fairness), known  # type: ignore[arg-type]

    def leads(self, fairness: str) -> tuple[LeadsTo, bool | None]:
        """From one content of the store to another."""
        known = unkept(self.each, lambda s: s.store == self.key, lambda s: s.store == self.then, fairness)
        before, after = (partial(_holds, content) for content in (self.key, self.then))
        return LeadsTo(before, after, id="wanted", meaning="", fairness=fairness), known  # type: ignore[arg-type]


def _holds(content: object, seen: Snapshot) -> bool:
    return seen_of(seen)[0] == content


def wrong(seeds: range, *, twins: bool = False, faulty: bool = False) -> list[str]:
    """What the search says otherwise than the oracle."""
    found = []
    for seed in seeds:
        each, random = made(seed, twins=twins, faulty=faulty), Random(seed)
        if each is None or len(each.states) > 150:
            continue
        contents = sorted({state.store for state in each.states})
        wanted = Wanted(each, random.choice(contents), random.choice(contents), random.randrange(len(each.machines)))
        for fairness in FAIRNESS:
            for what in (wanted.ends, wanted.leads):
                invariant, expected = what(fairness)
                if expected is None:
                    continue
                scenario = attrs.evolve(each.scenario(), invariants=[invariant])
                try:
                    said = broken(scenario) is not None
                except (NotReproduced, AssertionError) as error:
                    found.append(f"made({seed}), {what.__name__}, {fairness}: {error}")
                    continue
                if said is not expected:
                    found.append(f"made({seed}), {what.__name__}, {fairness}: broken is {expected}, searched {said}")
    return found


@pytest.mark.parametrize("seeds", in_parts(range(30), 10, deep=range(1_000, 1_050)))
def test_verdicts_agree_with_the_explicit_graph(seeds: range) -> None:
    assert wrong(seeds) == []


def test_clients_of_one_program_are_owed_each_for_itself() -> None:
    assert wrong(range(8), twins=True) == []


@pytest.mark.parametrize("seeds", in_parts(range(8), 8, deep=range(1_000, 1_100)))
def test_verdicts_agree_where_faults_lead_into_the_loops(seeds: range) -> None:
    assert wrong(seeds, faulty=True) == []


OPEN = "open_ = ~kept"
TAKEN = "fairness = {{{!r}: {!r}}}.get(fairness, fairness)"
MOVES = "graph = attrs.evolve(graph, can_move=np.ones_like(graph.can_move))"
FAULTS = {
    "weak fairness is none": text_fault(graph, OPEN, f"{OPEN}; {TAKEN.format('weak', 'none')}"),
    "strong fairness is weak": text_fault(graph, OPEN, f"{OPEN}; {TAKEN.format('strong', 'weak')}"),
    "no fairness is weak": text_fault(graph, OPEN, f"{OPEN}; {TAKEN.format('none', 'weak')}"),
    "everything is owed": text_fault(graph, "owing & open_, open_", "open_, open_"),
    "nothing is ever kept": text_fault(graph, OPEN, "open_ = np.ones_like(kept)"),
    "runs do not end": text_fault(graph, OPEN, f"{OPEN}; {MOVES}"),
}
TOLD_BY = {"strong fairness is weak": 148, "no fairness is weak": 6, "everything is owed": 12}
"""The first seed whose set tells a fault, where it is not 0."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_judgement_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = TOLD_BY.get(fault, 0)
    assert wrong(range(seed, seed + 1)) == []
    FAULTS[fault](monkeypatch)
    assert wrong(range(seed, seed + 1))


async def take_once(env: Env, me: str) -> None:
    while not await env.store.try_set_if(*LOCK, me.encode(), None):
        pass
    await env.store.delete(*LOCK)


async def take_again_and_again(env: Env, me: str) -> None:
    while True:
        await take_once(env, me)


async def give_up(env: Env, me: str) -> None:
    await env.store.try_set_if(*LOCK, me.encode(), None)


def locks(*clients: Call, fairness: str = "weak", faults: Faults | None = None) -> Scenario:
    ends = Terminates(take_once, fairness=fairness)  # type: ignore[arg-type]
    return Scenario(name="locks", clients=[[call] for call in clients], invariants=[ends], faults=faults or Faults())


@pytest.mark.parametrize("fairness", FAIRNESS)
def test_a_crash_is_never_made_good(fairness: str) -> None:
    calls = Call(take_once, "a"), Call(take_once, "b")
    assert broken(locks(*calls, fairness=fairness, faults=Faults(crashes=1))) is not None


@pytest.mark.parametrize("fairness", FAIRNESS)
def test_no_fault_is_owed_even_if_it_is_possible_for_ever_and_no_jump_after_the_last(fairness: str) -> None:
    spins = locks(Call(take_once, "a"), fairness=fairness, faults=Faults(crashes=1, clock_jumps=(1,)))
    assert broken(attrs.evolve(spins, setup=[Call(hold)])) is not None


def test_a_run_that_ends_breaks_what_is_owed() -> None:
    free = AlwaysEventually(lambda seen: LOCK not in seen.store, id="free", meaning="")
    scenario = attrs.evolve(locks(Call(give_up, "a")), invariants=[free])
    found = broken(scenario)
    assert found is not None
    assert (found.loop, len(found.moves)) == (None, 1)


def test_a_run_may_end_before_the_last_jump_of_the_clock_and_promises_see_the_time() -> None:
    jumps = attrs.evolve(locks(Call(give_up, "a")), faults=Faults(clock_jumps=(1, 1)))
    passes = AlwaysEventually(lambda seen: seen.now != jumps.start_time + 1, id="passes", meaning="")
    assert broken(attrs.evolve(jumps, invariants=[passes])) is not None


async def take_and_release(env: Env) -> None:
    await hold(env)
    await env.store.delete(*LOCK)


async def look(env: Env) -> None:
    await env.store.find(*LOCK)


@pytest.mark.parametrize(
    "faults", [None, Faults(restarts=1), Faults(crashes=1), Faults(refusals=1), Faults(lost_answers=1)]
)
def test_a_promise_that_is_made_before_a_fault_is_broken_behind_it(faults: Faults | None) -> None:
    """Only in the state before the fault it is owed: the way leads on from there, over the fault."""

    def pending(seen: Snapshot) -> bool:
        return any(call.status is Status.PENDING for call in seen.calls("take_and_release"))

    released = LeadsTo(pending, lambda seen: LOCK not in seen.store, id="released", meaning="")
    clients = [Client([Call(take_and_release)], recover=Call(look))]
    found = broken(Scenario(name="fault", clients=clients, invariants=[released], faults=faults or Faults()))
    assert (found is None) is (faults is None)


class Taker:
    """A flow that is an object, and says of itself another thing than its repr."""

    async def __call__(self, env: Env) -> None:
        await take_once(env, "a")

    def __str__(self) -> str:
        return "a taker"


async def wait_for_another_task(env: Env) -> None:
    async with env.parallel() as group:
        group.start(take_once, env, "a")
        group.start(env.store.delete, *LOCK)


async def hold(env: Env) -> None:
    await env.store.set(*LOCK, b"b")


@pytest.mark.parametrize("flow", [Taker(), wait_for_another_task], ids=["an object", "a task of the client"])
def test_a_call_ends_that_waits_for_none_but_itself(flow: Flow) -> None:
    setup = [Call(hold)] if flow is wait_for_another_task else []
    scenario = Scenario(name="x", setup=setup, clients=[[Call(flow)]], invariants=[Terminates(flow, id="ends")])
    assert verdicts(search(scenario))["ends"] == "holds"


def test_what_is_never_owed_is_inconclusive() -> None:
    never = LeadsTo(lambda seen: False, lambda seen: False, id="never", meaning="")
    result = search(attrs.evolve(locks(Call(take_once, "a")), invariants=[never]))
    assert verdicts(result)["never"] == "inconclusive"


async def pulse(env: Env) -> None:
    await env.store.find(*LOCK)
    while True:
        await env.store.find(*LOCK)
        await env.store.delete(*LOCK)
        await hold(env)


def test_a_step_to_a_state_that_no_limited_search_has_expanded_can_be_taken() -> None:
    waits = attrs.evolve(locks(Call(take_once, "b"), Call(pulse), fairness="strong"), setup=[Call(hold)])
    whole = search(waits)
    assert (whole.complete, verdicts(whole)["take-once-terminates"]) == (True, "holds")
    for states_max in range(1, whole.states):
        limited = search(waits, Limits(states_max=states_max))
        assert verdicts(limited)["take-once-terminates"] == "inconclusive", states_max


@pytest.mark.parametrize("moves", ["cut", "unfair"])
def test_a_lasso_that_is_none_is_not_believed(moves: str) -> None:
    scenario = locks(Call(take_once, "a"), Call(take_again_and_again, "b"))
    found = broken(scenario)
    assert found is not None
    assert found.loop is not None
    wrong_ = found.moves[:-1] if moves == "cut" else (*found.moves[: found.loop], found.moves[1])
    with pytest.raises(NotReproduced):
        record(scenario, "take-once-terminates", wrong_, version="0", loop=found.loop)


async def receive_once(env: Env) -> None:
    await env.store.find(*LOCK)
    await env.channel("c").receive()


async def send_and_receive(env: Env) -> None:
    while True:
        await env.channel("c").send(b"m")
        await env.channel("c").receive()


def test_a_loop_that_leaves_out_what_can_move_now_and_then_is_no_strongly_fair_one() -> None:
    clients = [[Call(receive_once)], [Call(send_and_receive)]]
    weak, strong = (
        Scenario(name="left out", clients=clients, invariants=[Terminates(receive_once, fairness=fairness)])
        for fairness in ("weak", "strong")
    )
    found = broken(weak)
    assert found is not None
    assert broken(strong) is None
    with pytest.raises(NotReproduced):
        record(strong, strong.ids[0], found.moves, version="0", loop=found.loop)


async def take_and_look(env: Env, me: str) -> None:
    found = None
    while found is None or found.value != me.encode():
        await env.store.try_set_if(*LOCK, me.encode(), None)  # either answer leads to one state
        found = await env.store.find(*LOCK)


@pytest.mark.parametrize("fairness", FAIRNESS)
def test_a_step_is_told_apart_by_its_reply_where_the_flow_forgets_that(fairness: str) -> None:
    ends = Terminates(take_and_look, fairness=fairness)  # type: ignore[arg-type]
    clients = [[Call(take_and_look, "a")], [Call(take_again_and_again, "b")]]
    found = broken(Scenario(name="look", clients=clients, invariants=[ends]))
    assert (found is None) is (fairness == "strong")  # to be answered that the lock is taken now is owed


def test_a_successor_that_no_level_has_is_no_state_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Index, "numbers", lambda _, words: np.full(len(words[0]), -1))
    scenario = locks(Call(take_once, "a"))
    with pytest.raises(AssertionError, match="no level has"):
        search(scenario)
    assert not search(scenario, Limits(states_max=1)).complete


def starved() -> Trace:
    scenario = locks(Call(take_once, "a"), Call(take_again_and_again, "b"))
    found = broken(scenario)
    assert found is not None
    return record(scenario, "take-once-terminates", found.moves, version="0", loop=found.loop)


def test_a_trace_keeps_where_its_loop_begins(tmp_path: Path) -> None:
    trace = starved()
    write(trace, tmp_path / "trace.json")
    assert read(tmp_path / "trace.json") == trace
    assert trace.loop == 2


@pytest.mark.parametrize("loop", [-1, 5, "2", True])
def test_a_loop_that_begins_nowhere_is_refused(loop: object, tmp_path: Path) -> None:
    told = json.loads(dumps(starved()))
    assert len(told["schedule"]) == 5
    (tmp_path / "trace.json").write_text(json.dumps({**told, "loop": loop}))
    with pytest.raises(TraceError, match="loop"):
        read(tmp_path / "trace.json")


def _printed(trace: Trace) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    show(trace, console)
    return console.export_text()


SHOWN: dict[str, Callable[[Trace], str]] = {
    "lanes": _printed,
    "story": lambda trace: story([trace]).plain,
    "page": page,
    "mermaid": diagram,
}


@pytest.mark.parametrize("way", SHOWN)
def test_a_loop_is_marked_wherever_it_is_shown(way: str) -> None:
    """Once, before its first step: and not where there is none."""
    trace = starved()
    assert SHOWN[way](trace).count("for ever:") + SHOWN[way](trace).count("loop for ever") == 1
    assert "for ever:" not in SHOWN[way](attrs.evolve(trace, loop=None))

"""Restarts and what a client keeps: counted by hand, told in words, replayed. The enumerator (tests/differential) has
drawn sets of them; here is what a user meets."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from lakeproof import (
    Always,
    Call,
    Client,
    Env,
    Eventually,
    Faults,
    Finding,
    Observer,
    OnStep,
    Reached,
    Scenario,
    ScenarioError,
    Snapshot,
    Violation,
    kv,
)
from lakeproof.search import trace as traces
from lakeproof.search.faults import Mode, Move
from lakeproof.search.minimise import minimise
from lakeproof.search.replay import ReplayDiverged, record, replay
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from lakeproof.show.story import story
from tests.search.agreement import check_agreement, violated_by
from tests.search.walks import UNBROKEN

INTENT, LOG = (b"disk", b"intent"), b"log"
RESTART = Faults(restarts=1)
NORMAL = Mode.NORMAL
R = Move(0, Mode.RESTART)


async def append(env: Env) -> None:
    """Write the intent down, append, and strike it out. The record has a new name."""
    await env.local.set(*INTENT, b"1")
    await env.store.set(LOG, env.ids.unique("record").encode(), b"x")
    await env.local.delete(*INTENT)


async def again(env: Env) -> None:
    """What was intended may have been done: it is done twice."""
    if await env.local.find(*INTENT) is not None:
        await append(env)


async def finish(env: Env) -> None:
    """What was intended is done, unless it was done before."""
    if await env.local.find(*INTENT) is None:
        return
    if [entry async for entry in env.store.scan(LOG)]:
        await env.local.delete(*INTENT)
    else:
        await append(env)


def _once(snapshot: Snapshot) -> Iterator[Finding]:
    records = sum(partition == LOG for partition, _ in snapshot.store)
    yield Violation("appended-once", f"{records} records of one append") if records > 1 else Reached("at most one")


ONCE = Always(id="appended-once", meaning="a restart appends nothing twice", check=_once)


def restarting(
    *clients: Sequence[Call], faults: Faults = RESTART, invariants: Sequence[Always | Eventually] = (ONCE,)
) -> Scenario:
    return Scenario(name="restarting", clients=clients, invariants=invariants, faults=faults)


class TestWhatIsSaid:
    def test_a_recovery_that_looks_is_proved_and_one_that_repeats_refuted_by_a_crash_after_the_append(self) -> None:
        looks = restarting(Client(Call(append), recover=Call(finish)), faults=Faults(restarts=2, crashes=1))
        assert search(looks).findings[0].verdict == "holds"
        scenario = restarting(Client(Call(append), recover=Call(again)), invariants=(ONCE, UNBROKEN))
        counterexample = check_agreement(scenario)["merged"].result.findings[0].counterexample
        assert counterexample is not None
        # intent, record | restart | intent, record: the crash is after the first record, and before its end is noted.
        assert [move.mode for move in counterexample.moves] == [NORMAL, NORMAL, Mode.RESTART, NORMAL, NORMAL]

    def test_clients_that_recover_alike_stay_interchangeable(self) -> None:
        one = Client(Call(_mark), recover=Call(_look))
        alike = check_agreement(restarting(one, one))
        assert alike["symmetric"].groups == ((0, 1),)
        assert alike["symmetric"].result.states < alike["neither"].result.states
        other = Client(Call(_mark), recover=Call(finish))
        assert check_agreement(restarting(one, other))["symmetric"].groups == ()

    def test_groups_of_effects_crash_together_and_write_to_the_local_store(self) -> None:
        found = check_agreement(restarting(Client(Call(_both), recover=Call(_seen)), invariants=[SEEN, UNBROKEN]))
        assert found["merged and symmetric"].result.findings[0].verdict == "violated"


async def _look(env: Env) -> None:
    await env.store.find(LOG, b"any")


async def _mark(env: Env) -> None:
    await env.store.set(LOG, b"mark", b"x")


async def _both(env: Env) -> None:
    async with env.parallel() as group:
        group.start(env.local.set, *INTENT, b"1")
        group.start(env.store.set, LOG, b"mark", b"x")


async def _seen(env: Env) -> bool:
    return await env.local.find(*INTENT) is not None


def _intent_first(snapshot: Snapshot) -> Iterator[Finding]:
    yield Reached("a state")
    if (LOG, b"mark") in snapshot.store and any(call.value is False for call in snapshot.calls("_seen")):
        yield Violation("intent-first", "the mark is there, and the intent is not")


SEEN = Always(id="intent-first", meaning="what is marked was intended", check=_intent_first)


class TestWhatIsKept:
    def test_nobody_else_sees_a_local_store_nor_do_setup_and_aftermath_leave_one(self) -> None:
        scenario = restarting(Client(Call(append), recover=Call(finish)), Client(Call(_seen), recover=Call(_seen)))
        scenario = attrs.evolve(scenario, setup=[Call(_keep)])
        world = World(prepare(scenario))
        world.step(Move(0, Mode.NORMAL))
        assert [run.local for run in world.clients] == [{INTENT: b"1"}, {}]
        assert world.cells == {}
        assert world.snapshot().clients[1][0].value is False
        world.close()

    def test_its_writes_are_steps_only_where_the_client_may_restart(self) -> None:
        client = Client(Call(append), recover=Call(finish))
        assert search(restarting(client, faults=Faults())).depth == 1
        assert search(restarting(client)).states > search(restarting(client, faults=Faults(crashes=1))).states

    def test_neither_observers_nor_step_invariants_are_shown_it(self) -> None:
        count = Observer("effects", len)

        def seen(snapshot: Snapshot) -> Iterator[Finding]:
            for call in snapshot.calls("append"):
                effects = call.saw("effects")
                yield Violation("one-effect", "too many") if effects not in {0, 1} else Reached("one")

        effects = Always(id="one-effect", meaning="an append has one effect", check=seen, observers=(count,))
        steps = OnStep(
            id="of-stores",
            meaning="a step is one of a store",
            watches=lambda name, op: True,
            check=lambda seen: [Reached("") if isinstance(seen.op, kv.Set) else Violation("of-stores", repr(seen.op))],
        )
        scenario = restarting(Client(Call(append), recover=Call(_look)))
        scenario = attrs.evolve(scenario, invariants=[effects, steps, UNBROKEN])
        found = check_agreement(scenario)["merged"].result.findings
        assert [finding.verdict for finding in found[:2]] == ["holds", "violated"]
        assert found[1].counterexample is not None
        assert "Get" in found[1].counterexample.violation.evidence


class TestTraces:
    SCENARIO = restarting(Client(Call(append), recover=[Call(again), Call(finish)]))
    MOVES = (*[Move(0, Mode.NORMAL)] * 2, R, *[Move(0, Mode.NORMAL)] * 2)

    def test_a_trace_is_written_read_and_replayed(self, tmp_path: Path) -> None:
        trace = record(self.SCENARIO, "appended-once", self.MOVES, version="1")
        traces.write(trace, tmp_path / "t.json")
        assert traces.read(tmp_path / "t.json") == trace
        assert replay(trace, self.SCENARIO).steps == 5
        other = restarting(Client(Call(append), recover=Call(again)))
        with pytest.raises(ReplayDiverged, match=r"to recover, clients run .*finish"):
            replay(trace, other)

    def test_a_story_says_what_starts_again_and_what_it_has_kept(self) -> None:
        told = story([record(self.SCENARIO, "appended-once", self.MOVES, version="1")]).plain
        for part in (
            "append(); when it starts again: again(), then finish()",
            "sets a.local disk/intent: nothing -> 1",
            "crashes, and starts again",
            "a again   sets log/a2r1: nothing -> x",
        ):
            assert part in told

    def test_what_sampling_finds_is_made_smaller_without_the_restarts_that_it_needs_not(self) -> None:
        scenario = attrs.evolve(self.SCENARIO, faults=Faults(restarts=3))
        found = sample(scenario, executions=500).violations["appended-once"]
        moves = minimise(scenario, found.moves, "appended-once")
        assert "appended-once" in violated_by(scenario, moves)
        assert [move.mode for move in moves].count(Mode.RESTART) == 1


class TestRefused:
    def test_restarts_need_a_client_that_says_how_it_recovers(self) -> None:
        with pytest.raises(ScenarioError, match=r"restarts=1, and no client says .* recover=Call"):
            restarting([Call(append)])

    def test_a_client_without_a_recovery_or_that_broke_does_not_restart(self) -> None:
        clients = (Client(Call(flow), recover=Call(again)) for flow in (append, _break))
        world = World(prepare(restarting([Call(append)], *clients)))
        assert {move.client for move in world.moves() if move.mode is Mode.RESTART} == {1}
        world.close()


async def _break(env: Env) -> None:
    raise LookupError


async def _keep(env: Env) -> None:
    await env.local.set(*INTENT, b"of the setup")

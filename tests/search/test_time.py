"""Time that passes: the search against the plain one, and against runs that take their time; and faults planted."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import attrs
import numpy as np
import pytest
import trio
import trio.testing

from lakeproof import (
    Aftermath,
    Always,
    Call,
    Env,
    Eventually,
    Faults,
    Finding,
    Reached,
    Scenario,
    Terminates,
    Violation,
    kv,
)
from lakeproof.impl.effects import Effect, Now, Sleep
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import AnySnapshot, Reads
from lakeproof.scenario import ScenarioError
from lakeproof.search import faults, kernel, semantics, tables, world
from lakeproof.search.execution import Execution
from lakeproof.search.faults import Mode, Move
from lakeproof.search.packing import Words, take
from lakeproof.search.plain import plain_search
from lakeproof.search.replay import NotReproduced, record, replay
from lakeproof.search.results import Limits, Options
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from lakeproof.search.setup import prepare

P: Final = b"p"
SECOND: Final = 1_000_000
STATES_MAX: Final = 120
Step = tuple[str, int]


async def follow(env: Env, me: str, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """A flow that does what its argument says, and returns what it has read."""
    seen: list[object] = []
    for what, number in steps:
        match what:
            case "sleep":
                await env.clock.sleep(number * SECOND)
            case "until":
                await env.clock.wait_until(1_700_000_000_000_000 + number * SECOND)
            case "lull":
                await env.clock.sleep(number * SECOND)
                seen.append(await env.clock.now())
            case "now":
                seen.append(await env.clock.now())
            case "get":
                found = await env.store.find(P, b"k%d" % number)
                seen.append(None if found is None else found.value)
            case "set":
                await env.store.set(P, b"k%d" % number, me.encode() + b"%d" % len(seen))
            case "await":
                tries = 0
                while await env.store.find(P, b"k%d" % number) is None and tries < 1:
                    await env.clock.sleep(SECOND)
                    tries += 1
                seen.append(tries)
            case _:
                seen.append(await hurry(env, me, what, number))
    return tuple(seen)


async def hurry(env: Env, me: str, what: str, number: int) -> str:
    """A step within a timeout, which may pass."""
    try:
        async with env.timeout(number * SECOND):
            match what:
                case "doze":
                    await env.clock.sleep(SECOND)
                case "hurry":
                    await env.store.set(P, b"k%d" % (number % 2), me.encode() + b"!")
                case "nest":
                    return await hurry(env, me, "hurry", 1) + str(await env.store.find(P, b"k0"))
        return "in time"
    except TimeoutError:
        return "late"


def _ended_first(seen: AnySnapshot) -> Iterator[Finding]:
    """The second client never ends first: often violated."""
    ended = [bool(calls) and calls[-1].done for calls in seen.clients]
    if ended[1] and not ended[0]:
        yield Violation("first-ends-first", "the second client has ended first")
    elif ended[0]:
        yield Reached("the first has ended")


def _ends(seen: AnySnapshot) -> Iterator[Finding]:
    yield Reached("the end")


ENDS: Final = Eventually(id="ends", meaning="it ends", check=_ends, reads=frozenset({Reads.STORE}))


def generated(seed: int, time: str, *, reads: bool = True) -> Scenario:
    """Two or three clients with sleeps and timeouts in them. reads: whether they read the clock, too."""
    random = Random(seed)
    kinds = ["sleep", "sleep", "get", "set", "await", "hurry", "hurry", "doze", "nest"]
    kinds += ["now", "until", "lull", "lull"] if time == "read" and reads else []
    clients = []
    for me in "abc"[: random.choice((2, 2, 2, 3))]:
        steps = tuple((random.choice(kinds), random.randrange(4)) for _ in range(random.choice((1, 2, 2))))
        clients.append([Call(follow, me, tuple((what, n if "l" in what else n % 2) for what, n in steps))])
    return Scenario(
        name=f"time/{seed}",
        clients=clients,
        invariants=[Always(id="first-ends-first", meaning="the first client ends first", check=_ended_first), ENDS],
        faults=random.choice((Faults(), Faults(), Faults(crashes=1), Faults(lost_answers=1))),
        time=time,
    )


def disagreements(seeds: range, time: str) -> list[str]:
    """Where the two searches differ, or a counterexample is not replayed. What is large is left out."""
    found, compared = [], 0
    for seed in seeds:
        scenario = generated(seed, time)
        try:
            plain = plain_search(scenario, STATES_MAX)
        except AssertionError:
            continue
        compared += 1
        result = search(scenario, options=Options(keep_finals=True))
        verdicts = {finding.id: finding.verdict for finding in result.findings}
        if verdicts != plain.verdicts:
            found.append(f"{seed}: verdicts")
        for finding in result.findings:
            if finding.counterexample is not None:
                trace = record(scenario, finding.id, finding.counterexample.moves, version="0")
                replay(trace, scenario)
                if len(trace.schedule) != len(plain.violations[finding.id][1]):
                    found.append(f"{seed}: not a shortest counterexample")
        if result.finals != plain.finals:
            found.append(f"{seed}: final states")
    assert compared > len(seeds) / 3
    return found


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_both_searches_agree(time: str) -> None:
    assert disagreements(range(25), time) == []


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_both_searches_agree_on_many(time: str) -> None:
    assert disagreements(range(25, 500), time) == []


def strayed(scenario: Scenario, random: Random) -> object:
    """The end of one run of clients that take as long as they like: nothing of the search but its executions and its
    store. Time is a number here, and goes on to a moment that a client waits for where the clock is read; else it is
    not discrete."""
    setting = prepare(scenario)
    runs, read = [Execution(program) for program in setting.programs], scenario.time == "read"
    rings, clock, cells = [0.0] * len(runs), float(scenario.start_time), setting.cells
    while waiting := [each for each in enumerate(runs) if each[1].op is not None]:
        later = [rings[at] for at, each in waiting if rings[at] > clock]
        at, one = random.choice(waiting)
        if later and random.random() < 0.4:
            clock = min(later) if read else clock + random.expovariate(1) * SECOND
        if rings[at] > clock:
            continue
        reply: object = None
        if isinstance(one.op, Sleep):
            rings[at] = clock + one.op.microseconds
        elif isinstance(one.op, Now):
            reply = int(clock)
        else:
            assert isinstance(one.op, kv.Op)
            reply, writes = semantics.apply(cells, one.op)
            cells = semantics.patch(cells, writes)
        one.send(reply)
    return Exact((frozenset(cells.items()), tuple(each.calls() for each in runs)))


def left_out(seeds: range, runs: int, time: str) -> list[int]:
    """In which scenarios a run ends as the search says that none does."""
    found = []
    for seed in seeds:
        quiet = attrs.evolve(generated(seed, time), faults=Faults(), invariants=[ENDS])
        finals, random = search(quiet, options=Options(keep_finals=True)).finals, Random(seed)
        if any(strayed(quiet, random) not in finals for _ in range(runs)):
            found.append(seed)
    return found


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_no_run_that_takes_its_time_is_left_out(time: str) -> None:
    assert left_out(range(25), 30, time) == []


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_none_is_left_out_of_many(time: str) -> None:
    assert left_out(range(25, 500), 200, time) == []


Plant = Callable[[pytest.MonkeyPatch], None]


def _to_the_last(cells: semantics.Cells) -> tuple[int, dict[semantics.Cell, semantics.Value]]:
    """As `pass_time`, up to the last timer."""
    left = {cell: int(value) for cell, value in cells.items() if cell[0] == "timer" and isinstance(value, bytes)}
    return max(left.values(), default=0), semantics.patch(cells, dict.fromkeys(left))


def _one_at_a_time(cells: semantics.Cells) -> tuple[int, dict[semantics.Cell, semantics.Value]]:
    """As `pass_time`, but only the timer that runs out goes on."""
    left = {cell: int(value) for cell, value in cells.items() if cell[0] == "timer" and isinstance(value, bytes)}
    first = min(left, key=lambda cell: left[cell], default=None)
    return min(left.values(), default=0), semantics.patch(cells, {} if first is None else {first: None})


def _passes(wrong: Callable[[semantics.Cells], object]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(kernel, "pass_time", wrong)

    return plant


def _only_when_all_sleep(patch: pytest.MonkeyPatch) -> None:
    """Clients are never slow: time passes only where none can move."""
    usual = kernel.Kernel._pass_time

    def urgent(self: kernel.Kernel, words: Words, timers: list[int], sink: kernel.Sink) -> None:
        awake = [
            (table.kind[table.nodes_of(words)] != tables.DONE) & ~self.asleep(table, words) for table in self.tables
        ]
        quiet = ~np.logical_or.reduce(awake)

        def some(move: Move, rows: kernel.Rows, after: Words) -> None:
            keep = quiet[rows]
            if keep.any():
                sink(move, rows[keep], [word[keep] for word in after])

        usual(self, words, timers, some)

    patch.setattr(kernel.Kernel, "_pass_time", urgent)


def _never_asleep(patch: pytest.MonkeyPatch) -> None:
    def awake(op: Effect, reply: object, writes: semantics.Writes, modes: object) -> Iterator[object]:
        reply = None if reply is semantics.Asleep.ASLEEP else reply
        return usual(op, reply, writes, modes)  # type: ignore[arg-type]

    usual = faults.outcomes
    patch.setattr(tables, "outcomes", awake)


PLANTS: Final[dict[str, Plant]] = {
    "time goes on to the last timer": _passes(_to_the_last),
    "other timers stand still": _passes(_one_at_a_time),
    "clients are never slow": _only_when_all_sleep,
    "a timer does not hold its client up": _never_asleep,
}


@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[fault](monkeypatch)
    try:
        found = disagreements(range(25), "read")
    except (NotReproduced, AssertionError):
        found = ["a counterexample that is none"]
    assert found


@pytest.mark.parametrize("wrong", [_to_the_last, _one_at_a_time])
def test_faults_that_both_searches_have_are_found(wrong: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "pass_time", wrong)
    monkeypatch.setattr(world, "pass_time", wrong)
    assert left_out(range(40), 20, "read")


def test_a_client_that_is_left_out_of_a_sleep_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = kernel.Kernel.expand

    def hasty(self: kernel.Kernel, words: Words, sink: kernel.Sink) -> None:
        def some(move: Move, rows: kernel.Rows, after: Words) -> None:
            last = self.tables[-1].kind[self.tables[-1].nodes_of(words)][rows] == tables.DONE
            keep = np.flatnonzero(last if move.client == 0 else np.ones(len(rows), np.bool_))
            sink(move, rows[keep], take(after, keep))

        usual(self, words, some)

    monkeypatch.setattr(kernel.Kernel, "expand", hasty)
    assert left_out(range(25), 30, "sleeps")


async def lease(env: Env, me: str, lasts: int) -> bool:
    """Take a lease, wait until another one has run out, and say whether it is one's own still."""
    found = await env.store.find(P, b"lease")
    if found is not None:
        await env.clock.wait_until(int(found.value))
    await env.store.set(P, b"lease", b"%d" % (await env.clock.now() + lasts))
    return await env.clock.now() < int((await env.store.get(P, b"lease")).value)


def test_a_lease_runs_out_while_its_holder_is_slow() -> None:
    def all_hold(seen: AnySnapshot) -> Iterator[Finding]:
        ended = [call.value for call in seen.calls() if call.done]
        yield Violation("holds", "it has run out") if False in ended else Reached("it is held")

    holds = Always(id="holds", meaning="a lease is held", check=all_hold)
    found = Scenario(
        name="lease", clients=[[Call(lease, "a", SECOND)], [Call(lease, "b", SECOND)]], invariants=[holds], time="read"
    )
    [verdict] = [each for each in search(found).findings if each.id == "holds"]
    assert verdict.counterexample is not None
    trace = record(found, "holds", verdict.counterexample.moves, version="0")
    assert Mode.TICK in [step.mode for step in trace.schedule]
    assert replay(trace, found).steps == len(trace.schedule)
    assert sample(found, executions=3000).violations


async def beat(env: Env) -> None:
    while True:
        await env.store.set(P, b"beat", b"1")
        await env.clock.sleep(SECOND)


async def watch(env: Env) -> None:
    while await env.store.find(P, b"beat") is None:
        await env.clock.sleep(3 * SECOND)


async def renew(env: Env) -> None:
    while True:
        await env.clock.sleep(SECOND)
        await env.clock.now()


def test_a_heartbeat_closes_a_cycle() -> None:
    seen = Terminates(watch, id="seen", meaning="a heartbeat is seen")
    for patient, verdict in ((watch, "holds"), (renew, "inconclusive")):
        scenario = Scenario(name="beat", clients=[[Call(beat)], [Call(patient)]], invariants=[seen], time="sleeps")
        if patient is watch:
            result = search(scenario)
            assert result.complete
        else:
            result = search(attrs.evolve(scenario, time="read"), Limits(states_max=2_000))
            assert not result.complete
        assert {each.id: each.verdict for each in result.findings}["seen"] == verdict


async def sleeps(env: Env) -> None:
    await env.clock.sleep(SECOND)


async def reads(env: Env) -> int:
    return await env.clock.now()


async def writes_an_object(env: Env) -> None:
    await env.objects.put("o", b"")


def _now(seen: AnySnapshot) -> Iterator[Finding]:
    yield Reached(str(seen.now))


def _later(outcomes: object, seen: AnySnapshot) -> list[Finding]:
    return [Reached("later")]


_AFTER = Aftermath(id="after", meaning="m", calls=[Call(reads)], check=_later)
_PLAIN = Scenario(name="plain", clients=[[Call(sleeps)]], invariants=[ENDS])
_TIMED = attrs.evolve(_PLAIN, time="sleeps")
REFUSED: Final = {
    "sleeps": _PLAIN,
    "reads the clock": attrs.evolve(_TIMED, clients=[[Call(reads)]]),
    "when an object was written": attrs.evolve(_TIMED, clients=[[Call(writes_an_object)]]),
    "at_all": attrs.evolve(_TIMED, invariants=[Always(id="at_all", meaning="m", check=_now)]),
    "at_end": attrs.evolve(_TIMED, invariants=[Eventually(id="at_end", meaning="m", check=_now)]),
    "a flow reads": attrs.evolve(_TIMED, aftermath=[_AFTER]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_clock_that_nothing_may_read_is_not_read(what: str) -> None:
    with pytest.raises(ScenarioError, match=what) as refused:
        search(REFUSED[what])
    assert "time=" in str(refused.value)


def test_jumps_and_time_that_passes_exclude_each_other() -> None:
    with pytest.raises(ScenarioError, match="leave out the jumps"):
        attrs.evolve(REFUSED["sleeps"], time="read", faults=Faults(clock_jumps=(1,)))


def test_a_live_flow_sleeps() -> None:
    async def naps(env: Env) -> None:
        await env.clock.sleep(3 * SECOND)
        async with env.parallel() as group:
            group.start(sleeps, env)

    clock = trio.testing.MockClock(autojump_threshold=0)
    trio.run(run, naps(live_env()), MemoryStore(), clock=clock)
    assert clock.current_time() == pytest.approx(4)

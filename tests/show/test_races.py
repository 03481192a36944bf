"""Names of races, on planted ones: every schedule of small programs, judged by what came of it, not by the rule.

For each pattern there is a program that has it in some schedules and not in others, and an oracle that looks only at
the end: the counter, the keys that were read together, the value that a condition could not tell apart.
"""

from collections.abc import Callable, Iterator

import attrs
import pytest

from lakeproof import Call, Env, Faults, Scenario, kv
from lakeproof.model.snapshot import CallView
from lakeproof.search import describe
from lakeproof.search.faults import Mode, Move
from lakeproof.search.replay import JudgedRun
from lakeproof.search.setup import prepare
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.search.world import World
from lakeproof.show.races import races
from tests.racing import COUNTER, clear, increment, increment_if
from tests.show.hostile import HOSTILE
from tests.show.traces import RACE

X, Y, Z = (b"p", b"x"), (b"p", b"y"), (b"p", b"z")


def scenario(*clients: list[Call], setup: tuple[Call, ...] = (), faults: Faults | None = None) -> Scenario:
    expect = {"no-unhandled-exception": "holds"}
    return Scenario(
        name="planted", clients=clients, invariants=[], expect=expect, setup=setup, faults=faults or Faults()
    )


def schedules(chosen: Scenario, prefix: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    """Every schedule, to its end."""
    world = World(prepare(chosen))
    for move in prefix:
        world.step(move)
    moves = world.moves()
    world.close()
    if not moves:
        yield prefix
    for move in moves:
        yield from schedules(chosen, (*prefix, move))


def traced(chosen: Scenario, moves: tuple[Move, ...]) -> tuple[Trace, JudgedRun]:
    run = JudgedRun(chosen)
    initially = describe.initially(run.world.setting.cells)
    steps = tuple(run.describe(move) for move in moves)
    clients = tuple(tuple(map(str, calls)) for calls in chosen.clients)
    return attrs.evolve(RACE, clients=clients, initially=initially, schedule=steps), run


def names(trace: Trace) -> set[str]:
    return {race.name for race in races(trace)}


Happened = Callable[[JudgedRun, list[int]], bool]
"""Whether a pattern did, by a run and the clients of its steps."""


def held(run: JudgedRun, address: tuple[bytes, bytes]) -> bytes | None:
    found = run.world.cells.get(("kv", *address))
    assert found is None or isinstance(found, bytes)
    return found


async def put(env: Env, address: tuple[bytes, bytes], value: bytes) -> None:
    await env.store.set(*address, value)


async def swap(env: Env, *values: bytes) -> None:
    for value in values:
        await env.store.set(*X, value)


async def replace_if_same(env: Env) -> None:
    found = await env.store.get(*X)
    await env.store.set_if(*X, b"mine", found.predicate)


async def read_one_write_other(env: Env, read: tuple[bytes, bytes], write: tuple[bytes, bytes]) -> bytes:
    found = (await env.store.get(*read)).value
    await env.store.set(*write, b"taken")
    return found


async def scan(env: Env) -> tuple[bytes, ...]:
    return tuple([entry.key + entry.value async for entry in env.store.scan(b"p", batch_size=1)])


def calls_of(run: JudgedRun, client: int) -> CallView:
    return run.world.clients[client].calls()[0]


TWO_PUTS = [Call(put, X, b"1"), Call(put, Y, b"1")]
FIRST = (Call(put, X, b"first"),)
TORN = (b"x0", b"y1")
ZEROS = (Call(put, X, b"0"), Call(put, Y, b"0"))
FREE = (Call(put, X, b"free"), Call(put, Y, b"free"))
BACK, FORTH = ([Call(swap, b"other", last)] for last in (b"first", b"third"))
CASES: list[tuple[str, Scenario, Happened, tuple[int, int]]] = [
    ("lost update", scenario(*[[Call(increment)]] * 2), lambda run, _: held(run, COUNTER) != b"2", (4, 2)),
    ("lost update", scenario(*[[Call(increment)]] * 3), lambda run, _: held(run, COUNTER) != b"3", (84, 6)),
    ("lost update", scenario(*[[Call(increment_if)]] * 2), lambda *_: False, (0, 6)),
    # The conditional write is fooled where both writes are between its read and itself.
    ("ABA", scenario([Call(replace_if_same)], BACK, setup=FIRST), lambda _, order: order == [0, 1, 1, 0], (1, 5)),
    ("ABA", scenario([Call(replace_if_same)], FORTH, setup=FIRST), lambda *_: False, (0, 6)),
    (
        "write skew",
        scenario([Call(read_one_write_other, X, Y)], [Call(read_one_write_other, Y, X)], setup=FREE),
        lambda run, _: calls_of(run, 0).value == calls_of(run, 1).value == b"free",
        (4, 2),
    ),
    (
        "write skew",  # without a circle there is none
        scenario([Call(read_one_write_other, X, Y)], [Call(read_one_write_other, X, Z)], setup=FREE),
        lambda *_: False,
        (0, 6),
    ),
    # What was read was there at no moment; in the other order of the writes it was.
    ("torn scan", scenario([Call(scan)], TWO_PUTS, setup=ZEROS), lambda run, _: calls_of(run, 0).value == TORN, (1, 5)),
    ("torn scan", scenario([Call(scan)], TWO_PUTS[::-1], setup=ZEROS), lambda *_: False, (0, 6)),
]


@pytest.mark.parametrize(("name", "chosen", "happened", "counts"), CASES)
def test_a_pattern_is_named_if_and_only_if_it_happened(
    name: str, chosen: Scenario, happened: Happened, counts: tuple[int, int]
) -> None:
    """In every schedule. ``counts``: in how many it did, and did not."""
    found = [0, 0]
    for moves in schedules(chosen):
        trace, run = traced(chosen, moves)
        was = name in names(trace)
        assert was is happened(run, [move.client for move in moves]), (moves, races(trace))
        found[not was] += 1
        run.close()
    assert tuple(found) == counts


class TestLateWrites:
    def late(self) -> Iterator[tuple[Trace, tuple[Move, ...]]]:
        chosen = scenario([Call(put, X, b"1")], [Call(put, X, b"2")], faults=Faults(lost_answers=1, duplicates=1))
        for moves in schedules(chosen):
            yield traced(chosen, moves)[0], moves

    def test_a_double_apply_changes_the_store_twice_and_a_zombie_after_its_call(self) -> None:
        found = set()
        for trace, moves in self.late():
            modes = [move.mode for move in moves]
            changes = [any(c.before != c.after for c in step.changes) for step in trace.schedule]
            arrived = Mode.DELIVER in modes and changes[modes.index(Mode.DELIVER)]
            twice = arrived and Mode.REPEATED_APPLIED in modes
            assert ("double apply" in names(trace)) is twice, moves
            assert ("zombie" in names(trace)) is (arrived and not twice), moves
            found |= names(trace) & {"double apply", "zombie"}
        assert found == {"double apply", "zombie"}


class TestSilence:
    def test_clients_one_after_the_other_have_no_race(self) -> None:
        flows = [Call(increment), Call(clear)], [Call(increment), Call(increment_if)], [Call(scan)]
        chosen = scenario(*flows)
        world, moves = World(prepare(chosen)), []
        for client in range(3):
            while world.alive(client):
                moves.append(Move(client, Mode.NORMAL))
                world.step(moves[-1])
        assert races(traced(chosen, tuple(moves))[0]) == ()

    @pytest.mark.parametrize(
        "trace",
        [
            HOSTILE,
            attrs.evolve(RACE, schedule=(TraceStep(client="", mode=Mode.TICK),)),
        ],
    )
    def test_odd_traces_are_no_error(self, trace: Trace) -> None:
        assert {race.name for race in races(trace)} <= {"stale read", "lost update"}

    def test_a_stale_read_is_named_only_where_the_last_step_acts_on_it(self) -> None:
        chosen = scenario([Call(read_one_write_other, X, Y)], [Call(put, X, b"new")], setup=(Call(put, X, b"old"),))
        a, b = Move(0, Mode.NORMAL), Move(1, Mode.NORMAL)
        assert names(traced(chosen, (a, b, a))[0]) == {"stale read"}
        assert names(traced(chosen, (b, a, a))[0]) == names(traced(chosen, (a, a, b))[0]) == set()


def test_an_unanswered_get_is_no_read() -> None:
    chosen = scenario([Call(increment, attempts=2)], [Call(increment)], faults=Faults(refusals=1))
    refused, a, b = Move(0, Mode.REFUSED), Move(0, Mode.NORMAL), Move(1, Mode.NORMAL)
    assert races(traced(chosen, (refused, b, b, a, a))[0]) == ()
    assert kv.Refused.definite

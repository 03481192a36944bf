"""Several effects of one client at once: schedules, cancellation, names, crashes, and what is refused."""

import io
from collections.abc import Callable, Coroutine
from math import comb
from pathlib import Path
from typing import Any

import attrs
import pytest
from rich.console import Console

from lakeproof import Call, Env, Eventually, Faults, Reached, Scenario, ScenarioError, Snapshot, Violation, kv
from lakeproof.impl.parallel import Group
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search import trace as traces
from lakeproof.search.execution import Execution, Program
from lakeproof.search.faults import Mode, Move
from lakeproof.search.minimise import reduce_preemptions
from lakeproof.search.replay import ReplayDiverged, record, replay
from lakeproof.search.replies import NotOpen, TaskReply
from lakeproof.search.search import Options, search
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from lakeproof.show.lanes import show
from lakeproof.show.story import story
from tests.differential.plain import plain_search
from tests.search.agreement import schedules
from tests.search.walks import UNBROKEN

P = b"p"
Task = Callable[..., Coroutine[Any, Any, object]]  # type: ignore[explicit-any]


async def write(env: Env, key: bytes, value: bytes = b"1") -> bytes:
    await env.store.set(P, key, value)
    return key


async def read_and_write(env: Env, key: bytes) -> bytes:
    await env.store.find(P, key)
    return await write(env, key)


async def read_and_write_k(env: Env) -> bytes:
    return await read_and_write(env, b"k")


async def two(env: Env) -> tuple[bytes, bytes]:
    async with env.parallel() as group:
        first = group.start(read_and_write, env, b"k")
        second = group.start(read_and_write, env, b"l")
    return first.value, second.value


async def one_fails(env: Env, other: Task = write, cancel: bool = True) -> str:
    """A task reads what is not there, and another one runs."""
    try:
        async with env.parallel(cancel=cancel) as group:
            group.start(env.store.get, P, b"absent")
            group.start(other, env, b"k")
    except* kv.NotFound:
        pass
    return "over"


def scenario(*flows: Task, faults: Faults | None = None) -> Scenario:
    return Scenario(
        name="parallel",
        clients=[[Call(flow)] for flow in flows],
        faults=faults or Faults(),
        invariants=[UNBROKEN],
        expect={NO_UNHANDLED_EXCEPTION: "holds"},
    )


class TestSchedules:
    def test_two_tasks_of_two_effects_have_six_orders_through_nine_states(self) -> None:
        executions = schedules(scenario(two))
        assert executions == comb(4, 2)
        assert search(scenario(two), options=Options(merge=True)).states == 3 * 3
        plain = plain_search(scenario(two))
        assert plain.states == 1 + 2 + 4 + 6 + 6  # nothing is merged: as many as there are beginnings of orders

    def test_a_client_crashes_while_only_its_tasks_have_effects(self) -> None:
        async def flow(env: Env) -> None:
            async with env.parallel() as group:
                group.start(write, env, b"k")
                group.start(write, env, b"l")

        crashes = scenario(flow, faults=Faults(crashes=1))
        # It crashed before both, after either, or never.
        assert len(search(crashes, options=Options(keep_finals=True)).finals) == len(plain_search(crashes).finals) == 4

    def test_tasks_are_named_by_order_of_start_within_the_task_that_starts_them(self) -> None:
        async def inner(env: Env) -> None:
            async with env.parallel() as group:
                group.start(write, env, b"a")
                group.start(write, env, b"b")

        async def flow(env: Env) -> None:
            async with env.parallel() as group:
                group.start(write, env, b"k")
                group.start(inner, env)
                await write(env, b"l")
            async with env.parallel() as group:
                group.start(write, env, b"z")

        world = World(prepare(scenario(flow)))
        assert [move.task for move in world.moves()] == ["", "1", "2.1", "2.2"]
        for task in ("2.1", "", "1", "2.2"):
            world.step(Move(0, Mode.NORMAL, task))
        assert [move.task for move in world.moves()] == ["1"]
        world.close()

    def test_identifiers_do_not_depend_on_the_order_in_which_tasks_ask(self) -> None:
        async def mint(env: Env, key: bytes) -> str:
            await env.store.find(P, key)
            return env.ids.unique("id")

        async def flow(env: Env) -> tuple[str, ...]:
            first = env.ids.unique("id")
            async with env.parallel() as group:
                tasks = [group.start(mint, env, b"k"), group.start(mint, env, b"l")]
            return first, *(task.value for task in tasks), env.ids.unique("id")

        found = plain_search(scenario(flow)).finals
        assert {final.value[1][0][0].value for final in found} == {("a1", "a1t1", "a2t1", "a2")}  # type: ignore[index]

    def test_an_answer_is_lost_to_one_task_alone(self) -> None:
        async def flow(env: Env) -> int:
            try:
                async with env.parallel(cancel=False) as group:
                    group.start(write, env, b"k")
                    group.start(write, env, b"l")
            except ExceptionGroup as raised:
                return len(raised.exceptions)
            return 0

        found = plain_search(scenario(flow, faults=Faults(lost_answers=1, duplicates=1))).finals
        assert {final.value[1][0][0].value for final in found} == {0, 1}  # type: ignore[index]


async def several_are_cancelled(env: Env) -> None:
    try:
        async with env.parallel() as group:
            group.start(env.store.get, P, b"absent")
            group.start(write, env, b"k")
            await write(env, b"l")
    except* kv.NotFound:
        pass


async def guarded(env: Env, key: bytes) -> None:
    try:
        await env.store.find(P, key)
    finally:
        await write(env, b"g")


async def grouped(env: Env, key: bytes) -> None:
    async with env.parallel() as group:
        group.start(write, env, key)
    await write(env, b"never")


ENDS: dict[str, tuple[Call, set[tuple[bytes, ...]]]] = {
    "a cancelled write takes place or does not": (Call(one_fails), {(), (b"k",)}),
    "each of several may": (Call(several_are_cancelled), {(), (b"k",), (b"l",), (b"k", b"l")}),
    "a cancelled task performs no further effect": (Call(one_fails, guarded), {(), (b"g",)}),
    "without cancelling the others run on": (Call(one_fails, read_and_write, cancel=False), {(b"k",)}),
    # Where nothing fails before, the inner group ends and its owner goes on.
    "an inner group is cancelled": (Call(one_fails, grouped), {(), (b"k",), (b"k", b"never")}),
}


@pytest.mark.parametrize("what", ENDS)
def test_what_is_there_at_the_end_where_a_task_fails(what: str) -> None:
    call, keys = ENDS[what]
    ended = plain_search(attrs.evolve(scenario(two), clients=[[call]])).finals
    assert {tuple(sorted(cell[2] for cell, _ in final.value[0])) for final in ended} == keys  # type: ignore[index]


class TestErrors:
    def test_errors_come_in_order_of_start_and_always_in_a_group(self) -> None:
        async def fails(env: Env, key: bytes) -> None:
            await env.store.find(P, key)
            raise ValueError(key.decode())

        async def flow(env: Env) -> tuple[str, ...]:
            try:
                async with env.parallel(cancel=False) as group:
                    group.start(fails, env, b"k")
                    group.start(fails, env, b"l")
                    await fails(env, b"body")
            except ExceptionGroup as raised:
                return tuple(str(each) for each in raised.exceptions)
            return ()

        found = {final.value[1][0][0].value for final in plain_search(scenario(flow)).finals}  # type: ignore[index]
        assert found == {("body", "k", "l")}

    def test_a_group_that_leaves_a_call_is_a_mistake_of_the_flow_with_its_line(self) -> None:
        async def flow(env: Env) -> None:
            async with env.parallel() as group:
                group.start(env.store.get, P, b"absent")

        found = search(scenario(flow)).findings[-1]
        assert found.verdict == "violated"
        assert found.counterexample is not None
        assert "ExceptionGroup: task 1 raised NotFound (1 sub-exception) at tests/search/test_parallel.py:" in (
            found.counterexample.violation.evidence
        )


async def _unentered(env: Env) -> None:
    env.parallel().start(write, env, b"k")


async def _after_the_end(env: Env) -> None:
    async with env.parallel() as group:
        pass
    group.start(write, env, b"k")


async def _swallowed(env: Env) -> None:
    async with env.parallel() as group:
        await write(env, b"k")
    try:
        group.start(write, env, b"k")
    except BaseException:  # noqa: BLE001  # what a flow must not get away with
        await write(env, b"l")


async def _left_open(env: Env) -> None:
    group: Group = env.parallel()
    await group.__aenter__()
    group.start(write, env, b"k")
    await write(env, b"l")


async def _not_nested(env: Env) -> None:
    outer, inner = env.parallel(), env.parallel()
    await outer.__aenter__()
    await inner.__aenter__()
    await outer.__aexit__(None, None, None)


async def _not_a_function(env: Env) -> None:
    async with env.parallel() as group:
        coroutine = write(env, b"k")
        coroutine.close()
        group.start(coroutine)  # type: ignore[arg-type]


async def _entered_twice(env: Env) -> None:
    group = env.parallel()
    async with group:
        await write(env, b"k")
    async with group:
        pass


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (_unentered, "in a group that was not entered"),
        (_after_the_end, "in a group that has ended"),
        (_swallowed, "in a group that has ended"),
        (_left_open, "leaves a group open"),
        (_not_nested, "nest them"),
        (_not_a_function, "expected an async def"),
        (_entered_twice, "needs an env.parallel() of its own"),
    ],
)
def test_a_group_that_is_misused_is_an_error_and_no_verdict(flow: Task, said: str) -> None:
    for run in (search, plain_search):
        with pytest.raises(ScenarioError, match=said.replace("(", r"\(").replace(")", r"\)")):
            run(scenario(flow))


def test_a_reply_to_a_task_that_waits_for_none_is_refused() -> None:
    client = Execution(Program("a", (Call(two),)))
    with pytest.raises(NotOpen):
        client.send(TaskReply("3", None))
    client.close()


async def racing(env: Env) -> None:
    """The second task loses what the first has written, if it reads before."""

    async def add(text: bytes) -> None:
        found = await env.store.find(P, b"k")
        await env.store.set(P, b"k", (found.value if found else b"") + text)

    async with env.parallel() as group:
        group.start(add, b"x")
        group.start(add, b"y")


def both(snapshot: Snapshot) -> list[Reached | Violation]:
    found = snapshot.store.get((P, b"k"), b"")
    return [Reached("an end") if len(found) == 2 else Violation("both", f"{found!r}")]


LOST = Scenario(
    name="parallel/lost",
    clients=[[Call(racing)]],
    invariants=[Eventually(id="both", meaning="both tasks count", check=both)],
    expect={"both": "violated"},
)


class TestTraces:
    def test_a_race_inside_one_client_is_found_shown_and_replayed(self, tmp_path: Path) -> None:
        found = search(LOST).findings[0].counterexample
        assert found is not None
        assert len(found.moves) == 4
        moves = reduce_preemptions(LOST, found.moves, "both")
        trace = record(LOST, "both", moves, version="0")
        assert sorted(step.task for step in trace.schedule) == ["1", "1", "2", "2"]
        traces.write(trace, tmp_path / "trace.json")
        assert traces.read(tmp_path / "trace.json") == trace
        assert replay(trace, LOST).steps == 4
        for lines in (False, True):
            console = Console(width=120, record=True, file=io.StringIO())
            show(trace, console, lines=lines)
            shown = console.export_text()
            assert ("1: set" in shown, "test_parallel.py:" in shown) == (True, lines)
        assert "racing/2" in story([trace]).plain

    def test_a_trace_whose_task_does_not_wait_is_no_longer_followed(self) -> None:
        trace = record(LOST, "both", search(LOST).findings[0].counterexample.moves, version="0")  # type: ignore[union-attr]
        steps = tuple(attrs.evolve(step, task="3") for step in trace.schedule)
        with pytest.raises(ReplayDiverged, match="no task '3' waits; '1', '2' do"):
            replay(attrs.evolve(trace, schedule=steps), LOST)

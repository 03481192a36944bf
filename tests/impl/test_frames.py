"""Suspended coroutines: which line they wait at, what they await, and that nothing of an abandoned one runs."""

import ast
import gc
import runpy
import types
import warnings
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Generator
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from lakeproof.impl.effects import Env
from lakeproof.impl.frames import Spot, abandon, awaitable_name, chain, raised_at, spot, would_run
from lakeproof.impl.parallel import Joins, Opens
from tests.impl.guarded import GUARDED, PLAIN, Flow, K, Lock, P, plainly

HERE = Path(__file__)


def env() -> Env:
    return Env.with_unique(lambda kind: kind)


def line_of(text: str) -> int:
    """The one line of this file that ends in a mark."""
    [number] = [at for at, line in enumerate(HERE.read_text().splitlines(), 1) if line.endswith(f"# {text}")]
    return number


def name_of(flow: Flow) -> str:
    return flow.__name__


class TestWouldRun:
    @pytest.mark.parametrize("flow", GUARDED, ids=name_of)
    def test_closing_would_run_lines_of_a_flow_that_guards_its_effect(self, flow: Flow) -> None:
        ran: list[str] = []
        coroutine = flow(env(), ran)
        coroutine.send(None)
        assert would_run(coroutine)
        abandon(coroutine)

    @pytest.mark.parametrize("flow", PLAIN, ids=name_of)
    def test_closing_would_run_nothing_of_one_that_does_not(self, flow: Flow) -> None:
        coroutine = flow(env(), [])
        coroutine.send(None)
        assert not would_run(coroutine)
        coroutine.close()

    def test_the_end_of_a_group_of_tasks_guards_nothing_and_a_lock_around_it_does(self) -> None:
        async def alone(env: Env) -> None:
            async with env.parallel():
                pass

        async def locked(env: Env) -> None:
            async with Lock(env, []), env.parallel():
                pass

        for flow, guarded in ((alone, False), (locked, True)):
            coroutine = flow(env())
            opens = coroutine.send(None)
            assert isinstance(opens, Opens)
            opens.group.opened(Mock(), Mock(around=()))
            assert isinstance(coroutine.send(None), Joins)
            assert would_run(coroutine) is guarded
            abandon(coroutine)

    def test_where_the_source_is_not_known_the_answer_is_yes(self) -> None:
        names: dict[str, Flow] = {}
        exec("async def flow(env, ran):\n    await env.store.set(b'p', b'k', b'1')\n", names)  # noqa: S102
        coroutine = names["flow"](env(), [])
        coroutine.send(None)
        assert would_run(coroutine)
        abandon(coroutine)


class TestAbandon:
    """A client that crashed runs nothing any more, whatever guards the effect that it waits for."""

    @pytest.mark.deep
    @pytest.mark.parametrize("flow", [*GUARDED, *PLAIN], ids=name_of)
    def test_nothing_of_it_runs_not_even_when_its_memory_is_claimed(self, flow: Flow) -> None:
        ran: list[str] = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            coroutine = flow(env(), ran)
            coroutine.send(None)
            abandon(coroutine)
            del coroutine
            gc.collect()
        assert ran == []

    @pytest.mark.parametrize("flow", [*GUARDED, *PLAIN], ids=name_of)
    def test_one_that_has_not_begun_or_has_ended_is_let_go_too(self, flow: Flow) -> None:
        ran: list[str] = []
        abandon(flow(env(), ran))
        assert ran == []
        ended = plainly(env(), [])
        ended.send(None)
        with pytest.raises(StopIteration):
            ended.send(None)
        abandon(ended)

    def test_a_closure_that_has_not_begun_is_not_kept(self) -> None:
        ran: list[str] = []

        async def closure() -> None:
            try:
                await plainly(env(), ran)
            finally:
                ran.append("finally")

        coroutine = closure()
        gone = weakref.ref(coroutine)
        abandon(coroutine)
        del coroutine
        assert gone() is None
        assert ran == []


class Dropped:
    """Holds a suspended coroutine, in a cycle: only the collector finds that nobody holds it."""

    def __init__(self, coroutine: Coroutine[object, object, object]) -> None:
        self.coroutine, self.me = coroutine, self

    def __del__(self) -> None:
        abandon(self.coroutine)


class TestCollector:
    """It may run in the midst of a parse, also of one by pytest or by a user's code."""

    @pytest.fixture
    def coroutine(self, tmp_path: Path) -> Coroutine[object, object, object]:
        """A flow in a file that nobody has read yet, and which is like no other, at its effect."""
        path = tmp_path / "fresh.py"
        path.write_text(f"async def flow(env):\n    await env.store.get(b'p', b'{tmp_path.name}')\n")
        flow: Callable[[Env], Coroutine[object, object, object]] = runpy.run_path(str(path))["flow"]
        found = flow(env())
        found.send(None)
        return found

    def test_a_parse_goes_on_when_a_coroutine_is_abandoned_in_it(
        self, coroutine: Coroutine[object, object, object]
    ) -> None:
        text = "x = [" + "[1, [2, [3]]], " * 200 + "]"
        Dropped(coroutine)
        before = gc.get_threshold()
        gc.set_threshold(1)
        try:
            ast.parse(text)
        finally:
            gc.set_threshold(*before)
        assert not would_run(coroutine)

    def test_no_file_is_read_in_it_and_what_was_unknown_there_is_known_later(
        self, coroutine: Coroutine[object, object, object]
    ) -> None:
        with patch.object(ast, "parse", wraps=ast.parse) as parse:
            Dropped(coroutine)
            gc.collect()
            assert parse.call_count == 0
            assert not would_run(coroutine)
            assert parse.call_count == 1
        assert [frame is None for frame, _ in chain(coroutine)][:1] == [False], "it is suspended, as it was"


@types.coroutine
def bare() -> Generator[object, object, object]:
    return (yield None)


class Waits:
    def __await__(self) -> Generator[object, object, None]:
        yield 7


async def helper(env: Env) -> None:
    await env.store.set(P, K, b"1")  # helper


async def at_a_helper(env: Env, _: list[str]) -> None:
    await helper(env)  # at_a_helper


async def at_a_scan(env: Env, _: list[str]) -> None:
    async for _entry in env.store.scan(P):  # at_a_scan
        pass


async def at_something_foreign(env: Env, things: list[Awaitable[object]]) -> None:
    await things[0]  # foreign


class TestSpot:
    @pytest.mark.parametrize(
        ("flow", "mark", "function"),
        [(at_a_helper, "helper", "helper"), (at_a_scan, "at_a_scan", "at_a_scan")],
        ids=["a function that it calls", "a scan"],
    )
    def test_it_is_the_innermost_line_of_the_flow(self, flow: Flow, mark: str, function: str) -> None:
        coroutine = flow(env(), [])
        coroutine.send(None)
        assert spot(coroutine) == Spot(str(HERE), line_of(mark), function)
        assert str(spot(coroutine)) == f"tests/impl/test_frames.py:{line_of(mark)}"
        coroutine.close()

    def test_a_coroutine_that_has_ended_is_nowhere(self) -> None:
        coroutine = plainly(env(), [])
        coroutine.send(None)
        coroutine.close()
        assert spot(coroutine) is None

    def test_an_exception_was_raised_where_the_flow_stood(self) -> None:
        coroutine = at_a_helper(env(), [])
        coroutine.send(None)
        with pytest.raises(KeyError) as caught:
            coroutine.throw(KeyError("k"))
        assert raised_at(caught.value) == Spot(str(HERE), line_of("helper"), "helper")


class TestAwaited:
    @pytest.mark.parametrize(
        ("build", "name"), [(bare, "bare"), (Waits, "Waits.__await__")], ids=["a bare yield", "an object"]
    )
    def test_it_names_what_is_no_effect(self, build: Callable[[], Awaitable[object]], name: str) -> None:
        coroutine = at_something_foreign(env(), [build()])
        coroutine.send(None)
        assert awaitable_name(coroutine).endswith(name)
        found = spot(coroutine)
        assert found is not None
        assert found.line == line_of("foreign")
        coroutine.close()

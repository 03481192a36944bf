"""What is beside the values of a flow: causes of errors are kept and compared, context variables are kept apart."""

import decimal
from collections.abc import Callable
from contextvars import ContextVar

import pytest
import trio

from lakeproof import Call, Env, Eventually, Scenario, kv
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.invariants import Finding
from lakeproof.model.snapshot import Snapshot
from lakeproof.scenario import Flow, ScenarioError
from lakeproof.search.search import search
from tests.differential.plain import plain_search
from tests.edge.small import K, P, agreed, finds, scenario, touch
from tests.search.agreement import verdicts


class Busy(Exception):
    definite = True


BUSY = Busy("one for all")


async def translates(env: Env) -> None:
    try:
        await env.store.get(P, K)
    except kv.NotFound:
        raise Busy from None
    raise Busy from LookupError("found", 1)


async def in_a_handler(env: Env) -> None:
    try:
        await env.store.get(P, K)
    except kv.NotFound:
        raise Busy  # noqa: B904  # that is the point
    raise Busy


async def in_a_group(env: Env) -> None:
    try:
        async with env.parallel() as group:
            group.start(in_a_handler, env)
    except* Busy as failed:
        raise Busy from failed


async def out_of_a_group(env: Env) -> None:
    try:
        async with env.parallel() as group:
            group.start(in_a_handler, env)
    except ExceptionGroup as failed:
        raise failed.exceptions[0]  # noqa: B904  # that is the point


async def returns_it(env: Env) -> object:
    try:
        await in_a_handler(env)
    except Busy as error:
        return error
    return None


async def one_for_all(env: Env) -> None:
    try:
        await env.store.get(P, K)
    except kv.NotFound:
        raise BUSY  # noqa: B904  # that is the point
    raise BUSY


def never(wrong: Callable[[BaseException], object], name: str) -> Eventually:
    def check_(seen: Snapshot) -> list[Finding]:
        said = [call.error or call.value for call in seen.calls()]
        return finds(any(isinstance(each, BaseException) and wrong(each) for each in said))

    return Eventually(id=name, meaning="", check=check_)


class TestCauses:
    """``__cause__`` and ``__context__`` of an error are parts of it: pasts that differ in them are told apart."""

    @pytest.mark.parametrize(
        ("flow", "wrong"),
        [
            (translates, lambda error: isinstance(error.__cause__, LookupError) and error.__cause__.args[1] == 1),
            (translates, lambda error: error.__cause__ is None),
            (in_a_handler, lambda error: isinstance(error.__context__, kv.NotFound)),
            (in_a_handler, lambda error: error.__context__ is None),
            (in_a_group, lambda error: isinstance(error.__cause__.exceptions[0].__context__, kv.NotFound)),
            (out_of_a_group, lambda error: not isinstance(error.__context__, ExceptionGroup)),
            (returns_it, lambda error: isinstance(error.__context__, kv.NotFound)),
            (returns_it, lambda error: error.__context__ is None),
        ],
    )
    def test_an_invariant_may_look_at_them(self, flow: Flow, wrong: Callable[[BaseException], object]) -> None:
        of = scenario([never(wrong, "x")], flow, touch)
        assert agreed(of)["x"] == "violated"

    def test_what_the_driver_handles_is_no_context_of_theirs(self) -> None:
        strange = never(lambda error: isinstance(error.__context__, ZeroDivisionError | Busy), "x")
        calls = [Call(in_a_handler), Call(in_a_handler), Call(returns_it)]
        of = Scenario(name="s", clients=[calls, [Call(touch)]], invariants=[strange])
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            assert verdicts(search(of))["x"] == plain_search(of).verdicts["x"] == "holds"

    def test_one_object_with_causes_that_change_is_refused(self) -> None:
        with pytest.raises(ScenarioError, match=r"one_for_all\(\) raises one Busy object again, .* raise a new one"):
            search(scenario([never(lambda _: False, "x")], one_for_all, touch))


WHO: ContextVar[bytes] = ContextVar("WHO", default=b"nobody")


async def says(env: Env, name: bytes) -> bytes:
    WHO.set(name)
    await env.store.set(P, name, b"1")
    decimal.setcontext(decimal.Context(prec=len(name)))  # not changed in place: contexts share what was there
    await env.store.set(P, name, WHO.get())
    return WHO.get() + str(decimal.getcontext().prec).encode()


async def starts(env: Env) -> tuple[bytes, ...]:
    """The main task and two others set a variable each, which the others begin with the value of."""
    began: list[bytes] = []

    async def child(name: bytes) -> bytes:
        began.append(WHO.get())
        WHO.set(name)
        await env.store.set(P, name, b"1")
        return WHO.get()

    WHO.set(b"main")
    await env.store.set(P, b"main", b"1")
    async with env.parallel() as group:
        one, other = group.start(child, b"one"), group.start(child, b"other")
        await env.store.set(P, b"main", b"2")
        WHO.set(b"again")
    return (*began, one.value, other.value, WHO.get())


ANSWERS = (b"main", b"main", b"one", b"other", b"again")


class TestContexts:
    """Each client, and each task of one, has the context variables to itself, under every driver."""

    def test_of_clients(self) -> None:
        def wrong(seen: Snapshot) -> bool:
            held = {key: value for (_, key), value in seen.store.items()}
            answers = {call.args[0]: call.value for call in seen.calls() if call.done}
            return held != {b"a": b"a", b"bb": b"bb"} or answers != {b"a": b"a1", b"bb": b"bb2"}

        invariant = Eventually(id="x", meaning="", check=lambda seen: finds(wrong(seen)))
        of = Scenario(name="s", clients=[[Call(says, b"a")], [Call(says, b"bb")]], invariants=[invariant])
        assert agreed(of)["x"] == "holds"
        assert WHO.get() == b"nobody"

    def test_of_the_calls_of_a_client_it_is_one(self) -> None:
        async def asks(env: Env) -> bytes:
            await env.store.set(P, K, b"1")
            return WHO.get()

        seen = never_but(asks.__name__, {b"a"})
        of = Scenario(name="s", clients=[[Call(says, b"a"), Call(asks)], [Call(says, b"b")]], invariants=[seen])
        assert agreed(of)["x"] == "holds"

    @pytest.mark.deep
    def test_of_tasks(self) -> None:
        assert agreed(scenario([never_but("starts", {ANSWERS})], starts, starts))["x"] == "holds"

    def test_live(self) -> None:
        answers: list[object] = []

        async def client() -> None:
            answers.append(await run(starts(live_env()), MemoryStore()))
            answers.append(WHO.get())

        async def both() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(client)
                nursery.start_soon(client)
            answers.append(WHO.get())

        trio.run(both)
        assert sorted(map(repr, answers)) == sorted(map(repr, [ANSWERS, b"again", ANSWERS, b"again", b"nobody"]))


def never_but(name: str, answers: set[object]) -> Eventually:
    def check_(seen: Snapshot) -> list[Finding]:
        return finds(any(call.value not in answers for call in seen.calls(name) if call.done))

    return Eventually(id="x", meaning="", check=check_)

"""What flows and invariants might know beside what they are given: it is kept apart, compared, or refused by name."""

import decimal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache

import pytest
import trio

from lakeproof import Aftermath, Always, Call, Env, Eventually, Faults, Monitor, OnStep, Reached, Reads, Scenario, kv
from lakeproof.explore.again import KEPT, Again
from lakeproof.explore.plain import plain_search
from lakeproof.explore.replay import record
from lakeproof.explore.results import Result
from lakeproof.explore.search import search
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.invariants import Finding, Invariant, Violation
from lakeproof.model.snapshot import Snapshot, Transition
from lakeproof.running.verifying import NotAsExpected, check
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Flow, ScenarioError

P, K = b"p", b"k"
CLIENTS = frozenset({Reads.CLIENTS})
Test = Callable[[Snapshot], object]


async def touch(env: Env) -> None:
    await env.store.set(P, K, b"1")


async def touch_and_delete(env: Env) -> None:
    await env.store.set(P, K, b"1")
    await env.store.delete(P, K)


def finds(wrong: bool) -> list[Finding]:
    return [Violation("x", "wrong") if wrong else Reached("right")]


def always(wrong: Test, name: str = "x", reads: frozenset[Reads] = frozenset({Reads.STORE})) -> Always:
    return Always(id=name, meaning="", check=lambda seen: finds(bool(wrong(seen))), reads=reads)


def scenario(invariants: Iterable[Invariant], *clients: Flow, **fields: object) -> Scenario:
    calls = [[Call(flow)] for flow in clients or (touch,)]
    return Scenario(name="s", clients=calls, invariants=list(invariants), **fields)  # type: ignore[arg-type]


def verdicts(result: Result) -> dict[str, str]:
    return {finding.id: finding.verdict for finding in result.findings}


def agreed(of: Scenario) -> dict[str, str]:
    """The verdicts of the search. The plain search has the same, and each counterexample can be made again."""
    result = search(of)
    assert verdicts(result).items() <= plain_search(of).verdicts.items()
    for finding in result.findings:
        if finding.counterexample is not None:
            record(of, finding.id, finding.counterexample.moves, version="test")
    return verdicts(result)


def swallows(look: Test) -> Test:
    def wrong(seen: Snapshot) -> bool:
        try:
            return bool(look(seen)) and False
        except Exception:  # noqa: BLE001  # that is the point
            return False

    return wrong


def suppresses(look: Test) -> Test:
    def wrong(seen: Snapshot) -> bool:
        with suppress(BaseException):
            look(seen)
        return False

    return wrong


class TestRefusals:
    """A check that catches `NotDeclared` would hold of what it never saw."""

    @pytest.mark.parametrize("catches", [swallows, suppresses])
    @pytest.mark.parametrize(
        ("look", "named"),
        [
            (lambda seen: seen.now, "now"),
            (lambda seen: seen.objects, "objects"),
            (lambda seen: seen.calls("touch"), "clients"),
            (lambda seen: seen.only(frozenset()).store, "store"),
        ],
        ids=["now", "objects", "calls", "store"],
    )
    def test_what_a_check_was_refused_is_an_error_though_it_caught_it(
        self, look: Test, named: str, catches: Callable[[Test], Test]
    ) -> None:
        of = scenario([always(catches(look))])
        for searches in (search, plain_search):
            with pytest.raises(ScenarioError, match=rf"'x': it looks at .*{named}.* does not declare"):
                searches(of)  # type: ignore[operator]

    def test_so_it_is_of_steps_and_of_ends(self) -> None:
        def step(seen: Transition) -> list[Finding]:
            return finds(bool(suppresses(lambda shown: shown.clients)(seen.after)))

        def end(_: object, seen: Snapshot) -> list[Finding]:
            return finds(bool(suppresses(lambda shown: shown.now)(seen)))

        for each in (
            OnStep(id="x", meaning="", check=step, watches=lambda *_: True),
            Monitor(id="x", meaning="", initial=0, advance=lambda state, _: (state, ()), at_end=end),
        ):
            with pytest.raises(ScenarioError, match="'x': it looks at"):
                search(scenario([each]))


class Remembers:
    """How many questions it was asked; what it saw last."""

    def __init__(self) -> None:
        self.asked = 0
        self.last = 0
        self.seen: set[object] = set()
        self.shared = iter([Reached("one"), Reached("other")])

    def shrinks(self, seen: Snapshot) -> list[Finding]:
        before, self.last = self.last, len(seen.store)
        return finds(self.last < before)

    def once(self, seen: Snapshot) -> Iterable[Finding]:
        new = frozenset(seen.store) not in self.seen
        self.seen.add(frozenset(seen.store))
        return finds(wrong=False) if new else []

    def runs_dry(self, _: object) -> Iterator[Finding]:
        return self.shared  # type: ignore[return-value]

    def counts(self, *_: object) -> list[Finding]:
        self.asked += 1
        return finds(self.asked > 1)

    def flips(self, *_: object) -> bool:
        self.asked += 1
        return self.asked < 3

    def advances(self, state: object, _: object) -> tuple[int, tuple[Finding, ...]]:
        self.asked += 1
        return min(self.asked, 3), (Reached("event"),)


def remembering() -> dict[str, dict[str, object]]:
    """By the way in which an invariant remembers: what its scenario checks."""

    def one(invariant: Invariant) -> dict[str, object]:
        return {"invariants": [invariant]}

    watched = OnStep(id="x", meaning="", check=lambda _: finds(wrong=False), watches=Remembers().flips)
    counted = OnStep(id="x", meaning="", check=Remembers().counts, watches=lambda *_: True)
    after = Aftermath(id="x", meaning="", calls=[Call(touch)], check=lambda *_: finds(next(odd)))
    odd = iter([False, *[True] * 99])
    return {
        "shrinks": one(Always(id="x", meaning="", check=Remembers().shrinks)),
        "says it once": one(Always(id="x", meaning="", check=Remembers().once)),
        "runs dry": one(Always(id="x", meaning="", check=Remembers().runs_dry)),
        "counts states": one(Always(id="x", meaning="", check=Remembers().counts)),
        "counts ends": one(Eventually(id="x", meaning="", check=Remembers().counts)),
        "counts steps": one(counted),
        "watches otherwise": one(watched),
        "advances": one(Monitor(id="x", meaning="", initial=0, advance=Remembers().advances)),
        "counts aftermaths": {"invariants": [], "aftermath": [after]},
    }


class TestMemory:
    """Each distinct state is judged once, in an order of the search's own: what remembers proves nothing."""

    @pytest.mark.parametrize("way", remembering())
    def test_an_invariant_that_remembers_is_named(self, way: str) -> None:
        clients = [[Call(touch_and_delete)], [Call(touch)]]
        with pytest.raises(ScenarioError, match=r"invariant 'x': judges the same otherwise .* Monitor's state"):
            search(Scenario(name="s", clients=clients, **remembering()[way]))  # type: ignore[arg-type]

    def test_a_cache_of_pure_answers_is_no_memory(self) -> None:
        cached = lru_cache(lambda keys: (P, K) in keys)
        of = scenario([always(lambda seen: cached(frozenset(seen.store)) and False)], touch, touch_and_delete)
        assert verdicts(search(of))["x"] == "holds"

    def test_few_questions_are_put_again_spread_over_all_the_last_one_first(self) -> None:
        again, asked = Again(), list[int]()
        for number in range(1_000):

            def ask(number: int = number) -> int:
                asked.append(number)
                return number

            again.take("x", "findings", ask, number)
        again.check()
        assert KEPT <= len(asked) < 2 * KEPT
        assert asked == sorted(asked, reverse=True)
        assert (asked[-1], asked[0] > 900) == (0, True)


async def explodes(env: Env) -> None:
    await env.store.set(P, K, b"1")
    await env.store.get(P, K)
    raise ValueError("boom")


NEVER = always(lambda seen: (P, K) in seen.store)


class TestExpectedViolations:
    """Where all that is named is violated as expected, the search goes on: the rest must not pass unseen."""

    @pytest.mark.parametrize("named", [{}, {NO_UNHANDLED_EXCEPTION: "holds"}], ids=["unnamed", "named"])
    def test_calls_that_raise_are_found_behind_the_last_expected_violation(self, named: dict[str, str]) -> None:
        of = scenario([NEVER], explodes, expect={"x": "violated", **named})
        assert agreed(of) == {"x": "violated", NO_UNHANDLED_EXCEPTION: "violated"}
        with pytest.raises(NotAsExpected, match="boom"):
            check(of)

    def test_where_none_raises_all_is_as_expected(self) -> None:
        of = scenario([NEVER], touch_and_delete, expect={"x": "violated"})
        assert agreed(of) == {"x": "violated", NO_UNHANDLED_EXCEPTION: "holds"}
        check(of)

    def test_a_search_that_stops_before_is_not_as_expected(self) -> None:
        of = scenario([NEVER], *[touch_and_delete] * 3, expect={"x": "violated"})
        with pytest.raises(NotAsExpected, match=f"{NO_UNHANDLED_EXCEPTION} is inconclusive"):
            check(of, states_max=4)

    def test_an_aftermath_that_is_violated_is_run_on_for_what_it_raises(self) -> None:
        async def fragile(env: Env) -> None:
            if await env.store.find(P, K) is None:
                raise KeyError("gone")

        calls = [Call(fragile)]
        after = Aftermath(id="a", meaning="", calls=calls, check=lambda *_: [Violation("a", "always")])
        of = scenario([], touch_and_delete, faults=Faults(crashes=1), aftermath=[after], expect={"a": "violated"})
        assert agreed(of) == {"a": "violated", NO_UNHANDLED_EXCEPTION: "violated"}

    def test_an_unexpected_violation_ends_the_search_at_once(self) -> None:
        """The last level that was judged was never expanded: something may lie behind it."""
        found = search(scenario([always(lambda _: True)], touch, touch))
        assert (found.states, found.depth, found.complete) == (1, 0, False)
        assert verdicts(found) == {"x": "violated"}


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


async def says(env: Env, name: bytes, said: list[bytes] | None = None) -> bytes:
    WHO.set(name)
    await env.store.set(P, name, b"1")
    decimal.getcontext().prec = len(name)
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

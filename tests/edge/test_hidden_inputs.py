"""What invariants might know beside what they declare and are given: it is refused by name. Nothing passes unseen."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache

import pytest

from lakeproof import Aftermath, Always, Call, Env, Eventually, Faults, Monitor, OnStep, Reached, Scenario
from lakeproof.model.invariants import Finding, Invariant, Violation
from lakeproof.model.snapshot import Snapshot, Transition
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, ScenarioError
from lakeproof.search.recheck import KEPT, Again
from lakeproof.search.search import search
from lakeproof.testing.check import NotAsExpected, check
from tests.differential.plain import plain_search
from tests.edge.small import K, P, Test, agreed, always, finds, scenario, touch, touch_and_delete
from tests.search.agreement import verdicts


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
                searches(of)

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


    @pytest.mark.parametrize("catches", [lambda look: look, swallows, suppresses])
    @pytest.mark.parametrize("before", [True, False])
    def test_so_it_is_of_aftermaths(self, before: bool, catches: Callable[[Test], Test]) -> None:
        """A check of what was acknowledged would hold of each store: it would find no calls."""

        def after(_: object, seen: Snapshot) -> list[Finding]:
            shown = seen.before if before else seen
            return finds(shown is None or bool(catches(lambda each: each.calls("touch"))(shown)))

        of = scenario([], aftermath=[Aftermath(id="x", meaning="", calls=[Call(touch)], check=after)])
        for searches in (search, plain_search):
            with pytest.raises(ScenarioError, match=r"'x': it looks at .*clients .*, an Eventually sees"):
                searches(of)

    def test_an_aftermath_may_be_one_that_changes_nothing(self) -> None:
        def after(_: object, seen: Snapshot) -> list[Finding]:
            return [Violation("x", "alike") if seen == seen.before else Reached("changed")]

        for flow, expected in ((touch, "violated"), (touch_and_delete, "holds")):
            of = scenario([], aftermath=[Aftermath(id="x", meaning="", calls=[Call(flow)], check=after)])
            assert [each.verdict for each in search(of).findings if each.id == "x"] == [expected]


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
        return self.shared

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

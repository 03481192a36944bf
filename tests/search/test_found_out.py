"""What an invariant reads is found out: no evaluation stands for a state in which it would have looked further."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

import attrs
import pytest

from lakeproof import Aftermath, Call, Env, Faults, Reads, Scenario, kv
from lakeproof.model.invariants import Always, Eventually, Finding, OnStep, Reached, Violation
from lakeproof.model.snapshot import AnyTransition, Snapshot, Status
from lakeproof.scenario import ScenarioError
from lakeproof.search import evaluation, states
from lakeproof.search.search import search
from tests.differential.agreement import disagreements, enumerated
from tests.differential.enumerator import Enumeration
from tests.differential.generated import FlowSet
from tests.differential.plain import plain_search
from tests.differential.programs import START
from tests.differential.straying import straying
from tests.planting import text_fault
from tests.search.agreement import in_parts

P = b"p"
STATES_MAX = 200

Check = Callable[[Snapshot], Iterator[Finding]]


async def writes(env: Env, key: bytes) -> None:
    await env.store.set(P, key, b"1")


async def looks(env: Env, times: int) -> int:
    for _ in range(times):
        await env.store.find(P, b"a")
    return times


def scenario(check: Check, reads: frozenset[Reads] | None = None) -> Scenario:
    """One client that writes two keys, and two that read twice; a clock that may jump."""
    return Scenario(
        name="found/out",
        clients=[[Call(writes, b"a"), Call(writes, b"b")], [Call(looks, 2)], [Call(looks, 2)]],
        invariants=[
            Always(id="x", meaning="", check=check, reads=reads),
            Always(id="y", meaning="", check=_clients_without_names, reads=frozenset({Reads.CLIENTS})),
        ],
        faults=Faults(clock_jumps=(7,)),
    )


def _clients_without_names(seen: Snapshot) -> Iterator[Finding]:
    yield Reached(f"{len(seen.calls())}")


def done(seen: Snapshot) -> int:
    return sum(call.status is Status.OK for call in seen.calls("looks"))


def is_late(seen: Snapshot) -> bool:
    return (P, b"b") in seen.store and done(seen) == 2 and seen.now == START + 7


def is_early(seen: Snapshot) -> bool:
    return not seen.store and done(seen) == 1


def is_first(seen: Snapshot) -> bool:
    """Of one state, on the level in which the check looks at clients for the first time."""
    return set(seen.store) == {(P, b"a")} and not seen.calls("looks") and seen.now == START


def tells_clients_apart(seen: Snapshot) -> bool:
    return (P, b"a") in seen.store and [bool(calls) for calls in seen.clients[1:]] == [True, False]


def catches(seen: Snapshot) -> bool:
    try:
        return is_late(seen)
    except Exception:  # noqa: BLE001  # that is the point
        return False


def stumbles(seen: Snapshot) -> bool:
    """A mistake that only a part that is hidden can bring about."""
    try:
        calls = seen.calls()
    except Exception:  # noqa: BLE001  # that is the point
        calls = ()
    assert not seen.store or calls, "who wrote that?"
    return False


def finds(wrong: Callable[[Snapshot], bool]) -> Check:
    def check(seen: Snapshot) -> Iterator[Finding]:
        yield Violation("x", "") if wrong(seen) else Reached("")

    return check


BY_HAND: dict[Callable[[Snapshot], bool], str] = {
    is_late: "violated",
    is_early: "violated",
    is_first: "violated",
    tells_clients_apart: "violated",
    catches: "violated",
    stumbles: "holds",
}


def verdict(of: Scenario) -> str:
    return next(found.verdict for found in search(of).findings if found.id == "x")


class TestByHand:
    @pytest.mark.parametrize("wrong", BY_HAND)
    def test_no_evaluation_stands_for_a_state_in_which_it_would_have_looked_further(
        self, wrong: Callable[[Snapshot], bool]
    ) -> None:
        of = scenario(finds(wrong))
        assert verdict(of) == plain_search(of).verdicts["x"] == BY_HAND[wrong]

    def test_one_evaluation_stands_for_all_states_that_look_the_same(self) -> None:
        """As many as if the invariant said what it reads: there are three stores."""
        met: Counter[frozenset[bytes]] = Counter()

        def check(seen: Snapshot) -> Iterator[Finding]:
            met[frozenset(key for _, key in seen.store)] += 1
            yield Reached("")

        for reads in (None, frozenset({Reads.STORE})):
            met.clear()
            search(scenario(check, reads))
            again = 2  # each of the few answers is asked for again at the end
            assert dict(met) == {frozenset(each): again for each in ((), (b"a",), (b"a", b"b"))}

    def test_a_check_that_hides_parts_from_itself_is_an_error(self) -> None:
        with pytest.raises(ScenarioError, match="'x': it looks at store"):
            search(scenario(finds(lambda seen: bool(seen.only(frozenset()).store))))

    def test_at_the_end_all_can_be_looked_at(self) -> None:
        end = Eventually(id="x", meaning="", check=finds(is_late))
        assert verdict(attrs.evolve(scenario(finds(is_late)), invariants=[end])) == "violated"

    def test_an_aftermath_follows_on_each_time_of_a_final_store(self) -> None:
        late = finds(lambda seen: seen.now == START + 7)
        after = Aftermath(id="x", meaning="", calls=[Call(looks, 1)], check=lambda _, seen: [*late(seen)])
        assert verdict(attrs.evolve(scenario(late), invariants=[], aftermath=[after])) == "violated"


async def claims(env: Env, key: bytes) -> bool:
    return await env.store.try_set_if(P, key, b"", None)


@pytest.mark.parametrize("won", [(0, 2), (0, 3), (1, 2), (1, 3)])
def test_clients_of_two_programs_are_exchanged_whoever_is_meant(won: tuple[int, int]) -> None:
    end = Eventually(id="x", meaning="", check=finds(lambda seen: all(seen.clients[at][0].value for at in won)))
    clients = [[Call(claims, key)] for key in (b"a", b"a", b"b", b"b")]
    assert verdict(Scenario(name="won", clients=clients, invariants=[end])) == "violated"


async def writes_if_it_loses(env: Env) -> None:
    if not await claims(env, b"a"):
        await writes(env, b"b")


@pytest.mark.parametrize("loser", [0, 1])
def test_a_step_of_one_client_is_one_of_whoever_is_exchanged_with_it(loser: int) -> None:
    def check(step: AnyTransition) -> Iterator[Finding]:
        yield Violation("x", "") if step.client == loser else Reached("")

    lost = OnStep(id="x", meaning="", check=check, watches=lambda _, op: isinstance(op, kv.Set))
    assert verdict(Scenario(name="lost", clients=[[Call(writes_if_it_loses)]] * 2, invariants=[lost])) == "violated"


@lru_cache(None)
def expected_of(seed: int) -> tuple[FlowSet, Enumeration | None]:
    """A set whose invariants stray, and what the enumerator says, which judges each state anew."""
    made = straying(seed)
    return made, enumerated(made, STATES_MAX)


def wrong(seeds: range) -> list[str]:
    found = []
    for seed in seeds:
        made, expected = expected_of(seed)
        if expected is not None:
            found += [f"straying({seed}): {line}" for line in disagreements(made.scenario(), expected)]
    return found


class TestGenerated:
    @pytest.mark.parametrize("seeds", in_parts(range(12), 12, deep=range(12, 32)))
    def test_searches_agree_with_an_enumerator_that_judges_each_state_anew(self, seeds: range) -> None:
        assert wrong(seeds) == []
        known = [expected for _, expected in map(expected_of, seeds) if expected is not None]
        said = {word for each in known for name, word in each.verdicts.items() if name.endswith("Strays")}
        assert said >= {"holds", "violated"}


EACH_ONCE = """while left := [reads for reads in self.open_reads() if reads not in judged]:
            judged.append(left[0])
            self._judge_states(left[0], words, level)"""
FAULTS = {
    # What is found by whoever looks further counts.
    "all counts": text_fault(evaluation, "raise LooksFurther(parts) from None", "return []"),
    # Who looks further is asked from the next level on.
    "no level is judged again": text_fault(
        states, EACH_ONCE, "for reads in self.open_reads():\n            self._judge_states(reads, words, level)"
    ),
    "no exchange of clients is": text_fault(states, "[seen] if self._exchanged(reads, numbers)", "[seen] if seen"),
    # The wider projections have had their turn when an invariant comes to read them.
    "the widest first": text_fault(states, "sorted(open_, key=", "sorted(open_, reverse=True, key="),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[fault](monkeypatch)
    assert [wrong for wrong in BY_HAND if _answer(wrong) != BY_HAND[wrong]]


def _answer(wrong: Callable[[Snapshot], bool]) -> str:
    try:
        return verdict(scenario(finds(wrong)))
    except ScenarioError as error:  # the search notices that a check looks at what it was not shown
        return f"{error}"

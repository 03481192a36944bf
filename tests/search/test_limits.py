"""Limits make a search inconclusive, and never wrong; it says why it stopped and how deep it is complete."""

import itertools
import time
from collections.abc import Hashable

import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.impl.effects import Env
from lakeproof.model import kv
from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Always, Finding, Invariant, Monitor, OnStep, Reached, Violation
from lakeproof.model.snapshot import Event, Returned, Snapshot, Transition
from lakeproof.search import by_level
from lakeproof.search.fence import INTERRUPTS, Hangs
from lakeproof.search.replay import record
from lakeproof.search.search import Limits, Options, search
from tests.differential.handmade import HANDMADE
from tests.differential.interpreter import run_program
from tests.differential.plain import plain_search
from tests.differential.programs import KEYS, Const, Get, Program, Set
from tests.search.walks import UNBROKEN

RAW = Options(merge=False, symmetry=False)
MERGED = Options(merge=True)


def never(value: bytes) -> Invariant:
    def check(snapshot: Snapshot) -> list[Violation | Reached]:
        found = snapshot.store.get(KEYS[0])
        return [Violation("never", f"{found!r}") if found == value else Reached("a state")]

    return Always(id="never", meaning="", check=check)


def writers(invariants: tuple[Invariant, ...] = (UNBROKEN,)) -> Scenario:
    """Two clients, three effects each: 7 levels."""
    clients = [[Call(run_program, Program((Get(0), Get(1), Set(0, Const(digit)))))] for digit in (b"1", b"2")]
    return Scenario(name="writers", clients=clients, invariants=invariants)


TOTAL = search(writers(), options=RAW)


@pytest.mark.parametrize("states_max", range(1, TOTAL.states))
def test_a_limit_of_states_leaves_all_that_holds_inconclusive_and_whole_levels_count(states_max: int) -> None:
    found = search(writers(), Limits(states_max=states_max), RAW)
    assert not found.complete
    assert found.findings[0].verdict == "inconclusive"
    assert found.findings[0].why == found.stopped == f"{found.states} states, at most {states_max} were allowed"
    assert found.states >= states_max
    covered = [key for key in plain_search(writers()).keys if _steps(key) <= found.depth]
    assert found.states == len(covered), "the last level that counts was judged whole"


def _steps(key: object) -> int:
    """How many moves lead to a raw state, where nothing goes wrong: one for each reply."""
    assert isinstance(key, Exact)
    assert isinstance(key.value, tuple)
    (_, replies, *_), _ = key.value
    return sum(map(len, replies))


def test_a_limit_of_seconds_stops_after_the_first_level() -> None:
    found = search(writers(), Limits(seconds_max=0.0), RAW)
    assert (found.states, found.depth, found.complete) == (1, 0, False)
    assert found.findings[0].why == "0 s have passed"


def test_a_limit_of_memory_stops_before_a_level_that_does_not_fit() -> None:
    found = search(writers(), Limits(memory_bytes_max=100), RAW)
    assert not found.complete
    assert "the next level needs" in found.findings[0].why
    assert found.findings[0].verdict == "inconclusive"
    assert 0 < found.states < TOTAL.states


def test_a_violation_found_before_the_limit_stands_and_the_rest_is_inconclusive() -> None:
    mixed = writers((UNBROKEN, never(b"1")))
    shortest = len(plain_search(mixed).violations["never"][1])
    limits = [Limits(states_max=number) for number in range(1, TOTAL.states)]
    found = [search(mixed, limit, RAW) for limit in limits]
    verdicts = [(one.findings[0].verdict, one.findings[1].verdict, one.depth >= shortest) for one in found]
    assert set(verdicts) == {("inconclusive", "inconclusive", False), ("inconclusive", "violated", True)}
    for one in found:
        counterexample = one.findings[1].counterexample
        assert counterexample is None or len(counterexample.moves) == shortest


def test_a_search_that_is_decided_at_its_first_state_is_not_complete() -> None:
    at_once = Always(id="never", meaning="", check=lambda _: [Violation("never", "at once")])
    found = search(writers((at_once,)), options=RAW)
    assert found.findings[0].verdict == "violated"
    assert (found.states, found.transitions, found.complete) == (1, 0, False)


async def hangs(env: Env) -> None:
    """As a flow that the watch interrupts once it has met another one's value."""
    async for _ in env.store.scan(KEYS[0][0]):
        raise Hangs(30.0, "mine.py:3")


def test_a_flow_that_hangs_leaves_all_that_holds_inconclusive_and_is_run_no_second_time() -> None:
    depths: list[int] = []
    clients = [[Call(hangs)], [Call(run_program, Program((Set(0, Const(b"1")),)))]]
    hanging = Scenario(name="hangs", clients=clients, invariants=[UNBROKEN])
    found = search(hanging, progress=lambda depth, *_: depths.append(depth))
    assert not found.complete
    assert [finding.verdict for finding in found.findings] == ["inconclusive", "inconclusive"]
    assert found.findings[0].why == found.stopped == str(Hangs(30.0, "mine.py:3"))
    assert depths.count(0) == 1


async def hangs_after_a_read(env: Env) -> None:
    await env.store.find(*KEYS[0])
    raise Hangs(30.0, "mine.py:3")


def test_what_a_monitor_has_seen_before_another_flow_hangs_is_a_violation() -> None:
    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
        return state, (Violation("seen", "it has returned"),) if isinstance(event, Returned) else ()

    seen = Monitor(id="seen", meaning="", initial=0, advance=advance)
    writing = Call(run_program, Program((Set(0, Const(b"1")),)))
    found = search(Scenario(name="hangs", clients=[[writing], [Call(hangs_after_a_read)]], invariants=[seen]))
    assert found.stopped == str(Hangs(30.0, "mine.py:3"))
    assert found.findings[0].verdict == "violated"


async def takes_identifiers_once_refused(env: Env) -> None:
    try:
        await env.store.set(*KEYS[0], b"1")
    except kv.OutcomeUnknown:
        raise KeyboardInterrupt from None
    except kv.Refused:
        await env.store.set(*KEYS[0], env.ids.unique("name").encode())


def test_ctrl_c_ends_a_search_that_is_about_to_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INTERRUPTS, "came", True)
    clients = [[Call(takes_identifiers_once_refused)]] * 2
    with pytest.raises(KeyboardInterrupt):
        search(Scenario(name="s", clients=clients, invariants=[UNBROKEN], faults=Faults(lost_answers=1, refusals=1)))


def _reads_before_it_writes(transition: Transition) -> list[Violation | Reached]:
    there = KEYS[0] in transition.before.store
    return [Violation("first", "it is there already") if there else Reached("a first write")]


def test_the_last_move_of_a_counterexample_is_by_a_client_that_can_make_it() -> None:
    """Of two clients that run one program one writes last, and a state stands for both of them."""
    first = OnStep(id="first", meaning="", check=_reads_before_it_writes, watches=lambda _, op: isinstance(op, kv.Set))
    clients = [[Call(run_program, Program((Get(0), Set(0, Const(b"1")))))]] * 2
    race = Scenario(name="twins", clients=clients, invariants=[first])
    finding = search(race).findings[0]
    assert finding.counterexample is not None
    assert record(race, "first", finding.counterexample.moves, version="1").evidence == "it is there already"


class TestSmall:
    """A search begins without merging; when it is no longer small, it begins anew and merges."""

    def test_where_merging_needs_too_many_restarts_the_small_search_goes_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shows = HANDMADE["what was read shows where something is found, and not where it runs alone"].scenario()
        whole = search(shows, options=Options(merge=False))
        begun, begin = list[bool](), by_level.LevelSearch._begin

        def beginning(made: by_level.LevelSearch) -> None:
            begun.append(made.small)
            begin(made)

        monkeypatch.setattr(by_level.LevelSearch, "_begin", beginning)
        monkeypatch.setattr(by_level, "SMALL_STATES_MAX", 3)
        monkeypatch.setattr(by_level, "MERGED_RESTARTS_MAX", 0)
        found = search(shows)
        assert (found.states, found.transitions, found.depth) == (whole.states, whole.transitions, whole.depth)
        assert found.findings == whole.findings
        assert begun == [True, False], "the small search and the merged one begin once each"

    def test_a_small_search_that_a_limit_has_stopped_is_not_resumed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It misses states of its last level."""
        shows = HANDMADE["what was read shows where something is found, and not where it runs alone"].scenario()
        ids = [each.id for each in search(shows).findings]
        monkeypatch.setattr(by_level, "MERGED_RESTARTS_MAX", 0)
        assert [each.id for each in search(shows, Limits(states_max=9)).findings] == ids

    def test_a_limit_that_only_merging_keeps_is_kept(self) -> None:
        merged = search(writers(), options=MERGED).states
        assert search(writers()).states > merged
        assert search(writers(), Limits(states_max=merged + 1)).complete
        assert not search(writers(), Limits(states_max=merged - 1)).complete

    def test_what_was_seen_before_the_time_was_over_is_seen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = itertools.count()
        monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
        found = search(writers(), Limits(seconds_max=4.0))
        assert not found.complete
        assert found.depth > 0


class TestRanked:
    """A search that has grown goes on ranked; with a violation it comes back."""

    @pytest.mark.parametrize("states_max", range(1, TOTAL.states + 1))
    def test_a_limited_ranked_search_claims_no_more_depth_than_it_has(self, states_max: int) -> None:
        mixed = writers((UNBROKEN, never(b"1")))
        shortest = len(plain_search(mixed).violations["never"][1])
        found = search(mixed, Limits(states_max=states_max), Options(ranked=True, symmetry=False))
        assert (found.findings[1].verdict == "violated") is (found.depth >= shortest)


async def answers_at_once(_: Env) -> int:
    return 1


def test_a_client_may_have_more_calls_than_the_interpreter_has_frames() -> None:
    calls = [Call(answers_at_once)] * 500
    found = search(Scenario(name="many", clients=[calls], invariants=[UNBROKEN]))
    assert (found.complete, found.states, found.findings[0].verdict) == (True, 1, "holds")

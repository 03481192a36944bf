"""Minimisation: what is left violates the same invariant, is never harder to follow, and is what a hand would write."""

from contextlib import suppress

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof import Call, Env, Faults, Scenario, kv
from lakeproof.search.faults import Mode, Move
from lakeproof.search.fence import Undecided
from lakeproof.search.minimise import minimise, preemptions, reduce_preemptions
from lakeproof.search.replay import JudgedRun, NotReproduced
from tests.racing import AFTERWARDS, COUNTER, COUNTS, FAULTY, LOST_UPDATE, clear, increment

A, B = (Move(client, Mode.NORMAL) for client in range(2))

THREE = Scenario(
    name="three",
    clients=[[Call(increment)] * 2, [Call(increment)] * 2, [Call(clear), Call(increment)]],
    invariants=[COUNTS],
    faults=Faults(crashes=1, refusals=1, lost_answers=1),
)


def shown(moves: tuple[Move, ...]) -> str:
    """``aabB``: a letter a move, a capital for a fault."""
    letters = ["abc"[move.client] if move.client >= 0 else "-" for move in moves]
    return "".join(
        letter if move.mode is Mode.NORMAL else letter.upper() for letter, move in zip(letters, moves, strict=True)
    )


@pytest.mark.parametrize(
    ("schedule", "count"),
    [("", 0), ("aabb", 0), ("abab", 2), ("abba", 1), ("abcabc", 3), ("abcb", 1), ("a-a", 0), ("a-ba", 1)],
)
def test_a_preemption_is_a_switch_away_from_a_client_that_runs_again(schedule: str, count: int) -> None:
    moves = [Move(-1, Mode.TICK) if letter == "-" else Move("abc".index(letter), Mode.NORMAL) for letter in schedule]
    assert preemptions(moves) == count


def test_a_lost_update_needs_one_preemption() -> None:
    # a reads, b reads and writes, a writes: 4 steps. Nothing shorter has two increments.
    assert shown(minimise(LOST_UPDATE, [A, B, A, B], "increments-count")) in ("abba", "baab")


def test_a_shortest_schedule_has_no_fault_that_it_does_not_need() -> None:
    async def touch(env: Env) -> None:
        with suppress(kv.KVError):
            await env.store.set(b"other", b"key", b"1")

    clients, faults = [*LOST_UPDATE.clients, [Call(touch)]], Faults(refusals=1, lost_answers=1)
    scenario = attrs.evolve(LOST_UPDATE, clients=clients, faults=faults)
    for mode in (Mode.REFUSED, Mode.LOST_APPLIED, Mode.LOST_DROPPED):
        found = reduce_preemptions(scenario, [A, B, B, A, Move(2, mode)], "increments-count")
        assert shown(found) == "abbac"


def test_moves_that_violate_nothing_are_refused() -> None:
    with pytest.raises(NotReproduced, match="is not when its moves are made"):
        minimise(LOST_UPDATE, [A, A, B, B], "increments-count")
    with pytest.raises(NotReproduced, match="is not when its moves are made"):
        minimise(LOST_UPDATE, [A, A, A, B, B], "increments-count")


def test_a_schedule_in_which_a_flow_cannot_go_on_costs_no_violation() -> None:
    async def breaks_at_two(env: Env) -> None:
        if (await env.store.get(*COUNTER)).value == b"2":
            raise Undecided("it has broken")

    scenario = attrs.evolve(LOST_UPDATE, clients=[*LOST_UPDATE.clients, [Call(breaks_at_two)]])
    # Where neither of the two is interrupted, the third client reads 2.
    assert shown(minimise(scenario, [A, B, A, Move(2, Mode.NORMAL), B], "increments-count")) == "baacb"


def test_an_aftermath_can_be_minimised() -> None:
    assert shown(minimise(AFTERWARDS, [A, B, A], "stays-small")) == "baa"


@settings(derandomize=True, max_examples=30)
@given(st.data(), st.sampled_from([THREE, FAULTY, LOST_UPDATE]))
def test_of_any_violating_schedule_something_simpler_is_left_that_violates_too(
    data: st.DataObject, scenario: Scenario
) -> None:
    run = JudgedRun(scenario)
    while run.world.moves() and run.violation("increments-count") is None:
        run.advance(data.draw(st.sampled_from(run.world.moves())))
    moves = tuple(run.world.history)
    if run.violation("increments-count") is None:
        return
    found = minimise(scenario, moves, "increments-count")
    assert (preemptions(found), len(found)) <= (preemptions(moves), len(moves))
    again = JudgedRun(scenario)
    for move in found:
        assert again.violation("increments-count") is None
        again.advance(move)
    assert again.violation("increments-count") is not None
    assert minimise(scenario, moves, "increments-count") == found
    assert minimise(scenario, found, "increments-count") == found

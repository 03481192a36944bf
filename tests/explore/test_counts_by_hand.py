"""Numbers of states, transitions, schedules and finals that can be counted by hand."""

from math import comb
from unittest.mock import Mock

import attrs
import pytest

from lakeproof import Aftermath, Call, Faults, Scenario
from lakeproof.explore.faults import Mode, Move
from lakeproof.explore.judge import Judge
from lakeproof.explore.kernel import Kernel, Rows
from lakeproof.explore.packing import Words, take
from lakeproof.explore.plain import plain_search
from lakeproof.explore.search import Options, Result, search
from lakeproof.explore.setting import prepare
from lakeproof.explore.space import Relayout, share_behaviours
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Eventually, Invariant, OnStep, Reached, Violation
from lakeproof.model.snapshot import Snapshot
from tests.explore.agreement import schedules
from tests.explore.programs import START, Clock, Delete, Get, Instruction, Program, Scan, Set, SetIf, run_program

RAW = Options(merge=False, symmetry=False, keep_finals=True)

UNBROKEN = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])


def scenario(
    *clients: tuple[Instruction, ...],
    setup: tuple[Instruction, ...] = (),
    faults: Faults | None = None,
    invariants: tuple[Invariant, ...] = (UNBROKEN,),
    stubborn: bool = False,
) -> Scenario:
    return Scenario(
        name="by hand",
        clients=[[Call(run_program, Program(client, stubborn=stubborn))] for client in clients],
        setup=[Call(run_program, Program(setup))] if setup else [],
        faults=faults or Faults(),
        invariants=invariants,
    )


def counted(scenario: Scenario, options: Options = RAW) -> tuple[int, int, int, int]:
    """States, transitions, levels after the first, finals."""
    found: Result = search(scenario, options=options)
    return found.states, found.transitions, found.depth, found.final_states


READ = (Get(0),)
TWICE = (Get(0), Get(1))


class TestInterleavings:
    def test_two_clients_of_two_effects_each_have_six_schedules(self) -> None:
        # 4! / (2! 2!) = 6 ways; the states are a 3 x 3 grid with 2 x 2 x 3 = 12 edges, 4 steps from corner to corner.
        assert schedules(scenario(TWICE, TWICE)) == comb(4, 2) == 6
        assert counted(scenario(TWICE, TWICE)) == (9, 12, 4, 1)

    def test_three_clients_of_one_effect_have_six_schedules(self) -> None:
        # 3! = 6; a cube: 8 corners, 12 edges.
        assert schedules(scenario(READ, READ, READ)) == 6
        assert counted(scenario(READ, READ, READ)) == (8, 12, 3, 1)

    def test_one_client_has_one_schedule(self) -> None:
        assert schedules(scenario((Get(0), Set(0, 1), Delete(0)))) == 1
        assert counted(scenario((Get(0), Set(0, 1), Delete(0)))) == (4, 3, 3, 1)

    @pytest.mark.parametrize("clients", [2, 3, 4])
    def test_equal_readers_count_as_a_multiset(self, clients: int) -> None:
        # Each of n equal clients has taken 0, 1 or 2 steps; only how many have taken which counts: C(n + 2, 2).
        options = Options(merge=False, symmetry=True)
        assert counted(scenario(*[TWICE] * clients), options)[0] == comb(clients + 2, 2)
        assert counted(scenario(*[TWICE] * clients))[0] == 3**clients

    def test_calls_of_a_client_run_one_after_the_other(self) -> None:
        one = scenario(TWICE)
        two = Scenario(name="two calls", clients=[[Call(run_program, Program(READ))] * 2], invariants=one.invariants)
        assert counted(one) == counted(two) == (3, 2, 2, 1)


class TestRaces:
    def test_two_blind_writers_end_in_two_ways(self) -> None:
        # 1 start, 2 after one write, 2 orders at the end.
        assert schedules(scenario((Set(0, 1),), (Set(0, 2),))) == 2
        assert counted(scenario((Set(0, 1),), (Set(0, 2),))) == (5, 4, 2, 2)

    def test_two_writers_of_one_value_meet_again(self) -> None:
        assert counted(scenario((Set(0, 1),), (Set(0, 1),))) == (4, 4, 2, 1)

    def test_of_two_conditional_creators_either_wins(self) -> None:
        # As above, but the loser fails: its outcome differs, and so do the 2 finals.
        assert counted(scenario((SetIf(0, 1, "absent"),), (SetIf(0, 2, "absent"),))) == (5, 4, 2, 2)

    def test_an_increment_is_lost_in_four_of_six_schedules(self) -> None:
        # Get, set; get, set: only the 2 serial schedules of 6 count to two, with the setup's 0.
        increment = (Get(0), Set(0, "next"))
        lost = Eventually(id="lost", meaning="both count", check=_counts_to_two)
        racing = scenario(increment, increment, setup=(Set(0, 0),), invariants=(UNBROKEN, lost))
        assert schedules(racing) == 6
        found = search(racing, options=RAW)
        # Histories differ by what was read. Start: 1. One get: 2. Two gets, or get and set by one: 1 + 2. Then
        # get-get-set: 2, get-set-get: 2. The ends: the 4 lost ones are one state (both wrote 1), the serial ones 2.
        # Together 1 + 2 + 3 + 4 + 3 = 13.
        assert (found.states, found.depth) == (13, 4)
        by_id = {finding.id: finding for finding in found.findings}
        assert by_id["lost"].verdict == "violated"
        assert by_id["lost"].counterexample is not None
        assert len(by_id["lost"].counterexample.moves) == 4

    def test_a_delete_and_a_get_that_finds_nothing_commute(self) -> None:
        assert counted(scenario((Delete(0),), (Get(0),))) == (4, 4, 2, 1)

    def test_a_delete_and_a_get_of_something_do_not(self) -> None:
        assert counted(scenario((Delete(0),), (Get(0),), setup=(Set(0, 1),))) == (
            5,
            4,
            2,
            1,
        )  # returns nothing: 1 final


def _counts_to_two(snapshot: Snapshot) -> list[Violation | Reached]:
    values = list(snapshot.store.values())
    return [Reached("2") if values == [b"2"] else Violation("lost", f"{values}")]


class TestScans:
    @pytest.mark.parametrize(("batch", "effects"), [(0, 1), (1, 2), (2, 1)])
    def test_each_batch_is_one_schedule_point(self, batch: int, effects: int) -> None:
        # Two entries. Batches of one need two effects: the first says that there is more. Against one other effect on
        # another partition: a schedule for each place that it can fall into.
        scan = scenario((Scan(b"p", batch),), (Get(2),), setup=(Set(0, 0), Set(1, 1)))
        assert schedules(scan) == effects + 1
        assert counted(scan)[0] == (effects + 1) * 2

    def test_a_write_falls_between_two_batches(self) -> None:
        # The write of p/b comes before, between or after the batches (a, then b): 3 schedules. Before the first batch
        # and before the second, with or without the write: 4 states. At the end: it saw the old value, and the write
        # has come or not, or it saw the new one: 3.
        between = scenario((Scan(b"p", 1),), (Set(1, 2),), setup=(Set(0, 0), Set(1, 1)))
        assert schedules(between) == 3
        assert counted(between)[0] == 4 + 3

    def test_an_empty_partition_takes_one_batch(self) -> None:
        assert schedules(scenario((Scan(b"q", 1),))) == 1
        assert counted(scenario((Scan(b"q", 1),))) == (2, 1, 1, 1)


class TestFaults:
    def test_a_client_may_crash_before_each_of_its_effects(self) -> None:
        # Two effects: it runs through, or stops before the first or the second: 3 schedules, 2 more states.
        crashing = scenario(TWICE, faults=Faults(crashes=1))
        assert schedules(crashing) == 3
        assert counted(crashing) == (5, 4, 2, 3)

    def test_one_crash_strikes_one_client(self) -> None:
        # A 2 x 2 square with nobody crashed; or one of two has crashed (2), and the other has moved or not (2).
        crashing = scenario(READ, READ, faults=Faults(crashes=1))
        assert counted(crashing)[0] == 4 + 2 * 2

    def test_a_refusal_is_a_second_outcome_of_every_effect(self) -> None:
        # One effect: 2 ends. Stubborn, two effects: none or one of them is refused: 3 schedules.
        assert schedules(scenario(READ, faults=Faults(refusals=1))) == 2
        assert schedules(scenario(TWICE, faults=Faults(refusals=1), stubborn=True)) == 3

    def test_a_lost_answer_has_two_sides_for_a_write_that_changes_something(self) -> None:
        lost = Faults(lost_answers=1)
        assert schedules(scenario((Set(0, 1),), faults=lost)) == 3
        assert schedules(scenario((Set(0, 1),), setup=(Set(0, 1),), faults=lost)) == 2  # the same value: one side
        assert schedules(scenario((Delete(0),), faults=lost)) == 2
        assert schedules(scenario(READ, faults=lost)) == 1

    def test_a_false_predicate_failure_strikes_only_a_set_if_that_succeeds(self) -> None:
        false = Faults(false_predicates=1)
        assert schedules(scenario((SetIf(0, 1, "absent"),), faults=false)) == 2
        assert schedules(scenario((SetIf(0, 1, "exists"),), faults=false)) == 1
        assert schedules(scenario((Set(0, 1),), faults=false)) == 1

    def test_a_late_write_arrives_once_or_never(self) -> None:
        # No fault: 1; lost, applied or not: 2; the same with a duplicate, which then has to arrive: 2.
        late = scenario((Set(0, 1),), faults=Faults(lost_answers=1, duplicates=1))
        assert schedules(late) == 5
        # Start; done; unknown with and without the value; the same two with a duplicate under way; one of those arrives
        # with the budgets spent: 1 + 1 + 2 + 2 + 1.
        assert counted(late)[0] == 7
        assert counted(late)[2] == 2

    def test_a_scan_breaks_between_two_batches_only(self) -> None:
        broken = Faults(scan_failures=1)
        assert schedules(scenario((Scan(b"p", 0),), setup=(Set(0, 0), Set(1, 1)), faults=broken)) == 1
        assert schedules(scenario((Scan(b"p", 1),), setup=(Set(0, 0), Set(1, 1)), faults=broken)) == 2

    def test_the_clock_jumps_while_anybody_can_move(self) -> None:
        # One effect, one jump: before it, or not at all; after the end nobody would see it.
        jumping = scenario(READ, faults=Faults(clock_jumps=(5,)))
        assert schedules(jumping) == 2
        assert counted(jumping) == (4, 3, 2, 2)

    def test_the_clock_is_read_in_one_effect_only_where_it_can_jump(self) -> None:
        assert counted(scenario((Clock(), Get(0))))[2] == 1
        assert counted(scenario((Clock(), Get(0)), faults=Faults(clock_jumps=(5,))))[2] == 3


class TestAftermaths:
    def test_an_aftermath_runs_once_for_each_final_store(self) -> None:
        check = Mock(return_value=[])
        aftermath = Aftermath(id="after", meaning="", calls=[Call(run_program, Program(READ))], check=check)
        racing = scenario((Set(0, 1),), (Set(0, 2),), (Get(1),))
        both = Scenario(name="after", clients=racing.clients, invariants=[UNBROKEN], aftermath=[aftermath])
        search(both, options=RAW)
        assert check.call_count == 2

    def test_an_aftermath_begins_when_its_time_has_passed(self) -> None:
        check = Mock(return_value=[])
        reader = [Call(run_program, Program(READ))]
        later = Aftermath(id="after", meaning="", calls=reader, check=check, clock_advance=7)
        search(attrs.evolve(scenario((Set(0, 1),)), aftermath=[later]), options=RAW)
        assert [call.args[1].now for call in check.call_args_list] == [START + 7]

    def test_an_aftermath_is_run_at_each_time_of_a_final_store(self) -> None:
        # The clock has jumped before the write, or not: one store, two times.
        check = Mock(return_value=[])
        aftermath = Aftermath(id="after", meaning="", calls=[Call(run_program, Program(READ))], check=check)
        jumping = scenario((Set(0, 1),), faults=Faults(clock_jumps=(5,)))
        search(attrs.evolve(jumping, aftermath=[aftermath]), options=RAW)
        assert sorted(call.args[1].now for call in check.call_args_list) == [START, START + 5]


class TestSteps:
    @pytest.mark.parametrize(
        ("faults", "applied"),
        [
            (Faults(lost_answers=1), {Mode.NORMAL, Mode.LOST_APPLIED}),
            (Faults(lost_answers=1, duplicates=1), {Mode.NORMAL, Mode.LOST_APPLIED, Mode.REPEATED_APPLIED}),
            (Faults(false_predicates=1), {Mode.NORMAL, Mode.FALSE_PREDICATE}),
            (Faults(refusals=1, crashes=1), {Mode.NORMAL}),
        ],
    )
    def test_a_step_counts_in_whatever_way_its_effect_takes_place(self, faults: Faults, applied: set[Mode]) -> None:
        assert {mode for mode in Mode if _steps_are_judged(mode, faults)} == applied


def _steps_are_judged(mode: Mode, faults: Faults) -> bool:
    """Whether a step invariant is asked of a write that turns out so."""
    never = OnStep(
        id="never",
        meaning="",
        check=lambda _: [Violation("never", "a write")],
        watches=lambda _, op: isinstance(op, kv.SetIf),
    )
    race = scenario((SetIf(0, 1, "absent"),), faults=faults, invariants=(never,))
    kernel = Kernel(prepare(race), share_behaviours(prepare(race), merge=False, symmetry=False), [])
    judge = Judge(race, kernel)

    def sink(move: Move, rows: Rows, after: Words) -> None:
        if move.mode is mode:
            judge.transitions(move, take(first, rows), 0)

    first = kernel.first()
    while True:
        try:
            kernel.expand(first, sink)
        except Relayout:
            kernel.relayout()
            first = kernel.first()
        else:
            return judge.records["never"].violation is not None


def test_every_outcome_of_an_effect_is_one_transition() -> None:
    found = plain_search(scenario((Set(0, 1),), faults=Faults(refusals=1, lost_answers=1, crashes=1)))
    # normal, refused, lost applied, lost not applied, crash: 5 moves out of the first state, and no others.
    assert found.transitions == 5

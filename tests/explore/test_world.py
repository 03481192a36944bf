"""The stepped driver: every kind of fault does what `lakeproof.scenario.Faults` says of it, and no more."""

from collections.abc import Hashable

import pytest

from lakeproof import Call, Faults, Scenario, ScenarioError
from lakeproof.explore.faults import Mode, Move
from lakeproof.explore.semantics import Cell
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import Step, World
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Reached
from lakeproof.model.snapshot import Invoked, Returned, Status
from tests.explore.demands import START
from tests.explore.programs import (
    KEYS,
    Clock,
    Copy,
    Delete,
    Fetch,
    Get,
    Instruction,
    Pages,
    Program,
    Put,
    Scan,
    Set,
    SetIf,
    Unlink,
    run_program,
)

UNBROKEN = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])

WRITES: tuple[Instruction, ...] = (Set(0, 1), SetIf(0, 1, "absent"), Delete(0), Put(0, 1), Copy(0), Unlink(0))
READS: tuple[Instruction, ...] = (Get(0), Scan(b"p", 0), Fetch(0), Fetch(0, head=True), Pages(0))
A: Cell = ("kv", *KEYS[0])


def world(
    *clients: tuple[Instruction, ...],
    faults: Faults,
    setup: tuple[Instruction, ...] = (),
    attempts: int = 1,
    stubborn: bool = False,
) -> World:
    programs = [Program(client, returns="last", stubborn=stubborn) for client in clients]
    scenario = Scenario(
        name="world",
        clients=[[Call(run_program, program, attempts=attempts)] for program in programs],
        invariants=[UNBROKEN],
        setup=[Call(run_program, Program(setup))] if setup else [],
        faults=faults,
    )
    return World(prepare(scenario))


def modes(here: World, client: int = 0) -> set[Mode]:
    return {move.mode for move in here.moves() if move.client == client}


def go(here: World, *modes: Mode, client: int = 0) -> Step:
    """Make these moves of a client; -1 for the network and the clock. Returns the last step."""
    steps = [here.step(Move(client, mode)) for mode in modes]
    return steps[-1]


def outcome(here: World, client: int = 0) -> tuple[Status, Hashable, Exception | None]:
    call = here.snapshot().clients[client][0]
    return call.status, call.value, call.error


class TestNoFaults:
    @pytest.mark.parametrize("effect", [*WRITES, *READS], ids=repr)
    def test_without_a_budget_an_effect_has_one_outcome(self, effect: Instruction) -> None:
        assert modes(world((effect,), faults=Faults())) == {Mode.NORMAL}

    def test_a_budget_once_spent_is_gone(self) -> None:
        here = world((Get(0), Get(0)), faults=Faults(refusals=1), stubborn=True)
        go(here, Mode.REFUSED)
        assert modes(here) == {Mode.NORMAL}

    def test_each_kind_has_a_budget_of_its_own(self) -> None:
        here = world((Set(0, 1), Set(0, 2), Set(0, 0)), faults=Faults(refusals=1, lost_answers=1), stubborn=True)
        assert modes(here) == {Mode.NORMAL, Mode.REFUSED, Mode.LOST_APPLIED, Mode.LOST_DROPPED}
        go(here, Mode.LOST_APPLIED)
        assert modes(here) == {Mode.NORMAL, Mode.REFUSED}
        go(here, Mode.REFUSED)
        assert modes(here) == {Mode.NORMAL}

    def test_a_budget_is_shared_by_all_clients(self) -> None:
        here = world((Get(0),), (Get(0),), faults=Faults(crashes=1))
        go(here, Mode.CRASH)
        assert modes(here, 1) == {Mode.NORMAL}


class TestRefusals:
    @pytest.mark.parametrize("effect", [*WRITES, *READS], ids=repr)
    def test_the_operation_is_not_applied_and_the_client_sees_a_definite_error(self, effect: Instruction) -> None:
        here = world((effect,), faults=Faults(refusals=1), setup=(Set(1, 0), Put(1, 0)))
        before = here.cells
        step = go(here, Mode.REFUSED)
        assert here.cells == before
        assert step.changes == ()
        assert step.reply == kv.Refused()
        assert kv.Refused.definite
        assert outcome(here) == (Status.FAIL, None, kv.Refused())

    def test_the_clock_is_never_refused(self) -> None:
        assert modes(world((Clock(),), faults=Faults(refusals=1, clock_jumps=(1,)))) == {Mode.NORMAL}


class TestLostAnswers:
    @pytest.mark.parametrize(("mode", "applied"), [(Mode.LOST_APPLIED, True), (Mode.LOST_DROPPED, False)])
    def test_a_write_is_applied_or_not_and_the_client_sees_an_indefinite_error(self, mode: Mode, applied: bool) -> None:
        here = world((Set(0, 1),), faults=Faults(lost_answers=1))
        step = go(here, mode)
        assert here.cells == ({A: b"1"} if applied else {})
        assert step.reply == kv.OutcomeUnknown()
        assert step.answer is None
        assert not kv.OutcomeUnknown.definite
        assert outcome(here) == (Status.INFO, None, kv.OutcomeUnknown())

    @pytest.mark.parametrize("effect", WRITES, ids=repr)
    def test_every_write_can_lose_its_answer(self, effect: Instruction) -> None:
        assert Mode.LOST_DROPPED in modes(world((effect,), faults=Faults(lost_answers=1)))

    @pytest.mark.parametrize("effect", READS, ids=repr)
    def test_no_read_can(self, effect: Instruction) -> None:
        assert modes(world((effect,), faults=Faults(lost_answers=1))) == {Mode.NORMAL}

    def test_a_write_that_changes_nothing_has_no_applied_side(self) -> None:
        here = world((Set(0, 1),), faults=Faults(lost_answers=1, duplicates=1), setup=(Set(0, 1),))
        assert modes(here) == {Mode.NORMAL, Mode.LOST_DROPPED, Mode.REPEATED_DROPPED}

    def test_a_further_attempt_follows_an_error_as_the_same_call(self) -> None:
        here = world((Set(0, 1),), faults=Faults(lost_answers=1), attempts=2)
        step = go(here, Mode.LOST_DROPPED)
        assert step.outcome is None
        assert outcome(here)[0] is Status.PENDING
        go(here, Mode.NORMAL)
        assert outcome(here)[0] is Status.OK
        assert here.cells == {A: b"1"}


class TestFalsePredicates:
    def test_a_set_if_is_applied_and_reported_as_failed(self) -> None:
        here = world((SetIf(0, 1, "absent"),), faults=Faults(false_predicates=1))
        step = go(here, Mode.FALSE_PREDICATE)
        assert here.cells == {A: b"1"}
        assert step.reply == kv.PredicateFailed()
        assert step.answer is None
        assert outcome(here) == (Status.FAIL, None, kv.PredicateFailed())

    def test_so_is_a_delete_if(self) -> None:
        here = world((Get(0), Delete(0, conditional=True)), faults=Faults(false_predicates=1), setup=(Set(0, 1),))
        go(here, Mode.NORMAL, Mode.FALSE_PREDICATE)
        assert here.cells == {}
        assert outcome(here)[0] is Status.FAIL

    def test_a_set_if_that_really_fails_has_no_false_side(self) -> None:
        assert modes(world((SetIf(0, 1, "exists"),), faults=Faults(false_predicates=1))) == {Mode.NORMAL}

    @pytest.mark.parametrize("effect", [Set(0, 1), Delete(0), Put(0, 1), Get(0)], ids=repr)
    def test_nothing_else_fails_falsely(self, effect: Instruction) -> None:
        assert modes(world((effect,), faults=Faults(false_predicates=1))) == {Mode.NORMAL}


class TestDuplicates:
    FAULTS = Faults(lost_answers=1, duplicates=1)

    @pytest.mark.parametrize(("mode", "at_once"), [(Mode.REPEATED_APPLIED, {A: b"1"}), (Mode.REPEATED_DROPPED, {})])
    def test_an_unacknowledged_write_is_applied_once_more_later(self, mode: Mode, at_once: dict[Cell, bytes]) -> None:
        here = world((Set(0, 1),), (Set(0, 2),), faults=self.FAULTS)
        step = go(here, mode)
        assert step.reply == kv.OutcomeUnknown()
        assert here.cells == at_once
        go(here, Mode.NORMAL, client=1)
        assert here.cells == {A: b"2"}
        late = go(here, Mode.DELIVER, client=-1)
        assert (late.client, late.op, late.changes) == (0, kv.Set(*KEYS[0], b"1"), ((A, b"2", b"1"),))
        assert here.cells == {A: b"1"}
        assert here.moves() == []

    def test_it_arrives_after_its_client_is_done_or_crashed(self) -> None:
        here = world((Set(0, 1), Get(0)), faults=Faults(lost_answers=1, duplicates=1, crashes=1), stubborn=True)
        go(here, Mode.REPEATED_DROPPED, Mode.CRASH)
        assert here.quiescent
        assert here.moves() == [Move(-1, Mode.DELIVER)]
        go(here, Mode.DELIVER, client=-1)
        assert here.cells == {A: b"1"}

    def test_a_conditional_write_is_judged_anew_when_it_arrives(self) -> None:
        here = world((SetIf(0, 1, "absent"),), (Set(0, 2),), faults=self.FAULTS)
        go(here, Mode.REPEATED_DROPPED)
        go(here, Mode.NORMAL, client=1)
        late = go(here, Mode.DELIVER, client=-1)
        assert late.answer == kv.PredicateFailed()
        assert late.changes == ()
        assert here.cells == {A: b"2"}

    def test_one_is_in_flight_at_a_time(self) -> None:
        repeated = {Mode.REPEATED_APPLIED, Mode.REPEATED_DROPPED}
        here = world((Set(0, 1), Set(0, 2)), faults=Faults(lost_answers=2, duplicates=2), stubborn=True)
        assert repeated <= modes(here)
        go(here, Mode.REPEATED_APPLIED)
        assert not repeated & modes(here)
        go(here, Mode.DELIVER, client=-1)
        assert repeated <= modes(here)

    def test_it_costs_a_lost_answer_as_well(self) -> None:
        here = world((Set(0, 1), Set(0, 2)), faults=Faults(lost_answers=1, duplicates=2), stubborn=True)
        go(here, Mode.REPEATED_APPLIED)
        go(here, Mode.DELIVER, client=-1)
        assert modes(here) == {Mode.NORMAL}

    def test_without_lost_answers_there_are_none_and_that_is_said(self) -> None:
        with pytest.raises(ScenarioError, match="duplicates need lost_answers"):
            world((Set(0, 1),), faults=Faults(duplicates=1))


class TestScanFailures:
    SETUP = (Set(0, 0), Set(1, 1), Put(0, 0), Put(1, 1))

    @pytest.mark.parametrize("effect", [Scan(b"p", 1), Pages(1)], ids=repr)
    def test_a_scan_breaks_between_two_batches(self, effect: Instruction) -> None:
        here = world((effect,), faults=Faults(scan_failures=1), setup=self.SETUP)
        assert modes(here) == {Mode.NORMAL}
        go(here, Mode.NORMAL)
        assert modes(here) == {Mode.NORMAL, Mode.SCAN_FAILURE}
        before = here.cells
        assert go(here, Mode.SCAN_FAILURE).reply == kv.ScanInterrupted()
        assert here.cells == before
        assert outcome(here) == (Status.FAIL, None, kv.ScanInterrupted())

    @pytest.mark.parametrize("effect", [Scan(b"p", 0), Pages(0), Get(0), Set(0, 1)], ids=repr)
    def test_what_takes_one_effect_does_not(self, effect: Instruction) -> None:
        assert modes(world((effect,), faults=Faults(scan_failures=1), setup=self.SETUP)) == {Mode.NORMAL}


class TestCrashes:
    def test_the_client_never_moves_again_and_its_call_stays_open(self) -> None:
        here = world((Set(0, 1), Set(1, 1)), (Get(0),), faults=Faults(crashes=1))
        go(here, Mode.NORMAL)
        step = go(here, Mode.CRASH)
        assert (step.op, step.changes, step.events) == (None, (), ())
        assert modes(here) == set()
        assert outcome(here)[0] is Status.CRASHED
        assert here.cells == {A: b"1"}
        assert not here.quiescent

    def test_a_client_that_crashes_before_its_first_effect_has_called_nothing(self) -> None:
        here = world((Get(0),), faults=Faults(crashes=1))
        go(here, Mode.CRASH)
        assert here.snapshot().clients == ((),)
        assert here.quiescent

    def test_a_client_that_is_done_does_not_crash(self) -> None:
        here = world((Get(0),), faults=Faults(crashes=1))
        go(here, Mode.NORMAL)
        assert here.moves() == []


class TestClock:
    def test_it_moves_on_by_these_microseconds_in_this_order(self) -> None:
        here = world((Get(0),), faults=Faults(clock_jumps=(5, 7)))
        seen = [here.snapshot().now]
        for _ in range(2):
            go(here, Mode.TICK, client=-1)
            seen.append(here.snapshot().now)
        assert seen == [START, START + 5, START + 12]
        assert modes(here, -1) == set()

    def test_it_jumps_between_two_readings(self) -> None:
        here = world((Clock(), Clock()), faults=Faults(clock_jumps=(5,)))
        assert go(here, Mode.NORMAL).reply == START
        go(here, Mode.TICK, client=-1)
        assert go(here, Mode.NORMAL).reply == START + 5
        assert outcome(here) == (Status.OK, b"5", None)

    def test_it_stops_once_no_client_can_move(self) -> None:
        here = world((Get(0),), faults=Faults(clock_jumps=(5,)))
        go(here, Mode.NORMAL)
        assert here.moves() == []

    def test_each_client_reads_its_own_skew_and_missing_ones_have_none(self) -> None:
        here = world((Clock(),), (Clock(),), (Clock(),), faults=Faults(clock_jumps=(5,), clock_skew=(100, -3)))
        go(here, Mode.TICK, client=-1)
        replies = [go(here, Mode.NORMAL, client=client).reply for client in range(3)]
        assert replies == [START + 105, START + 2, START + 5]

    def test_reading_it_is_no_schedule_point_where_it_cannot_jump(self) -> None:
        here = world((Clock(), Get(0)), faults=Faults(clock_skew=(9,)))
        assert here.clients[0].op == kv.Get(*KEYS[0])

    def test_a_clock_that_cannot_jump_is_ahead_all_the_same(self) -> None:
        here = world((Clock(), Get(0)), (Clock(), Get(0)), faults=Faults(clock_skew=(0, 9)))
        assert [run.program.frozen_now for run in here.clients] == [START, START + 9]


def test_a_setup_call_that_fails_is_an_error_and_no_beginning() -> None:
    with pytest.raises(ScenarioError, match=r"world: setup call run_program.* failed with PredicateFailed"):
        world((Get(0),), faults=Faults(), setup=(Set(0, 1), SetIf(0, 2, "absent")))


class TestWorld:
    def test_a_move_that_is_not_possible_is_refused_with_those_that_are(self) -> None:
        here = world((Get(0),), faults=Faults())
        with pytest.raises(ScenarioError, match="0:crash is not possible here; possible: 0:normal"):
            go(here, Mode.CRASH)
        assert here.history == []

    def test_a_fork_goes_its_own_way(self) -> None:
        here = world((Set(0, 1), Set(1, 1)), faults=Faults())
        go(here, Mode.NORMAL)
        twin = here.fork()
        assert twin.key() == here.key()
        go(twin, Mode.NORMAL)
        assert twin.key() != here.key()
        assert here.cells == {A: b"1"}

    def test_a_call_is_invoked_with_its_first_effect_and_returns_with_its_last(self) -> None:
        here = world((Get(0), Get(1)), faults=Faults())
        assert here.snapshot().clients == ((),)
        first, last = go(here, Mode.NORMAL), go(here, Mode.NORMAL)
        assert [type(event) for event in first.events] == [Invoked]
        assert [type(event) for event in last.events] == [Returned]
        assert last.outcome == here.snapshot().clients[0][0]

    def test_a_client_that_joins_later_runs_like_the_others(self) -> None:
        here = world((Set(0, 1),), faults=Faults())
        joined = here.start(Call(run_program, Program((Get(0),), returns="last")))
        go(here, Mode.NORMAL)
        go(here, Mode.NORMAL, client=joined)
        assert outcome(here, joined) == (Status.OK, b"1", None)

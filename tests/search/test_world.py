"""The stepped driver: what faults do is compared with the enumerator (tests/differential); here is what is refused, and
what tests, replays and samples use of it beside moves."""

import pytest

from lakeproof import Call, Faults, Scenario, ScenarioError
from lakeproof.model import kv
from lakeproof.search.faults import Mode, Move
from lakeproof.search.semantics import Cell
from lakeproof.search.setup import prepare
from lakeproof.search.world import ExecutedStep, World
from tests.differential.interpreter import run_program
from tests.differential.programs import KEYS, Const, Get, Instruction, Program, Set, SetIf
from tests.search.walks import UNBROKEN

A: Cell = ("kv", *KEYS[0])
WRITE = Set(0, Const(b"1"))


def world(
    *clients: tuple[Instruction, ...], faults: Faults | None = None, setup: tuple[Instruction, ...] = ()
) -> World:
    scenario = Scenario(
        name="world",
        clients=[[Call(run_program, Program(client, "last"))] for client in clients],
        invariants=[UNBROKEN],
        setup=[Call(run_program, Program(setup))] if setup else [],
        faults=faults or Faults(),
    )
    return World(prepare(scenario))


def go(here: World, *modes: Mode, client: int = 0) -> ExecutedStep:
    """Make these moves of a client; -1 for the network and the clock. Returns the last step."""
    steps = [here.step(Move(client, mode)) for mode in modes]
    return steps[-1]


def test_a_step_says_what_the_client_was_told_and_what_the_store_answered() -> None:
    here = world((SetIf(0, Const(b"1"), "absent"),), faults=Faults(false_predicates=1))
    step = go(here, Mode.FALSE_PREDICATE)
    assert (step.reply, step.answer) == (kv.PredicateFailed(), None)
    assert step.changes == ((A, None, b"1"),)


def test_a_late_write_is_a_step_of_its_client() -> None:
    here = world((WRITE,), (Set(0, Const(b"2")),), faults=Faults(lost_answers=1, duplicates=1))
    go(here, Mode.REPEATED_DROPPED)
    go(here, Mode.NORMAL, client=1)
    assert here.quiescent
    late = go(here, Mode.DELIVER, client=-1)
    assert (late.client, late.op, late.changes) == (0, kv.Set(*KEYS[0], b"1"), ((A, b"2", b"1"),))
    assert here.moves() == []


def test_a_move_that_is_not_possible_is_refused_with_those_that_are() -> None:
    here = world((Get(0),))
    with pytest.raises(ScenarioError, match="0:crash is not possible here; possible: 0:normal"):
        go(here, Mode.CRASH)
    assert here.history == []


@pytest.mark.parametrize(
    ("faults", "setup", "said"),
    [
        (Faults(duplicates=1), (), "duplicates need lost_answers"),
        (Faults(), (WRITE, SetIf(0, WRITE.source, "absent")), "world: setup call run_program.* with PredicateFailed"),
    ],
)
def test_a_scenario_that_cannot_begin_is_refused(faults: Faults, setup: tuple[Instruction, ...], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        world((Get(0),), faults=faults, setup=setup)

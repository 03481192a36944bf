"""When aftermaths run: once for each final store, at each time of it, and later by what they ask for."""

from unittest.mock import Mock

from lakeproof import Aftermath, Call, Faults, Scenario
from lakeproof.search.search import Options, search
from tests.differential.interpreter import run_program
from tests.differential.programs import START, Const, Get, Instruction, Program, Set
from tests.search.walks import UNBROKEN


def times(*clients: tuple[Instruction, ...], faults: Faults | None = None, advance: int = 0) -> list[int]:
    """The times at which an aftermath is judged, microseconds since the start."""
    check = Mock(return_value=[])
    reader = [Call(run_program, Program((Get(0),)))]
    scenario = Scenario(
        name="after",
        clients=[[Call(run_program, Program(client))] for client in clients],
        faults=faults or Faults(),
        invariants=[UNBROKEN],
        aftermath=[Aftermath(id="after", meaning="", calls=reader, check=check, clock_advance=advance)],
    )
    search(scenario, options=Options(merge=False, symmetry=False))
    return sorted(call.args[1].now - START for call in check.call_args_list)


WRITE = (Set(0, Const(b"x")),)
TWICE = 2
"""A check is asked once, and once more in the end: it may remember nothing."""


def test_once_for_each_final_store() -> None:
    assert times(WRITE, (Set(0, Const(b"y")),), (Get(1),)) == TWICE * [0, 0]


def test_when_its_time_has_passed() -> None:
    assert times(WRITE, advance=7) == TWICE * [7]


def test_at_each_time_of_a_final_store() -> None:
    # The clock has jumped before the write, or not.
    assert times(WRITE, faults=Faults(clock_jumps=(5,))) == sorted(TWICE * [0, 5])

"""The enumerator itself: it shares no code with the searches, and counts what can be counted by hand."""

import ast
import copy
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Monitor, OnStep, Reached, Reads, Violation
from lakeproof.model.snapshot import Event, Snapshot, Status, Transition
from tests.differential.demands import Holds
from tests.differential.enumerator import Enumeration, TooManyStates, enumerate_states
from tests.differential.interpreter import run_program
from tests.differential.programs import (
    START,
    Clock,
    Const,
    Finally,
    Get,
    Instruction,
    Keep,
    Program,
    Put,
    Raise,
    Scan,
    Set,
    SetIf,
    Source,
)
from tests.differential.states import Moves
from tests.differential.typed import typed
from tests.differential.values import FAMILIES, PLAIN

HERE = Path(__file__).parent

SEARCHING = {"agreement.py", "test_differential.py"}
"""The only files here that know the searches: they hold them against the enumerator."""


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def functions_used(path: Path, modules: set[str]) -> set[str]:
    """What is used of these modules by name, other than classes and constants."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    return {name.attr for name in names if ast.unparse(name.value) in modules and not name.attr[0].isupper()}


class TestIndependence:
    @pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
    def test_no_code_is_shared_with_the_searches(self, path: Path) -> None:
        if path.name not in SEARCHING:
            assert [name for name in imports(path) if name.startswith("lakeproof.explore")] == []
        assert [name for name in imports(path) if name.startswith("tests.") and "differential" not in name] == []

    @pytest.mark.parametrize("name", ["stores.py", "states.py", "clients.py", "enumerator.py"])
    def test_what_an_operation_means_is_not_asked_of_the_model(self, name: str) -> None:
        assert functions_used(HERE / name, {"kv", "objects"}) == set()

    def test_a_borrowed_meaning_would_be_noticed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text(
            "def f():\n    from lakeproof.explore import semantics\n    return kv.step(kv.EXISTS, kv.Get)\n"
        )
        assert "lakeproof.explore.semantics" in set(imports(path))
        assert functions_used(path, {"kv"}) == {"step"}


class TestTyped:
    @pytest.mark.parametrize("family", [*FAMILIES, PLAIN], ids=str)
    def test_values_of_a_family_are_told_apart(self, family: tuple[Hashable, ...]) -> None:
        assert len({typed(value) for value in family}) == len(family)

    @pytest.mark.parametrize("family", [*FAMILIES, PLAIN], ids=str)
    def test_a_copy_has_the_same_type_and_bits(self, family: tuple[Hashable, ...]) -> None:
        assert typed(copy.deepcopy(family)) == typed(family)

    def test_errors_are_told_apart_by_what_they_carry(self) -> None:
        assert kv.Refused(1) == kv.Refused(True)
        assert typed(kv.Refused(1)) != typed(kv.Refused(True))
        assert typed(kv.Refused(1)) != typed(kv.NotFound(1))

    def test_a_value_without_known_bits_is_refused(self) -> None:
        with pytest.raises(TypeError, match="expected plain data"):
            typed(object())


def scenario(
    *clients: tuple[Instruction, ...],
    setup: tuple[Instruction, ...] = (),
    faults: Faults | None = None,
    returns: Source = "last",
    attempts: int = 1,
) -> Scenario:
    return Scenario(
        name="by hand",
        clients=[[Call(run_program, Program(client, returns), attempts=attempts)] for client in clients],
        setup=[Call(run_program, Program(setup))] if setup else [],
        faults=faults or Faults(),
        invariants=[Holds().build("holds")],
    )


def counted(scenario: Scenario) -> tuple[int, int, int, int]:
    """States, transitions, schedules, final states."""
    found: Enumeration = enumerate_states(scenario)
    return found.states, found.transitions, found.schedules, len(found.finals)


WRITE = (Set(0, Const(b"x")),)


class TestCountedByHand:
    def test_two_clients_of_two_reads_each(self) -> None:
        # A grid of 3 x 3 states with 2 * 2 * 3 = 12 edges; 4! / (2! 2!) = 6 ways from corner to corner.
        assert counted(scenario((Get(0), Get(1)), (Get(0), Get(1)))) == (9, 12, 6, 1)

    def test_one_of_two_conditional_writes_wins(self) -> None:
        # Either is first; the other one fails then. 1 + 2 + 2 states, one edge to each but the first.
        claims: list[tuple[Instruction, ...]] = [(SetIf(0, Const(b"x"), "absent"),), (SetIf(0, Const(b"y"), "absent"),)]
        assert counted(scenario(*claims)) == (5, 4, 2, 2)

    def test_a_refusal_and_a_second_attempt(self) -> None:
        # Done at once; or refused, and done by the second attempt: 4 states in all. The budget that is left tells the
        # two ends apart as states; what is left at the end is the same.
        assert counted(scenario(WRITE, faults=Faults(refusals=1), attempts=2)) == (4, 3, 2, 1)

    def test_a_refusal_without_a_second_attempt(self) -> None:
        assert counted(scenario(WRITE, faults=Faults(refusals=1))) == (3, 2, 2, 2)

    def test_a_lost_answer(self) -> None:
        # Acknowledged; applied and lost; lost and not applied.
        assert counted(scenario(WRITE, faults=Faults(lost_answers=1))) == (4, 3, 3, 3)

    def test_a_lost_answer_of_a_write_that_changes_nothing(self) -> None:
        # Applied or not is the same: three moves, two of which are one transition.
        assert counted(scenario(WRITE, setup=WRITE, faults=Faults(lost_answers=1))) == (3, 2, 3, 2)

    def test_a_read_has_no_answer_to_lose(self) -> None:
        assert counted(scenario((Get(0),), faults=Faults(lost_answers=1))) == (2, 1, 1, 1)

    def test_a_late_write(self) -> None:
        # The three of a lost answer; and lost ones, applied or not, that arrive later: 5 moves. The two late writes
        # lead to one state: the value is there, and nothing is left of the budgets. 1 + 5 + 1 states, 5 + 2 moves.
        assert counted(scenario(WRITE, faults=Faults(lost_answers=1, duplicates=1))) == (7, 7, 5, 3)

    def test_a_write_that_is_reported_as_failed(self) -> None:
        claim = (SetIf(0, Const(b"x"), "absent"),)
        assert counted(scenario(claim, faults=Faults(false_predicates=1))) == (3, 2, 2, 2)
        # One that has failed is reported as it is.
        assert counted(scenario(claim, setup=WRITE, faults=Faults(false_predicates=1))) == (2, 1, 1, 1)

    def test_a_scan_breaks_between_two_batches_only(self) -> None:
        # Two keys, batches of one: the second batch comes or breaks, the first one cannot break.
        setup = (Set(0, Const(b"x")), Set(1, Const(b"y")))
        assert counted(scenario((Scan(b"p", 1),), setup=setup, faults=Faults(scan_failures=1))) == (4, 3, 2, 2)
        assert counted(scenario((Scan(b"p", 0),), setup=setup, faults=Faults(scan_failures=1))) == (2, 1, 1, 1)

    def test_one_of_two_clients_crashes(self) -> None:
        # Each waits, is done or has crashed: 3 * 3 states without the one of two crashes. From the first: 4 moves. From
        # where one is done: 2 moves, in two states. From where one has crashed: 1 move, in two states.
        # Ways: (2 + 1) after a move of the one, as many after a move of the other.
        other = (Set(1, Const(b"y")),)
        assert counted(scenario(WRITE, other, faults=Faults(crashes=1))) == (8, 10, 6, 3)

    def test_a_crash_is_a_crash_even_in_a_finally(self) -> None:
        # Set, then delete in a `finally`; the crash comes before the first, before the second, or never.
        body = (Finally(0, WRITE),)
        assert counted(scenario(body, faults=Faults(crashes=1))) == (5, 4, 3, 3)

    def test_a_clock_jumps_while_there_is_a_flow_that_can_look(self) -> None:
        # Read before the jump, and the end; or jump, read. Two values are returned.
        assert counted(scenario((Clock(),), faults=Faults(clock_jumps=(1,)))) == (4, 3, 2, 2)

    def test_a_clock_that_cannot_move_is_no_schedule_point(self) -> None:
        assert counted(scenario((Clock(), Get(0)), faults=Faults(clock_skew=(5,)))) == (2, 1, 1, 1)

    def test_a_flow_that_raises_ends_its_client_there(self) -> None:
        raising = scenario((Get(0), Raise("value")))
        assert counted(raising) == (2, 1, 1, 1)
        moves = Moves(raising)
        (step,) = moves.steps(moves.first())
        (view,) = step.after.views[0]
        assert view.status is Status.CRASHED
        assert isinstance(view.error, ValueError)
        assert [type(event).__name__ for event in step.events] == ["Invoked"]

    def test_more_states_than_asked_for_are_an_error(self) -> None:
        with pytest.raises(TooManyStates):
            enumerate_states(scenario((Get(0), Get(1)), (Get(0), Get(1))), states_max=8)


class TestJudging:
    def test_equal_return_values_are_two_final_states(self) -> None:
        # The reader meets the write or not, and returns True or 1.
        reader = (Get(0), Keep(True, 1))
        racing = Scenario(
            name="by hand",
            clients=[[Call(run_program, Program(reader, "held"))], [Call(run_program, Program(WRITE))]],
            invariants=[Holds().build("holds")],
        )
        assert len(enumerate_states(racing).finals) == 2
        assert len(enumerate_states(racing, identity=lambda value: value).finals) == 1

    def test_a_step_is_judged_at_the_clock_of_its_state(self) -> None:
        times: set[tuple[int, int]] = set()

        def check(step: Transition) -> list[Violation | Reached]:
            (held,) = step.after.objects.values()
            assert step.before.now == step.after.now
            times.add((step.before.now - START, held.last_modified - START))
            return [Violation("late", "") if step.before.now > START else Reached("in time")]

        late = OnStep(id="late", meaning="", check=check, watches=lambda _, op: True)
        writing = Call(run_program, Program((Put(0, Const(b"x")),)))
        found = enumerate_states(
            Scenario(name="by hand", clients=[[writing]], faults=Faults(clock_jumps=(3,)), invariants=[late])
        )
        assert times == {(0, 0), (3, 3)}
        assert found.lengths == {"late": 2}  # the jump, the write

    def test_a_monitor_may_be_in_a_state_of_any_name_and_stops_at_its_violation(self) -> None:
        heard: list[Hashable] = []

        def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Violation, ...]]:
            heard.append(state)
            return "dead", (Violation("m", ""),) if len(heard) == 3 else ()

        monitor = Monitor(id="m", meaning="", initial="alive", advance=advance)
        call = Call(run_program, Program((Get(0),)))
        found = enumerate_states(Scenario(name="by hand", clients=[[call, call, call]], invariants=[monitor]))
        assert heard == ["alive", "dead", "dead"]
        assert found.lengths == {"m": 2}

    def test_what_is_not_declared_cannot_be_read(self) -> None:
        def check(snapshot: Snapshot) -> list[Reached]:
            return [Reached(f"{snapshot.now}")]

        wrong = Always(id="a", meaning="", check=check, reads=frozenset({Reads.STORE}))
        call = Call(run_program, Program((Get(0),)))
        with pytest.raises(AssertionError, match="not declared"):
            enumerate_states(Scenario(name="by hand", clients=[[call]], invariants=[wrong]))

    def test_nothing_reached_is_inconclusive(self) -> None:
        idle = Always(id="idle", meaning="", check=lambda _: [])
        call = Call(run_program, Program((Get(0),)))
        found = enumerate_states(Scenario(name="by hand", clients=[[call]], invariants=[idle]))
        assert found.verdicts["idle"] == "inconclusive"

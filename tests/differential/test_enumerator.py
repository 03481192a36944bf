"""The enumerator itself: it shares no code with the searches, and counts what can be counted by hand."""

import ast
import copy
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Reached, Reads
from lakeproof.model.snapshot import Snapshot
from tests.differential.demands import Holds
from tests.differential.enumerator import Enumeration, TooManyStates, enumerate_states
from tests.differential.interpreter import run_program
from tests.differential.programs import (
    Const,
    Get,
    Instruction,
    Keep,
    Program,
    Set,
    Source,
)
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
            assert [name for name in imports(path) if name.startswith("lakeproof.search")] == []
        assert [name for name in imports(path) if name.startswith("tests.") and "differential" not in name] == []

    @pytest.mark.parametrize("name", ["stores.py", "states.py", "clients.py", "enumerator.py"])
    def test_what_an_operation_means_is_not_asked_of_the_model(self, name: str) -> None:
        assert functions_used(HERE / name, {"kv", "objects"}) == set()

    def test_a_borrowed_meaning_would_be_noticed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text("def f():\n    from lakeproof.search import semantics\n    return kv.step(kv.EXISTS, kv.Get)\n")
        assert "lakeproof.search.semantics" in set(imports(path))
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
    def test_one_of_two_clients_crashes(self) -> None:
        # Each waits, is done or has crashed: 3 * 3 states without the one of two crashes. From the first: 4 moves. From
        # where one is done: 2 moves, in two states. From where one has crashed: 1 move, in two states.
        # Ways: (2 + 1) after a move of the one, as many after a move of the other.
        other = (Set(1, Const(b"y")),)
        assert counted(scenario(WRITE, other, faults=Faults(crashes=1))) == (8, 10, 6, 3)

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

    def test_what_is_not_declared_cannot_be_read(self) -> None:
        def check(snapshot: Snapshot) -> list[Reached]:
            return [Reached(f"{snapshot.now}")]

        wrong = Always(id="a", meaning="", check=check, reads=frozenset({Reads.STORE}))
        call = Call(run_program, Program((Get(0),)))
        with pytest.raises(AssertionError, match="not declared"):
            enumerate_states(Scenario(name="by hand", clients=[[call]], invariants=[wrong]))

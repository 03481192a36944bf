"""Flows of a program are searched, replayed, sampled and minimised as the same flows in Python are."""

import os
import runpy
import shutil
import sys
from collections.abc import Hashable, Sequence
from operator import attrgetter
from pathlib import Path

import attrs
import pytest

from lakeproof import Call, Program, Scenario, Status, kv
from lakeproof.languages import pool
from lakeproof.languages.child import ProgramLife
from lakeproof.languages.pool import POOL
from lakeproof.model.snapshot import CallView
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, ScenarioError
from lakeproof.search import execution
from lakeproof.search.fence import INTERRUPTS
from lakeproof.search.search import search
from lakeproof.search.semantics import Cells
from lakeproof.search.setup import drive_alone
from tests.differential.plain import plain_search

HERE = Path(__file__).parent
COMMAND = f"{sys.executable} programs.py"
FLOWS = Program(COMMAND, folder=HERE)
SCENARIOS: Sequence[Scenario] = runpy.run_path(str(HERE.parents[1] / "examples" / "counter.py"))["SCENARIOS"]
NO_EXCEPTION = {NO_UNHANDLED_EXCEPTION: "holds"}


def by_program(scenario: Scenario, program: Program = FLOWS) -> Scenario:
    """The scenario with its clients' flows replaced by those of a program, by name."""
    clients = [
        [program.call(call.name, *call.args, attempts=call.attempts, **dict(call.options)) for call in calls]
        for calls in scenario.clients
    ]
    return attrs.evolve(scenario, clients=clients)


def alone(*calls: Call) -> tuple[Cells, tuple[CallView, ...]]:
    return drive_alone(execution.Program("a", calls), {}, 1_000)


def ended(call: Call) -> CallView:
    (view,) = alone(call)[1]
    return view


def test_more_runs_than_processes_repeat_their_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "CHILDREN_MAX", 2)
    few = Program(COMMAND, folder=HERE, seconds=9.0)  # processes of its own: no other command is equal
    before = POOL.started
    scenario = Scenario(name="s", clients=[[few.call("increment")]] * 2, invariants=[], expect=NO_EXCEPTION)
    found = plain_search(scenario)
    assert (found.states, POOL.started - before) == (plain_search(of_python(scenario)).states, 2)


def test_a_search_that_is_interrupted_leaves_no_half_said_flow_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = by_program(SCENARIOS[1])
    search(scenario)

    def interrupted(child: ProgramLife, seconds: float) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ProgramLife, "_line", interrupted)
        with INTERRUPTS.noticed():
            INTERRUPTS.came = True  # as by Ctrl-C
            with pytest.raises(KeyboardInterrupt):
                search(scenario)
    INTERRUPTS.came = False
    assert search(scenario).states == search(SCENARIOS[1]).states


def test_a_program_that_was_built_anew_is_another_one(tmp_path: Path) -> None:
    shutil.copy(HERE / "serving.py", tmp_path)
    program = Program(f"{sys.executable} programs.py", folder=tmp_path)
    scenario = by_program(SCENARIOS[1], program)
    text = (HERE / "programs.py").read_text()
    verdicts = []
    for number, tries in enumerate(("3", "1")):
        (tmp_path / "programs.py").write_text(text.replace("tries_max: int = 3", f"tries_max: int = {tries}"))
        os.utime(tmp_path / "programs.py", ns=(number, number))
        verdicts.append(search(scenario).transitions)
    assert verdicts[0] == search(SCENARIOS[1]).transitions
    assert verdicts[1] < verdicts[0]


def of_python(scenario: Scenario) -> Scenario:
    increment = SCENARIOS[0].clients[0][0]
    return attrs.evolve(scenario, clients=[[increment] for _ in scenario.clients])


ARGUMENTS: list[tuple[Hashable, Hashable]] = [
    ((), ()),
    ("text\n\u00e9", "text\n\u00e9"),
    (2**62, 2**62),
    (b"\xff", (("base64", "/w=="),)),
    ((1, (None, True)), (1, (None, True))),
]


@pytest.mark.parametrize(("given", "returned"), ARGUMENTS, ids=repr)
def test_arguments_and_results_are_plain_values(given: Hashable, returned: Hashable) -> None:
    view = ended(FLOWS.call("echo", given, option=given))
    assert view.value == ((returned,), (("option", returned),))


@pytest.mark.parametrize("given", [1.5, frozenset({1}), object, 2**63], ids=repr)
def test_an_argument_without_json_is_an_error_that_names_it(given: Hashable) -> None:
    with pytest.raises(ScenarioError, match=r"echo: argument .*expected None, bool, an integer"):
        ended(FLOWS.call("echo", given))


class Outrun(Exception):
    definite = False


def test_errors_become_the_classes_that_the_scenario_names() -> None:
    program = Program(COMMAND, folder=HERE, errors={"Outrun": Outrun})
    view = ended(program.call("fail", "Outrun", False))
    assert isinstance(view.error, Outrun)
    assert (view.status, str(view.error)) == (Status.INFO, "its message")
    assert ended(program.call("fail", "refused", True)).error == kv.Refused("its message")


class Picky(Exception):
    definite = True

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one, two)


def test_what_the_scenario_cannot_make_of_an_end_is_no_mistake_of_the_flow() -> None:
    program = Program(COMMAND, folder=HERE, errors={"Picky": Picky})
    with pytest.raises(ScenarioError, match=r"fail: Picky cannot be made of 'its message': TypeError: .*'two'"):
        ended(program.call("fail", "Picky", True))
    with pytest.raises(ScenarioError, match=r"echo returned .* which its result= refuses: AttributeError: "):
        ended(Call(program.flow("echo", result=attrgetter("gone"))))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Program(""), "expected a command"),
        (lambda: Program("'"), "No closing quotation; write the command as for a shell"),
        (lambda: Program("./flows", seconds=0), "seconds=0, expected more than 0"),
        (lambda: Program("./flows", errors={"a": ValueError}), "expected an exception class that says"),
    ],
)
def test_a_program_that_cannot_be_is_an_error_that_says_so(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ScenarioError, match=message):
        make()

"""The adapters: each one's worked example does what its twin in Python does, effect by effect and search by search."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeproof import Faults, Program, Raised, Scenario, Status, kv
from lakeproof.languages.child import ProgramFailed
from lakeproof.languages.pool import POOL
from lakeproof.model import objects
from lakeproof.model.objects import StoredObject, etag
from lakeproof.model.snapshot import UnhandledException
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, ScenarioError
from lakeproof.search import execution
from lakeproof.search.execution import NondeterministicFlow
from lakeproof.search.search import Options, search
from tests.differential.plain import plain_search
from tests.languages.building import LANGUAGES, ROOT, built, tool
from tests.languages.test_programs import SCENARIOS, alone, by_program

pytestmark = pytest.mark.xdist_group("languages")


@pytest.fixture(scope="module", params=LANGUAGES)
def program(request: pytest.FixtureRequest, built_in: Callable[[str], Program]) -> Program:
    return built_in(request.param)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_it_has_the_verdicts_schedules_and_states_of_its_twin(scenario: Scenario, program: Program) -> None:
    expected, found = search(scenario), search(by_program(scenario, program))
    assert (found.states, found.transitions, found.reruns) == (expected.states, expected.transitions, expected.reruns)
    assert [(each.id, each.verdict, each.counterexample) for each in found.findings] == [
        (each.id, each.verdict, each.counterexample) for each in expected.findings
    ]


def test_it_performs_every_effect_on_keys(program: Program) -> None:
    cells, views = alone(program.call("mark", "m"), program.call("mark", "m", limit=1), program.call("sweep"))
    assert [view.value for view in views] == [("a1", ("a1",)), ("a2", ("a1", "a2")), None]
    assert cells == {}
    assert alone(program.call("mark", "m"))[0] == {("kv", b"marks", b"a1"): b"1000"}


def test_it_performs_every_effect_on_objects(program: Program) -> None:
    cells, (view,) = alone(program.call("upload", "\u00e9"))
    found = ("\u00e9", "\u00e9.copy")
    assert view.value == (("content", "aGVsbG8="), ("etag", etag(b"hello")), ("found", found))
    assert cells == {("object", found[1]): StoredObject(b"hello", (("c", "3"),), metageneration=2, last_modified=1_000)}


@pytest.mark.parametrize("definite", [True, False])
def test_an_error_of_a_flow_says_whether_it_is_definite(definite: bool, program: Program) -> None:
    _, (view,) = alone(program.call("fail", "strange", definite))
    assert view.status is (Status.FAIL if definite else Status.INFO)
    assert isinstance(view.error, Raised)
    assert repr(view.error) == "strange('its message')"


def test_a_mistake_of_a_flow_is_no_answer(program: Program) -> None:
    _, (view,) = alone(program.call("fail", "mistake"))
    assert isinstance(view.error, UnhandledException)
    assert "its message" in str(view.error)


def test_a_flow_that_the_program_does_not_have_is_an_error_of_the_scenario(program: Program) -> None:
    known = r"(\w+, )*increment, (\w+, )*\w+"
    with pytest.raises(ScenarioError, match=f"^program .*: incremnt: this program has no such flow, but {known}$"):
        alone(program.call("incremnt"))


def locking(program: Program, faults: Faults) -> Scenario:
    """Two clients that take a lock, write, and release it in any case."""
    clients = 2 * [[program.call("locked")]]
    return Scenario(name="s", clients=clients, invariants=[], faults=faults, expect={NO_UNHANDLED_EXCEPTION: "holds"})


def test_an_error_of_the_store_passes_through_a_flow(program: Program) -> None:
    _, (_, view) = alone(program.call("locked"), program.call("upload", "x"))
    assert view.status is Status.OK
    finals = plain_search(locking(program, Faults(lost_answers=1))).finals
    errors = {call.error for final in finals for calls in final.value[1] for call in calls}  # type: ignore[index]  # (cells, clients)
    assert errors == {None, kv.PredicateFailed(), kv.OutcomeUnknown()}


def test_what_a_dropped_flow_does_on_its_way_out_never_takes_place(program: Program) -> None:
    twin = Program(f"{sys.executable} {ROOT / 'tests' / 'languages' / 'programs.py'}")
    faults = Faults(crashes=1, refusals=1)
    assert search(locking(program, faults)).states == search(locking(twin, faults)).states


def test_a_trace_names_the_line_that_asked(program: Program) -> None:
    run = execution.Execution(execution.Program("a", (program.call("increment"),)))
    spot = run.spot()
    run.close()
    assert spot is not None
    found = (ROOT / "adapters").rglob(spot.file)
    lines = [path for path in found if "example" in str(path) and "kvstore" not in path.parts]
    assert len(lines) == 1
    assert any(word in lines[0].read_text().splitlines()[spot.line - 1] for word in ("get(", "Get(", "find("))


def test_processes_are_used_again(program: Program) -> None:
    search(by_program(SCENARIOS[1], program))
    before = POOL.started
    search(by_program(SCENARIOS[1], program))
    assert POOL.started == before


def test_an_argument_that_is_null_is_no_empty_text_in_go(built_in: Callable[[str], Program]) -> None:
    _, (view,) = alone(built_in("go").call("upload", None))
    assert "argument 1 is null" in str(view.error)


FLOWS = """
import {{ serve }} from {adapter!r};
const lost = async (env) => {{ env.store.set("p", "k", "v"); return "done"; }};
const other = async (env, number) => String(number);
const nothing = async () => [NaN];
const kept = async (env) => {{
  await env.objects.put("a", "x");
  await env.objects.copy("a", "b");
  for (const condition of [{{ ifAbsent: true }}, {{ ifDestinationMatch: "other" }}]) {{
    await env.objects.copy("a", "b", condition).then(() => env.store.set("p", "k", "v"), () => null);
  }}
  await env.objects.delete("a", {{ ifMatch: "other" }});
}};
const broken = async () => {{ throw new TypeError("oops"); }};
await serve({{ lost, other, nothing, kept, broken }});
"""


@pytest.fixture
def in_javascript(tmp_path: Path) -> Program:
    file = tmp_path / "flows.mjs"
    file.write_text(FLOWS.format(adapter=str(ROOT / "adapters" / "typescript" / "flow.js")))
    return Program(f"{tool('node', 'nodejs')} {file}")


def test_an_effect_that_is_not_awaited_is_a_mistake_in_javascript(in_javascript: Program) -> None:
    for _ in range(2):  # in another process, which is sent the reply ahead
        _, (view,) = alone(in_javascript.call("lost"))
        assert "the flow ended while an effect was open" in str(view.error)


def test_a_mistake_in_javascript_is_reported_with_its_line(in_javascript: Program) -> None:
    _, (view,) = alone(in_javascript.call("broken"))
    line = FLOWS[: FLOWS.index("const broken")].count("\n") + 1
    assert str(view.error) == f"TypeError: oops at flows.mjs:{line}"


@pytest.mark.parametrize("call", [("other", 2**53 + 1), ("nothing",)], ids=["rounded", "no number"])
def test_a_number_that_javascript_would_change_is_refused(call: tuple[str, ...], in_javascript: Program) -> None:
    with pytest.raises(ProgramFailed, match="expected a number that JavaScript and JSON keep as it is"):
        alone(in_javascript.call(*call))


def test_conditions_of_copies_and_deletes_hold_in_javascript(in_javascript: Program) -> None:
    cells, (view,) = alone(in_javascript.call("kept"))
    assert cells.keys() == {("object", "a"), ("object", "b")}
    assert isinstance(view.error, objects.PreconditionFailed)


def test_the_order_of_a_map_in_go_is_not_deterministic(tmp_path: Path) -> None:
    flow = Program(LANGUAGES["go"](tmp_path)).call("unordered")
    scenario = Scenario(name="s", clients=[[flow]], invariants=[], expect={NO_UNHANDLED_EXCEPTION: "holds"})
    with pytest.raises(NondeterministicFlow, match="after the same replies it requested Set"):
        search(scenario, options=Options(merge=False))


def test_the_parts_in_rust_are_tested_and_formatted(tmp_path: Path) -> None:
    folder = ROOT / "adapters" / "rust"
    built([tool("cargo", "cargo"), "test", "--offline", "--locked", "--lib", "--target-dir", tmp_path], folder)
    if shutil.which("rustfmt"):
        done = subprocess.run(["cargo", "fmt", "--check"], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout

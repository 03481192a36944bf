"""A counterexample of the search, led through a real program: what it follows, and where it does otherwise."""

from pathlib import Path

import attrs
import pytest
from click.testing import Result

from lakeproof.gate.classes import Choice, Name, Pending
from lakeproof.gate.guided import ExpectedRequest, GuidedResult, expected_requests
from lakeproof.gate.profile import Rule, load
from lakeproof.scenario import ScenarioError
from lakeproof.search import trace as traces
from lakeproof.search.faults import Mode
from lakeproof.search.trace import TraceStep
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.gate.test_programs import of_lakefs

EXAMPLES = Path(__file__).parents[2] / "examples"
SERVICE = EXAMPLES / "gate" / "service"
LAKEFS = EXAMPLES / "lakefs" / "lakefs_profile.py"
SCENARIO = "repositories/step1/delete-delete-create"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the counterexamples of the search."""
    made = tmp_path_factory.mktemp("traces")
    assert lakeproof("verify", SCENARIO, "--out", str(made), "--jobs", "1").exit_code == 0
    return made


def trace(folder: Path, invariant: str) -> Path:
    return folder / f"{SCENARIO.replace('/', '_')}.{invariant}.json"


def replay(file: Path, profile: object, *words: str) -> Result:
    return lakeproof("replay", str(file), "--gate", str(profile), *words)


def test_a_counterexample_of_the_search_happens_in_the_program(folder: Path) -> None:
    result = replay(trace(folder, "delete-spares-successor"), SERVICE / "blind.py")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "   1  c2  GetItem items/repositories/r -> 200  [step 1: b get repos/r]"
    assert "otherwise: step 8, c get repos/r: c3 never asks for GetItem items/repositories/r" in lines
    assert "of 9 steps that are requests the program made 8, otherwise in 1 place; requests of its own: 2" in lines
    assert "violated on the program: delete-spares-successor" in lines


@pytest.mark.deep
def test_a_repaired_program_does_not_violate_it(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    result = replay(trace(folder, "delete-spares-successor"), SERVICE / "repaired.py", "--log", str(log))
    assert result.exit_code == 1, result.output
    assert result.stdout.endswith("not violated on the program: delete-spares-successor\n")
    assert "the log is empty" in result.stderr
    unwritten = replay(trace(folder, "delete-spares-successor"), SERVICE / "repaired.py", "--log", str(tmp_path))
    assert (unwritten.exit_code, unwritten.stdout.splitlines()[-1]) == (2, result.stdout.splitlines()[-1])


@of_lakefs
@pytest.mark.deep
def test_the_counterexample_of_step1_happens_in_lakefs_and_its_flows_could_have_asked_for_this(
    folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    result = replay(trace(folder, "delete-spares-successor"), LAKEFS, "--log", str(log))
    assert result.exit_code == 0, result.output
    assert "of 12 steps that are requests the program made 12, in the order of the trace; " in result.stdout
    words = ["follows", str(log), "--name", "r=repository-r", "--parallel", "--flows"]
    ours = ["lakefs/delete-delete-create", "--from", str(EXAMPLES / "lakefs_today" / "wire.py")]
    assert lakeproof(*words, *ours).exit_code == 0
    refused = lakeproof(*words, SCENARIO)
    assert refused.exit_code == 1
    assert "expected: delete_repository('repository-r') asks for scan repository-r-" in refused.stdout


def test_what_a_profile_does_not_have_is_named(folder: Path, tmp_path: Path) -> None:
    told = complaint(replay(trace(folder, "garbage-is-reclaimable"), SERVICE / "blind.py"))
    assert "it does not ask garbage-is-reclaimable of the program, only delete-spares-successor" in told
    found, empty = trace(folder, "create-is-effective"), tmp_path / "empty.py"
    assert "unheard-of: no profile; expected a Python file with PROFILE" in complaint(replay(found, "unheard-of"))
    empty.write_text("")
    assert "PROFILE is None; make it a" in complaint(replay(found, empty))
    assert "--log is for --gate" in complaint(lakeproof("replay", str(found), "--log", str(tmp_path / "log")))


def test_the_profile_of_lakefs_knows_each_step_of_the_counterexample(folder: Path) -> None:
    steps = expected_requests(traces.read(trace(folder, "delete-spares-successor")), load(str(LAKEFS)))
    assert [each.number for each in steps] == list(range(1, 13))
    assert steps[4].pattern == "DeleteItem kvstore/repository-r-*/branches%2Fmain"


@pytest.mark.parametrize(
    ("rule", "effect", "key", "expected"),
    [
        (Rule("get repos/{r}", "GetItem t/{r}"), "get", "repos/a", "GetItem t/a!"),
        (Rule("get repos/{r}", "GetItem t/{r}"), "set", "repos/a", None),
        (Rule("set|set_if repos/{r}", "Put {r}"), "set_if", "repos/a", "Put a!"),
        (Rule("get repos/{r}", "GetItem t/{r}"), "get", "repos/a/b", None),
        (Rule("delete {r}-{uid}/b/{b}", "Del {r}-*/{b}"), "delete", "a-b-s1/b/main", "Del a-b!-*/main"),
        (Rule("delete {r}-{uid}/b/{b}", "Del {b}"), "delete", "a-s1/b/x*[", "Del x%2A%5B"),
        (Rule("scan {r}/", None), "scan", "a/", ""),
    ],
)
def test_a_rule_is_a_pattern_on_both_sides(rule: Rule, effect: str, key: str, expected: str | None) -> None:
    assert rule.request_of(effect, key, {"r": lambda name: f"{name}!"}) == (
        expected if expected is None else expected.replace("!", "%21")
    )


@pytest.mark.parametrize(
    ("effect", "request_"), [("get repos/{r}", "GetItem {b}"), ("get {r}/{r}", None), ("get {1}", None)]
)
def test_a_rule_whose_names_have_no_one_meaning_is_refused(effect: str, request_: str | None) -> None:
    with pytest.raises(ScenarioError, match="expected names in braces that are identifiers, each once in the effect"):
        Rule(effect, request_)


def pending(*labels: str, client: str = "c1") -> list[Pending]:
    return [Pending(Name(client, label)) for label in labels]


def step(number: int, label: str, client: str = "c1") -> ExpectedRequest:
    return ExpectedRequest(number, client, label, "normal", f"told {number}")


def led(search: GuidedResult, waiting: list[Pending]) -> str:
    return search.choose(waiting).name.label


def test_a_request_that_comes_early_and_one_that_never_comes_are_noted() -> None:
    search = GuidedResult([step(1, "get x"), step(2, "put x"), step(3, "del x"), step(4, "put y", "c2")])
    search.begin()
    assert led(search, pending("put x")) == "put x"
    assert led(search, pending("get x")) == "get x"
    assert search.choose(pending("get y", client="c2")) == Choice(Name("c2", "get y"), "normal")
    assert search.choose(pending("get y", client="c3")) == Choice(Name("c3", "get y"), "normal")
    assert search.choose([*pending("a", client="c2"), *pending("b")]).name.client == "c1", "one client after the other"
    search.end()
    assert search.otherwise == [
        "step 1, told 1: c1 asks for put x first, step 2",
        "step 3, told 3: c1 never asks for del x",
        "step 4, told 4: c2 never asks for put y",
    ]


def test_a_fault_that_the_gate_does_not_have_is_refused(folder: Path) -> None:
    found = traces.read(trace(folder, "create-is-effective"))
    late = TraceStep(client="", mode=Mode.DELIVER)
    with pytest.raises(Unusable, match="step 1: 'late write arrives': the gate has normal, refused"):
        expected_requests(attrs.evolve(found, schedule=(late,)), load(str(LAKEFS)))
    unknown = TraceStep(client="a", mode=Mode.NORMAL, effect="get", key="elsewhere")
    with pytest.raises(Unusable, match="profile lakefs: no rule for 'get elsewhere'; add one, with None"):
        expected_requests(attrs.evolve(found, schedule=(unknown,)), load(str(LAKEFS)))

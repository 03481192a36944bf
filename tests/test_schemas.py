"""The published schemas: what we write and what the pages show is valid, and what is malformed is not."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from lakeproof.gate import traces as gate_traces
from lakeproof.gate.classes import Choice, Name
from lakeproof.gate.server import COSTS
from lakeproof.languages import protocol as flow
from lakeproof.languages.reader import read_greeting, read_message
from lakeproof.model import kv
from lakeproof.search.faults import Mode
from lakeproof.search.trace import BOUNDS, LEFT_OUT, TraceError, read
from lakeproof.show.verdicts import lines as verdict_lines
from lakeproof.stores import protocol as exec_
from tests.commands import HEAD, ROOT, lakeproof
from tests.languages.test_protocol import EFFECTS
from tests.show.traces import outcome, verdict

SCHEMAS = {
    path.name.partition(".")[0]: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").glob("*.json")
}
FILES = [
    *(("trace", path) for path in sorted((ROOT / "examples" / "traces").glob("*.json"))),
    *(("gate-trace", path) for path in sorted((ROOT / "docs" / "gallery" / "traces").glob("*.json"))),
]
PAGES = {"exec": "targets.md", "flow": "flow-protocol.md", "history": "histories.md"}
BLOCK = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)


def accepts(name: str, document: object) -> bool:
    return bool(Draft202012Validator(SCHEMAS[name]).is_valid(document))


def lines(text: str | bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_of_its_draft_is_named_and_is_on_its_page(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMAS[name]["$id"] == f"urn:lakeproof:{name}:1"
    assert f"({name}.schema.json)" in (ROOT / "docs" / "schemas" / "README.md").read_text()


@pytest.mark.parametrize(("name", "path"), FILES, ids=[path.stem for _, path in FILES])
def test_each_committed_file_is_valid(name: str, path: Path) -> None:
    Draft202012Validator(SCHEMAS[name]).validate(json.loads(path.read_text()))


def test_the_list_of_traces_is_that_of_the_files() -> None:
    names = (ROOT / "examples" / "traces" / "SCENARIOS").read_text().split()
    assert {read(path).scenario for name, path in FILES if name == "trace"} == set(names)


@pytest.mark.parametrize("path", [path for name, path in FILES if name == "trace"], ids=lambda path: path.stem)
def test_the_code_still_does_what_a_committed_trace_says(path: Path) -> None:
    result = lakeproof("replay", str(path))
    assert result.exit_code in (0, 1), result.output
    assert result.stdout.splitlines()[-1].startswith("replayed: ")


@pytest.mark.parametrize("name", PAGES)
def test_each_line_that_a_page_shows_is_valid(name: str) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / PAGES[name]).read_text())
    shown = [line for block in blocks for line in lines(block)]
    assert shown
    for line in shown:
        Draft202012Validator(SCHEMAS[name]).validate(line)


def test_the_words_are_those_of_the_code() -> None:
    trace = SCHEMAS["trace"]["properties"]
    assert trace["schedule"]["items"]["properties"]["mode"]["enum"] == [mode.value for mode in Mode]
    assert sorted(trace["bounds"]["properties"]) == sorted(BOUNDS)
    assert [*trace["bounds"]["required"], *LEFT_OUT] == list(BOUNDS)
    assert SCHEMAS["gate-trace"]["properties"]["steps"]["items"]["properties"]["mode"]["enum"] == list(COSTS)
    answer = SCHEMAS["exec"]["$defs"]["answer"]["properties"]
    assert set(answer["error"]["properties"]["kind"]["enum"]) == kv.ERRORS.keys()
    reply = SCHEMAS["flow"]["$defs"]["reply"]["properties"]
    assert set(reply["error"]["properties"]["kind"]["enum"]) == flow.STORE_ERRORS.keys()


@pytest.fixture
def here(in_tmp_path: Path) -> Path:
    (in_tmp_path / "mine.py").write_text(f"{HEAD}SCENARIOS = [KNOWN, ATOMIC, LARGE]\n")
    return in_tmp_path


class TestFreshOutput:
    def test_verdicts_and_traces_of_a_search_and_of_a_walk(self, here: Path) -> None:
        common = ["--from", "mine.py", "--json", "--jobs", "1"]
        searched = lines(lakeproof("verify", *common, "--max-states", "60").stdout)
        walked = lines(lakeproof("walk", "known", *common, "--executions", "50").stdout)
        assert {line["verdict"] for line in searched} == {"violated", "holds", "inconclusive"}
        for line in (*searched, *walked):
            Draft202012Validator(SCHEMAS["verdict"]).validate(line)
            if line["verdict"] == "violated":
                assert accepts("trace", json.loads(Path(str(line["trace"])).read_text()))

    def test_the_part_of_a_history_that_check_writes(self, here: Path) -> None:
        events = [
            (1, "invoke", "write", 1),
            (1, "ok", "write", None),
            (2, "invoke", "read", None),
            (2, "ok", "read", 3),
        ]
        history = [{"process": p, "type": t, "f": f, "key": "x", "value": v} for p, t, f, v in events]
        Path("bad.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in history))
        assert lakeproof("check", "bad.jsonl", "--out", "found").exit_code == 1
        [written] = Path("found").iterdir()
        for event in (*history, *lines(written.read_text())):
            Draft202012Validator(SCHEMAS["history"]).validate(event)

    def test_a_trace_of_the_gate(self, here: Path) -> None:
        choices = tuple(Choice(Name("c1", "GET b/k", number), mode) for number, mode in enumerate(COSTS, start=1))
        trace = gate_traces.GateTrace(
            file="f.py",
            scenario="s",
            violated={"kept": "gone"},
            choices=choices,
            statuses=tuple(200 if number % 2 else "nil" for number in range(len(choices))),
        )
        gate_traces.write(trace, here / "trace.json")
        Draft202012Validator(SCHEMAS["gate-trace"]).validate(json.loads((here / "trace.json").read_text()))

    def test_requests_to_an_adapter(self) -> None:
        ops: list[kv.Op] = [
            kv.Get(b"p", b"k"),
            kv.Set(b"p", b"", b""),
            kv.ScanBatch(b"p", b"\xff", 0),
            kv.Delete(b"", b"k"),
        ]
        ops += [kv.SetIf(b"p", b"k", b"v", predicate) for predicate in (None, kv.EXISTS, b"7", b'{"a": [1]}')]
        for number, op in enumerate(ops):
            Draft202012Validator(SCHEMAS["exec"]).validate(json.loads(exec_.request(number, op)))

    def test_both_sides_of_a_flow(self) -> None:
        said = [
            flow.greeting(),
            flow.start(1, "f", flow.arguments([None, True, -(2**63) + 1, "a", b"\xff", ("x", (1,))], {"n": 2})),
            flow.reset(1),
            flow.answer(1, 1, flow.effect_reply(kv.Get(b"p", b"k"), kv.ValueWithPredicate(b"v", b"v"))),
            flow.answer(1, 2, flow.effect_reply(kv.ScanBatch(b"p"), kv.Batch((kv.Entry(b"k", b"v"),), more=True))),
            flow.answer(1, 3, flow.mint_reply("c.1")),
            *(flow.answer(1, 4, flow.error_reply(kind("it"))) for kind in flow.STORE_ERRORS.values()),
        ]
        asked = [{"flow": 1, "effect": 1, "at": "create.go:12", **told} for told, _ in EFFECTS]
        for line in (*lines(b"".join(said)), *asked):
            Draft202012Validator(SCHEMAS["flow"]).validate(line)


TRACE = json.loads(FILES[0][1].read_text())


def mutants(document: object) -> Iterator[object]:
    """The document with each of its parts replaced by something of every type, left out, or joined by a stranger."""
    for path in paths(document):
        for other in (None, True, 7, "odd", [], [None], {}, {"odd": 1}):
            yield replaced(document, path, other)
        yield replaced(document, path, ...)
        if isinstance(at(document, path), dict):
            yield replaced(document, (*path, "odd"), 1)


def paths(document: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, part in inner:
        yield (*path, name)
        yield from paths(part, (*path, name))


def at(document: object, path: tuple[str | int, ...]) -> object:
    for name in path:
        document = cast("dict[str | int, object]", document)[name]
    return document


def replaced(document: object, path: tuple[str | int, ...], other: object) -> object:
    made = deepcopy(document)
    holder = cast("dict[str | int, object]", at(made, path[:-1]))
    if other is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = other
    return made


def test_the_schema_of_traces_refuses_just_what_replay_refuses(tmp_path: Path) -> None:
    small = TRACE | {"schedule": TRACE["schedule"][:1], "initially": TRACE["initially"][:1]}
    file, judged = tmp_path / "trace.json", {True: 0, False: 0}
    for mutant in mutants(small):
        file.write_text(json.dumps(mutant))
        try:
            read(file)
        except TraceError:
            readable = False
        else:
            readable = True
        assert accepts("trace", mutant) == readable, mutant
        judged[readable] += 1
    assert judged[True] > 30
    assert judged[False] > 200


def heard_by_the_reader(line: dict[str, object]) -> bool:
    told = json.dumps(line).encode()
    try:
        read_message(told, 1, 1) if "flow" in line else read_greeting(told)
    except flow.Nonsense:
        return False
    return True


@pytest.mark.parametrize("told", [told for told, _ in EFFECTS], ids=[str(told["op"]) for told, _ in EFFECTS])
def test_the_schema_of_flows_refuses_just_what_the_search_refuses(told: dict[str, object]) -> None:
    line: dict[str, object] = {"flow": 1, "effect": 1, "at": "create.go:12", **told}
    assert heard_by_the_reader(line)
    for mutant in mutants(line):
        made = cast("dict[str, object]", mutant)
        # Else the order of lines decides; and the reader takes true for 1.
        if [(type(made.get(name)), made.get(name)) for name in ("flow", "effect")] == [(int, 1)] * 2 and "op" in made:
            assert accepts("flow", made) == heard_by_the_reader(made), made


EVENT = {"process": 1, "type": "invoke", "f": "set_if", "value": {"value": 1, "predicate": {"exists": True}}}
VERDICT = json.loads(verdict_lines(outcome("s", verdict("i")), {}, {}))


@pytest.mark.parametrize(
    ("name", "good", "changes"),
    [
        ("history", EVENT, {"type": "done"}),
        ("history", EVENT, {"process": None}),
        ("history", EVENT, {"f": 7}),
        ("history", EVENT, {"time": 1.5}),
        ("history", EVENT, {"time": 1 << 62}),
        ("history", EVENT, {"value": {"value": 1}}),
        ("history", EVENT, {"value": {"value": 1, "predicate": {"exists": False}}}),
        ("history", EVENT, {"f": "scan", "type": "ok", "value": [["k"]]}),
        ("verdict", VERDICT, {"verdict": "proved"}),
        ("verdict", VERDICT, {"verdict": "violated"}),
        ("verdict", VERDICT, {"reached": 0}),
        ("verdict", VERDICT, {"steps": 3}),
        ("verdict", VERDICT, {"states": True}),
        ("verdict", VERDICT, {"more": 1}),
        ("verdict", VERDICT, {"bounds": {}}),
        ("gate-trace", json.loads(FILES[-1][1].read_text()), {"gate": 2}),
        ("gate-trace", json.loads(FILES[-1][1].read_text()), {"steps": []}),
        ("gate-trace", json.loads(FILES[-1][1].read_text()), {"violated": {}}),
        ("exec", {"id": 1, "op": "get", "partition": "cA==", "key": "aw=="}, {"key": "aw"}),
        ("exec", {"id": 1, "op": "get", "partition": "cA==", "key": "aw=="}, {"op": "put"}),
        ("exec", {"id": 1, "op": "get", "partition": "cA==", "key": "aw=="}, {"key": None}),
        ("exec", {"id": 1, "ok": {"value": "dg==", "predicate": 7}}, {"ok": {"value": "dg=="}}),
        ("exec", {"id": 1, "ok": {}}, {"error": {"kind": "unknown"}}),
        ("exec", {"id": 1, "error": {"kind": "unknown"}}, {"error": {"kind": "lost"}}),
        ("flow", {"flow": 1, "raises": {"kind": "x", "definite": None}}, {"raises": {"kind": "x"}}),
        ("flow", {"flow": 1, "returns": 3}, {"raises": {"kind": "x", "definite": None}}),
        ("flow", {"protocol": "flow:", "version": 1}, {"version": 2}),
        ("flow", {"start": 1, "call": "f", "args": [], "options": {}}, {"args": [1.5]}),
    ],
)
def test_what_is_malformed_is_not_valid(name: str, good: dict[str, object], changes: dict[str, object]) -> None:
    assert accepts(name, good)
    assert not accepts(name, good | changes)

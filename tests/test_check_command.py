"""`lakeproof check`: parameters, verdicts, evidence, exit codes."""

import json
from pathlib import Path

import pytest

from lakeproof.model.linearizability.specifications import ALL
from tests.commands import complaint, lakeproof

pytestmark = pytest.mark.usefixtures("in_tmp_path")

RECORDED = Path(__file__).parent / "histories" / "porcupine"


def write(*events: tuple[object, ...]) -> None:
    """Events into the file ``history``: process, type, f, key, value."""
    names = ("process", "type", "f", "key", "value", "time")
    lines = (json.dumps(dict(zip(names, event, strict=False))) + "\n" for event in events)
    Path("history").write_text("".join(lines))


def stale(key: str) -> list[tuple[object, ...]]:
    return [
        (0, "invoke", "set", key, 1), (0, "ok", "set", key, 1), (0, "invoke", "set", key, 2), (0, "ok", "set", key, 2),
        (0, "invoke", "get", key, None), (0, "ok", "get", key, 1),
    ]  # fmt: skip


def test_json_has_an_object_a_key_and_the_rest_goes_to_stderr() -> None:
    write(*stale("a"), (1, "invoke", "get", "b"), (1, "ok", "get", "b", None))
    result = lakeproof("check", "history", "--json", "--out", "out")
    assert result.exit_code == 1
    one, other = map(json.loads, result.stdout.splitlines())
    assert one == {
        "key": "a",
        "model": "kv",
        "verdict": "violated",
        "algorithm": "zones",
        "operations": 3,
        "why": "",
        "evidence": {
            "explained": 2,
            "failed": "get -> 1",
            "line": 6,
            "minimal": True,
            "held": None,
            "operations": [
                {"process": 0, "operation": "set 1", "lines": [1, 2]},
                {"process": 0, "operation": "set 2", "lines": [3, 4]},
                {"process": 0, "operation": "get -> 1", "lines": [5, 6]},
            ],
            "elsewhere": [],
        },
        "history": "out/impossible.1.a.jsonl",
    }
    assert (other["key"], other["verdict"], other["evidence"]) == ("b", "holds", None)
    assert "VIOLATED" in result.stderr


def test_a_verdict_is_printed_although_its_evidence_or_its_page_cannot_be_written() -> None:
    write(*stale("a"))
    Path("file").write_text("")
    for option, path in (("--out", "file/a/impossible.1.a.jsonl"), ("--html", "file/a")):
        result = lakeproof("check", "history", option, "file/a")
        assert result.stdout.splitlines()[-1].startswith("VIOLATED: ")
        assert complaint(result).startswith(f"{path}: cannot be written: Not a directory; ")
        assert option in result.stderr


def test_what_is_impossible_is_written_and_is_violated_by_itself() -> None:
    result = lakeproof("check", str(RECORDED / "etcd_000.log"), "--out", "out")
    assert result.exit_code == 1
    assert "written to out/impossible.1.jsonl" in result.stdout
    again = lakeproof("check", "out/impossible.1.jsonl", "--fail", "predicate-false")
    assert again.exit_code == 1


def test_settings_of_the_recorder_change_what_is_said() -> None:
    write((0, "invoke", "write", None, 1), (0, "ok", "write"), (0, "invoke", "read"), (0, "ok", "read", None, None))
    assert lakeproof("check", "history").exit_code == 1
    assert lakeproof("check", "history", "--nil", "unrecorded").exit_code == 3  # nothing is left
    write((0, "invoke", "read"), (0, "ok", "read", None, 7))
    assert lakeproof("check", "history").exit_code == 1
    assert lakeproof("check", "history", "--initial", "7").exit_code == 0
    assert "no JSON value" in complaint(lakeproof("check", "history", "--initial", "seven"))
    write((0, "invoke", "read", "x"), (0, "ok", "read", "x", {"x": 7}))  # here a map is a value, as any other
    assert lakeproof("check", "history", "--model", "register", "--initial", '{"x": 7}').exit_code == 0
    write(
        (0, "invoke", "write", None, 1, 0),
        (0, "ok", "write", None, 1, 5),
        (1, "invoke", "read", None, None, 5),
        (1, "ok", "read", None, None, 6),
    )
    assert lakeproof("check", "history").exit_code == 1
    assert lakeproof("check", "history", "--order", "time").exit_code == 0
    assert lakeproof("check", "history", "--order", "time", "--ties", "returns").exit_code == 1
    assert "give --order time as well" in complaint(lakeproof("check", "history", "--ties", "returns"))


TXN = [["r", "x", None], ["w", "x", 1]]
READ_7 = [["r", "x", 7], ["w", "x", 1]]
MODELS: dict[str, list[tuple[object, ...]]] = {
    "register": [(0, "invoke", "read", "k"), (0, "ok", "read", "k", 7)],
    "cas-register": [(0, "invoke", "cas", "k", [7, 1]), (0, "ok", "cas", "k")],
    "kv": [
        (0, "invoke", "set_if", "k", {"value": 1, "predicate": {"value": 7}}), (0, "ok", "set_if", "k"),
    ],
    "kv-scan": [(0, "invoke", "scan"), (0, "ok", "scan", None, [["a", 7], ["b", 7]])],
    "append": [(0, "invoke", "append", "k", "b"), (0, "ok", "append", "k"), (0, "invoke", "get", "k"),
               (0, "ok", "get", "k", "7b")],
    "mutex": [(0, "invoke", "release", "k"), (0, "ok", "release", "k")],
    "multi-register": [(0, "invoke", "txn", None, TXN), (0, "ok", "txn", None, READ_7)],
}  # fmt: skip
"""Of each model, what is right where each key holds 7 (a mutex: is held) in the beginning, and wrong else."""


@pytest.mark.parametrize("model", ALL)
def test_the_value_in_the_beginning_counts_for_every_model(model: str) -> None:
    write(*MODELS[model])
    said = {"append": '"7"', "mutex": "true"}.get(model, "7")
    other = {"append": '"8"', "mutex": "false"}.get(model, "8")
    result = lakeproof("check", "history", "--model", model, "--initial", said)
    assert result.exit_code == 0, result.output
    assert f", initial: {said}, " in result.stdout.splitlines()[0]
    assert lakeproof("check", "history", "--model", model, "--initial", other).exit_code == 1
    assert lakeproof("check", "history", "--model", model, "--initial", "null").exit_code == 1
    assert lakeproof("check", "history", "--model", model).exit_code == 1


@pytest.mark.parametrize(
    ("model", "said", "why"),
    [
        ("mutex", "7", "a mutex that begins as 7; expected true"),
        ("mutex", '"taken"', "a mutex that begins as 'taken'; expected true"),
        ("append", "7", "append begins with 7; expected text, in quotes"),
        ("register", "[" * 101 + "]" * 101, "is no JSON value (nested more than 100 deep"),
        ("register", "[" * 100_000, "is no JSON value (nested too deeply"),
        ("register", "NaN", "is no JSON value (NaN is no JSON number"),
        ("register", "", "is no JSON value ("),
    ],
)
def test_what_no_key_can_hold_in_the_beginning_is_refused_in_one_line(model: str, said: str, why: str) -> None:
    write(*MODELS[model])
    line = complaint(lakeproof("check", "history", "--model", model, "--initial", said))
    assert why in line
    assert len(line) < 300


def test_too_little_memory_or_time_is_inconclusive() -> None:
    write(*((p, "invoke", "write", None, f"{p:0100}") for p in range(9_000)))
    result = lakeproof("check", "history", "--max-memory", "1")
    assert result.exit_code == 3
    assert result.stdout.startswith("INCONCLUSIVE: history does not fit into memory")
    events = [(p, "invoke", "write", None, p % 3) for p in range(600)]
    write(*events, *((p, "ok", "write") for p in range(600)), (0, "invoke", "read"), (0, "ok", "read", None, 2))
    result = lakeproof("check", "history", "--max-seconds", "1e-9")
    assert result.exit_code == 3
    assert "time is up" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE: ")


def test_what_is_no_history_is_refused_in_one_line() -> None:
    Path("history").write_text("nonsense\n")
    assert complaint(lakeproof("check", "history")).startswith("history: line 1: 'nonsense' begins no format of ours")
    write((0, "invoke", "write", None, 1), (0, "ok", "fly"))
    assert complaint(lakeproof("check", "history")).startswith("history: line 2: process 0 returned from 'fly'")
    write((0, "invoke", "fly"))
    assert complaint(lakeproof("check", "history")).startswith("history: operations fly: no model has them all")
    write((0, "invoke", "a\n\ud800"), (0, "invoke", "a\n\ud800"))
    assert complaint(lakeproof("check", "history")).startswith("history: line 2: process 0 invoked, but its 'a\\n")
    write((0, "invoke", "a\n\ud800"))
    assert complaint(lakeproof("check", "history")).startswith("history: operations 'a\\n\\ud800': no model")
    write((0, "invoke", "txn", None, [["r", "x", None]]), (0, "ok", "txn", None, 7))
    assert complaint(lakeproof("check", "history")).startswith("history: line 1: txn of 7; expected a list")
    write((0, "invoke", "write", None, 1))
    assert "is not one of kv" in complaint(lakeproof("check", "history", "--model", "kv"))
    write((0, "invoke", "cas", None, 1), (0, "ok", "cas"))
    assert complaint(lakeproof("check", "history")).startswith("history: line 1: cas of 1; expected two values")
    assert complaint(lakeproof("check", "absent")).startswith("absent: No such file")

"""Informal traces: what we export comes back the same; what does not fit, or is foreign, is refused in one line."""

import json
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeproof.explore.trace import Trace, TraceError, TraceStep, write
from lakeproof.explore.trace import read as read_own
from lakeproof.pages.itf import informal_trace
from lakeproof.pages.itf_reading import read
from tests.commands import RACING, ROOT, complaint, lakeproof
from tests.report.traces import AFTERMATH, CRASH, RACE, TROUBLE

TRACES = {"race": RACE, "crash": CRASH, "trouble": TROUBLE, "aftermath": AFTERMATH}
COMMITTED = sorted((ROOT / "examples" / "traces").glob("*.json"))[::6]
FOREIGN = {
    "#meta": {"format": "ITF", "source": "twoPhase.qnt", "status": "violation"},
    "vars": ["x"],
    "states": [{"#meta": {"index": 0}, "x": {"#bigint": "1"}}],
}


def exported(trace: Trace, folder: Path) -> Path:
    path = folder / "t.itf.json"
    path.write_text(informal_trace(trace), encoding="utf-8")
    return path


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_an_exported_trace_comes_back_the_same(trace: Trace, tmp_path: Path) -> None:
    assert read(exported(trace, tmp_path)) == trace


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem[:60])
def test_so_does_every_committed_one(path: Path, tmp_path: Path) -> None:
    assert read(exported(read_own(path), tmp_path)) == read_own(path)


def test_every_field_of_a_step_is_in_its_state() -> None:
    state = json.loads(informal_trace(TROUBLE))["states"][1]
    there = {*state, *state["#meta"]["lakeproof"], "returned"}  # which is the variable ``ended``
    assert {field.name for field in attrs.fields(TraceStep)} <= there


def test_a_trace_in_our_own_format_is_read_as_ever(tmp_path: Path) -> None:
    write(TROUBLE, tmp_path / "t.json")
    assert read(tmp_path / "t.json") == TROUBLE


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_that_was_edited_is_refused_or_read_as_it_stands(tmp_path: Path, data: st.DataObject) -> None:
    told = json.loads(informal_trace(TROUBLE))
    place: object = told
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))  # type: ignore[arg-type]
        inner = place[key]  # type: ignore[index]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            break
        place = inner
    if data.draw(st.booleans()):
        del place[key]  # type: ignore[attr-defined]
    else:
        place[key] = data.draw(st.sampled_from([None, 3, "other", [], {}, ["x"], True]))  # type: ignore[index]
    path = tmp_path / "t.itf.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    found, told_why = tried(path)
    if found is None:
        assert told_why.startswith(str(path))
        assert "\n" not in told_why
    else:
        assert json.loads(informal_trace(found))["states"] == told["states"]


def tried(path: Path) -> tuple[Trace | None, str]:
    try:
        return read(path), ""
    except TraceError as error:
        return None, str(error)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda data: data["states"][2]["store"].update({"#map": [["counters/n", "7"]]}), "states[2]: it is not what"),
        (lambda data: data["states"].pop(3), "it is not what the steps before it leave"),
        (lambda data: data["states"].clear(), "expected a list of states"),
        (lambda data: data["states"][1]["#meta"].pop("lakeproof"), "states[1].#meta.lakeproof: missing"),
        (lambda data: data["states"][1]["#meta"]["lakeproof"].update(mode="boom"), "'boom': expected one of"),
        (lambda data: data["#meta"]["lakeproof"].pop("bounds"), "field 'bounds' is missing"),
    ],
)
def test_what_does_not_fit_together_is_named(edit: object, told: str, tmp_path: Path) -> None:
    data = json.loads(informal_trace(TROUBLE))
    assert callable(edit)
    edit(data)
    path = tmp_path / "t.itf.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(TraceError) as refused:
        read(path)
    assert told in str(refused.value)


@pytest.mark.parametrize("command", ["show", "replay"])
def test_a_foreign_one_is_refused_and_told_what_to_do(command: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign.itf.json"
    path.write_text(json.dumps(FOREIGN), encoding="utf-8")
    found = complaint(lakeproof(command, str(path)))
    assert "an informal trace that lakeproof has not written" in found
    assert "lakeproof explore SCENARIO --path" in found


def test_it_is_replayed_and_shown_like_the_trace_itself(tmp_path: Path) -> None:
    lakeproof("verify", "--from", str(RACING), "lost-update", "--out", str(tmp_path))
    [own] = tmp_path.glob("*.json")
    itf = tmp_path / "t.itf.json"
    itf.write_text(lakeproof("show", str(own), "--format", "itf").stdout, encoding="utf-8")
    replayed = lakeproof("replay", str(itf), "--from", str(RACING))
    assert (replayed.exit_code, replayed.stdout) == (0, lakeproof("replay", str(own), "--from", str(RACING)).stdout)
    assert lakeproof("show", str(itf)).stdout == lakeproof("show", str(own)).stdout
    assert lakeproof("show", str(itf), "--format", "itf").stdout == itf.read_text("utf-8")

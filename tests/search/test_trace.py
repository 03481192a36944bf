"""Traces as files: they survive the way to disk and back, and whatever is wrong with one is named with its place."""

import json
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import attrs
import pytest

from lakeproof.scenario import Scenario
from lakeproof.search.replay import record
from lakeproof.search.search import search
from lakeproof.search.trace import Trace, TraceError, read, write
from tests.racing import AFTERWARDS, FAULTY, LOST_UPDATE

JSONObject = dict[str, object]


def found(scenario: Scenario) -> Trace:
    """The trace of the first thing that a scenario violates."""
    findings = [finding for finding in search(scenario).findings if finding.counterexample is not None]
    assert findings[0].counterexample is not None
    return record(scenario, findings[0].id, findings[0].counterexample.moves, version="1.2.3")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "a.json"
    write(found(LOST_UPDATE), path)
    return path


@pytest.mark.parametrize("scenario", [LOST_UPDATE, FAULTY, AFTERWARDS], ids=lambda scenario: scenario.name)
def test_a_trace_survives_the_way_to_disk_and_back(scenario: Scenario, tmp_path: Path) -> None:
    trace = found(scenario)
    write(trace, tmp_path / "deep" / "er" / "a.json")
    assert read(tmp_path / "deep" / "er" / "a.json") == trace
    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["a.json"]


def test_text_that_is_no_unicode_does_not_break_the_file(tmp_path: Path) -> None:
    trace = attrs.evolve(found(LOST_UPDATE), evidence="half a pair: \ud800", scenario="Größe/→")
    write(trace, tmp_path / "a.json")
    assert read(tmp_path / "a.json").scenario == "Größe/→"


def test_nothing_is_left_of_a_trace_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write(found(LOST_UPDATE), tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_two_processes_may_write_one_trace_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace, path, replace = found(LOST_UPDATE), tmp_path / "a.json", Path.replace

    def replace_late(self: Path, target: Path) -> Path:
        other = get_context("spawn").Process(target=write, args=(trace, path))
        other.start()
        other.join()
        assert other.exitcode == 0
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_late)
    write(trace, path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
    assert read(path) == trace


class TestMalformed:
    """Each message names the file, the place in it, and what to do."""

    @pytest.mark.parametrize(
        ("content", "place"),
        [
            (b"\xff\xfe", "byte 0: not UTF-8"),
            (b"", ":1:1: not JSON: Expecting value"),
            (b'{"trace": 1,\n "lakeproof" }', ":2:14: not JSON: Expecting ':' delimiter"),
            (b'{"scenario": "x"}', "no trace: expected a JSON object"),
            (b'{"gate": 1, "scenario": "x"}', "a trace of the gate; run it with `lakeproof gate replay "),
            (b"[" * 100_000, "nested too deeply"),
            (b'{"trace": 2, "lakeproof": "9.9"}', "trace: format 2, of lakeproof 9.9; this one reads format 1"),
            (b'{"trace": "1"}', "trace: format '1', of lakeproof ?"),
        ],
    )
    def test_a_file_that_is_no_trace(self, content: bytes, place: str, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_bytes(content)
        assert place in self.refusal(path)

    @pytest.mark.parametrize(
        ("change", "place"),
        [
            (lambda d: d.pop("bounds"), "the trace: field 'bounds' is missing"),
            (lambda d: d.update(extra=1), "the trace: unknown field 'extra'; take it out"),
            (lambda d: d.update(scenario=3), "scenario: 3: expected a string"),
            (lambda d: d.update(bounds=[]), "bounds: []: expected an object"),
            (lambda d: d["bounds"].update(crashes="many"), 'bounds.crashes: "many": expected an integer'),
            (lambda d: d["bounds"].update(crashes=True), "bounds.crashes: true: expected an integer"),
            (lambda d: d["bounds"].update(clock_jumps=[1, None]), "bounds.clock_jumps[1]: null: expected an integer"),
            (lambda d: d.update(clients=[["a"], [1]]), "clients[1][0]: 1: expected a string"),
            (lambda d: d.update(initially=[["only a key"]]), "initially[0]: 1 parts: expected a key and what it holds"),
            (lambda d: d.update(schedule={}), "schedule: {}: expected a list"),
            (lambda d: d["schedule"].append(7), "schedule[4]: 7: expected an object"),
            (lambda d: d["schedule"][2].pop("exact"), "schedule[2]: field 'exact' is missing"),
            (lambda d: d["schedule"][2].update(mode="norml"), "schedule[2].mode: 'norml': expected one of 'normal'"),
            (lambda d: d["schedule"][2].update(changes=[["k", 1, "x"]]), "schedule[2].changes[0][1]: 1: expected a"),
        ],
    )
    def test_a_field_that_is_not_what_it_should_be(
        self, change: Callable[[JSONObject], None], place: str, written: Path
    ) -> None:
        content = json.loads(written.read_text())
        change(content)
        written.write_text(json.dumps(content))
        assert place in self.refusal(written)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        assert "No such file" in self.refusal(tmp_path / "none.json")

    def test_a_folder(self, tmp_path: Path) -> None:
        assert "Is a directory" in self.refusal(tmp_path)

    def refusal(self, path: Path) -> str:
        with pytest.raises(TraceError) as caught:
            read(path)
        message = str(caught.value)
        assert message.startswith(str(path))
        assert "\n" not in message
        assert ";" in message  # the repair
        return message

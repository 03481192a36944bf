"""Replay: what a search reports is reproduced on the real flows, and any difference is named with its step. Traces
survive the way to disk and back, and whatever is wrong with a file is named with its place."""

import json
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import attrs
import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.model.identifiers import CommitID, TagID
from lakeproof.model.invariants import Always, Reached, Violation
from lakeproof.model.records import Tag
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Flow
from lakeproof.search.faults import Mode, Move
from lakeproof.search.minimise import preemptions, reduce_preemptions
from lakeproof.search.replay import NotReproduced, ReplayDiverged, record, replay
from lakeproof.search.search import search
from lakeproof.search.trace import Trace, TraceError, read, write
from tests.racing import AFTERWARDS, COUNTER, FAULTY, LOST_UPDATE, clear, increment
from tools.catalogues import everything

A, B = Move(0, Mode.NORMAL), Move(1, Mode.NORMAL)
BY_NAME = {scenario.name: scenario for scenario in everything()}

EVERY_KIND = [
    "repositories/naive/absent/create-create/crash",
    "repositories/naive/absent/create-delete/lost-answer",
    "repositories/kv3/delete-create-get/false-predicate",
    "repositories/step1/delete-create/late-write",
    "repositories/step1/delete-delete-create",
    "repositories/step2/absent/create-delete-get/clock-jump",
    "repositories/step2/delete-create-clean-create_branch",
]


def recorded(scenario: Scenario, *moves: Move) -> Trace:
    return record(scenario, scenario.ids[0], moves, version="1")


@pytest.mark.parametrize("name", EVERY_KIND)
def test_what_the_search_reports_is_reproduced_and_replays(name: str) -> None:
    scenario = BY_NAME[name]
    violated = [finding for finding in search(scenario).findings if finding.counterexample is not None]
    assert violated
    for finding in violated:
        assert finding.counterexample is not None
        moves = reduce_preemptions(scenario, finding.counterexample.moves, finding.id)
        trace = record(scenario, finding.id, moves, version="1")
        assert len(trace.schedule) == len(finding.counterexample.moves)
        assert preemptions(moves) <= preemptions(finding.counterexample.moves)
        assert replay(trace, scenario).steps == len(trace.schedule)


def test_an_aftermath_is_told_with_its_calls() -> None:
    trace = recorded(AFTERWARDS, B, A, A)
    assert trace.afterwards == ("increment() returns 2",)
    assert trace.evidence == "one more increment made it 2"
    assert replay(trace, AFTERWARDS).steps == 3


class TestNotReproduced:
    """A search that reports what does not happen is wrong, and must not be believed."""

    def test_moves_that_violate_nothing(self) -> None:
        with pytest.raises(NotReproduced, match="increments-count was violated in the search, and is not"):
            recorded(LOST_UPDATE, A, A, B, B)

    def test_moves_that_are_not_possible(self) -> None:
        with pytest.raises(NotReproduced, match="step 3 of 4, 0:crash, is not possible"):
            recorded(LOST_UPDATE, A, B, Move(0, Mode.CRASH), B)

    def test_moves_that_go_on_after_the_violation(self) -> None:
        scenario = attrs.evolve(LOST_UPDATE, invariants=[_NEVER_ONE])
        with pytest.raises(NotReproduced, match="never-one is violated before step 3 of 4"):
            recorded(scenario, A, A, B, B)


_NEVER_ONE = Always(
    id="never-one",
    meaning="the counter is not 1",
    check=lambda s: [Violation("never-one", "it is 1") if s.store.get(COUNTER) == b"1" else Reached("not 1")],
)


_VIOLATED_AT_ONCE = attrs.evolve(
    _NEVER_ONE, id="increments-count", check=lambda _: [Violation("increments-count", "at once")]
)
_COUNTS_NOTHING = Always(id="increments-count", meaning="nothing", check=lambda _: [Reached("always")])
_NOTHING_IN_R = Always(
    id="nothing-in-r",
    meaning="nothing lives in r",
    check=lambda s: [Violation("nothing-in-r", "something") if s.store else Reached("nothing")],
)


@attrs.frozen
class Differs:
    """Another flow under the old name: how often it reads, what it adds (0: it does not write), and what it says more
    than it has read."""

    reads: int = 1
    adds: int = 1
    says: int = 1

    async def increment(self, env: Env) -> int:
        found = 0
        for _ in range(self.reads):
            entry = await env.store.find(*COUNTER)
            found = 0 if entry is None else int(entry.value)
        if self.adds:
            await env.store.set(*COUNTER, b"%d" % (found + self.adds))
        return found + self.says


class TestDiverged:
    """The message names the step, what the trace says and what the code now does."""

    trace = recorded(LOST_UPDATE, A, B, A, B)

    @pytest.mark.parametrize(
        ("flow", "step", "said", "found"),
        [
            (Differs(reads=2), 4, "increment(): set counters/n = 1", "increment(): get counters/n"),
            (Differs(adds=2), 4, "increment(): set counters/n = 1", "set counters/n = 2"),
            (Differs(says=0), 4, "increment() returns 1", "increment() returns 0"),
            (Differs(adds=0, says=0), 2, "the call continues", "increment() returns 0"),
        ],
        ids=["another effect", "another value", "another result", "an early end"],
    )
    def test_a_changed_flow_fails_at_the_step_where_it_differs(
        self, flow: Differs, step: int, said: str, found: str
    ) -> None:
        changed = attrs.evolve(LOST_UPDATE, clients=[[Call(increment)], [Call(flow.increment)]])
        first, trace_line, code_line = self.divergence(self.trace, changed)
        assert first == f"step {step} of 4, client b: the code no longer follows the trace"
        assert said in trace_line
        assert found in code_line

    def test_a_detail_that_words_leave_out_is_noticed(self) -> None:
        def scenario(hidden: str) -> Scenario:
            async def write(env: Env) -> None:
                tag = Tag(tag_id=TagID(hidden), commit_id=CommitID("c"))  # words only name the commit
                await env.store.set(b"r-1", b"tags/t", encode(tag))

            return Scenario(name="detail", clients=[[Call(write)]], invariants=[_NOTHING_IN_R])

        trace = recorded(scenario("one"), A)
        assert replay(trace, scenario("one")).steps == 1
        _, said, found = self.divergence(trace, scenario("two"))
        assert "bytes with the fingerprint" in said
        assert "the same in words" in found

    def test_a_step_that_has_become_impossible(self) -> None:
        step = attrs.evolve(self.trace.schedule[3], mode=Mode.REFUSED)
        trace = attrs.evolve(self.trace, schedule=(*self.trace.schedule[:3], step))
        first, _, found = self.divergence(trace, LOST_UPDATE)
        assert first.startswith("step 4 of 4, client b")
        assert found.endswith("only this is possible: 1:normal")

    def test_a_client_that_has_finished(self) -> None:
        trace = attrs.evolve(self.trace, schedule=(*self.trace.schedule, self.trace.schedule[3]))
        scenario = attrs.evolve(LOST_UPDATE, invariants=[_COUNTS_NOTHING])
        assert "the client has finished" in self.divergence(trace, scenario)[2]

    @pytest.mark.parametrize(
        ("scenario", "place", "found"),
        [
            (attrs.evolve(LOST_UPDATE, setup=[Call(increment)]), "before step 1", "it leaves counters/n: 1"),
            (attrs.evolve(LOST_UPDATE, faults=Faults(crashes=1)), "before step 1", "'crashes': 1"),
            (attrs.evolve(LOST_UPDATE, clients=[[Call(increment)], [Call(clear)]]), "before step 1", "clear()"),
            (attrs.evolve(LOST_UPDATE, invariants=[_COUNTS_NOTHING]), "after step 4 of 4", "it holds"),
            (attrs.evolve(LOST_UPDATE, invariants=[_VIOLATED_AT_ONCE]), "step 1 of 4", "violated already"),
        ],
        ids=["setup", "faults", "clients", "an invariant that holds", "an invariant that is violated earlier"],
    )
    def test_another_scenario(self, scenario: Scenario, place: str, found: str) -> None:
        first, _, code_line = self.divergence(self.trace, scenario)
        assert first.startswith(place)
        assert found in code_line

    def test_other_evidence(self) -> None:
        _, said, found = self.divergence(attrs.evolve(self.trace, evidence="the moon"), LOST_UPDATE)
        assert said.endswith("evidence: the moon")
        assert found.endswith("evidence: 2 increments, and the counter says 1")

    @pytest.mark.parametrize(
        ("change", "was", "found"),
        [
            (partial(attrs.evolve, afterwards=("it returns 3",)), "it returns 3", "increment() returns 2"),
            (partial(attrs.evolve, afterwards=()), "nothing", "increment() returns 2"),
            (partial(attrs.evolve, loop=1), "1", "None"),
        ],
    )
    def test_another_end(self, change: Callable[[Trace], Trace], was: str, found: str) -> None:
        first, *lines = self.divergence(change(recorded(AFTERWARDS, B, A, A)), AFTERWARDS)
        assert first.startswith("after step 3 of 3")
        assert [line.rpartition(": ")[2] for line in lines] == [was, found]

    @pytest.mark.parametrize("file", ["mine.py", "my file.py", "look at me.py"])
    def test_lines_may_move_and_what_is_raised_may_not(self, file: str) -> None:
        def scenario(raises: str, lines: int) -> Scenario:
            flow = f"async def fail(env):\n    await env.store.set(b'p', b'k', b'1')\n    raise {raises}"
            made: dict[str, Flow] = {}
            exec(compile("\n" * lines + flow, file, "exec"), made)  # noqa: S102
            return Scenario(name="s", clients=[[Call(made["fail"])]], invariants=[_COUNTS_NOTHING])

        trace = record(scenario("KeyError('lost at noon')", 0), NO_UNHANDLED_EXCEPTION, [A], version="1")
        assert trace.evidence.endswith(f" at {file}:3")
        assert replay(trace, scenario("KeyError('lost at noon')", 5)).steps == 1
        self.divergence(trace, scenario("KeyError('lost at dawn')", 0))

    def divergence(self, trace: Trace, scenario: Scenario) -> list[str]:
        with pytest.raises(ReplayDiverged) as caught:
            replay(trace, scenario)
        lines = str(caught.value).split("\n")
        assert len(lines) == 3
        assert lines[1].startswith("  trace: ")
        assert lines[2].startswith("  code:  ")
        return lines


class TestUnusable:
    """Traces that name what the scenario does not have."""

    trace = recorded(LOST_UPDATE, A, B, A, B)

    def test_an_unknown_invariant(self) -> None:
        with pytest.raises(TraceError, match="no invariant 'gone'; it checks increments-count, no-"):
            replay(attrs.evolve(self.trace, invariant="gone"), LOST_UPDATE)

    @pytest.mark.parametrize("client", ["c", "", "ab", "-"])
    def test_an_unknown_client(self, client: str) -> None:
        step = attrs.evolve(self.trace.schedule[1], client=client)
        trace = attrs.evolve(self.trace, schedule=(self.trace.schedule[0], step))
        with pytest.raises(TraceError, match=r"schedule\[1\].client: '.*': clients are a, b"):
            replay(trace, LOST_UPDATE)


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

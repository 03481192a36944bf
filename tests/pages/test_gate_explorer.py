"""Programs behind the gate, walked without a browser: states by their paths, what is refused, what is left over."""

import http.client
import json
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import attrs
import pytest
import trio

from lakeproof.gate import running
from lakeproof.gate.classes import Choice, Classes, Diverged, Name
from lakeproof.gate.holding import NORMAL
from lakeproof.gate.loading import loaded
from lakeproof.gate.scenario import GateCall, GateScenario
from lakeproof.gate.searching import Found
from lakeproof.pages.gate.live import exploring, told_of
from lakeproof.pages.gate.paths import path_of
from lakeproof.pages.walking import NoSuchMove
from lakeproof.running.tasks import Unusable
from tests.commands import ROOT, complaint, lakeproof, spawned
from tests.pages.test_explorer import asked, started

COUNTER: Final = ROOT / "examples" / "gate" / "counter.py"
GRIEF: Final = Path(__file__).with_name("grief.py")
ON_THE_WAY: Final = ROOT / "tests" / "gate" / "on_the_way.py"
State_ = dict[str, object]


def seen(file: Path, name: str, *paths: str) -> list[State_ | Exception]:
    """The state of each path, or what was raised in its place, one after the other."""
    [scenario] = [each for each in loaded(file) if each.name == name]

    async def walked() -> list[State_ | Exception]:
        found: list[State_ | Exception] = []
        async with exploring(scenario, file, 20.0) as explorer:
            for path in paths:
                try:
                    found.append(await explorer.state(path))
                except (NoSuchMove, Diverged, Unusable) as error:
                    found.append(error)
        return found

    return trio.run(walked)


def state(file: Path, name: str, path: str) -> State_:
    [found] = seen(file, name, path)
    assert isinstance(found, dict), found
    return found


def part(found: State_ | Exception, name: str) -> list[State_]:
    assert isinstance(found, dict), found
    return cast("list[State_]", found[name])


def sentences(found: State_ | Exception, name: str) -> list[str]:
    return [str(row["sentence"]) for row in part(found, name)]


class TestStates:
    def test_an_invariant_of_every_step_is_asked_in_each_state_of_this_path_only(self) -> None:
        early, late, broken = seen(ON_THE_WAY, "independent", "", "c1,c2,c2", "c1,c2,c2,c2")
        state_of = {name: [row["state"] for row in part(found, "invariants") if row["id"] == "one_is_there"]
                    for name, found in (("early", early), ("late", late), ("broken", broken))}  # fmt: skip
        assert state_of == {"early": ["holds here"], "late": ["violated"], "broken": ["violated"]}
        [row] = [row for row in part(broken, "invariants") if row["id"] == "one_is_there"]
        assert row["step"] == 3, "after the old object is deleted, and before the new one is there"

    def test_a_move_says_which_invariant_it_would_violate(self) -> None:
        found = state(ON_THE_WAY, "swap-at-once", "")
        told = {str(row["sentence"]): row["violates"] for row in part(found, "options")}
        violating = [name for name, violates in told.items() if violates]
        assert violating == ["c1 DELETE bucket/old -> 204; bucket/old: 1 → nothing"]

    def test_faults_are_moves_as_far_as_their_budgets_allow(self) -> None:
        first, spent, killed = seen(GRIEF, "faults", "", "c1.lost-applied", "c1.lost-applied,c1.crash")
        names = [str(row["name"]).partition(".")[2] for row in part(first, "options")]
        assert names == ["", "refused", "lost-applied", "lost-dropped", "crash", "crash-applied"]
        names = [str(row["name"]).partition(".")[2] for row in part(spent, "options")]
        assert names == ["", "refused", "crash", "crash-applied"]
        assert [row["left"] for row in part(spent, "budgets")] == [0, 1, 1]
        assert [row["left"] for row in part(killed, "budgets")] == [0, 1, 0]
        assert part(killed, "clients")[0]["state"] == "was killed"
        [row] = part(killed, "invariants")
        assert (row["state"], row["evidence"]) == ("violated", "only bucket/first is there")
        assert row["meaning"] == "The two objects are there, or none of them is."

    def test_each_move_with_a_fault_turns_out_as_it_was_told(self) -> None:
        [scenario] = [each for each in loaded(GRIEF) if each.name == "faults"]

        async def walked() -> int:
            states = 0
            async with exploring(scenario, GRIEF, 20.0) as explorer:
                paths = [""]
                for path in paths:
                    found = await explorer.state(path)
                    for option in part(found, "options"):
                        if "crash" in str(option["path"]):
                            continue  # a process that is started again takes long
                        after = await explorer.state(str(option["path"]))
                        assert part(after, "steps")[-1]["sentence"] == option["sentence"]
                        assert after["before"] == found["after"]
                        paths.append(str(option["path"]))
                        states += 1
            return states

        # Four ways for the first write: it goes well, is refused, or loses its answer in two ways. For the second one
        # the same four, without the refusal if that is spent, or without the two losses if that is.
        assert trio.run(walked) == 4 + 4 + 3 + 2 + 2

    def test_a_violation_on_the_way_is_saved_as_a_whole_schedule_that_is_replayed(self, tmp_path: Path) -> None:
        [scenario] = [each for each in loaded(ON_THE_WAY) if each.name == "independent"]

        async def saved() -> str:
            async with exploring(scenario, ON_THE_WAY, 20.0) as explorer:
                with pytest.raises(NoSuchMove, match="'one_is_there' is not violated on this path"):
                    await explorer.trace("c1,c2", "one_is_there")
                return await explorer.trace("c1,c2,c2", "one_is_there")

        path = tmp_path / "trace.json"
        path.write_text(trio.run(saved), encoding="utf-8")
        assert len(json.loads(path.read_text())["steps"]) == 5
        again = lakeproof("gate", "replay", str(path))
        assert again.exit_code == 1
        assert "violated: one_is_there" in again.stdout

    def test_requests_of_one_client_that_wait_at_once_are_moves_of_their_own(self) -> None:
        paths = [path_of([Choice(Name("c1", f"GET bucket/{key}"), NORMAL)]) for key in ("a", "b")]
        first, *after = seen(GRIEF, "two_at_once", "", *paths)
        assert [row["path"] for row in part(first, "options") if row["client"] == "c1"] == paths
        assert [sentences(each, "steps") for each in after] == [[f"c1 GET bucket/{key} -> 404"] for key in ("a", "b")]

    def test_a_call_that_answers_from_memory_is_said_to_show_nothing(self) -> None:
        notes = cast("list[str]", state(GRIEF, "cached", "")["notes"])
        assert "This shows nothing: c1: cached() returned without a request" in notes[1]


class TestTrouble:
    def test_a_program_that_asks_otherwise_diverges_and_shows_no_state(self) -> None:
        # Each state is a run. The first three ask for b; the fourth one does not, and all that follow.
        first, second, _, third, beginning = seen(GRIEF, "forgets", "c1", "c1", "", "c1", "")
        assert sentences(first, "options") == sentences(second, "options")
        assert isinstance(third, Diverged)
        assert "after 1 steps the program no longer asks for c1 GET bucket/b; now asks for c1 GET bucket/c" in str(
            third
        )
        assert isinstance(beginning, dict), "up to there it is the same"

    def test_a_program_that_dies_is_one_line_and_the_next_state_is_that_of_new_processes(self) -> None:
        broken, again = seen(GRIEF, "dies", "c1", "")
        assert isinstance(broken, Unusable)
        assert str(broken) == f"dies: c1: dies(): {GRIEF}: the process ended with code 7"
        assert sentences(again, "options") == ["c1 GET bucket/a -> 404"], "it dies later, which is none of this state"

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("garbles", "the process answered b'hello', not an object in JSON"),
            ("stranger", "bucket/b: the store was changed by a request that is no step"),
            ("hangs", "hangs: c1: no request and no answer for 0.3 s, and all threads sleep"),
        ],
    )
    def test_a_program_that_comes_to_grief_is_one_line_and_no_state(
        self, name: str, told: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(running, "PATIENCE_SECONDS", 0.3)
        [broken] = seen(GRIEF, name, "c1")
        assert isinstance(broken, Unusable)
        assert told in str(broken)
        assert len(str(broken).splitlines()) == 1

    @pytest.mark.parametrize(
        ("name", "path", "told"),
        [
            ("changed", "c1", "through: GET bucket/credentials was let through, and c1 PUT bucket/credentials changes"),
            ("false", "", "the invariant says_false returned False"),
        ],
    )
    def test_what_no_verdict_can_rest_on_is_no_state(self, name: str, path: str, told: str) -> None:
        [found] = seen(ON_THE_WAY, name, path)
        assert isinstance(found, Unusable)
        assert told in str(found)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[int, str]]:
    """A port and a token."""
    process = spawned("explore", f"{COUNTER}::counter/blind")
    try:
        address = started(process)
        yield int(address.split("/")[2].rpartition(":")[2]), address.split("/")[3]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "ended\n")
    finally:
        process.kill()
        process.communicate()


class TestServing:
    def state(self, served: tuple[int, str], path: str) -> tuple[int, State_]:
        port, token = served
        status, body, _ = asked(port, f"/{token}/state?path={path}")
        return status, json.loads(body)

    def test_a_state_has_the_fields_of_those_of_a_scenario(self, served: tuple[int, str]) -> None:
        from tests.pages.test_explorer import RACES, VIOLATED

        status, found = self.state(served, "c1,c2,c1,c2")
        assert status == 200
        ours = RACES.state(VIOLATED)
        assert found.keys() == ours.keys()
        for name in ("steps", "clients", "invariants"):
            assert part(found, name)[0].keys() == part(ours, name)[0].keys()
        _, begun = self.state(served, "")
        assert part(begun, "options")[0].keys() == part(RACES.state(""), "options")[0].keys()

    def test_the_path_of_a_state_leads_there_again(self, served: tuple[int, str]) -> None:
        _, found = self.state(served, "c1,c2")
        status, again = self.state(served, str(found["path"]))
        assert (status, again["steps"]) == (200, found["steps"])
        assert str(found["command"]).endswith(f"counter.py::counter/blind --path {found['path']}")

    def test_all_requests_that_wait_are_moves_and_each_leads_to_the_state_that_it_told(
        self, served: tuple[int, str]
    ) -> None:
        first, second, third = (self.state(served, path)[1] for path in ("", "c1,c2", "c1,c2,c1"))
        assert sentences(first, "options") == ["c1 GET bucket/counter -> 200", "c2 GET bucket/counter -> 200"]
        told = "PUT bucket/counter -> 200; bucket/counter: 0 → 1"
        assert sentences(second, "options") == [f"c1 {told}", f"c2 {told}"]
        assert sentences(third, "steps")[-1] == sentences(second, "options")[0]
        assert (third["before"], third["after"]) == ({"bucket/counter": "0"}, {"bucket/counter": "1"})
        assert part(third, "steps")[-1]["keys"] == ["bucket/counter"]
        assert part(third, "steps")[-1]["returned"] == ["c1: blind() returned 1"]

    def test_an_invariant_of_the_end_is_asked_there_and_not_before(self, served: tuple[int, str]) -> None:
        paths = ("", "c1,c2,c1", "c1,c2,c1,c2", "c1,c1,c2,c2")
        found = [self.state(served, path)[1] for path in paths]
        told = [part(each, "invariants")[0]["state"] for each in found]
        assert told == ["is asked at the end", "is asked at the end", "violated", "holds here"]
        assert part(found[2], "invariants")[0]["evidence"] == "2 additions were acknowledged, and the counter is 1"
        assert part(found[2], "steps")[-1]["violates"] == ["counted_once"]
        assert [each["end"] for each in found] == [False, False, True, True]

    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("c3", "step 1, c3: no such request waits there; possible: c1, c2"),
            ("c1,c1,c1", "step 3, c1: no such request waits there; possible: c2"),
            ("c1,c1,c2,c2,c1", "step 5, c1: nothing waits there: it is the end"),
            ("c1:00000000", "no such request waits there; c1 waits with c1:"),
            ("%3Cscript%3E", "is no move"),
        ],
    )
    def test_a_path_that_cannot_be_walked_is_refused_and_the_server_goes_on(
        self, served: tuple[int, str], path: str, told: str
    ) -> None:
        status, found = self.state(served, path)
        assert (status, list(found)) == (422, ["problem"])
        assert told in str(found["problem"])
        assert self.state(served, "")[0] == 200

    @pytest.mark.parametrize("prefix", ["", "/x", "/{most}", "/{token}x", "//{token}"])
    def test_without_the_token_nothing_is_answered(self, served: tuple[int, str], prefix: str) -> None:
        port, token = served
        status, body, _ = asked(port, prefix.format(token=token, most=token[:-1]) + "/state?path=")
        assert status == 403
        assert "the token is missing or wrong" in body

    def test_a_saved_trace_is_replayed(self, served: tuple[int, str], tmp_path: Path) -> None:
        port, token = served
        status, body, _ = asked(port, f"/{token}/trace?path=c1,c2,c1,c2&invariant=counted_once")
        path = tmp_path / "trace.json"
        path.write_text(body, encoding="utf-8")
        again = lakeproof("gate", "replay", str(path))
        assert (status, again.exit_code) == (200, 1)
        assert "violated: counted_once" in again.stdout
        _, there = self.state(served, "c1,c2,c1,c2")
        assert again.stderr == f"in a browser: {there['command']}\n"

    @pytest.mark.parametrize(
        ("path", "invariant"), [("c1,c2", "counted_once"), ("c1,c1,c2,c2", "counted_once"), ("", "x")]
    )
    def test_a_trace_of_what_is_not_violated_is_refused(
        self, served: tuple[int, str], path: str, invariant: str
    ) -> None:
        port, token = served
        status, body, _ = asked(port, f"/{token}/trace?path={path}&invariant={invariant}")
        assert (status, json.loads(body)) == (422, {"problem": f"'{invariant}' is not violated on this path"})

    def test_a_search_leads_to_a_state_that_violates(self, served: tuple[int, str]) -> None:
        port, token = served
        found = json.loads(asked(port, f"/{token}/search", "POST")[1])
        assert found["told"].startswith("all schedules were run: 4 schedules, ")
        verdict = found["verdicts"]["counted_once"]
        assert (verdict["verdict"], verdict["steps"]) == ("violated", 4)
        _, there = self.state(served, verdict["path"])
        assert part(there, "invariants")[0]["state"] == "violated"


def test_at_ctrl_c_nothing_is_left_of_a_search_and_of_a_walk(tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    file.write_text(COUNTER.read_text())
    process = spawned("explore", f"{file}::counter/careful")
    try:
        address = started(process)
        port, token = int(address.split("/")[2].rpartition(":")[2]), address.split("/")[3]
        waiting = http.client.HTTPConnection("127.0.0.1", port)
        waiting.request("POST", f"/{token}/search")
        while len(programs(file)) < 4 and not select.select([waiting.sock], [], [], 0)[0]:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        waiting.close()
        assert (process.returncode, err) == (0, "ended\n")
        assert programs(file) == []
    finally:
        process.kill()
        process.communicate()


def programs(file: Path) -> list[int]:
    """The processes of this machine that run a file."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"lakeproof.gate.child" in words and str(file).encode() in words:
            found.append(int(folder.name))
    return found


class TestSearch:
    PARALLEL: Final = GateScenario(name="n", clients=[[GateCall("f")]], invariants=[print])

    @pytest.mark.parametrize(
        ("search", "found", "why"),
        [
            (
                Classes(over=True, confirmed=True),
                Found(silent="c1: f() returned without a request"),
                "without a request",
            ),
            (Classes(over=True, confirmed=True, diverged=1), Found(trouble=["after 1 steps"]), "after 1 steps"),
            (Classes(), Found(), "the time was over"),
            (Classes(over=True, confirmed=True, taken_back="c b no longer waits"), Found(), "c b no longer waits"),
        ],
    )
    def test_what_is_not_proved_says_why(self, search: Classes, found: Found, why: str) -> None:
        told = told_of(self.PARALLEL, search, found, 1.0)
        verdict = cast("dict[str, dict[str, object]]", told["verdicts"])["print"]
        assert (verdict["verdict"], verdict["path"]) == ("inconclusive", None)
        assert why in str(verdict["why"])

    def test_what_is_proved_says_what_it_covers(self) -> None:
        whole = Classes(over=True, confirmed=True)
        told: dict[bool | str, str] = {True: "", False: "with one order", "threads": "with parallel requests"}
        for parallel, why in told.items():
            scenario = attrs.evolve(self.PARALLEL, parallel=parallel)
            verdict = cast("dict[str, dict[str, object]]", told_of(scenario, whole, Found(), 1.0)["verdicts"])["print"]
            assert verdict["verdict"] == "holds"
            assert str(verdict["why"]).startswith(why)
            assert bool(verdict["why"]) is bool(why)


class TestCommand:
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ([str(COUNTER)], "3 scenarios; name one: "),
            ([f"{COUNTER}::none"], "no scenario matches none; it has counter/blind, "),
            (["none.py::x"], "none.py: there is no such file; name a Python file with SCENARIOS of the gate"),
            ([f"{ROOT / 'tests' / 'racing.py'}"], "no list SCENARIOS of GateScenario"),
            ([f"{COUNTER}::counter/blind", "--path", "c3"], "--path c3: step 1, c3: no such request waits there"),
            ([f"{COUNTER}::counter/blind", "--path", "x!"], "--path x!: 'x!' is no move"),
            ([f"{COUNTER}::counter/blind", "--from", str(COUNTER)], "leave --from out"),
        ],
    )
    def test_what_cannot_be_walked_is_one_line(self, arguments: list[str], told: str) -> None:
        assert told in complaint(lakeproof("explore", *arguments))

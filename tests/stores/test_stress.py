"""`lakeproof stress`: planted bugs are found with the defaults, correct stores stand it, faults are not failures."""

import json
import math
import random
import re
import sys
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path

import click
import pytest
import trio
from trio.abc import Clock

from lakeproof.commands.stress import stress
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer, Unsent
from lakeproof.live.engine import Fault, Load, Plan, Workload, run_rounds
from lakeproof.live.flows import IDS, FlowReport, Flows
from lakeproof.live.judge import HistoryReport, KeyVerdicts, judge, recorded_lines
from lakeproof.live.recorder import Recorder, Tally
from lakeproof.live.report import NotJudged, Round
from lakeproof.live.traffic import KeyRound, Traffic, malformation
from lakeproof.model import kv
from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.messages import NoProtobuf
from lakeproof.model.snapshot import Status
from lakeproof.stores import PrefixedStore, Target, target
from tests.commands import complaint, lakeproof
from tests.stores.mute import falling_mute, jumping, raising, slow, target_of
from tests.stores.planted_store import dsn as planted

pytestmark = pytest.mark.usefixtures("in_tmp_path")


@pytest.fixture
def seldom_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine needs a second to start the process again: with less between two faults it might never be up."""
    monkeypatch.setattr("lakeproof.live.engine.FAULT_SECONDS", (0.3, 3.0))


A_FEW = ("get-then-set", "lost-write", "skipping-scan", "resurrecting", "false-failure")
"""For every run: a set_if that is a get and a set, a lost write that was acknowledged, a predicate on a deleted key."""
CHECKED = ("--model", "kv", "--fail", "predicate-false", "--evidence", "0")


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("bug", [*A_FEW, pytest.param("unordered-scan", marks=pytest.mark.long)])
def test_a_planted_bug_is_found_and_its_history_shows_it(bug: str) -> None:
    Path("out/stress").mkdir(parents=True)
    Path("out/stress/impossible.9.earlier.jsonl").touch()  # of another run: it would pass for evidence of this one
    result = lakeproof("stress", planted(bug))
    assert result.exit_code == 1, result.output
    assert re.fullmatch(r"VIOLATED: round \d+ is not linearizable \(seed \d+\)", result.stdout.splitlines()[-1])
    files = sorted(path.name for path in Path("out/stress").iterdir())
    assert {"evidence.txt", "history.jsonl"} <= set(files)
    assert "impossible.9.earlier.jsonl" not in files
    impossible = [name for name in files if name.startswith("impossible.")]
    if bug == "unordered-scan" and not impossible:
        assert "expected them ascending" in result.stdout
        return
    for name in ("history.jsonl", *impossible):
        checked = lakeproof("check", *CHECKED, f"out/stress/{name}")
        assert checked.stdout.splitlines()[-1].startswith("VIOLATED: "), name


@pytest.mark.parametrize("kind", ["correct", "doubtful"])
def test_the_correct_twin_stands_it(kind: str, run_seed: int) -> None:
    done = run(target(planted(kind)), seed=run_seed, plan=Plan(rounds=2, calls=1500))
    assert (done.code, done.closing(run_seed)) == (0, f"HOLDS: 2 rounds, every key linearizable (seed {run_seed})")
    assert not Path("out").exists()


ONE_ROUND = Plan(rounds=1, calls=4000)


def run(
    chosen: Target, *faults: str, seed: int = 0, plan: Plan = ONE_ROUND, clock: Clock | None = None
) -> HistoryReport:
    done = HistoryReport()

    def make(store: Store, given: tuple[Fault, ...]) -> Traffic:
        return Traffic(Load(seconds=math.inf, seed=seed), store, given, done.judge)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lakeproof.commands.stress.run_rounds", partial(run_rounds, plan=plan))
        trio.run(stress, chosen, done, make, faults, clock=clock)
    return done


def disturbed_until_something_is_unknown(dsn: str, fault: str) -> None:
    """Rounds with the fault hold, every one; in one of them an operation has lost its answer. Each is twice as long as
    the one before: however fast the machine is, one outlasts the wait for the first fault."""
    for seed in range(8):
        done = run(target(dsn), fault, seed=seed, plan=Plan(rounds=1, calls=4000 << seed))
        assert (done.code, done.left) == (0, [])
        if sum(count for (_, how), count in done.tally.answers.items() if how == "unknown"):
            assert sum(done.tally.faults.values())
            return
    raise AssertionError("no answer was lost")


@pytest.mark.parametrize("kind", ["redis", "postgresql"])
def test_killed_connections_make_unknown_outcomes_and_no_failures(kind: str, request: pytest.FixtureRequest) -> None:
    disturbed_until_something_is_unknown(request.getfixturevalue(f"{kind}_dsn"), "kill-connections")


SPURIOUS = "--spurious-predicate-failures"


@pytest.mark.usefixtures("counted")
def test_a_spurious_store_is_violated_unless_it_is_said_to_be_one_and_what_else_is_wrong_is_found() -> None:
    assert lakeproof("stress", planted("spurious")).exit_code == 1
    result = lakeproof("stress", planted("spurious"), "--seconds", "0.1", SPURIOUS)
    assert result.exit_code == 0, result.output
    for bug in ("false-failure", "get-then-set"):
        assert lakeproof("stress", planted(bug), SPURIOUS).exit_code == 1


@pytest.mark.usefixtures("seldom_disturbed")
def test_a_process_that_keeps_its_data_may_be_killed_at_any_time(tmp_path: Path) -> None:
    disturbed_until_something_is_unknown(planted("correct", tmp_path / "data"), "restart")


def test_a_process_that_forgets_its_data_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is killed once, when it has acknowledged much."""
    monkeypatch.setattr("lakeproof.live.engine.FAULT_SECONDS", (0.0, 0.0))
    done = HistoryReport()

    def make(store: Store, faults: tuple[Fault, ...]) -> Traffic:
        async def killed(rng: random.Random) -> str:
            while done.tally.total < 300:
                await trio.lowlevel.checkpoint()
            return "none any more" if done.tally.faults else await faults[0](rng)

        return Traffic(Load(seconds=math.inf, seed=1), store, (killed,), done.judge)

    monkeypatch.setattr("lakeproof.commands.stress.run_rounds", partial(run_rounds, plan=Plan(rounds=1, calls=1500)))
    trio.run(stress, target(planted("correct")), done, make, ["restart"])
    assert done.tally.faults["the process killed"] == 1
    assert done.code == 1


def test_a_server_is_restarted_by_the_command_that_is_named() -> None:
    touch = f'{sys.executable} -c \'open("restarted", "w")\''
    result = lakeproof("stress", "memory:", "--seconds", "1", "--faults", "restart", "--restart-with", touch)
    assert result.exit_code == 0
    assert "  the server restarted: " in result.stdout
    assert Path("restarted").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["memory:", "--faults", "fire"], "--faults fire: no such fault; expected some of kill-connections, restart"),
        (["memory:", "--faults", "kill-connections"], "not of memory:, which has none; leave it out"),
        (["memory:", "--faults", "restart"], "not of memory:, which has none; say how with --restart-with"),
        (["exec:x", "--faults", "kill-connections"], "not of exec:x, which has restart"),
        (["memory:", "--faults", "restart", "--restart-with", "false"], "--restart-with false: ended with 1"),
        (["memory:", "--faults", "restart", "--restart-with", "no-such"], "no-such: No such file or directory"),
        (["memory:", "--faults", "restart", "--restart-with", "'x"], "--restart-with 'x: No closing quotation"),
        (["memory:", "--flows", SPURIOUS], "--flows judges none; leave one out"),
        (["memory:", "--clients", "0"], "--clients"),
        (["memory:", "--out", "file/out"], "/file: cannot be written: it is no folder"),
        (["memory:", "--seconds", "nan"], "'nan': expected seconds"),
        (["memory:", "--timeout", "nan"], "'nan': expected seconds"),
    ],
)
def test_what_does_not_fit_is_one_line(arguments: list[str], says: str) -> None:
    Path("file").touch()
    assert says in complaint(lakeproof("stress", *arguments))


@pytest.mark.parametrize(("rounds", "last"), [(1, 1), (9, 2)], ids=["in the last round", "before it"])
def test_a_store_that_stops_answering_is_not_said_to_hold(rounds: int, last: int) -> None:
    plan = Plan(rounds=rounds, calls=100)
    done = run(target_of(falling_mute()), plan=plan, clock=jumping())
    assert done.code == 3
    told = f"in round {last} the store stopped answering; what it had answered until then is linearizable (seed 0)"
    assert done.closing(0) == f"INCONCLUSIVE: {told}"


@pytest.mark.parametrize("answers", [0, 3, 30, 200], ids=lambda count: f"{count} answers")
def test_flows_on_a_store_that_stops_answering_come_to_an_end(answers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drivers of servers wait for an answer as long as it takes: none comes of a server that is halted."""
    monkeypatch.setattr("tests.stores.mute.ANSWERS", answers)
    done = FlowReport(IDS)

    async def main() -> None:
        with trio.fail_after(10_000):
            await run_rounds(Flows(Load(clients=2, seconds=1, timeout=5), falling_mute(math.inf)), done)

    trio.run(main, clock=jumping())
    assert done.code == 3
    assert done.unread


@pytest.mark.parametrize(("until", "code"), [(300, 0), (10**9, 3)], ids=["for a while", "for good"])
def test_a_store_that_nobody_can_connect_to_in_the_end_is_not_said_to_hold(until: int, code: int) -> None:
    store = raising(Unsent("connection refused"), lambda op, number: 100 <= number < until)
    done = run(target_of(store), plan=Plan(rounds=1, calls=300), clock=jumping())
    assert (done.code, store.asked > 300) == (code, True)
    assert ("in round 1 the store stopped answering" in done.closing(0)) is (code == 3)


def test_a_store_that_is_slower_than_the_time_it_is_given_is_judged() -> None:
    async def main() -> HistoryReport:
        done = HistoryReport()
        await run_rounds(Traffic(Load(seconds=1), slow(), judge=done.judge, tally=done.tally), done)
        return done

    done = trio.run(main, clock=jumping())
    assert (done.code, done.rounds) == (0, 1)


@pytest.mark.parametrize("flows", [False, True])
def test_ctrl_c_leaves_no_key_behind_and_is_no_verdict(flows: bool) -> None:
    """It comes while one of many clients has the floor."""
    done = FlowReport(IDS) if flows else HistoryReport()
    load, store = Load(seconds=math.inf), raising(KeyboardInterrupt(), lambda op, number: number == 150)

    def make(opened: Store, faults: tuple[Fault, ...]) -> Workload:
        return Flows(load, opened) if flows else Traffic(load, opened, judge=lambda made: None)

    trio.run(stress, target_of(store), done, make)
    assert (type(done.interrupted), done.rounds, done.unread) == (click.Abort, 1, ["interrupted"])
    assert done.closing(0).startswith("INCONCLUSIVE: 1 of 1 round not judged")
    assert (store.contents(), done.left) == ({}, [])


class LandsLate(MemoryStore):
    """The first branch that is ever written has no answer in time, and is there after the first commit of another."""

    late: kv.Set | None = None

    async def perform(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Set) and b"branches/" in op.key and self.late is None:
            self.late = op
            raise kv.OutcomeUnknown("no answer")
        answer = await super().perform(op)
        if isinstance(op, kv.SetIf) and b"branches/" in op.key and self.late is not None:
            await super().perform(self.late)
        return answer


def test_a_first_repository_that_is_written_late_violates_no_flow() -> None:
    made = trio.run(Flows(Load(clients=8), LandsLate()).round)
    assert (made.violations, made.unread) == ([], "")


def test_keys_of_a_repository_that_could_not_be_written_are_named_if_they_stay() -> None:
    """Only the first write is done, and nothing is deleted."""

    def lost(op: kv.Op, number: int) -> bool:
        return isinstance(op, kv.Delete) or (isinstance(op, kv.Set) and bool(store.contents()))

    store = raising(kv.OutcomeUnknown("no answer"), lost)
    flows = Flows(Load(), store)
    made = trio.run(flows.round)
    assert made.unread.startswith("the first repository could not be written: ")
    assert flows.left
    assert all(name.startswith("lakeproof-flows-") for name in flows.left)


class TestRecording:
    def test_events_are_numbered_in_their_order_and_unknown_outcomes_never_return(self) -> None:
        recorder = Recorder()
        one, two = recorder.begin("0", "set", ("k",), "a"), recorder.begin("1", "set_if", ("k",), ("a", "b"))
        recorder.end(two, Status.FAIL)
        recorder.end(one, Status.INFO)
        recorder.end(recorder.begin("1", "get", ("k",)), Status.OK, "a")
        operations, events = recorded_lines(recorder.over)
        found = [(op.f, op.call, op.returned, op.lines) for op in operations]
        assert found == [("set_if", 2, 3, (2, 3)), ("set", 1, NEVER, (1, 4)), ("get", 5, 6, (5, 6))]
        told = [json.loads(event) for event in events]
        assert [event["type"] for event in told] == ["invoke", "invoke", "fail", "info", "invoke", "ok"]
        assert [event["time"] for event in told] == sorted(event["time"] for event in told)
        assert [event["value"] for event in told[:1] + told[-2:]] == ["a", None, "a"]

    def test_what_a_client_does_after_an_unknown_outcome_is_another_process(self) -> None:
        class Doubtful(MemoryStore):
            async def perform(self, op: kv.Op) -> kv.ValueWithPredicate | kv.Batch | None:
                answer = await super().perform(op)
                if isinstance(op, kv.Set):
                    raise kv.OutcomeUnknown("lost")
                return answer

        async def main() -> KeyRound:
            return await Traffic(Load(clients=2, keys=2), Doubtful()).round(0.1)

        made = trio.run(main)
        gone: set[str] = set()
        for call in made.recorder.over:
            assert str(call.client).partition(":")[0] not in gone
            if call.status is Status.INFO:
                gone.add(str(call.client))
        assert gone
        assert judge(made).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("keys", "more", "start", "size", "says"),
    [
        ("k0 k2", False, "", 0, ""),
        ("", False, "", 2, ""),
        ("k0 k1", True, "", 2, ""),
        ("k1", False, "k1", 2, ""),
        ("k0 k1 k2", False, "", 2, "no more than 2"),
        ("k1 k0", False, "", 0, "ascending, each once"),
        ("k1 k1", False, "", 0, "ascending, each once"),
        ("k0", False, "k1", 0, "before the start"),
        ("x", False, "", 0, "no client wrote"),
        ("", True, "", 2, "expected at least one"),
    ],
)
def test_a_batch_that_cannot_be_right_is_told(keys: str, more: bool, start: str, size: int, says: str) -> None:
    batch = kv.Batch(tuple(kv.Entry(key.encode(), b"v") for key in keys.split()), more)
    covered = [key for key in ("k0", "k1", "k2") if key >= start]
    found = malformation(batch, start, size, covered)
    assert (says in found) if says else not found


class TestFlows:
    def test_they_hold_on_the_store_in_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        plan = Plan(rounds=10)
        monkeypatch.setattr("lakeproof.commands.stress.run_rounds", partial(run_rounds, plan=plan))
        result = lakeproof("stress", "memory:", "--flows", "--seconds", "600")
        assert result.exit_code in (0, 3), result.output
        assert " violated" not in result.stdout
        assert "not put to the test" not in result.stdout
        assert re.search(r"commit-is-causal +[\d,]+ checks  holds", result.stdout)

    def test_a_store_without_atomic_set_if_loses_commits_and_the_evidence_is_written(self) -> None:
        result = lakeproof("stress", planted("get-then-set"), "--flows")
        assert result.exit_code == 1, result.output
        assert result.stdout.splitlines()[-1].startswith("VIOLATED: ")
        for name in ("evidence.txt", "calls.txt", "store.txt"):
            assert Path("out/stress", name).read_text()

    def test_without_protobuf_they_name_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object) -> None:
            raise NoProtobuf

        monkeypatch.setattr("lakeproof.live.flows.init_repository", fails)
        result = lakeproof("stress", "memory:", "--flows", "--seconds", "1")
        assert (result.exit_code, result.stderr) == (2, f"lakeproof: {NoProtobuf()}\n")


def test_an_invariant_that_was_not_judged_in_a_round_leaves_the_run_open() -> None:
    done = FlowReport(IDS, reached=Counter(IDS))
    done.add(Round(judged=[(IDS[0], NotJudged("too many orders"))]))
    assert (done.code, {done.verdict(name) for name in IDS}) == (3, {"inconclusive"})


def test_keys_that_were_not_judged_leave_the_run_open_although_the_next_round_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdicts = [KeyVerdicts(Verdict.INCONCLUSIVE, 1, ["key 'k': no time"]), KeyVerdicts(Verdict.HOLDS, 1)]
    monkeypatch.setattr("lakeproof.live.judge.judge", lambda made, settings: verdicts.pop(0))
    done = HistoryReport(tally=Tally(Counter({("get", "ok"): 99, ("set", "ok"): 99})))
    for number in (1, 2):
        made = KeyRound(number=number)
        done.judge(made)
        done.add(made)
    assert (done.code, done.closing(7)) == (3, "INCONCLUSIVE: not every key could be judged (seed 7)")
    assert done.as_object()["why"] == "not every key could be judged; key 'k': no time"


def test_a_store_that_could_once_not_be_read_in_the_end_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, rounds = Flows._rows, count()  # where the trouble is planted

    async def rows(self: Flows, private: PrefixedStore, store: Store) -> dict[kv.Address, bytes]:
        if next(rounds) == 0:
            raise kv.OutcomeUnknown("gone")
        return await reading(self, private, store)

    monkeypatch.setattr(Flows, "_rows", rows)
    result = lakeproof("stress", "memory:", "--flows", "--seconds", "1")
    assert result.exit_code == 3, result.output
    assert re.search(r"^INCONCLUSIVE: 1 of \d+ rounds? not judged", result.stdout, re.MULTILINE)
    assert "checks  holds" not in result.stdout
    assert "  1 round not judged: the store could not be read in the end: OutcomeUnknown('gone')\n" in result.stdout

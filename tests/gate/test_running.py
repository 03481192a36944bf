"""Real processes behind the gate: what is found, what is proved, and what must not count as either."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from lakeproof.gate import GateCall, GateScenario, Outcome
from lakeproof.gate import run as running
from lakeproof.scenario import Faults, ScenarioError
from tests.commands import ended, lakeproof
from tests.gate.judging import COUNTER, HERE, NASTY, edited, run

MINTING, ON_THE_WAY, REFUSED = (HERE / f"{name}.py" for name in ("minting", "on_the_way", "refused"))
deep = pytest.mark.deep

ALL = {"all": True, "covers": "all", "parallel": True, "left": None}
LOST = {"verdict": "violated", "schedules": 4, "violating": 2}
"""Two reads and two writes: of the six orders, two have one client after the other; in the four others one of the reads
misses the write of the other, and those that differ in the order of the reads only are one class each."""
CRASH = {"verdict": "violated", "schedules": 5, "violating": 2, "evidence": "only bucket/first is there"}
"""Before the first write, between the two in two ways, after the second one, and not at all."""
OVER = {"verdict": "violated", "schedules": 3, "violating": 1}
"""The look before the pointer is written; or after it, and then the two writes of the object in two orders."""
OPEN = {"verdict": "inconclusive", "all": False}
UNKNOWN = "PUT bucket/n: x-amz-tagging of a PUT is not known here"
UNSPENT = "plain/conflict: no schedule spends the conflicts"
EXPIRIES = "EX without GateScenario(expiries=...) is not known here, so what follows is not judged; set it"


@deep
@pytest.mark.parametrize(
    ("file", "words", "code", "row", "complaint"),
    [
        (COUNTER, "counter/blind", 0, LOST | ALL, ""),
        (COUNTER, "counter/careful", 0, {"verdict": "holds"} | ALL, ""),
        (COUNTER, "counter/lost-answer", 0, {"evidence": "1 additions were acknowledged, and the counter is 2"}, ""),
        (NASTY, "crash", 1, CRASH | {"all": True, "unspent": []}, ""),
        (NASTY, "crash --schedules 1", 3, OPEN | {"unspent": []}, ""),
        (MINTING, "minted", 0, OVER | {"all": True}, ""),
        (MINTING, "abbreviated", 0, {"verdict": "violated", "evidence": "it is gone", "all": True}, ""),
        (MINTING, "abbreviated --preemptions 1", 0, {"verdict": "violated"}, ""),
        (ON_THE_WAY, "swap", 0, {"verdict": "holds", "all": True}, ""),
        # Calm outlasts a timer of the program.
        (ON_THE_WAY, "timer", 0, {"schedules": 2} | ALL, ""),
        (ON_THE_WAY, "timer-in-one-order", 0, {"schedules": 1, "covers": "one order in each client"}, ""),
        # A bound: one client after the other, in two orders; what is left begins with a read of each.
        (COUNTER, "counter/blind --preemptions 0", 3, {"covers": "at most 0 preemptions", "left": 2}, ""),
        (COUNTER, "counter/blind --preemptions 1", 0, LOST | {"all": False, "left": 0}, ""),
        (COUNTER, "counter/careful --preemptions 9", 3, OPEN | {"left": 0}, ""),
        (COUNTER, "counter/careful --preemptions 2 --schedules 1", 3, {"covers": "some", "left": None}, ""),
        (NASTY, "crash --preemptions 0", 1, CRASH | {"all": False, "left": 0}, ""),
        (MINTING, "minted --preemptions 3", 0, OVER | {"left": 0}, ""),
        # Each of the two follows the pointer or finds none; no client writes what they look for.
        (MINTING, "passed-on --preemptions 1", 3, OPEN | {"schedules": 4, "left": 0}, ""),
        # A sample refutes, and proves nothing.
        (COUNTER, "counter/blind --strategy pct --schedules 8 --seed 1", 0, {"verdict": "violated", "all": False}, ""),
        (COUNTER, "counter/blind --strategy random --schedules 8 --seed 1", 0, {"verdict": "violated"}, ""),
        (COUNTER, "counter/careful --strategy random --schedules 1", 3, OPEN | {"covers": "some"}, ""),
        # What does not repeat itself, or answers from memory.
        (NASTY, "erratic", 3, OPEN, "no longer asks for"),
        (NASTY, "erratic --preemptions 1", 3, OPEN | {"covers": "some", "left": None}, ""),
        (NASTY, "cached", 3, OPEN, "cached() returned without a request: what it answers from is not in the store"),
        (NASTY, "cached/after", 3, OPEN, "reader: cached() returned without a request: what it answers from is not in"),
        (NASTY, "cached --preemptions 1", 3, OPEN | {"covers": "some", "left": None}, ""),
        (NASTY, "kept", 3, {"all": False}, "no longer asks for"),
        (NASTY, "endless --schedules 1", 3, OPEN, "c1: no request and no answer for 0.3 s, and all threads sleep"),
        # What the gate does not have is never judged as the program's behaviour.
        (REFUSED, "tags", 3, OPEN, f"tags: c1 {UNKNOWN}, so what follows is not judged"),
        (REFUSED, "tags --preemptions 1", 3, OPEN | {"schedules": 0}, UNKNOWN),
        (REFUSED, "tags --strategy pct --schedules 2", 3, OPEN | {"schedules": 0}, UNKNOWN),
        (REFUSED, "states", 3, OPEN, 'ExecuteStatement {"Statement": "UPDATE t SET v = 1"} is not known here'),
        (REFUSED, "expires", 3, OPEN, EXPIRIES),
        (REFUSED, "stranger", 3, OPEN, "SET n: a connection that is of no client of REDIS_URL is not known here"),
        (REFUSED, "foreign", 3, OPEN, "minio GET bucket/n: a request in a schedule that AWS_ACCESS_KEY_ID gives"),
        (REFUSED, "setup", 3, OPEN, f"setup: reader {UNKNOWN}"),
        (REFUSED, "after", 3, OPEN, f"after: reader {UNKNOWN}"),
        (REFUSED, "large/s3", 3, OPEN, "large/s3: a request of HTTP: a body of more than 5 bytes"),
        (REFUSED, "large/redis", 3, OPEN, "large/redis: c1: a command of more than"),
        # A run in which no call did what it is for decides nothing.
        (REFUSED, "lock", 0, {"verdict": "holds"}, ""),
        (REFUSED, "lock/taken", 3, {"verdict": "inconclusive"}, "in no schedule a call of a client has done what it"),
        (REFUSED, "raises", 3, {"verdict": "inconclusive"}, "or one of after, so nothing is shown; the first: "),
        (REFUSED, "raises/after", 3, {"verdict": "inconclusive"}, "the first: KeyError: 'no such bucket'"),
        (REFUSED, "raises/one", 0, {"verdict": "holds"}, ""),
        # A conflict: none at all, or one that comes first or second.
        (REFUSED, "plain/conflict", 0, {"verdict": "holds", "schedules": 1, "unspent": ["conflicts"]}, UNSPENT),
        # Mistakes of the user, and programs that cannot be judged: no verdict.
        (NASTY, "mortal", 2, {}, "the process ended with code 7\n"),
        (NASTY, "raises", 2, {}, "raises: the invariant raises raised KeyError: 'x'; let it return evidence or None"),
        (NASTY, "exits", 2, {}, "exits: the invariant exits raised SystemExit: "),
        (NASTY, "fal?e", 2, {}, "invariant says_false returned False; let it return evidence in a sentence, or None"),
        (NASTY, "service", 2, {}, "the service ended with code 0"),
        (REFUSED, "lock/taken/violated", 2, {}, "reached raised KeyError: 'x'; let it return whether a call has done"),
        (ON_THE_WAY, "changed", 2, {}, "GET bucket/credentials"),
        (ON_THE_WAY, "writes", 2, {}, "was let through, and writes; take its pattern out of through"),
        (ON_THE_WAY, "false", 2, {}, "the invariant says_false returned False"),
        (NASTY, "writes", 2, {}, "writes: fresh: its processes write to the store as they start"),
        (COUNTER, "counter/lost counter/none", 2, {}, "no scenario matches counter/lost or counter/none; it has"),
        (COUNTER, "counter/blind --strategy pct --preemptions 1", 2, {}, "--preemptions bounds the search of all"),
        (COUNTER, "counter/blind --preemptions -1", 2, {}, "--preemptions"),
    ],
)  # fmt: skip
def test_a_program_has_the_verdict_that_its_schedules_allow(
    file: Path, words: str, code: int, row: dict[str, object], complaint: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if "endless" in words:
        monkeypatch.setattr(running, "PATIENCE_SECONDS", 0.3)
    if "large" in words:
        monkeypatch.setattr("lakeproof.gate.fronts.wire.BODY_BYTES_MAX", 5)
        monkeypatch.setattr("lakeproof.gate.fronts.redis.parser.BODY_BYTES_MAX", 60)
    ran = run(tmp_path, file, *words.split())
    assert (ran.code, {each: ran.row.get(each) for each in row}) == (code, row), ran
    assert complaint in ran.complaints
    assert ran.complaints.count("not known here") <= 1, "once, however often the schedule is tried"
    if code == 2:
        assert ran.rows == {}
        assert "Traceback" not in ran.complaints
        assert len([line for line in ran.complaints.splitlines() if line.startswith("lakeproof: ")]) == 1


@pytest.mark.parametrize(
    ("parallel", "covers"), [("False", "one order in each client"), ('"threads"', "parallel requests as threads")]
)
def test_a_verdict_says_that_the_orders_of_a_client_were_not_all_run(
    parallel: str, covers: str, tmp_path: Path
) -> None:
    setup = "setup=[call(create)]"
    ran = run(tmp_path, edited(tmp_path, setup, f"{setup}, parallel={parallel}"), "counter/careful")
    assert (ran.code, ran.row["verdict"], ran.row["schedules"]) == (0, "holds", 4)
    assert (ran.row["all"], ran.row["covers"], ran.row["parallel"]) == (False, covers, False)


SHARED = """
class Counted:
    __name__, reached = "counted", 0
    def __call__(self, outcome):
        self.reached += bool(outcome.store.objects)
counted = Counted()
SCENARIOS = [scenario(name=each.__name__, clients=[[call(each)]], invariants=[counted]) for each in (put, plain)]
"""


TABLES = """
import json
def ask(operation, **fields):
    head = {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    asked("POST", "", json.dumps({"TableName": "tickets", **fields}).encode(), head)
def made():
    ask("CreateTable", AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "name", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST")
def seen():
    ask("GetItem", Key={"name": {"S": "concert"}})
SCENARIOS = [scenario(name="table", clients=[[call(made)], [call(seen)]])]
"""


@pytest.mark.parametrize(
    ("more", "code", "row", "complaint"),
    [
        (SHARED, 3, ("plain", "inconclusive", 1), "plain: counted was never tested"),
        (TABLES, 0, ("table", "holds", 2), ""),
    ],
    ids=["what was tested", "a table in labels"],
)
def test_what_one_scenario_or_schedule_has_made_is_unknown_in_the_next(
    tmp_path: Path, more: str, code: int, row: tuple[object, ...], complaint: str
) -> None:
    file = tmp_path / "more.py"
    file.write_text(f"from tests.gate.nasty import *\n{more}")
    ran = run(tmp_path, file, "*")
    assert (ran.code, tuple(ran.row[each] for each in ("scenario", "verdict", "schedules"))) == (code, row), ran
    assert complaint in ran.complaints


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("raise SystemExit(0)", ": SystemExit: 0"),
        # The functions that are called are not those that the processes find in the file.
        ("def careful(): value()", "counter.py: careful(): in this file, careful is not the function that is called"),
        ("del value", "counter.py: value(): in this file, value is not the function that is called; define it there"),
        ("SCENARIOS = []", "SCENARIOS is empty; put a GateScenario into it"),
        ("SCENARIOS.append(SCENARIOS[0])", "two scenarios of the name 'counter/blind'; rename one"),
    ],
)
def test_a_file_that_would_prove_nothing_is_refused(tmp_path: Path, more: str, told: str) -> None:
    file = edited(tmp_path, "SCENARIOS = ", "SCENARIOS = ")
    file.write_text(f"{file.read_text()}\n{more}\n")
    ran = run(tmp_path, file, "counter/*")
    assert (ran.code, ran.rows) == (2, {})
    assert told in ran.complaints


def test_what_a_file_and_its_invariants_print_is_not_among_the_rows(tmp_path: Path) -> None:
    begins = "(outcome: Outcome) -> str | None:\n"
    text = COUNTER.read_text().replace(begins, f"{begins}    print('x')\n")
    (tmp_path / "prints.py").write_text(f"{text}\nprint('x')\n")
    ran = run(tmp_path, tmp_path / "prints.py", "counter/blind")  # which reads each line of stdout as JSON
    assert (ran.code, ran.complaints.count("x\n") > 2) == (0, True)


def test_a_violation_that_is_not_expected_is_a_failure(tmp_path: Path) -> None:
    file = edited(tmp_path, '"violated"', '"holds"')
    result = lakeproof("gate", "run", str(file), "counter/blind", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "counter/blind: counted_once violated, NOT AS EXPECTED (holds)" in result.output


def test_a_trace_that_cannot_be_written_takes_no_verdict_from_the_screen(tmp_path: Path) -> None:
    (tmp_path / "counter_blind.counted_once.json").mkdir()
    result = lakeproof("gate", "run", str(COUNTER), "counter/blind", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "counted_once violated: " in result.stdout
    assert "counted_once.json: cannot be written: Is a directory" in result.stderr


def test_a_folder_that_cannot_be_written_is_refused_before_the_search(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = lakeproof("gate", "run", str(COUNTER), "counter/blind", "--out", str(tmp_path / "file" / "traces"))
    assert (result.exit_code, result.stdout) == (2, "")


def test_two_scenarios_whose_names_are_one_as_files_have_two_traces(tmp_path: Path) -> None:
    file = edited(tmp_path, "SCENARIOS = ", "SCENARIOS = ")
    more = "import attrs\nSCENARIOS.append(attrs.evolve(SCENARIOS[0], name='counter_blind'))\n"
    file.write_text(f"{file.read_text()}\n{more}")
    words = ("counter/blind", "counter_blind", "--json", "--out", str(tmp_path))
    rows = [json.loads(line) for line in lakeproof("gate", "run", str(file), *words).stdout.splitlines()]
    of = {row["scenario"]: json.loads(Path(row["trace"]).read_text())["scenario"] for row in rows if row["trace"]}
    assert of == {"counter/blind": "counter/blind", "counter_blind": "counter_blind"}


def test_a_sample_that_has_not_found_what_is_expected_is_not_called_wrong_and_one_seed_is_one_sample(
    tmp_path: Path,
) -> None:
    sample = ("--strategy", "pct", "--schedules", "8", "--seed", "1")
    first, second = (run(tmp_path, COUNTER, "counter/blind", *sample).row["violating"] for _ in range(2))
    assert first == second
    words = ("counter/careful", "--strategy", "pct", "--schedules", "2", "--out", str(tmp_path))
    assert "NOT AS EXPECTED" not in lakeproof("gate", "run", str(COUNTER), *words).output


@deep
@pytest.mark.parametrize(
    ("file", "name", "invariant", "requests"),
    [(NASTY, "crash", "both_or_none", ""), (NASTY, "fresh", "counted", "GET GET PUT PUT")],  # but for its start
)
def test_a_counterexample_replays_every_time(
    file: Path, name: str, invariant: str, requests: str, tmp_path: Path
) -> None:
    row = run(tmp_path, file, name).row
    assert row["all"]
    result = lakeproof("gate", "replay", str(row["trace"]), "--from", str(file), "--times", "3")
    assert result.exit_code == 1, result.output
    assert f"3 of 3: violated, same invariant: {invariant}" in result.output
    if requests:
        steps = json.loads(Path(str(row["trace"])).read_text())["steps"]
        assert " ".join(step["request"].split()[0] for step in steps) == requests


def test_a_state_between_two_steps_is_seen_and_its_trace_replays_without_what_was_let_through(tmp_path: Path) -> None:
    ran = run(tmp_path, ON_THE_WAY, "swap-at-once")
    row = ran.rows["one_is_there"]
    assert (ran.code, row["verdict"], ran.rows["nothing"]["verdict"]) == (1, "violated", "holds")
    assert row["evidence"] == "there is bucket/credentials (after step 1)"
    steps = json.loads(Path(str(row["trace"])).read_text())["steps"]
    assert all("credentials" not in each["request"] for each in steps)
    result = lakeproof("gate", "replay", str(row["trace"]), "--from", str(ON_THE_WAY))
    assert (result.exit_code, "violated: one_is_there" in result.stdout) == (1, True)


def test_a_conditional_write_can_be_answered_by_a_conflict(tmp_path: Path) -> None:
    ran = run(tmp_path, REFUSED, "lock/conflict")
    # Without one the first call has the lock. With one, before the other call or after it, two have it: one schedule
    # of each client, of which the conflict comes first or second.
    assert (ran.code, ran.row["verdict"], ran.row["all"]) == (0, "violated", True), ran
    steps = json.loads(Path(str(ran.row["trace"])).read_text())["steps"]
    assert sorted((each["mode"], each["status"]) for each in steps) == [("conflict", 409), ("normal", 200)]


def test_a_process_that_asks_for_what_the_gate_does_not_have_as_it_starts_is_not_judged(tmp_path: Path) -> None:
    file = tmp_path / "start.py"
    ask = "import os\nif 'REDIS_URL' in os.environ: redis('XADD', 'a', '*', 'b', 'c')\n"
    file.write_text(f"from tests.gate.refused import *\n{ask}SCENARIOS = [s for s in SCENARIOS if s.name == 'lock']\n")
    ran = run(tmp_path, file, "lock")
    assert (ran.code, "XADD is not known here" in ran.complaints) == (3, True), ran


@pytest.mark.parametrize("name", ["tags", "setup"])
def test_a_replay_of_such_a_program_shows_nothing(tmp_path: Path, name: str) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"gate": 1, "file": "x", "scenario": name, "violated": {"nothing": "x"}, "steps": []}))
    result = lakeproof("gate", "replay", str(trace), "--from", str(REFUSED))
    assert (result.exit_code, "violated" in result.stdout) == (3, False)


def test_a_process_has_a_fixed_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed of hashes, too: the order of a set is the same in every run."""
    for name in ("HTTPS_PROXY", "AWS_PROFILE", "OF_MY_OWN"):
        monkeypatch.setenv(name, "x")
    orders = set()
    for seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        ran = run(tmp_path, REFUSED, "environment")
        assert ran.code == 0, ran
        orders.add(ran.row["evidence"])
    assert len(orders) == 1


def known(outcome: Outcome) -> str | None:
    return None


SOUND = GateScenario(name="n", clients=[[GateCall("f")]], invariants=[known])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"clients": []}, r"clients: \[\]: expected one or more, each with a call"),
        ({"clients": [[]]}, r"clients: \[\[\]\]: expected one or more, each with a call"),
        ({"clients": [["f"]]}, "'f' is no call"),
        ({"invariants": []}, "expected one or more named functions"),
        ({"invariants": [known, known]}, "two have one name among known, known"),
        ({"expect": {"knwon": "violated"}}, "expect: 'knwon': 'violated': expected one of known"),
        ({"expect": {"known": "fails"}}, "expect: 'known': 'fails': expected one of known, and holds or violated"),
        ({"faults": Faults(scan_failures=1)}, "faults.scan_failures: the gate has lost_answers, refusals, crashes"),
        ({"calm_seconds": -1}, "calm_seconds: -1: expected 0 to 60"),
        ({"parallel": "every"}, "parallel"),
        ({"parallel": "threads", "faults": Faults(crashes=1)}, "parallel"),
    ],
)
def test_a_scenario_that_would_judge_something_else_is_refused(changed: dict[str, object], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        attrs.evolve(SOUND, **changed)  # type: ignore[arg-type]


def test_an_argument_that_is_no_json_is_refused() -> None:
    with pytest.raises(ScenarioError, match="known: arguments travel as JSON"):
        GateCall.of(known, object())  # type: ignore[arg-type]


def test_no_process_is_left_over(tmp_path: Path) -> None:
    file, pids = noted(COUNTER, tmp_path)
    run(tmp_path, file, "counter/blind")
    assert len(pids()) == 3, "two clients, and who reads"
    assert ended(pids())


def noted(program: Path, folder: Path) -> tuple[Path, Callable[[], list[int]]]:
    """A copy of a program whose processes note their numbers, and those of all but this one."""
    file, numbers = folder / "noted.py", folder / "numbers"
    note = f"\nwith open({str(numbers)!r}, 'a') as noted:\n    print(os.getpid(), file=noted)\n"
    file.write_text(program.read_text() + note)
    return file, lambda: [pid for pid in map(int, numbers.read_text().split()) if pid != os.getpid()]

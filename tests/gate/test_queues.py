"""Programs whose workers wait for work without a timeout, as a user of the gate sees them."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.commands import lakeproof
from tests.gate.judging import HERE, run

QUEUES: Final = HERE / "queues.py"


@pytest.mark.parametrize(
    ("name", "classes"),
    [("one", 2), ("two", 12), ("stubborn", 1), ("behind", 4), ("rpc", 1), ("alone", 1)],
)
def test_who_waits_for_work_at_the_end_is_blocked_and_all_work_is_done(tmp_path: Path, name: str, classes: int) -> None:
    ran = run(tmp_path, QUEUES, name)
    assert ran.code == 0, ran
    assert {(row["verdict"], row["covers"], row["schedules"]) for row in ran.rows.values()} == {
        ("holds", "all", classes)
    }


def is_found(tmp_path: Path, name: str) -> list[str]:
    """The requests of the trace of a violation that is expected, and replays."""
    ran = run(tmp_path, QUEUES, name)
    assert (ran.code, ran.row["verdict"], ran.row["covers"]) == (0, "violated", "all")
    again = lakeproof("gate", "replay", str(ran.row["trace"]), "--from", str(QUEUES), "--times", "2")
    assert (again.exit_code, "2 of 2: violated, same" in again.output) == (1, True), again.output
    steps = json.loads(Path(str(ran.row["trace"])).read_text())["steps"]
    return [f"{each['client']} {each['request']} -> {each['status'] or each['mode']}" for each in steps]


def test_a_job_is_lost_with_the_worker_that_has_taken_it(tmp_path: Path) -> None:
    assert is_found(tmp_path, "crash/work")[-1] in (
        "c1 BLPOP jobs -> crash after it",
        "c1 RPUSH done -> crash before it",
    )


def test_a_job_stays_where_it_is_found_if_the_worker_keeps_it_in_a_list_of_its_own(tmp_path: Path) -> None:
    ran = run(tmp_path, QUEUES, "crash/work_carefully")
    assert (ran.code, ran.row["verdict"], ran.row["covers"]) == (0, "holds", "all"), ran


def test_a_job_that_is_due_before_another_one_may_overtake_it(tmp_path: Path) -> None:
    assert is_found(tmp_path, "due")[:3] == [
        *("c2 ZADD due -> 1", "c2 ZADD due -> 1"),
        "c1 BZPOPMIN due -> [value, value, -1.0]",
    ]


@pytest.mark.parametrize(
    "words", ["--preemptions 3", "--strategy pct --schedules 40", "--strategy random --schedules 40"]
)
def test_few_preemptions_and_samples_find_it_too(tmp_path: Path, words: str) -> None:
    assert run(tmp_path, QUEUES, "crash/work", *words.split()).row["verdict"] == "violated"


def test_a_trace_in_which_a_redis_would_have_answered_shows_nothing(tmp_path: Path) -> None:
    made = [("c1", "BLPOP jobs", 1, "waits"), ("c2", "RPUSH jobs", 1, "1"), ("c2", "RPUSH jobs", 2, "2")]
    names = ("client", "request", "number", "status")
    steps = [{**dict(zip(names, each, strict=True)), "mode": "normal"} for each in made]
    trace = tmp_path / "trace.json"
    violated = {"all_is_done": "nothing is done"}
    trace.write_text(
        json.dumps({"gate": 1, "file": str(QUEUES), "scenario": "one", "violated": violated, "steps": steps})
    )
    found = lakeproof("gate", "replay", str(trace), "--from", str(QUEUES))
    assert found.exit_code == 3, found.output
    assert "c1 BLPOP jobs waits in it for what has come" in found.output


def test_a_search_all_of_whose_schedules_no_redis_has_shows_nothing_and_says_so(tmp_path: Path) -> None:
    """Without a preemption, the client waits before the server has begun, or the server before there is a question."""
    ran = run(tmp_path, QUEUES, "rpc", "--preemptions", "0")
    assert (ran.code, ran.row["verdict"], ran.row["schedules"]) == (3, "inconclusive", 0)
    assert "rpc: in each schedule that was run a request waits in the store" in ran.complaints


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gives up", "c1 BLPOP jobs: a wait that the program gives up is not known here"),
        ("timer", "c1: a call goes on after a time, while a request of it waits in the store; raise calm_seconds"),
        ("orders/False", "c1 BLPOP jobs waits in the store before other requests of its client"),
    ],
)
def test_of_a_wait_in_which_its_client_goes_on_not_all_is_shown(tmp_path: Path, name: str, why: str) -> None:
    ran = run(tmp_path, QUEUES, name)
    assert (ran.code, ran.row["verdict"]) == (3, "inconclusive"), ran
    assert why in ran.complaints


def test_all_orders_of_a_client_show_what_it_does_after_its_wait(tmp_path: Path) -> None:
    assert is_found(tmp_path, "orders/True")[-1] == "c1 SET taken -> OK"


def test_a_thread_that_would_wait_again_beside_a_call_that_ends_is_gone_in_the_next_schedule(tmp_path: Path) -> None:
    ran = run(tmp_path, QUEUES, "beside")
    assert (ran.code, ran.row["verdict"], ran.row["covers"]) == (0, "holds", "all"), ran


def test_why_no_schedule_has_reached_anything_is_what_after_has_raised(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUES, "raises").complaints.endswith("the first: LookupError: of after\n")


def test_a_call_of_after_that_is_not_judged_is_the_only_complaint(tmp_path: Path) -> None:
    assert "the first" not in run(tmp_path, QUEUES, "after").complaints


def test_a_setup_that_waits_without_a_timeout_is_not_judged(tmp_path: Path) -> None:
    ran = run(tmp_path, QUEUES, "setup")
    assert (ran.code, ran.row["verdict"]) == (3, "inconclusive")
    assert "BLPOP that waits for ever" in ran.complaints

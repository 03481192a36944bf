"""Released programs, and those of examples/, behind the gate: what is known of each of them, and what is proved. One of
them is a service over DynamoDB: the race that the search finds in Step 1 of the design, in a program, and its repair.

That each class is run once follows from two laws: of the footprints (test_laws.py) and of the search
(test_side_by_side.py)."""

import json
import os
import runpy
from pathlib import Path
from typing import Final

import attrs
import pytest
import trio
from _pytest.mark import ParameterSet

from lakeproof.gate.fronts.aws import Store
from lakeproof.gate.scenario import THREADS, GateScenario, Outcome
from lakeproof.gate.scenario_files import load_scenarios
from lakeproof.gate.search import all_classes
from lakeproof.gate.startup import open_runner
from tests.commands import ROOT, lakeproof
from tests.gate.dynamodb_requests import Asked, after, s
from tests.gate.judging import EXAMPLES, Ran, run

SERVICE = EXAMPLES / "service" / "scenarios.py"
TRACES = sorted((ROOT / "docs" / "gallery" / "traces").glob("*.json"))
OF_OTHER_RELEASES = ("slatedb_stalled-writer.acknowledged_is_there",)
"""Replayed by test_releases.py."""
LAKEFS = "LAKEPROOF_LAKEFS"
of_lakefs = pytest.mark.skipif(not Path(os.environ.get(LAKEFS, "")).is_file(), reason=f"{LAKEFS} names no binary")
deep = pytest.mark.deep


def is_found_and_replays(ran: Ran, file: Path, invariant: str) -> None:
    row = ran.rows[invariant]
    assert (row["verdict"], row["expected"]) == ("violated", "violated")
    again = lakeproof("gate", "replay", str(row["trace"]), "--from", str(file))
    assert again.exit_code == 1, again.output
    assert f"violated: {invariant}" in again.output


def test_an_active_repository_without_its_branch_would_be_seen() -> None:
    whole = runpy.run_path(str(SERVICE))["what_is_there_is_whole"]
    schema: dict[str, object] = {
        "TableName": "items",
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in ("partition", "key")],
        "KeySchema": [{"AttributeName": "partition", "KeyType": "HASH"}, {"AttributeName": "key", "KeyType": "RANGE"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    entry = {"partition": s("repositories"), "key": s("r"), "id": s("1"), "state": s("active")}
    branch = {"partition": s("1"), "key": s("main")}
    puts: list[Asked] = [("PutItem", {"TableName": "items", "Item": item}) for item in (entry, branch)]
    for items, evidence in ((puts, None), (puts[:1], "the repository r is active, and has no branch")):
        state = after(("CreateTable", schema), *items)
        assert whole(Outcome(results={}, after=(), store=Store(dynamodb=state))) == evidence


CLASSES: Final = {
    "gate/delta.py": {
        "delta/one-append/lost-answer": 5,
        "delta/append-append": 18, "delta/append-overwrite": 14, "delta/append-delete": 14,
        "delta/append-optimize": 24, "delta/append-vacuum": 2, "delta/append-vacuum-full": 62,
        "delta/overwrite-overwrite": 10, "delta/overwrite-delete": 8, "delta/overwrite-optimize": 18,
        "delta/overwrite-vacuum": 7, "delta/overwrite-vacuum-full": 36, "delta/delete-delete": 6,
        "delta/delete-optimize": 10, "delta/delete-vacuum": 7, "delta/delete-vacuum-full": 8,
        "delta/optimize-optimize": 22, "delta/optimize-vacuum": 16, "delta/optimize-vacuum-full": 119,
        "delta/vacuum-vacuum": 1, "delta/vacuum-vacuum-full": 1, "delta/vacuum-full-vacuum-full": 1,
        "delta/lost-answer/append-append": 282, "delta/lost-answer/append-overwrite": 159,
        "delta/lost-answer/append-delete": 131, "delta/lost-answer/append-optimize": 391,
        "delta/lost-answer/append-vacuum": 11, "delta/lost-answer/overwrite-overwrite": 84,
        "delta/lost-answer/overwrite-delete": 49, "delta/lost-answer/overwrite-optimize": 207,
        "delta/lost-answer/overwrite-vacuum": 76, "delta/lost-answer/delete-delete": 22,
        "delta/lost-answer/delete-optimize": 81, "delta/lost-answer/delete-vacuum": 62,
        "delta/lost-answer/optimize-optimize": 356, "delta/lost-answer/optimize-vacuum": 330,
        "delta/lost-answer/vacuum-vacuum": 1,
    },
    "gate/lance_table.py": {
        "lance/one-append/lost-answer": 7, "lance/one-delete/lost-answer": 5, "lance/one-compact/lost-answer": 11,
        "lance/append-append": 6, "lance/append-overwrite": 6, "lance/append-delete": 6, "lance/append-compact": 16,
        "lance/append-cleanup": 9, "lance/append-cleanup-unverified": 9, "lance/overwrite-overwrite": 6,
        "lance/overwrite-delete": 6, "lance/overwrite-compact": 16, "lance/overwrite-cleanup": 9,
        "lance/delete-delete": 6, "lance/delete-compact": 16, "lance/compact-compact": 62,
        "lance/compact-cleanup": 27, "lance/delete-cleanup": 7,
    },
    "gate/icechunk_repository.py": {
        "icechunk/one-commit/lost-answer": 7, "icechunk/one-commit/refusal": 4, "icechunk/commit-collect": 9,
        "icechunk/commit-commit": 10,
    },
    "gate/slatedb_store.py": {
        "slatedb/one-put/lost-answer": 7, "slatedb/put-put": 48, "slatedb/put-collect": 63,
    },
    "gate/iceberg_catalog.py": {
        "iceberg/create-create": 2, "iceberg/rename-rename": 4, "iceberg/rename-drop": 3, "iceberg/rename-replace": 7,
        "iceberg/one-create/lost-answer": 9, "iceberg/one-rename/lost-answer": 5,
    },
    "gate/redis_lock.py": {
        "lock/watch": 21, "lock/blind": 20, "lock/redis-py": 28, "counter/blind": 4, "counter/watch": 6,
        "counter/incr": 2, "counter/incr/lost-answer": 3, "counter/lock/never-expires": 4, "counter/lock/expires": 74,
    },
    "gate/service/scenarios.py": {"repositories/blind": 52, "repositories/repaired": 68},
    "lakefs/repositories.py": {
        "lakefs/create-create": 20, "lakefs/create-delete": 51, "lakefs/delete-create": 204,
    },
    "lakefs/branches.py": {
        "lakefs/create-branch-create-branch": 4, "lakefs/create-branch-delete-branch": 2,
        "lakefs/delete-branch-create-branch": 2, "lakefs/delete-branch-delete-branch": 16,
        "lakefs/create-branch-create": 1, "lakefs/create-branch-delete": 14, "lakefs/delete-branch-create": 1,
        "lakefs/delete-branch-delete": 13, "lakefs/upload-commit": 22,
    },
}  # fmt: skip
"""By file: of each pair of calls, how many classes of schedules there are."""
EVERY_ORDER: Final = ("gate/iceberg_catalog.py", "gate/redis_lock.py", "gate/service/scenarios.py")
"""Files whose verdicts are on all schedules: in the others parallel requests are as threads."""
VIOLATING: Final = {
    "repositories/blind": 12, "lock/blind": 1, "counter/blind": 2, "counter/incr/lost-answer": 1,
    "counter/lock/expires": 32, "lakefs/delete-branch-delete-branch": 12, "lakefs/delete-branch-delete": 1,
}  # fmt: skip
"""In how many of its classes the first invariant of a scenario is violated, where this is counted."""
REPLAYED: Final = {
    "delta/one-append/lost-answer": "recorded_once",
    "icechunk/one-commit/lost-answer": "refused_is_not_there",
    "iceberg/one-rename/lost-answer": "each_table_has_one_name",
    "lance/append-cleanup-unverified": "readable_and_explained",
}
"""What is known of a program, and is replayed at once."""
ALWAYS: Final = ("delta/one-append/lost-answer", "slatedb/one-put/lost-answer", "lock/watch", "repositories/blind")
FEW: Final = 20
"""Schedules of a deep test of a program, at most; two of them a file, and what is replayed. Others are long."""


def pairs() -> list[ParameterSet]:
    found = []
    for file, of_file in CLASSES.items():
        quick = [name for name, classes in of_file.items() if classes <= FEW or file in EVERY_ORDER]
        for name, classes in of_file.items():
            soon = name in (*quick[:2], *REPLAYED) or name.startswith("lakefs/")
            marks = [] if name in ALWAYS else [deep if soon else pytest.mark.long]
            marks += [of_lakefs] if name.startswith("lakefs/") else []
            found.append(pytest.param(file, name, classes, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("file", "name", "classes"), pairs())
def test_a_pair_of_calls_has_so_many_classes_and_the_verdict_that_its_page_tells(
    tmp_path: Path, file: str, name: str, classes: int
) -> None:
    ran = run(tmp_path, ROOT / "examples" / file, name)
    assert ran.code == 0, "each verdict is the one that the file expects"
    covers = "all" if file in EVERY_ORDER else ("parallel requests as threads", "one order in each client")
    for row in ran.rows.values():
        assert (row["schedules"], row["all"]) == (classes, covers == "all")
        assert str(row["covers"]).startswith(covers)
    if name in REPLAYED:
        is_found_and_replays(ran, ROOT / "examples" / file, REPLAYED[name])
    if name in VIOLATING:
        assert next(iter(ran.rows.values()))["violating"] == VIOLATING[name]


def test_without_a_binary_the_service_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(LAKEFS, str(tmp_path / "nowhere"))
    result = lakeproof("gate", "run", str(ROOT / "examples" / "lakefs" / "repositories.py"), "lakefs/create-delete")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "lakefs_server.py" in result.stderr
    assert "name the lakeFS binary, as in LAKEPROOF_LAKEFS=$(which lakefs)" in capfd.readouterr().err


INSTALLED = [each for each in TRACES if each.stem not in OF_OTHER_RELEASES]


def param(trace: Path) -> ParameterSet:
    marks = [pytest.mark.long] if not trace.stem.startswith("lakefs_") else [deep, of_lakefs]
    return pytest.param(trace, marks=marks, id=trace.stem)


@pytest.mark.parametrize("trace", [param(each) for each in INSTALLED])
def test_a_trace_of_the_gallery_has_one_verdict_in_ten_replays(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    written = json.loads(trace.read_text())
    result = lakeproof("gate", "replay", str(trace), "--from", written["file"], "--times", "10")
    [invariant] = written["violated"]
    told = f"10 of 10: violated, same invariant: {invariant}"
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, told), result.output


def test_the_gallery_has_traces_and_each_is_told_of() -> None:
    pages = (ROOT / "docs" / "gate-findings.md").read_text()
    assert TRACES
    assert [trace.name for trace in TRACES if trace.name not in pages] == []


async def outcomes(file: Path, scenario: GateScenario) -> tuple[set[str], int]:
    """How the calls end and what is read afterwards, in all classes of schedules; and how many there are."""
    search, found = all_classes(scenario), set()
    async with open_runner(scenario, file) as runner:
        while search.begin():
            outcome = (await runner.schedule(search)).outcome
            if outcome is not None:
                ends = [[(str(each), told.value, told.error) for each, told in c] for c in outcome.results.values()]
                found.add(json.dumps((ends, [told.value for told in outcome.after])))
    assert search.all_run
    return found, search.complete


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "name"),
    [("delta.py", "delta/delete-optimize"), ("lance_table.py", "lance/overwrite-delete")],
)
def test_a_program_ends_in_the_same_ways_with_every_order_of_parallel_requests(file: str, name: str) -> None:
    """Requests as threads assume that a client does not see in which order its parallel answers come."""
    scenario = next(each for each in load_scenarios(EXAMPLES / file) if each.name == name)
    assert scenario.parallel == THREADS
    few, as_threads = trio.run(outcomes, EXAMPLES / file, scenario)
    many, in_every_order = trio.run(outcomes, EXAMPLES / file, attrs.evolve(scenario, parallel=True))
    assert few == many
    assert len(few) > 1
    assert as_threads < in_every_order

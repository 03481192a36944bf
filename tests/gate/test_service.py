"""A service over DynamoDB behind the gate: the race that the search finds in Step 1 of the design, in a program;
and its repair, proved within the scenario."""

import json
import runpy
from pathlib import Path

import pytest

from lakeproof.gate.fronts.aws import Store
from lakeproof.gate.scenario import Outcome
from tests.commands import lakeproof
from tests.gate.dynamodb_requests import Asked, after, s

SCENARIOS = Path(__file__).parents[2] / "examples" / "gate" / "service" / "scenarios.py"


def run(tmp_path: Path, name: str) -> tuple[int, dict[str, dict[str, object]]]:
    """The exit code, and the row of each invariant."""
    words = ["gate", "run", str(SCENARIOS), name, "--json", "--out", str(tmp_path)]
    result = lakeproof(*words)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {str(row["invariant"]): row for row in rows}


def test_two_deletions_lose_a_repository_that_was_created(tmp_path: Path) -> None:
    code, rows = run(tmp_path, "repositories/blind")
    lost = rows["what_was_created_is_there"]
    assert code == 0, "as expected: violated"
    assert (lost["verdict"], lost["schedules"], lost["violating"], lost["all"]) == ("violated", 52, 12, True)
    assert rows["what_is_there_is_whole"]["verdict"] == "holds"
    steps = json.loads(Path(str(lost["trace"])).read_text())["steps"]
    created = next(number for number, step in enumerate(steps) if "attribute_not_exists" in step["request"])
    assert (steps[created]["client"], steps[created]["status"]) == ("c3", 200)
    assert any(step["request"] == "DeleteItem items/repositories/r" for step in steps[created:])


@pytest.mark.deep
def test_with_conditions_every_repository_that_was_created_is_there(tmp_path: Path) -> None:
    code, rows = run(tmp_path, "repositories/repaired")
    assert code == 0
    for row in rows.values():
        assert (row["verdict"], row["schedules"], row["all"]) == ("holds", 68, True)


def test_an_active_repository_without_its_branch_would_be_seen() -> None:
    whole = runpy.run_path(str(SCENARIOS))["what_is_there_is_whole"]
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

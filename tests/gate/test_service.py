"""A service over DynamoDB behind the gate: the race that the search finds in Step 1 of the design, in a program. Its
repair is proved within the scenario in test_programs.py."""

import json
import runpy
from pathlib import Path

from lakeproof.gate.fronts.aws import Store
from lakeproof.gate.scenario import Outcome
from tests.gate.dynamodb_requests import Asked, after, s
from tests.gate.judging import EXAMPLES, run

SCENARIOS = EXAMPLES / "service" / "scenarios.py"


def test_two_deletions_lose_a_repository_that_was_created(tmp_path: Path) -> None:
    lost = run(tmp_path, SCENARIOS, "repositories/blind").rows["what_was_created_is_there"]
    assert (lost["verdict"], lost["schedules"], lost["violating"], lost["all"]) == ("violated", 52, 12, True)
    steps = json.loads(Path(str(lost["trace"])).read_text())["steps"]
    created = next(number for number, step in enumerate(steps) if "attribute_not_exists" in step["request"])
    assert (steps[created]["client"], steps[created]["status"]) == ("c3", 200)
    assert any(step["request"] == "DeleteItem items/repositories/r" for step in steps[created:])


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

"""A repository that is deleted twice and created again, at once, through an HTTP service over DynamoDB.

lakeproof gate run examples/gate/service/scenarios.py blind
"""

import http.client
import json
import os
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from lakeproof.gate import GateScenario, Outcome, call

SERVER = str(Path(__file__).with_name("server.py"))


def ask(method: str, path: str) -> tuple[int, dict[str, str]]:
    """One request to the service of this process: the status and the body of the answer."""
    connection = http.client.HTTPConnection(urlsplit(os.environ["SERVICE_URL"]).netloc)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def make_table() -> None:
    ask("POST", "/")


def prepare() -> None:
    make_table()
    ask("PUT", "/repositories/r")


def create(name: str) -> tuple[int, dict[str, str]]:
    return ask("PUT", f"/repositories/{name}")


def delete(name: str) -> tuple[int, dict[str, str]]:
    return ask("DELETE", f"/repositories/{name}")


def get(name: str) -> tuple[int, dict[str, str]]:
    return ask("GET", f"/repositories/{name}")


def what_was_created_is_there(outcome: Outcome) -> str | None:
    """A repository whose creation was acknowledged is there, unless a deletion says that it has deleted it."""
    answers = [(each.name, returned.value) for calls in outcome.results.values() for each, returned in calls]
    created = [body["id"] for name, (status, body) in answers if name == "create" and status == 201]
    deleted = {body["id"] for name, (status, body) in answers if name == "delete" and status == 200}
    status, found = outcome.after[0].value
    gone = [each for each in created if each not in deleted and found.get("id") != each]
    if not gone:
        return None
    return f"the creation was answered by 201, no deletion has deleted that repository, and reading it is {status}"


def what_is_there_is_whole(outcome: Outcome) -> str | None:
    """The repository of each active entry has its branch."""
    items = [{name: value["S"] for name, value in item.items()} for item in outcome.store.dynamodb.listed("items")]
    branches = {item["partition"] for item in items if item["key"] == "main"}
    bare = [item["key"] for item in items if item.get("state") == "active" and item["id"] not in branches]
    return f"the repository {bare[0]} is active, and has no branch" if bare else None


TWO_DELETIONS = [[call(delete, "r")], [call(delete, "r")], [call(create, "r")]]
scenario = partial(
    GateScenario,
    setup=[call(prepare)],
    after=[call(get, "r")],
    invariants=[what_was_created_is_there, what_is_there_is_whole],
    clients=TWO_DELETIONS,
)

SCENARIOS = [
    scenario(
        name="repositories/blind",
        service=["python", SERVER, "{port}", "blind"],
        expect={"what_was_created_is_there": "violated"},
    ),
    scenario(name="repositories/repaired", service=["python", SERVER, "{port}", "repaired"]),
]

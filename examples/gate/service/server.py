"""A small HTTP service: repositories in a table of DynamoDB, created and deleted as Step 1 of lakeFS' design has it.

    POST /                      201: the table is created
    PUT /repositories/NAME      201 with its id, or 409: the name is taken
    GET /repositories/NAME      200 with its id and branches, or 404
    DELETE /repositories/NAME   200 with the id of what was deleted, or 404

python server.py PORT blind|repaired

The entry of a repository is an item in the partition ``repositories``; its one branch is in a partition that is named
by its id. A deletion marks the entry, deletes the branch, and then the entry. ``Repositories`` writes and deletes the
entry whatever it is by then; ``Repaired`` only if it is still that of the repository that it has read.
"""

import json
import sys
import uuid
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import boto3
from botocore.client import BaseClient
from botocore.config import Config

TABLE: Final = "items"
ENTRIES: Final = "repositories"
BRANCH: Final = "main"
Answer = tuple[int, dict[str, object]]


def client() -> BaseClient:
    """A client of the store that the environment names. What fails is tried again by the caller, not by boto3."""
    return boto3.client("dynamodb", config=Config(retries={"total_max_attempts": 1}))


def key(partition: str, name: str) -> dict[str, dict[str, str]]:
    return {"partition": {"S": partition}, "key": {"S": name}}


class Repositories:
    """What the service does, blindly."""

    def __init__(self, db: BaseClient) -> None:
        self.db = db

    def create_table(self, _: str) -> Answer:
        names = {"partition": "HASH", "key": "RANGE"}
        self.db.create_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in names.items()],
            BillingMode="PAY_PER_REQUEST",
        )
        return 201, {}

    def get(self, name: str) -> Answer:
        found = self.entry(name)
        if found is None or found["state"] != "active":
            return 404, {}
        return 200, {"id": found["id"], "branches": self.branches(found["id"])}

    def create(self, name: str) -> Answer:
        """The branch first; then the entry, if there is none."""
        made = str(uuid.uuid4())
        self.db.put_item(TableName=TABLE, Item=key(made, BRANCH))
        try:
            self.write(name, made, "active", ConditionExpression="attribute_not_exists(id)")
        except self.db.exceptions.ConditionalCheckFailedException:
            return 409, {}
        return 201, {"id": made}

    def delete(self, name: str) -> Answer:
        found = self.entry(name)
        if found is None:
            return 404, {}
        self.mark(name, found["id"])
        self.db.delete_item(TableName=TABLE, Key=key(found["id"], BRANCH))
        self.remove(name, found["id"])
        return 200, {"id": found["id"]}

    def mark(self, name: str, identifier: str) -> None:
        self.write(name, identifier, "deleting")

    def remove(self, name: str, identifier: str) -> None:
        self.db.delete_item(TableName=TABLE, Key=key(ENTRIES, name))

    def entry(self, name: str) -> Mapping[str, str] | None:
        found = self.db.get_item(TableName=TABLE, Key=key(ENTRIES, name), ConsistentRead=True).get("Item")
        return None if found is None else {each: value["S"] for each, value in found.items()}

    def branches(self, identifier: str) -> list[str]:
        told = self.db.query(
            TableName=TABLE,
            KeyConditionExpression="#p = :p",
            ExpressionAttributeNames={"#p": "partition"},
            ExpressionAttributeValues={":p": {"S": identifier}},
            ConsistentRead=True,
        )
        return [each["key"]["S"] for each in told["Items"]]

    def write(self, name: str, identifier: str, state: str, **condition: object) -> None:
        item = {**key(ENTRIES, name), "id": {"S": identifier}, "state": {"S": state}}
        self.db.put_item(TableName=TABLE, Item=item, **condition)


class Repaired(Repositories):
    """The same; but an entry is written and deleted only if it is that of the repository that was read."""

    def mark(self, name: str, identifier: str) -> None:
        self.unless_another(lambda: self.write(name, identifier, "deleting", **self.of(identifier)))

    def remove(self, name: str, identifier: str) -> None:
        place = key(ENTRIES, name)
        self.unless_another(lambda: self.db.delete_item(TableName=TABLE, Key=place, **self.of(identifier)))

    def of(self, identifier: str) -> dict[str, object]:
        return {"ConditionExpression": "id = :id", "ExpressionAttributeValues": {":id": {"S": identifier}}}

    def unless_another(self, change: Callable[[], object]) -> None:
        """The entry of another repository, or none: this one is gone, and that is what was wanted."""
        try:
            change()
        except self.db.exceptions.ConditionalCheckFailedException:
            return


def handler(repositories: Repositories) -> type[BaseHTTPRequestHandler]:
    """Serves what the service does as HTTP."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, does: Callable[[str], Answer]) -> None:
            status, body = does(self.path.removeprefix("/repositories/"))
            told = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def do_GET(self) -> None:
            self.answer(repositories.get)

        def do_POST(self) -> None:
            self.answer(repositories.create_table)

        def do_PUT(self) -> None:
            self.answer(repositories.create)

        def do_DELETE(self) -> None:
            self.answer(repositories.delete)

        def log_message(self, *_: object) -> None:
            """Nothing: the gate has the requests that matter."""

    return Handler


if __name__ == "__main__":
    port, kind = int(sys.argv[1]), {"blind": Repositories, "repaired": Repaired}[sys.argv[2]]
    ThreadingHTTPServer(("127.0.0.1", port), handler(kind(client()))).serve_forever()

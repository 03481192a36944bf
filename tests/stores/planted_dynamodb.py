"""A DynamoDB with a bug, on a port in a thread of its own. ``correct`` has none."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import trio

from lakeproof.gate.fronts.dynamodb.front import DynamoDBFront, DynamoDBRequest
from lakeproof.gate.fronts.dynamodb.requests import ItemChange, Meant, Several
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.http import Request, Response
from tests.gate.stores import Meeting, answering

BUGS = {
    "conditions ignored": "a condition that fails is an error and changes nothing",
    "conditions always fail": "conditions hold as the reference says",
    "stale reads": "a write is seen by every consistent read at once",
    "pages lost": "pages lose nothing in either direction",
    "pages overlap": "pages lose nothing in either direction",
    "backwards forgotten": "pages lose nothing in either direction",
    "filter before limit": "a filter takes away what was counted",
    "updates lost": "concurrent updates are all kept",
    "returns nothing": "updates do what they say and return the values requested",
    "transaction not undone": "a transaction is done whole or not at all",
    "transaction torn": "a transaction is never seen in half",
    "transaction repeated": "a transaction with a token is done once",
    "batch cut": "a batch does all or tells what is left",
    "unused values accepted": "mistakes are errors with their codes",
    "errors of another code": "mistakes are errors with their codes",
    "sort keys as texts": "sort keys are in the order of their kind",
}
"""By name: the claim that is to find it."""


class Planted:
    def __init__(self, bug: str) -> None:
        assert bug in BUGS or bug == "correct", bug
        self.bug = bug
        self.front = DynamoDBFront()
        self.state = DynamoState()
        self.before = DynamoState()
        """Before the last write."""
        self.meeting = Meeting()
        self.one_at_a_time = trio.Lock()
        self.seen_in_half = trio.Event()

    async def handle(self, request: Request) -> Response:
        request = self._spoiled(request)
        asked = self.front.understood(request)
        if isinstance(asked, Response):
            return self._other_code(asked)
        asked = attrs.evolve(asked, meant=self._meant(asked.meant))
        if self.bug == "updates lost" and asked.operation == "UpdateItem":
            seen = self.state
            await self.meeting.come()
            self.state, response, _ = self.front.perform(seen, asked, 0)
            return response
        if asked.operation == "TransactWriteItems" and self.bug.startswith("transaction"):
            return await self._transaction(asked)
        stale = self.bug == "stale reads" and not self.front.writes(asked) and asked.operation != "DescribeTable"
        after, response, _ = self.front.perform(self.before if stale else self.state, asked, 0)
        if not stale:
            self.before, self.state = self.state if after is not self.state else self.before, after
        if asked.operation == "TransactGetItems" and len(_values_read(response)) > 1:
            self.seen_in_half.set()
        return self._other_code(self._answer(asked, response))

    def _spoiled(self, request: Request) -> Request:
        told = json.loads(request.body)
        if self.bug == "unused values accepted" and "UpdateExpression" in told:
            values = told.get("ExpressionAttributeValues", {})
            used = {name: value for name, value in values.items() if name in str(told["UpdateExpression"])}
            if values and not used and "ConditionExpression" not in told:
                del told["ExpressionAttributeValues"]
        if self.bug == "backwards forgotten":
            told.pop("ScanIndexForward", None)
        texts = "AttributeDefinitions" in told or str(told.get("TableName", "")).endswith("-N")
        if self.bug == "sort keys as texts" and texts:
            told = json.loads(request.body.replace(b'"N"', b'"S"'))
        return attrs.evolve(request, body=json.dumps(told).encode())

    def _meant(self, meant: Meant) -> Meant:
        if isinstance(meant, Several) and self.bug == "batch cut" and len(meant.changes) > 10:
            return attrs.evolve(meant, changes=meant.changes[:10])
        if isinstance(meant, Several) and self.bug == "transaction repeated":
            return attrs.evolve(meant, token="")
        if not isinstance(meant, ItemChange):
            return meant
        if self.bug == "conditions ignored":
            return attrs.evolve(meant, condition=None)
        return attrs.evolve(meant, returns="NONE") if self.bug == "returns nothing" else meant

    async def _transaction(self, asked: DynamoDBRequest) -> Response:
        """Part by part, or as it should be."""
        assert isinstance(asked.meant, Several)
        after, response, _ = self.front.perform(self.state, asked, 0)
        torn = self.bug == "transaction not undone" or (self.bug == "transaction torn" and response.status == 200)
        if not torn:
            self.state = after
            return response
        async with self.one_at_a_time:
            for number, change in enumerate(asked.meant.changes):
                before, part = self.state, attrs.evolve(asked, operation=change.kind, meant=change)
                self.state, _, _ = self.front.perform(self.state, part, 0)
                if self.bug == "transaction torn" and number == 0 and self.state != before:
                    await self.seen_in_half.wait()
        return response

    def _answer(self, asked: DynamoDBRequest, response: Response) -> Response:
        told = json.loads(response.body)
        conditional = asked.operation == "UpdateItem" and "ConditionExpression" in asked.body
        if self.bug == "conditions always fail" and conditional and response.status == 200:
            kind = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
            return Response(400, response.headers[:1], json.dumps({"__type": kind, "message": ""}).encode())
        if asked.operation == "Query" and response.status == 200:
            items = told.get("Items", [])
            if self.bug == "pages lost" and len(items) == 3:
                del told["LastEvaluatedKey"]
            if self.bug == "pages overlap" and len(items) == 3 and "LastEvaluatedKey" in told:
                told["LastEvaluatedKey"] = {name: items[1][name] for name in told["LastEvaluatedKey"]}
            if self.bug == "filter before limit":
                told["ScannedCount"] = told["Count"]
        if self.bug == "sort keys as texts" and str(asked.body.get("TableName")).endswith("-N"):
            return Response(response.status, response.headers[:1], json.dumps(told).replace('"S"', '"N"').encode())
        return Response(response.status, response.headers[:1], json.dumps(told).encode())

    def _other_code(self, response: Response) -> Response:
        if self.bug != "errors of another code":
            return response
        return attrs.evolve(response, headers=(), body=response.body.replace(b"ResourceNotFound", b"TableNotFound"))


def _values_read(response: Response) -> set[str]:
    """The values of ``v`` that one transaction has read."""
    return {str(each.get("Item", {}).get("v")) for each in json.loads(response.body).get("Responses", ())}


@contextmanager
def planted(bug: str) -> Iterator[str]:
    """Yields its DSN."""
    with answering(Planted(bug).handle) as served:
        yield f"dynamodb+{served.url}/"

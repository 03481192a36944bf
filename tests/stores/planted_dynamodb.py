"""A DynamoDB with a bug, on a port in a thread of its own. ``correct`` has none."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import pytest
import trio

from lakeproof.gate.fronts.dynamodb import items, names, queries, requests, state
from lakeproof.gate.fronts.dynamodb.front import DynamoDBFront, DynamoDBRequest
from lakeproof.gate.fronts.dynamodb.requests import Several
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.http import Request, Response
from tests.gate.stores import Meeting, answering
from tests.planting import text_fault

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


CONDITION = "if change.condition is not None and not holds(change.condition, before or {}):"
LAST = "written_item(table.key_fields(last))"
SECOND = "{name: written_item(found[1])[name] for name in table.key_names}"
TEXTS = {
    "conditions ignored": text_fault(items, CONDITION, "if None:"),
    "conditions always fail": text_fault(items, CONDITION, 'if change.condition and change.kind == "UpdateItem":'),
    "pages lost": text_fault(queries, "if last is not None:", "if last is not None and len(found) != 3:"),
    "pages overlap": text_fault(queries, LAST, f"{SECOND} if len(found) == 3 else {LAST}"),
    "backwards forgotten": text_fault(requests, 'flag(body, "ScanIndexForward", default=True)', "True"),
    "filter before limit": text_fault(queries, '"ScannedCount": scanned', '"ScannedCount": len(found)'),
    "returns nothing": text_fault(items, "match change.returns:", 'match "NONE":'),
    "transaction repeated": text_fault(items, "before.get(request.token)", "None"),
    "batch cut": text_fault(items, "request.changes]), {", "request.changes[:10]]), {"),
    "unused values accepted": text_fault(names, "if unused:", "if None:"),
    "errors of another code": text_fault(state, '"ResourceNotFoundException"', '"TableNotFoundException"'),
}
"""Those that are a change of the text of the gate's DynamoDB."""


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
            return asked
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
        return self._answer(asked, response)

    def _spoiled(self, request: Request) -> Request:
        told = json.loads(request.body)
        texts = "AttributeDefinitions" in told or str(told.get("TableName", "")).endswith("-N")
        if self.bug == "sort keys as texts" and texts:
            return attrs.evolve(request, body=request.body.replace(b'"N"', b'"S"'))
        return request

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
        if self.bug == "sort keys as texts" and str(asked.body.get("TableName")).endswith("-N"):
            return Response(response.status, response.headers[:1], response.body.replace(b'"S"', b'"N"'))
        return response


def _values_read(response: Response) -> set[str]:
    """The values of ``v`` that one transaction has read."""
    return {str(each.get("Item", {}).get("v")) for each in json.loads(response.body).get("Responses", ())}


@contextmanager
def planted(bug: str) -> Iterator[str]:
    """Yields its DSN."""
    with pytest.MonkeyPatch.context() as patch:
        if bug in TEXTS:
            TEXTS[bug](patch)
        with answering(Planted(bug).handle) as served:
            yield f"dynamodb+{served.url}/"

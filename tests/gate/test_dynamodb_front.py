"""The DynamoDB front as the gate sees it: labels, checksums, and what it remembers."""

import zlib

import pytest

from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.dynamodb.front import DynamoDBFront
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.http import Response
from tests.gate.dynamodb_requests import (
    NOW,
    ONE,
    TWO,
    Asked,
    Fields,
    after,
    attached,
    create,
    done,
    n,
    request,
    s,
    understood,
)

KEY = {"TableName": ONE, "Key": {"p": s("a")}}
PUT: Asked = "PutItem", {"TableName": ONE, "Item": {"p": s("a")}, "ConditionExpression": "attribute_not_exists(p)"}
NAMES: Fields = {"ExpressionAttributeNames": {"#v": "state"}}
UPDATE = {**KEY, **NAMES, "UpdateExpression": "SET #v =\n :v", **attached(":v", s("x"))}
WHOLE: Fields = {"KeyConditionExpression": "p = :p", "ExpressionAttributeValues": {":p": s("a")}}
BETWEEN: Fields = {
    "KeyConditionExpression": "p = :p AND k BETWEEN :k AND :k",
    "ExpressionAttributeValues": {":p": s("a"), ":k": n(1)},
}
PAGE: Fields = {"Limit": 2, "ScanIndexForward": False, "ExclusiveStartKey": {"p": s("a"), "k": n(1)}}


@pytest.mark.parametrize(
    ("operation", "fields", "label"),
    [
        ("PutItem", PUT[1], "PutItem one/a if attribute_not_exists(p)"),
        ("GetItem", {"TableName": TWO, "Key": {"k": n(1), "p": s("a/b")}}, "GetItem two/a%2Fb/1"),
        ("ListTables", {}, "ListTables"),
        ("UpdateItem", UPDATE, "UpdateItem one/a SET state = :v"),
        ("Query", {"TableName": TWO, **BETWEEN}, "Query two p = a k between 1 and 1"),
        ("Query", {"TableName": TWO, **WHOLE, **PAGE}, "Query two p = a limit 2 backwards after a/1"),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": KEY}, {"Put": {"TableName": ONE, "Item": {"p": s("b")}}}]},
            "TransactWriteItems delete one/a; put one/b",
        ),
    ],
)
def test_a_label_names_the_item_and_the_condition_and_no_content(
    operation: str, fields: dict[str, object], label: str
) -> None:
    front, store = AWSFront(), Store()
    for each in (create(ONE), create(TWO)):
        store, _, _ = front.perform(store, understood(each), NOW)
    asked = understood((operation, fields))
    assert front.label_of(asked) == label
    assert asked.client == "me"
    assert front.writes(asked) is (operation not in ("GetItem", "Query", "ListTables"))
    assert front.refusal(asked).status == 400


def test_the_items_of_a_table_are_listed_for_invariants() -> None:
    item = {"p": s("a"), "v": {"L": [n(1), {"B": "AA=="}]}}
    state = after(create(ONE), ("PutItem", {"TableName": ONE, "Item": item}))
    assert state.listed(ONE) == [item]
    assert state.listed("absent") == []


@pytest.mark.parametrize(
    ("update", "makes_one"),
    [("REMOVE v", False), ("REMOVE v.x, w[0]", False), ("DELETE v :s REMOVE w", False), ("ADD v :s", True)],
)
def test_an_update_that_only_removes_makes_no_item(update: str, makes_one: bool) -> None:
    asked = {**KEY, "UpdateExpression": update, "ReturnValues": "ALL_NEW"}
    state, status, body, _ = done(after(create(ONE)), "UpdateItem", asked | attached(update, n(1)))
    assert (status, len(state.listed(ONE)), "Attributes" in body) == (200, makes_one, makes_one)


@pytest.mark.parametrize(
    "condition",
    [
        *("attribute_type(:one, :t)", "attribute_not_exists((x)) AND NOT (x) IN ((:one), x) AND (:one) <> (x)"),
        "((attribute_not_exists(x)) AND (NOT (x = :one)))",
    ],
)
def test_a_value_of_the_request_may_be_asked_for_its_type_and_an_operand_may_have_brackets(condition: str) -> None:
    put = {"TableName": ONE, "Item": {"p": s("a")}, "ConditionExpression": condition}
    assert done(after(create(ONE)), "PutItem", put | attached(condition, n(1)))[1] == 200


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        (" AND ".join(["(#in = p)"] * 150), ""),
        (" OR ".join(["p BETWEEN p AND p"] * 150), ""),
        (" AND ".join(["p = p"] * 151), "too many operators; operator count: 301"),
        ("NOT " * 298 + "p = q", ""),
        ("NOT " * 1000 + "p = p", "too many operators; operator count: 1001"),
        ("size(" * 301, "with more than 300 brackets is not known here"),
        ("NOT (" * 298 + "p = q" + ")" * 298, ""),
        ("(size(p)) = :one", "with brackets around a size is not known here"),
        ("(" * 301 + "p = p" + ")" * 301, "with more than 300 brackets is not known here"),
    ],
    ids=["names", "between", "operators", "nested", "too deep", "calls", "brackets", "size", "too many brackets"],
)
def test_the_bound_on_operators_is_of_operators_alone(condition: str, error: str) -> None:
    names = {"ExpressionAttributeNames": {"#in": "in"}} if "#in" in condition else {}
    put = {"TableName": ONE, "Item": {"p": s("a")}, "ConditionExpression": condition}
    _, status, body, _ = done(after(create(ONE)), "PutItem", put | names)
    told = str(body.get("message"))
    assert error in told if error else "conditional request failed" in told, (status, told)


def test_the_checksum_is_of_the_body() -> None:
    response = DynamoDBFront().understood(request("Nothing", {}))
    assert isinstance(response, Response)
    assert dict(response.headers)["x-amz-crc32"] == str(zlib.crc32(response.body))


def test_a_transaction_is_forgotten_after_ten_minutes() -> None:
    front, store = AWSFront(), Store(dynamodb=after(create(ONE)))
    update = {"Update": {**KEY, "UpdateExpression": "ADD v :one", **attached(":one", None)}}
    asked = understood(("TransactWriteItems", {"TransactItems": [update], "ClientRequestToken": "t"}))
    values = []
    for seconds in (0, 599, 601):
        store, _, _ = front.perform(store, asked, NOW + seconds * 1_000_000)
        values += [item["v"] for item in store.dynamodb.listed(ONE)]
    assert values == [n(1), n(1), n(2)]


def test_the_size_of_a_text_counts_utf_16_and_no_bytes() -> None:
    state = after(create(ONE), ("PutItem", {"TableName": ONE, "Item": {"p": s("a"), "v": s("é\U0001d11e")}}))
    values = {"ExpressionAttributeValues": {":three": n(3)}}
    found = done(state, "Scan", {"TableName": ONE, "FilterExpression": "size(v) = :three", **values})[2]
    assert found["Count"] == 1


def test_an_item_with_nothing_of_a_projection_is_there_and_for_a_transaction_is_not() -> None:
    state, asked = after(create(ONE), PUT), {**KEY, "ProjectionExpression": "absent"}
    assert done(state, "GetItem", asked)[2] == {"Item": {}}
    assert done(state, "TransactGetItems", {"TransactItems": [{"Get": asked}]})[2] == {"Responses": [{}]}


def test_a_batch_with_a_table_without_writes_writes_nothing() -> None:
    put = {"PutRequest": {"Item": {"p": s("a")}}}
    cases: list[dict[str, list[object]]] = [{ONE: [put], TWO: []}, {ONE: []}]
    for writes in cases:
        state, status, _, _ = done(after(create(ONE), create(TWO)), "BatchWriteItem", {"RequestItems": writes})
        assert (status, state.listed(ONE)) == (400, [])


@pytest.mark.parametrize(
    ("operation", "fields", "unknown"),
    [
        ("ExecuteStatement", {"Statement": "UPDATE t"}, '"Statement": "UPDATE t"}'),
        ("UpdateTimeToLive", {"TimeToLiveSpecification": {"AttributeName": "t", "Enabled": True}}, "UpdateTimeToLive"),
        ("PutItem", {"Expected": {}}, "Expected of PutItem"),
        ("PutItem", {"Younger": 1}, "Younger of PutItem"),
        (
            "BatchWriteItem",
            {"RequestItems": {ONE: [{"PutRequest": {"Item": {"p": s("a")}, "ConditionExpression": "a"}}]}},
            "ConditionExpression of PutRequest",
        ),
        ("CreateTable", {"GlobalSecondaryIndexes": [{}]}, "GlobalSecondaryIndexes of CreateTable"),
        ("CreateTable", {"StreamSpecification": {"StreamEnabled": True}}, "StreamSpecification or"),
    ],
)
def test_what_the_front_does_not_have_is_named(
    operation: str, fields: dict[str, object], unknown: str
) -> None:
    front = DynamoDBFront()
    table = {} if "RequestItems" in fields else {"TableName": ONE}
    asked = front.understood(request(operation, table | fields))
    answer = asked if isinstance(asked, Response) else front.perform(DynamoState(), asked, NOW)[1]
    assert answer.status == 400
    assert unknown in answer.unknown


@pytest.mark.parametrize(
    ("update", "code"),
    [
        ("ADD v :s", "ValidationException"),
        ("SET v = v + :s", "ValidationException"),
        ("SET v = list_append(v, :s)", "ValidationException"),
        ("SET p = :s", "TransactionCanceledException"),
    ],
)
def test_an_update_that_makes_sense_for_no_table_is_no_reason_of_a_transaction(
    update: str, code: str
) -> None:
    values = {"ExpressionAttributeValues": {":s": s("x")}}
    item = {"TableName": ONE, "Key": {"p": s("a")}, "UpdateExpression": update, **values}
    _, status, body, _ = done(after(create(ONE)), "TransactWriteItems", {"TransactItems": [{"Update": item}]})
    assert (status, str(body["__type"]).rpartition("#")[2]) == (400, code)

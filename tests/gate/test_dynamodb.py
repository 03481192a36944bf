"""The DynamoDB front, as boto3 sees it: what clients ask for, and the answers and errors that they rely on."""

import pytest
from botocore.client import BaseClient

from tests.gate.dynamodb_requests import ONE, TWO, attached, create, n, s
from tests.gate.stores import refused


def test_every_kind_of_value_is_read_as_written(db: BaseClient) -> None:
    item = {
        "p": s("é \x00/%"),
        "n": n("-0.00000000000000000000000000000000000012345678901234567890"),
        "large": n("9.9E+125"),
        "b": {"B": bytes(range(256))},
        "empty": s(""),
        "none": {"B": b""},
        "bool": {"BOOL": False},
        "null": {"NULL": True},
        "l": {"L": [n(1), {"M": {"x": {"L": []}}}]},
        "m": {"M": {}},
        "ss": {"SS": ["b", "a"]},
        "ns": {"NS": ["10", "9"]},
        "bs": {"BS": [b"\xff", b"\x00"]},
    }
    db.put_item(TableName=ONE, Item=item)
    found = db.get_item(TableName=ONE, Key={"p": item["p"]})["Item"]
    assert found.pop("large") == n("99" + "0" * 124)
    assert found.pop("n") == n("-0.0000000000000000000000000000000000001234567890123456789")
    assert {kind: sorted(found.pop(kind)[kind.upper()]) for kind in ("ss", "ns", "bs")} == {
        "ss": ["a", "b"],
        "ns": ["10", "9"],
        "bs": [b"\x00", b"\xff"],
    }
    assert found == {name: item[name] for name in found}
    assert "Item" not in db.get_item(TableName=ONE, Key={"p": s("other")})


@pytest.mark.parametrize(
    ("update", "after_it"),
    [
        ("SET w = v, v = w", {"v": n(2), "w": n(1)}),
        ("SET v = w - v", {"v": n(1)}),
        ("SET x = if_not_exists(x, v)", {"x": n(1)}),
        ("SET l = list_append(l, l), l2 = list_append(:l, l)", {"l": "0101", "l2": "701"}),
        ("SET l[9] = v, l[0] = w", {"l": "211"}),
        ("REMOVE l[0], w", {"l": "1", "w": None}),
        ("SET m.x.y = v REMOVE m.z", {"m": {"M": {"x": {"M": {"y": n(1)}}}}}),
        ("ADD fresh :one, s :s", {"fresh": n(1), "s": {"SS": ["a", "b", "c"]}}),
        ("DELETE s :s", {"s": {"SS": ["b"]}}),
        ("DELETE s :v", {"s": None}),
        ("DELETE absent :s ADD v :one", {"absent": None, "v": n(2)}),
    ],
)
def test_updates(db: BaseClient, update: str, after_it: dict[str, object]) -> None:
    both = {"SS": ["a", "b"]}
    item = {"p": s("a"), "v": n(1), "w": n(2), "l": {"L": [n(0), n(1)]}, "s": both}
    item["m"] = {"M": {"x": {"M": {}}, "z": n(0)}}
    db.put_item(TableName=ONE, Item=item)
    asked = {"TableName": ONE, "Key": {"p": s("a")}, "UpdateExpression": update, "ReturnValues": "ALL_NEW"}
    found = db.update_item(**asked, **attached(update, both))["Attributes"]
    for name, expected in after_it.items():
        meant = {"L": [n(each) for each in expected]} if isinstance(expected, str) else expected
        assert found.get(name) == meant
    assert {name: found[name] for name in item if name not in after_it} == {
        name: item[name] for name in item if name not in after_it
    }


def test_a_table_lives(db: BaseClient) -> None:
    assert refused(db, "create_table", create(ONE)[1])[1] == "ResourceInUseException"
    db.get_waiter("table_exists").wait(TableName=TWO)
    assert db.list_tables(Limit=1)["LastEvaluatedTableName"] == ONE
    db.delete_table(TableName=ONE)
    assert refused(db, "get_item", TableName=ONE, Key={"p": s("a")})[1] == "ResourceNotFoundException"
    assert refused(db, "describe_table", TableName=ONE)[1] == "ResourceNotFoundException"


NUMBERS = {":a": n("0.5"), ":b": n(9), ":ten": n("1E1")}
WHOLE = {"TableName": TWO, "KeyConditionExpression": "p = :p", "ExpressionAttributeValues": {":p": s("a")}}


@pytest.fixture
def full(db: BaseClient) -> BaseClient:
    for number in (10, 9, -1, 0.5, 1e20):
        db.put_item(TableName=TWO, Item={"p": s("a"), "k": n(str(number)), "v": n(str(number)), "x": s("x")})
    db.put_item(TableName=TWO, Item={"p": s("ab"), "k": n(1)})
    return db


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("p = :p", [-1, 0.5, 9, 10, 1e20]),
        ("p = :p AND k > :b", [10, 1e20]),
        ("p = :p and k <= :b", [-1, 0.5, 9]),
        ("k BETWEEN :a AND :b AND p = :p", [0.5, 9]),
        ("p = :p AND k = :ten", [10]),
        (":p = p AND :b < k", [10, 1e20]),
        (":a >= k AND p = :p", [-1, 0.5]),
    ],
)
def test_a_query_is_in_the_order_of_its_sort_key(full: BaseClient, condition: str, expected: list[float]) -> None:
    values = {":p": s("a")} | {name: value for name, value in NUMBERS.items() if name in condition}
    asked = {"TableName": TWO, "KeyConditionExpression": condition, "ExpressionAttributeValues": values}
    for forward in (True, False):
        found = full.query(**asked, ScanIndexForward=forward)["Items"]
        assert [float(each["k"]["N"]) for each in found] == expected[:: 1 if forward else -1]


def test_a_page_ends_after_a_mebibyte(db: BaseClient) -> None:
    for number in range(4):
        db.put_item(TableName=TWO, Item={"p": s("a"), "k": n(number), "v": s("x" * 390_000)})
    first = db.query(**WHOLE)
    assert (first["Count"], "LastEvaluatedKey" in first) == (3, True)
    second = db.query(**WHOLE, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert (second["Count"], "LastEvaluatedKey" in second) == (1, False)


def test_a_projection(full: BaseClient) -> None:
    assert full.query(**WHOLE, ProjectionExpression="x, k", Limit=1)["Items"] == [{"k": n(-1), "x": s("x")}]


def test_segments_of_a_scan_are_all_of_it_once(full: BaseClient) -> None:
    parts = [full.scan(TableName=TWO, Segment=number, TotalSegments=3)["Items"] for number in range(3)]
    assert sum(map(len, parts)) == 6


ITEM = {"TableName": ONE, "Item": {"p": s("a")}}
THREE = {**create(ONE)[1], "TableName": "three"}
PUT, DELETE = {"Put": ITEM}, {"Delete": {"TableName": ONE, "Key": {"p": s("a")}}}
NO_KEY = "does not match the schema"
UPDATE = {"TableName": ONE, "Key": {"p": s("there")}, "ExpressionAttributeValues": {":v": n(1)}}
THERE = {"p": s("there"), "v": n(1), "s": s("x")}
NO_CONDITIONS = ("p > :p", "p = :p OR k = :p", "k = :p", "p = :p AND k = :p", "p = :p AND v = :p")
START: dict[str, object] = {"ExclusiveStartKey": {"p": s("b"), "k": n(1)}}
QUERIES: list[tuple[str, object]] = [
    *(("KeyConditionExpression", each) for each in NO_CONDITIONS),
    ("FilterExpression", "k = :p"),
    ("IndexName", "index"),
    *START.items(),
    ("Select", "SPECIFIC_ATTRIBUTES"),
]


@pytest.mark.parametrize(
    ("operation", "asked", "says"),
    [
        *(
            ("get_item", {"TableName": TWO, "Key": key}, says)
            for key, says in (
                ({"p": s("a")}, NO_KEY),
                ({"p": s("a"), "k": s("1")}, NO_KEY),
                ({"p": s("a"), "k": n(1), "x": n(1)}, NO_KEY),
                ({"p": s(""), "k": n(1)}, "cannot contain an empty string value. Key: p"),
                ({"p": s("x" * 2049), "k": n(1)}, "Size of hashkey has exceeded the maximum size limit of 2048 bytes"),
            )
        ),
        *(
            ("put_item", {**ITEM, **fields}, says)
            for fields, says in (
                ({"Item": {"p": s("a"), "v": s("x" * (400 * 1024 - 2))}}, "Item size has exceeded"),
                ({"Item": {"p": s("a"), "v": {"N": f"1.{'0' * 400}1"}}}, "more than 38 significant digits"),
                ({"Expected": {"p": {"Exists": False}}}, "Expected of PutItem"),
                ({"ReturnValues": "ALL_NEW"}, "Return values"),
                ({"ConditionExpression": "a <"}, "Syntax error"),
                ({"ConditionExpression": "attribute_exists(a) = attribute_exists(b)"}, "attribute_exists"),
                ({"ConditionExpression": "NOT ((a = p))"}, "The expression has redundant parentheses"),
                ({"ConditionExpression": "NOT a.b[0] = a.b[0]"}, "distinct from the remaining operands"),
                ({"ConditionExpression": "NOT contains(a, a)"}, "operator: contains, first operand: [a]"),
                ({"ConditionExpression": "a = :x"}, ":x"),
                ({"ConditionExpression": "a = b", "ExpressionAttributeNames": {}}, "Names must not be empty"),
                ({"ConditionExpression": "a = b", "ExpressionAttributeValues": {}}, "Values must not be empty"),
                ({"ConditionExpression": "#a = b", "ExpressionAttributeNames": {"#a": ""}}, "name is empty; key: #a"),
                ({"Item": {"p": s("a"), "v": {"M": {"": n(1)}}}}, "an attribute name is empty"),
                ({"ConditionExpression": "begins_with(a)"}, "Incorrect number of operands"),
                ({"ConditionExpression": "attribute_type(a, b)"}, "Incorrect operand type"),
                ({"ConditionExpression": "size(size(a)) = a"}, "function: size, operand type: N"),
            )
        ),
        *(
            ("create_table", {**THREE, **fields}, "")
            for fields in (
                {"KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}]},
                {"KeySchema": [{"AttributeName": "p", "KeyType": "RANGE"}]},
                {"AttributeDefinitions": [{"AttributeName": "p", "AttributeType": kind} for kind in ("N", "S")]},
                {"KeySchema": [{"AttributeName": "p", "KeyType": kind} for kind in ("HASH", "RANGE")]},
                {"BillingMode": "PROVISIONED"},
                {"GlobalSecondaryIndexes": [], "StreamSpecification": {"StreamEnabled": True}},
            )
        ),
        *(
            ("update_item", {**UPDATE, "UpdateExpression": update}, says)
            for update, says in (
                ("SET p = :v", "Cannot update attribute p. This attribute is part of the key"),
                ("SET a = :v, a.b = :v", "Two document paths overlap"),
                ("SET a.b = :v, a[0] = :v", "Two document paths"),
                ("SET _a = :v", 'Syntax error; token: "_"'),
                ("SET a = b, c = :v", "refers to an attribute that does not exist"),
                ("SET a.b = :v", "The document path provided in the update expression is invalid for update"),
                ("SET a = v + s, c = :v", "An operand in the update expression has an incorrect data type"),
                ("ADD s :v", "An operand in the update expression has an incorrect data type"),
                ("SET a = :v SET b = :v", 'The "SET" section can only be used once'),
                ("SET a = nope(:v)", "Invalid function name; function: nope"),
                ("SET l = list_append(l, list_append(m, m)), a = :v", "not allowed to be used this way"),
                ("SET a :v", 'Syntax error; token: ":v"'),
                ("SET a = :absent, b = :v", "attribute value: :absent"),
                ("REMOVE #absent SET a = :v", "attribute name: #absent"),
                ("REMOVE a", "unused in expressions: keys: {:v}"),
                ("SET Status = :v", "Attribute name is a reserved keyword; reserved keyword: Status"),
            )
        ),
        *(("query", {**WHOLE, name: value}, "") for name, value in QUERIES),
        ("scan", {"TableName": TWO, "Segment": 0, "TotalSegments": 2, **START}, "must lie within the segment"),
        ("transact_write_items", {"TransactItems": [PUT, DELETE]}, "multiple operations on one"),
        ("batch_get_item", {"RequestItems": {ONE: {"Keys": [{"p": s("a")}] * 2}}}, "contains duplicates"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    db: BaseClient, operation: str, asked: dict[str, object], says: str
) -> None:
    db.put_item(TableName=ONE, Item=THERE)
    *kind, message = refused(db, operation, asked)
    assert kind == [400, "ValidationException"]
    assert says in message
    assert db.list_tables()["TableNames"] == [ONE, TWO]
    assert db.scan(TableName=ONE)["Items"] == [THERE]

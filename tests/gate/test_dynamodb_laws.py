"""What holds of the DynamoDB front for all requests: its answers are Amazon's, nothing crashes it, and its conditions
mean what a second reading of the reference says."""

import operator
from decimal import Context, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.gate.fronts.dynamodb import touched
from lakeproof.gate.fronts.dynamodb.conditions import check, holds
from lakeproof.gate.fronts.dynamodb.errors import DynamoDBError
from lakeproof.gate.fronts.dynamodb.grammar import condition
from lakeproof.gate.fronts.dynamodb.names import Attached
from lakeproof.gate.fronts.dynamodb.requests import OPERATIONS
from lakeproof.gate.fronts.dynamodb.state import DynamoState
from lakeproof.gate.fronts.dynamodb.values import item
from lakeproof.gate.names import blank_minted
from tests.gate.dynamodb_requests import ONE, REQUESTS, TWO, Asked, after, create, done, misfits, n, s

TABLES = (create(ONE), create(TWO))


@pytest.mark.deep
@settings(max_examples=150)
@given(st.lists(REQUESTS, max_size=8))
def test_answers_and_errors_are_as_amazon_describes_them(asked: list[Asked]) -> None:
    state = after(*TABLES)
    for operation, fields in asked:
        state, status, body, _ = done(state, operation, fields)
        assert not misfits(operation, status, body)


@pytest.mark.parametrize(
    ("operation", "status", "body"),
    [
        ("GetItem", 200, {"Itme": {}}),
        ("GetItem", 200, {"Item": {"p": {"N": 1}}}),
        ("Query", 200, {"Count": "1"}),
        ("CreateTable", 200, {"TableDescription": {"TableStatus": "THERE"}}),
        ("PutItem", 400, {"__type": "x#NoSuchException", "message": ""}),
        ("PutItem", 400, {"__type": "x#ConditionalCheckFailedException", "massage": ""}),
    ],
)
def test_an_answer_that_is_not_amazons_is_seen(operation: str, status: int, body: dict[str, object]) -> None:
    assert misfits(operation, status, body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["S", "N", "B", "SS", "NS", "BS", "L", "M", "NULL", "p", "k", ":v", "#n"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=8,
)


@pytest.mark.deep
@settings(max_examples=200)
@given(asked=REQUESTS, data=st.data())
def test_a_request_with_a_part_that_is_nonsense_is_answered(asked: Asked, data: st.DataObject) -> None:
    operation, fields = asked
    spoiled = {**fields, data.draw(st.sampled_from(sorted(fields) or ["TableName"])): data.draw(JSON)}
    _, status, body, _ = done(after(*TABLES), operation, spoiled)
    assert not misfits(operation, status, body)


@settings(max_examples=300)
@given(body=st.binary(max_size=30), operation=st.sampled_from([*OPERATIONS, "", "Nothing", "é"]))
def test_bytes_are_answered(body: bytes, operation: str) -> None:
    assert done(DynamoState(), operation, body)[1] in (200, 400)


@settings(max_examples=250)
@given(
    st.lists(
        st.sampled_from(
            ["a", "#n", ":v", "(", ")", "=", "<", "AND", "NOT", "SET", "size", ",", "[0]", ".", "+", " IN "]
        ),
        max_size=9,
    )
)
def test_any_text_is_an_expression_or_a_validation_error(words: list[str]) -> None:
    text = " ".join(words)
    state = after(*TABLES)
    for name in ("ConditionExpression", "UpdateExpression"):
        fields = {"TableName": ONE, "Key": {"p": s("a")}, name: text, "ExpressionAttributeValues": {":v": n(1)}}
        _, status, body, _ = done(state, "UpdateItem", fields)
        assert status == 200 or "ValidationException" in str(body["__type"]) or "Conditional" in str(body["__type"])


def test_a_body_that_is_nested_too_deep_is_refused() -> None:
    for opening, closing in (('{"a":', "}"), ("[", "]")):
        body = (opening * 100_000 + "1" + closing * 100_000).encode()
        assert done(DynamoState(), "GetItem", body)[1] == 400
    deep: object = n(1)
    for _ in range(40):
        deep = {"L": [deep]}
    _, status, body_told, _ = done(after(*TABLES), "PutItem", {"TableName": ONE, "Item": {"p": s("a"), "v": deep}})
    assert (status, body_told["message"]) == (400, "Nesting Levels have exceeded supported limits")


NUMBERS = st.integers(-20, 20).map(lambda number: number / 2)
OPERATORS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@st.composite
def conditions(draw: st.DrawFn, depth: int = 0) -> tuple[str, object]:
    """A condition on the attributes ``a``, ``b`` and ``c``, and a function of an item that says the same."""
    kind = draw(st.sampled_from(["compare", "between", "exists"] + ["and", "or", "not"] * (depth < 3)))
    name, other = draw(st.permutations("abc"))[:2]  # one compared with itself is refused
    if kind == "compare":
        sign = draw(st.sampled_from(sorted(OPERATORS)))
        here = OPERATORS[sign]

        def compared(found: dict[str, float]) -> bool:
            return here(found[name], found[other]) if name in found and other in found else sign == "<>"

        return f"{name} {sign} {other}", compared
    if kind == "between":
        return (
            f"{name} BETWEEN {other} AND {other}",
            lambda found: name in found and other in found and found[name] == found[other],
        )
    if kind == "exists":
        return f"attribute_exists({name})", lambda found: name in found
    left, one = draw(conditions(depth + 1))
    right, two = draw(conditions(depth + 1))
    if kind == "not":
        return f"NOT ({left})", lambda found: not one(found)  # type: ignore[operator]  # one of these functions
    if kind == "and":
        return f"({left}) and ({right})", lambda found: one(found) and two(found)  # type: ignore[operator]  # the same
    return f"({left}) OR ({right})", lambda found: one(found) or two(found)  # type: ignore[operator]  # the same


@pytest.mark.deep
@settings(max_examples=250)
@given(asked=conditions(), found=st.dictionaries(st.sampled_from("abc"), NUMBERS))
def test_a_condition_means_what_a_function_in_python_says(asked: tuple[str, object], found: dict[str, float]) -> None:
    text, expected = asked
    attributes = item({name: n(str(value)) for name, value in found.items()})
    made = Attached({}, {}).bind(condition(text), "ConditionExpression")
    check(made, "ConditionExpression")
    assert holds(made, attributes) is expected(found)  # type: ignore[operator]  # a function


@settings(max_examples=300)
@given(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-(10**20), 10**20), st.integers(-60, 60))
def test_arithmetic_is_exact_or_refused(one: int, other: int, exponent: int) -> None:
    exact = Context(prec=500)
    left, right = Decimal(one), exact.multiply(Decimal(other), Decimal(10) ** exponent)
    state = after(*TABLES, ("PutItem", {"TableName": ONE, "Item": {"p": s("a"), "v": n(str(left))}}))
    fields = {
        "TableName": ONE,
        "Key": {"p": s("a")},
        "UpdateExpression": "SET v = v + :v",
        "ExpressionAttributeValues": {":v": n(str(right))},
        "ReturnValues": "UPDATED_NEW",
    }
    _, status, body, _ = done(state, "UpdateItem", fields)
    expected = exact.add(left, right)
    if len(expected.normalize(exact).as_tuple().digits) > 38:
        assert status == 400
    else:
        assert Decimal(body["Attributes"]["v"]["N"]) == expected  # type: ignore[index]  # checked by the comparison


def test_a_number_out_of_range_is_refused() -> None:
    for text in ("1e126", "1e-131", "1" * 39, "", "NaN", "Infinity", "1_0", " 1", "٣"):
        with pytest.raises(DynamoDBError):
            item({"v": n(text)})


def test_tokens_of_any_form_are_one_in_two_runs_and_two_in_one() -> None:
    one, other = (touched.token(each).key for each in ("short-1", "short-2"))
    assert one != other
    assert blank_minted(one) == blank_minted(other)

"""Queries and scans of the DynamoDB front, as boto3 sees them: order, pages, filters."""

import pytest
from botocore.client import BaseClient

from tests.gate.dynamodb_requests import TWO, n, s


class TestPages:
    @pytest.fixture
    def full(self, db: BaseClient) -> BaseClient:
        for number in (10, 9, -1, 0.5, 1e20):
            db.put_item(TableName=TWO, Item={"p": s("a"), "k": n(str(number)), "v": n(str(number)), "x": s("x")})
        db.put_item(TableName=TWO, Item={"p": s("ab"), "k": n(1)})
        return db

    def keys(self, told: dict[str, list[dict[str, dict[str, str]]]]) -> list[float]:
        return [float(each["k"]["N"]) for each in told["Items"]]

    def query(self, db: BaseClient, condition: str = "p = :p", **fields: object) -> dict[str, object]:
        numbers = {":a": n("0.5"), ":b": n(9), ":ten": n("1E1")}
        values = {":p": s("a")} | {name: value for name, value in numbers.items() if name in str((condition, fields))}
        found: dict[str, object] = db.query(
            TableName=TWO, KeyConditionExpression=condition, ExpressionAttributeValues=values, **fields
        )
        return found

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
    def test_a_query_is_in_the_order_of_its_sort_key(
        self, full: BaseClient, condition: str, expected: list[float]
    ) -> None:
        found = self.query(full, condition)
        assert self.keys(found) == expected  # type: ignore[arg-type]  # as boto3 gives it
        backwards = self.query(full, condition, ScanIndexForward=False)
        assert self.keys(backwards) == expected[::-1]  # type: ignore[arg-type]  # as above

    def test_a_page_ends_after_a_mebibyte(self, db: BaseClient) -> None:
        for number in range(4):
            db.put_item(TableName=TWO, Item={"p": s("a"), "k": n(number), "v": s("x" * 390_000)})
        first = self.query(db)
        assert (first["Count"], "LastEvaluatedKey" in first) == (3, True)
        second = self.query(db, ExclusiveStartKey=first["LastEvaluatedKey"])
        assert (second["Count"], "LastEvaluatedKey" in second) == (1, False)

    def test_a_projection(self, full: BaseClient) -> None:
        told = self.query(full, ProjectionExpression="x, k", Limit=1)
        assert told["Items"] == [{"k": n(-1), "x": s("x")}]

    def test_segments_of_a_scan_are_all_of_it_once(self, full: BaseClient) -> None:
        parts = [full.scan(TableName=TWO, Segment=number, TotalSegments=3)["Items"] for number in range(3)]
        assert sum(map(len, parts)) == 6

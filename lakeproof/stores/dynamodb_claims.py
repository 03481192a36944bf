"""What engines rely on in DynamoDB beyond a key-value store, claim by claim: conditions, updates, transactions, pages,
batches, errors. Each claim works on partitions of its own, which are emptied afterwards.

Example: an item has number1 = 9. An update under the condition ``number1 < :ten`` is sent to a store that compares
numbers as texts. It answers ConditionalCheckFailedException, as "9" is behind "10"; so the claim
`conditions_hold_as_the_reference_says` is refuted: "condition number1 < :ten: expected True, found False". A store that
has no such command, and says so, is not judged.

Source: Amazon DynamoDB API Reference, API version 2012-08-10, and Developer Guide.
"""

import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from botocore.exceptions import ClientError

from lakeproof.impl.stores.conformance import Claim, NotConforming
from lakeproof.impl.stores.kv_answers import LeftOut, equal
from lakeproof.stores.concurrently import run_concurrently
from lakeproof.stores.dynamodb_corner import Check, Fields, TablePartition, claim, expect_error, n
from lakeproof.stores.dynamodb_store import KEY, PARTITION

TASKS: Final = 5
ROUNDS: Final = 12
TRIES_MAX: Final = 200
_AGAIN: Final = ("TransactionConflictException", "TransactionInProgressException", "TransactionCanceledException")


def a_write_is_seen_by_every_consistent_read_at_once(at: TablePartition) -> None:
    for number in range(3):
        at.put("k", v=n(number))
        key = at.key("k")
        seen = {
            "GetItem": at.get("k"),
            "Query": [each["v"]["N"] for each in cast("list[dict[str, dict[str, str]]]", at.query()["Items"])],
            "BatchGetItem": at.db.batch_get_item(RequestItems={at.table: {"Keys": [key], "ConsistentRead": True}})[
                "Responses"
            ][at.table][0]["v"]["N"],
            "TransactGetItems": at.db.transact_get_items(TransactItems=[{"Get": {"TableName": at.table, "Key": key}}])[
                "Responses"
            ][0]["Item"]["v"]["N"],
        }
        equal("reads after a put", seen, {name: [str(number)] if name == "Query" else str(number) for name in seen})
    at.db.delete_item(TableName=at.table, Key=at.key("k"))
    equal("GetItem after a delete", at.get("k"), None)


def conditions_hold_as_the_reference_says(at: TablePartition) -> None:
    values: dict[str, object] = {":one": n(1), ":ten": n(10), ":s": {"S": "ab"}, ":a": {"S": "a"}, ":t": {"S": "NS"}}
    for condition, holds in CONDITIONS.items():
        # Written again for each condition, so that none sees what an update before it did.
        at.put("k", number1=n(9), text1={"S": "abc"}, set1={"NS": ["1", "2"]}, list1={"L": [n(1)]})
        # An unused value is a ValidationException.
        used = {name: values[name] for name in re.findall(r":\w+", condition)}
        try:
            answer: dict[str, object] = {"ExpressionAttributeValues": used} if used else {}
            # Only the condition is of interest.
            at.update("k", "REMOVE absent", ConditionExpression=condition, **answer)
        except at.db.exceptions.ConditionalCheckFailedException:
            found = False
        else:
            found = True
        equal(f"condition {condition}", found, holds)


CONDITIONS: Final[Mapping[str, bool]] = {  # names with digits: none is a word that Amazon reserves
    "attribute_exists(number1)": True,
    "attribute_exists(absent)": False,
    "attribute_not_exists(absent)": True,
    "attribute_not_exists(number1)": False,
    "number1 < :ten": True,  # as numbers; as texts it would not be
    "number1 = :ten": False,
    "number1 <> :ten": True,
    "absent <> :ten": True,  # the one comparison that an absent attribute passes
    "absent = :ten": False,
    "absent < :ten": False,
    "text1 < :ten": False,  # of different types: never, in either direction
    "number1 BETWEEN :one AND :ten": True,
    "number1 IN (:one, :ten)": False,
    "begins_with(text1, :s)": True,
    "begins_with(text1, :a) AND NOT contains(text1, :s)": False,
    "contains(set1, :one)": True,
    "contains(set1, :ten)": False,
    "attribute_type(set1, :t)": True,
    "size(set1) > :one": True,
    "list1[0] = :one": True,
    "list1[1] = :one": False,
    "number1 = :ten AND number1 = :ten OR number1 < :ten": True,  # AND binds tighter than OR
    "number1 = :ten AND (number1 = :ten OR number1 < :ten)": False,
}


def a_condition_that_fails_is_an_error_and_changes_nothing(at: TablePartition) -> None:
    at.put("k", v=n(1))
    absent = f"attribute_not_exists({PARTITION})"
    with expect_error("ConditionalCheckFailedException") as answer:
        at.db.put_item(
            TableName=at.table,
            Item={**at.key("k"), "v": n(2)},
            ConditionExpression=absent,
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    item = cast("dict[str, object]", answer.get("Item", {}))
    equal("the item in the error of a put", item.get("v"), n(1))
    with expect_error("ConditionalCheckFailedException"):
        at.update("k", "SET v = :v", ConditionExpression=absent, ExpressionAttributeValues={":v": n(3)})
    with expect_error("ConditionalCheckFailedException"):
        at.db.delete_item(TableName=at.table, Key=at.key("k"), ConditionExpression=absent)
    equal("GetItem after all of them", at.get("k"), "1")


def updates_do_what_they_say_and_return_the_values_requested(at: TablePartition) -> None:
    at.put("k", v=n(1), list={"L": [n(0)]}, set={"NS": ["1"]}, gone=n(1))
    values = {":one": n(1), ":list": {"L": [n(5)]}, ":set": {"NS": ["1", "2"]}}
    answer = at.update(
        "k",
        # All operands are read from the item before the update: w is the old v. Names with # stand for reserved words.
        "SET v = v + :one, w = if_not_exists(v, :one), #l = list_append(#l, :list) REMOVE gone ADD #s :set",
        ExpressionAttributeNames={"#l": "list", "#s": "set"},
        ExpressionAttributeValues=values,
        ReturnValues="ALL_NEW",
    )
    found = cast("dict[str, dict[str, list[str]]]", answer.get("Attributes", {}))
    equal("v, w, list, gone", [found.get(name) for name in ("v", "w", "list", "gone")],
          [n(2), n(1), {"L": [n(0), n(5)]}, None])  # fmt: skip
    equal("set", sorted(found.get("set", {}).get("NS", [])), ["1", "2"])
    answer = at.update("k", "ADD v :one", ExpressionAttributeValues={":one": n(1)}, ReturnValues="UPDATED_OLD")
    equal("UPDATED_OLD", answer.get("Attributes"), {"v": n(2)})
    with expect_error("ValidationException"):
        at.update("k", "SET v = absent")
    equal("v after an update that was refused", at.get("k"), "3")


def concurrent_updates_are_all_kept(at: TablePartition) -> None:
    def task() -> None:
        for _ in range(ROUNDS):
            at.update("n", "ADD v :one", ExpressionAttributeValues={":one": n(1)})

    run_concurrently([task] * TASKS)
    equal("the counter", at.get("n"), str(TASKS * ROUNDS))


def a_transaction_is_done_whole_or_not_at_all(at: TablePartition) -> None:
    at.put("there", v=n(1))

    def put(name: str, condition: str) -> dict[str, object]:
        item = {**at.key(name), "v": n(2)}
        return {"Put": {"TableName": at.table, "Item": item, "ConditionExpression": f"{condition}({PARTITION})"}}

    # The failing action is in the middle: neither the one before it nor the one after it may have been done.
    wanted = [put("a", "attribute_not_exists"), put("there", "attribute_not_exists"), put("b", "attribute_not_exists")]
    with expect_error("TransactionCanceledException") as answer:
        at.db.transact_write_items(TransactItems=wanted)
    reasons = [each.get("Code") for each in cast("list[dict[str, str]]", answer.get("CancellationReasons", []))]
    equal("the reasons of a cancelled transaction", reasons, ["None", "ConditionalCheckFailed", "None"])
    equal("the items after it", [at.get(name) for name in ("a", "there", "b")], [None, "1", None])
    at.db.transact_write_items(TransactItems=[wanted[0], put("there", "attribute_exists"), wanted[2]])
    equal("the items after a transaction", [at.get(name) for name in ("a", "there", "b")], ["2", "2", "2"])


def a_transaction_is_never_seen_in_half(at: TablePartition) -> None:
    """Two items always hold equal numbers; a transaction that reads both sees that."""
    names = ("a", "b")
    for name in names:
        at.put(name, v=n(0))
    over = threading.Event()

    def write(number: int) -> None:
        try:
            for round_ in range(ROUNDS):
                value = n(number * ROUNDS + round_)
                items = [{"Put": {"TableName": at.table, "Item": {**at.key(name), "v": value}}} for name in names]
                _until_done(lambda items=items: at.db.transact_write_items(TransactItems=items))  # type: ignore[misc]  # the items of this round
        finally:
            over.set()  # also after an error, else the readers would go on for ever

    def read() -> None:
        gets = [{"Get": {"TableName": at.table, "Key": at.key(name)}} for name in names]
        while True:
            last = over.is_set()  # before the read: one read at least follows the last write
            found = _until_done(lambda: at.db.transact_get_items(TransactItems=gets))["Responses"]
            values = [each.get("Item", {}).get("v", {}).get("N") for each in cast("list[dict[str, Item]]", found)]
            if len(set(values)) != 1:
                raise NotConforming(f"TransactGetItems of two items that are always written together: {values}")
            if last:
                return

    # Two writers conflict with each other, too: a store that interleaves them leaves different numbers in a and b.
    run_concurrently([lambda: write(0), lambda: write(1), read, read])


Item = dict[str, dict[str, str]]


def _until_done(ask: Callable[[], dict[str, object]]) -> dict[str, object]:
    """Again, where a transaction met another one."""
    for _ in range(TRIES_MAX):
        try:
            return ask()
        except ClientError as error:
            # DynamoDB refuses one of two transactions that meet, and does not queue it. This is no violation, and
            # nothing was done.
            if error.response.get("Error", {}).get("Code") not in _AGAIN:
                raise
    raise NotConforming(f"a transaction met another one {TRIES_MAX} times in a row")


def a_transaction_with_a_token_is_done_once(at: TablePartition) -> None:
    token = secrets.token_hex(8)
    add = {
        "TableName": at.table,
        "Key": at.key("n"),
        "UpdateExpression": "ADD v :one",
        "ExpressionAttributeValues": {":one": n(1)},
    }
    for _ in range(2):  # the second is a retry: success, and no second effect
        at.db.transact_write_items(TransactItems=[{"Update": add}], ClientRequestToken=token)
    equal("the counter after a transaction that came twice", at.get("n"), "1")
    with expect_error("IdempotentParameterMismatchException"):
        other = {**add, "Key": at.key("other")}
        at.db.transact_write_items(TransactItems=[{"Update": other}], ClientRequestToken=token)


def pages_lose_nothing_in_either_direction(at: TablePartition) -> None:
    names = [f"{number:02}" for number in range(11)]
    for name in reversed(names):
        at.put(name, v=n(int(name) % 3), pad={"S": "x" * 10})
    for forward in (True, False):
        # One less than all, all, and one more: at the end of the items a LastEvaluatedKey may or may not come.
        for size in (1, 3, 10, 11, 12):
            found: list[str] = []
            start: dict[str, object] = {}
            for _ in range(2 * len(names)):  # a store that starts again at the beginning must not loop for ever
                page = at.query(Limit=size, ScanIndexForward=forward, **start)
                items = cast("list[dict[str, dict[str, bytes]]]", page["Items"])
                if len(items) > size:
                    raise NotConforming(f"a page with Limit {size} has {len(items)} items")
                found += [each[KEY]["B"].decode() for each in items]
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            way = "forwards" if forward else "backwards"
            equal(f"pages of {size}, {way}", found, names if forward else names[::-1])


def a_filter_takes_away_what_was_counted(at: TablePartition) -> None:
    for number in range(6):
        at.put(str(number), v=n(number % 3))
    fields = {"FilterExpression": "v = :v", "values": {":v": n(1)}}
    page = at.query(Limit=4, **fields)
    # Limit counts items before the filter: of the first four, 0 to 3, one has v = 1.
    equal("Count and ScannedCount of a page", (page.get("Count"), page.get("ScannedCount")), (1, 4))
    page = at.query(Select="COUNT", **fields)
    equal("Count, ScannedCount and Items of a count",
          (page.get("Count"), page.get("ScannedCount"), page.get("Items")), (2, 6, None))  # fmt: skip


def a_batch_does_all_or_tells_what_is_left(at: TablePartition) -> None:
    keys = [at.key(f"{number:02}") for number in range(25)]  # the most that one batch may write
    left: object = {at.table: [{"PutRequest": {"Item": {**key, "v": n(1)}}} for key in keys]}
    for _ in range(TRIES_MAX):
        # A throttled batch succeeds in part. Only what it returns as unprocessed may be sent again.
        left = at.db.batch_write_item(RequestItems=left).get("UnprocessedItems")
        if not left:
            break
    equal("a query after a batch", at.query(Select="COUNT").get("Count"), 25)
    seen = 0
    wanted: object = {at.table: {"Keys": keys, "ConsistentRead": True}}
    for _ in range(TRIES_MAX):
        answer = at.db.batch_get_item(RequestItems=wanted)
        seen += len(answer["Responses"].get(at.table, []))
        wanted = answer.get("UnprocessedKeys")
        if not wanted:
            break
    equal("items of a batch", seen, 25)


def mistakes_are_errors_with_their_codes(at: TablePartition) -> None:
    with expect_error("ResourceNotFoundException"):
        at.db.get_item(TableName="lakeproof-no-such-table", Key=at.key("k"))
    with expect_error("ValidationException"):
        at.db.get_item(TableName=at.table, Key={PARTITION: {"B": at.partition}})
    with expect_error("ValidationException"):
        at.db.put_item(TableName=at.table, Item={**at.key("k"), KEY: n(1)})
    spoiled: Sequence[Fields] = (
        {"UpdateExpression": "SET v :v", "ExpressionAttributeValues": {":v": n(1)}},
        {"UpdateExpression": "SET v = :v"},
        {"UpdateExpression": "REMOVE v", "ExpressionAttributeValues": {":v": n(1)}},
        {"UpdateExpression": "REMOVE v, v.w"},  # two paths that overlap
        {"UpdateExpression": f"REMOVE {PARTITION}"},
        {"ConditionExpression": "v ="},
    )
    for fields in spoiled:
        with expect_error("ValidationException"):
            at.db.update_item(TableName=at.table, Key=at.key("k"), **fields)
    same = {"TableName": at.table, "Key": at.key("k")}
    with expect_error("ValidationException"):
        at.db.transact_write_items(TransactItems=[{"Delete": same}, {"Delete": same}])  # one item twice
    equal("GetItem after all of them", at.get("k"), None)


def sort_keys_are_in_the_order_of_their_kind(at: TablePartition) -> None:
    """Only where it may make tables of its own: numbers by value, strings by their UTF-8."""
    if not at.store.own:
        raise LeftOut
    for kind, keys in (
        ("N", ["-10", "-9", "0", "0.5", "9", "10", "1000000"]),
        ("S", ["10", "9", "A", "a", "z", "é", "😀"]),
    ):
        table = f"{at.table}-{kind}"
        at.store.create_table(table, kind)
        try:
            # In another order than the expected one, else a store that keeps the order of insertion would pass.
            for key in sorted(keys, key=lambda key: key[::-1]):
                at.db.put_item(TableName=table, Item={PARTITION: {"B": b"p"}, KEY: {kind: key}})
            answer = at.db.query(
                TableName=table,
                KeyConditionExpression=f"{PARTITION} = :p",
                ExpressionAttributeValues={":p": {"B": b"p"}},
                ConsistentRead=True,
            )
            equal(f"a query of sort keys of the kind {kind}", [each[KEY][kind] for each in answer["Items"]], keys)
            equal("a scan", at.db.scan(TableName=table, ConsistentRead=True, Select="COUNT").get("Count"), len(keys))
        finally:
            at.db.delete_table(TableName=table)


CHECKS: Final[tuple[Check, ...]] = (
    a_write_is_seen_by_every_consistent_read_at_once,
    conditions_hold_as_the_reference_says,
    a_condition_that_fails_is_an_error_and_changes_nothing,
    updates_do_what_they_say_and_return_the_values_requested,
    concurrent_updates_are_all_kept,
    a_transaction_is_done_whole_or_not_at_all,
    a_transaction_is_never_seen_in_half,
    a_transaction_with_a_token_is_done_once,
    pages_lose_nothing_in_either_direction,
    a_filter_takes_away_what_was_counted,
    a_batch_does_all_or_tells_what_is_left,
    mistakes_are_errors_with_their_codes,
    sort_keys_are_in_the_order_of_their_kind,
)
CLAIMS: Final[tuple[Claim, ...]] = tuple(claim(check) for check in CHECKS)
"""In the order in which they are checked."""

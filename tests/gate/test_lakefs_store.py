"""Records of lakeFS in a table: requests as operations, and the invariants of the search asked of them."""

import base64
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lakeproof.gate import GateCall
from lakeproof.gate.classes import Name
from lakeproof.gate.cuts import moments
from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.server import WaitingRequest
from lakeproof.impl.codec import encode
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.invariants import repositories
from lakeproof.model.records import Repository, RepositoryState
from lakeproof.scenario import ScenarioError
from lakeproof.words import Unusable
from tests.gate.dynamodb_requests import NOW, Asked, after, understood

sys.path.append(str(Path(__file__).parents[2] / "examples" / "lakefs"))
from lakefs_store import (  # type: ignore[import-not-found]  # of the example
    Judged,
    contents,
    judged,
    operation,
    reply,
    snapshot,
)

TABLE = "kvstore"
NAMES = {"PartitionKey": "HASH", "ItemKey": "RANGE"}
CREATE: Asked = (
    "CreateTable",
    {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "B"} for each in NAMES],
        "KeySchema": [{"AttributeName": each, "KeyType": role} for each, role in NAMES.items()],
        "BillingMode": "PAY_PER_REQUEST",
    },
)


def b(content: bytes) -> dict[str, object]:
    return {"B": base64.b64encode(content).decode()}


def address(partition: bytes, key: bytes) -> dict[str, object]:
    return {"PartitionKey": b(partition), "ItemKey": b(key)}


def get(partition: bytes, key: bytes) -> Asked:
    return "GetItem", {"TableName": TABLE, "Key": address(partition, key), "ConsistentRead": True}


def put(partition: bytes, key: bytes, value: bytes, **condition: object) -> Asked:
    return "PutItem", {"TableName": TABLE, "Item": {**address(partition, key), "ItemValue": b(value)}, **condition}


def delete(partition: bytes, key: bytes) -> Asked:
    return "DeleteItem", {"TableName": TABLE, "Key": address(partition, key)}


def query(partition: bytes, start: bytes, **more: object) -> Asked:
    return "Query", {
        "TableName": TABLE,
        "KeyConditionExpression": "PartitionKey = :partitionkey AND ItemKey >= :fromkey",
        "ExpressionAttributeValues": {":partitionkey": b(partition), ":fromkey": b(start)},
        "Limit": 1024,
        **more,
    }


UNCHANGED = {
    "ConditionExpression": "#0 = :0",
    "ExpressionAttributeNames": {"#0": "ItemValue"},
    "ExpressionAttributeValues": {":0": b(b"old")},
}


@pytest.mark.parametrize(
    ("asked", "op", "answered"),
    [
        (get(b"p", b"k"), kv.Get(b"p", b"k"), kv.ValueWithPredicate(b"v", b"v")),
        (get(b"p", b"none"), kv.Get(b"p", b"none"), kv.NotFound()),
        (put(b"p", b"k", b"w"), kv.Set(b"p", b"k", b"w"), None),
        (
            put(b"p", b"k", b"w", ConditionExpression="attribute_not_exists(ItemValue)"),
            kv.SetIf(b"p", b"k", b"w", None),
            kv.PredicateFailed(),
        ),
        (
            put(b"p", b"k", b"w", ConditionExpression="attribute_exists(ItemValue)"),
            kv.SetIf(b"p", b"k", b"w", kv.EXISTS),
            None,
        ),
        (put(b"p", b"k", b"w", **UNCHANGED), kv.SetIf(b"p", b"k", b"w", b"old"), kv.PredicateFailed()),
        (delete(b"p", b"none"), kv.Delete(b"p", b"none"), None),
        (query(b"p", b"a"), kv.ScanBatch(b"p", b"a", 1024), kv.Batch((kv.Entry(b"k", b"v"),), False)),
        (query(b"p", b"l"), kv.ScanBatch(b"p", b"l", 1024), kv.Batch((), False)),
        (
            query(b"p", b"a", ExclusiveStartKey=address(b"p", b"k")),
            kv.ScanBatch(b"p", b"k\0", 1024),
            kv.Batch((), False),
        ),
    ],
)
def test_each_request_is_the_operation_that_lakefs_means(asked: Asked, op: kv.Op, answered: object) -> None:
    meant, store = understood(asked), Store(dynamodb=after(CREATE, put(b"p", b"k", b"v")))
    assert operation(meant) == op
    assert reply(op, AWSFront().perform(store, meant, NOW)[1]) == answered


def test_what_is_no_operation_or_had_no_answer_is_told_apart() -> None:
    others: list[Asked] = [CREATE, ("DescribeTable", {"TableName": TABLE})]
    assert [operation(understood(asked)) for asked in others] == [None, None]
    assert reply(kv.Get(b"p", b"k"), None) == kv.OutcomeUnknown()
    meant = understood(get(b"p", b"k"))
    assert isinstance(reply(kv.Get(b"p", b"k"), AWSFront().refusal(meant)), kv.Refused)
    assert operation(meant, "another") is None


def test_an_entry_that_is_no_record_is_refused_by_its_address() -> None:
    store = Store(dynamodb=after(CREATE, put(b"graveler", b"repos/r", b"\xff\xff")))
    with pytest.raises(Unusable, match=r"repos/r.*is this a table of lakeFS"):
        snapshot(store)
    assert contents(store) == {(b"graveler", b"repos/r"): b"\xff\xff"}
    assert contents(Store()) == {}


def entry(uid: str, state: RepositoryState = RepositoryState.ACTIVE) -> bytes:
    return encode(
        Repository(
            repository_id=RepositoryID("r"),
            storage_namespace=StorageNamespace("s3://bucket"),
            default_branch_id=BranchID("main"),
            creation_date=0,
            state=state,
            instance_uid=InstanceUID(uid),
        )
    )


PLACE = b"graveler", b"repos/r"
DELETING = RepositoryState.DELETING


def asks(invariant: Judged, schedule: Sequence[tuple[str, Asked]]) -> list[str]:
    """What an invariant finds in the class of a schedule; ``d...`` are deletions, ``c...`` creations."""
    front, start = AWSFront(), Store(dynamodb=after(CREATE, put(*PLACE, entry("old"))))
    store, steps = start, []
    for number, (client, asked) in enumerate(schedule):
        meant = understood(asked, client)
        store, answer, footprint = front.perform(store, meant, NOW)
        name = Name(client, str(number))
        step = WaitingRequest(client, name.label, meant, b"", (), name, now=NOW, footprint=footprint, answer=answer)
        steps.append(step)
    calls = {"d": GateCall("delete_repository", ("r",)), "c": GateCall("create_repository", ("r",)), "": None}
    found = (
        invariant(each, [call] if (call := calls[each.client[:1]]) else []) for each in moments(front, start, steps)
    )
    return [each for each in found if each is not None]


LATE = [
    ("d2", get(*PLACE)),
    ("d1", get(*PLACE)),
    ("d1", put(*PLACE, entry("old", DELETING))),
    ("d1", delete(*PLACE)),
    ("c1", put(*PLACE, entry("new"), ConditionExpression="attribute_not_exists(ItemValue)")),
    ("d2", put(*PLACE, entry("old", DELETING))),
]


def test_a_late_delete_is_found_in_the_records_as_the_search_finds_it() -> None:
    (evidence,) = asks(judged(repositories.delete_spares_successor), LATE)
    assert evidence == "a delete that had found instance old removed or hid r (active, instance new)"


def test_a_deletion_that_comes_in_time_is_none_and_shows_nothing_by_itself() -> None:
    invariant = judged(repositories.delete_spares_successor)
    assert asks(invariant, LATE[:4]) == []
    assert invariant.reached == 0, "no successor was there: the invariant has not been tested"


def test_an_active_entry_without_its_branch_is_found_in_each_state_that_has_it() -> None:
    assert asks(judged(repositories.active_is_complete), [])[0].endswith(
        "is accessible and lacks its default branch main"
    )


def test_an_invariant_of_the_search_that_the_gate_cannot_ask_is_refused() -> None:
    for invariant in (repositories.create_is_effective, repositories.deleted_is_inaccessible):
        with pytest.raises(ScenarioError, match=f"{invariant.id}: the gate asks invariants of states"):
            judged(invariant)

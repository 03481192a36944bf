"""A first file for the gate: a list in an object of S3, and tickets in an item of DynamoDB, both by boto3.

lakeproof gate run examples/gate/first.py
"""

import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

ONCE = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
KEY = {"name": {"S": "concert"}}


# The program. Its clients find the store, and who they are, in the environment.
def add(entry: str, careful: bool) -> str:
    """Add an entry to the list; careful: only if the list is still the one that was read."""
    s3 = boto3.client("s3", config=ONCE)
    read = s3.get_object(Bucket="bucket", Key="list")
    entries = [*json.loads(read["Body"].read()), entry]
    unchanged = {"IfMatch": read["ETag"]} if careful else {}
    try:
        s3.put_object(Bucket="bucket", Key="list", Body=json.dumps(entries).encode(), **unchanged)
    except ClientError:
        return "refused"
    return "added"


def sell(careful: bool) -> str:
    """Sell a ticket if one is left; careful: only if as many are left as were read."""
    db = boto3.client("dynamodb", config=ONCE)
    left = int(db.get_item(TableName="tickets", Key=KEY, ConsistentRead=True)["Item"]["left"]["N"])
    if left == 0:
        return "sold out"
    values = {":before": {"N": str(left)}, ":after": {"N": str(left - 1)}}
    if not careful:
        del values[":before"]
    condition = {"ConditionExpression": "#left = :before"} if careful else {}
    try:
        db.update_item(
            TableName="tickets",
            Key=KEY,
            UpdateExpression="SET #left = :after",
            ExpressionAttributeNames={"#left": "left"},
            ExpressionAttributeValues=values,
            **condition,
        )
    except ClientError:
        return "refused"
    return "sold"


# What is there at first, and what is read at the end.
def empty_list() -> None:
    boto3.client("s3", config=ONCE).put_object(Bucket="bucket", Key="list", Body=b"[]")


def entries() -> list[str]:
    read = boto3.client("s3", config=ONCE).get_object(Bucket="bucket", Key="list")
    return sorted(json.loads(read["Body"].read()))


def one_ticket() -> None:
    db = boto3.client("dynamodb", config=ONCE)
    db.create_table(
        TableName="tickets",
        AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "name", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    db.put_item(TableName="tickets", Item={**KEY, "left": {"N": "1"}})


# What must hold: a sentence if it does not.
def what_was_added_is_there(outcome: Outcome) -> str | None:
    calls = [pair for of_client in outcome.results.values() for pair in of_client]
    added = [made.args[0] for made, returned in calls if returned.value == "added"]
    found = outcome.after[0].value
    lost = [each for each in added if each not in (found if isinstance(found, list) else [])]
    return f"{lost[0]} was added, and the list is {found}" if lost else None


def one_is_sold(outcome: Outcome) -> str | None:
    sold = [client for client, calls in outcome.results.items() if any(each.value == "sold" for _, each in calls)]
    return None if len(sold) <= 1 else f"one ticket was sold to {' and to '.join(sold)}"


SCENARIOS = [
    GateScenario(
        name=f"{store}/{'careful' if careful else 'blind'}",
        setup=[call(prepare)],
        clients=clients,
        after=after,
        invariants=[invariant],
        faults=Faults(refusals=1),
        expect={} if careful else {invariant.__name__: "violated"},
    )
    for careful in (False, True)
    for store, prepare, clients, after, invariant in (
        ("s3", empty_list, [[call(add, each, careful)] for each in "ab"], [call(entries)], what_was_added_is_there),
        ("dynamodb", one_ticket, [[call(sell, careful)]] * 2, [], one_is_sold),
    )
]

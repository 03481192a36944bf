"""Tables of an Iceberg catalog on DynamoDB, by `pyiceberg` as it is released: created, renamed, dropped.

lakeproof gate run examples/gate/iceberg_catalog.py rename

This catalog of pyiceberg has no commits; its metadata files are on S3.
"""

import os
from functools import partial
from typing import Any

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

NAMES = ("s.a", "s.b", "s.c")


def catalog() -> Any:
    """The catalog, opened anew, with the store as the gate gives it to this process."""
    from pyiceberg.catalog import load_catalog

    s3 = {
        "s3.endpoint": os.environ["AWS_ENDPOINT_URL"],
        "s3.access-key-id": os.environ["AWS_ACCESS_KEY_ID"],
        "s3.secret-access-key": os.environ["AWS_SECRET_ACCESS_KEY"],
        "s3.region": os.environ["AWS_REGION"],
    }
    return load_catalog("catalog", type="dynamodb", warehouse="s3://bucket/warehouse", **s3)


def prepare() -> None:
    """The table of the catalog, without the index for listings, which the gate does not know; and a namespace."""
    import boto3

    names = {"identifier": "HASH", "namespace": "RANGE"}
    boto3.client("dynamodb").create_table(
        TableName="iceberg",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in names.items()],
        BillingMode="PAY_PER_REQUEST",
    )
    catalog().create_namespace("s")


def create(name: str) -> str:
    """Returns the UUID of the new table."""
    import pyarrow as pa

    return str(catalog().create_table(name, pa.schema([("row", pa.int64())])).metadata.table_uuid)


def rename(name: str, new: str) -> str:
    """Returns the UUID of the table that has the new name."""
    return str(catalog().rename_table(name, new).metadata.table_uuid)


def drop(name: str) -> None:
    catalog().drop_table(name)


def tables() -> dict[str, str]:
    """The UUID of each table, by its name."""
    from pyiceberg.exceptions import NoSuchTableError

    found = {}
    opened = catalog()
    for name in NAMES:
        try:
            found[name] = str(opened.load_table(name).metadata.table_uuid)
        except NoSuchTableError:
            continue
    return found


def read(outcome: Outcome) -> dict[str, str]:
    found = outcome.after[0].value
    assert isinstance(found, dict), outcome.after[0].message
    return found


def what_was_created_is_there(outcome: Outcome) -> str | None:
    """A table whose creation was acknowledged, and that nobody has dropped since, has a name."""
    found = read(outcome)
    for client, calls in outcome.results.items():
        for each, returned in calls:
            if each.name == "create" and returned.ok and returned.value not in found.values():
                return f"{client}: {each} was acknowledged, nobody has dropped that table, and it has no name"
    return None


def each_table_has_one_name(outcome: Outcome) -> str | None:
    """No table has two names: a commit to one of them would not be seen by the other, or lost."""
    found = read(outcome)
    for name, table in found.items():
        others = [other for other in found if other != name and found[other] == table]
        if others:
            ended = [f"{each} {got.error or 'ok'}" for calls in outcome.results.values() for each, got in calls]
            return f"one table is {name} and {others[0]}, after {', '.join(ended)}"
    return None


def what_was_refused_is_not_there(outcome: Outcome) -> str | None:
    """A creation that was refused because the table exists has not created it."""
    calls = [pair for of_client in outcome.results.values() for pair in of_client if pair[0].name == "create"]
    if len(calls) != 1 or calls[0][1].error != "TableAlreadyExistsError" or calls[0][0].args[0] not in read(outcome):
        return None
    return f"{calls[0][0]} was told that the table exists; nobody else has created it"


scenario = partial(
    GateScenario,
    setup=[call(prepare)],
    after=[call(tables)],
    invariants=[what_was_created_is_there, each_table_has_one_name, what_was_refused_is_not_there],
)
with_a = partial(scenario, setup=[call(prepare), call(create, "s.a")])
LOST = Faults(lost_answers=1)
MOVE = [call(rename, "s.a", "s.b")]

# What pyiceberg 0.12.0 is known to violate: see docs/gate-findings.md.
LOSES = {"what_was_created_is_there": "violated"}
TWO_NAMES = {"each_table_has_one_name": "violated"}
FALSE_REFUSAL = {"what_was_refused_is_not_there": "violated"}

SCENARIOS = [
    scenario(name="iceberg/create-create", clients=[[call(create, "s.a")], [call(create, "s.a")]]),
    with_a(name="iceberg/rename-rename", clients=[MOVE, [call(rename, "s.a", "s.c")]]),
    with_a(name="iceberg/rename-drop", clients=[MOVE, [call(drop, "s.a")]]),
    with_a(name="iceberg/rename-replace", clients=[MOVE, [call(drop, "s.a"), call(create, "s.a")]], expect=LOSES),
    scenario(name="iceberg/one-create/lost-answer", clients=[[call(create, "s.a")]], faults=LOST, expect=FALSE_REFUSAL),
    with_a(name="iceberg/one-rename/lost-answer", clients=[MOVE], faults=LOST, expect=TWO_NAMES),
]

"""The parameters of each operation of DynamoDB: what the front does not have is refused by name, and not left out.

Source: Amazon DynamoDB API Reference, API version 2012-08-10.
"""

from collections.abc import Mapping
from typing import Final

from lakeproof.gate.fronts.dynamodb.errors import not_known

_EXPRESSIONS: Final = ("ExpressionAttributeNames", "ExpressionAttributeValues")
_CHANGED: Final = (
    *("TableName", "ConditionExpression", "ReturnValues", "ReturnValuesOnConditionCheckFailure"),
    *("ReturnItemCollectionMetrics", *_EXPRESSIONS),  # of tables with local indexes, so of none here
)
_READ: Final = ("TableName", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames")
_PAGED: Final = (
    # A request with IndexName gets the error of the service, see `pages`.
    *(*_READ, "ExpressionAttributeValues", "FilterExpression", "Select", "Limit", "ExclusiveStartKey", "IndexName"),
    *("TotalSegments", "Segment"),
)
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "GetItem": (*_READ, "Key"),
    "PutItem": (*_CHANGED, "Item"),
    "UpdateItem": (*_CHANGED, "Key", "UpdateExpression"),
    "DeleteItem": (*_CHANGED, "Key"),
    "ConditionCheck": (*_CHANGED, "Key"),  # no operation, but a part of one
    "Query": (*_PAGED, "KeyConditionExpression", "ScanIndexForward"),
    "Scan": _PAGED,
    "BatchGetItem": ("RequestItems",),
    "BatchWriteItem": ("RequestItems", "ReturnItemCollectionMetrics"),
    "PutRequest": ("Item",),  # likewise
    "DeleteRequest": ("Key",),
    "TransactGetItems": ("TransactItems",),
    "TransactWriteItems": ("TransactItems", "ClientRequestToken", "ReturnItemCollectionMetrics"),
    "CreateTable": (
        *("TableName", "AttributeDefinitions", "KeySchema", "BillingMode", "ProvisionedThroughput", "Tags"),
        *("SSESpecification", "StreamSpecification", "DeletionProtectionEnabled", "TableClass"),
        *("GlobalSecondaryIndexes", "LocalSecondaryIndexes"),  # `tables.create` refuses any
    ),
    "DeleteTable": ("TableName",),
    "DescribeTable": ("TableName",),
    "ListTables": ("ExclusiveStartTableName", "Limit"),
}
"""By operation: the fields that are known, or change nothing that a client sees here."""


def refuse_unknown(operation: str, body: Mapping[str, object]) -> None:
    """Raises DynamoDBError: the request has a field that the front does not have."""
    if unknown := sorted(body.keys() - {*_FIELDS[operation], "ReturnConsumedCapacity"}):
        not_known(f"{', '.join(unknown)} of {operation}")

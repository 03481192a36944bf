"""DynamoDB, as the gate speaks it."""

from lakeproof.gate.fronts.dynamodb.state import DynamoState

__all__ = ["DynamoState"]

"""DynamoDB, as the gate speaks it."""

from lakeproof.gate.fronts.dynamodb.state import State

__all__ = ["State"]

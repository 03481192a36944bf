"""DynamoDB, as the gate speaks it."""

from lakeproof.gate.dynamodb.state import State

__all__ = ["State"]

"""The DynamoDB front on a port, and clients of boto3."""

from contextlib import AbstractContextManager

import boto3
from botocore.client import BaseClient
from botocore.config import Config

from tests.gate.stores import telling


def served(lines: list[str] | None = None) -> AbstractContextManager[str]:
    """Yields its URL. lines: receives what it prints."""
    return telling("dynamodb", lines=lines)


def client(url: str, name: str = "me", service: str = "dynamodb") -> BaseClient:
    """A client of boto3 that tries nothing again."""
    made: BaseClient = boto3.client(
        service,
        endpoint_url=url,
        aws_access_key_id=name,
        aws_secret_access_key="x",
        region_name="us-east-1",
        config=Config(retries={"total_max_attempts": 1}),
    )
    return made

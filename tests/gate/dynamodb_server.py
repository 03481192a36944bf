"""The DynamoDB front on a port, in a thread of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import trio
from botocore.client import BaseClient
from botocore.config import Config

from lakeproof.gate.serving import serve_open


@contextmanager
def served(lines: list[str] | None = None) -> Iterator[str]:
    """Yields its URL. lines: receives what it prints."""
    told: list[str] = [] if lines is None else lines
    begun = threading.Event()
    scope = trio.CancelScope()
    tokens: list[trio.lowlevel.TrioToken] = []

    def tell(line: str) -> None:
        told.append(line)
        begun.set()

    async def serve() -> None:
        tokens.append(trio.lowlevel.current_trio_token())
        with scope:
            await serve_open(0, frozenset(), tell, "dynamodb")

    thread = threading.Thread(target=trio.run, args=(serve,))
    thread.start()
    assert begun.wait(10)
    try:
        yield told[0].split()[3]
    finally:
        tokens[0].run_sync_soon(scope.cancel)
        thread.join(10)


def client(url: str, name: str = "me") -> BaseClient:
    """A client of boto3 that tries nothing again."""
    made: BaseClient = boto3.client(
        "dynamodb",
        endpoint_url=url,
        aws_access_key_id=name,
        aws_secret_access_key="x",
        region_name="us-east-1",
        config=Config(retries={"total_max_attempts": 1}),
    )
    return made

"""Servers for the tests of the gate, one of each in a process of tests."""

from collections.abc import Iterator

import pytest
from botocore.client import BaseClient

from tests.gate.dynamodb_requests import ONE, TWO, create
from tests.gate.dynamodb_server import client, served
from tests.gate.redis_requests import Real
from tests.servers import redis_server


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search takes other processes only where a test says so: they cost more than they bring here."""
    monkeypatch.setattr("lakeproof.commands.gate.cores", lambda: 0)


@pytest.fixture(scope="session")
def dynamodb_url() -> Iterator[str]:
    with served() as found:
        yield found


@pytest.fixture(scope="session")
def dynamodb_client(dynamodb_url: str) -> Iterator[BaseClient]:
    found = client(dynamodb_url)
    yield found
    found.close()


@pytest.fixture
def db(dynamodb_client: BaseClient) -> Iterator[BaseClient]:
    """A client, and the tables ``one`` and ``two``, empty."""
    for name in (ONE, TWO):
        dynamodb_client.create_table(**create(name)[1])
    yield dynamodb_client
    for name in dynamodb_client.list_tables()["TableNames"]:
        dynamodb_client.delete_table(TableName=name)


@pytest.fixture(scope="module")
def real() -> Iterator[Real]:
    """A redis-server of a module's own."""
    with redis_server() as address:
        found = Real(address)
        yield found
        found.close()

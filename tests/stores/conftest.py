"""Servers for the tests of targets, one of each in a process of tests."""

from collections.abc import Iterator

import pytest

from tests.servers import postgres
from tests.stores.redis_server import redis_server


@pytest.fixture(scope="session")
def redis_dsn() -> Iterator[str]:
    with redis_server() as address:
        yield address


@pytest.fixture(scope="session")
def postgresql_dsn() -> Iterator[str]:
    with postgres() as address:
        yield address

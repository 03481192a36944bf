"""One PostgreSQL server for a process of tests."""

from collections.abc import Iterator

import pytest

from tests.servers import postgres


@pytest.fixture(scope="session")
def postgresql_address() -> Iterator[str]:
    with postgres() as address:
        yield address

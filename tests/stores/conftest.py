"""Servers for the tests of targets, one of each in a process of tests."""

from collections.abc import Iterator
from functools import partial

import pytest

from lakeproof.live.engine import Plan, run_rounds
from tests.servers import postgres, redis_server


@pytest.fixture(scope="session")
def redis_dsn() -> Iterator[str]:
    with redis_server() as address:
        yield address


@pytest.fixture(scope="session")
def postgresql_dsn() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds are counted in operations: as many on a slow machine as on a fast one."""
    plan = Plan(rounds=20, calls=1500)
    monkeypatch.setattr("lakeproof.commands.stress.run_rounds", partial(run_rounds, plan=plan))

"""The benchmarks of SQL and of refs measure what they say: small ones."""

import pytest
import trio

from benchmarks import sql


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_each_operation_is_measured_alone(variant: str) -> None:
    rows = trio.run(sql.alone, "sqlite", variant, sql.databases(None)["sqlite", variant], 2)
    names = "create_repository create_branch set_entry get_entry commit merge reset_branch delete_repository"
    assert [row.operation for row in rows] == names.split()
    assert all(row.ms > 0 for row in rows)


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_parallel_commits_are_all_made(variant: str) -> None:
    row = trio.run(sql.parallel_commits, "sqlite", variant, sql.databases(None)["sqlite", variant], 2, 3)
    assert row.ended
    assert row.commits_per_second > 0

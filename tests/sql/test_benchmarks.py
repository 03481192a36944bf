"""The benchmarks of SQL and of refs measure what they say: small ones."""

from functools import partial

import pytest
import trio

from benchmarks import refs, sql, sql_tables


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_each_operation_is_measured_alone(variant: str) -> None:
    rows = trio.run(sql.alone, "sqlite", variant, sql.databases(None)["sqlite", variant], 2)
    assert [row.operation for row in rows] == [
        "create_repository",
        "create_branch",
        "set_entry",
        "get_entry",
        "commit",
        "merge",
        "reset_branch",
        "delete_repository",
    ]
    assert all(row.ms > 0 for row in rows)


def test_staging_goes_on_during_a_long_commit() -> None:
    rows = [
        trio.run(sql.long_commit, "sqlite", variant, opened, 150, 2)
        for (_, variant), opened in sql.databases(None).items()
    ]
    assert all(row.staged > 0 for row in rows)
    assert "| sqlite | sql |" in (told := sql_tables.long_table(rows))
    assert told.splitlines()[2].split(" | ")[3] == "1.00"


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_parallel_commits_are_all_made(variant: str) -> None:
    row = trio.run(sql.parallel_commits, "sqlite", variant, sql.databases(None)["sqlite", variant], 2, 3)
    assert row.ended
    assert row.commits_per_second > 0


def test_postgresql_is_measured_in_both_dialects(postgresql_address: str) -> None:
    opened = sql.databases(postgresql_address)
    variants = [variant for store, variant in opened if store == "postgresql"]
    assert variants == ["sql, row locks", "sql, serializable", "lock-free"]
    rows = [trio.run(sql.parallel_commits, "p", variant, opened["postgresql", variant], 2, 2) for variant in variants]
    assert all(row.ended for row in rows)
    assert sql_tables.parallel_table(rows).count("| p | 2 |") == 3


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_dump_and_restore_are_divided_by_bare_scans_and_writes(kind: str) -> None:
    with refs.opened(kind) as world:
        dumped, restored = trio.run(partial(refs.dump_and_restore, world, 150))
    records = 150 + 2 * 2 + 1  # commits; branches and tags of two of them; the default branch
    assert (dumped.limit_requests, restored.limit_requests) == (1, records)
    assert dumped.requests == 3 + 4  # scans, and puts
    assert restored.requests == 4 + 3 + records  # gets, scans, and a write of each record


@pytest.mark.parametrize("staged", [5, 1500])
def test_both_listings_show_all_that_is_staged(staged: int) -> None:
    with refs.opened("memory") as world:
        rows = trio.run(refs.list_staged, world, staged)
    assert [row.what for row in rows] == ["listing, staged in the KV store", "listing, proposal 1"]
    pages = 1 + staged // 1000
    assert [row.limit_requests for row in rows] == [pages, pages]
    assert "| listing, proposal 1 | memory |" in refs.table(rows)


def test_the_row_of_the_middle_run_is_told() -> None:
    rows = [sql_tables.Alone(store="s", variant=v, operation="commit", ms=ms) for ms in (5, 1, 3) for v in ("a", "b")]
    told = sql.middle(rows, lambda row: row.variant, lambda row: row.ms)
    assert [(row.variant, row.ms) for row in told] == [("a", 3), ("b", 3)]

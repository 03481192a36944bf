"""The names that the invariants of today's lakeFS look for are those of the flows."""

from lakefs_today import entries, imports, ownership, staging, tasks
from lakefs_today import promises as today


def test_the_calls_are_named_after_the_flows() -> None:
    named = {
        today.CANCEL: imports.cancel_import,
        today.HOLD: ownership.hold_branch,
        today.UPDATE: entries.update_metadata_by_id,
    }
    assert list(named) == [flow.__name__ for flow in named.values()]
    assert {tasks.submit_task.__name__, imports.start_import.__name__} == today.SUBMITS
    assert {tasks.run_task.__name__, imports.run_import.__name__} == today.RUNS
    assert {tasks.task_status.__name__, imports.import_status.__name__} == today.STATUSES


def test_the_partitions_and_answers_are_those_of_the_flows() -> None:
    assert today.OWNERSHIP == ownership.PARTITION
    assert today.CLEANUP == staging.CLEANUP
    assert today.DEAD == tasks.DEAD

"""The names that the invariants of today's lakeFS look for are those of the flows."""

from lakeproof.impl.upstream import entries, imports, ownership, staging, tasks
from lakeproof.model.invariants import today


def test_the_calls_are_named_after_the_flows() -> None:
    named = {
        today.SUBMIT: tasks.submit_task,
        today.RUN: tasks.run_task,
        today.STATUS: tasks.task_status,
        today.IMPORT: imports.run_import,
        today.CANCEL: imports.cancel_import,
        today.HOLD: ownership.hold_branch,
        today.UPDATE: entries.update_metadata_by_id,
    }
    assert list(named) == [flow.__name__ for flow in named.values()]


def test_the_partitions_and_answers_are_those_of_the_flows() -> None:
    assert today.OWNERSHIP == ownership.PARTITION
    assert today.CLEANUP == staging.CLEANUP
    assert today.DEAD == tasks.DEAD

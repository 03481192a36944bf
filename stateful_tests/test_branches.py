"""A branch under concurrent writers, readers, committers, resetters and deleters, step by step.

The commits must hold whatever Hypothesis makes of it. One at a time, they must be what the sequential
specification says. Negative controls must fail.
"""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from impl.graveler import founding, lock_free, locked, optimistic, reading, resetting, writing
from impl.refs import branches
from lakeproof import Call, Faults
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from model.entry import ENTRY
from model.invariants import Invariant, entries, refs
from model.linearizable import linearizable
from stateful_tests.machine import ConcurrentMachine

MAIN = REPOSITORY.default_branch_id
SETUP = (Call(founding.found, REPOSITORY), Call(branches.create_branch, REPOSITORY, BRANCH, MAIN))
WRITES = [
    Call(writing.set_entry, REPOSITORY, BRANCH, path, identity)
    for path in (X, Y)
    for identity in (b"1", b"2", b"3")
]
READS = [Call(reading.get_entry, REPOSITORY, BRANCH, X), Call(reading.list_entries, REPOSITORY, BRANCH)]
KEPT: Sequence[Invariant] = (
    refs.head_exists,
    refs.token_has_one_owner,
    refs.commits_form_one_line,
    entries.acknowledged_write_is_kept,
    entries.acknowledged_delete_is_kept,
    entries.commit_is_causal,
    entries.read_is_legal({}, BRANCH),
)


class LockFree(ConcurrentMachine):
    setup = SETUP
    menu = (
        *WRITES,
        Call(writing.delete_entry, REPOSITORY, BRANCH, X),
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
        Call(lock_free.commit, REPOSITORY, BRANCH, "other"),
        *READS,
    )
    invariants_checked = KEPT


class Disturbed(ConcurrentMachine):
    setup = SETUP
    menu = (
        *WRITES[:2],
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
        Call(resetting.reset_branch, REPOSITORY, BRANCH),
        Call(resetting.reset_entry, REPOSITORY, BRANCH, X),
        Call(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH),
        Call(branches.create_branch, REPOSITORY, BRANCH, MAIN, tombstones=True),
    )
    invariants_checked = (*KEPT[:-1], refs.branch_delete_spares_successor)
    faults = Faults(crashes=1, lost_answers=1)


class Optimistic(LockFree):
    menu = (*WRITES, Call(optimistic.commit, REPOSITORY, BRANCH, "one"), *READS)
    faults = Faults(crashes=1)


class Locked(LockFree):
    """Under a lock even the reads of several clients are linearizable."""

    menu = (
        *[Call(locked.set_entry, REPOSITORY, BRANCH, X, identity) for identity in (b"1", b"2")],
        Call(locked.commit, REPOSITORY, BRANCH, "one"),
        Call(reading.get_entry, REPOSITORY, BRANCH, X),
    )
    invariants_checked = (*KEPT, linearizable(ENTRY))
    faults = Faults(crashes=1)


class OneAtATime(ConcurrentMachine):
    """Sequential: every read must be what the specification says, to the letter."""

    setup = SETUP
    menu = (
        *WRITES[:3],
        Call(writing.delete_entry, REPOSITORY, BRANCH, X),
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
        Call(reading.get_entry, REPOSITORY, BRANCH, X),
    )
    invariants_checked = (linearizable(ENTRY),)
    clients_max = 1


HOLDING = settings(
    max_examples=100, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@pytest.mark.parametrize("machine", [LockFree, Disturbed, Optimistic, Locked, OneAtATime])
def test_it_holds_whatever_is_started_and_whoever_steps(machine: type[RuleBasedStateMachine]) -> None:
    run_state_machine_as_test(machine, settings=HOLDING)


class SingleReadWriter(ConcurrentMachine):
    setup = SETUP
    menu = (
        Call(writing.set_entry, REPOSITORY, BRANCH, X, b"1", rereads=False),
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
    )
    invariants_checked = (entries.acknowledged_write_is_kept,)
    clients_max = 2


class Unsealed(ConcurrentMachine):
    setup = SETUP
    menu = (
        Call(writing.set_entry, REPOSITORY, BRANCH, X, b"1"),
        Call(optimistic.commit, REPOSITORY, BRANCH, "one", seals=False),
    )
    invariants_checked = (entries.acknowledged_write_is_kept,)
    clients_max = 2


REFUTING = settings(
    max_examples=5_000,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.generate],  # shrinking takes minutes, and the search has the shortest schedule anyway
)


@pytest.mark.parametrize("machine", [SingleReadWriter, Unsealed])
def test_a_negative_control_fails(machine: type[ConcurrentMachine]) -> None:
    with pytest.raises(AssertionError, match="acknowledged-write-is-kept"):
        run_state_machine_as_test(machine, settings=REFUTING)

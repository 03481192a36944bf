"""A branch under concurrent writers, readers, committers, resetters and deleters, step by step.

The commits must hold whatever Hypothesis makes of it. Other words, and the other variants of commits, are those of the
swarm machines; that a machine finds what is wrong, and shrinks it, tests/machines/test_machine.py shows.
"""

from collections.abc import Sequence

import pytest
from hypothesis.stateful import precondition, rule

from lakeproof import Call, Faults
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X, Y
from lakeproof.impl.graveler import initialisation, lock_free, reads, writes
from lakeproof.impl.graveler import resets as resetting
from lakeproof.impl.refs import branches
from lakeproof.model.invariants import Invariant, entries, refs, resets
from stateful_tests.machine import ConcurrentMachine, hold

MAIN = REPOSITORY.default_branch_id
SETUP = (Call(initialisation.init_repository, REPOSITORY), Call(branches.create_branch, REPOSITORY, BRANCH, MAIN))
WRITES = [
    Call(writes.set_entry, REPOSITORY, BRANCH, path, identity) for path in (X, Y) for identity in (b"1", b"2", b"3")
]
READS = [Call(reads.get_entry, REPOSITORY, BRANCH, X), Call(reads.list_entries, REPOSITORY, BRANCH)]
KEPT: Sequence[Invariant] = (
    refs.head_exists,
    refs.token_has_one_owner,
    refs.commits_form_one_line,
    entries.acknowledged_write_is_kept,
    entries.acknowledged_delete_is_kept,
    entries.commit_is_causal,
    entries.read_is_legal({}, BRANCH),
)


class Settling(ConcurrentMachine):
    """Promises of a branch are checked when no operation is under way: from time to time all run to their ends."""

    @precondition(lambda self: not self.world.quiescent)
    @rule()
    def settle(self) -> None:
        """One after the other, they run to their ends."""
        while not self.world.quiescent:
            # Always the first move: a client runs on until it ends or waits.
            self._move(self._moves(normal=True)[0])


class LockFree(Settling):
    setup = SETUP
    menu = (
        *WRITES,
        Call(writes.delete_entry, REPOSITORY, BRANCH, X),
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
        Call(lock_free.commit, REPOSITORY, BRANCH, "other"),
        *READS,
    )
    invariants_checked = KEPT


class Disturbed(Settling):
    setup = SETUP
    menu = (
        *WRITES[:2],
        Call(lock_free.commit, REPOSITORY, BRANCH, "one"),
        Call(resetting.reset_branch, REPOSITORY, BRANCH),
        Call(resetting.reset_entry, REPOSITORY, BRANCH, X),
        Call(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH),
        Call(branches.create_branch, REPOSITORY, BRANCH, MAIN, tombstones=True),
    )
    # Without `read_is_legal`: nothing in this menu reads.
    invariants_checked = (*KEPT[:-1], refs.branch_delete_spares_successor, resets.reset_is_kept({}, BRANCH))
    faults = Faults(crashes=1, lost_answers=1)


class Faulty(LockFree):
    """What was promised is kept whatever is lost, late, cut short or reported as failed. Refusals are left out: a write
    whose second look is refused has a definite error, and is staged (docs/designs/branches.md)."""

    menu = (*LockFree.menu, Call(writes.set_entries, REPOSITORY, BRANCH, ((X, b"4"), (Y, b"4"))))
    faults = Faults(lost_answers=2, duplicates=1, false_predicates=1, scan_failures=1, crashes=1)


MACHINES = (LockFree, Faulty, Disturbed)


@pytest.mark.parametrize("machine", MACHINES)
def test_it_holds_for_all_operations_and_orders(machine: type[ConcurrentMachine], run_seed: int) -> None:
    hold(machine, run_seed, runs=8)


@pytest.mark.deep
@pytest.mark.parametrize("machine", MACHINES)
def test_it_holds_over_a_hundred_long_runs(machine: type[ConcurrentMachine], run_seed: int) -> None:
    hold(machine, run_seed, runs=100, steps=80)

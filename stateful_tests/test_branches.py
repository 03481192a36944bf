"""A branch under concurrent writers, readers, committers, resetters and deleters, step by step.

The commits must hold whatever Hypothesis makes of it. A negative control must fail, and shrink as short as the search's
own counterexample. Other words, and the other variants of commits, are those of the swarm machines.
"""

from collections.abc import Sequence

import pytest
from hypothesis.stateful import precondition, rule

from lakeproof import Call, Faults, Scenario
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X, Y
from lakeproof.impl.graveler import initialisation, lock_free, reads, writes
from lakeproof.impl.graveler import resets as resetting
from lakeproof.impl.refs import branches
from lakeproof.model.invariants import Invariant, entries, refs, resets
from lakeproof.search.search import search
from stateful_tests.machine import ConcurrentMachine, hold, refute

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
def test_it_holds_over_thousands_of_long_runs(machine: type[ConcurrentMachine], run_seed: int) -> None:
    hold(machine, run_seed, runs=200, steps=80)


class SingleReadWriter(ConcurrentMachine):
    """A negative control: a writer that does not look at the token again."""

    setup = SETUP
    menu = (
        Call(writes.set_entry, REPOSITORY, BRANCH, X, b"1", reading=writes.SINGLE_READ),
        Call(lock_free.commit, REPOSITORY, BRANCH, "one", reading=lock_free.KEEPS_STAGED),
    )
    invariants_checked = (entries.acknowledged_write_is_kept,)
    clients_max = 2


def shortest(machine: type[ConcurrentMachine]) -> int:
    """The length of the search's counterexample, where each call of the menu is a client."""
    scenario = Scenario(
        name=machine.__name__,
        setup=machine.setup,
        clients=[[call] for call in machine.menu],
        invariants=machine.invariants_checked,
    )
    (found,) = search(scenario).findings
    assert found.counterexample is not None
    return len(found.counterexample.moves)


@pytest.mark.deep
def test_a_negative_control_fails_and_shrinks_as_short_as_the_search() -> None:
    # The class keeps its last failure, so it must not have run in this process before.
    assert SingleReadWriter.last_failure == ("", 0)
    with pytest.raises(AssertionError, match="acknowledged-write-is-kept"):
        refute(SingleReadWriter, runs=5_000, steps=16, shrinks=True)
    # Read, stage; and: read, seal, scan, head, record, finish.
    assert SingleReadWriter.last_failure == ("acknowledged-write-is-kept", 8)
    assert shortest(SingleReadWriter) == 8

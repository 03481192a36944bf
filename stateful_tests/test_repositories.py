"""Concurrent repository operations: `hardened` must hold, and `naive` must fail."""

from typing import ClassVar

import pytest

from lakeproof import Call, Faults
from lakeproof.impl.repositories import hardened, naive
from lakeproof.model.invariants import repositories
from stateful_tests.machine import ConcurrentMachine, hold, refute

JUMP = 121_000_000  # just more than the two minutes after which a claim is abandoned


class HardenedMachine(ConcurrentMachine):
    """Everything at once, under every fault."""

    menu = (
        Call(hardened.create_repository, "r"),
        Call(hardened.create_bare_repository, "r"),
        Call(hardened.delete_repository, "r"),
        Call(hardened.get_repository, "r"),
        Call(hardened.list_repositories, batch_size=1),
        Call(hardened.FLOWS.create_branch, "r", "b"),
        Call(hardened.FLOWS.delete_branch, "r", "b"),
        Call(hardened.FLOWS.create_tag, "r", "t"),
        Call(hardened.clean, batch_size=1),
    )
    invariants_checked = repositories.ALL
    faults = Faults(
        refusals=1,
        lost_answers=2,
        false_predicates=2,
        duplicates=1,
        scan_failures=1,
        crashes=2,
        clock_jumps=(JUMP, JUMP),
    )


class NaiveMachine(ConcurrentMachine):
    """A negative control."""

    menu = (
        Call(naive.create_repository, "r"),
        Call(naive.delete_repository, "r"),
        Call(naive.FLOWS.create_branch, "r", "b"),
    )
    setup = (Call(naive.create_repository, "r"),)
    invariants_checked = (repositories.no_reachable_zombie,)
    clients_max: ClassVar[int] = 3


def test_hardened_holds_every_invariant_under_every_fault(run_seed: int) -> None:
    hold(HardenedMachine, run_seed, runs=15, steps=60)


def test_naive_lets_a_zombie_be_reached() -> None:
    with pytest.raises(AssertionError, match="no-reachable-zombie"):
        # The control is deterministic: so many runs find it, whatever the seed of the session.
        refute(NaiveMachine, runs=4_000)


@pytest.mark.deep
def test_hardened_holds_over_hundreds_of_long_runs(run_seed: int) -> None:
    hold(HardenedMachine, run_seed, runs=250, steps=100)

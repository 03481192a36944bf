"""Concurrent repository operations: `hardened` must hold, `naive` and `step1` must fail, and shrink well."""

import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from lakeproof import Call, Faults
from lakeproof.explore.search import search
from lakeproof.impl.repositories import hardened, naive, step1
from lakeproof.model.invariants import repositories
from lakeproof.scenarios import catalogue
from stateful_tests.machine import ConcurrentMachine, hold, refute

JUMP = 121_000_000


class HardenedMachine(ConcurrentMachine):
    """Everything at once, under every fault."""

    menu = (
        Call(hardened.create_repository, "r"),
        Call(hardened.create_bare_repository, "r"),
        Call(hardened.delete_repository, "r"),
        Call(hardened.get_repository, "r"),
        Call(hardened.list_repositories, batch_size=1),
        Call(hardened.create_branch, "r", "b"),
        Call(hardened.delete_branch, "r", "b"),
        Call(hardened.create_tag, "r", "t"),
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
        Call(naive.create_branch, "r", "b"),
    )
    setup = (Call(naive.create_repository, "r"),)
    invariants_checked = (repositories.no_reachable_zombie,)
    clients_max: ClassVar[int] = 3


class Step1Machine(ConcurrentMachine):
    """A negative control: two deletes and a create."""

    menu = (Call(step1.create_repository, "r"), Call(step1.delete_repository, "r"))
    setup = (Call(step1.create_repository, "r"),)
    invariants_checked = (repositories.delete_spares_successor,)
    clients_max: ClassVar[int] = 3


def shortest(name: str, invariant_id: str) -> int:
    """The length of the search's own counterexample."""
    scenario = next(scenario for scenario in catalogue() if scenario.name == name)
    found = next(finding for finding in search(scenario).findings if finding.id == invariant_id)
    assert found.counterexample is not None
    return len(found.counterexample.moves)


def shrink(machine: type[ConcurrentMachine]) -> None:
    """Print the invariant that the failure which Hypothesis ends with violates, and its length."""
    with pytest.raises(AssertionError):
        refute(machine, runs=4_000, shrinks=True)
    print(*machine.last_failure)  # noqa: T201  # `shrunk` reads it


def shrunk(machine: type[ConcurrentMachine]) -> tuple[str, int]:
    """The invariant, and the length of the failure that Hypothesis ends with.

    In a process of its own: Hypothesis draws constants of all modules that are loaded, so what it meets first, and
    therefore which local minimum it ends with, would depend on the tests that ran before.
    """
    code = f"from stateful_tests import {Path(__file__).stem} as tests; tests.shrink(tests.{machine.__name__})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    name, length = done.stdout.split()[-2:]
    return name, int(length)


def test_hardened_holds_every_invariant_under_every_fault(run_seed: int) -> None:
    hold(HardenedMachine, run_seed, runs=15, steps=60)


@pytest.mark.deep
def test_naive_lets_a_zombie_be_reached_and_shrinks_as_short_as_the_search() -> None:
    length = shortest("repositories/naive/delete-create-create_branch", "no-reachable-zombie")
    assert shrunk(NaiveMachine) == ("no-reachable-zombie", length)


@pytest.mark.deep
def test_step1_hurts_a_successor_and_shrinks_to_one_of_its_two_minimal_stories() -> None:
    # The search's story: both deletes read (1 + 1), one goes through (5 more), create (4), the stale `set` of the
    # other hides the new repository (1): 12. Hypothesis may meet the other story first, in which the stale *delete of
    # the entry* removes it: the slower delete must then have set and scanned as well (2 more): 14. No single step can
    # be left out of that one, so shrinking does not lead from it to the shorter.
    assert shortest("repositories/step1/delete-delete-create", "delete-spares-successor") == 12
    name, length = shrunk(Step1Machine)
    assert name == "delete-spares-successor"
    assert length in (12, 14)


@pytest.mark.deep
def test_hardened_holds_over_thousands_of_long_runs(run_seed: int) -> None:
    hold(HardenedMachine, run_seed, runs=2_000, steps=200)

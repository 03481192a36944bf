"""Variant step2: the flows marked "Step 2" and the Cleaner, line by line."""

import pytest

from lakeproof.impl.repositories import step2
from lakeproof.impl.repositories.errors import Conflict, NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.step2 import INITIAL_TIMEOUT
from lakeproof.model import kv
from lakeproof.model.records import RepositoryState
from tests.impl.stepping import START, Bench, R

ENTITIES = ["r-u1 branches/main", "r-u1 commits/c.u1"]


def created() -> Bench:
    bench = Bench()
    bench.run(step2.create_repository, R)
    return bench


def initial() -> Bench:
    """A create has crashed after its claim."""
    bench = Bench()
    bench.crash(1, step2.create_repository, R)
    return bench


def state(bench: Bench) -> RepositoryState:
    entry = bench.entry()
    assert entry is not None
    return entry.state


@pytest.mark.parametrize(("by_set_if", "write"), [(False, "set"), (True, "set_if")])
def test_create_claims_as_initial_writes_commit_and_branch_and_becomes_active(by_set_if: bool, write: str) -> None:
    bench = Bench()
    running = bench.begin(step2.create_repository, R, activate_by_set_if=by_set_if)
    running.go(1)
    assert state(bench) is RepositoryState.INITIAL
    made = running.finish()
    assert bench.story == ["set_if repos/r", "set commits/c.u1", "set branches/main", f"{write} repos/r"]
    assert bench.entry() == made
    assert made.state is RepositoryState.ACTIVE


@pytest.mark.parametrize("taken", [RepositoryState.ACTIVE, RepositoryState.DELETING, RepositoryState.INITIAL])
def test_create_of_an_id_with_an_entry_is_refused_whatever_its_state(taken: RepositoryState) -> None:
    bench = created()
    bench.set_state(taken)
    with pytest.raises(NotUnique):
        bench.run(step2.create_repository, R)
    assert bench.story == ["set_if repos/r"]
    assert state(bench) is taken


@pytest.mark.parametrize(("age", "left"), [(0, RepositoryState.INITIAL), (INITIAL_TIMEOUT, RepositoryState.DELETING)])
def test_create_may_declare_a_failed_repository_of_that_name(age: int, left: RepositoryState) -> None:
    bench = initial()
    bench.now += age
    with pytest.raises(NotUnique):
        bench.run(step2.create_repository, R, declares_failed=True)
    assert state(bench) is left


def test_an_initial_repository_is_not_found_for_two_minutes() -> None:
    bench = initial()
    bench.now = START + INITIAL_TIMEOUT - 1
    with pytest.raises(RepositoryNotFound):
        bench.run(step2.get_repository, R)
    assert bench.story == ["get repos/r"]


@pytest.mark.parametrize(("by_set_if", "write"), [(False, "set"), (True, "set_if")])
def test_after_two_minutes_get_declares_it_deleted(by_set_if: bool, write: str) -> None:
    bench = initial()
    bench.now = START + INITIAL_TIMEOUT
    with pytest.raises(RepositoryDeleting):
        bench.run(step2.get_repository, R, state_by_set_if=by_set_if)
    assert bench.story == ["get repos/r", f"{write} repos/r"]
    assert state(bench) is RepositoryState.DELETING


def test_get_of_a_deleting_repository_says_so() -> None:
    bench = created()
    bench.set_state(RepositoryState.DELETING)
    with pytest.raises(RepositoryDeleting):
        bench.run(step2.get_repository, R)


def test_a_creator_that_activates_by_set_if_learns_that_it_was_declared_failed() -> None:
    bench = Bench()
    slow = bench.begin(step2.create_repository, R, activate_by_set_if=True)
    slow.go(3)
    bench.set_state(RepositoryState.DELETING)
    with pytest.raises(Conflict):
        slow.finish()


def test_a_creator_that_activates_by_set_brings_a_deleted_repository_back() -> None:
    bench = Bench()
    slow = bench.begin(step2.create_repository, R)
    slow.go(3)
    bench.run(step2.delete_repository, R)
    assert bench.entry() is None
    made = slow.finish()
    assert bench.run(step2.get_repository, R) == made


@pytest.mark.parametrize(("by_set_if", "write"), [(False, "set"), (True, "set_if")])
def test_delete_marks_leaves_a_record_and_removes_the_entry(by_set_if: bool, write: str) -> None:
    bench = created()
    bench.run(step2.delete_repository, R, state_by_set_if=by_set_if)
    assert bench.story == ["get repos/r", f"{write} repos/r", "set repo/r/u1", "delete repos/r"]
    assert bench.addresses() == ["graveler_deleted repo/r/u1", *ENTITIES]


@pytest.mark.parametrize("effects", [2, 3])
def test_a_delete_that_failed_midway_can_only_be_retried(effects: int) -> None:
    bench = created()
    bench.crash(effects, step2.delete_repository, R)
    with pytest.raises(RepositoryDeleting):
        bench.run(step2.get_repository, R)
    bench.run(step2.delete_repository, R)
    bench.run(step2.create_repository, R)


def test_delete_by_way_of_get_does_not_see_an_initial_repository_but_sees_through_deleting() -> None:
    bench = initial()
    with pytest.raises(RepositoryNotFound):
        bench.run(step2.delete_repository, R, through_get=True)
    bench.set_state(RepositoryState.DELETING)
    bench.run(step2.delete_repository, R, through_get=True)
    assert bench.entry() is None


def test_the_id_is_free_at_once_and_several_repositories_of_one_id_can_await_the_cleaner() -> None:
    bench = created()
    bench.run(step2.delete_repository, R)
    bench.run(step2.create_repository, R)
    bench.run(step2.delete_repository, R)
    assert [at for at in bench.addresses() if at.startswith("graveler_deleted")] == [
        "graveler_deleted repo/r/u1",
        "graveler_deleted repo/r/u3",
    ]
    assert bench.run(step2.clean, batch_size=1) == 2
    assert not bench.store


def test_the_cleaner_empties_the_partition_and_then_drops_the_record() -> None:
    bench = created()
    bench.run(step2.delete_repository, R)
    assert bench.run(step2.clean) == 1
    assert bench.story == [
        "scan graveler_deleted",
        "scan r-u1",
        "delete branches/main",
        "delete commits/c.u1",
        "delete repo/r/u1",
    ]


@pytest.mark.parametrize("effect", [1, 2, 3, 4])
def test_if_a_failure_occurs_the_cleaner_skips_the_entry_and_moves_on(effect: int) -> None:
    bench = created()
    bench.run(step2.delete_repository, R)
    bench.run(step2.create_repository, R)
    bench.run(step2.delete_repository, R)
    assert bench.run(step2.clean, told={effect: kv.Refused()}) == 1
    left = [at for at in bench.addresses() if at.startswith("graveler_deleted")]
    assert left == ["graveler_deleted repo/r/u1"]
    assert bench.run(step2.clean) == 1
    assert not bench.store

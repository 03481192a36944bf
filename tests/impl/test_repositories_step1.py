"""Variant step1: the flows marked "Step 1", line by line."""

import pytest

from lakeproof.impl.repositories import step1
from lakeproof.impl.repositories.errors import Conflict, NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.model import kv
from lakeproof.model.records import RepositoryState
from tests.impl.stepping import Bench, R


def created() -> Bench:
    bench = Bench()
    bench.run(step1.create_repository, R)
    return bench


def test_get_returns_an_active_repository_only() -> None:
    with pytest.raises(RepositoryNotFound):
        Bench().run(step1.get_repository, R)
    bench = created()
    assert bench.run(step1.get_repository, R) == bench.entry()
    bench.set_state(RepositoryState.DELETING)
    with pytest.raises(RepositoryDeleting):
        bench.run(step1.get_repository, R)


def test_create_looks_and_writes_commit_branch_and_last_the_entry() -> None:
    bench = created()
    assert bench.story == ["get repos/r", "set commits/c.u1", "set branches/main", "set_if repos/r"]
    assert bench.addresses() == ["graveler repos/r", "r-u1 branches/main", "r-u1 commits/c.u1"]


@pytest.mark.parametrize("state", [RepositoryState.ACTIVE, RepositoryState.DELETING])
def test_create_of_an_existing_id_is_refused_after_one_look(state: RepositoryState) -> None:
    bench = created()
    bench.set_state(state)
    with pytest.raises(NotUnique):
        bench.run(step1.create_repository, R)
    assert bench.story == ["get repos/r"]


@pytest.mark.parametrize("effects", [1, 2, 3])
def test_a_create_that_fails_midway_has_created_nothing_and_can_be_retried(effects: int) -> None:
    bench = Bench()
    bench.crash(effects, step1.create_repository, R)
    assert bench.entry() is None
    bench.run(step1.create_repository, R)
    assert bench.entry() is not None


def test_the_slower_of_two_creates_is_refused_and_leaves_its_entities_hanging() -> None:
    bench = Bench()
    slow = bench.begin(step1.create_repository, R)
    slow.go(3)
    fast = bench.run(step1.create_repository, R)
    with pytest.raises(NotUnique):
        slow.finish()
    assert bench.entry() == fast
    assert "r-u1 branches/main" in bench.addresses()


def test_bare_is_the_entry_alone() -> None:
    bench = Bench()
    assert bench.run(step1.create_bare_repository, R).state is RepositoryState.ACTIVE
    assert bench.story == ["set_if repos/r"]
    with pytest.raises(NotUnique):
        bench.run(step1.create_bare_repository, R)


@pytest.mark.parametrize(("state_by_set_if", "write"), [(False, "set"), (True, "set_if")])
def test_delete_marks_empties_the_partition_and_removes_the_entry(state_by_set_if: bool, write: str) -> None:
    bench = created()
    bench.run(step1.delete_repository, R, state_by_set_if=state_by_set_if)
    assert bench.story == [
        "get repos/r",
        f"{write} repos/r",
        "scan r-u1",
        "delete branches/main",
        "delete commits/c.u1",
        "delete repos/r",
    ]
    assert not bench.store


@pytest.mark.parametrize("effects", [2, 3, 4, 5])
def test_any_failure_leaves_the_id_in_use_until_a_retry_has_succeeded(effects: int) -> None:
    bench = created()
    bench.crash(effects, step1.delete_repository, R)
    with pytest.raises(RepositoryDeleting):
        bench.run(step1.get_repository, R)
    with pytest.raises(NotUnique):
        bench.run(step1.create_repository, R)
    bench.run(step1.delete_repository, R)
    bench.run(step1.create_repository, R)


def test_a_scan_that_breaks_ends_the_delete_with_its_error() -> None:
    bench = created()
    with pytest.raises(kv.ScanInterrupted):
        bench.run(step1.delete_repository, R, told={2: kv.ScanInterrupted()})
    entry = bench.entry()
    assert entry is not None
    assert entry.state is RepositoryState.DELETING


def test_a_state_written_by_set_if_meets_its_rival() -> None:
    bench = created()
    slow = bench.begin(step1.delete_repository, R, state_by_set_if=True)
    slow.go(1)
    bench.run(step1.delete_repository, R)
    bench.run(step1.create_repository, R)
    with pytest.raises(Conflict):
        slow.finish()
    assert bench.run(step1.get_repository, R) == bench.entry()


def test_the_slower_of_two_deletes_takes_the_next_repository_away() -> None:
    bench = created()
    slow = bench.begin(step1.delete_repository, R)
    slow.go(5)
    bench.run(step1.delete_repository, R)
    bench.run(step1.create_repository, R)
    slow.finish()
    assert bench.entry() is None


def test_delete_of_what_does_not_exist() -> None:
    with pytest.raises(RepositoryNotFound):
        Bench().run(step1.delete_repository, R)


def test_list_skips_what_is_not_active() -> None:
    bench = Bench()
    kept = bench.run(step1.create_bare_repository, "a")
    bench.run(step1.create_bare_repository, R)
    bench.set_state(RepositoryState.DELETING)
    for batch_size in (0, 1):
        assert bench.run(step1.list_repositories, batch_size=batch_size) == (kept,)

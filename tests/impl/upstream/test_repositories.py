"""Repositories as lakeFS has them today: what each flow does, in which order; and the repair."""

import pytest

from lakeproof.impl.refs.errors import BranchNotFound
from lakeproof.impl.repositories.errors import Conflict, NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.upstream import cache, repositories
from lakeproof.model import kv
from lakeproof.model.records import RepositoryState
from tests.impl.stepping import Bench, R


def created() -> Bench:
    bench = Bench()
    bench.run(repositories.create_repository, R)
    return bench


def test_create_looks_writes_commit_and_branch_and_claims_last() -> None:
    assert created().story == ["get repos/r", "set commits/c.u1", "set branches/main", "set_if repos/r"]


def test_create_looks_past_an_active_repository_and_is_refused_by_the_claim() -> None:
    bench = created()
    with pytest.raises(NotUnique):
        bench.run(repositories.create_repository, R)
    assert bench.story[-1] == "set_if repos/r"
    assert "r-u3 branches/main" in bench.addresses()


def test_create_is_refused_at_once_while_a_repository_is_being_deleted() -> None:
    bench = created()
    bench.set_state(RepositoryState.DELETING)
    with pytest.raises(RepositoryDeleting):
        bench.run(repositories.create_bare_repository, R)
    assert bench.story == ["get repos/r"]


def test_delete_marks_by_set_reads_each_branch_and_removes_the_entry_by_its_key() -> None:
    bench = created()
    bench.run(repositories.delete_repository, R)
    assert bench.story == [
        "get repos/r",
        "set repos/r",
        "scan r-u1",
        "get branches/main",
        "delete branches/main",
        "scan r-u1",
        "scan r-u1",
        "delete commits/c.u1",
        "delete repo-metadata",
        "delete repos/r",
    ]
    assert bench.addresses() == []


def test_the_slower_of_two_deletes_fails_on_a_branch_and_leaves_the_entry() -> None:
    bench = created()
    slow = bench.begin(repositories.delete_repository, R)
    slow.go(3)
    fast = bench.begin(repositories.delete_repository, R)
    fast.go(5)
    with pytest.raises(BranchNotFound):
        slow.finish()
    assert bench.entry() is not None


def test_a_delete_that_comes_late_removes_the_repository_created_after_it() -> None:
    bench = created()
    slow = bench.begin(repositories.delete_repository, R)
    slow.go(9)
    bench.run(repositories.delete_repository, R)
    bench.run(repositories.create_repository, R)
    slow.finish()
    assert bench.entry() is None


def test_with_tombstones_a_late_delete_leaves_the_next_repository_alone() -> None:
    bench = created()
    slow = bench.begin(repositories.delete_repository, R, tombstones=True)
    slow.go(3)
    bench.run(repositories.delete_repository, R, tombstones=True)
    entry = bench.entry()
    assert entry is not None
    assert entry.state is RepositoryState.DELETED
    with pytest.raises(RepositoryNotFound):
        bench.run(repositories.get_repository, R)
    again = bench.run(repositories.create_repository, R, tombstones=True)
    slow.finish()
    assert bench.run(repositories.get_repository, R) == again
    assert bench.run(repositories.list_repositories) == (again,)


def test_with_tombstones_a_lost_answer_is_followed_by_a_look() -> None:
    bench = created()
    bench.run(repositories.delete_repository, R, tombstones=True, told={1: kv.OutcomeUnknown()})
    entry = bench.entry()
    assert entry is not None
    assert entry.state is RepositoryState.DELETED


def test_with_tombstones_a_write_that_did_not_happen_is_a_conflict() -> None:
    bench = created()
    slow = bench.begin(repositories.delete_repository, R, tombstones=True)
    slow.go(1)
    bench.set_state(RepositoryState.INITIAL)
    with pytest.raises(Conflict):
        slow.finish()


def test_a_server_answers_from_its_cache_for_five_seconds() -> None:
    bench = created()
    first = bench.run(cache.get_repository, R)
    bench.run(repositories.delete_repository, R)
    bench.now += cache.LIFETIME
    assert bench.run(cache.get_repository, R) == first
    bench.now += 1
    with pytest.raises(RepositoryNotFound):
        bench.run(cache.get_repository, R)

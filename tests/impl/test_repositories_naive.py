"""Variant naive: the lines of "Challenges", one by one."""

import pytest

from lakeproof.impl.repositories import naive
from lakeproof.impl.repositories.errors import BranchExists, NotUnique, RepositoryNotFound
from tests.impl.stepping import Bench, R


def test_create_is_three_stand_alone_writes_in_the_order_of_the_text() -> None:
    bench = Bench()
    repository = bench.run(naive.create_repository, R)
    assert bench.story == ["set_if repos/r", "set_if branches/main", f"set commits/c.{repository.instance_uid}"]
    assert bench.entry() == repository


def test_entities_are_keyed_by_the_repository_id_alone() -> None:
    bench = Bench()
    bench.run(naive.create_repository, R)
    assert bench.addresses() == ["graveler repos/r", "r branches/main", "r commits/c.u1"]


def test_create_of_an_existing_id_is_refused_and_writes_nothing() -> None:
    bench = Bench()
    bench.run(naive.create_repository, R)
    before = dict(bench.store)
    with pytest.raises(NotUnique):
        bench.run(naive.create_repository, R)
    assert bench.store == before


@pytest.mark.parametrize("effects", [1, 2])
def test_a_create_that_fails_midway_is_unusable_and_cannot_be_recreated(effects: int) -> None:
    bench = Bench()
    bench.crash(effects, naive.create_repository, R)
    assert bench.run(naive.get_repository, R) == bench.entry()
    with pytest.raises(NotUnique):
        bench.run(naive.create_repository, R)


def test_a_branch_with_the_default_name_makes_the_creation_of_the_default_branch_fail() -> None:
    bench = Bench()
    slow = bench.begin(naive.create_repository, R)
    slow.go(1)
    bench.run(naive.create_branch, R, "main", commit_id="c")
    with pytest.raises(BranchExists):
        slow.finish()
    assert bench.entry() is not None  # it stays, and keeps the id


@pytest.mark.parametrize("entry_first", [False, True])
def test_delete_removes_entities_and_entry_one_by_one(entry_first: bool) -> None:
    bench = Bench()
    bench.run(naive.create_repository, R)
    bench.run(naive.delete_repository, R, entry_first=entry_first)
    entities = ["scan r", "delete branches/main", "delete commits/c.u1"]
    entry = ["delete repos/r"]
    assert bench.story == ["get repos/r", *(entry + entities if entry_first else entities + entry)]
    assert not bench.store


def test_a_late_branch_appears_in_the_next_repository_of_that_id() -> None:
    bench = Bench()
    first = bench.run(naive.create_repository, R)
    late = bench.begin(naive.create_branch, R, "b")
    late.go(2)  # it has read the repository and its default branch
    bench.run(naive.delete_repository, R)
    second = bench.run(naive.create_repository, R)
    late.finish()
    zombie = bench.run(naive.get_branch, R, "b")
    assert first.instance_uid in zombie.staging_token
    assert second.instance_uid not in zombie.staging_token


def test_what_has_no_entry_is_not_found() -> None:
    for flow in (naive.get_repository, naive.delete_repository):
        with pytest.raises(RepositoryNotFound):
            Bench().run(flow, R)


def test_list_shows_every_entry_whatever_the_size_of_a_batch() -> None:
    bench = Bench()
    made = [bench.run(naive.create_bare_repository, name) for name in ("a", "b", "c")]
    for batch_size in (0, 1, 2):
        assert list(bench.run(naive.list_repositories, batch_size=batch_size)) == made

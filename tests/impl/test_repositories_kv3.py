"""Variant kv3: "Deleting a Repository" and "Suggested Key Schema" of graveler-on-kv.md."""

import pytest

from lakeproof.impl.repositories import kv3
from lakeproof.impl.repositories.errors import NotUnique, RepositoryNotFound
from tests.impl.stepping import Bench, R


def test_entities_live_in_the_partition_of_their_instance() -> None:
    bench = Bench()
    bench.run(kv3.create_repository, R)
    assert bench.addresses() == ["graveler repos/r", "r-u1 branches/main", "r-u1 commits/c.u1"]


@pytest.mark.parametrize("entry_last", [False, True])
def test_create_writes_entry_branch_and_commit_in_either_order(entry_last: bool) -> None:
    bench = Bench()
    bench.run(kv3.create_repository, R, entry_last=entry_last)
    entities = ["set branches/main", "set commits/c.u1"]
    claim = ["set_if repos/r"]
    assert bench.story == (entities + claim if entry_last else claim + entities)
    with pytest.raises(NotUnique):
        bench.run(kv3.create_repository, R, entry_last=entry_last)


def test_delete_removes_the_entry_first_and_then_the_partition() -> None:
    bench = Bench()
    bench.run(kv3.create_repository, R)
    bench.run(kv3.delete_repository, R)
    assert bench.story == [
        "get repos/r",
        "delete repos/r",
        "scan r-u1",
        "delete branches/main",
        "delete commits/c.u1",
    ]
    assert not bench.store


def test_a_failure_before_the_entry_is_deleted_leaves_the_repository_accessible() -> None:
    bench = Bench()
    made = bench.run(kv3.create_repository, R)
    bench.crash(1, kv3.delete_repository, R)
    assert bench.run(kv3.get_repository, R) == made


def test_any_failure_after_leaves_the_partition_unreachable() -> None:
    bench = Bench()
    bench.run(kv3.create_repository, R)
    bench.crash(2, kv3.delete_repository, R)
    assert bench.addresses() == ["r-u1 branches/main", "r-u1 commits/c.u1"]
    with pytest.raises(RepositoryNotFound):
        bench.run(kv3.delete_repository, R)


def test_a_new_repository_with_the_same_name_has_another_uid_and_sees_no_leftovers() -> None:
    bench = Bench()
    first = bench.run(kv3.create_repository, R)
    bench.run(kv3.create_branch, R, "b")
    bench.crash(2, kv3.delete_repository, R)
    second = bench.run(kv3.create_repository, R)
    assert second.instance_uid != first.instance_uid
    assert bench.run(kv3.get_branch, R, "main").staging_token.startswith(f"r-main:{second.instance_uid}")


def test_bare_and_list() -> None:
    bench = Bench()
    made = bench.run(kv3.create_bare_repository, R)
    assert made.bare
    assert bench.story == ["set_if repos/r"]
    assert bench.run(kv3.list_repositories) == (made,)

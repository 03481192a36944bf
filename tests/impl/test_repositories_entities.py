"""Branch and tag operations: in every variant they start with `get_repository` and work in its partition."""

from types import ModuleType

import pytest

from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from lakeproof.impl.repositories.errors import (
    BranchExists,
    BranchNotFound,
    DefaultBranch,
    RepositoryNotFound,
    TagExists,
)
from lakeproof.model.identifiers import StagingToken
from tests.impl.stepping import Bench, R

VARIANTS = pytest.mark.parametrize("variant", [naive, kv3, step1, step2, hardened], ids=lambda v: v.__name__[18:])


def created(variant: ModuleType) -> Bench:
    bench = Bench()
    bench.run(variant.create_repository, R)
    return bench


def looks_again(variant: ModuleType) -> list[str]:
    """What a create does after its write: the repair knows that the repository may be gone."""
    return ["get repos/r"] if variant is hardened else []


@VARIANTS
def test_every_operation_starts_with_the_entry(variant: ModuleType) -> None:
    calls = [
        (variant.create_branch, "b"),
        (variant.get_branch, "b"),
        (variant.delete_branch, "b"),
        (variant.create_tag, "t"),
    ]
    for flow, name in calls:
        bench = Bench()
        with pytest.raises(RepositoryNotFound):
            bench.run(flow, R, name)
        assert bench.story == ["get repos/r"]


@VARIANTS
def test_a_branch_starts_at_the_head_of_the_default_branch(variant: ModuleType) -> None:
    bench = created(variant)
    made = bench.run(variant.create_branch, R, "b")
    assert bench.story == ["get repos/r", "get branches/main", "set_if branches/b", *looks_again(variant)]
    main = bench.run(variant.get_branch, R, "main")
    assert made.commit_id == main.commit_id
    assert made.staging_token != main.staging_token
    assert bench.run(variant.get_branch, R, "b") == made


@VARIANTS
def test_a_staging_token_names_repository_branch_and_instance(variant: ModuleType) -> None:
    bench = created(variant)
    made = bench.run(variant.create_branch, R, "b", commit_id="c")
    assert bench.story == ["get repos/r", "set_if branches/b", *looks_again(variant)]
    assert made.staging_token == StagingToken("r-b:u1.u3")


@VARIANTS
def test_names_are_taken_once(variant: ModuleType) -> None:
    bench = created(variant)
    bench.run(variant.create_branch, R, "b")
    bench.run(variant.create_tag, R, "t")
    with pytest.raises(BranchExists):
        bench.run(variant.create_branch, R, "b")
    with pytest.raises(TagExists):
        bench.run(variant.create_tag, R, "t")


@VARIANTS
def test_a_branch_can_be_deleted_but_not_the_default_one(variant: ModuleType) -> None:
    bench = created(variant)
    bench.run(variant.create_branch, R, "b")
    bench.run(variant.delete_branch, R, "b")
    bench.run(variant.delete_branch, R, "b")  # absent is no error
    with pytest.raises(BranchNotFound):
        bench.run(variant.get_branch, R, "b")
    with pytest.raises(DefaultBranch):
        bench.run(variant.delete_branch, R, "main")


@VARIANTS
def test_without_a_default_branch_there_is_nothing_to_start_from(variant: ModuleType) -> None:
    bench = Bench()
    bench.run(variant.create_bare_repository, R)
    with pytest.raises(BranchNotFound):
        bench.run(variant.create_branch, R, "b")
    with pytest.raises(BranchNotFound):
        bench.run(variant.create_tag, R, "t")


def test_an_option_of_get_repository_is_passed_on() -> None:
    bench = created(step2)
    bench.run(step2.create_branch, R, "b", state_by_set_if=True)

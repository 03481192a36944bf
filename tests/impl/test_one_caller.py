"""What one caller sees of branches and tags, and no race of the catalogue refutes: each by name, in all variants.

Source: repository-operations-error-handling.md; graveler-on-kv.md, "Branch", "Tag"; lakeFS' API.
"""

from types import ModuleType
from typing import Any

import pytest

from lakeproof.impl.refs import tags
from lakeproof.impl.refs.errors import RefChanged
from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from lakeproof.impl.repositories.errors import (
    BranchExists,
    BranchNotFound,
    DefaultBranch,
    RepositoryNotFound,
    TagExists,
)
from lakeproof.model.identifiers import RepositoryID
from tests.impl.hand import Hand

R = RepositoryID("r")
VARIANTS = pytest.mark.parametrize("variant", [naive, kv3, step1, step2, hardened], ids=lambda v: v.__name__[18:])


class Caller:
    """Calls of one variant, one after the other."""

    def __init__(self, variant: ModuleType) -> None:
        self._flows, self._hand = variant.FLOWS, Hand()

    def __call__(self, flow: str, *args: object) -> Any:  # type: ignore[explicit-any]  # whatever the flow returns
        return self._hand.do(getattr(self._flows, flow)(self._hand.env, R, *args))


@VARIANTS
@pytest.mark.parametrize("flow", ["create_branch", "get_branch", "delete_branch", "create_tag"])
def test_nothing_is_done_in_a_repository_that_is_not_there(variant: ModuleType, flow: str) -> None:
    with pytest.raises(RepositoryNotFound):
        Caller(variant)(flow, "b")


@VARIANTS
def test_a_branch_starts_at_the_head_of_the_default_branch_with_a_token_of_its_own(variant: ModuleType) -> None:
    call = Caller(variant)
    call("create_repository")
    made, main = call("create_branch", "b"), call("get_branch", "main")
    assert made.commit_id == main.commit_id
    assert made.staging_token != main.staging_token
    assert call("get_branch", "b") == made


@VARIANTS
def test_a_name_is_taken_once(variant: ModuleType) -> None:
    call = Caller(variant)
    call("create_repository")
    made = call("create_branch", "b")
    call("create_tag", "t")
    with pytest.raises(BranchExists):
        call("create_branch", "b")
    with pytest.raises(TagExists):
        call("create_tag", "t")
    assert call("get_branch", "b") == made


@VARIANTS
def test_a_branch_can_be_deleted_and_deleted_again_but_not_the_default_one(variant: ModuleType) -> None:
    call = Caller(variant)
    call("create_repository")
    call("create_branch", "b")
    for _ in range(2):
        call("delete_branch", "b")
        with pytest.raises(BranchNotFound):
            call("get_branch", "b")
    with pytest.raises(DefaultBranch):
        call("delete_branch", "main")
    assert call("get_branch", "main")


@VARIANTS
def test_a_bare_repository_has_no_branch_to_start_from(variant: ModuleType) -> None:
    call = Caller(variant)
    call("create_bare_repository")
    for flow in ("create_branch", "create_tag"):
        with pytest.raises(BranchNotFound):
            call(flow, "b")


def test_an_update_of_a_tag_that_another_has_moved_is_refused_and_moves_nothing() -> None:
    hand = Hand.founded()
    commit = hand.branch("main").commit_id
    hand.run(tags.create_tag, "t", "main")
    slow = hand.start(tags.update_tag, "t", commit)
    slow.step()  # it has read the tag
    hand.run(tags.delete_tag, "t")
    with pytest.raises(RefChanged):
        slow.finish()

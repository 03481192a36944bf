"""Loops over staging tokens: what is still ours, and from which record a try starts that missed."""

import attrs
import pytest

from lakeproof.designs.branch_designs import BRANCH, X
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.lock_free import still_sealed, without
from lakeproof.impl.graveler.tokens import Missed, settle
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch, Repository
from tests.impl.hand import Hand


@pytest.mark.parametrize(
    ("ours", "theirs", "left"),
    [
        (("t1",), ("t1",), ("t1",)),  # nothing was committed
        (("t2", "t1"), ("t3", "t2", "t1"), ("t2", "t1")),  # nothing was, and a token was sealed since
        (("t2", "t1"), ("t3", "t2"), ("t2",)),  # an earlier commit took t1
        (("t2", "t1"), ("t2",), ("t2",)),
        (("t2", "t1"), ("t3",), ()),  # a later one took all
        (("t2", "t1"), (), ()),
    ],
)
def test_what_is_still_sealed_of_ours(ours: tuple[str, ...], theirs: tuple[str, ...], left: tuple[str, ...]) -> None:
    sealed = tuple(map(StagingToken, theirs))
    token = StagingToken("open")
    branch = Branch(branch_id=BranchID("b"), commit_id=CommitID("c"), staging_token=token, sealed_tokens=sealed)
    found = still_sealed(tuple(map(StagingToken, ours)), branch)
    assert found == left
    assert (*without(branch, found), *found) == branch.sealed_tokens


def test_what_was_missed_is_tried_again_from_the_record_that_came_with_it() -> None:
    async def miss(env: Env, repository: Repository) -> tuple[str, ...]:
        seen: list[str] = []

        async def write(branch: Branch) -> Missed | None:
            seen.append(branch.commit_id)
            return Missed(attrs.evolve(branch, commit_id=CommitID(f"{branch.commit_id}'")))

        branch = attrs.evolve(await get_branch(env, repository, BRANCH), commit_id=CommitID("c"))
        with pytest.raises(WriteNotSettled):
            await settle(env, repository, branch, write, X, tries=3)
        return tuple(seen)

    assert Hand.founded().run(miss) == ("c", "c'", "c''")

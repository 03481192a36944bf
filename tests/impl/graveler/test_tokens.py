"""Loops over staging tokens: from which record a try starts that missed."""

import attrs
import pytest

from lakeproof.designs.branch_designs import BRANCH, X
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Missed, settle
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Branch, Repository
from tests.impl.hand import Hand


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

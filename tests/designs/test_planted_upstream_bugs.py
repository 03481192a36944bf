"""What holds in the flows of today's lakeFS rests on what they do: without one part, the search refutes it. And of a
repair that has two parts, neither is enough."""

from functools import partial

import attrs
import pytest

from lakefs_today import branches, entries, pulls, repositories
from lakefs_today.pull import Pull
from lakefs_today.scenarios import collecting
from lakefs_today.scenarios import pulls as todays_pulls
from lakeproof.designs.designs import rows
from lakeproof.designs.races import NONE
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import get_branch
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Scenario
from lakeproof.search.search import search
from tools.catalogues import everything

CATALOGUE = {scenario.name: scenario for scenario in everything()}


def violated(scenario: Scenario) -> set[str]:
    return {finding.id for finding in search(scenario).findings if finding.verdict == "violated"}


class TestCarefulDeletes:
    """The repair of `deleteUnsafe`."""

    def test_it_is_not_enough_to_compare_the_whole_record(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bury = entries._bury

        async def trusting(env: Env, repository: Repository, branch: Branch, path: bytes, *, careful: bool) -> bool:
            return await bury(env, repository, branch, path, careful=False)

        monkeypatch.setattr(entries, "_bury", trusting)
        found = violated(CATALOGUE["commits/upstream-careful-delete/delete-commit"])
        assert found == {"acknowledged-delete-is-kept"}

    def test_it_is_not_enough_to_distrust_tombstones(self, monkeypatch: pytest.MonkeyPatch) -> None:
        write = branches.safe_branch_write

        async def hasty(
            env: Env,
            repository: Repository,
            branch_id: BranchID,
            operation: branches.Operation,
            *paths: bytes,
            careful: bool = False,
        ) -> None:
            await write(env, repository, branch_id, operation, *paths, careful=False)

        monkeypatch.setattr(entries, "safe_branch_write", hasty)
        found = violated(CATALOGUE["commits/upstream-careful-delete/delete-commit.sweep"])
        assert found == {"acknowledged-delete-is-kept"}


class TestUpdatesOfMetadata:
    """The repairs of `handleUpdate`."""

    def test_it_is_not_enough_to_compare_the_whole_record_afterwards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first try has written what it has found by then: the second one finds it under the open token."""

        async def whole(
            env: Env,
            repository: Repository,
            branch_id: BranchID,
            operation: branches.Operation,
            *_: bytes,
            careful: bool = False,
        ) -> None:
            before = None
            while before != await get_branch(env, repository, branch_id):
                before = await get_branch(env, repository, branch_id)
                await operation(before)

        monkeypatch.setattr(entries, "safe_branch_write", whole)
        found = violated(CATALOGUE["commits/upstream/committed/delete.commit.sweep-amend"])
        assert found == {"acknowledged-delete-is-kept"}


class TestPullRequests:
    """The repair has two parts, and neither is enough."""

    def test_without_a_claim_what_was_closed_is_merged(self, monkeypatch: pytest.MonkeyPatch) -> None:
        update = pulls._update

        async def unclaimed(
            env: Env, repository: Repository, pull_id: str, change: pulls.Change, *, claims: bool
        ) -> Pull:
            if change.__name__ == "claim":
                return await pulls.get_pull(env, repository, pull_id)
            return await update(env, repository, pull_id, change, claims=claims)

        monkeypatch.setattr(pulls, "_update", unclaimed)
        found = violated(CATALOGUE["pulls/upstream-claims/close-merge.get"])
        assert found == {"pull-request-is-linearizable"}

    def test_with_two_reads_an_edit_undoes_a_merge(self) -> None:
        options = {word: given for word, given in todays_pulls.CLAIMS.options.items() if word != "edit"}
        row = next(rows(attrs.evolve(todays_pulls.CLAIMS, options=options), "edit-merge.get", NONE))
        assert "pull-tells-of-its-merge" in violated(row.scenario())


def test_a_delete_that_takes_a_missing_branch_for_a_deleted_one_ends_the_deletion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    delete = repositories._delete_entities

    async def unsure(env: Env, repository: Repository, batch_size: int, *, sure: bool) -> None:
        await delete(env, repository, batch_size, sure=False)

    monkeypatch.setattr(repositories, "_delete_entities", unsure)
    assert violated(CATALOGUE["repositories/upstream/two_branches/delete-delete"]) == set()


@pytest.mark.parametrize("part", ["all_entries", "looks_again"])
def test_neither_part_of_the_collectors_repair_is_enough(part: str) -> None:
    options = {word: dict(given) for word, given in collecting.MENDED.options.items()}
    options["job" if part == "all_entries" else "commit"][part] = False
    design = attrs.evolve(collecting.MENDED, options=options)
    made = partial(rows, design, faults=NONE, before=collecting.STAGED)
    found = [violated(row.scenario()) for row in made("commit-delete.job")]
    assert found == [{"committed-data-is-kept"}]

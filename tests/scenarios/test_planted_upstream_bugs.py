"""What holds in the flows of today's lakeFS rests on what they do: without one part, the search refutes it. And of a
repair that has two parts, neither is enough."""

from functools import partial

import attrs
import pytest

from lakeproof.explore.search import search
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.upstream import branches, entries, merging
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Scenario
from lakeproof.scenarios import catalogue, upstream_collecting
from lakeproof.scenarios.designs import rows
from lakeproof.scenarios.races import NONE

CATALOGUE = {scenario.name: scenario for scenario in catalogue()}


def violated(scenario: Scenario) -> set[str]:
    return {finding.id for finding in search(scenario).findings if finding.verdict == "violated"}


async def write_once(
    env: Env, repository: Repository, branch_id: BranchID, operation: branches.Operation, *_: bytes
) -> None:
    """`branches.safe_branch_write` without its second look."""
    await operation(await get_branch(env, repository, branch_id))


def test_a_write_is_lost_without_the_second_look_at_the_open_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "safe_branch_write", write_once)
    assert "acknowledged-write-is-kept" in violated(CATALOGUE["commits/upstream/write-commit"])


def test_a_write_is_lost_without_the_second_look_of_a_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    look = merging.demand_clean

    async def first_look(env: Env, repository: Repository, branch: Branch, tokens: Tokens, batch_size: int) -> None:
        if tokens != branch.sealed_tokens:
            await look(env, repository, branch, tokens, batch_size)

    monkeypatch.setattr(merging, "demand_clean", first_look)
    assert "acknowledged-write-is-kept" in violated(CATALOGUE["merges/upstream/write-merge"])


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


@pytest.mark.parametrize("part", ["all_entries", "looks_again"])
def test_neither_part_of_the_collectors_repair_is_enough(part: str) -> None:
    options = {word: dict(given) for word, given in upstream_collecting.MENDED.options.items()}
    options["job" if part == "all_entries" else "commit"][part] = False
    design = attrs.evolve(upstream_collecting.MENDED, options=options)
    made = partial(rows, design, faults=NONE, before=upstream_collecting.STAGED)
    found = [violated(row.scenario()) for row in made("commit-delete.job")]
    assert found == [{"committed-data-is-kept"}]

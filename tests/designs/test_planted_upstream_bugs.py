"""What is refuted of today's lakeFS, with one part of its flows changed: a repair that is not enough, and a cause."""

import pytest

from lakefs_today import branches, repositories
from lakeproof.search.search import search
from tests.planting import replaced
from tools.catalogues import everything

CATALOGUE = {scenario.name: scenario for scenario in everything()}


def violated(name: str) -> set[str]:
    return {finding.id for finding in search(CATALOGUE[name]).findings if finding.verdict == "violated"}


def test_an_update_that_compares_the_whole_record_afterwards_still_undoes_a_delete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first try has written what it has found by then: the second one finds it under the open token."""
    settled = "if before == after or (before.staging_token == after.staging_token and (wrote or not careful)):"
    replaced(monkeypatch, branches, settled, "if before == after:")
    assert violated("commits/upstream/committed/delete.commit.sweep-amend") == {"acknowledged-delete-is-kept"}


def test_a_delete_that_takes_a_missing_branch_for_a_deleted_one_ends_the_deletion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replaced(monkeypatch, repositories, "batch_size, sure=True)", "batch_size, sure=False)")
    assert violated("repositories/upstream/two_branches/delete-delete") == set()

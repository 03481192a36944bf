"""The words of the tables of repositories."""

from collections.abc import Mapping

from lakeproof.impl.flows import RepositoryFlows
from lakeproof.model.living import CLAIM_LASTS
from lakeproof.scenario import Call
from lakeproof.scenarios import alone


def words_of(flows: RepositoryFlows, **more: Call) -> Mapping[str, Call]:
    """By name: calls on one repository, on a branch in it; and what other calls leave that stop on their way. more:
    words of a reading."""
    calls = {
        "create": Call(flows.create_repository, "r"),
        "other": Call(flows.create_repository, "other"),
        "bare": Call(flows.create_bare_repository, "r"),
        "delete": Call(flows.delete_repository, "r"),
        "get": Call(flows.get_repository, "r"),
        "list": Call(flows.list_repositories),
        "branch": Call(flows.create_branch, "r", "b"),
        "branch_at": Call(flows.create_branch, "r", "b", commit_id="c.x"),
        "main": Call(flows.get_branch, "r", "main"),
        "get_b": Call(flows.get_branch, "r", "b"),
        "delete_b": Call(flows.delete_branch, "r", "b"),
        "delete_main": Call(flows.delete_branch, "r", "main"),
        "tag": Call(flows.create_tag, "r", "t"),
        "claim": Call(alone.stop_creating, "r", 0),
        "old_claim": Call(alone.stop_creating, "r", CLAIM_LASTS),
        "younger_claim": Call(alone.stop_creating, "r", CLAIM_LASTS - 1),
        "noted_claim": Call(alone.stop_creating_noted, "r", 0),
        "old_noted_claim": Call(alone.stop_creating_noted, "r", CLAIM_LASTS),
        "old": Call(alone.have_created, "r"),
        "old_noted": Call(alone.have_created_noted, "r"),
        "half_deleted": Call(alone.stop_deleting, "r"),
        **more,
    }
    return calls if flows.clean is None else {**calls, "clean": Call(flows.clean)}

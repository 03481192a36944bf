"""The words of the tables of a branch b with paths x, y, z, in a repository with a default branch main."""

from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import committing, founding
from lakeproof.impl.refs import branches
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY


async def found(env: Env, repository: Repository) -> Branch:
    """A repository with a branch b beside its default branch."""
    await founding.found(env, repository)
    return await branches.create_branch(env, repository, BRANCH, MAIN)


async def seal(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """What a committer leaves that stops after its first write. Raises as `committing.seal`."""
    await committing.seal(env, repository, branch_id)


async def hide(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """Show a branch that is hidden, and hide one that is not: its record changes, and no token. Raises as
    `branches.update_branch`."""
    branch, predicate = await branches.read_branch(env, repository, branch_id)
    await branches.replace_branch(env, repository, attrs.evolve(branch, hidden=not branch.hidden), predicate)


FOUND: Final = Call(found, REPOSITORY)


def words_of(flows: BranchFlows, **more: Call) -> Mapping[str, Call]:
    """By name: ``x1`` writes 1 at x, ``no_x`` deletes it. more: words of a reading."""
    return {
        "found": FOUND,
        **{
            f"{path}{identity}": Call(flows.set_entry, REPOSITORY, BRANCH, path.encode(), str(identity).encode())
            for path in "xyz"
            for identity in (1, 2)
        },
        **{f"no_{path}": Call(flows.delete_entry, REPOSITORY, BRANCH, path.encode()) for path in "xyz"},
        **{path: Call(flows.get_entry, REPOSITORY, BRANCH, path.encode()) for path in "xyz"},
        "list": Call(flows.list_entries, REPOSITORY, BRANCH),
        "create_x": Call(flows.create_entry, REPOSITORY, BRANCH, b"x", b"3"),
        "replace_x": Call(flows.replace_entry, REPOSITORY, BRANCH, b"x", b"3", b"1"),
        "commit": Call(flows.commit, REPOSITORY, BRANCH, "one"),
        "commit_again": Call(flows.commit, REPOSITORY, BRANCH, "two"),
        "hide": Call(hide, REPOSITORY, BRANCH),
        "seal": Call(seal, REPOSITORY, BRANCH),
        "reset": Call(flows.reset_branch, REPOSITORY, BRANCH),
        "reset_x": Call(flows.reset_entry, REPOSITORY, BRANCH, b"x"),
        "reset_all": Call(flows.reset_prefix, REPOSITORY, BRANCH, b""),
        "merge": Call(flows.merge, REPOSITORY, BRANCH, MAIN, "merged"),
        "revert": Call(flows.revert, REPOSITORY, BRANCH, BRANCH, "reverted"),
        "branch": Call(branches.get_branch, REPOSITORY, BRANCH),
        "delete_branch": Call(flows.delete_branch, REPOSITORY, BRANCH),
        "create_branch": Call(flows.create_branch, REPOSITORY, BRANCH, MAIN),
        "create_c": Call(flows.create_branch, REPOSITORY, "c", BRANCH),
        "delete_main": Call(flows.delete_branch, REPOSITORY, MAIN),
        "main1": Call(flows.set_entry, REPOSITORY, MAIN, b"m", b"1"),
        "commit_main": Call(flows.commit, REPOSITORY, MAIN, "on main"),
        **more,
    }

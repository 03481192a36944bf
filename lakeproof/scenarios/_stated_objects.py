"""The words of the tables of objects at paths x, y, z of a branch b, in a repository with a default branch main."""

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.committed import MetaRangeIterator
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, ObjectFlows, bound
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import get_commit
from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.model.committed import Entry
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y, Z
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_branches import FOUND, hide, seal

NAMESPACE: Final = REPOSITORY.storage_namespace
GRANT_TOO_FAR: Final = Grant(f"{NAMESPACE}/other/a1")


async def bring(env: Env, repository: Repository) -> None:
    """What a user does who has an object elsewhere: it is there."""
    await env.objects.put(OUTSIDE, b"o")


async def lose(env: Env, repository: Repository) -> None:
    """What nobody should do: all objects of the namespace are gone."""
    for head in [head async for head in env.objects.list(f"{NAMESPACE}/{DATA_PREFIX}")]:
        await env.objects.delete(head.address)


async def head(env: Env, repository: Repository) -> tuple[Entry, ...]:
    """What the head of the branch b holds."""
    commit = await get_commit(env, repository, (await branches.get_branch(env, repository, BRANCH)).commit_id)
    entries = MetaRangeIterator(env, repository.storage_namespace, commit.meta_range_id)
    return tuple([entry async for entry in entries])


def words_of(flows: ObjectFlows, **readings: Hashable) -> Mapping[str, Call]:
    """By name; ``up_x@careful`` uploads by the reading of that name. ``up_x2`` uploads another content."""
    named: dict[str, ObjectFlows] = {"": flows}
    named |= {f"@{name}": bound(flows, reading=reading) for name, reading in readings.items()}
    plain = {
        "found": FOUND,
        "seal": Call(seal, REPOSITORY, BRANCH),
        "hide": Call(hide, REPOSITORY, BRANCH),
        "bring": Call(bring, REPOSITORY),
        "lose": Call(lose, REPOSITORY),
        "head": Call(head, REPOSITORY),
        "create_branch": Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
        "create_c": Call(branches.create_branch, REPOSITORY, "c", BRANCH),
    }
    return plain | {f"{word}{name}": call for name, each in named.items() for word, call in _words(each).items()}


def _words(flows: ObjectFlows) -> Mapping[str, Call]:
    def on(flow: Flow | None, *args: Hashable) -> Call | None:
        return None if flow is None else Call(flow, REPOSITORY, *args)

    linking = catalog.Linking(flows.get_physical_address, flows.link_physical_address)
    signing = catalog.Linking(flows.get_physical_address, flows.link_physical_address, signed=True)
    link = partial(catalog.upload_and_link, through=linking)
    link_signed = partial(catalog.upload_and_link, through=signing)
    known = {
        "up_x": on(flows.upload_object, BRANCH, X, b"1"),
        "up_x2": on(flows.upload_object, BRANCH, X, b"two"),
        "up_y": on(flows.upload_object, BRANCH, Y, b"1"),
        "up_z": on(flows.upload_object, BRANCH, Z, b"1"),
        "up_main": on(flows.upload_object, MAIN, b"m", b"1"),
        "issue": on(flows.get_physical_address, BRANCH, X),
        "link_x": on(link, BRANCH, X, b"1"),
        "link_signed": on(link_signed, BRANCH, X, b"1"),
        "link_far": on(flows.link_physical_address, BRANCH, X, GRANT_TOO_FAR, b"1"),
        "stage_out": on(flows.stage_object, BRANCH, X, OUTSIDE, b"o"),
        "stage_in": on(flows.stage_object, BRANCH, Y, f"{NAMESPACE}/{DATA_PREFIX}a1", b"1"),
        "stage_y": on(partial(catalog.stage_again, stage=flows.stage_object), BRANCH, Y, X),
        "copy": on(flows.copy_object, BRANCH, Y, BRANCH, X),
        "copy_main": on(flows.copy_object, BRANCH, Y, MAIN, b"m"),
        "move": on(flows.move_object, BRANCH, X, Y),
        "no_x": on(flows.delete_object, BRANCH, X),
        "no_y": on(flows.delete_object, BRANCH, Y),
        "x": on(flows.read_object, BRANCH, X),
        "y": on(flows.read_object, BRANCH, Y),
        "commit": on(flows.commit, BRANCH, "one"),
        "commit_again": on(flows.commit, BRANCH, "two"),
        "commit_paged": on(partial(flows.commit, batch_size=1), BRANCH, "one"),
        "commit_main": on(flows.commit, MAIN, "on main"),
        "reset": on(flows.reset_branch, BRANCH),
        "reset_x": on(flows.reset_entry, BRANCH, X),
        "reset_all": on(flows.reset_prefix, BRANCH, b""),
        "delete_branch": on(flows.delete_branch, BRANCH),
        "delete_main": on(flows.delete_branch, MAIN),
        "job": on(flows.background_job),
        "job_paged": on(flows.background_job and partial(flows.background_job, batch_size=1)),
    }
    return {word: call for word, call in known.items() if call is not None}

"""Deleted repositories whose data is reclaimed: what each call answers, its effects on both stores, and what it leaves.

The rules are those of docs/designs.md, `reclaiming`, and docs/findings.md, "The data of a deleted repository". How a
row is read: `lakeproof.scenarios._stated`.
"""

from collections.abc import Hashable, Mapping
from typing import Final

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, RepositoryFlows
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened, reclaiming
from lakeproof.impl.repositories.reviving import reviving
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_branches import hide, seal

HELD: Final = attrs.evolve(REPOSITORY, instance_uid=InstanceUID("i1"))
"""The record of the first instance, in the hands of a client that fetched it before."""


async def lose(env: Env) -> None:
    """What nobody should do: all objects of the namespace are gone, metaranges and ranges too."""
    for head in [head async for head in env.objects.list(f"{REPOSITORY.storage_namespace}/")]:
        await env.objects.delete(head.address)


async def bring(env: Env, repository: Repository) -> None:
    """A user's object elsewhere, and an entry for it on main."""
    await env.objects.put(OUTSIDE, b"o")
    await catalog.stage_object(env, repository, MAIN, b"out", OUTSIDE, b"o")


async def upload_late(env: Env, repository: Repository) -> None:
    """What a writer leaves who puts an object of the instance and does not come to its entry."""
    entry = catalog.entry_at(repository, f"{repository.storage_namespace}/data/{repository.instance_uid}/late", b"1")
    await env.objects.put(catalog.at(repository, entry), b"1")


def _words(flows: RepositoryFlows) -> Mapping[str, Call]:
    def on(flow: Flow, *args: Hashable) -> Call:
        return Call(reclaiming.noting(by_id(flows.get_repository, flow)), "r", *args)

    return {
        "create": Call(flows.create_repository, "r"),
        "other": Call(flows.create_repository, "other"),
        "later": Call(flows.create_repository, "z"),
        "bare": Call(flows.create_bare_repository, "r"),
        "delete": Call(flows.delete_repository, "r"),
        "delete_other": Call(flows.delete_repository, "other"),
        "delete_later": Call(flows.delete_repository, "z"),
        "get": Call(flows.get_repository, "r"),
        "list": Call(flows.list_repositories),
        "branch": Call(flows.create_branch, "r", BRANCH),
        "tag": Call(flows.create_tag, "r", "t"),
        "up_x": on(catalog.upload_object, MAIN, X, b"1"),
        "up_y": on(catalog.upload_object, MAIN, Y, b"1"),
        "no_x": on(catalog.delete_object, MAIN, X),
        "late": on(upload_late),
        "bring": on(bring),
        "commit": on(catalog.commit, MAIN, "one"),
        "reset": on(catalog.reset_branch, MAIN),
        "seal": on(seal, MAIN),
        "hide": on(hide, MAIN),
        "branch_b": on(branches.create_branch, BRANCH, MAIN),
        "drop_b": on(branches.delete_branch, BRANCH),
        "revive": Call(reclaiming.noting(reviving(flows)), "r"),
        "revive_plainly": Call(reviving(hardened.FLOWS), "r"),
        "held_up_x": Call(reclaiming.noting(catalog.upload_object), HELD, MAIN, X, b"1"),
        "held_late": Call(upload_late, HELD),
        "held_seal": Call(reclaiming.noting(seal), HELD, MAIN),
        "lose": Call(lose),
        "clean": Call(reclaiming.clean),
        "clean_paged": Call(reclaiming.clean, batch_size=1),
        "clean@follows": Call(reclaiming.clean, reading=reclaiming.FOLLOWS),
        "clean@forgets": Call(reclaiming.clean, reading=reclaiming.FORGETS),
        "clean@namespace": Call(reclaiming.clean, reading=reclaiming.WHOLE_NAMESPACE),
    }


RECLAIMING: Final = _words(reclaiming.FLOWS)

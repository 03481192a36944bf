"""What a job may find that no operation of its own design has left: damaged data, old garbage, a second repository."""

from collections.abc import Hashable
from functools import cache, wraps
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.model.committed import object_address
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID
from lakeproof.model.records import Repository

TWIN: Final = RepositoryID("q")
"""The id of the second repository."""


async def damage(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """The metarange of a branch's head is lost."""
    head = await get_commit(env, repository, (await get_branch(env, repository, branch_id)).commit_id)
    await env.objects.delete(object_address(repository.storage_namespace, head.meta_range_id))


async def leave_old(env: Env, repository: Repository) -> None:
    """An object that was uploaded before the design was in use, and whose entry is gone: "existing uncommitted
    garbage"."""
    await env.objects.put(f"{repository.storage_namespace}/data/old", b"old")  # in the folder that jobs list


async def leave_beside(env: Env, repository: Repository) -> None:
    """An old foreign object, under a name that begins as the storage namespace does."""
    # A test by prefix that forgets the slash behind the namespace takes this for lakeFS' own.
    await env.objects.put(f"{repository.storage_namespace}-beside/data/o", b"beside")


def _twin(repository: Repository) -> Repository:
    return attrs.evolve(repository, repository_id=TWIN, instance_uid=InstanceUID("q"))  # the storage namespace stays


async def found_twin(env: Env, repository: Repository) -> None:
    """A second repository on the storage namespace of the first."""
    await initialisation.init_repository(env, _twin(repository))


@cache  # one function for each flow, so that two calls of it are equal
def in_twin(flow: Flow) -> Flow:
    """The flow, in the second repository."""

    @wraps(flow)
    async def twin(env: Env, repository: Repository, *args: Hashable) -> object:
        return await flow(env, _twin(repository), *args)

    return twin

"""The flows of lakeFS as they ask for it on the wire: a log of a running lakeFS is held against them.

lakeproof follows LOG --from examples/lakefs_today/wire.py --flows lakefs/delete-delete-create \
    --name r=repository-r --parallel

`lakefs_today` has what lakeFS' packages ``graveler`` and ``ref`` mean. A creation asks for more than that:
the handler of the API reads the entry once before, and commit and branch are written only if they are absent.
"""

from contextlib import suppress

from lakefs_today import repositories as upstream
from lakeproof import Call, Scenario
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.repositories.errors import NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.impl.repositories.records import default_branch, initial_commit, new_repository, write_entry_if
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.invariants import repositories
from lakeproof.model.records import Repository


async def create_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """``(*Controller).CreateRepository``, without its looks at the object store. 5 effects.

    Raises:
        NotUnique: the repository is there, or was created meanwhile.
        RepositoryDeleting.
    """
    if await _there(env, repository_id):
        raise NotUnique(repository_id)
    with suppress(RepositoryNotFound):
        await upstream.get_repository(env, repository_id)
    repository = new_repository(env, repository_id, await env.clock.now())
    commit, branch = initial_commit(repository), default_branch(env, repository)
    partition = uid_partition(repository)
    await env.store.try_set_if(partition, keys.commit_key(commit.commit_id), encode(commit), None)
    await env.store.set_if(partition, keys.branch_key(branch.branch_id), encode(branch), None)
    try:
        await write_entry_if(env, repository, None)
    except kv.PredicateFailed:
        raise NotUnique(repository_id) from None
    return repository


async def _there(env: Env, repository_id: RepositoryID) -> bool:
    """The handler takes every error for: it is not there."""
    try:
        await upstream.get_repository(env, repository_id)
    except (RepositoryNotFound, RepositoryDeleting):
        return False
    return True


CREATE, DELETE = Call(create_repository, "r"), Call(upstream.delete_repository, "r")

SCENARIOS = [
    Scenario(
        name="lakefs/delete-delete-create",
        setup=[CREATE],
        clients=[[DELETE], [DELETE], [CREATE]],
        invariants=[repositories.delete_spares_successor, repositories.active_is_complete],
        expect={"delete-spares-successor": "violated"},
        source="lakeFS, pkg/api/controller.go, pkg/graveler",
    )
]

"""The flows of lakeFS as they ask for it on the wire: a log of a running lakeFS is held against them.

lakeproof follows LOG --from examples/lakefs_today/wire.py --flows lakefs/delete-delete-create \
    --name r=repository-r --parallel

`lakefs_today` has what lakeFS' packages ``graveler`` and ``ref`` do. For a creation, the handler of the API reads the
entry once more, before.
"""

from contextlib import suppress

from lakefs_today import repositories as upstream
from lakeproof import Call, Scenario
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.errors import NotUnique, RepositoryDeleting, RepositoryNotFound
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.invariants import repositories
from lakeproof.model.records import Repository


async def create_repository(env: Env, repository_id: RepositoryID) -> Repository:
    """``(*Controller).CreateRepository``, without its looks at the object store. 5 effects.

    Raises:
        NotUnique: the repository is there, or was created meanwhile.
        RepositoryDeleting.
    """
    with suppress(RepositoryNotFound, RepositoryDeleting):  # the handler takes every error for: it is not there
        await upstream.get_repository(env, repository_id)
        raise NotUnique(repository_id)
    return await upstream.create_repository(env, repository_id)


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

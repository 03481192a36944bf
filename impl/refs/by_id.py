"""The repository entry first: "each data access essentially implies fetch of the repository entry".

The flows of branches, tags, commits and entries take the record of the entry. Where a repository may be deleted
under them, `by_id` makes the flow that reads the entry itself. Source: graveler-on-kv.md, "Repository".
"""

from functools import wraps

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.repositories.entities import GetRepository
from lakeproof.model.identifiers import RepositoryID


def by_id(get_repository: GetRepository, flow: Flow) -> Flow:
    """The flow with a repository id in place of a record; one effect more. Raises what ``get_repository`` raises."""

    @wraps(flow)
    async def fetching(env: Env, repository_id: RepositoryID, *args: object, **options: object) -> object:
        return await flow(env, await get_repository(env, repository_id), *args, **options)

    return fetching

"""The repository entry first: "each data access essentially implies fetch of the repository entry".

The flows of branches, tags, commits and entries take the record of the entry. Where a repository may be deleted
under them, `by_id` makes the flow that reads the entry itself. Source: graveler-on-kv.md, "Repository".
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

from lakeproof.impl.effects import Env
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like


def by_id(get_repository: Callable[..., Coroutine[Any, Any, Repository]], flow: Flow) -> Flow:  # type: ignore[explicit-any]
    """The flow with a repository id in place of a record; one effect more. Raises what ``get_repository`` raises."""

    @wraps(flow)
    async def fetching(env: Env, repository_id: RepositoryID, *args: object, **options: object) -> object:
        return await flow(env, await get_repository(env, repository_id), *args, **options)

    return fetching

"""What users do who give their refs a new life: dump them, delete the repository, and restore them into a bare one.

The new repository has the storage namespace of the old one: its commits name the objects that were uploaded in the old
one. Nothing else of the old one is used again. Source: graveler-on-kv.md, "Dump/Restore Refs";
repository-operations-error-handling.md, "CreateBareRepository": "meant to be used alongside `RestoreRefs`".
"""

from collections.abc import Callable, Coroutine

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.refs.dump import dump_refs, restore_refs
from lakeproof.model.identifiers import RepositoryID

Revive = Callable[[Env, RepositoryID], Coroutine[object, object, None]]


def reviving(flows: RepositoryFlows) -> Revive:
    """The operation over a variant's flows."""

    async def revive_repository(env: Env, repository_id: RepositoryID) -> None:
        """Dump, delete, create bare, restore. Raises what these raise; what is done by then is done."""
        dump = await dump_refs(env, await flows.get_repository(env, repository_id))
        await flows.delete_repository(env, repository_id)
        # The record of the new repository decides where the dump is looked for: it has the old namespace.
        await restore_refs(env, await flows.create_bare_repository(env, repository_id), dump)

    return revive_repository

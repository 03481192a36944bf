"""What jobs that delete objects must ask, where repositories are deleted, created anew and restored under them.

An id keeps its storage namespace: objects of a dead instance and those of the next one lie side by side, and what the
next one was restored from is data of the dead one. A job decides by the records of its instance, which the cleaner
deletes. So a job asks before each delete whether its instance lives. If it does, it lived during all of its looks:
what was listed is none of the next instance's, no record was missing, and a dump of it holds nothing that is garbage
here. That it may die between the question and the delete does no harm: garbage of an instance stays garbage.

A bare repository is restored when it has its default branch, which a restore writes last. Before that its commits and
branches may be on their way, and what no listing shows may be all of its data.
"""

import attrs

from lakeproof.impl.effects import Env, ObjectEffects
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import BranchNotFound, GravelerError
from lakeproof.impl.repositories.errors import RepositoryNotFound
from lakeproof.impl.repositories.hardened import get_repository
from lakeproof.model import objects
from lakeproof.model.records import Repository


class RepositoryGone(GravelerError):
    """The repository was deleted while a job was under way. Indefinite: what the job had deleted was garbage."""

    definite = False


class NotRestored(GravelerError):
    """The repository is bare and has no default branch: its refs may be on their way. Nothing was deleted."""


@attrs.frozen(kw_only=True)
class _AskingFirst(ObjectEffects):
    """An object store where each delete is preceded by the question. 1 effect more for each."""

    env: Env
    repository: Repository

    async def perform(self, op: objects.Op) -> object:
        if isinstance(op, objects.DeleteObject):
            # Before each delete, not once: a run may take long, and the repository may go at any time.
            await check_alive(self.env, self.repository)
        return await self.env.objects.perform(op)


async def check_alive(env: Env, repository: Repository) -> None:
    """1 effect. Raises RepositoryGone: the id is free, or another instance's."""
    try:
        found = await get_repository(env, repository.repository_id)
    except RepositoryNotFound:
        raise RepositoryGone(repository.repository_id) from None
    # The id may belong to another instance, with the same namespace.
    if found.instance_uid != repository.instance_uid:
        raise RepositoryGone(repository.repository_id)


def asking_first(env: Env, repository: Repository) -> Env:
    """The environment for a job of this instance."""
    return attrs.evolve(env, objects=_AskingFirst(env=env, repository=repository))


async def check_restored(env: Env, repository: Repository) -> None:
    """1 effect for a bare repository, none for another. Raises NotRestored."""
    if repository.bare:  # another one has its refs from its creation on
        try:
            await get_branch(env, repository, repository.default_branch_id)
        except BranchNotFound:
            raise NotRestored(repository.repository_id) from None

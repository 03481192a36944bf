"""All flows of the world, as a value: with a repository's record as their first argument, or with its id."""

from functools import wraps

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, WorldFlows
from lakeproof.impl.graveler import resets
from lakeproof.impl.hard_delete import online
from lakeproof.impl.refs import dump
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened
from lakeproof.impl.retention import pins
from lakeproof.impl.world import history, jobs, objects
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository

FLOWS = WorldFlows(
    upload_object=online.upload_object,
    copy_object=objects.copy_object,
    move_object=objects.move_object,
    delete_object=online.delete_object,
    restore_object=objects.restore_object,
    read_object=objects.read_object,
    commit=history.commit,
    merge=history.merge,
    revert=history.revert,
    reset_branch=resets.reset_branch,
    reset_entry=resets.reset_entry,
    reset_prefix=resets.reset_prefix,
    create_branch=history.create_branch,
    update_branch=history.update_branch,
    delete_branch=online.delete_branch,
    create_tag=pins.create_tag,
    dump_refs=dump.dump_refs,
    restore_refs=jobs.restore_refs,
    reap=jobs.reap,
    collect=jobs.collect,
    mark=jobs.mark,
    sweep=jobs.sweep,
)
"""In a repository that is not deleted: its record is fetched once."""


def fetching(flows: WorldFlows) -> WorldFlows:
    """The same where the repository may be deleted: each flow fetches the record by its id, as its first effect. Given
    a record, it takes that for the one that was fetched: a job that began long ago."""
    found: dict[str, Flow] = attrs.asdict(flows, recurse=False)
    return WorldFlows(**{name: _fetching(flow) for name, flow in found.items()})


def _fetching(flow: Flow) -> Flow:
    fetches = by_id(hardened.get_repository, flow)

    @wraps(flow)
    async def starting(env: Env, where: Repository | RepositoryID, *args: object, **options: object) -> object:
        return await (flow if isinstance(where, Repository) else fetches)(env, where, *args, **options)

    return starting

"""Objects, where both uncommitted and committed ones are deleted: `online`, with copies that retention cannot take."""

from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import online
from lakeproof.impl.refs.commits import committed_entry
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.refs.resolution import Ref
from lakeproof.impl.retention import pins
from lakeproof.impl.world.reading import COMPOSED, Reading
from lakeproof.model.catalog import ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Repository

LOOKS: Final = 2
"""How often a reader looks its entry up."""


async def read_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> bytes:
    """As `catalog.read_object`, with a second look: "a second look repairs every design"."""
    return await catalog.read_object(env, repository, branch_id, path, looks=LOOKS)


def _online(reading: Reading) -> online.Reading:
    return online.Reading(copies=reading.copies)


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = COMPOSED
) -> ObjectEntry:
    """As `online.copy_object`, with a second object for a committed one, too."""
    how = _online(reading)
    return await online.copy_object(env, repository, branch_id, path, source_branch_id, source_path, reading=how)


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = COMPOSED
) -> ObjectEntry:
    """As `online.move_object`, with a second object for a committed one, too."""
    return await online.move_object(env, repository, branch_id, source_path, path, reading=_online(reading))


async def restore_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source: Ref
) -> ObjectEntry:
    """As `pins.restore_object`; what it replaces is settled for online hard delete.

    Raises:
        RefNotFound, CommitExpired, PathNotFound, BranchNotFound; WriteNotSettled (indefinite).
    """

    async def work(commit_id: CommitID) -> ObjectEntry:
        found = await committed_entry(env, repository, commit_id, path)
        if found is None:
            raise PathNotFound(path)
        entry = decode_object_entry(found.data)
        # Through `online`, so that an entry that is replaced under the open token is settled.
        await online.stage_known(env, repository, branch_id, catalog.change(path, entry))
        return entry

    return await pins.using(env, repository, source, work)

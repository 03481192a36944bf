"""The staging area of proposal 1: a listing of the object store, and what can be read through it.

Source: hard-delete-uncommitted-data.md, "1. Write staged data directly to object store on a defined path".
"""

from functools import partial
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from lakeproof.impl.catalog.objects import change, read_found
from lakeproof.impl.committed import read_entries
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Tokens, stable
from lakeproof.impl.refs.commits import committed_entry, get_commit
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.staging import tombstone
from lakeproof.model import objects
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

DELETED: Final = b"\0deleted\n"
"""The content of a tombstone. A listing shows ETags only: an upload of just this looks like a deletion."""
DELETED_ETAG: Final = objects.etag(DELETED)


def staged_address(branch_id: BranchID, token: StagingToken, path: bytes = b"") -> str:
    """Where a path is staged under a token, or what all such addresses begin with; relative. What is no plain text is
    percent-encoded."""
    # Without a path this ends in a slash, so that t1 is no prefix of t10.
    return f"{DATA_PREFIX}{branch_id}/{token}/{quote_from_bytes(path)}"


def staged_at(repository: Repository, branch_id: BranchID, token: StagingToken, path: bytes = b"") -> str:
    """The same as a physical address."""
    return f"{repository.storage_namespace}/{staged_address(branch_id, token, path)}"


def staged_change(branch_id: BranchID, token: StagingToken, path: bytes, head: objects.Head) -> StagedEntry:
    """What an object in the staging area says of its path."""
    # A listing shows no content, so the ETag has to say it.
    if head.etag == DELETED_ETAG:
        return tombstone(path)
    address = staged_address(branch_id, token, path)
    entry = ObjectEntry(address=address, e_tag=head.etag, size_bytes=head.size_bytes, last_modified=head.last_modified)
    return change(path, entry)


async def staged_changes(
    env: Env, repository: Repository, branch_id: BranchID, newest_first: Tokens, batch_size: int
) -> dict[bytes, StagedEntry]:
    """The newest change of each path under these tokens, by path. A listing per token, oldest first."""
    found: dict[bytes, StagedEntry] = {}
    for token in reversed(newest_first):  # so that a newer token overwrites an older one
        prefix = staged_at(repository, branch_id, token)
        async for head in env.objects.list(prefix, batch_size):
            path = unquote_to_bytes(head.address.removeprefix(prefix))
            # Only what a listing shows: the ETag that is committed is the one that was seen.
            found[path] = staged_change(branch_id, token, path, head)
    return {path: found[path] for path in sorted(found)}


async def find_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> ObjectEntry:
    """The entry of a branch at a path: 1 effect per token until one has it, then those of the committed one; 2 for the
    branch. Raises PathNotFound, BranchNotFound; BranchBusy: the branch changed three times."""

    async def look(branch: Branch) -> ObjectEntry | None:
        for token in branch.tokens:
            try:
                head = await env.objects.head(staged_at(repository, branch_id, token, path))
            except objects.ObjectNotFound:
                continue
            data = staged_change(branch_id, token, path, head).data
            return None if data is None else decode_object_entry(data)  # a tombstone hides what is below
        found = await committed_entry(env, repository, branch.commit_id, path)
        return None if found is None else decode_object_entry(found.data)

    if (found := await stable(env, repository, branch_id, look)) is None:
        raise PathNotFound(path)
    return found


async def read_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, looks: int = 1) -> bytes:
    """The content of a branch at a path; see `objects.read_object`. Raises as `find_object`; DataGone."""
    return await read_found(env, repository, partial(find_object, env, repository, branch_id, path), looks)


async def list_objects(
    env: Env, repository: Repository, branch_id: BranchID, *, batch_size: int = 0
) -> tuple[tuple[bytes, ObjectEntry], ...]:
    """The entries of a branch by path. Raises BranchNotFound; BranchBusy: the branch changed three times."""

    async def look(branch: Branch) -> dict[bytes, bytes | None]:
        changes = await staged_changes(env, repository, branch_id, branch.tokens, batch_size)
        head = await get_commit(env, repository, branch.commit_id)
        committed = read_entries(env, repository.storage_namespace, head.meta_range_id)
        shown = {entry.path: entry.data async for entry in committed}
        # The changes come last, and hide the committed entries.
        return {**shown, **{path: each.data for path, each in changes.items()}}

    found = await stable(env, repository, branch_id, look)
    return tuple((path, decode_object_entry(data)) for path, data in sorted(found.items()) if data is not None)

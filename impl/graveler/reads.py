"""Readers and listers: the staging token, the sealed tokens newest first, and the committed metarange under them.

"read the tokens, read through, read the branch again, retry if it changed": while a client reads through them, tokens
may be committed and dropped. Source: graveler-on-kv.md, "Update Commits, staging and lock-free"; lakeFS
metadata_kv/index.md, "Reading".
"""

from functools import partial

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.layers import changes, committed_source, merge_layers
from lakeproof.impl.graveler.tokens import TRIES, stable
from lakeproof.impl.refs.commits import committed_entry
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.staging import get_staged, scan_staged
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry


def tokens(branch: Branch) -> tuple[StagingToken, ...]:
    """Where readers and resetters look for changes, newest first."""
    return branch.tokens


async def find_entry(env: Env, repository: Repository, branch: Branch, path: bytes) -> StagedEntry | None:
    """The entry at a path, as far as this branch record leads to it; None if there is none.

    1 effect per token until a change is found; then 1 for the commit and 2 for its metarange and range.
    """
    found, _ = await look_through(env, repository, branch, tokens(branch), path)
    return found


async def find_sealed(env: Env, repository: Repository, branch: Branch, path: bytes) -> StagedEntry | None:
    """As `find_entry`, but without what is staged under the open token."""
    found, _ = await look_through(env, repository, branch, branch.sealed_tokens, path)
    return found


async def look_through(
    env: Env, repository: Repository, branch: Branch, newest_first: tuple[StagingToken, ...], path: bytes
) -> tuple[StagedEntry | None, bool]:
    """The entry at a path, under these tokens or in the branch's head; and whether the head was read."""
    # From the newest token down, and the head last: a commit moves entries that way. What was moved meanwhile shows as
    # a changed branch.
    for token in newest_first:
        staged = await get_staged(env, token, path)
        if staged is not None:
            return (None if staged[0].data is None else staged[0]), False  # a tombstone hides what lies below
    found = await committed_entry(env, repository, branch.commit_id, path)
    return (None if found is None else StagedEntry(key=path, identity=found.identity, data=found.data)), True


async def get_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    rereads: bool = True,
    tries: int = TRIES,
) -> Entry:
    """The entry of a branch at a path.

    rereads: whether to read the branch again afterwards, and to start over if it has changed.

    Raises:
        PathNotFound, BranchNotFound; BranchBusy: the branch changed ``tries`` times.
    """
    look = partial(find_entry, env, repository, path=path)
    found = await stable(env, repository, branch_id, look, rereads=rereads, tries=tries)
    if found is None:
        raise PathNotFound(path)
    return Entry(path=path, identity=found.identity, data=found.data or b"")


async def list_entries(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes = b"",
    *,
    rereads: bool = True,
    tries: int = TRIES,
    batch_size: int = 0,
) -> tuple[Entry, ...]:
    """The entries of a branch by path, those that begin with ``prefix``: all staged changes over the committed ones.

    Memory: the whole answer. Raises BranchNotFound; BranchBusy: the branch changed ``tries`` times.
    """
    look = partial(combine_branch, env, repository, prefix=prefix, batch_size=batch_size)
    return await stable(env, repository, branch_id, look, rereads=rereads, tries=tries)


async def combine_branch(
    env: Env, repository: Repository, branch: Branch, prefix: bytes = b"", batch_size: int = 0
) -> tuple[Entry, ...]:
    """What a branch record leads to: its changes over the entries of its head."""
    # Two layers: the changes of all tokens over the head.
    layers = [changes(env, tokens(branch), prefix, batch_size), committed_source(env, repository, branch, prefix)]
    shown = merge_layers(layers)
    return tuple(
        [Entry(path=each.key, identity=each.identity, data=each.data) async for each in shown if each.data is not None]
    )


async def changes_of(env: Env, newest_first: tuple[StagingToken, ...], batch_size: int = 0) -> dict[bytes, StagedEntry]:
    """`changes`, gathered before a flow goes on. One scan per token, from its beginning to its end, oldest first."""
    found: dict[bytes, StagedEntry] = {}
    for token in reversed(newest_first):  # so that a newer change replaces an older one
        async for entry in scan_staged(env, token, batch_size):
            found[entry.key] = entry
    return {path: found[path] for path in sorted(found)}

"""What all variants of commit share: sealed changes over the head become a metarange, and that a commit record.

Source: graveler-on-kv.md, "Update Commits, staging and lock-free".
"""

from typing import Final

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.layers import changes, start_source
from lakeproof.impl.graveler.restorations import restored_paths
from lakeproof.impl.graveler.tokens import swap
from lakeproof.impl.refs.branches import next_token
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.staging import drop
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository

TRIES: Final = 10
COMMITTER: Final = "lakeproof"


async def write_commit(
    env: Env,
    repository: Repository,
    head_id: CommitID,
    sealed: tuple[StagingToken, ...],
    message: str,
    restorations: tuple[StagingToken, ...] = (),
    *,
    batch_size: int = 0,
) -> Commit:
    """Combine the changes under these tokens (newest first) over a head; write the metarange and the commit record.

    restorations: tokens that resets have put over these; the paths under them are left as they are in the head.

    A scan per token, 1 effect for the head, those of `apply_changes`, and 1 for the record. Nothing of it can be
    reached until a branch names the commit. Raises CommitNotFound.
    """
    found = await start_source(changes(env, sealed, batch_size=batch_size))
    # What a restoration covers was reset before this commit takes effect, and must not come back with it.
    restored = await restored_paths(env, restorations, batch_size)
    head = await get_commit(env, repository, head_id)
    namespace = repository.storage_namespace
    taken = (change async for change in found if change.key not in restored)
    meta_range_id = await apply_changes(env, namespace, head.meta_range_id, taken)
    now = await env.clock.now()
    commit = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
    await add_commit(env, repository, commit)
    return commit


async def seal(
    env: Env, repository: Repository, branch_id: BranchID, tries: int | None = TRIES
) -> tuple[Branch, bytes]:
    """Push the staging token to the front of the sealed ones, and open a new one: 2 effects, and 2 for each time that
    another client came first. Returns the branch and the predicate that replaces just this value.

    Raises:
        BranchNotFound; BranchBusy: others came first ``tries`` times.
    """

    async def change(branch: Branch) -> Branch:
        return attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=branch.tokens)

    swapped = await swap(env, repository, branch_id, change, tries=tries)
    assert swapped is not None  # `change` never answers None
    # A predicate compares values, so it need not be read again.
    return swapped.now, encode(swapped.now)


async def drop_all(env: Env, tokens: tuple[StagingToken, ...], batch_size: int = 0) -> None:
    """Delete what is staged under tokens that no branch names any more."""
    # In no order, and a crash may leave some: nothing reads these tokens again.
    for token in tokens:
        await drop(env, token, batch_size)

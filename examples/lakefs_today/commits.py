"""Commit as the code has it: ``pkg/graveler.(*Graveler).Commit``.

It seals the open token in one try, then commits all that is sealed in up to ten: a token that another commit has
sealed, or has left behind, is taken with the rest. A call that is beaten finds nothing sealed: it answers "no changes".
"""

import attrs

from lakefs_today.branches import retry_update, sealed, update_once
from lakefs_today.errors import NoChanges
from lakefs_today.staging import changes_under, drop_async
from lakeproof.impl.codec import encode
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import COMMITTER
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.commits import get_commit, new_commit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository


async def add_commit(env: Env, repository: Repository, commit: Commit) -> None:
    """``ref.(*Manager).addCommit``: by `SetIf`; a record that is there is the same. 1 effect."""
    key = keys.commit_key(commit.commit_id)
    await env.store.try_set_if(uid_partition(repository), key, encode(commit), None)


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    allow_empty: bool = False,
    knows_its_own: bool = False,
    looks_again: bool = False,
) -> Commit:
    """Commit what is staged on a branch. 5 effects, those of `apply_changes`, 1 scan for each sealed token and 1 effect
    to note it; all but 2 of it again for each time it was beaten.

    allow_empty: ``CommitParams.AllowEmpty``. knows_its_own: the repair: where the branch names the commit that this
        call has just made, the `SetIf` that was reported as failed was applied. looks_again: a repair for the
        collector: once the record is written, read the tokens anew, and start over if anything has changed.

    Raises:
        BranchNotFound; RefChanged: the branch changed before it was sealed; NoChanges; BranchBusy. What was sealed
        stays sealed.
    """
    await update_once(env, repository, branch_id, lambda branch: sealed(env, branch))
    made: Commit | None = None
    taken: Tokens = ()

    async def change(branch: Branch) -> Branch | None:
        nonlocal made, taken
        if knows_its_own and made is not None and branch.commit_id == made.commit_id:
            return None
        head = await get_commit(env, repository, branch.commit_id)
        if not branch.sealed_tokens and not allow_empty:
            raise NoChanges(branch_id)
        changes = [each async for each in changes_under(env, branch.sealed_tokens)]
        namespace = repository.storage_namespace
        meta_range_id = await apply_changes(env, namespace, head.meta_range_id, changes)
        if meta_range_id == head.meta_range_id and not allow_empty:
            raise NoChanges(branch_id)
        now = await env.clock.now()
        made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
        await add_commit(env, repository, made)
        if looks_again and [each async for each in changes_under(env, branch.sealed_tokens)] != changes:
            return await change(branch)
        taken = branch.sealed_tokens
        return attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=())

    await retry_update(env, repository, branch_id, change)
    assert made is not None
    await drop_async(env, taken)
    return made

"""Commits that leave the staged entries they took to a background job: lakeFS drops committed tokens asynchronously.

A commit notes each token that it takes before the branch changes, for afterwards nothing names it any more; the job
drops what is noted and not named by its branch. The text of graveler-on-kv.md does not say who drops staged entries;
hard-delete-uncommitted-data.md speaks of the "KV drop async functionality".
"""

from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import flows, lock_free
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import BranchNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import drop
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository

NOTES: Final = b"committed-tokens/"
"""Of the keys, in a repository's partition, that name a token; their value names its branch. Not lakeFS'."""


@attrs.frozen(kw_only=True)
class Reading:
    """How the job decides that a token may be dropped."""

    looks: bool = True
    """Only if the branch does not name it. A committer that has noted its tokens may be beaten, and never finish."""


AS_WRITTEN: Final = Reading()
BLIND: Final = Reading(looks=False)
"""A negative control: what is noted is dropped."""


async def commit(env: Env, repository: Repository, branch_id: BranchID, message: str, *, batch_size: int = 0) -> Commit:
    """`lock_free.commit`, and 1 effect more for each token, before the branch changes. Raises as that."""
    partition = uid_partition(repository)

    async def note(env: Env, repository: Repository, branch: Branch, made: Commit, kept: Tokens) -> None:
        # Before the branch changes: after it no record names the token, and a crash would leave its entries for good.
        for token in kept:
            await env.store.set(partition, NOTES + token.encode(), branch_id.encode())

    reading = lock_free.Reading(drops=False)
    return await lock_free.commit(
        env, repository, branch_id, message, reading=reading, prepare=note, batch_size=batch_size
    )


async def drop_committed(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> int:
    """The background job: drop what is noted; how many tokens. A scan; for each note 1 effect to read its branch, a
    scan of the token and 1 effect for each entry, and 1 for the note. A token that is still named keeps its note."""
    partition, dropped = uid_partition(repository), 0
    async for noted in env.store.scan(partition, batch_size=batch_size, prefix=NOTES):
        token = StagingToken(noted.key.removeprefix(NOTES).decode())
        # A token that has left the branch never comes back, so the answer cannot be out of date when the entries are
        # dropped.
        if reading.looks and token in await _tokens_named(env, repository, BranchID(noted.value.decode())):
            continue
        await drop(env, token, batch_size)
        await env.store.delete(partition, noted.key)  # last: a crash before it only repeats the drop
        dropped += 1
    return dropped


async def _tokens_named(env: Env, repository: Repository, branch_id: BranchID) -> Tokens:
    try:
        return (await get_branch(env, repository, branch_id)).tokens
    except BranchNotFound:
        return ()  # its tokens left with the record


FLOWS = attrs.evolve(flows.FLOWS, commit=commit)

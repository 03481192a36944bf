"""Records of the heads that branches have left, ours: what was "the head at that time" of a branch that was moved.

    key = retention/left/<branch>/<unique>    value = <commit> <when, microseconds since 1970>, or <commit> alone

Who moves a branch otherwise than by a commit on top of its head, or deletes it, writes the record before, without a
time. The first run that finds another head there adds the time, by its own clock. So no head is left without a record,
wherever a client stops, and no clock counts but that of runs. (Commits are dated by the clocks of their clients.)
"""

from collections.abc import AsyncIterator
from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Branch, Repository
from lakeproof.model.retention import Left

LEFT: Final = b"retention/left/"


async def note_left(env: Env, repository: Repository, branch: Branch) -> None:
    """Write down that the head of a branch is to be left. 1 effect. Neither a branch's id nor what makes the key unique
    has a "/"."""
    key = LEFT + f"{branch.branch_id}/{env.ids.unique('left')}".encode()
    await env.store.set(uid_partition(repository), key, branch.commit_id.encode())


async def date_left(env: Env, repository: Repository, key: bytes, left: Left) -> None:
    """Add the time to a record: now. 2 effects."""
    value = f"{left.commit_id} {await env.clock.now()}"
    # Two runs may write one record. Each time is after the head was left, so either keeps it long enough.
    await env.store.set(uid_partition(repository), key, value.encode())


async def scan_left(env: Env, repository: Repository, batch_size: int) -> AsyncIterator[tuple[bytes, Left]]:
    """The records with their keys. One effect per batch."""
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=LEFT):
        branch_id = entry.key.removeprefix(LEFT).decode().rpartition("/")[0]  # the branch ends at the last slash
        commit_id, _, when = entry.value.decode().partition(" ")
        yield entry.key, Left(BranchID(branch_id), CommitID(commit_id), int(when) if when else None)


async def left_heads(env: Env, repository: Repository, batch_size: int) -> tuple[Left, ...]:
    """The heads that branches have left. One effect per batch."""
    return tuple([left async for _, left in scan_left(env, repository, batch_size)])

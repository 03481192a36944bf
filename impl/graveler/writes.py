"""Writers: stage a change under the branch's token, and look whether the token still was the branch's afterwards.

"read the token, write, read the branch again, retry if the token changed". A token that has changed may have been
sealed, read and committed before the write came, and then it is never read again.
Source: graveler-on-kv.md, "Update Commits, staging and lock-free"; lakeFS metadata_kv/index.md, "Branches and staged
writes".
"""

from collections.abc import Sequence
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.reads import find_sealed
from lakeproof.impl.graveler.tokens import TRIES, Missed, same_token, settle
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import EntryChanged, PathExists, WriteNotSettled
from lakeproof.impl.staging import get_staged, stage, stage_if, tombstone
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository, StagedEntry


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open of a write, and how it is read."""

    rereads: bool = True
    """Read the branch again. Without it the write may be lost: a negative control."""
    knows_its_own: bool = True
    """A conditional write takes an entry with its own identity, found after a first try, for the one that it has staged
    under an earlier token, and stages it once more: that token may have been read already by who commits it. And it
    answers `WriteNotSettled` where it is refused after a first try. Without it such a call is refused, although what it
    has written may be committed."""
    tries: int | None = TRIES
    """How many changes of the token to meet. The text sets no bound."""


AS_WRITTEN: Final = Reading()
SINGLE_READ: Final = Reading(rereads=False)
FORGETFUL: Final = Reading(knows_its_own=False)
"""Create only if absent, as written."""


async def set_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    data: bytes = b"",
    *,
    reading: Reading = AS_WRITTEN,
) -> None:
    """Write an entry of a branch. 3 effects, and 2 more for each change of the token that it meets.

    Raises:
        BranchNotFound; WriteNotSettled after ``tries`` changes of the token (indefinite).
    """
    change = StagedEntry(key=path, identity=identity, data=data)
    await _stage(env, repository, branch_id, change, reading)


async def delete_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Delete an entry of a branch by a tombstone; an absent one is no error. Effects and errors as `set_entry`."""
    await _stage(env, repository, branch_id, tombstone(path), reading)


async def set_entries(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    entries: Sequence[tuple[bytes, bytes]],
    *,
    reading: Reading = AS_WRITTEN,
) -> None:
    """Write several (path, identity), each under the token that the one before it ended with: a short-lived cache.

    What the cache saves is the first read of each write. The second one must not come from it. Raises as `set_entry`.
    """
    branch = await get_branch(env, repository, branch_id)
    # The branch that the second read has returned serves as the first read of the next write.
    for path, identity in entries:
        change = StagedEntry(key=path, identity=identity, data=b"")
        branch = await _stage_from(env, repository, branch, change, reading)


async def _stage(env: Env, repository: Repository, branch_id: BranchID, change: StagedEntry, reading: Reading) -> None:
    branch = await get_branch(env, repository, branch_id)
    await _stage_from(env, repository, branch, change, reading)


async def _stage_from(
    env: Env, repository: Repository, branch: Branch, change: StagedEntry, reading: Reading
) -> Branch:
    """Stage under the token of the branch as it was read; returns it as it was read last."""

    async def write(branch: Branch) -> None:
        await stage(env, branch.staging_token, change)

    settled = same_token if reading.rereads else None
    _, last = await settle(env, repository, branch, write, change.key, settled=settled, tries=reading.tries)
    return last


async def create_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    *,
    reading: Reading = AS_WRITTEN,
) -> None:
    """Write an entry if there is none at the path. 5 effects or more: it reads first.

    Raises:
        PathExists, BranchNotFound; WriteNotSettled (indefinite).
    """
    await _exchange(env, repository, branch_id, path, identity, None, reading)


async def replace_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    expected: bytes,
    *,
    reading: Reading = AS_WRITTEN,
) -> None:
    """Write an entry if the one at the path has the identity ``expected``. 5 effects or more.

    Raises:
        EntryChanged: there is another one, or none. BranchNotFound; WriteNotSettled (indefinite).
    """
    await _exchange(env, repository, branch_id, path, identity, expected, reading)


async def _exchange(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    expected: bytes | None,
    reading: Reading,
) -> None:
    """Write an entry where the identity is ``expected`` (None: where there is none)."""
    refusal = PathExists(path) if expected is None else EntryChanged(path)
    change = StagedEntry(key=path, identity=identity, data=b"")
    tried = staged = False

    async def write(branch: Branch) -> Missed | None:
        nonlocal tried, staged
        found, predicate = await _find(env, repository, branch, path)
        # A staged entry hides all below it, and `SetIf` compares it. Where the open token has none, the answer came
        # from layers that a commit may have moved.
        now = branch if predicate is not None else await get_branch(env, repository, branch_id)
        if now != branch:
            return Missed(now)  # what was read through may have been committed and dropped meanwhile
        if found != expected and not (tried and reading.knows_its_own and found == identity):
            # What an earlier try has staged may be committed yet.
            raise WriteNotSettled(branch_id, path) if staged and reading.knows_its_own else refusal
        tried = True  # before the attempt: one that is reported as failed may have been applied
        if not await stage_if(env, branch.staging_token, change, predicate):
            return Missed(branch)  # the same branch: look again at what was staged there
        staged = True
        return None

    branch = await get_branch(env, repository, branch_id)
    await settle(env, repository, branch, write, path, tries=None if reading.tries is None else reading.tries + 2)


async def _find(env: Env, repository: Repository, branch: Branch, path: bytes) -> tuple[bytes | None, kv.Predicate]:
    """The identity at a path, and the predicate that excludes other writes under the open token."""
    staged = await get_staged(env, branch.staging_token, path)
    if staged is not None:
        change, predicate = staged
        return None if change.data is None else change.identity, predicate
    below = await find_sealed(env, repository, branch, path)
    # None as a predicate: nothing is staged under the open token.
    return None if below is None else below.identity, None

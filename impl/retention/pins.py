"""Retention that users and runs agree on, ours: five KV operations, no clock that anybody must trust.

Who brings the entries of a commit to where they were not (a new branch, a moved one, a merge, a revert, a copy from a
ref) *pins* the commit first, then looks whether a run has *condemned* it, and takes the pin back at his end. A run
condemns what it takes to be expired, and only then looks at the pins, and once more at what is staged, at the branches
and at the commits; what turns out to be pinned or active is pardoned. So either the user sees the sentence, or the run
sees the pin or what came of it. The sentence of a swept commit stays: it cannot be used any more.

    key = retention/pins/<commit>/<unique>        value = when, microseconds since 1970
    key = retention/condemned/<commit>/<run>      value = the run

A pin whose owner crashed keeps its commit for good, unless pins have a ``lease``.
Source: docs/designs/retention.md.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import merges
from lakeproof.impl.graveler.lock_free import Prepare
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import GravelerError, NoParent
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention import runs
from lakeproof.impl.retention.runs import Look
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, CommitID, TagID
from lakeproof.model.records import Branch, Commit, Repository, Tag
from lakeproof.model.retention import Rules, active

PINS: Final = b"retention/pins/"
CONDEMNED: Final = b"retention/condemned/"

T = TypeVar("T")


class CommitExpired(GravelerError):
    """The commit is expired, or a run takes it to be for the moment: its objects may be gone."""


@attrs.frozen(kw_only=True)
class Reading(runs.Reading):
    """That of a run, and what can be left out, to show what it is for."""

    order: tuple[Look, ...] = runs.WITH_TAGS.order
    condemns_first: bool = True
    """Whether a run condemns before it looks at the pins; without it, a negative control."""
    looks: bool = True
    """Whether `create_branch` looks for a sentence; without it, a negative control."""
    lease: int = 0
    """Microseconds after which a pin does not count any more; 0: never. Its owner cannot know, for nothing makes his
    last write fail."""


AS_WRITTEN: Final = Reading()
"""As docs/designs/retention.md describes it: a run "condemns its suspects. Then it reads the pins"."""


async def mark(
    env: Env, repository: Repository, rules: Rules, run_id: str, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """As `runs.mark`, but of condemned commits only. Costs a look more, a scan of the pins, 1 effect for each
    expired commit with entries, and 1 for each that is pardoned.

    run_id: of this run alone. A run that uses the id of one that was swept pardons what is gone.

    Raises as `runs.mark`: then what it condemned stays so until another run with this id pardons it.
    """
    seen = await runs.look(env, repository, reading, batch_size)
    # A commit without a metarange holds no object, so condemning it would only cost effects.
    suspects = sorted(each for each in seen.expired(rules) if seen.commits[each].meta_range_id)
    pinned = set[CommitID]() if reading.condemns_first else await _pinned_commits(env, repository, reading, batch_size)
    # Under the id of the run: another run's sentence of the same commit must not be lifted by this one.
    for commit_id in suspects:
        await env.store.set(uid_partition(repository), _sentence(commit_id, run_id), run_id.encode())
    if reading.condemns_first:
        pinned = await _pinned_commits(env, repository, reading, batch_size)
        # By the earlier of the two times, which keeps more.
        now = seen.now
        seen = await runs.look(env, repository, reading, batch_size)
        seen.now = min(now, seen.now)
    # A pin keeps its commit as a tag does, and nothing behind it.
    kept = active(seen.commits, seen.heads, rules, seen.now, tagged=seen.tagged | pinned)
    for commit_id in suspects:
        if commit_id in kept:
            await env.store.delete(uid_partition(repository), _sentence(commit_id, run_id))
    # Only suspects: what expired between the two looks was never condemned, so users may have it without a sign.
    gone = await runs.only_in(env, repository, seen, set(suspects) - kept)
    await runs.write_mark(env, repository, run_id, gone)
    return gone


def _sentence(commit_id: CommitID, run_id: str) -> bytes:
    return CONDEMNED + f"{commit_id}/{run_id}".encode()


async def _pinned_commits(env: Env, repository: Repository, reading: Reading, batch_size: int) -> set[CommitID]:
    found: set[CommitID] = set()
    since = await env.clock.now() - reading.lease if reading.lease else 0
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=PINS):
        if int(entry.value) >= since:
            found.add(CommitID(entry.key.removeprefix(PINS).decode().partition("/")[0]))
    return found


async def using(
    env: Env, repository: Repository, ref: Ref, work: Callable[[CommitID], Awaitable[T]], reading: Reading = AS_WRITTEN
) -> T:
    """Do some work with a commit while it is pinned. 3 effects more. Raises as `holding`, and RefNotFound."""
    return await holding(env, repository, await resolve(env, repository, ref), work, reading)


async def holding(
    env: Env, repository: Repository, commit_id: CommitID, work: Callable[[CommitID], Awaitable[T]], reading: Reading
) -> T:
    """Do some work while a commit is pinned.

    Raises CommitExpired: nothing was done. After an indefinite error the pin stays, for the work may have been done.
    """
    pin = PINS + f"{commit_id}/{env.ids.unique('pin')}".encode()
    partition = uid_partition(repository)
    # Before the look. If the run condemns after the look, it reads the pins after that, and finds this one.
    await env.store.set(partition, pin, str(await env.clock.now()).encode())
    try:
        if reading.looks:
            # One is enough, whichever run has written it.
            async for _ in env.store.scan(partition, batch_size=1, prefix=CONDEMNED + f"{commit_id}/".encode()):
                raise CommitExpired(commit_id)
        done = await work(commit_id)
    # Definite: nothing was done, so nothing needs the pin. In doubt the work may be done, and a run may not know it
    # yet.
    except Exception as error:
        if getattr(error, "definite", False):
            await env.store.delete(partition, pin)
        raise
    await env.store.delete(partition, pin)
    return done


async def create_branch(
    env: Env, repository: Repository, branch_id: BranchID, source: Ref, *, reading: Reading = AS_WRITTEN
) -> Branch:
    """As `branches.create_branch`. Raises CommitExpired, too."""
    return await using(env, repository, source, partial(branches.create_branch, env, repository, branch_id), reading)


async def update_branch(env: Env, repository: Repository, branch_id: BranchID, target: Ref) -> Branch:
    """As `branches.update_branch`. Raises CommitExpired, too."""
    return await using(env, repository, target, partial(branches.update_branch, env, repository, branch_id))


async def create_tag(env: Env, repository: Repository, tag_id: TagID, source: Ref) -> Tag:
    """As `tags.create_tag`. Raises CommitExpired, too."""
    return await using(env, repository, source, partial(tags.create_tag, env, repository, tag_id))


async def merge(
    env: Env,
    repository: Repository,
    destination: BranchID,
    source: Ref,
    message: str,
    *,
    prepare: Prepare | None = None,
) -> Commit:
    """As `merges.merge`. Raises CommitExpired, too."""
    # By id: a branch may have moved since it was resolved, to a commit that is not pinned.
    work = partial(merges.merge, env, repository, destination, message=message, prepare=prepare)
    return await using(env, repository, source, work)


async def revert(
    env: Env, repository: Repository, branch_id: BranchID, ref: Ref, message: str, *, prepare: Prepare | None = None
) -> Commit:
    """As `merges.revert`: what comes back comes from the commit's first parent. Raises CommitExpired, too."""
    undone = await get_commit(env, repository, await resolve(env, repository, ref))
    if not undone.parents:
        raise NoParent(undone.commit_id)
    work = partial(merges.revert, env, repository, branch_id, undone.commit_id, message, prepare=prepare)
    # The parent is pinned, since it has what comes back. The commit that is undone is only compared.
    return await holding(env, repository, undone.parents[0], lambda _: work(), AS_WRITTEN)


async def restore_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source: Ref
) -> ObjectEntry:
    """As `runs.restore_object`. Raises CommitExpired, too."""
    return await using(env, repository, source, partial(runs.restore_object, env, repository, branch_id, path))


FLOWS = attrs.evolve(
    runs.FLOWS, mark=mark, create_branch=create_branch, update_branch=update_branch, create_tag=create_tag, merge=merge,
    revert=revert, restore_object=restore_object,
)

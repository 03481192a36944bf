"""Pull requests: ``pkg/graveler.(*Graveler)`` and ``pkg/graveler/ref.(*Manager)`` UpdatePullRequest, and the merge of
one in ``pkg/api.(*Controller)`` MergePullRequest.

A pull request is one record, replaced by `SetIf`. The code reads it twice: it changes what it has read first, under the
predicate of what it has read second, so that what came between the two is overwritten. And a merge looks at the status
only before it merges the branches.
"""

from collections.abc import Callable
from typing import Final

import attrs

from lakefs_today.branches import UPDATE_TRIES
from lakefs_today.errors import PullChanged, PullExists, PullNotFound, PullNotOpen
from lakefs_today.merging import merge
from lakefs_today.pull import CLOSED, MERGED, MERGING, OPEN, PULLS, Pull
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Commit, Repository

BY_BRANCHES: Final = b"pulls"
"""``PullsPartitionKey``: the last pull request of each source and destination."""

Change = Callable[[Pull], Pull]


async def create_pull(
    env: Env, repository: Repository, pull_id: str, source: BranchID, destination: BranchID, title: str
) -> None:
    """``ref.(*Manager).CreatePullRequest``: a blind note, then the record by `SetIf`. 2 effects. Raises PullExists."""
    partition = uid_partition(repository)
    await env.store.set(BY_BRANCHES, b"/".join((partition, source.encode(), destination.encode())), pull_id.encode())
    record = Pull(title, source, destination).encode()
    if not await env.store.try_set_if(partition, PULLS + pull_id.encode(), record, None):
        raise PullExists(pull_id)


async def _read(env: Env, repository: Repository, pull_id: str) -> tuple[Pull, bytes]:
    """``getPullWithPredicate``. 1 effect. Raises PullNotFound."""
    found = await env.store.find(uid_partition(repository), PULLS + pull_id.encode())
    if found is None:
        raise PullNotFound(pull_id)
    return Pull.decode(found.value), found.predicate


async def get_pull(env: Env, repository: Repository, pull_id: str) -> Pull:
    """``graveler.(*Graveler).GetPullRequest``. 1 effect. Raises PullNotFound."""
    return (await _read(env, repository, pull_id))[0]


async def edit_pull(env: Env, repository: Repository, pull_id: str, title: str, *, claims: bool = False) -> None:
    """``UpdatePullRequest`` with a title. claims: the repair, see `_update`. 3 effects.

    Raises PullNotFound, PullChanged.
    """
    await _update(env, repository, pull_id, lambda pull: attrs.evolve(pull, title=title), claims=claims)


async def close_pull(env: Env, repository: Repository, pull_id: str, *, claims: bool = False) -> None:
    """``UpdatePullRequest`` with the status "closed". 3 effects.

    claims: the repair, see `_update`; and what is not open is not closed.

    Raises:
        PullNotFound, PullChanged; PullNotOpen, with ``claims``.
    """

    def close(pull: Pull) -> Pull:
        if claims and pull.status != OPEN:
            raise PullNotOpen(pull_id)
        return attrs.evolve(pull, status=CLOSED)

    await _update(env, repository, pull_id, close, claims=claims)


async def merge_pull(env: Env, repository: Repository, pull_id: str, message: str, *, claims: bool = False) -> Commit:
    """``api.(*Controller).MergePullRequest``: look at the status, merge the branches, set the status. 4 effects, and
    those of `merge`.

    claims: the repair: set the status "merging" first, with a name for this merge, which keeps others out, and "open"
        again where the branches cannot be merged. A merge that ends in between leaves it there: whether the branch has
        its commit has to be looked up by hand.

    Raises:
        PullNotFound, PullNotOpen, PullChanged; and what `merge` raises.
    """
    mine = env.ids.unique("claim")

    def claim(pull: Pull) -> Pull:
        if pull.status != OPEN:
            raise PullNotOpen(pull_id)
        return attrs.evolve(pull, status=MERGING, commit=mine)

    if claims:
        pull = await _update(env, repository, pull_id, claim, claims=True)
    else:
        pull = await get_pull(env, repository, pull_id)
        claim(pull)
    try:
        made = await merge(env, repository, BranchID(pull.destination), pull.source, message, knows_its_own=claims)
    except GravelerError as error:
        if claims and error.definite:
            await _update(env, repository, pull_id, lambda now: attrs.evolve(now, status=OPEN, commit=""), claims=True)
        raise

    def end(now: Pull) -> Pull:
        return attrs.evolve(now, status=MERGED, commit=made.commit_id)

    await _update(env, repository, pull_id, end, claims=claims)
    return made


async def _update(env: Env, repository: Repository, pull_id: str, change: Change, *, claims: bool) -> Pull:
    """``graveler.(*Graveler).UpdatePullRequest``: the record that was written. 3 effects.

    claims: the repair: change what was read last, and start over where that has changed, but not where it is what this
        call was to write: that `SetIf` was applied and reported as failed. 2 effects a try.

    Raises:
        PullNotFound, and what ``change`` raises; PullChanged: another change came between.
    """
    after: Pull | None = None
    for _ in range(UPDATE_TRIES if claims else 1):
        pull, predicate = await _read(env, repository, pull_id)
        if pull == after:
            return pull
        if not claims:
            _, predicate = await _read(env, repository, pull_id)
        after = change(pull)
        if await env.store.try_set_if(uid_partition(repository), PULLS + pull_id.encode(), after.encode(), predicate):
            return after
    raise PullChanged(pull_id)

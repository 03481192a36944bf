"""Staged entries as the code has them: ``pkg/graveler/staging.(*Manager)``.

A token that leaves its branch is noted in a partition of its own; a loop in each server finds such notes and deletes
what is staged under the tokens. Any server may run it, at any time after the note. Where a scan breaks, the
loop takes that for its end, and so does who asks what differs from the head.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.layers import Source, merge_layers
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.iterators import staging_iterator
from lakeproof.impl.staging import drop, get_staged
from lakeproof.model import kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

CLEANUP: Final = b"cleanup-tokens"
"""``graveler.CleanupTokensPartition``."""


async def drop_async(env: Env, tokens: Iterable[StagingToken]) -> None:
    """``staging.(*Manager).DropAsync``: note tokens that no branch names any more. 1 effect a token."""
    for token in tokens:
        await env.store.set(CLEANUP, token.encode(), b"stub-value")


async def sweep(env: Env, repository: Repository, *, batch_size: int = 0) -> int:
    """``staging.(*Manager).findAndDrop``: delete what is staged under the noted tokens, then the notes.

    The tokens of all repositories, whichever is given. A scan, and for each token a scan, 1 effect for each entry and 1
    for the note. Where a later page of a token cannot be read, the note goes all the same. Returns how many tokens.
    """
    tokens = [entry.key async for entry in env.store.scan(CLEANUP, batch_size=batch_size)]
    for token in tokens:
        with suppress(kv.ScanInterrupted):
            await drop(env, StagingToken(token.decode()), batch_size)
        await env.store.delete(CLEANUP, token)
    return len(tokens)


async def newest_change(env: Env, tokens: Iterable[StagingToken], path: bytes) -> StagedEntry | None:
    """``graveler.(*Graveler).getFromStagingArea``: the newest change of a path; None if no token has one.

    tokens: newest first. 1 effect a token until a change is found.
    """
    for token in tokens:
        found = await get_staged(env, token, path)
        if found is not None:
            return found[0]
    return None


def changes_under(env: Env, tokens: Sequence[StagingToken], prefix: bytes = b"", batch_size: int = 0) -> Source:
    """``NewCombinedIterator`` over ``staging.Iterator``: the newest change of each path, by path. 1 scan a token, the
    newest one first."""
    return merge_layers([staging_iterator(env, token, prefix, batch_size=batch_size) for token in tokens])


async def find_differences(
    env: Env,
    repository: Repository,
    branch: Branch,
    tokens: Sequence[StagingToken],
    prefix: bytes = b"",
    batch_size: int = 0,
    *,
    reports: bool = False,
) -> tuple[StagedEntry, ...]:
    """``NewUncommittedDiffIterator``: the changes under these tokens whose identity is not that of the head.

    1 effect, a scan for each token, and up to 2 effects for each change. reports: the repair: raise where a scan fails.
    The code has the error, and hands on only those of committed data: what was found until then counts for all.
    """
    head = await get_commit(env, repository, branch.commit_id)
    changes: list[StagedEntry] = []
    try:
        async for change in changes_under(env, tokens, prefix, batch_size):
            changes.append(change)  # noqa: PERF401  # what was found before an error stays
    except kv.KVError:
        if reports:
            raise
    differing = []
    for change in changes:
        found = await get_committed(env, repository.storage_namespace, head.meta_range_id, change.key)
        same = found is None if change.data is None else found is not None and found.identity == change.identity
        if not same:
            differing.append(change)
    return tuple(differing)

"""Staged entries as the code has them: ``pkg/graveler/staging.(*Manager)``.

A token that leaves its branch is noted in a partition of its own; a loop in each server finds such notes and deletes
what is staged under the tokens. Any server may run it, at any time after the note.
"""

from collections.abc import Iterable
from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.staging import drop, get_staged
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository, StagedEntry

CLEANUP: Final = b"cleanup-tokens"
"""``graveler.CleanupTokensPartition``."""


async def drop_async(env: Env, tokens: Iterable[StagingToken]) -> None:
    """``staging.(*Manager).DropAsync``: note tokens that no branch names any more. 1 effect a token."""
    for token in tokens:
        await env.store.set(CLEANUP, token.encode(), b"stub-value")


async def sweep(env: Env, repository: Repository, *, batch_size: int = 0) -> int:
    """``staging.(*Manager).findAndDrop``: delete what is staged under the noted tokens, then the notes.

    The tokens of all repositories, whichever is given. A scan, and for each token a scan, 1 effect for each entry and 1
    for the note. Returns the number of tokens.
    """
    tokens = [entry.key async for entry in env.store.scan(CLEANUP, batch_size=batch_size)]
    for token in tokens:
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

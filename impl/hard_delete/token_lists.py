"""References without a state: for each object one key, whose value is the list of tokens under which it is staged; and
what became of those tokens.

In the partition of the repository: ``references/<physical address>`` and ``staging/committed/<name>`` with a list of
tokens each, ``staging/deleted/<staging token>``, ``staging/issued/<token id>`` with the address that was issued.
Source: hard-delete-uncommitted-data.md, "4. Staging Token States".
"""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final

from lakeproof.impl.catalog.errors import AddressDeleted, ObjectBusy
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import TRIES, Tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository

REFERENCES: Final = b"references/"
COMMITTED: Final = b"staging/committed/"
DELETED: Final = b"staging/deleted/"
ISSUED: Final = b"staging/issued/"
"""Ours: the text says "Save token ID in db"."""
USED: Final = b"used"


def reference_key(address: str) -> bytes:
    """In the partition of a repository."""
    return REFERENCES + address.encode()


def encode_tokens(tokens: Tokens) -> bytes:
    """One token a line; no tokens: an empty value."""
    return "\n".join(tokens).encode()


def decode_tokens(value: bytes) -> Tokens:
    return tuple(StagingToken(token) for token in value.decode().split("\n")) if value else ()


async def add_reference(
    env: Env, repository: Repository, address: str, token: StagingToken, *, issued: bool, checked: bool,
    tries: int = TRIES,
) -> bool:  # fmt: skip
    """Add a token to the list of an object by `SetIf`: 2 effects, and 2 more for each write in between.

    issued: whether the address is the caller's own, so that a key that is not there is to be made; else it means that
        the object is committed, and nothing is added.
    checked: whether an empty list means that the object is deleted.
    Returns whether the list has the token. Raises AddressDeleted; ObjectBusy: others came between ``tries`` times.
    """

    def added(tokens: Tokens | None) -> Tokens | None:
        if tokens is None:
            # No key: of a fresh object, one that is to be made; of any other, a committed object, which needs no list.
            return (token,) if issued else None
        if not tokens and checked:  # the job has emptied it, and deletes the object
            raise AddressDeleted(address)
        return None if token in tokens else (*tokens, token)  # there already, from an earlier try

    return await _revise(env, repository, reference_key(address), added, tries) is not None


async def remove_reference(
    env: Env, repository: Repository, address: str, token: StagingToken, *, tries: int = TRIES
) -> bool:
    """Take a token from the list of an object, if there is one. Returns whether the list is empty now. Effects and
    errors as `add_reference`."""

    def left(tokens: Tokens | None) -> Tokens | None:
        # No list, or without the token: nothing was taken, so this call must not delete the object.
        return tuple(each for each in tokens if each != token) if tokens and token in tokens else None

    return await _revise(env, repository, reference_key(address), left, tries) == ()


async def note_committed(env: Env, repository: Repository, name: str, tokens: Tokens) -> None:
    """Write a committed entry: the tokens of a commit, newest first. 1 effect."""
    await env.store.set(uid_partition(repository), COMMITTED + name.encode(), encode_tokens(tokens))


async def note_committed_too(env: Env, repository: Repository, name: str, tokens: Tokens) -> None:
    """Add tokens to a committed entry by `SetIf`. 2 effects, and 2 more for each write in between; after
    `TRIES` of them the entry stays as it is."""

    def added(before: Tokens | None) -> Tokens:
        # The tokens of a later commit are the newer ones.
        return (*(token for token in tokens if token not in (before or ())), *(before or ()))

    with suppress(ObjectBusy):
        await _revise(env, repository, COMMITTED + name.encode(), added, TRIES)


async def _revise(
    env: Env, repository: Repository, key: bytes, change: Callable[[Tokens | None], Tokens | None], tries: int
) -> Tokens | None:
    """Replace a list by `SetIf`: the list as it is now. change: the new list, of the one that is there, or of None if
    there is no key; None: there is nothing to write. Raises ObjectBusy."""
    for _ in range(tries):
        found = await env.store.find(uid_partition(repository), key)
        before = None if found is None else decode_tokens(found.value)
        after = change(before)
        if after is None:
            return before
        predicate = None if found is None else found.predicate
        if await env.store.try_set_if(uid_partition(repository), key, encode_tokens(after), predicate):
            return after
    raise ObjectBusy(key.removeprefix(REFERENCES).decode())


async def note_deleted(env: Env, repository: Repository, tokens: Tokens) -> None:
    """Write a deleted entry for each token. 1 effect each."""
    for token in tokens:
        await env.store.set(uid_partition(repository), DELETED + token.encode(), b"")


async def scan(env: Env, repository: Repository, prefix: bytes, batch_size: int) -> AsyncIterator[tuple[str, Tokens]]:
    """The keys with a prefix of these, without it, and the tokens of each. One effect per batch."""
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=prefix):
        yield entry.key.removeprefix(prefix).decode(), decode_tokens(entry.value)


async def forget(env: Env, repository: Repository, key: bytes) -> None:
    """Delete a list, or a committed or deleted entry. 1 effect."""
    await env.store.delete(uid_partition(repository), key)

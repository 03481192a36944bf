"""References without a state: for each object one key, whose value is the list of tokens under which it is staged; and
what became of those tokens.

In the partition of the repository: ``references/<physical address>`` and ``staging/committed/<name>`` with a list of
tokens each, ``staging/deleted/<staging token>``, ``staging/issued/<token id>`` with the address that was issued.
Source: hard-delete-uncommitted-data.md, "4. Staging Token States".
"""

from collections.abc import AsyncIterator
from typing import Final

from lakeproof.impl.catalog.errors import AddressDeleted, ObjectBusy
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import TRIES, Tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
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


async def read_tokens(env: Env, repository: Repository, address: str) -> tuple[Tokens, bytes] | None:
    """The tokens that refer to an object, and the predicate that replaces just this list; None if there is no key. 1
    effect."""
    found = await env.store.find(uid_partition(repository), reference_key(address))
    return None if found is None else (decode_tokens(found.value), found.predicate)


async def add_reference(
    env: Env, repository: Repository, address: str, token: StagingToken, *, issued: bool, checked: bool, tries: int
) -> bool:
    """Add a token to the list of an object by `SetIf`: 2 effects, and 2 more for each time that somebody came between.

    issued: whether the address is the caller's own, so that a key that is not there is to be made; else it means that
        the object is committed, and nothing is added.
    checked: whether an empty list means that the object is deleted.

    Returns whether the list has the token. Raises AddressDeleted; ObjectBusy: others came between ``tries`` times.
    """
    for _ in range(tries):
        found = await read_tokens(env, repository, address)
        if found is None and not issued:
            return False
        tokens, predicate = found if found is not None else ((), None)
        if found is not None and not tokens and checked:
            raise AddressDeleted(address)
        if token in tokens:
            return True
        if await _replace(env, repository, address, (*tokens, token), predicate):
            return True
    raise ObjectBusy(address)


async def remove_reference(
    env: Env, repository: Repository, address: str, token: StagingToken, *, tries: int = TRIES
) -> bool:
    """Take a token from the list of an object, if there is one. Returns whether the list is empty now. Effects and
    errors as `add_reference`."""
    for _ in range(tries):
        found = await read_tokens(env, repository, address)
        if found is None:
            return False
        tokens, predicate = found
        left = tuple(each for each in tokens if each != token)
        if left == tokens:
            return not left
        if await _replace(env, repository, address, left, predicate):
            return not left
    raise ObjectBusy(address)


async def _replace(env: Env, repository: Repository, address: str, tokens: Tokens, predicate: kv.Predicate) -> bool:
    partition, key = uid_partition(repository), reference_key(address)
    return await env.store.try_set_if(partition, key, encode_tokens(tokens), predicate)


async def forget_reference(env: Env, repository: Repository, address: str) -> None:
    """Delete the list of an object. 1 effect."""
    await env.store.delete(uid_partition(repository), reference_key(address))


async def note_committed(env: Env, repository: Repository, name: str, tokens: Tokens) -> None:
    """Write a committed entry: the tokens of a commit, newest first. 1 effect."""
    await env.store.set(uid_partition(repository), COMMITTED + name.encode(), encode_tokens(tokens))


async def note_committed_too(env: Env, repository: Repository, name: str, tokens: Tokens, tries: int = TRIES) -> None:
    """Add tokens to a committed entry by `SetIf`. 2 effects, and 2 more for each time that somebody came between; after
    ``tries`` of them the entry stays as it is."""
    partition, key = uid_partition(repository), COMMITTED + name.encode()
    for _ in range(tries):
        found = await env.store.find(partition, key)
        before = () if found is None else decode_tokens(found.value)
        added = tuple(token for token in tokens if token not in before)
        predicate = None if found is None else found.predicate
        if await env.store.try_set_if(partition, key, encode_tokens((*added, *before)), predicate):
            return


async def note_deleted(env: Env, repository: Repository, tokens: Tokens) -> None:
    """Write a deleted entry for each token. 1 effect each."""
    for token in tokens:
        await env.store.set(uid_partition(repository), DELETED + token.encode(), b"")


async def scan_committed(env: Env, repository: Repository, batch_size: int = 0) -> AsyncIterator[tuple[str, Tokens]]:
    """Committed entries by name. One effect per batch."""
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=COMMITTED):
        yield entry.key.removeprefix(COMMITTED).decode(), decode_tokens(entry.value)


async def scan_deleted(env: Env, repository: Repository, batch_size: int = 0) -> AsyncIterator[StagingToken]:
    """Deleted tokens. One effect per batch."""
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=DELETED):
        yield StagingToken(entry.key.removeprefix(DELETED).decode())


async def forget_committed(env: Env, repository: Repository, name: str) -> None:
    """1 effect."""
    await env.store.delete(uid_partition(repository), COMMITTED + name.encode())


async def forget_deleted(env: Env, repository: Repository, token: StagingToken) -> None:
    """1 effect."""
    await env.store.delete(uid_partition(repository), DELETED + token.encode())

"""References with a state, one key for each object and each staging token under which it is staged.

``references/<physical address>/<staging token>`` in the partition of the repository; the value is the state and when
it was written, by the clock of its writer. Source: hard-delete-uncommitted-data.md, "3. Tracking references in
staging manager".
"""

from collections.abc import AsyncIterator
from enum import Enum
from functools import lru_cache
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import ObjectBusy
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository

PREFIX: Final = b"references/"
TRIES: Final = 3


class ReferenceState(Enum):
    """The value is the word in the store."""

    STAGED = "staged"
    DELETED = "deleted"
    COMMITTED = "committed"


@attrs.frozen(cache_hash=True)
class StoredReference:
    """What a key says."""

    state: ReferenceState
    last_modified: int  # microseconds since 1970


@attrs.frozen(cache_hash=True)
class Keyed:
    """A reference with its key."""

    address: str  # physical
    token: StagingToken
    reference: StoredReference


def reference_key(address: str, token: StagingToken) -> bytes:
    """In the partition of a repository. A token has no "/", so the last one is where it begins."""
    return PREFIX + f"{address}/{token}".encode()


def encode_reference(reference: StoredReference) -> bytes:
    return f"{reference.state.value} {reference.last_modified}".encode()


@lru_cache(1 << 16)
def decode_reference(value: bytes) -> StoredReference:
    """Raises ValueError."""
    state, _, last_modified = value.decode().partition(" ")
    return StoredReference(ReferenceState(state), int(last_modified))


async def mark(
    env: Env, repository: Repository, address: str, token: StagingToken, state: ReferenceState, *, creates: bool = True
) -> bool:
    """Bring a reference into a state by the order of precedence: ``committed`` by `Set`, whatever is there; the others
    by `SetIf`, unless it is ``committed``. 1 effect; or 2, and 2 more for each time that another write came between.

    creates: whether to write a key that is not there.
    Returns whether it was written. Raises ObjectBusy: others came between `TRIES` times.
    """
    partition, key = uid_partition(repository), reference_key(address, token)
    if state is ReferenceState.COMMITTED:
        # No predicate: the state is final, so nothing that it overwrites matters.
        await env.store.set(partition, key, encode_reference(StoredReference(state, await env.clock.now())))
        return True
    for _ in range(TRIES):
        found = await env.store.find(partition, key)
        if found is None and not creates:
            return False
        # Never back: the commit has the object.
        if found is not None and decode_reference(found.value).state is ReferenceState.COMMITTED:
            return False
        # Read before the write takes effect, so a write that is late has an older time than it should.
        value = encode_reference(StoredReference(state, await env.clock.now()))
        if await env.store.try_set_if(partition, key, value, None if found is None else found.predicate):
            return True
    raise ObjectBusy(address)


async def forget(env: Env, repository: Repository, address: str, token: StagingToken) -> None:
    """Delete a key, whatever it says. 1 effect."""
    await env.store.delete(uid_partition(repository), reference_key(address, token))


async def references(
    env: Env, repository: Repository, address: str = "", batch_size: int = 0
) -> AsyncIterator[tuple[Keyed, ...]]:
    """The references of each object, or of one ``address``. Not a snapshot: one effect per batch."""
    prefix = PREFIX + (f"{address}/".encode() if address else b"")
    together: list[Keyed] = []
    async for entry in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=prefix):
        of, _, token = entry.key.removeprefix(PREFIX).decode().rpartition("/")
        # The keys of one address follow each other. Only the last batch may end in the middle of an address.
        if together and together[-1].address != of:
            yield tuple(together)
            together = []
        together.append(Keyed(of, StagingToken(token), decode_reference(entry.value)))
    if together:
        yield tuple(together)

"""Weak ownership of branches: ``pkg/distributed.(*MostlyCorrectOwner)``, as ``BranchUpdate`` uses it.

A record per branch names an owner and when it expires; the owner refreshes it meanwhile, and sets it to the beginning
of time when it is done. An update goes on where it cannot get the ownership. Sleeping until the record expires is not
an effect: here a client looks a few times. Times are microseconds since 1970.
"""

import json
from typing import Final

import attrs

from lakefs_today import commits
from lakeproof.impl.effects import Env
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Commit, Repository

PARTITION: Final = b"mc-ownership"
LOOKS: Final = 2
"""How often a client looks before it goes on without ownership."""
INTERVAL: Final = 1_000_000
"""``refreshInterval``, microseconds."""


@attrs.frozen(cache_hash=True)
class Ownership:
    """What a record says. ``expires`` 0: it is free."""

    owner: str
    expires: int

    def encode(self) -> bytes:
        return json.dumps([self.owner, self.expires]).encode()

    @classmethod
    def decode(cls, value: bytes) -> "Ownership":
        owner, expires = json.loads(value)
        return cls(owner, expires)


def key_of(repository: Repository, branch_id: BranchID) -> bytes:
    """``branchOwnershipKey``"""
    return f"{len(repository.repository_id)}:{repository.repository_id}/{branch_id}".encode()


async def own(env: Env, key: bytes, owner: str, *, insists: bool = False) -> bool:
    """``startOwningKey``: whether the owner got it. 2 effects a look. insists: the repair: a record that names this
    owner, which is unique, is its own, whatever a `SetIf` has answered."""
    for _ in range(LOOKS):
        found = await env.store.find(PARTITION, key)
        if insists and found is not None and Ownership.decode(found.value).owner == owner:
            return True
        now = await env.clock.now()
        if found is None or Ownership.decode(found.value).expires < now:
            mine = Ownership(owner, now + INTERVAL).encode()
            if await env.store.try_set_if(PARTITION, key, mine, None if found is None else found.predicate):
                return True
    return False


async def release(env: Env, key: bytes, owner: str, *, insists: bool = False) -> None:
    """``releaseIf``: 2 effects. insists: the repair: look again where the record has changed: by the own refresh, or by
    this very release."""
    while True:
        found = await env.store.find(PARTITION, key)
        if found is None or Ownership.decode(found.value).owner != owner:
            return
        if await env.store.try_set_if(PARTITION, key, Ownership(owner, 0).encode(), found.predicate) or not insists:
            return


async def hold_branch(
    env: Env, repository: Repository, branch_id: BranchID, owner: str, *, insists: bool = False
) -> None:
    """``Own``, and the function that it returns: own a branch, and release it."""
    key = key_of(repository, branch_id)
    if await own(env, key, owner, insists=insists):
        await release(env, key, owner, insists=insists)


async def refresh_branch(env: Env, repository: Repository, branch_id: BranchID, owner: str) -> None:
    """``refreshKey``: one turn of the owner's other thread, which runs until the release has ended. 2 effects."""
    key = key_of(repository, branch_id)
    found = await env.store.find(PARTITION, key)
    if found is None or Ownership.decode(found.value).owner != owner or not Ownership.decode(found.value).expires:
        return
    later = Ownership(owner, await env.clock.now() + INTERVAL + 1)
    await env.store.try_set_if(PARTITION, key, later.encode(), found.predicate)


async def commit(env: Env, repository: Repository, branch_id: BranchID, message: str) -> Commit:
    """`commits.commit` by an owner, or without ownership where it cannot be had. Raises as that."""
    key, owner = key_of(repository, branch_id), env.ids.unique("owner")
    owned = await own(env, key, owner)
    try:
        return await commits.commit(env, repository, branch_id, message)
    finally:
        if owned:
            await release(env, key, owner)

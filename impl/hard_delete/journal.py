"""What `online` keeps on the KV beside today's records: issued addresses, the fates of tokens, commits that came true.

Three partitions beside the repository's own:
    <repository>/addresses    <token>/<name>     -> Issued: an address was given out under this token
    <repository>/fates        <token>/<commit>   -> nothing: this commit, if it came true, took the token
    <repository>/heads        <commit>           -> nothing: this commit was the head of a branch
Source: docs/designs/hard-delete.md.
"""

from collections.abc import AsyncIterator
from typing import Final, Literal, cast

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Repository

ADDRESSES, FATES, HEADS = b"/addresses", b"/fates", b"/heads"
NOTHING: Final = b"1"  # a value that says no more than its key

State = Literal["open", "used", "settled"]


@attrs.frozen(cache_hash=True)
class Issued:
    """An address that was given out: for which path, how long objects may be put there, and how far its user is.

    "open": may still be linked with the grant. "used": its entry is staged, or will be. "settled": its
    entry will never be staged again.
    """

    path: bytes
    not_after: int | None  # microseconds since 1970; None: for ever
    state: State = "used"


def encode_issued(issued: Issued) -> bytes:
    """Deterministic: predicates compare bytes."""
    until = "-" if issued.not_after is None else str(issued.not_after)
    return f"{issued.state} {until} ".encode() + issued.path


def decode_issued(value: bytes) -> Issued:
    """Of what `encode_issued` has written."""
    state, until, path = value.split(b" ", 2)  # the path comes last, since it may have spaces
    return Issued(path, None if until == b"-" else int(until), cast("State", state.decode()))


def address_under(token: StagingToken, name: str) -> str:
    """A relative address that tells under which token it was issued."""
    return f"{DATA_PREFIX}{token}/{name}"


def home(address: str) -> tuple[StagingToken, str] | None:
    """The token and name of a relative address; None if it was not issued under a token."""
    token, slash, name = address.removeprefix(DATA_PREFIX).rpartition("/")  # a name has no slash
    return (StagingToken(token), name) if slash and address.startswith(DATA_PREFIX) else None


def branch_of(repository: Repository, token: StagingToken) -> BranchID:
    """The branch that a token was made for."""
    # ``<repository>-<branch>:<instance>...``: the last colon, whatever the names before it have.
    named, _, _ = token.removeprefix(f"{repository.repository_id}-").rpartition(":")
    return BranchID(named)


def _key(token: StagingToken, name: str) -> bytes:
    return f"{token}/{name}".encode()


async def issue(env: Env, repository: Repository, token: StagingToken, name: str, issued: Issued) -> None:
    """Write down that an address is given out. 1 effect."""
    await env.store.set(uid_partition(repository) + ADDRESSES, _key(token, name), encode_issued(issued))


async def settle(env: Env, repository: Repository, token: StagingToken, name: str, path: bytes) -> None:
    """Write down that the entry of an address will never be staged again; if no client knows the address any more, that
    has been dealt with. 1 effect."""
    # Without a time: its writer has put the object, so the job need not wait for a late put.
    settled = encode_issued(Issued(path, None, "settled"))
    # EXISTS: a job that has dealt with the address has deleted the record, and it must not come back.
    await env.store.try_set_if(uid_partition(repository) + ADDRESSES, _key(token, name), settled, kv.EXISTS)


async def use_up(env: Env, repository: Repository, token: StagingToken, name: str, path: bytes) -> bool:
    """Take an open address for a path, once: whether it was open. 2 effects."""
    found = await find_issued(env, repository, token, name)
    if found is None or found[0].state != "open" or found[0].path != path:
        return False
    taken = encode_issued(attrs.evolve(found[0], state="used"))
    # Of two links one takes it: the other finds its predicate failed.
    return await env.store.try_set_if(uid_partition(repository) + ADDRESSES, _key(token, name), taken, found[1])


async def find_issued(env: Env, repository: Repository, token: StagingToken, name: str) -> tuple[Issued, bytes] | None:
    """What is written of an address, with the predicate that replaces just this. 1 effect."""
    found = await env.store.find(uid_partition(repository) + ADDRESSES, _key(token, name))
    return None if found is None else (decode_issued(found.value), found.predicate)


async def forget(env: Env, repository: Repository, token: StagingToken, name: str) -> None:
    """What becomes of an address is settled. 1 effect."""
    await env.store.delete(uid_partition(repository) + ADDRESSES, _key(token, name))


async def scan_issued(
    env: Env, repository: Repository, token: StagingToken | None = None, batch_size: int = 0
) -> AsyncIterator[tuple[StagingToken, str, Issued]]:
    """Issued addresses by token and name; only those of ``token``, if it is given. One effect per batch."""
    prefix = b"" if token is None else f"{token}/".encode()
    async for entry in env.store.scan(uid_partition(repository) + ADDRESSES, batch_size=batch_size, prefix=prefix):
        found, _, name = entry.key.decode().rpartition("/")
        yield StagingToken(found), name, decode_issued(entry.value)


async def promise(env: Env, repository: Repository, token: StagingToken, commit_id: CommitID) -> None:
    """Write down that a commit, if it comes true, takes a token. 1 effect."""
    await env.store.set(uid_partition(repository) + FATES, _key(token, commit_id), NOTHING)


async def promises(env: Env, repository: Repository, token: StagingToken, batch_size: int = 0) -> list[CommitID]:
    """The commits that would take a token. One effect per batch."""
    part, prefix = uid_partition(repository) + FATES, f"{token}/".encode()
    scanned = env.store.scan(part, batch_size=batch_size, prefix=prefix)
    return [CommitID(entry.key.removeprefix(prefix).decode()) async for entry in scanned]


async def drop_promise(env: Env, repository: Repository, token: StagingToken, commit_id: CommitID) -> None:
    """Forget what became of a token. 1 effect."""
    await env.store.delete(uid_partition(repository) + FATES, _key(token, commit_id))


async def mark_head(env: Env, repository: Repository, commit_id: CommitID) -> None:
    """Write down that a commit came true, before it ceases to be a head. 1 effect."""
    await env.store.set(uid_partition(repository) + HEADS, commit_id.encode(), NOTHING)


async def was_head(env: Env, repository: Repository, commit_id: CommitID) -> bool:
    """Whether that was written down. 1 effect."""
    return await env.store.find(uid_partition(repository) + HEADS, commit_id.encode()) is not None

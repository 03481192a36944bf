"""Bugs planted in commits, writes, reads, resets, merges and restores, each with the machine that finds it."""

from typing import Final

import attrs

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import commits, lock_free, locked, merges, optimistic, reads, resets, writes
from lakeproof.impl.graveler.layers import Source, changes
from lakeproof.impl.graveler.tokens import Change, Swapped, Tokens, swap
from lakeproof.impl.migration import migration
from lakeproof.impl.refs import branches, dump
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import get_staged
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch, Repository
from tests.machines.planting import changed, mistaken, no_tokens, nothing, replacing, yes

LOCK_FREE: Final = "commits/lock-free"
WRITES: Final = "commits/lock-free+writes"
RESETS: Final = "commits/lock-free+resets"
COMMITS: Final = "commits/lock-free+commits"
CROWD: Final = "commits/lock-free+crowd"
RESETS_AGAIN: Final = "commits/lock-free+restorations"
OPTIMISTIC_WRITES: Final = "commits/optimistic+writes"
READS: Final = "commits/lock-free+reads"
OPTIMISTIC: Final = "commits/optimistic"


async def set_branch(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    """Write the record, whatever is there."""
    await env.store.set(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch))


async def set_or_not(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    """A failed predicate passes for success."""
    await env.store.try_set_if(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch), predicate)


async def swap_by_set(
    env: Env, repository: Repository, branch_id: BranchID, change: Change, **how: object
) -> Swapped | None:
    """Read, and write whatever is there by then."""
    start = how.get("start")
    found = (await branches.read_branch(env, repository, branch_id)) if start is None else start
    assert isinstance(found, tuple)
    after = await change(found[0])
    if after is None:
        return None
    await set_branch(env, repository, after, None)
    return Swapped(found[0], after)


async def swap_nothing(
    env: Env, repository: Repository, branch_id: BranchID, change: Change, **how: object
) -> Swapped | None:
    """Make the change, and write no record."""
    start = how.get("start")
    found = (await branches.read_branch(env, repository, branch_id)) if start is None else start
    assert isinstance(found, tuple)
    after = await change(found[0])
    return None if after is None else Swapped(found[0], after)


async def keeping_sealed(
    env: Env, repository: Repository, branch_id: BranchID, change: Change, **how: object
) -> Swapped | None:
    """A reset that forgets the open token alone."""

    async def keeping(branch: Branch) -> Branch | None:
        after = await change(branch)
        return None if after is None else attrs.evolve(after, sealed_tokens=branch.sealed_tokens)

    return await swap(env, repository, branch_id, keeping)


async def unsealed(env: Env, repository: Repository, branch_id: BranchID, tries: int = 0) -> tuple[Branch, bytes]:
    """Take the open token as it is, and open a new one only in the end: writers go on under it."""
    branch, predicate = await branches.read_branch(env, repository, branch_id)
    return attrs.evolve(branch, staging_token=branches.next_token(env, branch), sealed_tokens=branch.tokens), predicate


async def trusts_sealed(before: Branch, now: Branch) -> bool:
    """A writer that is content while its token is sealed."""
    return before.staging_token in now.tokens


def oldest_wins(env: Env, tokens: Tokens, *args: object, **how: object) -> Source:
    """Of two changes of a path, the older one."""
    return changes(env, tuple(reversed(tokens)))


async def no_paths(*_: object) -> frozenset[bytes]:
    """Find nothing restored."""
    return frozenset()


async def absent(env: Env, repository: Repository, branch: Branch, path: bytes) -> tuple[None, kv.Predicate]:
    """Every path is absent."""
    found = await get_staged(env, branch.staging_token, path)
    return None, None if found is None else found[1]


async def only_destination(*_: object, destination: str, **__: object) -> str:
    """Merge nothing."""
    return destination


async def own_head(env: Env, repository: Repository, ref: str) -> CommitID:
    """Whatever a merge names, its source is its destination."""
    branch, _ = await branches.read_branch(env, repository, BranchID("b"))
    return branch.commit_id


async def deleted_by_name(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    """Put the record of a deletion over whatever is there."""
    await set_branch(env, repository, branch, None)


def one_token(env: Env, repository: Repository, branch_id: str, *, fresh: bool = True) -> StagingToken:
    """Branches share a token."""
    return StagingToken("r-main:u.s1.0")


def oldest_first(branch: Branch) -> Tokens:
    """A reader that finds the older of two changes."""
    return (*reversed(branch.sealed_tokens), branch.staging_token)


def open_only(branch: Branch) -> Tokens:
    """A reader that does not know of sealed tokens."""
    return (branch.staging_token,)


def over_nothing(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    """A reset of a path takes all tokens along."""
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=(restoration,))


def beneath(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    """A restoration that lies under what it is to hide."""
    sealed = (found.staging_token, *found.sealed_tokens, restoration)
    return attrs.evolve(found, staging_token=staging_token, sealed_tokens=sealed)


def unchanged(found: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    """A reset that leaves the branch as it is."""
    return found


def all_of_ours(ours: Tokens, branch: Branch) -> Tokens:
    """A committer that takes what others have taken."""
    return ours


async def set_row(env: Env, repository: Repository, key: bytes, row: bytes) -> None:
    """A restore that writes over what is there."""
    await env.store.set(uid_partition(repository), key, row)


BUGS: Final = (
    # Commits.
    replacing("a commit does not seal", WRITES, (lock_free, "seal", unsealed)),
    replacing("a commit finishes blindly", LOCK_FREE, (lock_free, "swap", swap_by_set)),
    replacing("a commit seals blindly", WRITES, (commits, "swap", swap_by_set)),
    replacing("a commit seals blindly", CROWD, (commits, "swap", swap_by_set)),
    replacing("tokens sealed since are forgotten", COMMITS, (lock_free, "without", no_tokens)),
    replacing("a beaten commit takes all tokens again", COMMITS, (lock_free, "still_sealed", all_of_ours)),
    replacing("of two changes the older is committed", WRITES, (commits, "changes", oldest_wins)),
    changed("a commit reads its newest token alone", WRITES, "graveler.commits", "(env, sealed,", "(env, sealed[:1],"),
    replacing("a commit finishes blindly", OPTIMISTIC, (optimistic, "replace_branch", set_branch)),
    replacing("a failed predicate passes for success", OPTIMISTIC, (optimistic, "replace_branch", set_or_not)),
    replacing("nobody takes the lock", "commits/locked", (locked, "_lock", nothing)),
    # Writes and reads.
    replacing("a writer trusts a sealed token", WRITES, (writes, "same_token", trusts_sealed)),
    replacing("a writer trusts a sealed token", OPTIMISTIC_WRITES, (writes, "same_token", trusts_sealed)),
    replacing("a writer does not look again", WRITES, (writes, "same_token", yes)),
    mistaken(WRITES, "graveler.tokens: a writer that is beaten looks only at the head"),
    replacing("a reader takes the oldest token first", LOCK_FREE, (reads, "tokens", oldest_first)),
    mistaken(READS, "graveler.tokens: a reader does not look again"),
    # Resets.
    replacing("a reset keeps its sealed tokens", LOCK_FREE, (resets, "swap", keeping_sealed)),
    replacing("a reset changes the branch blindly", LOCK_FREE, (resets, "swap", swap_by_set)),
    replacing("a reset of a path takes all others along", LOCK_FREE, (resets, "cover_branch", over_nothing)),
    replacing("a reset of a path looks at the open token only", RESETS, (resets, "tokens", open_only)),
    replacing("a commit does not look for restorations", RESETS_AGAIN, (lock_free, "restorations_over", no_tokens)),
    replacing("a commit leaves no restored path out", RESETS_AGAIN, (commits, "restored_paths", no_paths)),
    # Merges, branches, dumps, restores, migrations.
    replacing("a merge finishes blindly", "merges/by-set-if", (merges, "replace_branch", set_branch)),
    mistaken("merges/by-set-if+sealed", "graveler.merges: a merge looks at the open token only"),
    replacing("a branch is deleted blindly", "branches/tombstone", (branches, "replace_branch", deleted_by_name)),
    mistaken("dumps/branches-first", "refs.dump: a dump reads the commits first"),
    replacing("a restore writes over what is there", "restores/tombstone", (dump, "_write_once", set_row)),
    replacing("a restore leaves rows out", "restores/plain", (dump, "_write_once", nothing)),
    replacing("a run clears nothing away", "migrations/by-version", (migration, "_clear", nothing)),
)
"""The table, part one."""

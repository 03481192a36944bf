"""Restorations: what a reset puts over the changes that it forgets, so that nothing staged has to be taken away.

A change under a sealed token cannot be taken back: a committer may have scanned it. So a reset leaves every change
where it is, and puts a token of its own over all of them, whose entries are those of the head. Its name tells it apart:
``<repository>-<branch>:<instance>.<birth>.reset-<unique>``. It is sealed from the start, so that no writer stages
anything under it, and a committer that is on its way can read from it which paths to leave out.

One path x, committed as 0 and staged as 1 under t1; a committer has sealed t1 and scanned it:

    staging t2, sealed t1               at first
    staging t3, sealed r t2 t1          after the reset: x = 0 under r; readers find 0
    staging t3, sealed r t2             after the commit, of all changes under t1 but that of x

Source: ours. The document describes no reset, see "Reset" in docs/designs/branches.md.
"""

from typing import Final

import attrs

from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import next_token
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.staging import scan_staged, tombstone
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

MARK: Final = "reset-"


def restoration_token(env: Env, branch: Branch) -> StagingToken:
    """A fresh token of the branch that is recognised by `is_restoration`."""
    # Behind the last dot: what comes before it is the lineage, which all tokens of a branch share.
    lineage, dot, unique = next_token(env, branch).rpartition(".")
    return StagingToken(f"{lineage}{dot}{MARK}{unique}")


def is_restoration(token: StagingToken) -> bool:
    """Whether a reset has made the token."""
    return token.rpartition(".")[2].startswith(MARK)


def restorations_over(branch: Branch, taken: tuple[StagingToken, ...]) -> tuple[StagingToken, ...]:
    """The restorations that lie over these tokens, which are the branch's last sealed ones. None lies over nothing."""
    newer = branch.sealed_tokens[: len(branch.sealed_tokens) - len(taken)]
    # A commit that takes nothing has nothing to leave out.
    return tuple(token for token in newer if is_restoration(token)) if taken else ()


async def restored_paths(env: Env, restorations: tuple[StagingToken, ...], batch_size: int = 0) -> frozenset[bytes]:
    """The paths whose changes under older tokens were forgotten. One scan per restoration."""
    return frozenset(
        [entry.key for token in restorations async for entry in scan_staged(env, token, batch_size)]
    )


async def as_in_head(env: Env, repository: Repository, branch: Branch, paths: list[bytes]) -> list[StagedEntry]:
    """For each path the change that makes it what it is in the branch's head: 1 effect, and 2 for each path.

    Raises CommitNotFound.
    """
    head = await get_commit(env, repository, branch.commit_id)
    entries = []
    for path in paths:
        found = await get_committed(env, repository.storage_namespace, head.meta_range_id, path)
        if found is None:
            entries.append(tombstone(path))  # absent in the head: only a tombstone hides the changes below
        else:
            entries.append(StagedEntry(key=path, identity=found.identity, data=found.data))
    return entries


def cover_branch(branch: Branch, restoration: StagingToken, staging_token: StagingToken) -> Branch:
    """The branch with its staging token sealed, a restoration over all sealed tokens, and another staging token."""
    # Newest first: the restoration lies over the open token, too.
    sealed = (restoration, branch.staging_token, *branch.sealed_tokens)
    return attrs.evolve(branch, staging_token=staging_token, sealed_tokens=sealed)

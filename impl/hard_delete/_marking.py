"""What a mark-and-sweep job has to know of a repository: which addresses staged entries and commits refer to.

Nothing here is a snapshot: each listing goes on while others work.
Source: hard-delete-uncommitted-data.md, "Motivation", 1.: "A batch operation performed as part of an external process".
"""

from collections.abc import AsyncIterator
from typing import Literal

from lakeproof.impl.catalog.objects import at, entry_of
from lakeproof.impl.committed.reading import Reader
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.reading import changes_of
from lakeproof.impl.refs.branches import scan_branches
from lakeproof.impl.refs.commits import get_commit, scan_commits
from lakeproof.impl.refs.tags import scan_tags
from lakeproof.impl.staging import scan_staged
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry

Entries = Literal["all", "shown"]
"""The staged entries that count: all under the tokens of a branch, or the newest one of each path."""
Commits = Literal["all", "reachable"]
"""The commits that count: all records, or those that branches, and then tags, lead to."""


async def uncommitted(env: Env, repository: Repository, entries: Entries, batch_size: int) -> set[str]:
    """The physical addresses of what is staged on any branch. Its tokens: the open one, then the sealed ones, newest
    first. 1 effect per page of branches, and 1 per page of each token."""
    found: set[str] = set()
    async for branch in scan_branches(env, repository, batch_size):
        async for change in _staged(env, branch, entries, batch_size):
            entry = entry_of(change)
            if entry is not None:
                found.add(at(repository, entry))
    return found


async def _staged(env: Env, branch: Branch, entries: Entries, batch_size: int) -> AsyncIterator[StagedEntry]:
    if entries == "shown":
        for change in (await changes_of(env, branch.tokens, batch_size=batch_size)).values():
            yield change
        return
    for token in branch.tokens:
        async for change in scan_staged(env, token, batch_size=batch_size):
            yield change


async def committed(env: Env, repository: Repository, commits: Commits, batch_size: int) -> set[str]:
    """The physical addresses of what commits hold. 1 effect per page of commits (``"reachable"``: per page of branches
    and of tags, and per commit), 1 per metarange, 1 per range. Raises MissingObject, DamagedObject, CommitNotFound."""
    reader = Reader(env, repository.storage_namespace)
    found: set[str] = set()
    read: set[str] = set()
    all_of_them = (scan_commits if commits == "all" else _walked)(env, repository, batch_size)
    async for commit in all_of_them:
        if commit.meta_range_id in read:
            continue
        read.add(commit.meta_range_id)
        async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):
            found.add(at(repository, decode_object_entry(entry.data)))
    return found


async def _walked(env: Env, repository: Repository, batch_size: int) -> AsyncIterator[Commit]:
    todo = [branch.commit_id async for branch in scan_branches(env, repository, batch_size)]
    todo += [tag.commit_id async for tag in scan_tags(env, repository, batch_size)]
    seen: set[CommitID] = set()
    while todo:
        commit_id = todo.pop()
        if commit_id not in seen:
            seen.add(commit_id)
            commit = await get_commit(env, repository, commit_id)
            todo.extend(commit.parents)
            yield commit

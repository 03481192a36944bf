"""Retention of committed objects: a run marks what is to be deleted, and sweeps it later, while users go on.

`mark` looks at the branches, the commits and what is staged, one after the other, and writes the addresses that only
expired commits refer to under the run's id. `sweep` deletes them. The text has one job do both and knows of no users
meanwhile. What may happen after the look is not a question of order:
`lakeproof.impl.retention.pins`. Source: committed-object-retention.md, "Algorithm".
"""

import json
from collections.abc import Iterable
from typing import Final, Literal, cast

import attrs

from lakeproof.impl.catalog.objects import at, copy_data, entry_of, is_owned, stage
from lakeproof.impl.committed import read_entries
from lakeproof.impl.committed.errors import DamagedObject, MissingObject
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RetentionFlows
from lakeproof.impl.graveler.merges import merge, revert
from lakeproof.impl.refs.branches import create_branch, update_branch
from lakeproof.impl.refs.commits import committed_entry
from lakeproof.impl.refs.errors import GravelerError, PathNotFound
from lakeproof.impl.refs.iterators import (
    branch_iterator,
    commit_ordered_iterator,
    list_branches,
    staging_iterator,
    tag_iterator,
)
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.refs.tags import create_tag
from lakeproof.impl.retention.left import left_heads
from lakeproof.model import objects
from lakeproof.model.catalog import ObjectEntry, decode_object_entry
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.model.retention import Left, Rules, active, objects_to_delete, remembered_commits

Look = Literal["clock", "staged", "branches", "tags", "commits", "left"]
"""A thing to look at. "staged" before "branches" reads the branches for their tokens by itself; after them it takes the
tokens that they had then. "left": the heads that they have left, see `lakeproof.impl.retention.left`."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read."""

    order: tuple[Look, ...] = ("clock", "staged", "branches", "commits")
    """In what order a run looks; "Here is the outline for this job" defines none, and mentions no staged entries. The
    default loses nothing to commits and to new branches from active ones."""
    strict: bool = True
    """Silent: a run refuses to go on if the head of a branch was not among the commits. Without it, what such a head
    keeps is taken to be dangling."""
    again: Rules | None = None
    """Silent: `sweep` looks once more before its first delete, and deletes only what these rules would mark again."""
    full: bool = False
    """Whether `restore_object` copies the object, too; the other document: "Copy operation requires to be changed and
    implemented is full copy"."""


AS_WRITTEN: Final = Reading()
"""The text's job; a mark is swept as it is, and copies are entries, as today."""
COMMITS_FIRST: Final = Reading(order=("clock", "commits", "staged", "branches"))
"""Ours: a commit that is written during the look is not seen; a head that is not among the commits stops the run."""
TWICE: Final = Reading(order=("clock", "commits", "staged", "branches", "commits"))
"""Ours: a commit that is written during the look is never expired."""
WITH_TAGS: Final = Reading(order=("clock", "staged", "branches", "tags", "commits"))
"""The text does not mention tags. Read, a tag keeps its commit, and nothing behind it."""


class MarkNotFound(GravelerError):
    """There is no mark of this run: it never came to its end."""


class HeadNotFound(GravelerError):
    """A branch's head has no record among the commits that were read: nothing is known to be expired."""


@attrs.define
class World:
    """What a run has seen so far. Each part is from a time of its own."""

    now: int = 0
    branches: dict[BranchID, Branch] | None = None
    tagged: frozenset[CommitID] = frozenset()
    left: tuple[Left, ...] = ()
    commits: dict[CommitID, Commit] = attrs.field(factory=dict)
    known: frozenset[CommitID] | None = None  # the commits of the first reading
    staged: set[str] = attrs.field(factory=set)  # physical addresses

    @property
    def heads(self) -> dict[BranchID, CommitID]:
        return {branch_id: branch.commit_id for branch_id, branch in (self.branches or {}).items()}

    def expired(self, rules: Rules) -> frozenset[CommitID]:
        """The commits that are expired, as far as the first reading of commits knew them already: with ``order`` naming
        "commits" twice, none that was written during the look."""
        tagged = self.tagged | remembered_commits(self.commits, self.left, rules, self.now)
        kept = active(self.commits, self.heads, rules, self.now, tagged=tagged)
        # The minus binds first: of the known commits those that are there and not kept.
        return (self.known or frozenset()) & self.commits.keys() - kept


async def mark(
    env: Env, repository: Repository, rules: Rules, run_id: str, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """Write down which addresses only expired commits refer to; returns them, too.

    A scan of the branches (and one for their tokens), one of the commits, one per staging token; the metarange and the
    ranges of each commit; 1 to write the mark.

    Raises:
        HeadNotFound; MissingObject, DamagedObject: an active commit cannot be read. Nothing was marked.
    """
    seen = await look(env, repository, reading, batch_size)
    gone = await only_in(env, repository, seen, seen.expired(rules))
    await write_mark(env, repository, run_id, gone)
    return gone


async def look(env: Env, repository: Repository, reading: Reading, batch_size: int) -> World:
    """Read what a run must know. Raises HeadNotFound."""
    seen = World()
    for what in reading.order:
        match what:
            case "clock":
                # Before what it is compared with, else a commit in flight could look old.
                seen.now = await env.clock.now()
            case "branches":
                found = branch_iterator(env, repository, batch_size=batch_size)
                seen.branches = {branch.branch_id: branch async for branch in found}
            case "tags":
                seen.tagged = frozenset([tag.commit_id async for tag in tag_iterator(env, repository, batch_size=0)])
            case "left":
                seen.left = await left_heads(env, repository, batch_size)
            case "commits":
                commits = commit_ordered_iterator(env, repository, batch_size=batch_size)
                seen.commits = {each.commit_id: each async for each in commits}
                # Of the first reading only: what came later is no suspect.
                seen.known = frozenset(seen.commits) if seen.known is None else seen.known
            case "staged":
                known = None if seen.branches is None else tuple(seen.branches.values())
                branches = await list_branches(env, repository, batch_size=batch_size) if known is None else known
                seen.staged = await read_staged(env, repository, branches, batch_size)
    for branch_id, head in seen.heads.items():
        # The commit was written after the commits were read, or is lost. In both cases its ancestors would seem
        # dangling.
        if reading.strict and head not in seen.commits:
            raise HeadNotFound(branch_id, head)
    return seen


async def read_staged(env: Env, repository: Repository, branches: Iterable[Branch], batch_size: int) -> set[str]:
    """The physical addresses of what is staged under the tokens of branches, hidden or not: it may be shown again."""
    # Newest first: entries stay where they are, so that no order of tokens matters here.
    scans = (staging_iterator(env, token, batch_size=batch_size) for branch in branches for token in branch.tokens)
    entries = {entry_of(change) for scan in scans async for change in scan}
    return {at(repository, entry) for entry in entries if entry is not None}


async def only_in(env: Env, repository: Repository, seen: World, expired: Iterable[CommitID]) -> tuple[str, ...]:
    """The addresses in the namespace that only these commits refer to, of all that were seen, sorted. Reads every
    commit's metarange once. An expired commit that cannot be read brings nothing; for another one it is an error."""
    gone_from = set(expired)
    references: dict[CommitID, set[str]] = {}
    by_meta_range: dict[str, set[str]] = {}
    # Equal metaranges are read once. One that cannot be is not remembered, so an active commit that shares it is an
    # error.
    for commit_id, commit in sorted(seen.commits.items()):
        if commit.meta_range_id not in by_meta_range:
            try:
                by_meta_range[commit.meta_range_id] = await _addresses(env, repository, commit)
            except (MissingObject, DamagedObject):
                if commit_id not in gone_from:
                    raise
                continue
        references[commit_id] = by_meta_range[commit.meta_range_id]
    kept = frozenset(seen.commits.keys() - gone_from)
    return tuple(sorted(objects_to_delete(references, kept, seen.staged)))


async def _addresses(env: Env, repository: Repository, commit: Commit) -> set[str]:
    found = read_entries(env, repository.storage_namespace, commit.meta_range_id)
    entries = [decode_object_entry(entry.data) async for entry in found]
    # What lies outside the namespace is not lakeFS' to delete.
    return {at(repository, entry) for entry in entries if is_owned(repository, entry)}


def mark_address(repository: Repository, run_id: str) -> str:
    """Where the mark of a run lies."""
    return f"{repository.storage_namespace}/_lakefs/retention/{run_id}/mark.json"


async def write_mark(env: Env, repository: Repository, run_id: str, addresses: tuple[str, ...]) -> None:
    """1 effect."""
    # Whole or not at all: an object store shows no half-written object, so a mark is of a run that came to its end.
    await env.objects.put(mark_address(repository, run_id), json.dumps({"addresses": addresses}).encode())


async def read_mark(env: Env, repository: Repository, run_id: str) -> tuple[str, ...]:
    """The addresses that a run has marked. 1 effect. Raises MarkNotFound."""
    try:
        content = await env.objects.get(mark_address(repository, run_id))
    except objects.ObjectNotFound:
        raise MarkNotFound(run_id) from None
    return tuple(cast("dict[str, list[str]]", json.loads(content))["addresses"])


async def sweep(
    env: Env, repository: Repository, run_id: str, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """Delete what a run has marked; returns the addresses. 1 effect to read the mark, and 1 for each address. May be
    repeated.

    Raises:
        MarkNotFound. If it looks again, also what `mark` raises: nothing was deleted.
    """
    addresses = await read_mark(env, repository, run_id)
    if reading.again is not None:
        seen = await look(env, repository, reading, batch_size)
        still = await only_in(env, repository, seen, seen.expired(reading.again))
        # Only fewer: what has expired since the mark is for another run.
        addresses = tuple(sorted(set(addresses) & set(still)))
    for address in addresses:
        await env.objects.delete(address)
    return addresses


async def restore_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source: Ref, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage what a commit has at a path: a copy from a ref, as lakeFS offers it.

    Raises:
        RefNotFound, PathNotFound, BranchNotFound; DataGone: only of a full copy. WriteNotSettled (indefinite).
    """
    found = await committed_entry(env, repository, await resolve(env, repository, source), path)
    if found is None:
        raise PathNotFound(path)
    entry = decode_object_entry(found.data)
    if reading.full:
        # A full copy is an object of its own, whatever becomes of the commit.
        entry = await copy_data(env, repository, entry)
    await stage(env, repository, branch_id, path, entry)
    return entry


FLOWS = RetentionFlows(
    mark=mark, sweep=sweep, create_branch=create_branch, update_branch=update_branch, create_tag=create_tag,
    merge=merge, revert=revert, restore_object=restore_object,
)

"""Listings by iterators: the `layers` of a branch, path by path, without what is deleted.

Nothing is gathered: memory is one page of each scan and one range. A listing looks at its sources one after the other
and page by page, so that what is staged or committed meanwhile may show in one part and not in another; `list_page`
reads the branch again, as every reader does. Source: graveler-on-kv.md, "Iterators"; the listing, prefix and delimiter
of lakeFS' ``pkg/graveler`` and ``pkg/catalog``.
"""

from collections.abc import AsyncIterator
from enum import Enum
from functools import partial

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.layers import Source, committed_source, merge_layers
from lakeproof.impl.graveler.reads import tokens
from lakeproof.impl.graveler.tokens import TRIES, stable
from lakeproof.impl.refs.iterators import staging_iterator
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository, StagedEntry


@attrs.frozen
class CommonPrefix:
    """Stands for all paths that have it: up to the first delimiter after the prefix of the listing."""

    path: bytes


Shown = Entry | CommonPrefix


@attrs.frozen(kw_only=True)
class Query:
    """What to list. amount: how many at the most; 0: all. after: only what comes after this path or common prefix."""

    prefix: bytes = b""
    delimiter: bytes = b""
    after: bytes = b""
    amount: int = 0


@attrs.frozen
class Page:
    """A part of a listing. more: there is something after the last one shown."""

    shown: tuple[Shown, ...]
    more: bool


class DiffType(Enum):
    """What a change does to a path."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@attrs.frozen
class Difference:
    """What a commit of the staged changes would do to a path."""

    path: bytes
    type: DiffType


def staged_sources(env: Env, branch: Branch, prefix: bytes = b"", batch_size: int = 0) -> list[Source]:
    """The changes of a branch with a prefix: a source for each token, newest first."""
    return [staging_iterator(env, token, prefix, batch_size=batch_size) for token in tokens(branch)]


async def listing(
    env: Env, repository: Repository, branch: Branch, query: Query, batch_size: int = 0
) -> AsyncIterator[Shown]:
    """What a branch record leads to, path by path. ``query.amount`` is not looked at."""
    sources = [
        *staged_sources(env, branch, query.prefix, batch_size),
        committed_source(env, repository, branch, query.prefix),
    ]
    last: CommonPrefix | None = None
    async for change in merge_layers(sources):
        if change.data is None:  # deleted on the branch, whatever the layers below have
            continue
        shown = _visible_entry(change, query)
        # Only neighbours can be equal: paths with one common prefix follow each other.
        if shown.path > query.after and shown != last:
            last = shown if isinstance(shown, CommonPrefix) else None  # an entry never equals a later path
            yield shown


def _visible_entry(change: StagedEntry, query: Query) -> Shown:
    # From the prefix on: a delimiter within the prefix does not count.
    at = change.key.find(query.delimiter, len(query.prefix)) if query.delimiter else -1
    if at >= 0:
        return CommonPrefix(change.key[: at + len(query.delimiter)])
    return Entry(path=change.key, identity=change.identity, data=change.data or b"")


async def list_page(
    env: Env, repository: Repository, branch_id: BranchID, query: Query, *, tries: int = TRIES, batch_size: int = 0
) -> Page:
    """One page of a listing. Several pages are no snapshot.

    Reads from the beginning of the prefix up to the first path after the page: what ``after`` skips is read again.

    Raises BranchNotFound; BranchBusy: the branch changed ``tries`` times.
    """

    async def look(branch: Branch) -> Page:
        shown: list[Shown] = []
        async for each in listing(env, repository, branch, query, batch_size):
            # One more than the page is read, since only that shows whether there is more.
            if query.amount and len(shown) == query.amount:
                return Page(tuple(shown), more=True)
            shown.append(each)
        return Page(tuple(shown), more=False)

    return await stable(env, repository, branch_id, look, tries=tries)


async def list_entries(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes = b"",
    *,
    rereads: bool = True,
    tries: int = TRIES,
    batch_size: int = 0,
) -> tuple[Entry, ...]:
    """`reads.list_entries` by iterators. Raises as `list_page`."""

    async def look(branch: Branch) -> tuple[Entry, ...]:
        found = listing(env, repository, branch, Query(prefix=prefix), batch_size)
        return tuple([entry async for entry in found if isinstance(entry, Entry)])

    return await stable(env, repository, branch_id, look, rereads=rereads, tries=tries)


async def diff_uncommitted(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes = b"",
    *,
    tries: int = TRIES,
    batch_size: int = 0,
) -> tuple[Difference, ...]:
    """What is staged on a branch against its head, by path; changes that change nothing are left out. Raises as
    `list_page`."""
    look = partial(_differences, env, repository, prefix=prefix, batch_size=batch_size)
    return await stable(env, repository, branch_id, look, tries=tries)


async def _differences(
    env: Env, repository: Repository, branch: Branch, prefix: bytes, batch_size: int
) -> tuple[Difference, ...]:
    head = committed_source(env, repository, branch, prefix)
    found: list[Difference] = []
    below = await anext(head, None)
    async for change in merge_layers(staged_sources(env, branch, prefix, batch_size)):
        while below is not None and below.key < change.key:  # entries of the head that no change is about
            below = await anext(head, None)
        # Not taken from ``head`` here: the next round passes it over by its path.
        old = below if below is not None and below.key == change.key else None
        if change.data is None:
            found += [] if old is None else [Difference(change.key, DiffType.REMOVED)]
        # An equal identity: the entry was staged as it is in the head.
        elif old is None or old.identity != change.identity:
            found.append(Difference(change.key, DiffType.ADDED if old is None else DiffType.CHANGED))
    return tuple(found)

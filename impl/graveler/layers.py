"""Layers of a branch, path by path: the staged changes of its tokens, newest over older, over its committed entries.

::

    tokens     t2: b=deleted        t1: a=1, b=1        head: b=0, c=0
    changes    a=1 (t1), b=deleted (t2)
    layered    a=1 (t1), b=deleted (t2), c=0 (head)

Nothing is gathered: memory is one page of each scan and one range. With pages, a scan goes on where what it feeds comes
to its end: a flow that must have read all before it goes on gathers. Source: graveler-on-kv.md, "Iterators".
"""

from collections.abc import AsyncIterator, Sequence

from lakeproof.impl.committed import read_entries
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.iterators import staging_iterator
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

Source = AsyncIterator[StagedEntry]


async def merge_layers(newest_first: Sequence[Source]) -> Source:
    """The newest change of each path, by path. Each source is ascending; its next change is read when the one before it
    was used. The newest one is begun first."""
    heads = [await anext(source, None) for source in newest_first]  # in this order, which is that of the effects
    async for newest in _merge_heads(newest_first, heads):
        yield newest


async def changes(env: Env, newest_first: Sequence[StagingToken], prefix: bytes = b"", batch_size: int = 0) -> Source:
    """The newest change of each path with a prefix under these tokens, by path. One scan per token; the oldest one is
    begun first, and all are begun before the first change is there."""
    scans = [staging_iterator(env, token, prefix, batch_size=batch_size) for token in reversed(newest_first)]
    heads = [await anext(scan, None) for scan in scans]
    async for newest in _merge_heads(scans[::-1], heads[::-1]):
        yield newest


async def _merge_heads(newest_first: Sequence[Source], heads: list[StagedEntry | None]) -> Source:
    while any(head is not None for head in heads):
        path = min(head.key for head in heads if head is not None)
        # The first of them is the newest: it hides the others.
        at = [number for number, head in enumerate(heads) if head is not None and head.key == path]
        newest = heads[at[0]]
        assert newest is not None
        yield newest
        # All sources that have the path go on, or an older change of it would show up next.
        for number in at:
            # After the yield: nothing is read before it is needed.
            heads[number] = await anext(newest_first[number], None)


async def committed_source(env: Env, repository: Repository, branch: Branch, prefix: bytes = b"") -> Source:
    """The entries of a branch's head with a prefix, by path. 1 effect for the commit, 1 for the metarange, and 1 for
    each range."""
    head = await get_commit(env, repository, branch.commit_id)
    async for entry in read_entries(env, repository.storage_namespace, head.meta_range_id, prefix):
        if not entry.path.startswith(prefix):
            return
        yield StagedEntry(key=entry.path, identity=entry.identity, data=entry.data)


async def start_source(source: Source) -> Source:
    """The same, once its first change was read: what a flow reads next, it reads after that."""
    first = await anext(source, None)

    async def whole() -> Source:
        if first is not None:
            yield first
            async for change in source:
                yield change

    return whole()

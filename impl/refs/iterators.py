"""Iterators with lakeFS' protocol: `next`, `value`, `seek`, `close`. All are lazy: no effect before `next` needs one.

None is a snapshot: writes may fall between two pages, and a page in hand may be outdated. An error surfaces from
`next`; called again, it tries the same again; after a `seek`, it goes on from there.
Example: tags a, b, c in pages of two. Only what lies outside the page in hand costs an effect::

    next       scan from tags/       page: a b    value: a
    seek b                           page: a b
    next                             page: a b    value: b
    next       scan behind tags/b    page: c      value: c     shorter: it is the last
    next                             page: c      False
    seek a                           no page: a comes before c
    next       scan from tags/a      page: a b    value: a

Source: graveler-on-kv.md, "Iterators" and "Key Schema Support of Required Functionalities".
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Final, Generic, TypeVar

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import is_tombstone
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry, Tag

T = TypeVar("T")
R = TypeVar("R", bound=Record)
Item = tuple[bytes, T]
"""A value and where it stands in the order."""
Choose = Callable[[], Coroutine[Any, Any, Callable[[R], bool]]]  # type: ignore[explicit-any]  # an async function
"""Which records to show: it may have to read for that."""

BATCH_SIZE: Final = 1000


class NoValue(LookupError):
    """`value` was read where there is none."""


class ParentNotFound(CommitNotFound):
    """A commit names a parent that is not there."""


class Iterator(ABC, Generic[T]):
    """Goes from one value to the next: ``while await it.next(): it.value``, or ``async for value in it``."""

    def __init__(self) -> None:
        self._item: Item[T] | None = None
        self._closed = False

    async def next(self) -> bool:
        """Move to the next value; False after the last one, and once closed. Raises what its effects raise, and
        Undecodable, which names the address."""
        self._item = None  # an error must not leave the old value to be read
        found = None if self._closed else await self._advance()
        # It may have been closed while it waited.
        self._item = None if self._closed else found
        return self._item is not None

    @property
    def value(self) -> T:
        """Where the last `next` moved to. Raises NoValue before the first one, after the last one and after a seek."""
        if self._item is None:
            raise NoValue("the iterator stands on no value; call next(), and ask only if it was True")
        return self._item[1]

    async def seek(self, to: str | bytes) -> None:
        """Let `next` move to the first value at or after ``to``, be it ahead or behind. No effect."""
        self._item = None
        # Escaped bytes come back as they were: a path in text may have been made of bytes that are not UTF-8.
        self._position(to if isinstance(to, bytes) else to.encode(errors="surrogateescape"))

    def close(self) -> None:
        """From now on `next` is False. Closing again is no error. No effect."""
        self._item = None
        self._closed = True

    def __aiter__(self) -> "Iterator[T]":
        return self

    async def __anext__(self) -> T:
        if not await self.next():
            raise StopAsyncIteration
        return self.value

    @abstractmethod
    async def _advance(self) -> Item[T] | None:
        """The next value, or None after the last one. Has not moved if it raises."""

    @abstractmethod
    def _position(self, to: bytes) -> None: ...


class ScanIterator(Iterator[R]):
    """The records of one kind whose keys begin with ``prefix + within``, in byte order of their keys.

    choose: which of them to show; called once, by the first `next`.
    One effect per page, when it is needed; a seek inside the page in hand costs none.
    """

    def __init__(
        self,
        env: Env,
        partition: bytes,
        prefix: bytes,
        kind: type[R],
        *,
        within: bytes = b"",
        choose: Choose[R] | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        super().__init__()
        self._env = env
        self._partition = partition
        self._prefix = prefix
        self._first = prefix + within
        self._kind = kind
        self._choose = choose
        self._shows: Callable[[R], bool] | None = None
        self._batch_size = check_batch_size(batch_size)
        self._page: tuple[kv.Entry, ...] = ()
        self._page_start = self._next_start = self._first
        self._index = 0
        self._complete = False
        self._rest: AsyncIterator[kv.Entry] | None = None  # of the scan that the page is of

    async def _advance(self) -> Item[R] | None:
        if self._choose is not None and self._shows is None:
            self._shows = await self._choose()
        while not self._closed:
            if self._index == len(self._page):
                if not await self._fetch():
                    break
                continue  # it may be closed by now: then nothing is decoded
            entry = self._page[self._index]
            record = decode(self._partition, entry, self._kind)
            # After the decoding: a record that cannot be decoded is tried again, until a seek passes it.
            self._index += 1
            if self._shows is None or self._shows(record):
                return entry.key.removeprefix(self._prefix), record
        return None

    async def _fetch(self) -> bool:
        """Replace the page by the next one. Whether there is one that holds anything."""
        if self._complete:
            return False
        start = self._next_start
        # Goes on with the scan of the page before: after its last batch the scan knows that there is no more, and a new
        # one would cost an effect.
        rest = self._rest or self._env.store.scan(self._partition, start, self._batch_size, prefix=self._first)
        self._rest = None  # a scan that was interrupted does not go on
        page, complete = await _read_page(rest, self._batch_size)
        self._rest = rest
        self._page, self._complete, self._page_start, self._index = page, complete, start, 0
        if page:  # an empty page has no last key; it is complete
            self._next_start = page[-1].key + b"\0"
        return bool(page)

    def _position(self, to: bytes) -> None:
        start = max(self._prefix + to, self._first)  # a seek before the prefix stands at its beginning
        # Behind the last key of a page there may be more, unless the scan is complete.
        if self._page and self._page_start <= start and (self._complete or start <= self._page[-1].key):
            self._index = bisect_left(self._page, start, key=lambda entry: entry.key)
            return
        self._page = ()
        self._page_start = self._next_start = start
        self._index = 0
        self._complete = False
        self._rest = None


class SortedIterator(Iterator[T]):
    """Loads everything when it is first needed, and sorts it in memory."""

    def __init__(self, load: Callable[[], Coroutine[Any, Any, Iterable[Item[T]]]]) -> None:  # type: ignore[explicit-any]
        super().__init__()
        self._load = load
        self._items: list[Item[T]] | None = None
        self._start = b""
        self._index = 0

    async def _advance(self) -> Item[T] | None:
        if self._items is None:
            self._items = sorted(await self._load(), key=lambda item: item[0])
            self._position(self._start)
        if self._index == len(self._items):
            return None
        self._index += 1
        return self._items[self._index - 1]

    def _position(self, to: bytes) -> None:
        self._start = to
        self._index = bisect_left(self._items or [], to, key=lambda item: item[0])


class CommitIterator(Iterator[Commit]):
    """A commit's ancestry, breadth first: itself, its parents in order, their parents; each commit once.

    1 effect a commit; memory: the ids met. It has no order of ids, so that `seek` means: start over, and go on
    with this very commit; if it is no ancestor, there is no next value.

    Raises (`next`):
        CommitNotFound: there is no such commit to start from; ParentNotFound.
    """

    def __init__(self, env: Env, repository: Repository, start: CommitID, *, first_parent_only: bool) -> None:
        super().__init__()
        self._env = env
        self._partition = uid_partition(repository)
        self._origin = start
        self._first_parent_only = first_parent_only
        self._queue: deque[tuple[CommitID | None, CommitID]] = deque()
        self._met: set[CommitID] = set()
        self._until: bytes | None = None
        self._position(None)

    async def _advance(self) -> Item[Commit] | None:
        while self._queue and not self._closed:
            child, commit_id = self._queue[0]  # it leaves the queue when it was read: a read that fails is repeated
            commit = await self._read(commit_id, child)
            self._queue.popleft()
            for parent in commit.parents[:1] if self._first_parent_only else commit.parents:
                if parent not in self._met:
                    self._met.add(parent)
                    self._queue.append((commit_id, parent))
            # A seek walks to the commit by the same way, and passes over what comes before it.
            if self._until in (None, commit_id.encode()):
                self._until = None
                return commit_id.encode(), commit
        return None

    async def _read(self, commit_id: CommitID, child: CommitID | None) -> Commit:
        key = keys.commit_key(commit_id)
        try:
            found = await self._env.store.get(self._partition, key)
        except kv.NotFound:
            if child is None:
                raise CommitNotFound(commit_id) from None
            raise ParentNotFound(
                f"commit {child!r} names parent {commit_id!r}, which is not there; restore it, or start elsewhere"
            ) from None
        return decode(self._partition, kv.Entry(key, found.value), Commit)

    def _position(self, to: bytes | None) -> None:
        self._queue = deque([(None, self._origin)])
        self._met = {self._origin}
        self._until = to


def tag_iterator(env: Env, repository: Repository, *, batch_size: int = BATCH_SIZE) -> Iterator[Tag]:
    """The tags by id."""
    return ScanIterator(env, uid_partition(repository), keys.TAGS_PREFIX, Tag, batch_size=batch_size)


def branch_iterator(env: Env, repository: Repository, *, batch_size: int = BATCH_SIZE) -> Iterator[Branch]:
    """The branches by id."""
    partition = uid_partition(repository)
    return ScanIterator(env, partition, keys.BRANCHES_PREFIX, Branch, choose=_no_tombstones, batch_size=batch_size)


async def _no_tombstones() -> Callable[[Branch], bool]:
    return lambda branch: not is_tombstone(branch)


async def list_branches(env: Env, repository: Repository, *, batch_size: int = 0) -> tuple[Branch, ...]:
    """All branches by id. Not a snapshot."""
    return tuple([branch async for branch in branch_iterator(env, repository, batch_size=batch_size)])


async def list_tags(env: Env, repository: Repository, *, batch_size: int = 0) -> tuple[Tag, ...]:
    """All tags by id. Not a snapshot."""
    return tuple([tag async for tag in tag_iterator(env, repository, batch_size=batch_size)])


def branch_by_commit_iterator(env: Env, repository: Repository, *, batch_size: int = BATCH_SIZE) -> Iterator[Branch]:
    """The branches by the commit they name, those of one commit by id. `seek` takes a commit id.

    The first `next` scans all branches; memory: all of them.
    """

    async def load() -> list[Item[Branch]]:
        by_id = branch_iterator(env, repository, batch_size=batch_size)
        # The scan is by id and the sort is stable.
        return [(branch.commit_id.encode(), branch) async for branch in by_id]

    return SortedIterator(load)


def staging_iterator(
    env: Env, token: StagingToken, prefix: bytes = b"", *, batch_size: int = BATCH_SIZE
) -> Iterator[StagedEntry]:
    """The changes under a staging token by path, tombstones too; those whose paths begin with ``prefix``."""
    partition = keys.staging_partition(token)
    return ScanIterator(env, partition, keys.STAGED_PREFIX, StagedEntry, within=prefix, batch_size=batch_size)


def commit_iterator(
    env: Env, repository: Repository, start: CommitID, *, first_parent_only: bool = False
) -> Iterator[Commit]:
    """A commit's ancestry, breadth first, or only its line of first parents; see `CommitIterator`."""
    return CommitIterator(env, repository, start, first_parent_only=first_parent_only)


def commit_ordered_iterator(env: Env, repository: Repository, *, batch_size: int = BATCH_SIZE) -> Iterator[Commit]:
    """All commits by id, whether or not a ref leads to them."""
    return ScanIterator(env, uid_partition(repository), keys.COMMITS_PREFIX, Commit, batch_size=batch_size)


def leaf_commit_iterator(env: Env, repository: Repository, *, batch_size: int = BATCH_SIZE) -> Iterator[Commit]:
    """The commits that are no first parent, by id.

    The first `next` scans all commits before; memory: the ids of all first parents. A commit that is made between
    that scan and the second one may show, and so may its first parent.
    """

    async def leaves() -> Callable[[Commit], bool]:
        every = commit_ordered_iterator(env, repository, batch_size=batch_size)
        first_parents = {commit.parents[0] async for commit in every if commit.parents}
        return lambda commit: commit.commit_id not in first_parents

    partition = uid_partition(repository)
    return ScanIterator(env, partition, keys.COMMITS_PREFIX, Commit, choose=leaves, batch_size=batch_size)


async def _read_page(rest: AsyncIterator[kv.Entry], batch_size: int) -> tuple[tuple[kv.Entry, ...], bool]:
    """The next ``batch_size`` entries (0: all) of a scan, and whether these are surely the last ones. 1 effect, unless
    the store cuts batches short; none after its last batch."""
    found: list[kv.Entry] = []
    async for entry in rest:
        found.append(entry)
        if len(found) == batch_size:  # never with 0
            return tuple(found), False
    return tuple(found), True


def decode(partition: bytes, entry: kv.Entry, kind: type[R]) -> R:
    """The record of an entry. Raises Undecodable, which names the address."""
    record = decode_at(partition, entry.key, entry.value)
    if not isinstance(record, kind):
        raise Undecodable(f"{partition!r} {entry.key!r}: the key schema knows no such key; expected a {kind.__name__}")
    return record


def check_batch_size(batch_size: int) -> int:
    """Raises ValueError for a page size that is none."""
    if batch_size < 0:
        raise ValueError(f"batch_size={batch_size}: expected 1 or more, or 0 for everything at once")
    return batch_size

"""Streams that can be looked into, one element ahead. Sync or async: a flow may read what it needs as it goes."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Generic, TypeVar

from lakeproof.model.committed import Unsorted

T = TypeVar("T")


async def each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """The items, asynchronously."""
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


async def ascending(items: Iterable[T] | AsyncIterable[T], path: Callable[[T], bytes]) -> AsyncIterator[T]:
    """The items, whose paths must ascend. Raises Unsorted."""
    last: bytes | None = None
    async for item in each(items):
        found = path(item)
        if last is not None and found <= last:
            # Equal paths, too: the second change of a path would be lost.
            raise Unsorted(f"{found!r} comes after {last!r}: expected ascending paths, each one once; sort them")
        last = found
        yield item


class Peekable(Generic[T]):
    """A stream, and a look at its next element."""

    def __init__(self, items: AsyncIterator[T]) -> None:
        self._items = items
        # Empty, or the next element: an element may be anything, so None cannot stand for none.
        self._ahead: list[T] = []

    async def peek(self) -> T | None:
        """The next element, which stays; None at the end."""
        if not self._ahead:
            # ``break`` leaves the stream suspended; the next look goes on with it. A stream that has ended stays at its
            # end.
            async for item in self._items:
                self._ahead.append(item)
                break
        return self._ahead[0] if self._ahead else None

    def skip(self) -> None:
        """Drop the element that was looked at."""
        self._ahead.clear()

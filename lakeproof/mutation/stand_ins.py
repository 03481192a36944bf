"""What changed code calls: iterations that lose rows, an error that claims too much, and a note of what is executed.

A mutated module imports these names. Nothing of `lakeproof.impl` may be imported here: the mutated module could be
among what that loads.
"""

from collections.abc import AsyncIterable, AsyncIterator
from typing import Final, TypeVar

from lakeproof.model import errors, kv

T = TypeVar("T")

LINES: Final[set[tuple[str, int]]] = set()
"""File and number of the lines that were executed, of modules that note them."""


def weaker(predicate: kv.Predicate) -> kv.Predicate:
    """A predicate that any value satisfies; one that asks for absence stays what it is."""
    return None if predicate is None else kv.EXISTS


async def all_but_first(rows: AsyncIterable[T]) -> AsyncIterator[T]:
    """The rows after the first."""
    first = True
    async for row in rows:
        if not first:
            yield row
        first = False


async def only_first(rows: AsyncIterable[T]) -> AsyncIterator[T]:
    """The first row; the others are not read."""
    async for row in rows:
        yield row
        # The rest stays unread, as with a `break`.
        return


def definite(error: Exception | type[Exception]) -> Exception:
    """A definite error in the place of an indefinite one: of a store for that of a store, of a flow for any other."""
    kind = error if isinstance(error, type) else type(error)
    # `Refused` is definite and a KVError: handlers of store errors still catch it.
    return kv.Refused() if issubclass(kind, kv.KVError) else errors.BranchBusy("mutant")

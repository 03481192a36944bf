"""What has been learned of flows, kept from one behaviour to the next: tries of histories, by program.

What a flow asks for after a history of replies depends on its program alone, and what it does then alone, on the store
as the setup left it. So a search that starts over, and the next scenario that runs the same calls on the same store
(the same race with another fault), need not run those histories again. A behaviour that meets a history for the first
time counts it as run, whoever ran it: how a search goes does not depend on what was searched before.

Kept only where someone vouches that the code does not change meanwhile: `kept`. Within one search it does not.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final

from lakeproof.explore.execution import Program
from lakeproof.explore.semantics import Cells
from lakeproof.explore.trie import Raw
from lakeproof.model.identity import identity

HISTORIES_MAX: Final = 30_000
"""More histories than that are not kept from one search to the next: some 3 kB each."""


class Trie:
    """The histories of one program that were met so far."""

    def __init__(self) -> None:
        self.root: Raw | None = None
        self.size = 0

    def add(self, raw: Raw) -> None:
        """A history that has been run."""
        self.root = self.root or raw
        self.size += 1


class Learned:
    """Tries by program and store. One for the process."""

    def __init__(self) -> None:
        self._tries: OrderedDict[Hashable, Trie] | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is learned within. May be nested: the outermost counts."""
        if self._tries is not None:
            yield
            self._forget()
            return
        self._tries = OrderedDict()
        try:
            yield
        finally:
            self._tries = None

    def trie(self, program: Program, cells: Cells, now: int) -> Trie:
        """Of a program that may run alone on these cells, at this time."""
        if self._tries is None:
            return Trie()
        key = identity((program.label, program.calls, program.observers, program.frozen_now, dict(cells), now))
        found = self._tries.setdefault(key, Trie())
        self._tries.move_to_end(key)
        return found

    def _forget(self) -> None:
        """Those that were not used for longest, until the rest is small enough."""
        assert self._tries is not None
        size = sum(trie.size for trie in self._tries.values())
        while size > HISTORIES_MAX:
            size -= self._tries.popitem(last=False)[1].size


LEARNED: Final = Learned()

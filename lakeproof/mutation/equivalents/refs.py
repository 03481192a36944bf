"""Equivalent mutants of the flows of branches, tags, commits, dumps."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/refs/tags.py:update_tag",
        "a tag holds nothing but its commit, and an update sets it whatever it was: to overwrite what another has "
        "just written is to come after it",
        Change(
            "weak-predicate",
            "env.store.set_if(uid_partition(repository), keys.tag_key(tag_id), encode(moved), predicate)",
            "env.store.set_if(uid_partition(repository), keys.tag_key(tag_id), encode(moved), weaker(predicate))",
        ),
    ),
    *of(
        "impl/refs/commits.py:new_commit",
        "where the highest of their generations is looked for; in the record the order is seen",
        Change("wrong-order", "parents", "reversed(tuple(parents))"),
    ),
    *of(
        "impl/refs/iterators.py:Iterator.next",
        "each kind of iterator finds nothing if it was closed while it waited: this is the second look",
        Change("one-branch", "None if self._closed else found", "found"),
    ),
    *of(
        "impl/refs/iterators.py:SortedIterator._advance",
        "`next` answers False for an iterator that was closed meanwhile, whatever this finds",
        Change("drop-check", "self._closed", "False"),
    ),
    *of(
        "impl/refs/iterators.py:ScanIterator._release",
        "a closed iterator is not asked any more: its page takes memory, and changes no answer",
        Change("drop-effect", "self._forget(self._first)", ""),
    ),
    *of(
        "impl/refs/iterators.py:CommitIterator._release",
        "a closed iterator is not asked any more: its ids take memory, and change no answer",
        Change("drop-effect", "self._queue.clear()", ""),
        Change("drop-effect", "self._met.clear()", ""),
    ),
    *of(
        "impl/refs/iterators.py:_LeafIterator._release",
        "a closed iterator is not asked any more: its page takes memory, and changes no answer",
        Change("drop-effect", "super()._release()", ""),
    ),
)

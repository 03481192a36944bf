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
    *of(
        "impl/refs/dump.py:_problems",
        "it is asked only whether the default branch is among them",
        Change(
            "wrong-order",
            "refs.branches",
            "reversed(tuple(refs.branches))",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:decode_manifest",
        "both have an element for each part",
        Change(
            "flip-flag",
            "True",
            "False",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:decode_manifest",
        "it is asked only whether all are text",
        Change(
            "wrong-order",
            "ids",
            "reversed(tuple(ids))",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:with_generations",
        "where all have a generation, each keeps its own",
        Change(
            "drop-check",
            "all((stored.commit.generation for stored in by_id.values()))",
            "False",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:with_generations",
        "each commit comes after all of its parents, in whatever order they are given",
        Change(
            "wrong-order",
            "by_id.items()",
            "reversed(tuple(by_id.items()))",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:with_generations",
        "the highest of them counts",
        Change(
            "wrong-order",
            "commit.parents",
            "reversed(tuple(commit.parents))",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:whole_histories",
        "where no ancestry is torn, all commits are kept",
        Change(
            "drop-check",
            "not torn",
            "False",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:whole_histories",
        "what is reached from these, and what is torn, are sets",
        Change(
            "wrong-order",
            "parents.items()",
            "reversed(tuple(parents.items()))",
        ),
        Change(
            "wrong-order",
            "children",
            "reversed(tuple(children))",
        ),
        Change(
            "wrong-order",
            "refs.branches",
            "reversed(tuple(refs.branches))",
        ),
        Change(
            "wrong-order",
            "refs.tags",
            "reversed(tuple(refs.tags))",
        ),
        Change(
            "wrong-order",
            "listed",
            "reversed(tuple(listed))",
        ),
    ),
    *of(
        "impl/refs/dump_format.py:with_generations",
        "it is asked only whether all have a generation",
        Change(
            "wrong-order",
            "by_id.values()",
            "reversed(tuple(by_id.values()))",
        ),
    ),
)

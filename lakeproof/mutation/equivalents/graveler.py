"""Equivalent mutants of the flows of commits, writers, readers, resets, merges; and impl/staging, impl/committed."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/graveler/committing.py:drop_all",
        "no branch names any of these tokens: what is left of them after a crash is garbage in either order",
        Change(
            "wrong-order",
            "tokens",
            "reversed(tuple(tokens))",
        ),
    ),
    *of(
        "impl/graveler/dropping.py:commit.note",
        "the job looks at each note by itself, and the branch changes only after all of them",
        Change(
            "wrong-order",
            "kept",
            "reversed(tuple(kept))",
        ),
    ),
    *of(
        "impl/graveler/listing.py:listing",
        "an entry is compared with the next one alone, and no two have one path",
        Change(
            "one-branch",
            "shown if isinstance(shown, CommonPrefix) else None",
            "shown",
        ),
    ),
    *of(
        "impl/graveler/listing.py:_shown",
        "a change without data is a tombstone, and those were left out before",
        Change(
            "drop-term",
            "change.data or b''",
            "change.data",
        ),
    ),
    *of(
        "impl/graveler/listing.py:list_entries.look",
        "without a delimiter there are entries alone; the test is for the type checker",
        Change(
            "drop-check",
            "isinstance(entry, Entry)",
            "True",
        ),
    ),
    *of(
        "impl/graveler/reading.py:get_entry",
        "what was found has data: a tombstone is not found",
        Change(
            "drop-term",
            "found.data or b''",
            "found.data",
        ),
    ),
    *of(
        "impl/graveler/merging.py:merge",
        "both only read, and the record of the head, which the branch has named, never changes",
        Change(
            "swap-effects",
            "ours = await get_commit(env, repository, branch.commit_id); theirs = await get_commit(env, "
            "repository, await resolve(...",
            "theirs = await get_commit(env, repository, await resolve(env, repository, source)); ours = await "
            "get_commit(env, repo...",
        ),
    ),
    *of(
        "impl/graveler/merging.py:revert",
        "both only read, and the record of the head, which the branch has named, never changes",
        Change(
            "swap-effects",
            "head = await get_commit(env, repository, branch.commit_id); undone = await get_commit(env, "
            "repository, await resolve(...",
            "undone = await get_commit(env, repository, await resolve(env, repository, ref)); head = await "
            "get_commit(env, reposit...",
        ),
    ),
    *of(
        "impl/graveler/merging.py:_clean_branch",
        "the first change ends it",
        Change("only-first", "changes(env, branch.tokens)", "only_first(changes(env, branch.tokens))"),
    ),
    *of(
        "impl/committed/peeking.py:Peekable.peek",
        "the loop ends after the first item as it is",
        Change("only-first", "self._items", "only_first(self._items)"),
    ),
    *of(
        "impl/committed/writing.py:apply_changes",
        "a set of the same ids",
        Change("wrong-order", "infos", "reversed(tuple(infos))"),
    ),
    *of(
        "impl/graveler/merging.py:merge_base",
        "the sides are marks that are added up, in either order",
        Change(
            "wrong-order",
            "((1, one), (2, other))",
            "reversed(tuple(((1, one), (2, other))))",
        ),
    ),
    *of(
        "impl/graveler/merging.py:merge_base",
        "which commit is next is chosen among all that are known; records never change",
        Change(
            "wrong-order",
            "at.parents",
            "reversed(tuple(at.parents))",
        ),
    ),
    *of(
        "impl/graveler/resetting.py:_restore.beaten",
        "nobody names the restoration: its entries are deleted in either order",
        Change(
            "wrong-order",
            "paths",
            "reversed(tuple(paths))",
        ),
    ),
    *of(
        "impl/graveler/resetting.py:_reset_in_place.write",
        "each path is reset by itself; a reset that stopped may have reset any of them",
        Change(
            "wrong-order",
            "paths",
            "reversed(tuple(paths))",
        ),
    ),
    *of(
        "impl/graveler/locked.py:_lock",
        "nobody reads the owner of a lock without a lease",
        Change(
            "one-branch",
            "env.ids.unique('lock').encode() if lease else b'locked'",
            "env.ids.unique('lock').encode()",
        ),
    ),
    *of(
        "impl/graveler/lock_free.py:take.change",
        "a commit that was made has tokens that are still sealed: where they are not, `beaten` has forgotten it",
        Change(
            "drop-term",
            "made is None and (not kept) and (reading.taken == 'head')",
            "not kept and reading.taken == 'head'",
        ),
    ),
    *of(
        "impl/committed/comparing.py:_differences",
        "what is next is the lowest of both paths, in either order",
        Change("wrong-order", "(before, after)", "reversed(tuple((before, after)))"),
    ),
    *of(
        "impl/committed/comparing.py:_ids",
        "a set of the same ids",
        Change("wrong-order", "infos", "reversed(tuple(infos))"),
    ),
    *of(
        "impl/committed/comparing.py:merge",
        "a change to what the destination has already changes nothing, and its range was read to see that",
        Change("always", "not same(after, theirs)", "True"),
    ),
    *of(
        "impl/graveler/restoring.py:restorations_over",
        "the newest token that a committer takes is the one that it has sealed itself, which is no restoration",
        Change(
            "off-by-one",
            "len(branch.sealed_tokens) - len(taken)",
            "len(branch.sealed_tokens) - len(taken) + 1",
        ),
    ),
    *of(
        "impl/graveler/restoring.py:restorations_over",
        "what is found is compared with what this function has found before, and read as a set of paths",
        Change("wrong-order", "newer", "reversed(tuple(newer))"),
    ),
    *of(
        "impl/graveler/restoring.py:restored_paths",
        "a set of the same paths: what a restoration holds does not change once a branch names it",
        Change("wrong-order", "restorations", "reversed(tuple(restorations))"),
    ),
    *of(
        "impl/graveler/restoring.py:as_in_head",
        "a head never changes, and nothing names the restoration before all of it is staged",
        Change("wrong-order", "paths", "reversed(tuple(paths))"),
    ),
    *of(
        "impl/graveler/layers.py:_merged",
        "it is asked only whether any is left, and for the least path",
        Change("wrong-order", "heads", "reversed(tuple(heads))"),
    ),
)

"""Equivalent mutants of the flows of lakeFS as it is today."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ASKS_FOR_PRESENCE: Final = Change(
    "weak-predicate",
    "stage_if(env, branch.staging_token, tombstone(path), kv.EXISTS)",
    "stage_if(env, branch.staging_token, tombstone(path), weaker(kv.EXISTS))",
)
NOT_LOOKED_AT: Final = (
    "what an operation returns says whether it has written; `safe_branch_write` looks at that only where it is asked "
    "to be careful, and here it is not"
)

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/upstream/collecting.py:prepare_uncommitted",
        "a set of the same addresses",
        Change("wrong-order", "changes", "reversed(tuple(changes))"),
    ),
    *of(
        "impl/upstream/collecting.py:prepare_commits",
        "a set: what is in it may be added once more",
        Change(
            "drop-term",
            "commit_id not in active and child.creation_date > threshold",
            "child.creation_date > threshold",
        ),
    ),
    *of(
        "impl/upstream/commits.py:commit.change",
        "with nothing sealed there are no changes, the metarange stays what it is, without any effect, and that is "
        "refused by the same error",
        Change("drop-check", "not branch.sealed_tokens and (not allow_empty)", "False"),
    ),
    *of(
        "impl/upstream/compaction.py:base_of",
        "a branch names one compaction at most: the next one takes its place",
        Change("wrong-order", "branch.sealed_tokens", "reversed(tuple(branch.sealed_tokens))"),
    ),
    *of("impl/upstream/compaction.py:delete_entry.remove", "it asks for presence alone", ASKS_FOR_PRESENCE),
    *of("impl/upstream/entries.py:_bury", "it asks for presence alone", ASKS_FOR_PRESENCE),
    *of("impl/upstream/entries.py:set_entry.write", NOT_LOOKED_AT, Change("flip-flag", "True", "False")),
    *of(
        "impl/upstream/entries.py:get_entry",
        "what was found has data: a tombstone is not found",
        Change("drop-term", "found.data or b''", "found.data"),
    ),
    *of(
        "impl/upstream/imports.py:cancel_import",
        "nothing deletes the record of an import, and this call has just read it",
        Change("drop-term", "now is None or now.value != CANCELED", "now.value != CANCELED"),
    ),
    *of(
        "impl/upstream/imports.py:import_entry.change",
        "what is written in between is named by no branch yet: the date of a commit may be any moment within the call",
        Change(
            "swap-effects",
            "meta_range_id = await apply_changes(env, repository.storage_namespace, head.meta_range_id, [entry]); "
            "now = await env....",
            "now = await env.clock.now(); meta_range_id = await apply_changes(env, repository.storage_namespace, "
            "head.meta_range_i...",
        ),
    ),
    *of(
        "impl/upstream/merging.py:merge.change",
        "what is written in between is named by no branch yet: the date of a commit may be any moment within the call",
        Change(
            "swap-effects",
            "meta_range_id = await merge_committed(env, repository.storage_namespace, base=base.meta_range_id, "
            "source=theirs.meta_...",
            "now = await env.clock.now(); meta_range_id = await merge_committed(env, repository.storage_namespace, "
            "base=base.meta_...",
        ),
    ),
)

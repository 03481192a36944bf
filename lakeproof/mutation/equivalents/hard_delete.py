"""Equivalent mutants of the flows of hard delete, offline and online; and impl/catalog."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/hard_delete/_journal.py:home",
        "without a slash the token is empty, and no branch has such a token, nor an empty name",
        Change(
            "drop-term",
            "slash and address.startswith(DATA_PREFIX)",
            "address.startswith(DATA_PREFIX)",
        ),
    ),
    *of(
        "impl/hard_delete/_journal.py:settle",
        "the condition is that the key is there, already",
        Change(
            "weak-predicate",
            "env.store.try_set_if(uid_partition(repository) + ADDRESSES, _key(token, name), settled, kv.EXISTS)",
            "env.store.try_set_if(uid_partition(repository) + ADDRESSES, _key(token, name), settled, "
            "weaker(kv.EXISTS))",
        ),
    ),
    *of(
        "impl/hard_delete/_one_entry.py:locked",
        "the bytes of an entry have its metadata sorted, and nothing else is made of it",
        Change(
            "wrong-order",
            "sorted((*unlocked(entry).metadata, (LOCKED, mark)))",
            "(*unlocked(entry).metadata, (LOCKED, mark))",
        ),
    ),
    *of(
        "impl/hard_delete/_one_entry.py:freed",
        "an entry that is not there has no mark",
        Change(
            "drop-term",
            "entry is None or mark is None",
            "mark is None",
        ),
    ),
    *of(
        "impl/hard_delete/_reaping.py:Reaper._branch",
        "without a return the function answers None as well",
        Change(
            "ignore-error",
            "except BranchNotFound: return None",
            "pass",
        ),
    ),
    *of(
        "impl/hard_delete/_reaping.py:Reaper._close",
        "the first row ends the function",
        Change(
            "only-first",
            "journal.scan_issued(self.env, self.repository, token, 1)",
            "only_first(journal.scan_issued(self.env, self.repository, token, 1))",
        ),
    ),
    *of(
        "impl/hard_delete/_reference_states.py:references",
        "without any reference there is an empty group, and the job finds nothing due in it",
        Change(
            "always",
            "together",
            "True",
        ),
    ),
    *of(
        "impl/hard_delete/_staging_area.py:list_objects.look",
        "each path is there once, and the listing is sorted afterwards",
        Change(
            "wrong-order",
            "changes.items()",
            "reversed(tuple(changes.items()))",
        ),
    ),
    *of(
        "impl/hard_delete/_tokens.py:commit_tokens",
        "no proposal that commits so makes a restoration, and what this call combines does not look at one",
        Change(
            "flip-flag",
            "False",
            "True",
        ),
    ),
    *of(
        "impl/hard_delete/no_copies.py:move_object",
        "an entry that is held has a value",
        Change(
            "drop-term",
            "held.entry is None or held.value is None",
            "held.entry is None",
        ),
    ),
    *of(
        "impl/hard_delete/no_copies.py:_free",
        "without a return the function answers None as well",
        Change(
            "ignore-error",
            "except EntryLocked: return None",
            "pass",
        ),
    ),
    *of(
        "impl/hard_delete/object_path.py:copy_object",
        "what is found is named relative to the namespace: all that is staged lies in it",
        Change(
            "forget-field",
            "attrs.evolve(found, address=relative, address_type=AddressType.RELATIVE)",
            "attrs.evolve(found, address=relative)",
        ),
    ),
    *of(
        "impl/hard_delete/object_path.py:delete_object",
        "it is asked only whether the address is among these",
        Change(
            "wrong-order",
            "branch.tokens",
            "reversed(tuple(branch.tokens))",
        ),
    ),
    *of(
        "impl/hard_delete/object_path.py:commit",
        "this proposal makes no restoration, and what this call combines does not look at one",
        Change(
            "flip-flag",
            "False",
            "True",
        ),
    ),
    *of(
        "impl/hard_delete/object_path.py:commit.combine",
        "the date of a commit is that of some moment of the call: no reader can tell before or after "
        "the ranges were written",
        Change(
            "swap-effects",
            "meta_range_id = await apply_changes(env, namespace, head.meta_range_id, "
            "list(changes.values())); now = await env.cloc...",
            "now = await env.clock.now(); meta_range_id = await apply_changes(env, namespace, "
            "head.meta_range_id, list(changes.val...",
        ),
    ),
    *of(
        "impl/hard_delete/offline.py:_committed",
        "a metarange never changes: read again, it is the same",
        Change(
            "drop-effect",
            "read.add(commit.meta_range_id)",
            "",
        ),
        Change(
            "always",
            "commit.meta_range_id not in read",
            "True",
        ),
    ),
    *of(
        "impl/hard_delete/offline.py:commit",
        "nothing follows in the loop: it goes on either way",
        Change(
            "ignore-error",
            "except _Overwritten: continue",
            "pass",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:commit.marking",
        "a reference becomes committed by `Set`, whether it was there or not",
        Change(
            "flip-flag",
            "True",
            "False",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:background_job",
        "it is asked only whether any of them is committed",
        Change(
            "wrong-order",
            "found",
            "reversed(tuple(found))",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:background_job",
        "the references of one address are one group",
        Change(
            "only-first",
            "references(env, repository, found[0].address)",
            "only_first(references(env, repository, found[0].address))",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:_is_due",
        "it is asked whether any of them is not deleted, and for the oldest or newest time",
        Change(
            "wrong-order",
            "found",
            "reversed(tuple(found))",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:_drop",
        "the first is for tombstones, and the second for all others",
        Change(
            "swap-effects",
            "if each.data is None and reading.tombstones == 'remove': ...; await _mark(env, repository, "
            "entry_of(each), token, Sta...",
            "await _mark(env, repository, entry_of(each), token, State.DELETED, "
            "creates=reading.creates); if each.data is None and...",
        ),
    ),
    *of(
        "impl/hard_delete/reference_tracking.py:_forget_deleted",
        "an object has one reference for each token, and it is asked for one token",
        Change(
            "wrong-order",
            "found",
            "reversed(tuple(found))",
        ),
    ),
    *of(
        "impl/catalog/objects.py:unless_gone",
        "without a return the function answers None as well",
        Change(
            "ignore-error",
            "except PathNotFound: return",
            "pass",
        ),
    ),
)

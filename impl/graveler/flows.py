"""The flows of a branch whose commits are lock-free, as a value. Here, because `merging` builds on `lock_free`."""

from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import lock_free, merges, reads, resets, writes
from lakeproof.impl.refs import branches

FLOWS = BranchFlows(
    commit=lock_free.commit,
    set_entry=writes.set_entry,
    set_entries=writes.set_entries,
    delete_entry=writes.delete_entry,
    create_entry=writes.create_entry,
    replace_entry=writes.replace_entry,
    get_entry=reads.get_entry,
    list_entries=reads.list_entries,
    reset_branch=resets.reset_branch,
    reset_entry=resets.reset_entry,
    reset_prefix=resets.reset_prefix,
    create_branch=branches.create_branch,
    delete_branch=branches.delete_branch,
    merge=merges.merge,
    revert=merges.revert,
)

"""The flows of a branch whose commits are lock-free, as a value. Here, because `merging` builds on `lock_free`."""

from lakeproof.impl.flows import BranchFlows
from lakeproof.impl.graveler import lock_free, merging, reading, resetting, writing
from lakeproof.impl.refs import branches

FLOWS = BranchFlows(
    commit=lock_free.commit,
    set_entry=writing.set_entry,
    set_entries=writing.set_entries,
    delete_entry=writing.delete_entry,
    create_entry=writing.create_entry,
    replace_entry=writing.replace_entry,
    get_entry=reading.get_entry,
    list_entries=reading.list_entries,
    reset_branch=resetting.reset_branch,
    reset_entry=resetting.reset_entry,
    reset_prefix=resetting.reset_prefix,
    create_branch=branches.create_branch,
    delete_branch=branches.delete_branch,
    merge=merging.merge,
    revert=merging.revert,
)

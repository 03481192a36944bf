"""The flows of a branch as the code has them, as a value; and with all repairs."""

from lakefs_today import branches, commits, entries, merging, resetting
from lakeproof.impl.flows import BranchFlows, bind_reading

FLOWS = BranchFlows(
    commit=commits.commit,
    set_entry=entries.set_entry,
    set_entries=entries.set_entries,
    delete_entry=entries.delete_entry,
    create_entry=entries.create_entry,
    replace_entry=entries.replace_entry,
    get_entry=entries.get_entry,
    list_entries=entries.list_entries,
    reset_branch=resetting.reset_branch,
    reset_entry=resetting.reset_entry,
    reset_prefix=resetting.reset_prefix,
    create_branch=branches.create_branch,
    delete_branch=branches.delete_branch,
    merge=merging.merge,
    revert=merging.revert,
)

MENDED = bind_reading(FLOWS, rereads=True, careful=True, knows_its_own=True, waits=True)

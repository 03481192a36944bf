"""A branch's data: staged entries over committed ones, and the flows that write, read, commit, reset and merge them."""

"""Which commits are active, over arrays: `lakeproof.model.retention.active` for millions of commits of many
repositories.

A commit is an index; ``parent`` holds the index of its first parent, -1 where there is none or it is missing. Dates and
thresholds are microseconds since 1970. Repositories need no name here: no line leads from one to another. The
readings are the model's defaults: a dummy child for every dangling commit, and a line stops at the first commit that is
not after its threshold. Generations are not looked at, dates are only compared with thresholds, and nothing depends on
the order of commits or heads; so damaged data, cycles included, cannot make it wrong or endless.

Why one visit of a commit is enough. A line with threshold t goes on from a commit to its parent if the commit's date is
after t. If two lines with t <= u are alive at a commit, then wherever the second goes on, the first does, for a date
after u is after t. So the least threshold that is alive at a commit keeps all that any line keeps from there on.
Starts are taken by ascending threshold; the first one that comes to a commit is the least, and each later one may end
there, once it has marked the commit itself, which is marked already.

Why dangling commits need no walk. What is on the line of a head has its first parent on that line, so a line never
leaves the lines of heads for a dangling commit. A dangling commit is therefore reached only from dangling ones, which
all have the default threshold t and a dummy of their own: it is kept if it is after t itself, or a dangling child is.
Where the parent of such a child is on a head's line, one more line with threshold t starts at the parent.

Cost: O(commits + starts * log starts) time, some 30 bytes a commit.
Source: committed-object-retention.md; docs/designs/retention.md.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Indices = npt.NDArray[np.int64]
Dates = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def active(
    parent: Indices,
    date: Dates,
    heads: Indices,
    thresholds: Dates,
    default: Dates,
    tagged: Indices | None = None,
) -> Flags:
    """The commits that a head, a tag or a dummy keeps.

    heads, thresholds: the commit of each branch (-1: missing, keeps nothing) and the branch's threshold.
    default: threshold of hypothetical heads, for each commit.
    tagged: commits that are kept as such (-1: missing), and nothing behind them.
    """
    there = heads >= 0  # a head without a record keeps nothing
    heads, thresholds = heads[there], thresholds[there]
    lines = on_lines(parent, heads)
    young = np.flatnonzero(~lines & (date > default))  # dangling, and kept by their dummies
    below = parent[young]
    joins = below >= 0  # of the young ones, those whose parent is on the line of a head
    joins[joins] = lines[below[joins]]

    kept = np.zeros(len(parent), dtype=np.uint8)
    # A dangling commit that is kept by its dummy keeps its parent. If the parent is on a line, the walk goes on there.
    starts = np.concatenate([heads, below[joins]])
    limits = np.concatenate([thresholds, default[young][joins]])
    by_limit = np.argsort(limits, kind="stable")  # least threshold first: see the module's second paragraph
    # Items of a memoryview are Python's own integers: in this loop they are read faster than items of an array.
    up, dates, marked = parent.data, date.data, kept.data
    for one, limit in zip(starts[by_limit].tolist(), limits[by_limit].tolist(), strict=True):
        while one >= 0 and not marked[one]:
            marked[one] = 1
            # The date decides about the way to the parent only; the commit itself is marked.
            if dates[one] <= limit:
                break
            one = up[one]

    # Only after the walks: a mark that was set before would end a line at its first commit.
    kept[young] = 1
    kept[below[below >= 0]] = 1  # each is the parent of a commit that is dated after its threshold
    if tagged is not None:
        kept[tagged[tagged >= 0]] = 1
    return kept.view(np.bool_)  # the bytes are 0 or 1, so no copy is needed


def on_lines(parent: Indices, heads: Indices) -> Flags:
    """The commits that are on a line of first parents from a head; all others are dangling."""
    seen = np.zeros(len(parent), dtype=np.uint8)
    up, marked = parent.data, seen.data
    for one in heads.tolist():
        while one >= 0 and not marked[one]:
            marked[one] = 1
            one = up[one]
    return seen.view(np.bool_)


def older_than_parent(parent: Indices, date: Dates) -> Flags:
    """The commits whose first parent has a later date."""
    return (parent >= 0) & (date < date[parent])


def on_cycles(parent: Indices, date: Dates) -> Flags:
    """The commits that are their own ancestors over first parents.

    Every cycle has a commit that is not younger than its parent, so only lines from those are walked, each commit once.
    """
    found = np.zeros(len(parent), dtype=np.bool_)
    suspects = np.flatnonzero((parent >= 0) & (date <= date[parent]))
    walks = np.zeros(len(parent), dtype=np.int64)  # which walk came first, from 1
    up, walked = parent.data, walks.data
    for number, start in enumerate(suspects.tolist(), start=1):
        one = start
        # A line that ends at an earlier walk closes no new cycle: that walk has found the cycle behind it, if any.
        while one >= 0 and not walked[one]:
            walked[one] = number
            one = up[one]
        if one >= 0 and walked[one] == number:  # came back to where it has been: a cycle through there
            at = one
            while not found[at]:
                found[at] = True
                at = up[at]
    return found


def find(keys: pa.Array, *wanted: pa.Array) -> list[Indices]:
    """Of each array where each of its keys is; of equal ones the first; -1 if it is not there. Cost: one hash table."""
    found = pc.index_in(pa.chunked_array(wanted, keys.type), keys).fill_null(-1).to_numpy().astype(np.int64)
    return np.split(found, np.cumsum([len(each) for each in wanted])[:-1])

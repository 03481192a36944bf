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

Cost: O(commits + starts * log starts) time, some 30 bytes a commit. Lines are walked side by side while there are many,
and one by one when few are left.
Source: committed-object-retention.md; docs/designs/retention.md.
"""

from itertools import pairwise
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Dates = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

WIDE: Final = 64
"""So many lines are worth one vector operation; below that, each is walked by itself."""
_LARGE: Final = 1 << 17
_FOREVER: Final = np.iinfo(np.int64).min


def active(
    parent: Indices,
    date: Dates,
    heads: Indices,
    thresholds: Dates,
    default: Dates | int,
    tagged: Indices | None = None,
) -> Flags:
    """The commits that a head, a tag or a dummy keeps.

    heads, thresholds: the commit of each branch (-1: missing, keeps nothing) and the branch's threshold.
    default: threshold of hypothetical heads, for all commits or for each.
    tagged: commits that are kept as such (-1: missing), and nothing behind them.
    """
    if not _is_narrow(date, heads):
        return _active(parent, date, heads, thresholds, default, tagged)
    # Few, long lines: with neighbours beside each other a walk is several times as fast.
    # Newest first: a first parent then mostly lies just behind its child, often in the same cache line.
    order = np.argsort(date)[::-1]
    place = np.empty_like(order)  # the inverse permutation: old index to new index
    place[order] = np.arange(len(order))
    found = _active(
        _move(place, parent[order]),
        date[order],
        _move(place, heads),
        thresholds,
        default if isinstance(default, int) else default[order],
        None if tagged is None else _move(place, tagged),
    )
    return found[place]  # back in the order of the caller


def _is_narrow(date: Dates, heads: Indices) -> bool:
    # Fewer than one line in 2,048 commits: most steps are then taken one by one. If no date rises, the commits are in
    # this order already.
    return len(date) >= _LARGE and len(heads) * _LARGE < len(date) * WIDE and bool((date[1:] > date[:-1]).any())


def _move(place: Indices, indices: Indices) -> Indices:
    # `np.where` evaluates both sides: -1 reads the last place, which is then discarded.
    return np.where(indices >= 0, place[indices], -1)


def _active(
    parent: Indices, date: Dates, heads: Indices, thresholds: Dates, default: Dates | int, tagged: Indices | None
) -> Flags:
    there = heads >= 0  # a head without a record keeps nothing
    heads, thresholds = heads[there], thresholds[there]
    lines = on_lines(parent, heads)
    default = np.broadcast_to(np.asarray(default, dtype=np.int64), date.shape)
    young = np.flatnonzero(~lines & (date > default))  # dangling, and kept by their dummies
    below = parent[young]
    joins = below >= 0  # of the young ones, those whose parent is on the line of a head
    joins[joins] = lines[below[joins]]

    kept = np.zeros(len(parent), dtype=np.uint8)
    # A dangling commit that is kept by its dummy keeps its parent. If the parent is on a line, the walk goes on there.
    starts = np.concatenate([heads, below[joins]])
    limits = np.concatenate([thresholds, default[young][joins]])
    by_limit = np.argsort(limits, kind="stable")  # least threshold first: see the module's second paragraph
    starts, limits = starts[by_limit], limits[by_limit]
    bounds = [0, *(np.flatnonzero(limits[1:] != limits[:-1]) + 1), len(limits)] if len(limits) else [0]
    for begin, end in pairwise(bounds):
        _walk(parent, date, int(limits[begin]), starts[begin:end], kept)

    # Only after the walks: a mark that was set before would end a line at its first commit.
    kept[young] = 1
    kept[below[below >= 0]] = 1  # each is the parent of a commit that is dated after its threshold
    if tagged is not None:
        kept[tagged[tagged >= 0]] = 1
    return kept.view(np.bool_)  # the bytes are 0 or 1, so no copy is needed


def on_lines(parent: Indices, heads: Indices) -> Flags:
    """The commits that are on a line of first parents from a head; all others are dangling."""
    seen = np.zeros(len(parent), dtype=np.uint8)
    _walk(parent, None, _FOREVER, heads[heads >= 0], seen)
    return seen.view(np.bool_)


def _walk(parent: Indices, date: Dates | None, threshold: int, at: Indices, seen: npt.NDArray[np.uint8]) -> None:
    """Mark all that lines lead to, up to what is marked already. date: a line goes on from what is after the threshold;
    None: from everything."""
    # The array is not initialised: an element is only read after this step has written it.
    claims = np.empty(len(parent), dtype=np.int32) if len(at) >= WIDE else None
    while len(at) >= WIDE:
        at = at[seen[at] == 0]
        assert claims is not None
        numbers = np.arange(len(at), dtype=np.int32)
        claims[at] = numbers  # of equal indices the last assignment stays
        at = at[claims[at] == numbers]  # of lines that meet, one goes on
        seen[at] = 1
        # The date decides about the way to the parent only; the commit itself is marked above.
        if date is not None:
            at = at[date[at] > threshold]
        at = parent[at]
        at = at[at >= 0]
    # Items of a memoryview are Python's own integers: in this loop they are read faster than items of an array.
    up, marked = parent.data, seen.data
    dates = None if date is None else date.data
    for each in at.tolist():
        one = each
        while one >= 0 and not marked[one]:
            marked[one] = 1
            if dates is not None and dates[one] <= threshold:
                break
            one = up[one]


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


@attrs.frozen(eq=False)
class Places:
    """Keys, made ready to be looked up. Keys are fingerprints: what is found must be confirmed. Cost: one sort."""

    keys: Indices
    _order: Indices
    _ascending: Indices

    @classmethod
    def of(cls, keys: Indices) -> "Places":
        order = np.argsort(keys, kind="stable")
        return cls(keys, order, keys[order])

    def find(self, wanted: Indices) -> Indices:
        """Where each wanted key is; of equal ones the first; -1 if it is not there. Cost: one more sort."""
        found = np.full(len(wanted), -1, dtype=np.int64)
        if len(self.keys):
            # A binary search for ascending values reads memory in order, which outweighs the cost of the sort.
            by_key = np.argsort(wanted)
            ascending = wanted[by_key]
            place = np.searchsorted(self._ascending, ascending)
            place[place == len(self.keys)] = 0  # greater than all keys: any index does, the comparison fails
            found[by_key] = np.where(self._ascending[place] == ascending, self._order[place], -1)
        return found

    def neighbours(self) -> tuple[Indices, Indices]:
        """Of each two keys that are equal and next to each other in order: where they are."""
        same = np.flatnonzero(self._ascending[1:] == self._ascending[:-1])
        return self._order[same], self._order[same + 1]

"""Who can have hidden a value: another block of the same register, that comes after it and in time.

A part of `lakeproof.model.linearizability.zones`: where a "not this value" says that something was hidden by then, and
several blocks could have done it, one is chosen. Any choice that leads to a layout will do.

Example: block 0 is written by operation 0, whose value an operation must not see any more by time 10. Block 1 must be
there at 5, and its writer is called at 4.5, after all of block 0 was called: it can hide block 0. Block 2 is over at
2.5, before block 0 is: it cannot.

>>> blocks = Hiders(spans=[(1, 4), (5, 8), (2, 2.5)], roots=[0, 1, 2], spare=[])
>>> [writer for writer, _, _ in blocks.find(0, 10, Times([0, 4.5, 1], [1, 5, 2.5]))]
[1]
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.model.linearizability.layout import START, Span

_TRIED: Final = 64
_NEXT: Final = 12

Hider = tuple[int, float, float]
"""The first writer of a block that can hide another one; when that one must be over, and when this one begins at the
earliest."""
MOMENT: Final = 0.5
"""Between two events."""


@attrs.frozen(eq=False)
class Times:
    """What the choices so far have left: by operation its call and return."""

    calls: list[float]
    returns: list[float]


class Hiders:
    """The blocks of a layout, as those who may hide one another. roots: by block, its first writer. spare: writes that
    are not known to have happened, with their calls, in the order of these."""

    def __init__(self, spans: Sequence[Span], roots: Sequence[int], spare: Sequence[tuple[float, int]]) -> None:
        self.spans, self.roots, self.spare = spans, roots, spare
        # Sorted by the begin of the zone: of a forward one the earliest return, of a backward one the latest call.
        self.forward = sorted((end, latest, block) for block, (end, latest) in enumerate(spans) if end < latest)
        self.backward = sorted((latest, end, block) for block, (end, latest) in enumerate(spans) if end >= latest)

    def find(self, block: int, deadline: float, times: Times) -> Iterator[Hider]:
        """Who could, the likely ones first: best after all of the hidden block could be over; else when all of it has
        been called and there was a moment for it, which makes it first; else by an unknown write. Cost:
        O(log n) for each."""
        # At `first` all of the block is called: it can be over if its return is moved; at `last`, as it is.
        first, last = self.spans[block][1], max(self.spans[block])
        yield from self._backward(block, last, deadline, times)
        following = bisect_left(self.forward, (last, 0, 0))
        for _, latest, other in reversed(self.forward[max(following - _NEXT, 0) : following + _NEXT]):
            root = self.roots[other]
            # A forward block that comes after this one hides it, if only its writer is called before the deadline.
            # START can hide nothing: nothing comes before it.
            if other != block and root != START and latest > first and times.calls[root] < deadline:
                yield root, latest - MOMENT / 2, times.calls[root]
        past = self._past(first, block)
        if past < last:
            yield from self._backward(block, past, deadline, times)
        yield from self._spare(last, deadline)

    def _backward(self, block: int, over: float, deadline: float, times: Times) -> Iterator[Hider]:
        at = bisect_left(self.backward, (deadline, 0, 0))
        # A bounded number of candidates keeps the whole O(n log n); what is not tried makes zones undecided, not wrong.
        for _, end, other in self.backward[max(at - _TRIED, 0) : at + _NEXT]:
            root = self.roots[other]
            if end > over and other != block and root != START:
                begin, until = max(over, times.calls[root]), min(deadline, end, times.returns[root])
                if begin < until:
                    # Event numbers are whole, so that halves lie between two events.
                    yield root, begin + MOMENT / 2, begin + MOMENT

    def _spare(self, over: float, deadline: float) -> Iterator[Hider]:
        last = bisect_left(self.spare, (deadline, START))
        for call, i in reversed(self.spare[max(last - _TRIED, 0) : last]):
            begin = max(over, call)
            if begin < deadline:
                yield i, begin + MOMENT / 2, begin + MOMENT

    def _past(self, moment: float, block: int) -> float:
        """The first moment from this one on that no forward zone of another block holds."""
        inside = bisect_left(self.forward, (moment, 0, 0)) - 1
        if inside >= 0 and self.forward[inside][2] != block and self.forward[inside][1] > moment:
            return self.forward[inside][1]
        return moment

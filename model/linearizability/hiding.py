"""Who can have hidden a value: another block of the same register, that comes after it and in time.

A part of `model.linearizability.zones`: where a "not this value" says that something was hidden by then, and several
blocks could have done it, one is chosen. Any choice that leads to a layout will do.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Final

import attrs

START: Final = -1
"""The number of the operation that wrote the initial value, before all others."""
_TRIED: Final = 64
_NEXT: Final = 12

Span = tuple[float, float]
"""Of a block: its earliest return, its latest call."""
Hider = tuple[int, float]
"""The first writer of a block that can hide another one, and the event that it comes after."""


@attrs.frozen(eq=False)
class Times:
    """What the choices so far have left: by operation its call and return, and whether it happened."""

    calls: Sequence[float]
    returns: Sequence[float]
    happened: bytearray


class Hiders:
    """The blocks of a layout, as those who may hide one another. roots: by block, its first writer. spare: writes that
    are not known to have happened, with their calls, in the order of these."""

    def __init__(self, spans: Sequence[Span], roots: Sequence[int], spare: Sequence[tuple[float, int]]) -> None:
        self.spans, self.roots, self.spare = spans, roots, spare
        self.forward = sorted((end, latest, block) for block, (end, latest) in enumerate(spans) if end < latest)
        self.backward = sorted((latest, end, block) for block, (end, latest) in enumerate(spans) if end >= latest)

    def find(self, block: int, deadline: float, times: Times, barred: Collection[int]) -> Hider | None:
        """Best after all of the hidden block could be over; else when all of it has been called and there was a moment
        for it, which makes it first; else by a write that nobody knows of. Cost: O(log n)."""
        forward, spans, roots = self.forward, self.spans, self.roots
        at = bisect_left(self.backward, (deadline, 0, 0))
        near = self.backward[max(at - _TRIED, 0) : at + _TRIED]
        following = bisect_left(forward, (max(spans[block]), 0, 0))
        for over in sorted({max(spans[block]), self._past(spans[block][1], block)}, reverse=True):
            for latest, end, other in near:
                root = roots[other]
                if other != block and root != START and root not in barred:
                    begin, until = max(over, times.calls[root]), min(deadline, end, times.returns[root])
                    if begin < until and self._free(max(begin, latest), until, latest):
                        return root, begin
            for end, _, other in forward[max(following - _NEXT, 0) : following + 1]:
                root = roots[other]
                begin, until = max(over, times.calls[root]), min(deadline, end, times.returns[root])
                if other != block and root != START and root not in barred and begin < until:
                    return root, begin
        return self._spare(max(spans[block]), deadline, times, barred)

    def _spare(self, over: float, deadline: float, times: Times, barred: Collection[int]) -> Hider | None:
        last = bisect_left(self.spare, (deadline, START))
        for call, i in reversed(self.spare[max(last - _TRIED, 0) : last]):
            begin = max(over, call)
            if i not in barred and not times.happened[i] and begin < deadline and self._free(begin, deadline, begin):
                return i, begin
        return None

    def _past(self, moment: float, block: int) -> float:
        """The first moment from this one on that no forward zone of another block holds."""
        inside = bisect_left(self.forward, (moment, 0, 0)) - 1
        if inside >= 0 and self.forward[inside][2] != block and self.forward[inside][1] > moment:
            return self.forward[inside][1]
        return moment

    def _free(self, begin: float, until: float, latest: float) -> bool:
        """Whether there is a moment between two that no forward zone holds; if none is left, whether none holds what
        then becomes a zone, up to the latest call."""
        inside = bisect_left(self.forward, (max(begin, latest), 0, 0)) - 1
        return inside < 0 or self.forward[inside][1] < until

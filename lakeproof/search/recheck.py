"""Judging some states once more, in another order: an invariant that remembers what it saw answers otherwise then.

The search puts an invariant to each distinct projection once, in an order of its own. So an invariant must be a
function of what it is given. Few of its answers are kept (16 to 31 of each, evenly spread over the search); at the end
the same questions are put again, the last one first. This is a test and no proof: a memory that does not show then is
not found.
"""

from collections.abc import Callable
from typing import Final

import attrs

from lakeproof.scenario import ScenarioError

KEPT: Final = 16
"""So many answers are kept of each invariant, at least, if there are so many."""

PURE: Final = (
    "invariants must be functions of what they are given: no clock, no random, nothing that they remember from one "
    "state to the next. A Monitor's state can remember"
)


@attrs.define
class _Sample:
    """Every ``stride``-th question with its answer."""

    met: int = 0
    stride: int = 1
    kept: list[tuple[Callable[[], object], object]] = attrs.field(factory=list)


class Again:
    """Answers of invariants, some of which are computed again."""

    def __init__(self) -> None:
        self._samples: dict[tuple[str, str], _Sample] = {}

    def take(self, name: str, what: str, ask: Callable[[], object], answer: object) -> None:
        """Take in that ``ask`` has given this answer. name, what: of the invariant, and its argument."""
        # By argument as well: a monitor answers other questions than an invariant of the same id would.
        sample = self._samples.setdefault((name, what), _Sample())
        if sample.met % sample.stride == 0:
            sample.kept.append((ask, answer))
            # From now on only every second one comes as well, so what is kept stays evenly spread over the search.
            if len(sample.kept) == 2 * KEPT:
                del sample.kept[1::2]
                sample.stride *= 2
        sample.met += 1

    def check(self) -> None:
        """Ask again, the last one first.

        Raises:
            ScenarioError: an answer differs; names the invariant.
        """
        for (name, _), sample in self._samples.items():
            # The other way round: a memory that has grown in the order of the search does not fit.
            for ask, answer in reversed(sample.kept):
                if ask() != answer:
                    raise ScenarioError(f"invariant {name!r}: judges the same otherwise at a second call; {PURE}")

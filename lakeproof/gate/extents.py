"""What a request may touch in any schedule: the sum of what it has touched in those so far.

Example: ``BLPOP b a`` (r) reads ``a`` only where ``b`` is empty. One client pushes to ``a`` (p), another one to ``b``
(q). p and q are independent, p and r are not. After q, r touches ``b`` alone, and seems to be independent of p. The
search must not believe that: it looks for other orders by the races that it sees, and none would lead from a schedule
with q first to one in which r finds what p has pushed. Source sets are defined over a relation in which what depends on
p still does after a step that is independent of p (property 7 of the paper that `lakeproof.gate.classes` follows). So r
touches ``a`` in all schedules once it was seen to in one.

A condition on the key itself needs none of this: who changes that key has a conflict with p, too. So `SET n NX` may
read in one schedule and write in another one.

Cost: constant for a run in which nothing is new; else quadratic in the number of different requests.
"""

from collections.abc import Sequence

import attrs

from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.gate.names import NAME, blank_minted
from lakeproof.gate.walks import Choice, Name, Taken


def kinds(footprint: Footprint) -> set[tuple[str, str, bool]]:
    """What two runs have in common of a footprint, whatever they mint, and whichever client is the first to name it."""
    return {(each.touch.value, NAME.sub("<>", blank_minted(each.key)), each.prefix) for each in footprint}


@attrs.define
class Extents:
    """What is known of the requests of a program."""

    more: dict[Choice, Footprint] = attrs.field(factory=dict)
    """What is to be added to what a request has touched in one schedule."""
    _touched: dict[Choice, frozenset[Access]] = attrs.field(factory=dict)
    _always: dict[Choice, frozenset[Access]] = attrs.field(factory=dict)
    """What it has touched in each run since the search began, or began anew."""
    _writers: dict[Access, frozenset[Name]] = attrs.field(factory=dict)

    def of(self, choice: Choice, footprint: Footprint) -> Footprint:
        """What a request may touch that has touched this."""
        return (*footprint, *self.more.get(choice, ()))

    def learn(self, steps: Sequence[Taken]) -> bool:
        """Take in the steps of a run. Returns whether a request of a run before may touch more than was known then: the
        search must begin anew."""
        before = (dict(self._touched), dict(self._writers))
        always = dict(self._always)
        for each in steps:
            # A minted name is another one in each run; what has one is in the footprint by its stable name, too.
            choice = each.choice
            found = frozenset(access for access in each.footprint if blank_minted(access.key) == access.key)
            self._touched[choice] = self._touched.get(choice, frozenset()) | found
            self._always[choice] = self._always.get(choice, found) & found
            for access in found:
                # What is added may add to what another request touches, and takes nothing away.
                if access.touch not in (Touch.READ, Touch.ADD):
                    self._writers[access] = self._writers.get(access, frozenset()) | {choice.name}
        if before == (self._touched, self._writers):
            return False
        stale = False
        for choice in self._touched:
            known, may = frozenset(self.more.get(choice, ())), self._may_touch(choice)
            stale = stale or not (may - known) <= always.get(choice, may)
            self.more[choice] = tuple(may)
        if stale:
            self._always.clear()
        return stale

    def _may_touch(self, choice: Choice) -> frozenset[Access]:
        """What depends on another key that another request changes."""
        touched = self._touched[choice]
        seen = (each for each in touched if each.touch is not Touch.DELETE)  # what is removed blindly decides nothing
        changed = {each.key for each in seen if self._is_changed(each, choice.name)}
        return frozenset(each for each in touched if changed - {each.key})

    def _is_changed(self, access: Access, by_another: Name) -> bool:
        read = attrs.evolve(access, touch=Touch.READ)
        return any(names - {by_another} for write, names in self._writers.items() if read.conflicts(write))

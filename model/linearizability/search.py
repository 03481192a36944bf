"""Search: any specification, depth first, never twice from the same place.

A place is how many returns lie behind, which open operations have taken effect, and the state: the linearized set and
the state of Wing and Gong with Lowe's cache, encoded more compactly. A read is taken as soon as it sees its result;
alike operations that may never have happened, in the order of their calls.

Source: J. Wing, C. Gong, Testing and verifying concurrent objects, 1993; G. Lowe, Testing for linearizability, 2017.
"""

from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.problem import HOLDS, VIOLATED, Budget, KeyResult, Step, Stepped, Verdict

Place = tuple[int, int, int, Hashable]
"""Returns behind; open operations that took effect; how many of each optional kind did; state."""

_PATIENCE: Final = 1024
"""Places between two questions whether time is up."""


def search(problem: Stepped, budget: Budget) -> KeyResult:
    """The verdict; inconclusive if the budget's steps, or its configurations (here: places), were not enough.

    Cost: exponential in overlapping operations at worst; a place holds about 200 bytes.
    """
    return _Search(problem, budget).run()


class _Search:
    def __init__(self, problem: Stepped, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.step, self.equal = problem.specification.step, problem.specification.equal
        self.observers = problem.specification.observers
        steps = problem.steps
        # The returned ones in the order of their returns: "how many returns lie behind" then says which they are.
        self.musts = sorted((s for s in steps if s.returned != NEVER), key=lambda s: s.returned)
        self.looking, self.changing = self._open()
        self.kinds = self._kinds()

    def run(self) -> KeyResult:
        start = self._look((0, 0, 0, self.problem.initial))
        met = {start}
        # A stack of iterators instead of recursion: an order is as long as the history, and Python's recursion is not.
        stack = [(start, self._following(start))]
        budget, steps = self.budget, 0
        while stack:
            place, following = stack[-1]
            if place[0] == len(self.musts):  # what is optional may never have happened: nothing else is required
                return HOLDS
            for after in following:
                if after not in met:
                    met.add(after)
                    # The iterator of `place` stays where it is, for the way back.
                    stack.append((after, self._following(after)))
                    break
            else:
                stack.pop()
            steps += 1
            if len(met) > budget.configurations:
                return KeyResult(Verdict.INCONCLUSIVE, f"more than {budget.configurations:,} places were met")
            if steps > budget.steps:
                return KeyResult(Verdict.INCONCLUSIVE, f"more than {budget.steps:,} steps")
            if not steps % _PATIENCE and budget.expired():
                return KeyResult(Verdict.INCONCLUSIVE, "time is up")
        return VIOLATED

    def _open(self) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """For each return, the operations open just before it, by their numbers among ``musts`` and in the order of
        returns: those that only look, and the others."""
        musts, observers = self.musts, self.observers
        by_call = sorted(range(len(musts)), key=lambda i: musts[i].call)
        self.bits = [0] * len(musts)
        free: list[int] = []
        open_: list[int] = []
        made, called = 0, 0
        looking, changing = [], []
        for i, must in enumerate(musts):
            while called < len(by_call) and musts[by_call[called]].call < must.returned:
                new = by_call[called]
                # Bits are given out and taken back as operations come and go: `used` is as wide as operations overlap.
                if not free:
                    free.append(1 << made)
                    made += 1
                self.bits[new] = free.pop()
                open_.append(new)
                called += 1
            # By return: the operation that must be explained next is tried first.
            open_.sort()
            looking.append(tuple(j for j in open_ if musts[j].f in observers))
            changing.append(tuple(j for j in open_ if musts[j].f not in observers))
            open_.remove(i)
            free.append(self.bits[i])
        return looking, changing

    def _kinds(self) -> list[tuple[Step, list[int], int, int]]:
        """The optional operations, alike ones together: one of them, their calls, and their field of bits."""
        alike: dict[tuple[str, Hashable], list[Step]] = {}
        for step in self.problem.steps:
            if step.returned == NEVER:
                alike.setdefault((step.f, step.argument), []).append(step)
        kinds, shift = [], 0
        for those in alike.values():
            width = len(those).bit_length()  # the count can be as much as `len(those)`
            kinds.append((those[0], [step.call for step in those], shift, (1 << width) - 1))
            shift += width
        return kinds

    def _following(self, place: Place) -> Iterator[Place]:
        behind, used, spent, state = place
        if behind == len(self.musts):
            return
        must = self.musts[behind]
        bit = self.bits[behind]
        if used & bit:  # the next return is already explained: there is no choice to make
            yield self._look((behind + 1, used & ~bit, spent, state))
            return
        # Any open operation that changes the state may come before this return, not this one alone.
        for i in self.changing[behind]:
            own = self.bits[i]
            if not used & own:
                step = self.musts[i]
                after, result = self.step(state, step.f, step.argument)
                if self.equal(result, step.observed):
                    yield self._look((behind, used | own, spent, after))
        for step, calls, shift, mask in self.kinds:
            count = spent >> shift & mask
            # Alike ones are used in the order of their calls: with the count, the earliest one left is known.
            if count < len(calls) and calls[count] < must.returned:
                after, _ = self.step(state, step.f, step.argument)
                if after != state:  # one that has no effect may as well not have happened
                    yield self._look((behind, used, spent + (1 << shift), after))

    def _look(self, place: Place) -> Place:
        """The place once everything open has looked that now sees what it saw."""
        behind, used, spent, state = place
        if behind < len(self.musts):
            # To look as soon as possible is never worse: it changes no state, and may be impossible later.
            for i in self.looking[behind]:
                bit = self.bits[i]
                if not used & bit:
                    step = self.musts[i]
                    if self.equal(self.step(state, step.f, step.argument)[1], step.observed):
                        used |= bit
        return behind, used, spent, state

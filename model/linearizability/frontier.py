"""Frontier: a guarded register with any values, breadth first in the order of returns.

A *configuration* is what may be the case at a moment: the value, which open operations have taken effect, and which
ones could have done so just before the last plain write that became visible, unseen. An operation takes effect when
its own return, or that of another one, forces it; one that only looks, as soon as it sees what it wants. A write that
was open when another one became visible may have been hidden behind it: nothing needs to be decided until it returns,
and a value that it would have shown for no time at all is still there for what was open, too.

Configurations that another one dominates are dropped. An operation that may never have happened is better not used; a
compare-and-set that must happen is not better either way.

Example: a write of 1 from time 0 to 5, over an initial 0, and two reads within it. If they see 0 and then 1, the write
takes effect when the second read forces it. ``watch`` shows what the register may hold after each return. If they see 1
and then 0, the first read forces the write, no configuration is left for the second, and the history is violated.

>>> def reads(first: int, second: int) -> Register:
...     problem = Register(0)
...     problem.add(0, 0, 5, ANY, 0, 1)
...     problem.add(1, 1, 2, IS, first, NO_WRITE)
...     problem.add(2, 3, 4, IS, second, NO_WRITE)
...     return problem
>>> frontier(reads(0, 1), Budget(), watch=lambda at, values: print(f"after the return at {at}: {set(values)}")).verdict
after the return at 2: {0}
after the return at 4: {1}
after the return at 5: {1}
<Verdict.HOLDS: 'holds'>
>>> frontier(reads(1, 0), Budget()).verdict
<Verdict.VIOLATED: 'violated'>

Source: G. Lowe, Testing for linearizability, 2017 (just-in-time linearization). Hiding and dominance are ours.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lakeproof.model.linearizability.dominance import Configuration, drop_dominated, promising
from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.optional import Optional, available, optionals
from lakeproof.model.linearizability.problem import HOLDS, Budget, KeyResult, Register, Verdict
from lakeproof.model.linearizability.specifications import ANY, IS, NO_WRITE

State = tuple[int, int, int]
"""Within a step: value, operations that took effect, optional ones that did."""

_PATIENCE: Final = 1_024
"""Configurations made between two questions whether time is up; and returns between two looks at what is spent."""


def frontier(
    problem: Register,
    budget: Budget,
    *,
    beam: int = 0,
    watch: Callable[[int, frozenset[int]], None] | None = None,
) -> KeyResult:
    """The verdict; inconclusive if more configurations than the budget's were open at once, or time was up.

    beam: never keep more configurations than so many, the most promising ones. What holds all the same holds; if none
        is left and some were dropped, the result is open. 0: keep all.
    watch: called after each return, with all values that the key may have.
    Cost: a return is O(configurations x open operations) as long as no conditional write is open.
    """
    run = _Frontier(problem, budget, beam=beam)
    answer = run.run(watch)
    if run.dropped and answer.verdict is Verdict.VIOLATED:
        return KeyResult(Verdict.INCONCLUSIVE, "configurations were dropped")
    return answer


class _TooMany(Exception):
    """More configurations than the budget allows."""


class _Frontier:
    def __init__(self, problem: Register, budget: Budget, *, beam: int) -> None:
        self.beam, self.dropped = beam, False
        self.problem, self.budget = problem, budget
        # Open operations are bits of an integer, so that a set operation on all of them is one instruction or few.
        self.configurations: list[Configuration] = [(problem.initial, 0, 0, 0, 0)]
        self.free: list[int] = []
        self.bits: dict[int, int] = {}
        """By open operation that must happen: its bit."""
        self.open = self.looking = self.writing = self.refusing = 0
        """Bits: all; those that only look; plain writes; those that look for "not this value"."""
        self.seeing: dict[int, int] = {}
        """Bits of those that look for a value."""
        self.shunning: dict[int, int] = {}
        """Bits of those that look for anything but a value."""
        self.plain: dict[int, list[int]] = {}
        """By value: open plain writes that must happen."""
        self.conditional: list[int] = []
        self.optional_plain: dict[int, Optional] = {}
        self.optional_conditional: dict[int, list[Optional]] = {}
        """By the value that they ask for."""
        self.optional_refusing: list[Optional] = []
        self.makers: dict[int, list[int]] = {}
        """By value: those from which an optional compare-and-set makes it."""
        self.found = 0
        # A chain of compare-and-sets is bounded like the configurations that it ends in.
        self.most = beam or budget.configurations
        self.optionals, self.guards_of_fields = optionals(problem)
        self.optional_calls = 0

    def run(self, watch: Callable[[int, frozenset[int]], None] | None = None) -> KeyResult:
        problem = self.problem
        calls, returns = problem.calls, problem.returns
        musts = [i for i, returned in enumerate(returns) if returned != NEVER]
        # The order of returns is the order of deadlines: nothing must be decided before the next return.
        musts.sort(key=returns.__getitem__)
        called, count, budget = 0, len(calls), self.budget
        work = 0
        for number, i in enumerate(musts):
            returned = returns[i]
            # Optional operations have no return of their own; they become available here with all others.
            while called < count and calls[called] < returned:
                self._call(called)
                called += 1
            try:
                self._return(i)
                # A pass over all configurations: rare, so that it costs little in sum.
                if not number % _PATIENCE:
                    self._forget()
            except _TooMany:
                return KeyResult(Verdict.INCONCLUSIVE, f"more than {budget.configurations:,} configurations at once")
            if not self.configurations:
                return KeyResult(Verdict.VIOLATED, at=returned)
            if watch is not None:
                # Open operations may have taken effect already, and these values do not show it: each does so lazily.
                watch(returned, frozenset(configuration[0] for configuration in self.configurations))
            work += 1 + self.found  # a return can be cheap or dear: time is polled by work done
            if work > _PATIENCE:
                work = 0
                if budget.expired():
                    return KeyResult(Verdict.INCONCLUSIVE, "time is up")
        return HOLDS

    def _call(self, i: int) -> None:
        guard, value, write = self.problem.guards[i], self.problem.values[i], self.problem.writes[i]
        if self.problem.returns[i] == NEVER:
            known = self.optionals[guard, value, write]
            if not known.ranks:
                if guard == ANY:
                    self.optional_plain[write] = known
                elif guard == IS:
                    self.optional_conditional.setdefault(value, []).append(known)
                    self.makers.setdefault(write, []).append(value)
                else:
                    self.optional_refusing.append(known)
            known.ranks.append(self.optional_calls)
            self.optional_calls += 1
            return
        # A freed bit is reused: integers are as wide as operations overlap.
        bit = self.free.pop() if self.free else 1 << len(self.bits)
        self.bits[i] = bit
        self.open |= bit
        if write == NO_WRITE:
            self.looking |= bit
            if guard == IS:
                self.seeing[value] = self.seeing.get(value, 0) | bit
            else:
                self.refusing |= bit
                self.shunning[value] = self.shunning.get(value, 0) | bit
        elif guard == ANY:
            self.writing |= bit
            self.plain.setdefault(write, []).append(i)
        else:
            self.conditional.append(i)

    def _close(self, i: int) -> None:
        guard, value, write = self.problem.guards[i], self.problem.values[i], self.problem.writes[i]
        bit = self.bits.pop(i)
        self.free.append(bit)
        self.open &= ~bit
        if write == NO_WRITE:
            self.looking &= ~bit
            self.refusing &= ~bit
            table = self.seeing if guard == IS else self.shunning
            left = table[value] & ~bit
            if left:
                table[value] = left
            else:
                del table[value]
        elif guard == ANY:
            self.writing &= ~bit
            own = self.plain[write]
            own.remove(i)
            if not own:
                del self.plain[write]
        else:
            self.conditional.remove(i)

    def _return(self, i: int) -> None:
        guard, value, write = self.problem.guards[i], self.problem.values[i], self.problem.writes[i]
        bit = self.bits[i]
        found: list[Configuration] = []
        waiting: list[Configuration] = []
        for configuration in self.configurations:
            # It has taken effect, or it only looks and sees now what it wants: the configuration survives as it is.
            if configuration[1] & bit or (write == NO_WRITE and (configuration[0] == value) == (guard == IS)):
                found.append(configuration)
            else:
                waiting.append(configuration)
        if waiting:
            for configuration in waiting:
                found.extend(self._write(i, configuration) if guard == ANY else self._meet(i, configuration))
                if len(found) > 4 * self.budget.configurations:  # before duplicates and dominated ones are dropped
                    raise _TooMany
        keep, self.found = ~bit, len(found)  # the bit is free for another operation from here on
        self._close(i)
        if len(found) == 1:
            at, used, hidden, ranks, spent = found[0]
            self.configurations = [(at, used & keep, hidden & keep, ranks, spent)]
            return
        distinct = {(at, used & keep, hidden & keep, ranks, spent) for at, used, hidden, ranks, spent in found}
        # Where all survived as they were, hardly any is dominated that was not before.
        if waiting and len(distinct) > 1:
            self.configurations = drop_dominated(distinct, self.looking, self.writing, self.guards_of_fields)
        else:
            self.configurations = list(distinct)
        if self.beam and len(self.configurations) > self.beam:
            self.dropped = True
            self.configurations = promising(self.configurations, self.beam)
        if len(self.configurations) > self.budget.configurations:
            raise _TooMany

    def _forget(self) -> None:
        """Leave out the optional operations that have taken effect in every configuration."""
        for table in (self.optional_plain, self.optional_conditional):
            for value in list(table):
                found = table[value]
                # Spent ones are never available again, and each later return would try them in vain.
                kinds = found if isinstance(found, list) else [found]
                if all(self._spent(optional) for optional in kinds):
                    del table[value]

    def _spent(self, optional: Optional) -> bool:
        if len(optional.ranks) < optional.total:
            return False
        return all(c[4] >> optional.shift & optional.mask == optional.total for c in self.configurations)

    def _write(self, i: int, configuration: Configuration) -> Iterator[Configuration]:
        """A plain write returns that has not become visible: it was hidden, or it is visible from now on."""
        value, used, hidden, ranks, spent = configuration
        write, bit = self.problem.writes[i], self.bits[i]
        # Hidden: it took effect right before the last visible write, and possibly compare-and-sets on it did, too. If
        # the value is `write` already, to become visible now is as good, and covers more.
        if hidden & bit and value != write:
            for at, taken, gone in self._chains(write, used | bit, spent, hidden, ranks):
                taken |= self._content(at) & hidden  # readers that were open then may have seen it there
                yield value, taken, hidden & ~taken, ranks, gone
        # Visible from now on, after what else still changes the current value.
        for at, taken, gone in self._chains(value, used, spent, self.open, self.optional_calls):
            # What sees the old value just before it goes has looked; all else that is open may be hidden behind this
            # write.
            taken |= self._content(at) | bit
            yield write, taken, self.open & ~taken, self.optional_calls, gone

    def _meet(self, i: int, configuration: Configuration) -> Iterator[Configuration]:
        """Something with a guard returns that has not met it: behind the last visible write, or by new ones."""
        value, used, hidden, ranks, spent = configuration
        bit = self.bits[i]
        now, everything = self.optional_calls, self.open
        if hidden & bit:
            allowed = hidden & ~bit
            for state in self._led(i, used, spent, allowed, ranks):
                # What follows on it there must do so now: a value that was hidden does not come back.
                for at, taken, gone in self._chains(*state, allowed, ranks):
                    taken |= self._content(at) & allowed
                    yield value, taken, hidden & ~taken, ranks, gone
        # The operation itself is applied by name below; as a link of a chain it would be taken twice.
        others = everything & ~bit
        for at, taken, gone in self._chains(value, used, spent, others, now):
            after = self._apply(i, at, taken, self.open)
            if after is not None:
                yield after[0], after[1], hidden & ~after[1], ranks, gone
            seen = taken | (self._content(at) & everything)
            # A plain write becomes visible first. One is enough: those before it in the same gap are hidden behind it.
            for at_, taken_, gone_ in self._led(i, seen, gone, others, now):
                yield at_, taken_, everything & ~taken_, now, gone_

    def _led(self, i: int, used: int, spent: int, allowed: int, ranks: int) -> Iterator[State]:
        """Some plain write, conditional ones that follow on it, and then operation i, of those allowed."""
        problem, bit = self.problem, self.bits[i]
        guard, value = problem.guards[i], problem.values[i]
        # For IS only values that can lead to the one it needs; for IS_NOT any write may do.
        leads = self._sources(value) if guard == IS else None
        if leads is None:
            leads = {**self.plain, **self.optional_plain}
        for lead in leads:
            taken, gone = used, spent
            candidates = [j for j in self.plain.get(lead, ()) if self.bits[j] & allowed & ~used]
            if candidates:
                # Alike: the one with the earliest deadline, since the others can wait longer.
                taken |= self.bits[min(candidates, key=problem.returns.__getitem__)]
            else:
                optional = self.optional_plain.get(lead)
                if optional is None or not available(optional, spent, ranks):
                    continue
                gone += optional.one
            for at, took, went in self._chains(lead, taken, gone, allowed, ranks):
                after = self._apply(i, at, took, allowed | bit)
                if after is not None:
                    yield *after, went

    def _apply(self, i: int, at: int, used: int, allowed: int) -> tuple[int, int] | None:
        problem = self.problem
        if (at == problem.values[i]) != (problem.guards[i] == IS):
            return None
        write = problem.writes[i]
        used |= self.bits[i] | (self._content(at) & allowed)
        return (at if write == NO_WRITE else write), used

    def _content(self, value: int) -> int:
        """The open operations that only look and are content with a value."""
        return self.seeing.get(value, 0) | (self.refusing & ~self.shunning.get(value, 0))

    def _sources(self, value: int) -> Iterable[int] | None:
        """The values from which conditional writes can lead to this one; None: they may be any."""
        if not self.conditional and not self.optional_conditional and not self.optional_refusing:
            return (value,)
        if self.optional_refusing:
            return None
        # Backwards from the value, to all that compare-and-sets can make it from; the list grows in the loop.
        problem, found = self.problem, [value]
        for at in found:
            for j in self.conditional:
                if problem.writes[j] == at:
                    # It can make the value out of any other one.
                    if problem.guards[j] != IS:
                        return None
                    if problem.values[j] not in found:
                        found.append(problem.values[j])
            for optional in self.makers.get(at, ()):
                if optional not in found:
                    found.append(optional)
        return found

    def _chains(self, value: int, used: int, spent: int, allowed: int, ranks: int) -> list[State]:
        """All states that conditional writes of those allowed can lead to from one, itself first."""
        first = (value, used, spent)
        if not self.conditional and not self.optional_conditional and not self.optional_refusing:
            return [first]
        problem, bits = self.problem, self.bits
        # The list grows while the loop walks it: the closure under compare-and-sets, breadth first.
        states, met = [first], {first}
        for at, taken, gone in states:
            following: list[State] = []
            # What looks for `at` looks now: the next link ends it.
            content = self._content(at) & allowed
            for j in self.conditional:
                bit = bits[j]
                if bit & allowed & ~taken and (at == problem.values[j]) == (problem.guards[j] == IS):
                    following.append((problem.writes[j], taken | bit | content, gone))
            refusing = [optional for optional in self.optional_refusing if optional.kind[1] != at]
            for optional in self.optional_conditional.get(at, []) + refusing:
                write = optional.kind[2]
                # An optional operation that leaves the value as it is only costs one of its kind.
                if write != at and available(optional, gone, ranks):
                    following.append((write, taken | content, gone + optional.one))
            for state in following:
                if state not in met:
                    met.add(state)
                    states.append(state)
            if len(states) > self.most:
                if not self.beam:  # a beam may miss orders, and says so; without one the verdict would be wrong
                    raise _TooMany
                self.dropped = True
                break
        return states

"""Why a key is not linearizable: where it shows first, and the few operations that cannot be explained.

To remove an operation means: it may have taken effect at any time, or never. What is impossible all the same is
impossible with more knowledge. So the operations that are left are the reason.

Example: seven operations, one after the other, and three of them are impossible by themselves. Without the write of 1
there is an order: it may have taken effect after that of 2.

>>> from lakeproof.model.linearizability.specifications import REGISTER
>>> history = History()
>>> for f, value, result in (("write", 5, None), ("write", 6, None), ("write", 7, None), ("write", 1, None),
...                          ("write", 2, None), ("read", None, 1), ("write", 8, None)):
...     history.call(0, f, "k", value)
...     history.end(0, Status.OK, result)
>>> found = explain(REGISTER, history, "k", range(7), Limits())
>>> found.returned, [(op.f, op.argument, op.result) for op in found.operations], found.minimal
(5, [('write', 1, None), ('write', 2, None), ('read', None, 1)], True)
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final

import attrs

from lakeproof.model.linearizability.checker import Limits, Numbers, decide_key
from lakeproof.model.linearizability.frontier import frontier
from lakeproof.model.linearizability.history import NEVER, History, Operation
from lakeproof.model.linearizability.problem import Budget, KeyResult, Register, Stepped, Verdict, make_steps, register
from lakeproof.model.linearizability.search import search
from lakeproof.model.linearizability.specifications import NO_WRITE, Specification
from lakeproof.model.linearizability.values import REFUSED, UNKNOWN
from lakeproof.model.linearizability.zones import zones
from lakeproof.model.snapshot import Status

_CONFIGURATIONS: Final = 2_000
_STEPS: Final = 20_000
_ENOUGH: Final = 24
"""Operations that a reader can take in: where more are needed, only the end is shown, and the values before it."""


@attrs.frozen(kw_only=True)
class Evidence:
    """What shows that a key is not linearizable.

    returned: the operations of the longest linearizable prefix that had returned.
    failed: the one whose return no order explains any more; None if it was not found in time.
    operations: a sub-history that is impossible by itself, in the order of calls.
    minimal: whether removing any one of them makes it possible; else there was no time to find out.
    possible: the values of which the key had one when the sub-history began; None: it begins with the history.
    """

    key: Hashable
    returned: int
    failed: Operation | None
    operations: tuple[Operation, ...]
    elsewhere: tuple[Operation, ...] = ()
    """Writes among all others that this needs: they may have taken effect at any time, or never."""
    minimal: bool
    possible: tuple[Hashable, ...] | None = None


def explain(
    specification: Specification, history: History, key: Hashable, numbers: Numbers, limits: Limits, at: int = -1
) -> Evidence:
    """The evidence against a key that is violated. ``at``: of its `KeyResult`, makes it faster.

    Cost: some twenty times that of the verdict, and once for each operation that comes close to the violation.
    """
    first = _first_impossible(specification, history, numbers, limits, at)
    if first is None:
        return Evidence(
            key=key, returned=0, failed=None, operations=tuple(map(history.operation, numbers)), minimal=False
        )
    until, returned = first
    # Order numbers of events are distinct: exactly one operation has this return.
    failed = next(op for op in map(history.operation, numbers) if op.returned == until)
    possible: tuple[Hashable, ...] | None = None
    if specification.guarded is None:
        left, minimal, others = _smallest_words(make_steps(specification, history, numbers, until), limits)
    else:
        problem = register(specification, history, numbers, until)
        left, minimal, others, values = _smallest_register(problem, limits)
        possible = None if values is None else tuple(_value(history, value) for value in sorted(values))
    return Evidence(
        key=key,
        returned=returned,
        failed=failed,
        operations=tuple(sorted((_operation_as_known(history, i, until) for i in left), key=lambda op: op.call)),
        elsewhere=tuple(map(history.operation, others)),
        minimal=minimal,
        possible=possible,
    )


def _operation_as_known(history: History, number: int, until: int) -> Operation:
    """An operation as it was known after an event."""
    op = history.operation(number)
    if op.returned <= until:
        return op
    return attrs.evolve(op, status=Status.INFO, result=UNKNOWN, returned=NEVER)


def _value(history: History, value: int) -> Hashable:
    return history.values[value] if value >= 0 else UNKNOWN


def _first_impossible(
    specification: Specification, history: History, numbers: Numbers, limits: Limits, at: int
) -> tuple[int, int] | None:
    """The first return that makes the history impossible, and how many came before it; None: no time."""
    # An order that explains a longer prefix explains a shorter one: bisection finds the first violated one.
    returns = sorted(row[6] for row in history.rows(numbers) if row[6] != NEVER)

    def impossible(place: int) -> bool:
        answer, _ = decide_key(specification, history, numbers, limits, until=returns[place])
        if answer.verdict is Verdict.INCONCLUSIVE:
            raise _NoTime
        return answer.verdict is Verdict.VIOLATED

    low, high = -1, len(returns) - 1  # as far as `low` the history is possible, as far as `high` it is not
    place, step = min(bisect_left(returns, at), high) if at >= 0 else high, 1
    try:
        if place < high and not impossible(place):
            low = place  # the hint was too early
        else:
            high = place
            while high - step > low and impossible(high - step):  # gallop: it is near
                high, step = high - step, 2 * step
            low = max(low, high - step)
        while high - low > 1:
            middle = (low + high) // 2
            if impossible(middle):
                high = middle
            else:
                low = middle
    except _NoTime:
        return None
    return returns[high], high


class _NoTime(Exception):
    """A question was inconclusive."""


class _Unsure:
    """Whether a sub-history is impossible; remembers if that ever stayed open, so that nothing is called smallest."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.open = False

    def words(self, problem: Stepped) -> bool:
        return self._known(search(problem, Budget(configurations=_STEPS, steps=_STEPS, expired=self.limits.expired)))

    def register(self, problem: Register) -> bool:
        # Small budgets: hundreds of sub-histories are tried, and one that is left undecided merely stays in.
        answer = zones(problem)
        if answer is None:
            answer = frontier(problem, Budget(configurations=_CONFIGURATIONS, expired=self.limits.expired))
        return self._known(answer)

    def _known(self, answer: KeyResult) -> bool:
        # Inconclusive counts as possible: an operation is removed only if its absence surely leaves a violation.
        self.open |= answer.verdict is Verdict.INCONCLUSIVE
        return answer.verdict is Verdict.VIOLATED


def _smallest_register(problem: Register, limits: Limits) -> tuple[list[int], bool, list[int], frozenset[int] | None]:
    """A smallest impossible sub-history, whether it is, what it needs of the rest, and the values at its beginning."""
    unsure = _Unsure(limits)
    rows, minimal = _smallest(range(len(problem)), lambda rows: unsure.register(_without(problem, rows)), unsure)
    values: frozenset[int] | None = None
    # Many operations are needed where only all writes together exclude a value. Then the possible values at a late
    # moment stand for all that came before.
    if len(rows) > _ENOUGH:
        late = _late(problem, limits)
        if late is not None:
            problems, values = late
            problem, unsure = problems[0], _Unsure(limits)
            rows, minimal = _smallest(
                range(len(problem)),
                # The key had one of the possible values: the end must be impossible with each.
                lambda rows: all(unsure.register(_without(one, rows)) for one in problems),
                unsure,
            )
    needed = _without(problem, rows)
    alike: Counter[tuple[int, int, int]] = Counter()
    others = []
    for i, number in enumerate(needed.numbers):
        kind = needed.guards[i], needed.values[i], needed.writes[i]
        # Calls of the forgotten ones are negative, see `_without`.
        alike[kind] += needed.calls[i] < 0
        if needed.calls[i] < 0 and alike[kind] <= len(rows):  # more of a kind than that are never of use
            others.append(number)
    return [problem.numbers[i] for i in rows], minimal, others, values


def _without(problem: Register, rows: Sequence[int]) -> Register:
    """Only these operations; the writes among the others may have taken effect at any time, or never."""
    keep = set(rows)
    made = Register(problem.initial)
    calls, returns, guards = problem.calls, problem.returns, problem.guards
    values, writes, numbers = problem.values, problem.writes, problem.numbers
    count = len(problem)
    for i in range(count):
        if i not in keep and writes[i] != NO_WRITE:
            # A negative call is before all others.
            made.add(numbers[i], i - count - 1, NEVER, guards[i], values[i], writes[i])
    for i in sorted(keep):
        made.add(numbers[i], calls[i], returns[i], guards[i], values[i], writes[i])
    made.simplify()
    return made


def _late(problem: Register, limits: Limits) -> tuple[list[Register], frozenset[int]] | None:
    """The shortest end of a history that is impossible whichever of the possible values the key had before.

    One problem for each such value. None: not found. What was open at the cut may have taken effect before.
    """
    possible: list[tuple[int, frozenset[int]]] = []
    frontier(
        problem,
        Budget(configurations=_CONFIGURATIONS, expired=limits.expired),
        # The frontier's own verdict is not needed: it is the values on the way that count.
        watch=lambda event, values: possible.append((event, values)),
    )
    back = 1
    while back <= len(possible):
        cut, values = possible[-back]
        problems = [_from(problem, cut, value) for value in values]
        if all(_Unsure(limits).register(one) for one in problems):
            return problems, values
        back *= 2  # so that the number of attempts is logarithmic
    return None


def _from(problem: Register, cut: int, value: int) -> Register:
    made = Register(value)
    rows = zip(
        problem.numbers, problem.calls, problem.returns, problem.guards, problem.values, problem.writes, strict=True
    )
    for number, call, returned, guard, at, write in rows:
        if returned > cut:  # what had returned by the cut is in the value
            made.add(number, call, NEVER if call < cut else returned, guard, at, write)
    return made


def _smallest_words(problem: Stepped, limits: Limits) -> tuple[list[int], bool, list[int]]:
    steps, observers = problem.steps, problem.specification.observers
    # What only looks and what was refused have written nothing, so that nothing is left of them if they are removed.
    wrote = [step.f not in observers and step.observed is not REFUSED for step in steps]

    unsure = _Unsure(limits)

    def impossible(rows: Sequence[int]) -> bool:
        keep = set(rows)
        # As in `_without`: negative calls, before all others.
        forgotten = [
            attrs.evolve(step, call=i - len(steps) - 1, returned=NEVER, observed=UNKNOWN)
            for i, step in enumerate(steps)
            if i not in keep and wrote[i]
        ]
        kept = [steps[i] for i in sorted(keep)]
        return unsure.words(attrs.evolve(problem, steps=[*forgotten, *kept]))

    rows, minimal = _smallest(range(len(steps)), impossible, unsure)
    kept = set(rows)
    others = [step.number for i, step in enumerate(steps) if i not in kept and wrote[i]]
    return [steps[i].number for i in rows], minimal, others


def _smallest(
    rows: Sequence[int], impossible: Callable[[Sequence[int]], bool], unsure: _Unsure
) -> tuple[Sequence[int], bool]:
    """Leave out as much as can be, in pieces that get smaller; the latest operations are the last to go."""
    limits = unsure.limits
    recent = 8
    while recent < len(rows):  # it is often the last few
        if limits.expired():
            return rows, False
        if impossible(rows[-recent:]):
            rows = rows[-recent:]
            break
        recent *= 2
    # As in delta debugging: large pieces first, since each test costs a run of the checker.
    piece = max(len(rows) // 2, 1)
    while True:
        unsure.open = False
        at, before = 0, len(rows)
        while at < len(rows):
            if limits.expired():
                return rows, False
            fewer = [*rows[:at], *rows[at + piece :]]
            if impossible(fewer):
                rows = fewer
            else:
                at += piece
        # One pass over single operations is enough: what is needed among more is needed among fewer.
        if piece == 1:
            return rows, not unsure.open
        # Once more with pieces of this size, if any was left out; else with smaller ones.
        piece = max(piece // 2, 1) if len(rows) == before or piece > len(rows) else min(piece, max(len(rows) // 2, 1))

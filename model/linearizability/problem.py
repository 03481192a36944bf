"""The question about one key: which operations there are, when, and what each one asks of the state.

Times are order numbers: all distinct, a call or a return each. What says nothing is left out: operations that did not
happen, reads whose result is unknown.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import Final

import attrs

from lakeproof.model.linearizability.history import NEVER, STATUSES, History
from lakeproof.model.linearizability.specifications import (
    ANY,
    IS,
    IS_NOT,
    NO_WRITE,
    Specification,
    initial,
    observation_of,
)
from lakeproof.model.linearizability.values import UNKNOWN
from lakeproof.model.snapshot import Status

NO_VALUE: Final = -2
"""In place of a guard's value where there is none, and of all values written that no guard asks for."""

_INFO: Final = 2


class Verdict(Enum):
    HOLDS = "holds"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"


@attrs.frozen
class KeyResult:
    """What an algorithm found out of one key, and why not more if it gave up.

    at: of a violation, a return near which it shows; -1: not known.
    """

    verdict: Verdict
    why: str = ""
    at: int = -1


HOLDS: Final = KeyResult(Verdict.HOLDS)
VIOLATED: Final = KeyResult(Verdict.VIOLATED)


@attrs.frozen(kw_only=True)
class Budget:
    """How much an algorithm may spend: configurations in memory, steps, and time by the caller's clock.

    expired: polled; True ends the work. The model has no clock of its own.
    """

    configurations: int = 1_000_000
    steps: int = 1 << 62
    expired: Callable[[], bool] = attrs.field(default=lambda: False)


@attrs.define(eq=False)
class Register:
    """A problem in register form, in columns; operations in the order of their calls.

    guards: ANY, IS or IS_NOT; values: the guard's, by number; writes: what is written, or NO_WRITE.
    returns: NEVER for one that may take effect at any later time or never.
    """

    initial: int
    numbers: list[int] = attrs.field(factory=list, init=False)
    calls: list[int] = attrs.field(factory=list, init=False)
    returns: list[int] = attrs.field(factory=list, init=False)
    guards: list[int] = attrs.field(factory=list, init=False)
    values: list[int] = attrs.field(factory=list, init=False)
    writes: list[int] = attrs.field(factory=list, init=False)

    def __len__(self) -> int:
        return len(self.calls)

    def add(self, number: int, call: int, returned: int, guard: int, value: int, write: int) -> None:
        """Append an operation. One that changes nothing, whatever happens, is taken for what it asks alone."""
        # A compare-and-set of a value by itself changes nothing, so that it is a read of that value.
        if guard == IS and write == value:
            write = NO_WRITE
        if write == NO_WRITE and (returned == NEVER or guard == ANY):
            return
        self.numbers.append(number)
        self.calls.append(call)
        self.returns.append(returned)
        self.guards.append(guard)
        self.values.append(value)
        self.writes.append(write)

    def simplify(self) -> None:
        """Merge the values that no guard distinguishes, and leave out optional operations without effect."""
        guards, values, writes, returns = self.guards, self.values, self.writes, self.returns
        # Values outside `required` make every guard answer alike, so that one number stands for all of them. That makes
        # fewer configurations. Several writers of NO_VALUE do no harm: no operation observes it.
        required = {value for value, guard in zip(values, guards, strict=True) if guard != ANY}
        self.writes = writes = [w if w < 0 or w in required else NO_VALUE for w in writes]
        if NEVER not in returns:
            return
        # An optional compare-and-set whose expected value was never there cannot take effect.
        possible = {self.initial, *writes}
        ended = [returned != NEVER for returned in returns]
        keep = [i for i, over in enumerate(ended) if over or guards[i] != IS or values[i] in possible]
        # An unobserved value meets no guard IS, so that writing it only takes possibilities away. With IS_NOT it can
        # help: such a write is what ends the value that the guard excludes.
        if IS_NOT not in guards:
            keep = [i for i in keep if returns[i] != NEVER or writes[i] != NO_VALUE]
        if len(keep) < len(returns):
            for column in ("numbers", "calls", "returns", "guards", "values", "writes"):
                kept = getattr(self, column)
                setattr(self, column, [kept[i] for i in keep])


@attrs.frozen
class Step:
    """An operation as its specification sees it. ``observed`` is UNKNOWN if it may not have happened."""

    number: int
    call: int
    returned: int
    f: str
    argument: Hashable
    observed: Hashable


@attrs.frozen
class Stepped:
    """A problem in the words of its specification; operations in the order of their calls."""

    specification: Specification
    initial: Hashable
    steps: Sequence[Step]


def register(specification: Specification, history: History, numbers: Iterable[int], until: int = NEVER) -> Register:
    """The register form of the operations of one key, as known after the event with number ``until``."""
    guarded = specification.guarded
    assert guarded is not None
    settings, values, intern = history.settings, history.values, history.intern
    problem = Register(intern(initial(specification, history)))
    add, nil = problem.add, intern(None)
    observers, conditional = specification.observers, specification.conditional
    ok, unrecorded = 0, settings.nil == "unrecorded"
    refusals = settings.fail == "predicate-false"
    for number, f, argument, result, status, call, returned in history.rows(numbers):
        # An operation that was open at `until` has no outcome yet: its recorded result is knowledge of the future.
        if returned > until:
            if call > until:  # rows come in the order of calls: all others are later still
                break
            status, returned = _INFO, NEVER
        if f in observers:
            # A failed or unknown read observes nothing, and changes nothing either.
            if status == ok and not (unrecorded and result == nil):
                add(number, call, returned, IS, result, NO_WRITE)
        elif f == "write":
            if status != 1:  # 1 is FAIL: a plain write has no predicate, so that a failed one did not happen
                add(number, call, returned, ANY, NO_VALUE, argument)
        # Under ``predicate-false`` a refused compare-and-set is an observation ("not this value"); under
        # ``did-not-happen`` it says nothing of the state.
        elif status != 1 or (refusals and f in conditional):
            guard, value, writes, write = guarded(f, values[argument], STATUSES[status])
            # The guard ANY has no value: None stands for that here, not for nil.
            at = NO_VALUE if guard == ANY else intern(value)
            add(number, call, returned, guard, at, intern(write) if writes else NO_WRITE)
    problem.simplify()
    return problem


def make_steps(specification: Specification, history: History, numbers: Iterable[int], until: int = NEVER) -> Stepped:
    """The operations in their specification's words, as known after the event with number ``until``.

    With ``by_key`` off, an argument is (key, argument), except of those that name their keys themselves.
    """
    steps = []
    for number in numbers:
        op = history.operation(number)
        if op.returned > until:
            if op.call > until:
                break
            op = attrs.evolve(op, status=Status.INFO, returned=NEVER)
        observed = observation_of(specification, history.settings, op.f, op.status, op.result)
        # A failed operation did not happen, and an observer without a result constrains no order.
        if observed is UNKNOWN and (op.status is Status.FAIL or op.f in specification.observers):
            continue
        keyed = not specification.by_key and op.f not in specification.answering
        argument = (op.key, op.argument) if keyed else op.argument
        # What remains with an unknown observation has no return: it may change the state at any later time, or never.
        steps.append(Step(number, op.call, op.returned, op.f, argument, observed))
    return Stepped(specification, initial(specification, history), steps)

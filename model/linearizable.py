"""Linearizability as a monitor: the set of specification states that can explain what has been returned so far.

A sequential specification is a pure function; the monitor's state is a set of *configurations*, each a state of the
specification with the calls that have been invoked and not returned, and for some of those the result that they
must return because they have been linearized already. It becomes empty when no order explains a return.

Source: M. Herlihy, J. Wing, Linearizability, 1990; the closure at returns is the just-in-time linearization of
G. Lowe, Testing for linearizability, 2017.
"""

from collections.abc import Callable, Hashable
from typing import Final

import attrs

from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Monitor, Reached, Violation
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Event, Invoked, Status

Operation = tuple[int, int, str, tuple[Hashable, ...]]
"""Client, number of the call within it, name, arguments."""


class _Open:
    """The call has not been linearized yet."""

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()

Configuration = tuple[Exact, frozenset[tuple[Operation, "Exact | _Open"]]]
"""A state of the specification, and the calls under way with their results, where they have one. Values
compare by type and bits: False is not 0."""


@attrs.frozen(kw_only=True)
class Specification:
    """What an object does when it is used by one client at a time.

    initial: the state before anything happened.
    apply: (state, name, args) -> (state after, result). Pure and total over the calls that it is given.
    result: what a returned call says of its result, comparable to what ``apply`` gives. Only for calls that
        returned ok, or that failed with an error that is an answer.
    is_answer: whether a definite error is an answer of the object ("not found": the call took place and this is
        its result) or says that the call did not take place (the default).
    """

    name: str
    initial: Hashable
    apply: Callable[[Hashable, str, tuple[Hashable, ...]], tuple[Hashable, Hashable]]
    result: Callable[[CallView], Hashable] = attrs.field(default=lambda call: call.value)
    is_answer: Callable[[Exception], bool] = attrs.field(default=lambda error: False)


def linearizable(specification: Specification, *, invariant_id: str = "linearizable") -> Monitor:
    """The monitor of a specification. Its state is a frozenset of configurations.

    A call that returns indefinitely, or never, may take effect at any later time or not at all; one that fails
    definitely did not take place. Cost of a return: exponential in the number of overlapping calls.
    """

    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Reached | Violation, ...]]:
        assert isinstance(state, frozenset)
        if isinstance(event, Invoked):
            operation = (event.client, event.index, event.name, event.args)
            # Nothing takes effect at an invocation: the closure at a return finds each order that matters.
            return frozenset((exact, calls | {(operation, OPEN)}) for exact, calls in state), ()
        operation = (event.client, event.index, event.call.name, event.call.args)
        after = _on_return(specification, state, operation, event.call)
        if not after:
            return after, (Violation(invariant_id, _evidence(specification, state, event.call)),)
        # Without an overlap there was one order only, and the property was not put to the test.
        overlapped = any(len(calls) > 1 for _, calls in state)
        return after, (Reached(f"{event.call.name} returned while others were under way"),) if overlapped else ()

    return Monitor(
        id=invariant_id,
        meaning=f"some order of the calls, each within its interval, explains every result ({specification.name})",
        initial=frozenset({(Exact(specification.initial), frozenset())}),
        advance=advance,
    )


def _on_return(
    specification: Specification, state: frozenset[Configuration], operation: Operation, call: CallView
) -> frozenset[Configuration]:
    if call.status is Status.INFO:  # its operation stays open for good, and may take effect at any later return
        return state
    if call.status is Status.FAIL and not (call.error is not None and specification.is_answer(call.error)):
        # A definite error that is no answer: the call did not take place, and no order has linearized it.
        dropped = frozenset({(operation, OPEN)})
        return frozenset((exact, calls - dropped) for exact, calls in state if dropped <= calls)
    found: set[Configuration] = set()
    seen: set[Configuration] = set()
    todo = list(state)
    while todo:
        configuration = todo.pop()
        if configuration in seen:
            continue
        seen.add(configuration)
        exact, calls = configuration
        promised = dict(calls)[operation]
        # Until this call has taken effect, any open one may do so before it: all such orders are tried.
        if promised is OPEN:
            todo.extend(_linearize(specification, configuration))
        elif promised == Exact(specification.result(call)):  # False is not 0: compared by type and bits
            found.add((exact, calls - {(operation, promised)}))
    return frozenset(found)


def _linearize(specification: Specification, configuration: Configuration) -> list[Configuration]:
    """The configurations in which one more call has taken effect."""
    exact, calls = configuration
    following = []
    for operation, promised in calls:
        if promised is OPEN:
            after, result = specification.apply(exact.value, operation[2], operation[3])
            following.append((Exact(after), (calls - {(operation, OPEN)}) | {(operation, Exact(result))}))
    return following


def _evidence(specification: Specification, state: frozenset[Configuration], call: CallView) -> str:
    states = sorted({repr(configuration[0].value) for configuration in state})
    outcome = call.error if call.error is not None else call.value
    args = ", ".join(repr(arg.repository_id if isinstance(arg, Repository) else arg) for arg in call.args)
    return f"{call.name}({args}) returned {outcome!r}; {specification.name} could only be in {', '.join(states)}"

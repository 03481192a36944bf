"""What is wrong with a scenario of a user's file: what the types of its fields forbid, and a file may say all the same.

Each problem is one line that begins with the place: ``invariants[0].reads: None (NoneType): expected ...``.
"""

import inspect
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from lakeproof.impl.printable import safe_repr
from lakeproof.model.invariants import (
    FAIRNESS,
    Always,
    AlwaysEventually,
    Eventually,
    Invariant,
    LeadsTo,
    Monitor,
    Observer,
    OnStep,
    Reads,
    Terminates,
)
from lakeproof.scenario import Aftermath, Call, Client, Faults, Scenario, recovery

NAME_LENGTH_MAX: Final = 150
ID_LENGTH_MAX: Final = 60
"""A trace is a file called like its scenario and its invariant: file systems take 255 bytes."""


def problems(scenario: Scenario) -> Iterator[str]:
    """All that is wrong with it: place, finding and repair."""
    yield from _name_problems(scenario.name, "name", NAME_LENGTH_MAX, "make it design/variant/what")
    for field in ("reason", "source"):
        yield from _text_problems(getattr(scenario, field), field)
    if type(scenario.start_time) is not int:
        yield f"start_time: {kind(scenario.start_time)}: expected an integer, microseconds since 1970"
    # A derived class may have budgets that no mode spends, and that no trace writes.
    if type(scenario.faults) is not Faults:
        yield f"faults: {kind(scenario.faults)}: expected Faults(...), of no class derived from it"
    yield from _call_problems(scenario.setup, "setup")
    if not isinstance(cast("object", scenario.clients), list | tuple):
        yield f"clients: {kind(scenario.clients)}: expected a list with a list of Calls for each client"
    for number, calls in enumerate(scenario.clients):
        yield from _call_problems(calls, f"clients[{number}]")
        yield from _call_problems(recovery(calls), f"clients[{number}].recover")
    # What is no Call was reported above, and the rest of the file is still looked at.
    made = [call for calls in scenario.clients for call in (*calls, *recovery(calls))]
    names = {call.name for call in made if isinstance(cast("object", call), Call)}
    for number, invariant in enumerate(scenario.invariants):
        yield from _invariant_problems(invariant, f"invariants[{number}]", names)
    for number, aftermath in enumerate(scenario.aftermath):
        yield from _call_problems(aftermath.calls, f"aftermath[{number}].calls")
        yield from _id_problems(aftermath, f"aftermath[{number}]", ("check",))
        if type(aftermath.clock_advance) is not int:
            yield f"aftermath[{number}].clock_advance: {kind(aftermath.clock_advance)}: expected whole microseconds"


def _invariant_problems(invariant: Invariant, place: str, names: Collection[str]) -> Iterator[str]:
    match invariant:
        # ``at_end`` is optional: without it, it is no function and no problem.
        case Monitor():
            yield from _id_problems(invariant, place, ("advance", *(("at_end",) if invariant.at_end else ())))
        case OnStep():
            yield from _id_problems(invariant, place, ("check", "watches"))
        case Always() | Eventually():
            yield from _id_problems(invariant, place, ("check",))
            reads: object = invariant.reads
            if reads is not None and not (
                isinstance(reads, frozenset) and all(isinstance(part, Reads) for part in reads)
            ):
                yield f"{place}.reads: {kind(reads)}: expected frozenset({{Reads.STORE, ...}}), or nothing"
        case Terminates() | LeadsTo() | AlwaysEventually():
            functions = {LeadsTo: ("before", "after"), AlwaysEventually: ("holds",)}.get(type(invariant), ())
            yield from _id_problems(invariant, place, functions)
            if invariant.fairness not in FAIRNESS:
                yield f"{place}.fairness: {invariant.fairness!r}: expected one of {', '.join(map(repr, FAIRNESS))}"
            # A misspelt name would make a promise that no call owes, which holds of every flow.
            if isinstance(invariant, Terminates) and invariant.name not in names:
                known = ", ".join(sorted(names))
                yield f"{place}.call: {invariant.name!r}: no client calls it; the clients call {known}"
    if not isinstance(cast("object", invariant.observers), list | tuple):
        yield f"{place}.observers: {kind(invariant.observers)}: expected a tuple of Observer"
        return
    for number, observer in enumerate(invariant.observers):
        if not isinstance(cast("object", observer), Observer):
            yield f"{place}.observers[{number}]: {kind(observer)}: expected an Observer"
        elif type(observer.name) is not str or not callable(observer.fold):
            yield f"{place}.observers[{number}]: {kind(observer)}: expected a name, and a function as fold"


def _id_problems(checked: Invariant | Aftermath, place: str, functions: Sequence[str]) -> Iterator[str]:
    yield from _name_problems(checked.id, f"{place}.id", ID_LENGTH_MAX, "make it three-or-four-words")
    yield from _text_problems(checked.meaning, f"{place}.meaning")
    for name in functions:
        if not callable(getattr(checked, name)):
            yield f"{place}.{name}: {kind(getattr(checked, name))}: expected a function"


def _name_problems(name: object, place: str, length_max: int, repair: str) -> Iterator[str]:
    if not isinstance(name, str) or not name.strip():
        yield f"{place}: {name!r}: expected a name; {repair}"
    elif not name.isprintable():
        yield f"{place}: {name!r}: holds characters that do not print; leave them out"
    elif len(name) > length_max:
        yield f"{place}: {kind(name)}: {len(name):,} characters, expected at most {length_max}; {repair}"
    else:
        yield from _text_problems(name, place)


def _text_problems(text: object, place: str) -> Iterator[str]:
    # Exactly: an enum of strings prints as another text than it compares as, and names become files.
    if type(text) is not str:
        repair = "; use its .value" if isinstance(text, str) else ""
        yield f"{place}: {kind(text)}: expected plain text{repair}"


def _call_problems(calls: object, place: str) -> Iterator[str]:
    if not isinstance(calls, list | tuple | Client):
        yield f"{place}: {kind(calls)}: expected a list of Calls; put it into brackets"
        return
    for number, call in enumerate(cast("Sequence[object]", calls)):
        if not isinstance(call, Call):
            yield f"{place}[{number}]: {kind(call)}: expected a Call; write Call(flow, ...)"
            continue
        try:
            hash((call.args, call.options))
        except TypeError:
            yield f"{place}[{number}]: {call}: an argument is not hashable; pass tuples instead of lists"
        yield from (f"{place}[{number}]: {problem}" for problem in _signature_problems(call))


def _signature_problems(call: Call) -> Iterator[str]:
    try:
        signature = inspect.signature(call.flow)
    except (TypeError, ValueError):  # some callables have none
        return
    try:
        # Else a wrong number of arguments would be a TypeError in the flow: a violation, with a trace.
        signature.bind("env", *call.args, **dict(call.options))
    except TypeError as error:
        yield f"{call}: {error}; a flow takes env, and then what the Call has"


def kind(thing: object) -> str:
    """A value that was found, for a message: shortened, with its type."""
    # Addresses differ from run to run.
    shown = re.sub(r" at 0x[0-9a-fA-F]+", "", str(thing) if isinstance(thing, Call) else safe_repr(thing))
    return f"{shown if len(shown) <= 60 else shown[:57] + '...'} ({type(thing).__name__})"

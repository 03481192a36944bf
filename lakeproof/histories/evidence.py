"""Evidence for people: the operations that cannot be explained, as bars over time; and as a history of their own."""

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.histories.events import LOOKING
from lakeproof.model.linearizability.evidence import Evidence
from lakeproof.model.linearizability.history import NEVER, Operation
from lakeproof.model.linearizability.specifications import EXISTS, HELD, KV, MUTEX
from lakeproof.model.linearizability.values import Atom, render_value
from lakeproof.model.snapshot import Status
from lakeproof.words import plural

HISTORIES: Final = "impossible.*.jsonl"
_UNFIT: Final = re.compile(r"[^A-Za-z0-9.+-]+")
_VALUE_MAX: Final = 40
_ELSEWHERE: Final = 6
_STEP: Final = 3  # columns from one event to the next
_BARS_MAX: Final = 30
"""Operations that are drawn; more are only listed."""


def story(evidence: Evidence) -> Iterator[str]:
    """Lines that tell one key's violation: where it shows, and what cannot be explained."""
    key = "" if evidence.key is None else f"key {value(evidence.key)}: "
    if evidence.failed is None:
        yield f"{key}no order explains its {len(evidence.operations):,} operations; there was no time to say which ones"
        return
    yield (
        f"{key}{plural(evidence.returned, 'operation')} that returned first can be explained; then no order explains "
        f"{describe_operation(evidence.failed)}{_where(evidence.failed)}"
    )
    few = "minimal" if evidence.minimal else "perhaps not minimal"
    begin = ""
    if evidence.possible is not None:
        # A window of a longer history.
        begin = f", whether it begins with {' or '.join(map(value, evidence.possible))}: nothing else was possible then"
    yield f"a non-linearizable sub-history ({few}){begin}:"
    yield from (f"  {line}" for line in bars(evidence.operations))
    if evidence.elsewhere:
        shown = list(dict.fromkeys(map(_attempt, evidence.elsewhere)))  # two equal writes need no two words
        more = f" and {len(shown) - _ELSEWHERE:,} more" if len(shown) > _ELSEWHERE else ""
        yield f"  at any time, or never: {', '.join(shown[:_ELSEWHERE])}{more}"


def _where(op: Operation) -> str:
    return f" (line {op.lines[1] or op.lines[0]})" if op.lines[0] else ""


def verdict_of_keys(holding: int, violated: int, undecided: int) -> str:
    """The verdict on a history, from how many of its keys are linearizable, are not, and are not decided."""
    count = holding + violated + undecided
    if violated:
        more = f", {plural(undecided, 'is', 'are')} not decided" if undecided else ""
        return f"VIOLATED: {violated:,} of {plural(count, 'key')} {_is(violated)} not linearizable{more}"
    if undecided:
        return f"INCONCLUSIVE: {undecided:,} of {plural(count, 'key')} {_is(undecided)} not decided"
    return f"HOLDS: {plural(count, 'key')} {_is(count)} linearizable"


def by_algorithm(algorithms: Mapping[str, int]) -> str:
    """How many keys each algorithm has judged."""
    return ", ".join(f"{name} {count:,}" for name, count in sorted(algorithms.items()))


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def bars(operations: Sequence[Operation]) -> Iterator[str]:
    """An operation a line, in the order of calls; the bars show which of them overlap. ``...``: perhaps for ever."""
    # Only the order of events counts, so each has one place.
    events = sorted({op.call for op in operations} | {op.returned for op in operations if op.returned != NEVER})
    place = {event: at * _STEP for at, event in enumerate(events)}
    end = len(events) * _STEP
    rows = []
    for op in operations:
        begin = place[op.call]
        until = place.get(op.returned, end)  # NEVER has none: to the right end
        drawn = " " * begin + "|" + "-" * (until - begin - 1) + ("..." if op.returned == NEVER else "|")
        lines = f"line {op.lines[0]}" if op.lines[0] else ""
        rows.append((lines, f"process {value(op.process)}", describe_operation(op), drawn))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    for row in rows:
        cells = [row[i].ljust(widths[i]) for i in range(3) if widths[i]]
        yield "  ".join([*cells, row[3]] if len(rows) <= _BARS_MAX else cells).rstrip()


def describe_operation(op: Operation) -> str:
    """``read -> 3``, ``cas [1 2]``, ``write 4 ?`` (unknown whether), ``cas [1 2] refused``."""
    invoked = _attempt(op)
    if op.status is Status.INFO or op.returned == NEVER:
        return f"{invoked} ?"
    if op.status is Status.FAIL:
        return f"{invoked} refused"
    return f"{invoked} -> {value(op.result)}" if op.f in LOOKING else invoked


def _attempt(op: Operation) -> str:
    return op.f if op.argument is None else f"{op.f} {argument_in_words(op.f, op.argument)}"


def argument_in_words(f: str, argument: Hashable) -> str:
    """What an operation is given, as people write it."""
    if f == "set_if" and isinstance(argument, tuple):
        expected, written = argument
        return f"{value(written)} if {'something' if expected == EXISTS else value(expected)} is there"
    return value(argument)


def history_name(number: int, evidence: Evidence) -> str:
    """The name of a file for `as_history`, one of `HISTORIES`. number: of the evidence, from 1."""
    key = "" if evidence.key is None else _UNFIT.sub("_", value(evidence.key)).strip("_")
    return f"impossible.{number}{f'.{key}' if key else ''}.jsonl"


def value(part: Hashable) -> str:
    """A value as people write it, shortened."""
    shown = render_value(part, lambda text: json.dumps(text) if isinstance(text, str) else repr(text))
    # The end tells long values apart, too.
    return shown if len(shown) <= _VALUE_MAX else f"{shown[: _VALUE_MAX - 12]}...{shown[-9:]}"


def plain(part: Hashable) -> object:
    """A value for JSON: what JSON has no word for becomes text."""
    if isinstance(part, tuple):
        return [plain(one) for one in part]
    if isinstance(part, Atom):
        if part.kind == "boolean":  # the spelling that `freeze` has given it
            return part.text == "true"
        if part.kind == "float":
            return float(str(part.text))
        if isinstance(part.text, frozenset):
            pairs = [pair for pair in part.text if isinstance(pair, tuple) and len(pair) == 2]
            if part.kind == "map" and all(isinstance(key, str) for key, _ in pairs):
                # A set has no order of its own, and output must have one.
                return {str(key): plain(one) for key, one in sorted(pairs, key=str)}
            return sorted((plain(one) for one in part.text), key=repr)
        return str(part)
    return part if isinstance(part, str | int | None) else repr(part)


def as_object(evidence: Evidence) -> dict[str, object]:
    """What `story` tells, for programs; docs/histories.md says what each field means."""
    failed = evidence.failed
    return {
        "explained": evidence.returned,
        "failed": None if failed is None else describe_operation(failed),
        "line": None if failed is None else failed.lines[1],
        "minimal": evidence.minimal,
        "held": None if evidence.possible is None else [plain(one) for one in evidence.possible],
        "operations": [
            {"process": plain(op.process), "operation": describe_operation(op), "lines": list(op.lines)}
            for op in evidence.operations
        ],
        "elsewhere": [describe_operation(attrs.evolve(op, status=Status.INFO)) for op in evidence.elsewhere],
    }


def as_history(evidence: Evidence) -> Iterator[str]:
    """The events of an impossible sub-history in our own format, to be checked by itself.

    Concurrent writes of the possible first values come first: any may be the last. Then operations are invoked that may
    have taken effect at any time; they never return.
    """
    first = _writes_of_values(evidence)
    # Before all events of the history: they may have taken effect at any time since.
    events: list[tuple[int, Operation, str]] = [(-1, op, "invoke") for op in evidence.elsewhere]
    for op in (*first, *evidence.operations):
        events.append((op.call, op, "invoke"))
        kind = {Status.OK: "ok", Status.FAIL: "fail", Status.INFO: "info"}[op.status]
        events.append((op.returned, op, kind))
    # A process of its own for each: some never return.
    free = {id(op): number for number, op in enumerate((*first, *evidence.elsewhere, *evidence.operations))}
    for _, op, kind in sorted(events, key=lambda event: event[0]):
        event = {
            "process": free[id(op)],
            "type": kind,
            "f": op.f,
            "key": plain(op.key),
            "value": _plain_argument(op, kind),
        }
        yield json.dumps(event)


def _writes_of_values(evidence: Evidence) -> list[Operation]:
    """A write of each value that the key may have had. A mutex is acquired if it was held; of one that was held or
    free, no events say so."""
    fs = {op.f for op in (*evidence.elsewhere, *evidence.operations)}
    possible = evidence.possible or ()
    if fs <= MUTEX.fs:
        calls: list[tuple[str, Hashable]] = [("acquire", None)] if possible == (HELD,) else []
    else:
        write, erase = ("set", "delete") if fs <= KV.fs else ("write", "write")
        calls = [(erase if each is None else write, each) for each in possible]
    # They overlap each other, and end before all others begin: any of them may be the last.
    return [
        Operation(process=None, f=f, key=evidence.key, argument=argument, call=-3, returned=-2) for f, argument in calls
    ]


def _plain_argument(op: Operation, kind: str) -> object:
    if kind == "ok" and op.f in LOOKING:
        return plain(op.result)
    if op.f == "set_if" and isinstance(op.argument, tuple):
        expected, written = op.argument
        predicate = {"exists": True} if expected == EXISTS else None if expected is None else {"value": plain(expected)}
        return {"value": plain(written), "predicate": predicate}
    if op.f == "scan" and isinstance(op.argument, tuple):
        return {"start": plain(op.argument[0]), "limit": plain(op.argument[1])}
    return plain(op.argument)

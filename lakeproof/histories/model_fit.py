"""Whether the values of a history fit the model that the names of its operations suggest, and what may be meant.

A bank's reads return maps, and ``independent`` values are ``[KEY VALUE]``: judged as those of a register they are
violated, though nothing is wrong with the store. Where values do not fit there is no verdict, but the model or option
to use. Where they may fit and are violated, there is a hint.
"""

import json
from collections.abc import Container, Hashable, Iterable, Iterator
from typing import Final, Literal, cast

from lakeproof.histories.evidence import plain
from lakeproof.histories.evidence import value as shown
from lakeproof.model.linearizability.evidence import Evidence
from lakeproof.model.linearizability.history import STATUSES, History, Operation
from lakeproof.model.linearizability.specifications import (
    EXISTS,
    MULTI_REGISTER,
    MUTEX,
    Specification,
    initial,
    members,
    observation_of,
)
from lakeproof.model.linearizability.values import UNKNOWN, Atom, freeze
from lakeproof.model.snapshot import Status
from lakeproof.plain_json import decode

_KINDS: Final = {
    int: "numbers", str: "text", bytes: "bytes", tuple: "lists",
    "float": "numbers", "decimal": "numbers", "fraction": "numbers",
}  # fmt: skip
_TRANSACTIONS: Final = "transactions"
_HALVES: Final = "[KEY nil]"
_BLANKS: Final = "maps to nil"
_RETURNS: Final = {"lists": "a set or a queue", "sets": "a set", "maps": "a bank, or another snapshot of many keys,"}
"""What returns such values and is written otherwise."""
_OK, _FAIL = 0, 1  # as in the columns of `History`

Examples = dict[str, Hashable]
"""Kinds of values, and one value of each."""


def without_observation(specification: Specification, history: History) -> Literal["", "writes", "none"]:
    """Empty if any operation says what the state was: what it read, or that its condition was met or refused.

    Without one, to hold says nothing: it would, whatever the store did. ``writes`` alone were not meant to say more,
    and hold, as every checker has it; reads whose values are not recorded were: ``none``.
    """
    settings, values = history.settings, history.values
    if values == [None] and specification is not MUTEX:  # nil alone, as where values have another name
        return "none"
    answering = specification.answering
    telling = specification.observers | answering | specification.conditional
    wrote = silent = False
    for _, f, _, result, status, _, _ in history.rows(range(len(history))):
        if f not in telling:
            wrote = wrote or status == _OK
            continue
        seen = observation_of(specification, settings, f, STATUSES[status], values[result])
        # A transaction says what its reads found; its writes are an echo.
        found = {one[2] for one in seen if _is_read(one)} if f in answering and isinstance(seen, tuple) else {seen}
        if found - {UNKNOWN}:
            return ""
        wrote, silent = wrote or not found, silent or (status == _OK and bool(found))
    return "writes" if wrote and not silent else "none"


def misfit(specification: Specification, history: History) -> str:
    """Why the values of a history are not those of a model, and what to use; empty: they may be. Cost: linear."""
    if specification is MUTEX:  # it has no values
        return _reentrant(history)
    if specification.guarded is None:  # no register, so no values of one kind
        return ""
    invoked, written, read = _values(specification, history)
    named = {**read, **invoked, **written}  # of one kind, the example is one that was written
    if named.keys() == {_TRANSACTIONS}:
        return f"{shown(named[_TRANSACTIONS])} reads or writes registers by name; use --model multi-register"
    if invoked.keys() == {_HALVES}:
        return f"reads are invoked with [KEY nil], such as {shown(invoked[_HALVES])}; use --independent"
    if invoked.keys() == {_BLANKS}:
        return (
            f"reads are invoked with names of registers, such as {shown(invoked[_BLANKS])}: write what reads and "
            f"writes several as transactions, such as [[:r :x nil]], and use --model multi-register"
        )
    whatever = f"; if any value is possible here, use --model {specification.name}"
    for kind, value in read.items():
        if kind in _RETURNS and kind not in written:
            return (
                f"a read returned {shown(value)}, and no {kind} were written: {_RETURNS[kind]} is judged by no model "
                f"here{whatever}"
            )
        # Where lists alone were written, no read can return a number or a text.
        if written.keys() == {"lists"} and kind not in (*_RETURNS, _TRANSACTIONS):
            return (
                f"a read returned {shown(value)}, and lists were written, such as {shown(written['lists'])}{whatever}"
            )
    return ""


def hint(specification: Specification, history: History, numbers: Iterable[int], evidence: Evidence) -> str:
    """What may be meant, if a value that nothing has written is what violates a history; empty: nothing is known."""
    failed = evidence.failed
    if failed is None or specification is MUTEX:
        return ""
    begun, apart = initial(specification, history), specification.by_key and specification is not MULTI_REGISTER
    for register, value in _observed_values(specification, failed):
        first = value == begun if apart else (register, value) in cast("Container[Hashable]", begun)
        part = map(history.operation, numbers)
        writes = [(op, one) for op in part for name, one in _written_values(specification, op) if name == register]
        # A text that was appended to holds what was written, without being equal to it.
        grown = isinstance(value, str) and "append" in specification.fs  # of what was appended, perhaps
        if first or value in (None, UNKNOWN):
            continue
        if any(one == value or (grown and str(one) in str(value)) for _, one in writes):
            continue
        never, kinds = f"{shown(value)} was never written", {kind_of(one) for _, one in writes} - {"nil"}
        if kinds and kind_of(value) not in kinds:
            return f"{never}: {_and(kinds)} written and {_and([kind_of(value)])} read"
        # If no write was surely over when the read began, the key may still have had its first value.
        early = all(op.returned > failed.call or op.status is not Status.OK for op, _ in writes)
        begin = json.dumps(plain(value))
        # Only if the option would give the same value back: JSON has no keywords and no sets.
        if early and history.settings.initial is UNKNOWN and freeze(decode(begin)) == value:
            return f"{never}: is it the initial value? --initial {begin}"
        pairs = writes and all(isinstance(one, tuple) and len(one) == 2 for _, one in writes)
        return f"{never}{': if values are [KEY VALUE], use --independent' if pairs else ''}"
    return ""


def kind_of(value: Hashable) -> str:
    """``numbers``, ``text``, ``lists`` ...: which kind of value it is."""
    if value is None:
        return "nil"
    return _KINDS.get(value.kind, f"{value.kind}s") if isinstance(value, Atom) else _KINDS.get(type(value), "others")


def _and(kinds: Iterable[str]) -> str:
    named = sorted(kinds)
    return f"{' and '.join(named)} {'was' if named == ['text'] else 'were'}"


def _values(specification: Specification, history: History) -> tuple[Examples, Examples, Examples]:
    """What reads were invoked with, what was to be written, and what was read; nil is in none."""
    invoked: Examples = {}
    # The initial value counts as written.
    written: Examples = {} if history.settings.initial is UNKNOWN else {kind_of(history.settings.initial): None}
    read: Examples = {}
    values = history.values
    for _, f, argument, result, status, _, _ in history.rows(range(len(history))):
        given = values[argument]
        if f in specification.observers:
            if given is not None:
                invoked[_question(given) or _kind_or_transaction(given)] = given
            if status == _OK and values[result] is not None:
                read[_kind_or_transaction(values[result])] = values[result]
        else:
            # Of both, the expected value counts as well: another operation must have written it.
            for one in given if f in ("cas", "set_if") and isinstance(given, tuple) else (given,):
                if one is not None:
                    written[_kind_or_transaction(one)] = one
    return invoked, written, read


def _question(given: Hashable) -> str:
    """The kind of what names the parts to read; empty: it does not."""
    if isinstance(given, tuple) and len(given) == 2 and given[1] is None:
        return _HALVES
    pairs = given.text if isinstance(given, Atom) and given.kind == "map" else None
    return _BLANKS if isinstance(pairs, frozenset) and pairs and all(part is None for _, part in pairs) else ""


def _kind_or_transaction(value: Hashable) -> str:
    return _TRANSACTIONS if isinstance(value, tuple) and value and all(map(_micro, value)) else kind_of(value)


def _micro(one: Hashable) -> bool:
    # A micro-operation has a name, a register and a value: `[:r :x nil]`.
    return isinstance(one, tuple) and len(one) == 3 and str(one[0]).removeprefix(":") in ("r", "w", "read", "write")


def _is_read(one: Hashable) -> bool:
    return isinstance(one, tuple) and _micro(one) and str(one[0]).removeprefix(":") in ("r", "read")


def _reentrant(history: History) -> str:
    acquired: dict[Hashable, dict[int, tuple[int, int]]] = {}  # by key and process: the line, and the return
    rows, columns = history.rows(range(len(history))), history.columns()
    events = zip(history.invocations(), rows, columns["process"], columns["line"], strict=True)
    for (f, key, _), (*_, status, call, returned), process, line in events:
        own = acquired.setdefault(key, {})
        if f == "acquire" and status == _OK:  # of a failed or unknown one nothing follows
            if process in own:
                lines = f"lines {own[process][0]} and {line}"
                return (
                    f"process {shown(history.process_names[process])} acquires twice ({lines}) and releases nothing "
                    "between: a re-entrant lock is judged by no model here; if this is none, use --model mutex"
                )
            own[process] = line, returned
        # A release whose outcome is unknown may have taken place: then the next acquire is none within the first. So is
        # that of another process, if the mutex has no owner.
        elif f == "release" and status != _FAIL:
            acquired[key] = {each: before for each, before in own.items() if before[1] > call}
    return ""


def _observed_values(specification: Specification, op: Operation) -> Iterator[tuple[Hashable, Hashable]]:
    """Registers and the values that an operation found in them."""
    if op.f == "scan":
        yield from members(op.result, 2)
    elif specification is MULTI_REGISTER:
        yield from members(op.result, 3)
    elif op.f in specification.observers:
        yield op.key, op.result
    elif op.status is Status.OK and isinstance(op.argument, tuple) and op.argument[0] != EXISTS:  # cas, set_if
        yield op.key, op.argument[0]


def _written_values(specification: Specification, op: Operation) -> Iterator[tuple[Hashable, Hashable]]:
    """Registers and the values that an operation writes, or may have written."""
    if op.status is Status.FAIL or op.f in specification.observers:
        return
    if specification is MULTI_REGISTER:
        given = op.argument if isinstance(op.argument, tuple) else ()
        yield from members(tuple(one for one in given if _micro(one) and not _is_read(one)), 3)
    elif op.f in ("cas", "set_if") and isinstance(op.argument, tuple):
        yield op.key, op.argument[-1]
    else:
        yield op.key, None if op.f == "delete" else op.argument

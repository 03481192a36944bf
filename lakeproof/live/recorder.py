"""What clients did to a store, as a history: order numbers by one clock, times by the monotonic one."""

import json
import time
from collections.abc import Iterable
from typing import Final

import attrs

from lakeproof.model.linearizability.history import NEVER, Operation
from lakeproof.model.linearizability.specifications import EXISTS
from lakeproof.model.snapshot import Status

_TYPES: Final = {Status.OK: "ok", Status.FAIL: "fail", Status.INFO: "info"}


@attrs.define(eq=False)
class Row:
    """An operation of a client on a key. Times in nanoseconds."""

    process: str
    f: str
    key: str
    argument: object
    call: int
    called: int
    status: Status = Status.INFO
    result: str | None = None
    noted: int = NEVER
    """When it ended for its client, whatever is known of it."""
    ended: int = 0

    @property
    def returned(self) -> int:
        """NEVER for one that may take effect at any later time or never."""
        return NEVER if self.status is Status.INFO else self.noted


@attrs.define
class Recorder:
    """All events get their numbers here, in the order in which they happen: a call before it is sent, a return after it
    was received. So an operation that is said to come after another one really does."""

    rows: list[Row] = attrs.field(factory=list)
    _events: int = 0

    def begin(self, process: str, f: str, key: str, argument: object = None) -> Row:
        self._events += 1
        return Row(process, f, key, argument, self._events, time.monotonic_ns())

    def end(self, row: Row, status: Status, result: str | None = None) -> None:
        """An operation is over, and kept. What is known to have not happened is not to be handed in."""
        self._events += 1
        row.noted, row.ended = self._events, time.monotonic_ns()
        row.status, row.result = status, result
        self.rows.append(row)


def lines(rows: Iterable[Row]) -> tuple[list[Operation], list[str]]:
    """The operations, and the lines of a file that `lakeproof check` reads; operations name their lines."""
    events: list[tuple[int, Row, bool]] = []
    for row in rows:
        events += [(row.call, row, False), (row.noted, row, True)]
    events.sort(key=lambda event: event[0])
    told: list[str] = []
    begun: dict[int, int] = {}
    operations = []
    for number, (_, row, ends) in enumerate(events, 1):
        told.append(json.dumps(_event(row, ends=ends)))
        if ends:
            operations.append(_operation(row, (begun[row.call], number)))
        else:
            begun[row.call] = number
    return operations, told


def _operation(row: Row, at: tuple[int, int]) -> Operation:
    argument = tuple(row.argument) if isinstance(row.argument, tuple | list) else row.argument
    return Operation(
        process=row.process,
        f=row.f,
        key=row.key,
        argument=argument,
        result=row.result,
        status=row.status,
        call=row.call,
        returned=row.returned,
        lines=at,
    )


def _event(row: Row, *, ends: bool) -> dict[str, object]:
    value = _argument(row)
    if ends and row.f == "get":
        value = row.result
    kind = _TYPES[row.status] if ends else "invoke"
    when = row.ended if ends else row.called
    return {"process": row.process, "type": kind, "f": row.f, "key": row.key, "value": value, "time": when}


def _argument(row: Row) -> object:
    if row.f != "set_if" or not isinstance(row.argument, tuple):
        return row.argument
    expected, value = row.argument
    predicate = None if expected is None else {"exists": True} if expected == EXISTS else {"value": expected}
    return {"value": value, "predicate": predicate}

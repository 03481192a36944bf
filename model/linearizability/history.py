"""A recorded history in columns: some fifty bytes an operation, so that millions fit.

Events are appended as they were recorded. A process does one operation at a time; one that never returns stays open
for ever, and its process has no further operation.

Example: two processes at one key; the second operation never returns.

>>> made = History()
>>> made.call(0, "write", "k", 7)
>>> made.call(1, "read", "k", None)
>>> made.end(0, Status.OK, None)
>>> [(op.f, op.call, op.returned == NEVER) for op in map(made.operation, range(len(made)))]
[('write', 0, False), ('read', 1, True)]
"""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeVar

import attrs

from lakeproof.model.linearizability.values import UNKNOWN, freeze, render_name, shorten_value, size
from lakeproof.model.snapshot import Status

NEVER: Final = 1 << 62
"""The order number of a return that was not recorded, or whose outcome is unknown."""

STATUSES: Final = (Status.OK, Status.FAIL, Status.INFO)
_NUMBER: Final = {status: number for number, status in enumerate(STATUSES)}
_OPEN: Final = -1
_OPERATION_BYTES: Final = 90

Name = TypeVar("Name", bound=Hashable)


class BrokenHistory(ValueError):
    """Events that no recorder can have written. Names what was there, what was expected, and the line if known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@attrs.frozen(kw_only=True)
class Settings:
    """What differs between recorders.

    fail: what a failed conditional write says: ``did-not-happen`` (Jepsen), nothing more; or ``predicate-false``
        (a store's answer), that the predicate did not hold at some moment of the operation. Any other failed operation
        did not happen, in both.
    nil: what a read of nil says: ``nothing`` was there, or the value was ``unrecorded``.
    initial: what every key holds in the beginning, or a map of keys where all of them are one object; UNKNOWN here:
        what the specification says.
    order: ``file``: events happened in the order in which they were recorded; ``time``: in that of their times.
    ties: which come first at equal times; ``calls`` is the lenient one. At each time, one process keeps its own order.
    """

    fail: Literal["did-not-happen", "predicate-false"] = "did-not-happen"
    nil: Literal["nothing", "unrecorded"] = "nothing"
    initial: Hashable = UNKNOWN
    order: Literal["file", "time"] = "file"
    ties: Literal["calls", "returns"] = "calls"


@attrs.frozen(kw_only=True)
class Operation:
    """One operation, with the order numbers of its call and return (NEVER: none known) and where they were recorded."""

    process: Hashable
    f: str
    key: Hashable = None
    argument: Hashable = None
    result: Hashable = None
    status: Status = Status.OK
    call: int
    returned: int = NEVER
    lines: tuple[int, int] = (0, 0)
    """Of call and return; 0: not known."""


class History:
    """Operations in the order of their calls. ``len`` counts them; `operation` gives one back."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.values: list[Hashable] = []
        self.keys: dict[Hashable, array[int]] = {}
        self.events = 0
        self.bytes = 0
        """What all this takes in memory, about."""
        self._ids: dict[Hashable, int] = {}
        self._fs: dict[str, int] = {}
        self._processes: dict[Hashable, int] = {}
        self.f_names: list[str] = []
        """The names of operations, by the numbers that `columns` has."""
        self.process_names: list[Hashable] = []
        """The processes, by the numbers that `columns` has."""
        self._open: dict[int, int] = {}
        self._last: dict[int, int] = {}
        # Columns of machine numbers, and not an object for each operation: so millions of them fit.
        self._times: array[int] = array("q")
        self._key: list[Hashable] = []
        self._status = array("b")
        self._f, self._process, self._argument, self._result = array("i"), array("i"), array("i"), array("i")
        self._call, self._returned = array("q"), array("q")
        self._line, self._return_line = array("q"), array("q")

    def __len__(self) -> int:
        return len(self._call)

    @property
    def fs(self) -> frozenset[str]:
        """The names of all operations."""
        return frozenset(self._fs)

    def call(
        self, process: Hashable, f: str, key: Hashable, argument: Hashable, *, time: int | None = None, line: int = 0
    ) -> None:
        """A process begins an operation. Raises BrokenHistory if another one of it is open."""
        known = self._process_number(process)
        if known in self._open:
            raise BrokenHistory(self._still_open(known), line)
        # ``1`` and ``true`` are two keys, though Python finds them equal.
        self._open[known] = self._begin(known, f, freeze(key), argument, time, line)

    def end(
        self, process: Hashable, status: Status, result: Hashable, *, time: int | None = None, line: int = 0
    ) -> None:
        """The open operation of a process returns: ok with a result, failed, or (INFO) unknown.

        Raises BrokenHistory if the process has none open.
        """
        # No process has the number -1, so that one that was never met has nothing open.
        known = self._processes.get(process, _OPEN)
        number = self._open.pop(known, None)
        if number is None:
            raise BrokenHistory(
                f"process {shorten_value(process)} returned ({status.value}), but it has no operation open; "
                "expected its invoke before",
                line,
            )
        self._finish(number, known, status, result, time, line)

    def invocations(self) -> Iterator[tuple[str, Hashable, Hashable]]:
        """Name, key and argument of the operations, in the order of their numbers."""
        return zip(
            map(self.f_names.__getitem__, self._f),
            self._key,
            map(self.values.__getitem__, self._argument),
            strict=True,
        )

    def opened(self, process: Hashable) -> tuple[str, Hashable, Hashable] | None:
        """Name, key and argument of the operation that a process has open."""
        number = self._open.get(self._processes.get(process, _OPEN))
        if number is None:
            return None
        return self.f_names[self._f[number]], self._key[number], self.values[self._argument[number]]

    def intern(self, value: Hashable) -> int:
        """The number of a value: equal numbers, equal values."""
        value = freeze(value)  # without it 1, 1.0 and True would share one entry of `_ids`
        found = self._ids.get(value)
        if found is None:
            found = self._ids[value] = len(self.values)
            self.values.append(value)
            self.bytes += 160 + (len(value) if isinstance(value, str | bytes) else size(value))
        return found

    def operation(self, number: int) -> Operation:
        status = STATUSES[self._status[number]]
        result = self._result[number]
        return Operation(
            process=self.process_names[self._process[number]],
            f=self.f_names[self._f[number]],
            key=self._key[number],
            argument=self.values[self._argument[number]],
            # An operation that returned nil has the number of nil; -1 is only for those without a known outcome.
            result=UNKNOWN if result == _OPEN else self.values[result],
            status=status,
            call=self._call[number],
            returned=self._returned[number],
            lines=(self._line[number], self._return_line[number]),
        )

    def rows(self, numbers: Iterable[int]) -> Iterator[tuple[int, str, int, int, int, int, int]]:
        """Number, name, argument, result (-1: none), status, call and return of operations; values by number."""
        fs = self.f_names
        f, argument, result, status = self._f, self._argument, self._result, self._status
        call, returned = self._call, self._returned
        for i in numbers:
            yield i, fs[f[i]], argument[i], result[i], status[i], call[i], returned[i]

    def columns(self) -> Mapping[str, Sequence[int]]:
        """All operations: a column for each part of `rows`, and for process and line of the call. Not to be changed."""
        return {
            "process": self._process,
            "f": self._f,
            "argument": self._argument,
            "result": self._result,
            "status": self._status,
            "call": self._call,
            "returned": self._returned,
            "line": self._line,
        }

    def settle(self) -> None:
        """Put the events into the order that the settings ask for. Call it once, after the last event.

        Raises BrokenHistory where times are needed and one is missing.
        """
        if self.settings.order == "file":
            return
        # `_times` has events with a time only: one that is missing anywhere shifts all after it.
        if len(self._times) != self.events:
            raise BrokenHistory("order by time: not every event has a time; give them all one, or use the file's order")
        # At one time the phases order events: 0 returns (strict), 1 calls, 2 both of a process that keeps its own
        # order, 3 returns (lenient, or of what took no time), 4 calls (strict) of what returns later. Calls before
        # returns means that operations overlap, which allows more orders.
        times, phase, lenient = self._times, bytearray(self.events), self.settings.ties == "calls"
        last: dict[int, int] = {}  # of each process, its last return
        orderly: dict[int, int] = {}  # by time, the one process that keeps its order: others still overlap all of it
        for process, begin, event in zip(self._process, self._call, self._returned, strict=True):
            # Of what never returns it stays 1: a later operation of its process may begin at the same time.
            phase[begin] = 4 if not lenient and event != NEVER and times[event] > times[begin] else 1
            if event != NEVER and (lenient or times[event] == times[begin]):
                phase[event] = 3  # an operation that took no time is over after it began, all the same
            before = last.get(process, NEVER)
            if event != NEVER:  # an operation in between that never returns takes nothing from the order of the others
                last[process] = event
            # A call at the time of the process's last return: with calls first, its two operations would overlap.
            again = before != NEVER and phase[before] >= 2 > phase[begin] and times[before] == times[begin]
            if again and orderly.setdefault(times[begin], process) == process:
                phase[before] = phase[begin] = 2
        # A stable sort: what is equal in both keeps the order of the file.
        order = sorted(range(self.events), key=lambda event: (times[event], phase[event]))
        place = array("q", bytes(8 * self.events))
        for rank, event in enumerate(order):
            place[event] = rank
        for i in range(len(self)):
            self._call[i] = place[self._call[i]]
            if self._returned[i] != NEVER:
                self._returned[i] = place[self._returned[i]]
        # The columns stay in the order of the file; the algorithms expect each key's numbers in that of calls.
        call = self._call
        for key, numbers in self.keys.items():
            self.keys[key] = array("q", sorted(numbers, key=call.__getitem__))

    def _process_number(self, process: Hashable) -> int:
        return _number_of(process, self._processes, self.process_names)

    def _begin(self, process: int, f: str, key: Hashable, argument: Hashable, time: int | None, line: int) -> int:
        number = len(self._call)
        self.bytes += _OPERATION_BYTES
        self._f.append(_number_of(f, self._fs, self.f_names))
        self._process.append(process)
        self._argument.append(self.intern(argument))
        self._result.append(_OPEN)
        self._status.append(_NUMBER[Status.INFO])  # what never returns stays as it begins here: unknown
        self._call.append(self._event(process, time, line))
        self._returned.append(NEVER)
        self._line.append(line)
        self._return_line.append(0)
        own = self.keys.get(key)
        if own is None:
            own = self.keys[key] = array("q")
            self.bytes += 500 + size(key)
        own.append(number)
        self._key.append(key)
        return number

    def _finish(self, number: int, process: int, status: Status, result: Hashable, time: int | None, line: int) -> None:
        event = self._event(process, time, line)
        self._status[number] = _NUMBER[status]
        self._return_line[number] = line
        # INFO ends the operation for its process, but it may still take effect: it has no return.
        if status is not Status.INFO:
            self._returned[number] = event
            self._result[number] = self.intern(result)

    def _event(self, process: int, time: int | None, line: int) -> int:
        if time is not None and self.settings.order == "time":
            last = self._last.get(process)
            # Times of different processes may be recorded in any order; one process is sequential.
            if last is not None and time < last:
                raise BrokenHistory(f"time {time} of a process is before its last one, {last}; expected it later", line)
            self._last[process] = time
            self._times.append(time)
        self.events += 1
        return self.events - 1

    def _still_open(self, process: int) -> str:
        number = self._open[process]
        name, f = self.process_names[process], self.f_names[self._f[number]]
        f = render_name(f)
        where = f" since line {self._line[number]}" if self._line[number] else ""
        return (
            f"process {shorten_value(name)} invoked, but its {f} is open{where}; expected ok, fail or "
            f"info of that first"
        )


def _number_of(name: Name, numbers: dict[Name, int], names: list[Name]) -> int:
    """The number of a name, which is its place among the names; a new one comes last."""
    known = numbers.setdefault(name, len(names))
    if known == len(names):
        names.append(name)
    return known


def history(operations: Iterable[Operation], settings: Settings | None = None) -> History:
    """A history of operations that have their order numbers already.

    Raises ValueError if two events share a number, or an operation returns before its call.
    """
    made = History(settings)
    events: list[tuple[int, int, Operation]] = []
    for number, op in enumerate(operations):
        # NEVER is greater than each order number.
        if op.call >= op.returned:
            raise BrokenHistory(f"{op!r}: expected its call before its return")
        events.append((op.call, number, op))
        if op.returned != NEVER:
            events.append((op.returned, number, op))
    events.sort(key=lambda event: event[0])
    for one, other in pairwise(events):
        if one[0] == other[0]:
            raise BrokenHistory(f"two events have the order number {one[0]}; expected one each")
    begun: dict[int, int] = {}
    for _, number, op in events:
        process = made._process_number(op.process)  # noqa: SLF001  # a friend
        if number not in begun:
            begun[number] = made._begin(process, op.f, freeze(op.key), op.argument, None, op.lines[0])  # noqa: SLF001
        elif op.status is not Status.INFO:
            made._finish(begun[number], process, op.status, op.result, None, op.lines[1])  # noqa: SLF001
    return made

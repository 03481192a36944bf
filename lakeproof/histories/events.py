"""Events of any format into a history: the same checks, and the same meaning of values."""

from collections.abc import Hashable, Mapping
from typing import Final

from lakeproof.histories.errors import Unreadable, shorten_value
from lakeproof.model.linearizability.history import History
from lakeproof.model.linearizability.specifications import CAS_REGISTER, EXISTS, KV, MUTEX
from lakeproof.model.linearizability.values import freeze
from lakeproof.model.snapshot import Status

TYPES: Final = ("invoke", "ok", "fail", "info")
_ENDS: Final = {"ok": Status.OK, "fail": Status.FAIL, "info": Status.INFO}
_TIME_END: Final = 1 << 62  # times are kept in columns of 64 bits
LOOKING: Final = frozenset({"read", "get", "scan", "txn"})
"""The operations whose results are looked at; others echo what they wrote, or say that they are done."""
_CONDITIONAL: Final = CAS_REGISTER.conditional | KV.conditional | MUTEX.conditional
NEMESIS: Final = ("nemesis", ":nemesis")
"""The process that injects faults, as text. Its events are of the type info, whether something begins or ends."""


class HistoryWriter:
    """Appends events to a history. ``independent``: values are pairs, the key and the value proper."""

    def __init__(self, history: History, *, independent: bool = False) -> None:
        self.history = history
        self.independent = independent
        self.index: int | None = None
        """Of the last event that had one."""

    def add(self, process: Hashable, type_: str, f: str, key: object, value: object, time: object, line: int) -> None:
        """One event. Raises Unreadable or BrokenHistory if it cannot be one, or not here."""
        history = self.history
        if time is not None and (type(time) is not int or not -_TIME_END < time < _TIME_END):
            raise Unreadable(f"time {shorten_value(time)}; expected nanoseconds, an integer of 62 bits", line)
        opened = history.opened(process)
        # A client may be called nemesis: then its own info ends what it has begun.
        if opened is None and type_ == "info" and process in NEMESIS:
            return
        # An outcome other than `ok` may leave out its value, and the key with it.
        if self.independent and not (value is None and type_ in ("fail", "info")):
            if f == "cas" and isinstance(value, list | tuple) and len(value) == 3:  # [KEY OLD NEW] is [KEY [OLD NEW]]
                value = value[0], value[1:]
            if key is not None or not isinstance(value, list | tuple) or len(value) != 2:
                raise Unreadable(f"value {shorten_value(value)}; expected [KEY VALUE], as keys are independent", line)
            key, value = value
        if type_ == "invoke":
            history.call(process, f, self._frozen(key, line), self._argument(f, value, line), time=time, line=line)
            return
        if opened is not None:
            if opened[0] != f:
                raise Unreadable(
                    f"process {shorten_value(process)} returned from {shorten_value(f)}; expected "
                    f"{shorten_value(opened[0])}, which it invoked",
                    line,
                )
            if key is not None and self._frozen(key, line) != opened[1]:
                raise Unreadable(
                    f"key {shorten_value(key)}; expected {shorten_value(opened[1])}, as in the invoke", line
                )
        if f == "scan" and type_ == "ok" and not _are_entries(value):
            raise Unreadable(f"scan of {shorten_value(value)}; expected a list of [KEY, VALUE]", line)
        # A write may echo its value at the ok, or not: that is no observation. No condition is echoed as false.
        if value is False and type_ == "ok" and f in _CONDITIONAL:
            raise Unreadable(f"{f} returned ok with false; expected fail, if its condition did not hold", line)
        result = self._frozen(value, line) if type_ == "ok" and (opened is None or f in LOOKING) else None
        history.end(process, _ENDS[type_], result, time=time, line=line)

    def _argument(self, f: str, value: object, line: int) -> Hashable:
        if f == "set_if":
            return self._condition(value, line)
        if f == "scan" and isinstance(value, Mapping):
            named = _plain_names(value)
            if not named.keys() <= {"start", "limit"}:
                raise Unreadable(f"scan of {shorten_value(value)}; expected start and limit, or nothing", line)
            # None for what is missing: from the first key, or without a limit.
            return self._frozen(named.get("start"), line), self._frozen(named.get("limit"), line)
        return self._frozen(value, line)

    def _condition(self, value: object, line: int) -> Hashable:
        """What a ``set_if`` expects, and writes."""
        named = _plain_names(value) if isinstance(value, Mapping) else {}
        if named.keys() != {"value", "predicate"}:
            raise Unreadable(f"set_if of {shorten_value(value)}; expected value and predicate", line)
        predicate = named["predicate"]
        if predicate is None:
            return None, self._frozen(named["value"], line)
        condition = _plain_names(predicate) if isinstance(predicate, Mapping) else {}
        if condition.keys() == {"exists"} and condition["exists"] is True:  # 1 is not true here
            return EXISTS, self._frozen(named["value"], line)
        if condition.keys() == {"value"} and condition["value"] is not None:
            return self._frozen(condition["value"], line), self._frozen(named["value"], line)
        raise Unreadable(
            f"predicate {shorten_value(predicate)}; expected nothing, exists (true), or the value that must be there",
            line,
        )

    @staticmethod
    def _frozen(value: object, line: int) -> Hashable:
        try:
            return freeze(value)
        except TypeError as error:
            raise Unreadable(f"value {shorten_value(str(error))}", line) from error


def follow_index(before: int | None, index: object, line: int) -> int | None:
    """The last index so far, of the events that have one. Raises Unreadable for one that is not greater."""
    if index is None:
        return before
    # Events out of order would make another history: one in which operations overlap that did not.
    if type(index) is not int or (before is not None and index <= before):
        after = "" if before is None else f" greater than {before}, as events have their order"
        raise Unreadable(f"index {shorten_value(index)}; expected a number{after}", line)
    return index


def _are_entries(value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in value)


def _plain_names(value: Mapping[object, object]) -> dict[object, object]:
    """A map with plain names, whether they were text or keywords."""
    return {str(key).removeprefix(":"): part for key, part in value.items()}

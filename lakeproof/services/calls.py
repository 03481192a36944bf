"""What clients asked a service and what it answered: the history that verdicts rest on.

All events get their numbers here, in the order in which they happen: a call before it is sent, an answer after it was
received. So a call that is said to come after another one really does.
"""

import json
import time
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

import attrs

from lakeproof.model.snapshot import Status

NEVER: Final = 1 << 62
"""The end of a call that may still take effect."""


@attrs.define(eq=False)
class Call:
    """A call to a service.

    name, args: as the invariants know them; the repository first, then branch, path and value, where there are such.
    began, ended: event numbers; `NEVER` for one that was not answered, or not definitely.
    status: OK; FAIL, it was refused and did not happen; INFO, nobody knows. code: the HTTP status, if there was one.
    """

    client: int
    name: str
    args: tuple[str, ...]
    began: int
    called: int = 0  # nanoseconds, monotonic
    ended: int = NEVER
    returned: int = 0
    noted: int = NEVER
    """When it ended for its client, whatever is known of it."""
    status: Status = Status.INFO
    code: int = 0
    value: Hashable = None
    words: str = ""

    @property
    def ok(self) -> bool:
        return self.status is Status.OK

    @property
    def possible(self) -> bool:
        """Whether it has happened, or may have."""
        return self.status is not Status.FAIL

    @property
    def shown(self) -> str:
        """The call in words, with the numbers of its events."""
        end = self.noted if self.noted < NEVER else "never"
        return f"{self.name}({', '.join(self.args)}) [{self.began}, {end}] {self.answer}"

    @property
    def answer(self) -> str:
        code = f" {self.code}" if self.code else ""
        return f"{_TYPES[self.status]}{code}"


_TYPES: Final = {Status.OK: "ok", Status.FAIL: "fail", Status.INFO: "info"}


@attrs.define
class Recorder:
    """Calls in the order in which they were begun."""

    calls: list[Call] = attrs.field(factory=list)
    _events: int = 0

    def begin(self, client: int, name: str, args: tuple[str, ...]) -> Call:
        self._events += 1
        call = Call(client, name, args, self._events, time.monotonic_ns())
        self.calls.append(call)
        return call

    def end(self, call: Call, status: Status, code: int = 0, value: Hashable = None, words: str = "") -> None:
        self._events += 1
        call.noted, call.returned = self._events, time.monotonic_ns()
        call.ended = NEVER if status is Status.INFO else call.noted
        call.status, call.code, call.value, call.words = status, code, value, words


def lines(calls: Iterable[Call]) -> Iterator[str]:
    """The history as JSON Lines, two for each call: `invoke`, then `ok`, `fail` or `info`; times in nanoseconds."""
    events: list[tuple[int, dict[str, object]]] = []
    for call in calls:
        what = {"process": call.client, "f": call.name, "key": list(call.args)}
        events.append((call.began, {"type": "invoke", **what, "time": call.called}))
        told: dict[str, object] = {
            "type": _TYPES[call.status],
            **what,
            "time": call.returned,
            "http": call.code or None,
        }
        if call.value is not None:
            told["value"] = call.value
        if call.words:
            told["words"] = call.words
        events.append((call.noted, told))
    for _, event in sorted(events, key=lambda each: each[0]):
        yield json.dumps(event)

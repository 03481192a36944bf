"""What clients asked a service and what it answered: the history that verdicts rest on.

All events get their numbers here, in the order in which they happen: a call before it is sent, an answer after it was
received. So a call that is said to come after another one really does.
"""

import json
import threading
import time
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

import attrs

from lakeproof.model.snapshot import Status

NEVER: Final = 1 << 62
"""The end of a call that may still take effect."""
ERASE: Final = "erase_entry"
CHERRY_PICK: Final = "cherry_pick"
HARD_RESET: Final = "hard_reset"
IMPORT: Final = "import"
UPDATE_METADATA: Final = "update_metadata"
STAT: Final = "stat_entry"
CREATE_PULL: Final = "create_pull"
GET_PULL: Final = "get_pull"
EDIT_PULL: Final = "edit_pull"
CLOSE_PULL: Final = "close_pull"
MERGE_PULL: Final = "merge_pull"
MERGES: Final = frozenset({"merge", MERGE_PULL})
"""Calls that merge their third argument, a branch, into their second one."""
KIND_OF: Final = {ERASE: "delete_entry", CHERRY_PICK: "merge", HARD_RESET: "update_branch"}
"""Calls that the invariants know under another name: a delete without a tombstone; what may change all of a branch."""


@attrs.frozen
class Answer:
    """What came of a call. code: the HTTP status, 0 if there was none. server: which of several was asked."""

    status: Status
    code: int = 0
    value: Hashable = None
    words: str = ""
    server: str = ""


class _Last(threading.local):
    """What the calling thread was answered last. code: the HTTP status. server: which of several was asked."""

    code: int = 0
    server: str = ""


LAST: Final = _Last()
"""A call and all its requests are in one thread. The client's methods do not tell the status of a success."""


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
    server: str = ""
    """Which of several servers was asked; empty: there is one."""

    @property
    def kind(self) -> str:
        """The name under which the invariants know the call."""
        return KIND_OF.get(self.name, self.name)

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
        at = f" at {self.server}" if self.server else ""
        return f"{self.name}({', '.join(self.args)}) [{self.began}, {end}] {self.answer}{at}"

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

    def end(self, call: Call, answer: Answer) -> None:
        self._events += 1
        call.noted, call.returned = self._events, time.monotonic_ns()
        call.ended = NEVER if answer.status is Status.INFO else call.noted
        call.status, call.code, call.value = answer.status, answer.code, answer.value
        call.words, call.server = answer.words, answer.server


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
        if call.server:
            told["server"] = call.server
        events.append((call.noted, told))
    for _, event in sorted(events, key=lambda each: each[0]):
        yield json.dumps(event)

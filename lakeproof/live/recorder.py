"""Calls of clients and their answers: the history that verdicts rest on, and the counts of a run.

All events get their numbers here, in the order in which they happen: a call before it is sent, an answer after it was
received. So a call with a later number than the answer to another one really comes after it.

Example: A calls set (event 1), B calls get (2), B gets its answer (3), A gets none. The get is [2, 3]; the set has
begun at 1 and never ends: it may take effect at any later moment, or never.
"""

import json
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final

import attrs

from lakeproof.model.linearizability.history import NEVER as NEVER  # also the end of a call that may still take effect
from lakeproof.model.snapshot import Status

STATUS_WORDS: Final = {Status.OK: "ok", Status.FAIL: "fail", Status.INFO: "info"}
TROUBLES_MAX: Final = 8


@attrs.define(eq=False)
class Call:
    """A call to a store or a service. Times in nanoseconds, monotonic.

    client: another one after an unknown outcome, where the old call may still be under way.
    args: of a store, the key; of a service, the repository, then branch, path and value, where there are such.
    began, ended: event numbers; `NEVER` for one that was not answered, or not definitely.
    status: OK; FAIL, it was refused and did not happen; INFO, unknown. code: the HTTP status, if there was one.
    """

    client: int | str
    name: str
    args: tuple[str, ...]
    began: int
    called: int = 0
    ended: int = NEVER
    returned: int = 0
    noted: int = NEVER
    """When it ended for its client, whatever is known of it."""
    status: Status = Status.INFO
    code: int = 0
    value: Hashable = None
    words: str = ""
    server: str = ""
    """Which of several servers was called; empty: there is one."""
    argument: object = None
    """What a write to a store sets, and on what condition."""

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
        code = f" {self.code}" if self.code else ""
        answer = f"{STATUS_WORDS[self.status]}{code}"
        return f"{self.name}({', '.join(self.args)}) [{self.began}, {end}] {answer}{at}"


@attrs.define
class Recorder:
    """Calls in the order in which they were begun."""

    calls: list[Call] = attrs.field(factory=list)
    _events: int = 0

    @property
    def over(self) -> list[Call]:
        """The calls whose end was recorded. A read without one says nothing."""
        return [call for call in self.calls if call.noted < NEVER]

    def begin(self, client: int | str, name: str, args: tuple[str, ...], argument: object = None) -> Call:
        self._events += 1
        call = Call(client, name, args, self._events, time.monotonic_ns(), argument=argument)
        self.calls.append(call)
        return call

    def end(self, call: Call, status: Status, value: Hashable = None) -> None:
        self._events += 1
        call.noted, call.returned = self._events, time.monotonic_ns()
        # An unknown outcome ends nothing: the call may still take effect after its client has gone on.
        call.ended = NEVER if status is Status.INFO else call.noted
        call.status, call.value = status, value


def events(calls: Iterable[Call]) -> Iterator[tuple[Call, bool]]:
    """The beginnings (False) and the ends (True) of calls, in their order. Of a call that was not answered it has the
    moment at which the client went on."""
    found = [(call.began, call, False) for call in calls]
    # The list on the right is complete before it is appended. Numbers are unique, so the sort never compares calls.
    found += [(call.noted, call, True) for _, call, _ in found]
    yield from ((call, ends) for _, call, ends in sorted(found, key=lambda each: each[0]))


def event_line(call: Call, key: object, more: Mapping[str, object], *, ends: bool) -> str:
    """A line of a history: `invoke`, or `ok`, `fail` or `info`. more: its value, and so on."""
    kind, when = (STATUS_WORDS[call.status], call.returned) if ends else ("invoke", call.called)
    return json.dumps({"process": call.client, "type": kind, "f": call.name, "key": key, **more, "time": when})


@attrs.define
class Tally:
    """What came of all calls so far."""

    answers: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    """By call and ``ok``, ``refused`` (a predicate that failed, or a definite error) or ``unknown``."""
    troubles: Counter[str] = attrs.field(factory=Counter)
    """The words of unknown outcomes and refusals."""
    faults: Counter[str] = attrs.field(factory=Counter)

    @property
    def total(self) -> int:
        return sum(self.answers.values())

    @property
    def unknown(self) -> int:
        return sum(count for (_, how), count in self.answers.items() if how == "unknown")

    def ok(self, *names: str) -> int:
        return sum(self.answers[name, "ok"] for name in names)

    def count(self, name: str, status: Status) -> None:
        self.answers[name, {Status.OK: "ok", Status.FAIL: "refused"}.get(status, "unknown")] += 1

    def trouble(self, error: BaseException | str) -> None:
        words = str(error) or type(error).__name__
        # Messages may hold addresses or times, and so be different each time.
        if words in self.troubles or len(self.troubles) < TROUBLES_MAX:
            self.troubles[words] += 1

"""One client of a scenario: where it stands after some replies. Its real coroutines are run again from the start."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import count
from typing import cast

import attrs

from lakeproof.impl.effects import Effect, Env, Local, Now
from lakeproof.model import kv, objects
from lakeproof.model.invariants import Observer
from lakeproof.model.snapshot import CallView, Observed, Status
from lakeproof.scenario import Call
from tests.differential.stores import Contents, perform, writes
from tests.differential.typed import typed


class Restarted(Enum):
    """In the place of a reply: the client has crashed and begins to recover."""

    RESTARTED = "restarted"


@attrs.frozen(eq=False)
class Standing:
    """A client after a history of replies."""

    number: int
    """Of this history among all that were met: histories of the same types and bits have one number."""
    replies: tuple[object, ...]
    op: Effect | None
    """The effect that it waits for; None: it has ended."""
    begins: bool
    """Whether ``op`` is the first effect of its call."""
    ended: tuple[CallView, ...]
    current: CallView | None
    """The call under way."""

    def calls(self, *, crashed: bool) -> tuple[CallView, ...]:
        """What is visible: the calls that ended, and the one under way if it has performed an effect."""
        if self.current is None or self.begins:
            return self.ended
        status = Status.CRASHED if crashed else Status.PENDING
        return (*self.ended, attrs.evolve(self.current, status=status))


class _Crashes(Exception):
    """The client loses its memory here."""


class _Waiting(Exception):
    """The client has no reply for this effect yet."""

    def __init__(self, op: Effect) -> None:
        super().__init__(op)
        self.op = op


class Client:
    """A client's calls, and all histories of replies that it was seen to have."""

    def __init__(
        self,
        label: str,
        calls: Sequence[Call],
        observers: Iterable[Observer] = (),
        now: int | None = None,
        recover: Sequence[Call] = (),
    ) -> None:
        self.calls = calls
        self.recover = tuple(recover)
        """What it runs after a restart; empty: it does not restart."""
        self.observers = tuple({observer.name: observer for observer in observers}.values())
        self.label = label
        self.now = now
        """The answer to `Now` where no clock moves: it is no schedule point then."""
        self._known: dict[Hashable, Standing] = {}
        self.start = self._standing(0, ())

    def after(self, standing: Standing, reply: object) -> Standing:
        """Where the client stands one reply later."""
        key = (standing.number, typed(reply))
        if key not in self._known:
            self._known[key] = self._standing(len(self._known) + 1, (*standing.replies, reply))
        return self._known[key]

    def _standing(self, number: int, replies: tuple[object, ...]) -> Standing:
        return _Run(self, replies).standing(number)

    def view(self, call: Call, seen: Sequence[Observed]) -> CallView:
        """A call under way, as far as it has come."""
        observed = tuple((observer.name, observer.fold(tuple(seen))) for observer in self.observers)
        return CallView(call.name, call.args, Status.PENDING, observed=observed)


class _Run:
    """One run of a client's coroutines from the start."""

    def __init__(self, client: Client, replies: tuple[object, ...]) -> None:
        self.client = client
        self.replies = replies
        self.left: Iterator[object] = iter(replies)
        self.fresh = count(1)
        self.lives = 1
        self.own = Contents()
        self.acts = False  # whether the call under way has performed an effect
        self.seen: list[Observed] = []
        self.ended: list[CallView] = []

    def standing(self, number: int) -> Standing:
        asked = list(self.client.calls)  # of the scenario's calls, those that have not begun
        first: list[Call] = []  # what is left of a recovery
        while True:
            while first or asked:
                call = (first or asked)[0]
                self.seen, self.acts = [], False
                try:
                    view = self._ended(call)
                except _Waiting as waiting:
                    current = self.client.view(call, self.seen)
                    return Standing(number, self.replies, waiting.op, not self.acts, tuple(self.ended), current)
                except _Crashes:
                    if self.acts:
                        self.ended.append(attrs.evolve(self.client.view(call, self.seen), status=Status.CRASHED))
                        asked = asked if first else asked[1:]
                    first = self._recovery()
                    continue
                self.ended.append(view)
                (first or asked).pop(0)
                if view.status is Status.CRASHED:
                    assert next(self.left, None) is None, "a reply to a client that has ended"
                    return Standing(number, self.replies, None, False, tuple(self.ended), None)
            if next(self.left, None) is None:
                return Standing(number, self.replies, None, False, tuple(self.ended), None)
            first = self._recovery()

    def _recovery(self) -> list[Call]:
        self.lives, self.fresh = self.lives + 1, count(1)
        return list(self.client.recover)

    def _identifier(self, kind: str) -> str:
        life = f"{self.lives}r" if self.lives > 1 else ""
        return f"{self.client.label}{life}{next(self.fresh)}"

    def _ended(self, call: Call) -> CallView:
        """The call's end.

        Raises:
            _Waiting: it waits for an effect.
        """
        for left in reversed(range(call.attempts)):
            try:
                value = self._attempt(call)
            except (_Waiting, _Crashes):
                raise
            except Exception as error:  # noqa: BLE001  # a flow may raise anything
                if isinstance(error, kv.KVError | objects.ObjectError) and left:
                    continue
                view = self.client.view(call, self.seen)
                return attrs.evolve(view, status=_status(error), error=error.with_traceback(None))
            else:
                view = self.client.view(call, self.seen)
                return attrs.evolve(view, status=Status.OK, value=value)
        raise AssertionError("a call has at least one attempt")

    def _attempt(self, call: Call) -> Hashable:
        coroutine = call.start(Env.with_unique(self._identifier))
        reply: object = None
        while True:
            try:
                op = coroutine.send(reply)
            except StopIteration as end:
                return cast("Hashable", end.value)
            assert isinstance(op, Effect), f"{op!r} is no effect"
            if isinstance(op, Now) and self.client.now is not None:
                reply = self.client.now
                continue
            if isinstance(op, Local) and not (self.client.recover and writes(op.op)):
                self.own, reply = perform(self.own, op.op, 0)
                continue
            try:
                reply = next(self.left)
            except StopIteration:
                _abandon(coroutine)
                raise _Waiting(op) from None
            if isinstance(reply, Restarted):
                _abandon(coroutine)
                raise _Crashes
            self.acts = True
            if isinstance(op, Local):
                self.own, reply = perform(self.own, op.op, 0)
                continue
            self.seen.append(Observed(op, reply, None, None))


def _status(error: Exception) -> Status:
    """What an error says of the call that it ended; one that says nothing is a crash."""
    definite = getattr(error, "definite", None)
    if definite is None:
        return Status.CRASHED
    return Status.FAIL if definite else Status.INFO


def _abandon(coroutine: object) -> None:
    """Nothing of the flow counts any more: a ``finally`` that awaits gets no reply, and is abandoned as well."""
    while True:
        try:
            coroutine.close()  # type: ignore[attr-defined]
        except RuntimeError:
            continue
        return

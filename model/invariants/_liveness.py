"""What must happen at last: liveness, as promises about all that a run does from some state on.

A run may go on for ever only where flows loop. It is *fair* if no client is left out, and no task of one: weakly, where
each that can move moves again and again; strongly, where each step that it could take again and again (from one state
of its own, with one reply) is taken again and again. Time passes as well: each jump of the clock comes at last, while
clients run. Faults are never owed: a crash, a lost answer, a late write may stay away for ever. So may everything
without fairness.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Literal

import attrs

from lakeproof.model.invariants._base import Observer
from lakeproof.model.snapshot import ALL_PARTS, AnySnapshot, Reads, Status

Predicate = Callable[[AnySnapshot], bool]
"""Looks at a state."""

Fairness = Literal["weak", "strong", "none"]
FAIRNESS: Final = ("weak", "strong", "none")


@attrs.frozen(kw_only=True)
class Promise:
    """From every state in which ``before`` is true, each fair run leads to one in which ``after`` is (the same one, or
    a later one). ``broken``: what to say of a run that does not."""

    before: Predicate
    after: Predicate
    broken: str
    reads: frozenset[Reads] = ALL_PARTS


@attrs.frozen
class Terminates:
    """Each call of a flow that has begun ends at last: it returns, raises, or its client crashes. ``call``: the flow,
    or its name."""

    call: object
    id: str = attrs.field(
        default=attrs.Factory(lambda self: f"{self.name.replace('_', '-')}-terminates", takes_self=True), kw_only=True
    )
    meaning: str = attrs.field(
        default=attrs.Factory(lambda self: f"every call of {self.name} that has begun ends at last", takes_self=True),
        kw_only=True,
    )
    fairness: Fairness = attrs.field(default="weak", kw_only=True)
    observers: tuple[Observer, ...] = attrs.field(default=(), kw_only=True)

    @property
    def name(self) -> str:
        """The name of the flow."""
        flow = self.call
        while isinstance(flow, partial):  # a flow with bound options keeps the name of the flow
            flow = flow.func
        return flow if isinstance(flow, str) else str(getattr(flow, "__name__", repr(flow)))

    def promises(self, clients: int) -> Iterator[Promise]:
        """One for each client: a call that has ended is followed by no other before that one has begun."""
        for client in range(clients):
            yield Promise(
                before=_UnderWay(client, self.name),
                after=_UnderWay(client, self.name, ended=True),
                broken=f"a call of {self.name} never ends",
                reads=frozenset({Reads.CLIENTS}),
            )


@attrs.frozen
class _UnderWay:
    """Whether a call of a client has begun and not ended; or the opposite."""

    client: int
    name: str
    ended: bool = False

    def __call__(self, seen: AnySnapshot) -> bool:
        # A crashed call is not pending: a crash ends it, and nothing is promised of it.
        calls = seen.clients[self.client]
        return any(call.name == self.name and call.status is Status.PENDING for call in calls) is not self.ended


@attrs.frozen
class LeadsTo:
    """Wherever ``before`` is true, ``after`` becomes true at last (at once, or later)."""

    before: Predicate
    after: Predicate
    id: str = attrs.field(kw_only=True)
    meaning: str = attrs.field(kw_only=True)
    fairness: Fairness = attrs.field(default="weak", kw_only=True)
    observers: tuple[Observer, ...] = attrs.field(default=(), kw_only=True)

    def promises(self, clients: int) -> Iterator[Promise]:
        """The one."""
        yield Promise(before=self.before, after=self.after, broken="what it must lead to never comes")


@attrs.frozen
class AlwaysEventually:
    """Again and again, ``holds`` becomes true; and at last it stays so where a run ends."""

    holds: Predicate
    id: str = attrs.field(kw_only=True)
    meaning: str = attrs.field(kw_only=True)
    fairness: Fairness = attrs.field(default="weak", kw_only=True)
    observers: tuple[Observer, ...] = attrs.field(default=(), kw_only=True)

    def promises(self, clients: int) -> Iterator[Promise]:
        """The one."""
        # From every state: so again and again.
        yield Promise(before=lambda _: True, after=self.holds, broken="from some state on it never holds")


Liveness = Terminates | LeadsTo | AlwaysEventually

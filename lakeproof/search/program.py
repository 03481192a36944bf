"""What a client runs, and what it has beside its coroutines: a label, fresh identifiers, and a store of its own."""

from collections.abc import Coroutine, Hashable
from math import gcd
from typing import Final

import attrs

from lakeproof.impl.effects import Deadline, Local, Now, Sleep
from lakeproof.impl.parallel import MAIN, WRITES
from lakeproof.impl.printable import safe_repr
from lakeproof.model import kv, objects
from lakeproof.model.invariants import Observer
from lakeproof.model.snapshot import Outcome
from lakeproof.scenario import Call, ScenarioError
from lakeproof.search.fence import WATCH, message_of
from lakeproof.search.semantics import UNREAD

# No s and no z among the labels: what a setup or an aftermath mints must differ from what clients mint.
LABELS, SETUP, AFTERMATH = "abcdefghijklmnopqr", "s", "z"
"""Clients by letter: "a" is client 0. "s" is the setup, "z" the aftermath."""


def label(client: int) -> str:
    """A client's label. Those beyond the letters end in "_", so that no two mint the same identifier."""
    return LABELS[client] if client < len(LABELS) else f"{LABELS[client % len(LABELS)]}{client // len(LABELS)}_"


@attrs.frozen
class Program:
    """What a client runs, and how it differs from the others: its label and its clock."""

    label: str
    calls: tuple[Call, ...]
    observers: tuple[Observer, ...] = ()
    frozen_now: int | None = None
    """The time that this client reads, where the clock cannot move; None where it can."""
    recover: tuple[Call, ...] = ()
    """What it runs first after a restart; empty: it cannot restart."""
    sleeps: bool = True
    """Whether time passes for it."""
    reads: bool = True
    """Whether it may read a clock."""
    waits: bool = False
    """Whether it waits for instants: then an answer can come before a deadline, or after it."""
    tick: int = 0
    """As `Scenario.tick`."""
    conditions: frozenset[str] = objects.ALL
    """Those that the object store has."""


TIMED: Final = (Now, Sleep, kv.ExpiringSet, kv.ExpiringSetIf, *objects.TIMED)
"""Effects that read a clock, take time, or set some."""


def time_problem(
    op: Now | Sleep | kv.Expiring | objects.Put | objects.Copy, program: Program
) -> tuple[str, str] | None:
    """What such an effect does, and why the time of the scenario does not allow it."""
    if isinstance(op, Now | objects.Put | objects.Copy):
        what = "reads the clock" if isinstance(op, Now) else "has the store note when an object was written"
        return None if program.reads else (what, UNREAD)
    ttl, tick = isinstance(op, kv.Expiring), program.tick
    lasts = op.ttl if isinstance(op, kv.Expiring) else op.microseconds
    what = "has a timeout" if isinstance(op, Deadline) else "sets a ttl" if ttl else "sleeps"
    repair = f"tick={lasts}, or a whole part of it"
    if not program.sleeps:
        clock = 'give the scenario time="sleeps", or time="read" if something reads the clock'
        return what, f"time stands still; {clock}{f', and {repair}' if ttl else ''}"
    if ttl and lasts < 1:
        return what, f"it is {lasts}; give it microseconds, 1 or more"
    if ttl and not tick:
        return what, f"the scenario has no tick; give it {repair}"
    # Time goes on by ticks: what ends between two of them would never end exactly.
    if tick and lasts % tick:
        return what, f"{lasts} is no multiple of tick={tick}; give the scenario tick={gcd(lasts, tick)}"
    return None


class Disk:
    """A client's local store. Apart from the client, as `Mint`."""

    def __init__(self, outlives: bool) -> None:
        self.store: kv.Store = {}
        self._outlives = outlives

    def at_once(self, op: object) -> tuple[object] | None:
        """The reply to an operation of it that is no schedule point: only a write that may outlive its client is one,
        as the client may crash before it."""
        if type(op) is not Local or (self._outlives and isinstance(op.op, WRITES)):
            return None
        return (self.answer(op),)

    def answer(self, op: Local) -> object:
        self.store, reply = kv.step(self.store, op.op)
        return reply


class Mint:
    """Gives a client's identifiers: each task counts its own, so that they do not depend on the order of others. Apart
    from the client: a flow that kept it would make a circle, which the collector cuts by closing the flow."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.names: list[str] = []
        """Those that it has given."""
        self.task = MAIN
        self.lives = 1
        self.named = False
        """Whether something bears the client's name."""
        self._first = label
        self._counts: dict[str, int] = {}

    @property
    def token(self) -> Hashable:
        """What it gives from now on, as a key."""
        return (Mint, self.label, self.task, len(self.names), tuple(sorted(self._counts.items())))

    @staticmethod
    def is_token(key: object) -> bool:
        """Whether this is a `token` of some mint."""
        return type(key) is tuple and bool(key) and isinstance(key[0], type) and issubclass(key[0], Mint)

    def given_to(self, task: str) -> None:
        """What is minted from now on is this task's."""
        self.task = task

    def timer(self) -> str:
        """The name of the timer of the task that runs."""
        return f"{self._first}/{self.task}" if self.task else self._first

    @property
    def used(self) -> bool:
        """Whether the client differs from others by what it was given."""
        return bool(self.names) or self.named

    def owner(self) -> str:
        """A name of the task that runs, by which the client can be distinguished from others."""
        self.named = True  # clients that share a behaviour must be separated from here on
        return self.timer()

    def begin_life(self) -> None:
        """After a restart: what is minted is new, however many there were before."""
        self.lives += 1
        self._counts = {}
        # The second life begins with a2r1: without the r, it would be the 21st identifier of the first one.
        self.label = f"{self._first}{self.lives}r"

    def __call__(self, kind: str) -> str:
        # Label and number, or label, path and number: a1; of task 1.2, a1t2t1. The t keeps 1.2 and 12 apart.
        number = self._counts[self.task] = self._counts.get(self.task, 0) + 1
        parts = self.task.split(".") if self.task else []
        self.names.append(self.label + "t".join([*parts, str(number)]))
        return self.names[-1]


def check_usable(outcome: Outcome, call: Call) -> None:
    """Raises ScenarioError for a result that cannot be compared with others."""
    if isinstance(outcome.value, Coroutine):
        outcome.value.close()  # else Python warns that it was never awaited
        raise ScenarioError(f"{call} returned a coroutine that it has not awaited; write return await ...")
    try:
        with WATCH.over():  # `__hash__` is code of the user's
            hash(outcome.value)
    except Exception as error:
        raise ScenarioError(
            f"{call} returned {message_of(Exception(safe_repr(outcome.value)))}, which is not hashable; "
            f"return frozen values"
        ) from error

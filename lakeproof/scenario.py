"""Scenarios: what runs against what, under which faults, and what is expected of it.

Example: two clients read a counter and set it to one more. An update may be lost, and the scenario says so: as long as
that is found, all is as expected. One more id is checked of every scenario, and need not be named.

>>> from lakeproof.model.invariants import Reached, Violation
>>> async def add_one(env):
...     entry = await env.store.get(b"counters", b"n")
...     await env.store.set(b"counters", b"n", b"%d" % (int(entry.value) + 1))
>>> async def begin(env):
...     await env.store.set(b"counters", b"n", b"0")
>>> def is_two(seen):
...     n = seen.store[b"counters", b"n"]
...     return [Reached("it is 2") if n == b"2" else Violation("is-two", f"the counter is {n!r}")]
>>> counted = Eventually(id="is-two", meaning="every call is counted", check=is_two)
>>> two = {"name": "count", "clients": [[Call(add_one)], [Call(add_one)]], "setup": [Call(begin)]}
>>> scenario = Scenario(**two, invariants=[counted], expect={"is-two": "violated"})
>>> {name: scenario.expected(name) for name in scenario.ids}
{'is-two': 'violated', 'no-unhandled-exception': 'holds'}
>>> Scenario(**two, invariants=[counted], expect={"is-tow": "violated"})
Traceback (most recent call last):
    ...
lakeproof.scenario.ScenarioError: count: expect names 'is-tow', which is not among ['is-two', 'no-unhandled-exception']
"""

from collections.abc import Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar, cast, overload

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.printable import safe_repr
from lakeproof.model import objects
from lakeproof.model.invariants import (
    Always,
    AlwaysEventually,
    Eventually,
    Finding,
    Invariant,
    LeadsTo,
    Monitor,
    OnStep,
    Terminates,
)
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import AnySnapshot, Outcome
from lakeproof.records import AnyCodec, decoding, over_values

T = TypeVar("T")

Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like after env


@attrs.frozen(init=False)
class Call:
    """One invocation of a flow: ``Call(step1.create_repository, "r", attempts=2)``.

    The arguments must be hashable. ``attempts`` > 1 makes the client try again after any error of a store, as the same
    call: it returns once.
    """

    flow: Flow
    args: tuple[Hashable, ...]
    options: tuple[tuple[str, Hashable], ...]
    attempts: int

    def __init__(self, flow: Flow, *args: Hashable, attempts: int = 1, **options: Hashable) -> None:
        if not callable(flow):
            raise ScenarioError(f"Call({flow!r}): expected an async function as the first argument")
        if not _is_int(attempts) or attempts < 1:
            raise ScenarioError(f"Call({_name(flow)}): attempts={attempts!r}; expected a whole number, 1 or more")
        # Options in the order of their names: two calls that differ in the order of keywords alone are equal.
        self.__attrs_init__(flow, args, tuple(sorted(options.items())), attempts)

    @property
    def name(self) -> str:
        """The flow's name: what invariants and stories call it."""
        return _name(self.flow)

    def start(self, env: Env) -> Coroutine[Any, Any, Any]:  # type: ignore[explicit-any]
        """The flow's coroutine, not yet started."""
        try:
            return self.flow(env, *self.args, **dict(self.options))
        except StopIteration as error:  # of a plain function: a coroutine would end in it, and return its value
            raise RuntimeError(f"{self.name} raised StopIteration") from error

    def __str__(self) -> str:
        shown = [_argument(arg) for arg in self.args] + [f"{key}={safe_repr(value)}" for key, value in self.options]
        return f"{self.name}({', '.join(shown)})"


def _argument(arg: Hashable) -> str:
    return safe_repr(arg.repository_id if isinstance(arg, Repository) else arg)


def _name(flow: Flow) -> str:
    # A partial has no name: it is called like the function that it wraps.
    return _name(flow.func) if isinstance(flow, partial) else str(getattr(flow, "__name__", safe_repr(flow)))


def _one_or_several(given: Call | Sequence[Call]) -> tuple[Call, ...]:
    return tuple(given) if isinstance(given, list | tuple | Iterator) else (cast("Call", given),)


@attrs.frozen
class Client(Sequence[Call]):
    """The calls of a client, one after the other, and what it runs first when its process starts again.

    ``Client([Call(append)], recover=Call(recover))``: after a restart (`Faults`), the call under way is lost. The
    client runs ``recover``, a call or several, and then the calls that had not begun. A crash during
    ``recover`` begins it anew. A plain list of calls is a client that does not restart.
    """

    calls: tuple[Call, ...] = attrs.field(converter=_one_or_several)
    recover: tuple[Call, ...] = attrs.field(kw_only=True, default=(), converter=_one_or_several)

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Call]: ...  # type: ignore[explicit-any]  # of slice
    def __getitem__(self, at: int | slice) -> Call | Sequence[Call]:  # type: ignore[explicit-any]  # of slice
        return self.calls[at]

    def __len__(self) -> int:
        return len(self.calls)


def recovery(calls: Sequence[Call]) -> tuple[Call, ...]:
    """What a client runs when it starts again; empty: it does not."""
    return calls.recover if isinstance(calls, Client) else ()


class ScenarioError(Exception):
    """A scenario that cannot be run; the message names the value, the expectation and the repair."""


BUDGET_MAX: Final = 1_000
"""More faults of one kind than this no search could go through; the modes of every effect are counted out for each."""


@attrs.frozen(kw_only=True)
class Faults:
    """How much may go wrong in one execution, each kind on its own budget.

    refusals: an operation is not applied, and the client sees a definite error.
    lost_answers: a write is applied or not, and the client sees an indefinite error.
    false_predicates: a ``set_if`` or ``delete_if``, or a conditional write of an object, is applied, retried
        inside the client library, and so reported as PredicateFailed (PreconditionFailed).
    duplicates: a write whose answer was lost is applied once more, later (one in flight at a time); needs
        ``lost_answers``.
    scan_failures: an error between two batches of a scan.
    crashes: a client never moves again. It stops between effects: after its last effect, a call has returned.
    restarts: a client crashes, loses its memory, keeps ``env.local``, and runs what its `Client` says it recovers by;
        before, during, or after its calls. Clients without that do not restart.
    lost_messages: a message is sent, and does not arrive in its channel.
    duplicated_messages: a message is received, and stays in its channel, where it is received once more.
    reordered_messages: how often a message is overtaken: the receiver takes the one behind it.
    lost_watches: a watch ends, and what was not received of it is lost; its client sees WatchLost.
    clock_jumps: the clock moves on by these many microseconds, in this order, while a client can move.
    clock_skew: for each client, what its clock is ahead (microseconds); missing clients have none.
    """

    refusals: int = 0
    lost_answers: int = 0
    false_predicates: int = 0
    duplicates: int = 0
    scan_failures: int = 0
    crashes: int = 0
    clock_jumps: tuple[int, ...] = ()
    clock_skew: tuple[int, ...] = ()
    restarts: int = 0
    lost_messages: int = 0
    duplicated_messages: int = 0
    reordered_messages: int = 0
    lost_watches: int = 0

    def __attrs_post_init__(self) -> None:
        for name, budget in attrs.asdict(self, recurse=False).items():
            if name in ("clock_jumps", "clock_skew"):
                # (budget, None) fails the test below, whatever the budget is.
                parts = cast("tuple[object, ...]", budget) if isinstance(budget, tuple) else (budget, None)
                if not all(map(_is_int, parts)):
                    raise ScenarioError(
                        f"faults.{name}: {budget!r}: expected a tuple of microseconds, such as (121_000_000,)"
                    )
            elif not _is_int(budget) or not 0 <= budget <= BUDGET_MAX:
                raise ScenarioError(
                    f"faults.{name}: {budget!r}: expected how many there may be, 0 or more (at most {BUDGET_MAX:,})"
                )


def _is_int(number: object) -> bool:
    # True is an int in Python, and would count as a budget of one.
    return isinstance(number, int) and not isinstance(number, bool)


def _as_sequence(given: Sequence[T]) -> Sequence[T]:
    """A list as a tuple, which cannot change later; an iterator too, which the first look at it would use up. Anything
    else as it is: the checks name it."""
    return tuple(given) if isinstance(given, list | Iterator) else given


def _kept_calls(given: Sequence[Call]) -> Sequence[Call]:
    return _as_sequence(given)


def _kept_clients(given: Sequence[Sequence[Call]]) -> Sequence[Sequence[Call]]:
    found = _as_sequence(given)
    # A generator of clients is used up by the first look, and the calls within may be generators again.
    return tuple(map(_kept_calls, found)) if isinstance(found, tuple) else found


@attrs.frozen(kw_only=True)
class Aftermath:
    """A sequential program, run without faults on each distinct final store, and what must be true of it.

    ``clock_advance``: microseconds that pass before it starts. ``check`` receives the outcomes of the calls and
    the snapshot after them.
    """

    id: str
    meaning: str
    calls: Sequence[Call] = attrs.field(converter=_kept_calls)
    check: Callable[[tuple[Outcome, ...], AnySnapshot], Sequence[Finding]]
    clock_advance: int = 0


def _kept_invariants(given: Sequence[Invariant]) -> Sequence[Invariant]:
    return _as_sequence(given)


def _kept_aftermath(given: Sequence[Aftermath]) -> Sequence[Aftermath]:
    return _as_sequence(given)


TIMES: Final = ("still", "sleeps", "read")
INVARIANTS: Final = (Always, Eventually, OnStep, Monitor, Terminates, LeadsTo, AlwaysEventually)
EXPECTATIONS = ("holds", "violated", "inconclusive")

NO_UNHANDLED_EXCEPTION: Final = "no-unhandled-exception"
"""The id of what is checked of every scenario: see `NO_UNHANDLED_EXCEPTION_MEANING`. ``expect`` may name it."""

NO_UNHANDLED_EXCEPTION_MEANING: Final = (
    "a call returns, or raises an error whose class defines whether it is definite; it raises nothing else"
)


@attrs.frozen(kw_only=True)
class Scenario:
    """Clients that run at once, from a store that ``setup`` has prepared alone.

    ``expect`` maps invariant ids to verdicts; an id that it does not name is expected to hold. ``records``: how values
    are stored, such as `lakeproof.records.JSON`; invariants then see values and not bytes.

    ``time``: "still", but for ``faults.clock_jumps``. "sleeps": it passes while clients sleep (``env.clock.sleep``),
    and nothing reads it: a sleep is one step, since a client that does not sleep may be slow. "read": it passes, and
    clients, stores and invariants read it. It goes on to the next timer that runs out; any number of them may run out
    before a client moves, and a clock is never read at an instant in between. A timeout (``env.timeout``) expires at
    any time in "sleeps", and at or after its deadline in "read". Of the writes that it cuts off, one is on its way at
    a time.

    ``tick``: for keys with a time to live (``ttl=`` of `set` and `set_if`), microseconds; 0: there are none. Each
    time to live, sleep and timeout is a multiple of it. While such a key is there, time goes on by so much at once.

    ``objects``: the conditions that the object store has, such as `lakeproof.model.objects.S3`; a flow that uses
    another one gets the error Unsupported.
    """

    name: str  # design/variant/what
    clients: Sequence[Sequence[Call]] = attrs.field(converter=_kept_clients)
    invariants: Sequence[Invariant] = attrs.field(converter=_kept_invariants)
    setup: Sequence[Call] = attrs.field(default=(), converter=_kept_calls)
    aftermath: Sequence[Aftermath] = attrs.field(default=(), converter=_kept_aftermath)
    faults: Faults = attrs.field(factory=Faults)
    expect: Mapping[str, str] = attrs.field(factory=dict)
    reason: str = ""  # why the expectation is what it is
    source: str = ""
    start_time: int = 1_700_000_000_000_000  # microseconds since 1970
    deep: bool = False  # too large to be part of every run
    records: AnyCodec | None = None
    time: str = "still"
    tick: int = 0
    objects: frozenset[str] = objects.ALL

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.faults, Faults):
            raise ScenarioError(f"{self.name}: faults is {self.faults!r}; expected Faults(...)")
        if not isinstance(cast("object", self.objects), frozenset) or not self.objects <= objects.ALL:
            every = ", ".join(sorted(objects.ALL))
            raise ScenarioError(
                f"{self.name}: objects is {safe_repr(self.objects)}; expected a frozenset, such as S3, of {every}"
            )
        if self.time not in TIMES:
            raise ScenarioError(f"{self.name}: time is {self.time!r}; expected one of {', '.join(map(repr, TIMES))}")
        if not _is_int(self.tick) or self.tick < 0:
            raise ScenarioError(f"{self.name}: tick is {self.tick!r}; expected microseconds, such as 10_000_000")
        # A lease would never end where no time passes.
        if self.tick and self.time == "still":
            raise ScenarioError(f'{self.name}: tick={self.tick} and time="still"; give it time="sleeps" or time="read"')
        # The clock's column holds either the number of jumps or the time that has passed (`Space.moment`).
        if self.time != "still" and self.faults.clock_jumps:
            raise ScenarioError(
                f"{self.name}: time={self.time!r} and faults.clock_jumps={self.faults.clock_jumps}; leave out the "
                f"jumps: time passes by itself, up to each instant that a client waits for"
            )
        for field, found, kinds, what in (
            ("invariants", self.invariants, INVARIANTS, "Always(...), Eventually(...), ..."),
            ("aftermath", self.aftermath, (Aftermath,), "Aftermath(...)"),
        ):
            if not isinstance(cast("object", found), tuple):
                raise ScenarioError(f"{self.name}: {field} is {found!r}; expected a list: [{what}]")
            for each in found:
                if not isinstance(each, kinds):
                    raise ScenarioError(f"{self.name}: {field} has {safe_repr(each)}; expected {what}")
        if not isinstance(cast("object", self.expect), Mapping):
            raise ScenarioError(
                f"{self.name}: expect is {safe_repr(self.expect)}; expected a verdict for each id: "
                f"{{'an-id': 'violated'}}"
            )
        ids = [invariant.id for invariant in self.invariants] + [after.id for after in self.aftermath]
        if not self.clients or not all(self.clients):
            raise ScenarioError(f"{self.name}: a scenario needs clients, and each client at least one Call")
        if self.faults.restarts and not any(map(recovery, self.clients)):
            raise ScenarioError(
                f"{self.name}: faults.restarts={self.faults.restarts}, and no client says what it runs when it starts "
                f"again; write Client([Call(...)], recover=Call(...)), with the same call to begin it anew"
            )
        # That alone may be sought, but only by name: else a forgotten list of invariants would pass as "holds".
        if not ids and NO_UNHANDLED_EXCEPTION not in self.expect:
            raise ScenarioError(
                f"{self.name}: no invariants; a scenario that checks nothing proves nothing. Name some, or at least "
                f"expect={{{NO_UNHANDLED_EXCEPTION!r}: 'holds'}}"
            )
        if len(set(ids)) < len(ids):
            raise ScenarioError(f"{self.name}: an invariant is named twice in {sorted(ids)}")
        if NO_UNHANDLED_EXCEPTION in ids:
            raise ScenarioError(f"{self.name}: {NO_UNHANDLED_EXCEPTION!r} is checked of every scenario; rename yours")
        # After the checks of types, which the wrapping would hide.
        if self.records is not None:
            self._decode_with(self.records)
        for name, verdict in self.expect.items():
            if name not in (*ids, NO_UNHANDLED_EXCEPTION):
                known = sorted((*ids, NO_UNHANDLED_EXCEPTION))
                raise ScenarioError(f"{self.name}: expect names {name!r}, which is not among {known}")
            if verdict not in EXPECTATIONS:
                raise ScenarioError(f"{self.name}: expect[{name!r}] is {verdict!r}; use one of {EXPECTATIONS}")

    def _decode_with(self, codec: AnyCodec) -> None:
        if not all(callable(getattr(codec, name, None)) for name in ("encode", "decode")):
            raise ScenarioError(f"{self.name}: records is {codec!r}; expected a codec, such as lakeproof.JSON")
        # Past ``__setattr__``, which a frozen class refuses.
        object.__setattr__(self, "invariants", tuple(decoding(each, codec) for each in self.invariants))
        aftermath = [attrs.evolve(each, check=over_values(each.check, codec)) for each in self.aftermath]
        object.__setattr__(self, "aftermath", tuple(aftermath))

    @property
    def timers(self) -> bool:
        """Whether a sleep sets a timer, which time lets run out. Else it is one step."""
        return self.time == "read" or bool(self.tick)

    @property
    def late(self) -> bool:
        """Whether a write in doubt may take effect after its call has ended: a duplicate, or one that a timeout has cut
        off."""
        return bool(self.faults.duplicates) or self.time != "still"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all that is checked, in order; last, what is checked of every scenario."""
        return (*self.named_ids, NO_UNHANDLED_EXCEPTION)

    @property
    def named_ids(self) -> tuple[str, ...]:
        """The ids of the invariants and aftermaths that the scenario names."""
        return tuple(i.id for i in self.invariants) + tuple(a.id for a in self.aftermath)

    @property
    def sought_ids(self) -> tuple[str, ...]:
        """What a search goes on for: once all of it is violated, it ends. The named ids, and what ``expect`` names."""
        # Else a search would go on to the end for it although all named invariants are violated.
        built_in = (NO_UNHANDLED_EXCEPTION,) if NO_UNHANDLED_EXCEPTION in self.expect else ()
        return (*self.named_ids, *built_in)

    def meaning(self, invariant_id: str) -> str:
        """What an id of it means, in one sentence."""
        meanings = {item.id: item.meaning for item in (*self.invariants, *self.aftermath)}
        return meanings.get(invariant_id, NO_UNHANDLED_EXCEPTION_MEANING)

    def expected(self, invariant_id: str) -> str:
        return self.expect.get(invariant_id, "holds")

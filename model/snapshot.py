"""What an invariant may see: decoded stores, the clock, the replies to each client, single transitions.

Example: client 0 has created r. What it was answered is in its call, what is stored is in the store (in a search both
are a `Repository`); and an invariant that declares to read the store alone is not shown the clients.

>>> made = CallView(name="create_repository", args=("r",), status=Status.OK, value="the entry")
>>> state = Snapshot({(b"graveler", b"repos/r"): b"the entry"}, {}, 0, ((made,),))
>>> state.calls("create_repository")[0].value, state.store[b"graveler", b"repos/r"]
('the entry', b'the entry')
>>> try: state.only(frozenset({Reads.STORE})).clients
... except NotDeclared as error: print(error.part)
Reads.CLIENTS
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Union

import attrs

from lakeproof.model import calls, kv
from lakeproof.model.channels import Messages
from lakeproof.model.objects import Objects
from lakeproof.model.records import Record

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    R = TypeVar("R", default=Record | bytes)
else:
    from typing import TypeVar

    R = TypeVar("R")

Value = Union[None, bool, int, float, str, tuple["Value", ...], Mapping[str, "Value"]]  # noqa: UP007  # recursive
"""What a scenario's own codec makes of bytes: as JSON has it, and unchangeable."""


class Status(Enum):
    """What is known of a call. The last three are Jepsen's words."""

    PENDING = "pending"
    CRASHED = "crashed"
    """Its client crashed in the middle of it, for good or to start again; if the flow itself did that, the error says
    how."""
    OK = "ok"
    FAIL = "fail"
    """It answered with a definite error: it did not happen."""
    INFO = "info"
    """It answered with an indefinite error: unknown."""


class UnhandledException(Exception):
    """What a call raised that is no answer: neither definite nor indefinite, but a mistake in the flow. The client ends
    there, and the call has the status CRASHED and this error: exception type, message, and ``FILE:LINE``."""

    def __init__(self, kind: str, message: str, place: str) -> None:
        super().__init__(kind, message, place)

    def __str__(self) -> str:
        kind, message, place = self.args
        return f"{kind}{f': {message}' if message else ''} at {place}"


class NamedCall:
    """What a call is, by its name and arguments."""

    __slots__ = ()
    name: str
    args: tuple[Hashable, ...]

    @property
    def kind(self) -> calls.Kind | None:
        """Which call it is; None for a flow that no invariant knows."""
        return calls.kind_of(self.name)

    @property
    def arguments(self) -> calls.CallArguments:
        """Its arguments, by role."""
        return calls.arguments_by_role(self.name, self.args)


@attrs.frozen(cache_hash=True)
class Outcome:
    """How a call ended: a value, or an error."""

    status: Status
    value: Hashable = None
    error: Exception | None = None


@attrs.frozen(cache_hash=True)
class CallView(NamedCall):
    """One call of a client: ``create_repository("r")``, how it stands, and what was observed of it on its way."""

    name: str
    args: tuple[Hashable, ...]
    status: Status
    value: Hashable = None
    error: Exception | None = None
    observed: tuple[tuple[str, Hashable], ...] | None = None
    """By observer name, see `Observer`. None: nothing observes this call, as on a server of lakeFS."""

    def saw(self, observer: str) -> Hashable:
        """What the observer of that name made of the call so far; None where nothing observes the call.

        Raises LookupError: calls are observed, and not by this one. With None an invariant would hold of each of them.
        """
        if self.observed is None:
            return None
        for name, made in self.observed:
            if name == observer:
                return made
        raise LookupError(f"no observer {observer!r}; name it in the invariant, as observers=(Observer(...),)")

    @property
    def done(self) -> bool:
        return self.status in (Status.OK, Status.FAIL, Status.INFO)


@attrs.frozen
class Observed:
    """One effect of a call with its reply, decoded: what an `Observer` folds over."""

    op: object
    reply: object
    read: Record | None
    """The record that a ``get`` returned."""
    written: Record | None
    """The record that a ``set`` or ``set_if`` carried."""


class Reads(Enum):
    """The parts of a snapshot that an invariant looks at. It is evaluated once per distinct projection on them. An
    invariant that names some asserts that it looks at no others: looking at one of those raises `NotDeclared`."""

    STORE = "store"
    OBJECTS = "objects"
    CLOCK = "clock"
    CLIENTS = "clients"


class NotDeclared(Exception):
    """An invariant looked at a part of the snapshot that it did not declare to read, or that it had not read before: it
    would have been judged on some of the states only."""

    def __init__(self, message: str, part: Reads) -> None:
        super().__init__(message)
        self.part = part


ALL_PARTS = frozenset(Reads)


@attrs.frozen(eq=False, repr=False)
class Snapshot(Generic[R]):
    """A global state, as an invariant sees it; nothing of it can be changed.

    ``R``: what its store holds, for type checkers: in the designs of lakeFS their records, and bytes. For a user's file
    `lakeproof.Snapshot` is the same class with bytes alone.

    ``reads``: the parts that may be looked at; ``repairs``: how the others can be seen. To compare a snapshot
    or to show it is to look at all of it.
    """

    _store: Mapping[kv.Address, R]
    _objects: Objects
    _now: int
    _clients: tuple[tuple[CallView, ...], ...]
    _reads: frozenset[Reads] = ALL_PARTS
    _repairs: Mapping[Reads, str] = attrs.field(factory=dict)
    _values: Mapping[kv.Address, Value] | None = None
    _channels: Mapping[str, Messages] = attrs.field(factory=dict)
    refused: list[NotDeclared] = attrs.field(factory=list)
    """What was raised by it, and by the snapshots that were made of it: a check may have caught it."""
    before: "Snapshot[R] | None" = None
    """In the check of an aftermath: the state before its calls."""

    def __attrs_post_init__(self) -> None:
        for name, stored in (
            ("_store", self._store),
            ("_objects", self._objects),
            ("_channels", self._channels),
        ):
            # A proxy: a check must not change what the search goes on with. `only` passes on what is one already.
            if not isinstance(stored, MappingProxyType):
                object.__setattr__(self, name, MappingProxyType(stored))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        # Through the properties: a comparison reads all parts, and is refused where one is not declared. But the states
        # before and after the calls of an aftermath show no clients that could differ.
        alike = self.before is other or other.before is self or self.clients == other.clients
        return self._others() == other._others() and alike

    def __hash__(self) -> int:
        raise TypeError("a snapshot is not hashable: hash what you look at")

    def __repr__(self) -> str:
        store, objects, now, channels = self._others()
        more = f", channels={channels!r}" if channels else ""
        return f"Snapshot(store={store!r}, objects={objects!r}, now={now!r}, clients={self.clients!r}{more})"

    def _others(self) -> tuple[object, ...]:
        return self.store, self.objects, self.now, self.channels

    @property
    def store(self) -> Mapping[kv.Address, R]:
        """By address: records, and bytes where the key schema knows no record."""
        if Reads.STORE not in self._reads:
            raise self._not_declared(Reads.STORE)
        return self._store

    @property
    def values(self) -> Mapping[kv.Address, Any]:  # type: ignore[explicit-any]  # as json.loads has it
        """By address: what the scenario's codec makes of the bytes in the store; without records of the key schema.
        Only the codec knows their type: with JSON `Value`.

        Raises NotDeclared: the store is not declared to be read. TypeError: the scenario has no codec.
        """
        if Reads.STORE not in self._reads:
            raise self._not_declared(Reads.STORE)
        if self._values is None:
            raise TypeError("the scenario has no codec: Scenario(records=lakeproof.JSON), or look at snapshot.store")
        return self._values

    def with_values(self, decode: Callable[[kv.Address, bytes], Value]) -> "Snapshot[R]":
        """The same state, with `values` for the bytes in the store, if that may be looked at."""
        if Reads.STORE not in self._reads:
            return self
        # Records have been decoded already.
        values = {at: decode(at, stored) for at, stored in self._store.items() if isinstance(stored, bytes)}
        before = self.before and self.before.with_values(decode)
        return attrs.evolve(self, values=MappingProxyType(values), before=before)

    @property
    def objects(self) -> Objects:
        """What the object store holds, by address."""
        if Reads.OBJECTS not in self._reads:
            raise self._not_declared(Reads.OBJECTS)
        return self._objects

    @property
    def channels(self) -> Mapping[str, Messages]:
        """The messages in each channel that is not empty, oldest first. To look at them is to read the store."""
        if Reads.STORE not in self._reads:
            raise self._not_declared(Reads.STORE)
        return self._channels

    @property
    def now(self) -> int:
        """The stores' clock, microseconds since 1970."""
        if Reads.CLOCK not in self._reads:
            raise self._not_declared(Reads.CLOCK)
        return self._now

    @property
    def clients(self) -> tuple[tuple[CallView, ...], ...]:
        """For each client its calls so far: the finished ones, then the one under way, if any."""
        if Reads.CLIENTS not in self._reads:
            raise self._not_declared(Reads.CLIENTS)
        return self._clients

    def calls(self, *kinds: calls.Kind | str) -> tuple[CallView, ...]:
        """All calls so far of one of these kinds, or with one of these names; without any, all calls."""
        names = {kind if isinstance(kind, str) else kind.name for kind in kinds}
        return tuple(call for made in self.clients for call in made if not names or call.name in names)

    def shows(self, part: Reads) -> bool:
        """Whether this part may be looked at."""
        return part in self._reads

    def only(self, reads: frozenset[Reads], repair: str = "") -> "Snapshot[R]":
        """The same state, of which only these parts may be looked at, and none that may not be looked at here. The
        message of `NotDeclared` ends in ``repair`` (default: to declare the part)."""
        if reads == self._reads:
            return self
        # The list `refused` is shared with the new one, so that the search learns of a look that the check has caught.
        # A part that was not to be seen before has a reason of its own.
        repairs = {**dict.fromkeys(self._reads - reads, repair), **self._repairs}
        return attrs.evolve(self, reads=reads & self._reads, repairs=repairs)

    def _not_declared(self, part: Reads) -> NotDeclared:
        parts = ", ".join(f"Reads.{read.name}" for read in Reads if read in self._reads or read is part)
        what = "calls() and clients" if part is Reads.CLIENTS else "now" if part is Reads.CLOCK else part.value
        repair = self._repairs.get(part) or f"declare it: reads=frozenset({{{parts}}})"
        error = NotDeclared(f"it looks at {what} of the snapshot, which it does not declare to read; {repair}", part)
        # Noted, since a check with a broad ``except`` would swallow it, and be judged on some of the states only.
        self.refused.append(error)
        return error


@attrs.frozen
class Transition(Generic[R]):
    """One effect of one call, with the stores before and after it, at the stores' clock then.

    The snapshots show no clients: what a *step* invariant may know of the client is in ``call.observed`` (all effects
    of the call before this one). ``reply``: what the effect answers by itself, whatever the client receives; for `Now`,
    what the client's clock says.
    """

    client: int
    call: CallView
    op: object
    reply: object
    before: Snapshot[R]
    after: Snapshot[R]


AnySnapshot = Snapshot[Any]  # type: ignore[explicit-any]
"""Whatever its store holds: what a check is given."""
AnyTransition = Transition[Any]  # type: ignore[explicit-any]


@attrs.frozen(cache_hash=True)
class Invoked(NamedCall):
    """A call performs its first effect, or returns without one. Intervals are as tight as they can be: a call that is
    invoked after another has returned really began after it."""

    client: int
    index: int  # of the call within its client
    name: str
    args: tuple[Hashable, ...]


@attrs.frozen(cache_hash=True)
class Returned:
    """A call has its result, right after its last effect."""

    client: int
    index: int
    call: CallView


Event = Invoked | Returned


def events_of_ended(client: int, ended: Iterable[tuple[int, CallView]], under_way: int = -1) -> Iterator[Event]:
    """The events of calls that have ended, by their numbers. All but the one under way were without an effect: they
    begin as they return."""
    for index, view in ended:
        if view.done:  # one that a crash has lost has not returned
            if index != under_way:
                yield Invoked(client, index, view.name, view.args)
            yield Returned(client, index, view)

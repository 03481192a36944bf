"""What an invariant may see: decoded stores, the clock, what each client has been told, single transitions."""

from collections.abc import Hashable, Mapping
from enum import Enum

import attrs

from model import kv, objects
from model.records import Record


class Status(Enum):
    """What is known of a call. The last three are Jepsen's words."""

    PENDING = "pending"
    CRASHED = "crashed"
    """Its client stopped for good in the middle of it."""
    OK = "ok"
    FAIL = "fail"
    """It answered with a definite error: it did not happen."""
    INFO = "info"
    """It answered with an indefinite error: nobody knows."""


@attrs.frozen(cache_hash=True)
class Outcome:
    """How a call ended: a value, or an error."""

    status: Status
    value: Hashable = None
    error: Exception | None = None


@attrs.frozen(cache_hash=True)
class CallView:
    """One call of a client: ``create_repository("r")``, how it stands, and what was observed of it on its way."""

    name: str
    args: tuple[Hashable, ...]
    status: Status
    value: Hashable = None
    error: Exception | None = None
    observed: tuple[tuple[str, Hashable], ...] = ()
    """By observer name, see `Observer`."""

    def saw(self, observer: str) -> Hashable:
        """What the observer of that name made of the call so far; None if it is not attached."""
        return dict(self.observed).get(observer)

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


@attrs.frozen
class Snapshot:
    """A global state. The store maps addresses to records (bytes where the key schema knows no record)."""

    store: Mapping[kv.Address, Record | bytes]
    objects: objects.Objects
    now: int  # microseconds
    clients: tuple[tuple[CallView, ...], ...]
    """For each client its calls so far: the finished ones, then the one under way, if any."""

    def calls(self, *names: str) -> tuple[CallView, ...]:
        """All calls so far with one of these names."""
        return tuple(call for calls in self.clients for call in calls if call.name in names)


@attrs.frozen
class Transition:
    """One effect of one call, with the store before and after it. ``before.clients`` is empty: what a *step*
    invariant may know of the client is in ``call.observed`` (all effects of the call before this one)."""

    client: int
    call: CallView
    op: object
    reply: object
    before: Snapshot
    after: Snapshot


@attrs.frozen(cache_hash=True)
class Invoked:
    """A call performs its first effect. Intervals are as tight as they can be: a call that is invoked after
    another has returned really began after it."""

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

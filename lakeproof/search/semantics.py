"""What one effect does to the cells that it touches: the specifications of `model`, seen from a distance.

A *cell* is one place that can hold a value: a key of the store or an address of the object store. Searches and
worlds know states only as cells and their values; what an effect means is defined by `lakeproof.model.kv.step` and
`lakeproof.model.objects.step`, and nowhere else.

Example: a write changes one cell; the cells that it does not touch are not looked at.

>>> cells = {("kv", b"p", b"a"): b"1", ("kv", b"p", b"b"): b"2"}
>>> apply(cells, kv.Set(b"p", b"a", b"3"))
(None, {('kv', b'p', b'a'): b'3'})
>>> footprint(kv.Set(b"p", b"a", b"3")).cells
(('kv', b'p', b'a'),)
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, cast

import attrs

from lakeproof.impl.effects import Effect, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import WRITES, CutOff, Unanswered, Withdrawn
from lakeproof.model import channels, kv, objects, watches

Cell = tuple[str, bytes, bytes] | tuple[str, str] | tuple[str, str, bytes, bytes]
"""("kv", partition, key), ("object", address), ("channel", name), ("watch", name, partition, prefix), or
("timer", name): what is left of it, microseconds as text."""

TIMER: Final = "timer"
CHANNEL: Final = "channel"
WATCHED: Final = "watch"
# Below the time of any real clock, so that one comparison (`unreadable`) recognises both.
UNREADABLE: Final = -(1 << 62)
"""The time where it passes, and nothing may read it."""
TICKING: Final = UNREADABLE + 1
"""The same, where sleeps set timers."""
UNREAD: Final = 'in a scenario of time="sleeps" nothing reads the clock; give it time="read"'


class Asleep(Enum):
    """What a timer answers that has not run out, a channel without a message, and a watch without a change: a task that
    waits for it cannot move."""

    ASLEEP = 0


AWAITED: Final[Mapping[type, object]] = {channels.Receive: None, watches.NextChanges: watches.NEW}
"""Effects that wait for others, and what is where there is nothing for them."""

Value = bytes | kv.Leased | objects.StoredObject | channels.Messages | watches.Queue
"""Of a key, or of one with a time to live; of an address; of a channel, unless it is empty; of a watch, if it is
open."""

Cells = Mapping[Cell, Value]
Writes = Mapping[Cell, Value | None]
"""What an effect changed: None means that the cell is empty now."""


@attrs.frozen(cache_hash=True)
class Footprint:
    """The cells that an effect may read or write: the named ones, and all within a range."""

    cells: tuple[Cell, ...] = ()
    within: Callable[[Cell], bool] | None = attrs.field(default=None, eq=False)  # two lambdas are never equal
    timed: bool = False
    """Whether it is the clock of the object store that decides, too."""
    written: tuple[Cell, ...] = ()
    """The keys that it may write."""

    def covers(self, cell: Cell) -> bool:
        return cell in self.cells or (self.within is not None and self.within(cell)) or self.notifies(cell)

    def notifies(self, cell: Cell) -> bool:
        """Whether it may write to a watch."""
        return cell[0] == WATCHED and any(key[1] == cell[2] and key[2].startswith(cell[3]) for key in self.written)  # type: ignore[misc]


@lru_cache(1 << 14)
def footprint(op: Effect) -> Footprint:
    """Which cells decide the reply of ``op``, or are changed by it. `Now` touches none: it reads the clock;
    nor do `Withdrawn`, and `Local`: the client itself keeps its store, and knows the reply."""
    match op:
        case kv.ScanBatch(partition, start, _):
            return Footprint(within=lambda cell: cell[0] == "kv" and cell[1] == partition and cell[2] >= start)
        case objects.ListObjects(prefix, after, _):
            return Footprint(
                within=lambda cell: cell[0] == "object" and cell[1].startswith(prefix) and cell[1] > after  # type: ignore[arg-type, operator]
            )
        # A key that is checked and written counts once: a transaction on one key is an effect on one cell.
        case kv.Transact(checks, writes):
            touched = tuple(dict.fromkeys(("kv", part, key) for part, key, _ in (*checks, *writes)))
            return Footprint(touched, written=tuple(("kv", part, key) for part, key, _ in writes))
        case objects.Copy(source, destination):
            return Footprint((("object", source), ("object", destination)), timed=True)
        case objects.Put():
            return Footprint((("object", op.address),), timed=True)
        case kv.Get():
            return Footprint((("kv", op.partition, op.key),))
        case kv.Set() | kv.SetIf() | kv.Delete() | kv.DeleteIf():
            return Footprint((("kv", op.partition, op.key),), written=(("kv", op.partition, op.key),))
        # Before StartWatch, their base class: they touch the queue alone, and a start reads the keys as well.
        case watches.NextChanges() | watches.EndWatch():
            return Footprint((watch_cell(op),))
        case watches.StartWatch(_, partition, prefix):
            return Footprint(
                (watch_cell(op),),
                lambda cell: cell[0] == "kv" and cell[1] == partition and cell[2].startswith(prefix),
            )
        case objects.GetObject() | objects.HeadObject() | objects.SetMetadata() | objects.DeleteObject():
            return Footprint((("object", op.address),))
        case Sleep() | Wake():
            return Footprint(((TIMER, op.timer),))
        case channels.Send() | channels.Receive():
            return Footprint(((CHANNEL, op.channel),))
        case Unanswered():
            return footprint(cast("Effect", op.op))
        case Now() | Local() | Withdrawn():
            return Footprint()


def write_of(op: Effect) -> Effect:
    """The write that an effect of a cancelled task, or of one within a timeout, stands for; else the effect itself."""
    return cast("Effect", op.op) if isinstance(op, Unanswered | CutOff) else op


def is_write(op: Effect) -> bool:
    """Whether the effect can change anything."""
    return isinstance(op, WRITES)


def apply(cells: Cells, op: Effect, now: int = 0) -> tuple[object, Writes]:
    """The reply, and the cells that changed, at a time of the object store's clock. Only cells of the footprint are
    read."""
    touched = footprint(op)
    # A write of a key appends to the queue of each watch over it, in the same step: no change falls in between.
    if touched.written:
        watching = {cell: cells[cell] for cell in cells if cell[0] == WATCHED and touched.notifies(cell)}
        if watching:
            return _apply_watched({cell: cells[cell] for cell in touched.cells if cell in cells}, watching, op, now)
    if touched.within is not None:
        return _apply({cell: value for cell, value in cells.items() if touched.covers(cell)}, op, now)
    # A single cell makes a small key, so that what comes of it can be memoised.
    if len(touched.cells) == 1:
        return _apply_to_one(touched.cells[0], cells.get(touched.cells[0]), op, now)
    return _apply({cell: cells[cell] for cell in touched.cells if cell in cells}, op, now)


@lru_cache(1 << 15)
def _apply_to_one(cell: Cell, value: Value | None, op: Effect, now: int) -> tuple[object, Writes]:
    """Memoised: searches perform the same effect on the same value again and again. A result is never changed."""
    return _apply({} if value is None else {cell: value}, op, now)


def _apply_watched(near: Cells, watching: Cells, op: Effect, now: int) -> tuple[object, Writes]:
    """A write of keys that are watched."""
    if isinstance(op, Unanswered):
        # The write takes place and its watchers see it; only the answer comes too late.
        return kv.OutcomeUnknown(), _apply_watched(near, watching, cast("Effect", op.op), now)[1]
    reply, writes = _apply(near, op, now)
    if reply is not None:  # the write failed: nothing has changed, and no watch sees it
        return reply, writes
    changes = watches.changes_of(op, lambda address: ("kv", *address) in near)
    queues = {cell: watches.append(queue, cell[2], cell[3], changes) for cell, queue in watching.items()}  # type: ignore[arg-type, misc]
    return reply, {**writes, **{cell: queue for cell, queue in queues.items() if queue != watching[cell]}}


def watch_cell(op: watches.StartWatch) -> Cell:
    """Where the store keeps the queue of a watch."""
    return (WATCHED, op.name, op.partition, op.prefix)


def _apply_to_watch(near: Cells, op: watches.StartWatch) -> tuple[object, Writes]:
    cell = watch_cell(op)
    queue = cast("watches.Queue | None", near.get(cell))
    if isinstance(op, watches.EndWatch):
        return None, {} if queue is None else {cell: None}
    if not isinstance(op, watches.NextChanges):
        keys = sorted(at for at in near if at[0] == "kv")
        entries = tuple(kv.Entry(at[2], kv.plain(near[at])) for at in keys)  # type: ignore[arg-type, misc]
        # A queue that is left from an earlier watch of this name is emptied: the entries in the reply are newer.
        return entries, {} if queue == watches.NEW else {cell: watches.NEW}
    if queue is None:
        return kv.WatchLost(), {}  # the queue is removed with WATCH_LOST, and is () while the watch lives
    return (queue[0], {cell: queue[1:]}) if queue else (Asleep.ASLEEP, {})


def _apply(near: Cells, op: Effect, now: int) -> tuple[object, Writes]:
    """On the cells of the footprint alone."""
    if isinstance(op, Local | Withdrawn):
        return None, {}
    if isinstance(op, Unanswered):
        return kv.OutcomeUnknown(), _apply(near, cast("Effect", op.op), now)[1]
    if isinstance(op, Sleep):
        if now == UNREADABLE:  # a client that does not sleep may be slow: no order of steps is impossible
            return None, {}
        value = b"%d" % op.microseconds if op.microseconds > 0 else None
        same = near.get((TIMER, op.timer)) == value
        return value is not None, {} if same else {(TIMER, op.timer): value}
    if isinstance(op, Wake):
        # A timer that has run out is removed (`pass_time`), so a cell that is there still runs.
        return (Asleep.ASLEEP if near else None), {}
    if isinstance(op, channels.Op):
        cell = (CHANNEL, op.channel)
        messages = cast("channels.Messages", near.get(cell, ()))
        if channels.waits(messages, op):
            return Asleep.ASLEEP, {}
        left, taken = channels.step(messages, op)
        return taken, {} if left == messages else {cell: left or None}  # an empty channel has one form: no cell
    if isinstance(op, watches.StartWatch):
        return _apply_to_watch(near, op)
    reply: object
    if isinstance(op, kv.Op | kv.Transact):
        store, reply = kv.step_leased({(cell[1], cell[2]): near[cell] for cell in near}, op)  # type: ignore[misc]
        after: dict[Cell, Value] = {("kv", *address): value for address, value in store.items()}
    else:
        assert not isinstance(op, Now), "the clock is not a store: the driver answers Now itself"
        stored, reply = objects.step({cell[1]: near[cell] for cell in near}, op, now)  # type: ignore[misc]
        after = {("object", address): value for address, value in stored.items()}
    # Only what differs: a cell that is written as it was would make LOST_APPLIED a second way to the same outcome.
    changed = near.keys() | after.keys()
    return reply, {cell: after.get(cell) for cell in changed if near.get(cell) != after.get(cell)}


def patch(cells: Cells, writes: Writes) -> dict[Cell, Value]:
    """The cells after the writes."""
    return {cell: value for cell, value in {**cells, **writes}.items() if value is not None}


def unreadable(now: int) -> bool:
    """Whether nothing may read this time."""
    return now <= TICKING


def later(now: int, microseconds: int) -> int:
    """The time so much later."""
    return now if unreadable(now) else now + microseconds


def pass_time(cells: Cells, tick: int = 0) -> tuple[int, dict[Cell, Value]]:
    """Time goes on to the next moment at which a timer runs out, or by a tick while a key has a time to live: how long
    that is, and the cells then. No timer and no such key, or one that is due: 0."""
    left = {cell: int(value) for cell, value in cells.items() if cell[0] == TIMER and isinstance(value, bytes)}
    leases = {cell: value for cell, value in cells.items() if isinstance(value, kv.Leased)}
    # A lease at 0 makes this 0: time stands until EXPIRE has removed the key, so that no lease outlives its time.
    passed = min([*left.values(), *(min(lease.left, tick) for lease in leases.values())], default=0)
    after: dict[Cell, Value | None] = {
        cell: b"%d" % (rest - passed) if rest > passed else None for cell, rest in left.items()
    }
    after |= {cell: kv.Leased(lease.value, lease.left - passed) for cell, lease in leases.items()}
    return passed, patch(cells, after)


def due(cells: Cells) -> dict[str, Cell]:
    """The keys whose time to live is over, by name."""
    found = (cell for cell, value in cells.items() if isinstance(value, kv.Leased) and not value.left)
    return {lease_name(cell): cell for cell in sorted(found)}


def lease_name(cell: Cell) -> str:
    """A key as a part of a move: another one for each key, and readable where the key is."""
    # [2:-1] strips b'...'. A slash in the partition is escaped, so that the first one separates it from the key.
    partition, key = (repr(part)[2:-1] for part in cell[1:])
    return partition.replace("/", r"\x2f") + "/" + key


def expire_alone(cells: Cells, microseconds: int) -> dict[Cell, Value]:
    """The cells so much later, where nothing else happens: without keys whose time to live is over by then."""
    leases = {cell: value for cell, value in cells.items() if isinstance(value, kv.Leased)}
    after = {cell: kv.Leased(lease.value, lease.left - microseconds) for cell, lease in leases.items()}
    return patch(cells, {cell: lease if lease.left > 0 else None for cell, lease in after.items()})

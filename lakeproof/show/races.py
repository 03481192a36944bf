"""The name of a race, where a rule can tell it from the words of a trace. A rule is right or silent.

Example: a reads k, b writes k, a writes k without a condition: *lost update*, for a has never seen what it overwrites.

A rule says that the schedule has a pattern, not that nothing else is wrong. Words may be cut short: a key that is cut
(it has ``..``) is left out, for two keys may have the same words; values are only ever found to differ, which their
bytes then do, too.

Source: H. Berenson et al., A Critique of ANSI SQL Isolation Levels, 1995: P4 lost update, A5B write skew.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import attrs

from lakeproof.search.describe import printable
from lakeproof.search.faults import REPEATED, Mode
from lakeproof.search.trace import Trace, TraceStep

_READS: Final = ("get", "head")
_BLIND: Final = ("set", "put", "copy", "delete", "set metadata")
"""Writes that are unconditional, if they have no condition."""
_SET: Final = ("set", "put")
_IF: Final = ("set_if", "delete_if")
_GRAVELER: Final = "graveler/"
"""Its keys are shown without the partition, so that what is in it cannot be seen in the words."""
_FROM: Final = "from "
_MORE: Final = "; and more"
_GONE: Final = "not found"


@attrs.frozen(kw_only=True)
class Race:
    """A pattern that the schedule has."""

    name: str
    sentence: str
    steps: tuple[int, ...]
    """The numbers of the steps that make it, 1 the first."""

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}"


@attrs.frozen
class _At:
    """A step with its place: its number, and which call of its client it belongs to."""

    number: int
    step: TraceStep
    call: int

    @property
    def owner(self) -> tuple[str, int]:
        return self.step.client, self.call

    def reads(self, key: str) -> bool:
        return self.step.mode is Mode.NORMAL and self.step.effect in _READS and self.step.key == key

    def writes(self, key: str) -> bool:
        """Whether the key was written, be it with the same content: a trace has no change then."""
        same = self.step.mode is Mode.NORMAL and self.step.effect in _SET and self.step.reply == "ok"
        return self.changes(key) or (same and self.step.key == key)

    def changes(self, key: str) -> bool:
        return any(each.key == key and each.before != each.after for each in self.step.changes)


def races(trace: Trace) -> tuple[Race, ...]:
    """The patterns of a schedule; one that only says that something stale was acted upon is left out if another one
    is found. Cost: steps to the fourth power, of some dozens of steps."""
    steps = tuple(_place_steps(trace.schedule))
    found: list[Race] = []
    for rule in (_late, _lost_update, _aba, _write_skew, _torn_scan):
        found += rule(trace, steps)
    return tuple(found or _stale_read(trace, steps))


def _place_steps(schedule: Sequence[TraceStep]) -> Iterator[_At]:
    ended: dict[str, int] = {}
    for number, step in enumerate(schedule, start=1):
        # These steps are no progress of a client. Their call is -1, so that none of them reads or writes for a call.
        late = step.mode in (Mode.DELIVER, Mode.TICK, Mode.EXPIRE)
        yield _At(number, step, -1 if late else ended.get(step.client, 0))
        if not late:
            # A step may end several calls, if those that follow have no effect of their own.
            ended[step.client] = ended.get(step.client, 0) + len(step.returned)


def _keys(steps: Sequence[_At]) -> list[str]:
    return sorted({each.step.key for each in steps if each.step.key and ".." not in each.step.key})


def _last_read(steps: Sequence[_At], key: str, write: _At) -> _At | None:
    """The last read of a key by the call that writes, before it does."""
    # The number of the first step is 1.
    own = [each for each in steps[: write.number - 1] if each.owner == write.owner and each.reads(key)]
    return own[-1] if own else None


def _last_change(steps: Sequence[_At], key: str, read: _At, write: _At) -> _At | None:
    """The last change of a key between two steps, if it is another client's."""
    # Numbers begin at 1, so the slice starts right behind the read.
    between = [each for each in steps[read.number : write.number - 1] if each.changes(key)]
    # If the last change is the writer's own, it has overwritten the other one knowingly or has lost it already.
    return between[-1] if between and between[-1].step.client != write.step.client else None


def _lost_update(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """P4: r1(x) w2(x) w1(x), the last one without a condition."""
    for write in steps:
        key = write.step.key
        blind = write.step.effect in _BLIND and not write.step.condition and write.call >= 0
        if not blind or ".." in key or not write.writes(key):
            continue
        read = _last_read(steps, key, write)
        lost = None if read is None else _last_change(steps, key, read, write)
        if read is not None and lost is not None:
            does = "deletes" if write.step.effect == "delete" else "overwrites"
            sentence = (
                f"at step {write.number} {write.step.client} {does} {key}, which it read at step {read.number} and "
                f"{lost.step.client} wrote at step {lost.number}"
            )
            yield Race(name="lost update", sentence=sentence, steps=(read.number, lost.number, write.number))


def _aba(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """A conditional write takes place although what it compares with was changed meanwhile, and changed back."""
    for write in steps:
        key, condition = write.step.key, write.step.condition
        if write.step.effect not in _IF or write.call < 0 or ".." in key or not write.changes(key):
            continue
        read = _last_read(steps, key, write)
        # The condition must be on what this read returned, else the write does not rely on it.
        if read is None or condition != ("if absent" if read.step.reply == _GONE else f"if still {read.step.reply}"):
            continue
        between = [each for each in steps[read.number : write.number - 1] if each.changes(key)]
        # One change cannot lead back; and the write changed the key, so its condition was true again.
        if len(between) >= 2 and all(each.step.client != write.step.client for each in between):
            first, last = between[0].number, between[-1].number
            sentence = (
                f"{write.step.client} reads {key} at step {read.number}; it changes at step {first}, and is back at "
                f"step {last}, so that the condition of step {write.number} cannot tell"
            )
            yield Race(name="ABA", sentence=sentence, steps=(read.number, first, last, write.number))


def _write_skew(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """A5B: r1(x) r2(y) w1(y) w2(x), neither having seen the other's write."""
    keys = _keys(steps)
    for one in steps:
        y = one.step.key
        if one.call < 0 or y not in keys or not one.changes(y):
            continue
        for other in steps[one.number :]:
            x = other.step.key
            if other.call < 0 or x == y or x not in keys or other.step.client == one.step.client:
                continue
            read_x, read_y = _last_read(steps, x, one), _last_read(steps, y, other)
            # The read of x precedes `one`, and so the write of x. Only the read of y may lie behind the write of y, and
            # have seen it.
            if not other.changes(x) or read_x is None or read_y is None or read_y.number > one.number:
                continue
            sentence = (
                f"{one.step.client} has read {x} and writes {y}, {other.step.client} has read {y} and writes {x}, "
                f"and neither has seen the other's write"
            )
            numbers = sorted((read_x.number, read_y.number, one.number, other.number))
            yield Race(name="write skew", sentence=sentence, steps=tuple(numbers))
            return


def _late(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """A write of which no answer came takes effect once more, or after its call has ended."""
    for late in steps:
        if late.step.mode is not Mode.DELIVER or not any(c.before != c.after for c in late.step.changes):
            continue
        # One write is in flight at a time, so the last one that was sent is the one that arrives.
        sent = [each for each in steps[: late.number] if each.step.mode in REPEATED][-1:]
        if not sent or sent[0].step.client != late.step.client:
            continue
        [origin] = sent
        write = f"the write of {late.step.client} to {late.step.key}"
        if origin.step.mode is Mode.REPEATED_APPLIED and any(c.before != c.after for c in origin.step.changes):
            sentence = f"{write} at step {origin.number} takes effect again at step {late.number}"
            yield Race(name="double apply", sentence=sentence, steps=(origin.number, late.number))
        # Late alone is legal: a write without an answer may take effect while its call still runs.
        elif any(each.step.returned for each in steps[origin.number - 1 : late.number] if each.owner == origin.owner):
            sentence = f"{write} of step {origin.number} takes effect at step {late.number}, too late"
            yield Race(name="zombie", sentence=sentence, steps=(origin.number, late.number))


def _torn_scan(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """What the batches of a scan have read together was in the store at no moment between them."""
    contents = stores(trace)
    scans = [each for each in steps if each.step.effect == "scan" and each.step.mode is Mode.NORMAL]
    # Batches of one call in a row. Only scans of exactly two batches are judged: the first one has no start, and
    # nothing follows the second.
    for first, second in pairwise(sorted(scans, key=lambda each: (each.owner, each.number))):
        prefix = first.step.key
        if first.owner != second.owner or second.step.key != prefix or prefix == _GRAVELER:
            continue
        start = second.step.condition.partition(", ")[0]
        goes_on = first.step.reply.endswith(_MORE) and not second.step.reply.endswith(_MORE)
        if not goes_on or first.step.condition.startswith(_FROM) or not start.startswith(_FROM):
            continue
        states = [_under(contents[at], prefix) for at in range(first.number - 1, second.number)]
        where = start.removeprefix(_FROM)
        # Keys are compared as text here and as bytes by the store. Both orders agree for ASCII.
        if any(".." in key or not key.isascii() for state in states for key in (*state, where)):
            continue
        # The first batch saw all keys before the second one's start, the second one all others.
        read = {key: content for key, content in states[0].items() if key < where}
        read |= {key: content for key, content in states[-1].items() if key >= where}
        if all(state != read for state in states):
            sentence = (
                f"{first.step.client} scans {prefix} at steps {first.number} and {second.number}; together they have "
                f"read what was there at no moment"
            )
            yield Race(name="torn scan", sentence=sentence, steps=(first.number, second.number))


def stores(trace: Trace) -> list[dict[str, str]]:
    """What the store holds by key before each step, and last what it holds at the end. Cost: steps times keys."""
    found = [dict(trace.initially)]
    for step in trace.schedule:
        store = dict(found[-1])
        for change in step.changes:
            store.pop(change.key, None)
            if change.after is not None:
                store[change.key] = change.after
        found.append(store)
    return found


def _under(store: dict[str, str], prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): content for key, content in store.items() if key.startswith(prefix)}


def _stale_read(trace: Trace, steps: Sequence[_At]) -> Iterator[Race]:
    """The last step, the one that violates, writes a key, and its call has read another that has changed since."""
    # Of the last step alone: what an earlier one has read long ago need not be to blame.
    if not steps or steps[-1].call < 0 or not steps[-1].changes(steps[-1].step.key):
        return
    write = steps[-1]
    for key in _keys(steps):
        read = _last_read(steps, key, write) if key != write.step.key else None
        changed = None if read is None else _last_change(steps, key, read, write)
        if read is not None and changed is not None:
            sentence = (
                f"{write.step.client} writes {write.step.key} at step {write.number}, having read {key} at step "
                f"{read.number}, which {changed.step.client} has changed at step {changed.number}"
            )
            yield Race(name="stale read", sentence=sentence, steps=(read.number, changed.number, write.number))
            return


def in_words(trace: Trace) -> tuple[str, ...]:
    """The patterns as sentences, printable."""
    return tuple(printable(str(race)) for race in races(trace))

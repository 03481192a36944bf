"""Faults as transitions: for each effect, all the ways in which it can turn out, and what each one costs.

All three searches and the stepped world take the outcomes of an effect from `outcomes`, so that they cannot
disagree about what a fault is.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

import attrs

from lakeproof.impl.effects import Effect, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import MAIN, CutOff, Unanswered, Withdrawn
from lakeproof.model import channels, kv, objects, watches
from lakeproof.scenario import Faults
from lakeproof.search.semantics import Asleep, Writes, is_write, watch_cell


class Mode(Enum):
    """How a move turns out. The value is the word used in traces."""

    NORMAL = "normal"
    REFUSED = "refused"
    LOST_APPLIED = "lost answer, applied"
    LOST_DROPPED = "lost answer, not applied"
    REPEATED_APPLIED = "lost answer, applied, will be applied again"
    REPEATED_DROPPED = "lost answer, will be applied later"
    FALSE_PREDICATE = "applied, reported as PredicateFailed"
    SCAN_FAILURE = "scan broke"
    CRASH = "crash"
    RESTART = "restart"
    MESSAGE_LOST = "message lost"
    MESSAGE_DUPLICATED = "message received, stays"
    MESSAGE_OVERTAKEN = "message overtaken"
    WATCH_LOST = "watch lost"
    CUT_OFF = "cut off, will be applied later"
    DELIVER = "late write arrives"
    TICK = "clock jumps"
    EXPIRE = "ttl ends"

    def __repr__(self) -> str:
        return self.name


BUDGETS: Final = (
    *("refusals", "lost_answers", "false_predicates", "duplicates", "scan_failures", "crashes", "restarts"),
    *("lost_messages", "duplicated_messages", "reordered_messages", "lost_watches"),
)

COST: Final[dict[Mode, tuple[str, ...]]] = {
    Mode.NORMAL: (),
    Mode.REFUSED: ("refusals",),
    Mode.LOST_APPLIED: ("lost_answers",),
    Mode.LOST_DROPPED: ("lost_answers",),
    # Its answer is lost as well: an acknowledged write is not sent again.
    Mode.REPEATED_APPLIED: ("lost_answers", "duplicates"),
    Mode.REPEATED_DROPPED: ("lost_answers", "duplicates"),
    Mode.FALSE_PREDICATE: ("false_predicates",),
    Mode.SCAN_FAILURE: ("scan_failures",),
    Mode.CRASH: ("crashes",),
    Mode.RESTART: ("restarts",),
    Mode.MESSAGE_LOST: ("lost_messages",),
    Mode.MESSAGE_DUPLICATED: ("duplicated_messages",),
    Mode.MESSAGE_OVERTAKEN: ("reordered_messages",),
    Mode.WATCH_LOST: ("lost_watches",),
    # The timeout that cuts the write off is a choice of the schedule, no fault. One write in flight is the bound.
    Mode.CUT_OFF: (),
}
"""Which budgets a move of a client spends, one unit of each. Deliveries and clock jumps are not moves of a client."""

OF_MESSAGES: Final = frozenset({Mode.NORMAL, Mode.MESSAGE_LOST, Mode.MESSAGE_DUPLICATED, Mode.MESSAGE_OVERTAKEN})
"""How an operation on a channel turns out. The other faults are of stores."""

OF_CLIENTS: Final = (Mode.CRASH, Mode.RESTART)
"""What happens to a client as a whole, with all of its tasks."""

REPEATED: Final = (Mode.REPEATED_APPLIED, Mode.REPEATED_DROPPED, Mode.CUT_OFF)
"""What leaves a write in flight. There is one at a time."""


@attrs.frozen(cache_hash=True)
class Move:
    """One transition: client ``client`` performs its next effect, which turns out as ``mode``; -1 for the
    network (DELIVER), the clock (TICK) and the store (EXPIRE). ``task``: whose effect it is, of those that the client
    has open; a crash and a restart are of all tasks. Of EXPIRE it is the key, as `lease_name` has it."""

    client: int
    mode: Mode
    task: str = MAIN

    def __str__(self) -> str:
        return f"{self.client}{f'/{self.task}' if self.task else ''}:{self.mode.value}"


@attrs.frozen
class Result:
    """One way in which an effect turns out: what the client receives and what changes."""

    mode: Mode
    reply: object
    writes: Writes


def enabled_modes(faults: Faults, timed: bool = False) -> tuple[Mode, ...]:
    """The modes of a client's effects that the budget allows at all, in a fixed order; a restart needs no effect.
    timed: whether time passes."""
    # CUT_OFF costs nothing, so no budget excludes it where time stands still and nothing can time out.
    possible = (mode for mode in COST if mode is not Mode.RESTART and (timed or mode is not Mode.CUT_OFF))
    return tuple(mode for mode in possible if all(getattr(faults, kind) > 0 for kind in COST[mode]))


def outcomes(op: Effect, reply: object, writes: Writes, modes: tuple[Mode, ...]) -> Iterator[Result]:
    """Every way in which ``op`` can turn out, given what the specification says (``reply``, ``writes``).

    A lost answer of a write that would change nothing is one outcome, not two. CRASH is not among them: a
    crash is no outcome of an effect.
    """
    if isinstance(op, CutOff):
        # NORMAL means here that the write never takes place; its task is cancelled, so no answer can be lost or false.
        modes = tuple(mode for mode in (Mode.NORMAL, Mode.CUT_OFF) if mode in modes)
    elif isinstance(op, Unanswered):
        # A write that changes nothing needs no such edge: to be cut off leads to the same store.
        modes = (Mode.NORMAL,) if writes else ()
    elif isinstance(op, Sleep | Wake):
        modes = () if reply is Asleep.ASLEEP else (Mode.NORMAL,)
    elif isinstance(op, channels.Op):
        modes = () if reply is Asleep.ASLEEP else tuple(mode for mode in modes if mode in OF_MESSAGES)
    # A watch may be lost while its client waits for a change, so WATCH_LOST stays possible where NORMAL is not.
    elif isinstance(op, watches.StartWatch):
        normal = () if reply is Asleep.ASLEEP else (Mode.NORMAL,)
        modes = tuple(mode for mode in modes if mode in (*normal, Mode.WATCH_LOST))
    for mode in modes:
        match mode:
            case Mode.NORMAL:
                yield Result(mode, reply, writes)
            # No writes: the channel is full, and took none.
            case Mode.MESSAGE_LOST if isinstance(op, channels.Send) and writes:
                yield Result(mode, reply, {})
            case Mode.MESSAGE_DUPLICATED if isinstance(op, channels.Receive) and writes:
                yield Result(mode, reply, {})
            case Mode.MESSAGE_OVERTAKEN if isinstance(op, channels.Receive) and _messages_left(writes) > op.at:
                yield Result(mode, channels.OVERTAKEN, {})
            # A watch that is lost already answers WatchLost without a fault: a second loss would only spend budget.
            case Mode.WATCH_LOST if isinstance(op, watches.NextChanges) and not isinstance(reply, kv.WatchLost):
                yield Result(mode, kv.WatchLost(), {watch_cell(op): None})
            case Mode.CUT_OFF if isinstance(op, CutOff):
                yield Result(mode, None, {})
            # These reach no store that could refuse them.
            case Mode.REFUSED if not isinstance(op, Now | Local | Withdrawn):
                yield Result(mode, kv.Refused(), {})
            case Mode.LOST_APPLIED if writes:
                yield Result(mode, kv.OutcomeUnknown(), writes)
            case Mode.LOST_DROPPED if is_write(op):
                yield Result(mode, kv.OutcomeUnknown(), {})
            case Mode.REPEATED_APPLIED if writes:
                yield Result(mode, kv.OutcomeUnknown(), writes)
            # Also where it would change nothing now: the late copy may meet another value, and change that.
            case Mode.REPEATED_DROPPED if is_write(op):
                yield Result(mode, kv.OutcomeUnknown(), {})
            # The library's first attempt was applied and its answer lost; its second one fails on what the first has
            # written. Or on what a rival has done between the two: so also where it would succeed alone (EXISTS).
            case Mode.FALSE_PREDICATE if isinstance(op, kv.SetIf | kv.DeleteIf) and reply is None:
                yield Result(mode, kv.PredicateFailed(), writes)
            case Mode.FALSE_PREDICATE if objects.conditional(op) and reply is None:
                yield Result(mode, objects.PreconditionFailed(), writes)
            case Mode.SCAN_FAILURE if _continues_a_scan(op):
                yield Result(mode, kv.ScanInterrupted(), {})


def _messages_left(writes: Writes) -> int:
    """How many messages are in the channel after one was taken."""
    # An empty channel is written as None.
    return sum(len(after) for after in writes.values() if isinstance(after, tuple))


def _continues_a_scan(op: Effect) -> bool:
    # The first batch is no continuation: where it fails, the scan as a whole is refused.
    later_page = isinstance(op, objects.ListObjects) and op.after != ""
    return later_page or (isinstance(op, kv.ScanBatch) and op.start != b"")

"""Flow sets made by hand: each has what is too rare in generated ones, so that no fault of a search stays hidden."""

from typing import Final

from lakeproof import Faults
from tests.explore.demands import Demands
from tests.explore.generated import FlowSet
from tests.explore.programs import (
    Clock,
    Copy,
    Delete,
    Fresh,
    Get,
    Hold,
    Instruction,
    Pages,
    Program,
    Put,
    Replay,
    Scan,
    Set,
    SetIf,
    Unless,
)

QUIET: Final = Demands(forbidden=2, key=0, limit=9, monitored=False, observed=False)


def _set(
    *programs: Program, setup: tuple[Instruction, ...] = (), faults: Faults | None = None, demands: Demands = QUIET
) -> FlowSet:
    return FlowSet(
        clients=tuple(((program, 1),) for program in programs),
        setup=(Program(setup),) if setup else (),
        faults=faults or Faults(),
        demands=demands,
    )


ABSENT: Final = Unless(found=False)
"""Leaves out what follows a read that found nothing."""

INCREMENT: Final = Program((Get(0), SetIf(0, "next", "read", 2)), returns="last")
MINTER: Final = Program((Fresh(), Set(0, "last"), Get(0)), returns="last")
PAGES: Final = Program((Scan(b"p", 1), Pages(1)), returns="all", stubborn=True)

HANDMADE: Final = {
    "a scan breaks between two batches, and writes fall between them": _set(
        PAGES,
        Program((Delete(1), Set(0, 2))),
        setup=(Set(0, 0), Set(1, 1), Put(0, 0), Put(1, 0)),
        faults=Faults(scan_failures=1, crashes=1),
    ),
    "increments race": _set(INCREMENT, INCREMENT, setup=(Set(0, 0),), faults=Faults(false_predicates=1)),
    "a predicate that another value does not satisfy": _set(
        Program((Get(0), SetIf(0, 1, "read")), returns="last"), Program((Set(0, 2),)), setup=(Set(0, 0),)
    ),
    "EXISTS and None": _set(
        Program((SetIf(0, 1, "absent"), SetIf(0, 0, "exists")), stubborn=True, returns="all"),
        Program((Delete(0), Set(0, 2))),
    ),
    "only a late write lets the store shrink": _set(
        Program((Set(0, 1),), stubborn=True),
        Program((Get(0), ABSENT, Set(0, 2))),
        faults=Faults(lost_answers=1, duplicates=1),
    ),
    "equal clients with a late write": _set(
        *[Program((Get(0), Set(0, "next"), Set(1, "next")))] * 2, faults=Faults(lost_answers=1, duplicates=1)
    ),
    "what is remembered shows only when something is found": _set(
        Program((Get(0), Hold(), Get(1), ABSENT, Set(2, "held"))), Program((Set(0, 1), Set(1, 1))), setup=(Set(0, 0),)
    ),
    "what is remembered sits in an iterator": _set(
        Program((Get(0), Get(1), ABSENT, Replay(2))), Program((Set(0, 1), Set(1, 1))), setup=(Set(0, 0),)
    ),
    "what is remembered is forgotten": _set(
        *[Program((Get(0), Hold(), Hold(forget=True), Get(1)))] * 2, Program((Set(0, 1),)), setup=(Set(0, 0),)
    ),
    "equal clients that mint identifiers": _set(MINTER, MINTER),
    "clocks that jump and differ": _set(
        *[Program((Clock(), Set(0, 0), Clock()), returns="last")] * 2,
        faults=Faults(clock_jumps=(1, 2), clock_skew=(0, 1)),
        demands=Demands(forbidden=2, key=0, limit=0, monitored=False, observed=False),
    ),
    "a monitor over equal clients": _set(
        *[Program((Get(0), Set(0, 1)), returns="last")] * 2,
        demands=Demands(forbidden=2, key=0, limit=9, monitored=True, observed=True),
    ),
    "copies, crashes and lost answers": _set(
        Program((Put(0, 1), Copy(0))),
        Program((Copy(1),), stubborn=True),
        faults=Faults(crashes=1, lost_answers=1, duplicates=1, refusals=1),
    ),
    "a deleter meets another at the same point": _set(*[Program((Scan(b"p", 0), Delete(0), Delete(1), Get(2)))] * 2),
}

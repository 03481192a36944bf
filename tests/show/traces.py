"""For the tests of reports: traces of a plain race, of one with every kind of trouble, of one with an aftermath; and
verdicts."""

from collections.abc import Iterator
from typing import Final

import attrs

from lakeproof import Faults
from lakeproof.model.invariants import STORE_AND_CLIENTS, Always, Finding, Violation
from lakeproof.model.snapshot import Snapshot, Status
from lakeproof.scenario import Scenario
from lakeproof.search.faults import Mode, Move
from lakeproof.search.replay import record
from lakeproof.search.trace import Trace
from lakeproof.verify.tasks import Outcome, Verdict
from tests.racing import AFTERWARDS, COUNTER, FAULTY, LOST_UPDATE
from tests.show.hostile import HOSTILE

A, B = Move(0, Mode.NORMAL), Move(1, Mode.NORMAL)


def _stays_cleared(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("clear"):
        if call.status is Status.OK and COUNTER in snapshot.store:
            yield Violation("stays-cleared", "the counter is back")


STAYS_CLEARED: Final = Always(
    id="stays-cleared", meaning="what is cleared stays so", check=_stays_cleared, reads=STORE_AND_CLIENTS
)


def recorded(scenario: Scenario, *moves: Move) -> Trace:
    return record(scenario, scenario.ids[0], moves, version="1")


RACE: Final = recorded(LOST_UPDATE, A, B, A, B)
CRASH: Final = recorded(
    attrs.evolve(LOST_UPDATE, clients=[*LOST_UPDATE.clients, LOST_UPDATE.clients[0]], faults=Faults(crashes=1)),
    Move(2, Mode.NORMAL),
    A,
    B,
    Move(2, Mode.CRASH),
    A,
    B,
)
TROUBLE: Final = recorded(
    attrs.evolve(FAULTY, invariants=[STAYS_CLEARED], expect={}),
    Move(0, Mode.REFUSED),
    B,
    Move(-1, Mode.TICK),
    Move(1, Mode.REPEATED_APPLIED),
    A,
    Move(-1, Mode.DELIVER),
)
AFTERMATH: Final = recorded(AFTERWARDS, B, A, A)
EARLY: Final = attrs.evolve(RACE, schedule=())
TRACES: Final = {
    "race": RACE,
    "crash": CRASH,
    "trouble": TROUBLE,
    "aftermath": AFTERMATH,
    "hostile": HOSTILE,
    "early": EARLY,
}


def verdict(
    name: str, found: str = "holds", expected: str = "holds", why: str = "", trace: Trace | None = None
) -> Verdict:
    """trace: of a violation; None: `RACE`."""
    shown = (trace or RACE) if found == "violated" else None
    return Verdict(invariant=name, expected=expected, verdict=found, why=why, reached=3, example="so", trace=shown)


def outcome(name: str, *verdicts: Verdict, states: int = 1234, trouble: str = "") -> Outcome:
    return Outcome(
        scenario=name,
        clients=2,
        calls=3,
        faults=Faults(crashes=1),
        verdicts=verdicts,
        states=states,
        transitions=2 * states,
        depth=7,
        complete=True,
        seconds=1.25,
        trouble=trouble,
        details=trouble,
    )

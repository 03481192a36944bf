"""``stress --flows`` from its options to its exit code."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs
import trio

from lakeproof.impl.stores import Store
from lakeproof.live.answers import Outcome
from lakeproof.live.flow_promises import OF_ENTRIES, OF_REPOSITORIES
from lakeproof.live.flows import Flows, Round
from lakeproof.live.report import Report, evidence
from lakeproof.live.traffic import Fault, Load
from lakeproof.stores.dsn import Target
from lakeproof.words import first_of

IDS: Final = tuple(dict.fromkeys(invariant.id for invariant in (*OF_ENTRIES.judged, *OF_REPOSITORIES.judged)))

Disturb = Callable[[Store], tuple[Fault, ...]]


@attrs.define
class Flown(Outcome):
    """What came of a run."""

    asked: tuple[str, ...] = IDS
    last: Round = attrs.field(factory=Round)

    def judge(self, made: Round) -> None:
        """Take in a round."""
        self.rounds += 1
        self.last = made
        self.reached += made.reached
        self.violations += made.violations
        if made.unread:
            self.unread.append(made.unread)


def report(chosen: Target, load: Load, disturb: Disturb, out: Path, *, as_json: bool) -> int:
    """Run, tell, and write what is violated. Returns the exit code."""
    done = trio.run(stress_flows, chosen, load, disturb)
    files = {
        "evidence.txt": list(evidence(done.violations, None)),
        "calls.txt": done.last.events,
        "store.txt": done.last.held,
    }
    Report(
        kind="stress",
        subject=chosen.name,
        told=done.lines(left="keys in partitions that begin with"),
        found={"store": chosen.name, "seed": load.seed, "clients": load.clients, **done.as_object()},
        files=files if done.violations else {},
        closing=done.closing(load.seed),
    ).give(out, as_json=as_json)
    return done.code


async def stress_flows(chosen: Target, load: Load, disturb: Disturb) -> Flown:
    """Rounds of flows until the time is up or an invariant is violated. Raises Unusable."""
    done = Flown()
    try:
        async with chosen.open() as store:
            flows = Flows(store, load, disturb(store), done.tally, done.left)
            began = trio.current_time()
            while not done.violations and done.seconds < load.seconds:
                done.judge(await flows.round())
                done.seconds = trio.current_time() - began
    except BaseExceptionGroup as group:
        raise first_of(group) from None
    return done

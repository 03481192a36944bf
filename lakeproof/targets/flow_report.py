"""``stress --flows`` from its options to its exit code."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs
import trio

from lakeproof.commands.group import AS_EXPECTED, INCONCLUSIVE, VIOLATED
from lakeproof.impl.stores import Store
from lakeproof.report.style import plural, seconds
from lakeproof.targets.answers import VERDICTS, counted, first_of, per_invariant, tallied
from lakeproof.targets.dsn import Target
from lakeproof.targets.flow_promises import OF_ENTRIES, OF_REPOSITORIES
from lakeproof.targets.flows import Flows, Round
from lakeproof.targets.report import Report, evidence
from lakeproof.targets.traffic import Fault, Load, Tally

IDS: Final = tuple(dict.fromkeys(invariant.id for invariant in (*OF_ENTRIES.judged, *OF_REPOSITORIES.judged)))

Disturb = Callable[[Store], tuple[Fault, ...]]


@attrs.define
class Flown:
    """What came of a run."""

    rounds: int = 0
    seconds: float = 0.0
    reached: Counter[str] = attrs.field(factory=Counter)
    last: Round = attrs.field(factory=Round)
    tally: Tally = attrs.field(factory=Tally)
    left: list[bytes] = attrs.field(factory=list)
    unread: list[str] = attrs.field(factory=list)

    @property
    def missing(self) -> list[str]:
        """Invariants that were never put to the test."""
        return [name for name in IDS if not self.reached[name]]

    @property
    def code(self) -> int:
        if self.last.violations:
            return VIOLATED
        return INCONCLUSIVE if self.missing else AS_EXPECTED


def report(chosen: Target, load: Load, disturb: Disturb, out: Path, *, as_json: bool) -> int:
    """Run, tell, and write what is violated. Returns the exit code."""
    done = trio.run(stress_flows, chosen, load, disturb)
    last = done.last
    files = {"evidence.txt": list(evidence(last.violations, None)), "calls.txt": last.events, "store.txt": last.held}
    Report(
        kind="stress",
        subject=chosen.name,
        told=_told(done),
        found=_object(chosen.name, load, done),
        files=files if last.violations else {},
        closing=_closing(done, load.seed),
    ).give(out, as_json=as_json)
    return done.code


async def stress_flows(chosen: Target, load: Load, disturb: Disturb) -> Flown:
    """Rounds of flows until the time is up or an invariant is violated. Raises Unusable."""
    done = Flown()
    try:
        async with chosen.open() as store:
            flows = Flows(store, load, disturb(store), done.tally, done.left)
            began = trio.current_time()
            while not done.last.violations and done.seconds < load.seconds:
                done.last = await flows.round()
                done.rounds += 1
                done.reached += done.last.reached
                done.seconds = trio.current_time() - began
                if done.last.unread:
                    done.unread.append(done.last.unread)
    except BaseExceptionGroup as group:
        raise first_of(group) from None
    return done


def _object(store: str, load: Load, done: Flown) -> dict[str, object]:
    return {
        "store": store,
        "seed": load.seed,
        "clients": load.clients,
        "verdict": VERDICTS[done.code],
        "rounds": done.rounds,
        "seconds": round(done.seconds, 3),
        "invariants": per_invariant(IDS, done.reached, done.last.violations),
        **counted(done.tally),
        "unread": dict(Counter(done.unread).most_common()),
        "left": [prefix.decode() for prefix in done.left],
    }


def _told(done: Flown) -> Iterator[str]:
    yield f"{plural(done.rounds, 'round')}, {seconds(done.seconds)} s, {plural(done.tally.total, 'call')}"
    yield from tallied(done.tally, list(dict.fromkeys(name for name, _ in done.tally.answers)))
    broken = {violation.invariant for violation in done.last.violations}
    for name in (*IDS, *sorted(broken - set(IDS))):
        verdict = "violated" if name in broken else "holds" if done.reached[name] else "not put to the test"
        yield f"  {name:<28}{done.reached[name]:>7,} checks  {verdict}"
    for words, count in Counter(done.unread).most_common():
        yield f"  {plural(count, 'round')} not judged: {words}"
    for prefix in done.left:
        yield f"  left behind: keys in partitions that begin with {prefix.decode()}"
    yield from evidence(done.last.violations)


def _closing(done: Flown, seed: int) -> str:
    broken = sorted({violation.invariant for violation in done.last.violations})
    if broken:
        return f"VIOLATED: {', '.join(broken)} (seed {seed})"
    if done.missing:
        return f"INCONCLUSIVE: not put to the test: {', '.join(done.missing)} (seed {seed})"
    return f"HOLDS: {plural(len(IDS), 'invariant')} (seed {seed})"

"""A scenario made ready to run: the store after its setup, the programs of its clients, its clock and modes.

Worlds and searches all start from the same `Setting`.
"""

from functools import cache
from typing import Final

import attrs

from lakeproof.impl.codec import decode_at
from lakeproof.impl.effects import Expiry, Now
from lakeproof.impl.printable import safe_repr
from lakeproof.model import kv
from lakeproof.model.channels import Messages
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Record
from lakeproof.model.snapshot import CallView, Outcome, Reads, Snapshot, Status
from lakeproof.scenario import Aftermath, Scenario, ScenarioError, recovery
from lakeproof.search.execution import AFTERMATH, LABELS, SETUP, Execution, Program
from lakeproof.search.faults import BUDGETS, Mode, enabled_modes
from lakeproof.search.observers import collect_observers
from lakeproof.search.replies import reply_of_task
from lakeproof.search.semantics import (
    CHANNEL,
    TICKING,
    TIMER,
    UNREAD,
    UNREADABLE,
    Asleep,
    Cell,
    Cells,
    Writes,
    apply,
    expire_alone,
    later,
    pass_time,
    patch,
    unreadable,
)
from lakeproof.search.trie import Trie

AFTER_READS: Final = frozenset(Reads) - {Reads.CLIENTS}
AFTER_REPAIR: Final = (
    "an aftermath reads the final stores, now and what its calls return: what clients were answered, an Eventually sees"
)
ALONE_STEPS_MAX: Final = 10_000
"""A setup or an aftermath that performs more effects than this loops."""


@attrs.frozen
class Setting:
    """What every execution of a scenario has in common."""

    scenario: Scenario
    cells: Cells
    programs: tuple[Program, ...]
    times: tuple[int, ...]  # the clock after 0, 1, ... jumps, microseconds
    skews: tuple[int, ...]  # by client
    modes: tuple[Mode, ...]
    budgets: tuple[int, ...]  # in the order of BUDGETS
    tries: tuple[Trie, ...] = attrs.field(eq=False, repr=False)  # by client: what was learned of its program

    def now(self, client: int, time: int) -> int:
        """What a client reads from its clock at this time of the stores."""
        return time + self.skews[client]


def prepare(scenario: Scenario) -> Setting:
    """Run the setup alone and lay out the clients.

    Raises:
        ScenarioError: the setup failed, or there are more clients than letters.
    """
    faults = scenario.faults
    if len(scenario.clients) > len(LABELS):
        raise ScenarioError(f"{scenario.name}: {len(scenario.clients)} clients; at most {len(LABELS)} have a letter")
    # COST[REPEATED_*] spends both budgets, so duplicates alone would silently be no fault at all.
    if faults.duplicates and not faults.lost_answers:
        raise ScenarioError(f"{scenario.name}: duplicates need lost_answers: only an unacknowledged write is repeated")
    # Clients that clock_skew does not name have none; what it names beyond the clients is ignored.
    skews = tuple((*faults.clock_skew, *(0 for _ in scenario.clients))[: len(scenario.clients)])
    # With a tick, sleeps set timers, although nothing reads a clock: they decide what is left of a lease.
    unread = TICKING if scenario.tick else UNREADABLE
    times = [unread if scenario.time == "sleeps" else scenario.start_time]
    for jump in faults.clock_jumps:
        times.append(times[-1] + jump)
    observers = collect_observers(scenario.invariants)
    programs = tuple(
        Program(
            label=LABELS[index],
            calls=tuple(calls),
            observers=observers,
            # Where the clock cannot move, reading it is no schedule point: the driver answers at once.
            frozen_now=None if faults.clock_jumps or scenario.time != "still" else scenario.start_time + skews[index],
            sleeps=scenario.time != "still",
            reads=scenario.time != "sleeps",
            waits=scenario.timers,
            tick=scenario.tick,
            # Without restarts the recovery can never run; leaving it out makes writes to env.local no schedule points.
            recover=recovery(calls) if faults.restarts else (),
            conditions=scenario.objects,
        )
        for index, calls in enumerate(scenario.clients)
    )
    cells = run_setup(scenario)
    return Setting(
        scenario=scenario,
        cells=cells,
        programs=programs,
        times=tuple(times),
        skews=skews,
        modes=enabled_modes(faults, scenario.time != "still"),
        budgets=tuple(getattr(faults, kind) for kind in BUDGETS),
        tries=tuple(Trie(program, cells, times[0] + skew) for program, skew in zip(programs, skews, strict=True)),
    )


def drive_alone(program: Program, cells: Cells, now: int) -> tuple[Cells, tuple[CallView, ...]]:
    """Run a client alone to its end, without faults: setups and aftermaths. Returns the cells and its calls.

    Raises:
        ScenarioError: it loops, or waits for what no time would bring.
    """
    run, steps = Execution(program), 0
    cells = _without_timers(cells)  # those of clients that have ended
    while run.op is not None:
        found = _next_effect(run, cells, now)
        if found is not None:
            steps += 1  # of effects alone: that time goes on is none
            if steps > ALONE_STEPS_MAX:
                raise _give_up(run, f"still runs after {ALONE_STEPS_MAX:,} effects", "end its loop")
            task, reply, writes = found
            cells = patch(cells, writes)
            run.send(reply_of_task(task, reply))
            continue
        # All wait: time goes on to the first timer, and keys with a time to live may end meanwhile.
        passed, left = pass_time({cell: value for cell, value in cells.items() if cell[0] == TIMER})
        if not passed:
            raise _give_up(run, "waits for a message or a change", "send or write one first")
        now, cells = later(now, passed), {**expire_alone(_without_timers(cells), passed), **left}
    return _without_timers(cells), tuple(run.finished)


def _next_effect(run: Execution, cells: Cells, now: int) -> tuple[str, object, Writes] | None:
    """The task whose effect comes next, and what comes of it: the first one that does not wait. A timeout expires when
    nothing else can be done at its moment."""
    for task, op in sorted(run.open, key=lambda each: isinstance(each[1], Expiry)):
        if isinstance(op, Now):
            return task, now, {}
        # Where nothing reads the time, a timer is one all the same: there is no other client, which could be slow.
        reply, writes = apply(cells, op, TICKING if unreadable(now) else now)
        if reply is not Asleep.ASLEEP:
            return task, reply, writes
    return None


def _give_up(run: Execution, what: str, repair: str) -> ScenarioError:
    call, at = run.call(), run.spot()
    run.close()
    return ScenarioError(f"{call}, alone, {what}, at {at}; {repair}")


def _without_timers(cells: Cells) -> Cells:
    return {cell: value for cell, value in cells.items() if cell[0] != TIMER}


def run_setup(scenario: Scenario) -> Cells:
    """The cells after the setup; every call of it must succeed."""
    if not scenario.setup:
        return {}
    cells, calls = drive_alone(
        Program(SETUP, tuple(scenario.setup), tick=scenario.tick, conditions=scenario.objects), {}, scenario.start_time
    )
    for call in calls:
        if call.status is not Status.OK:
            named = f"{call.name}{safe_repr(call.args)}"
            raise ScenarioError(f"{scenario.name}: setup call {named} failed with {safe_repr(call.error)}")
    return cells


def run_aftermath(
    aftermath: Aftermath, scenario: Scenario, cells: Cells, now: int
) -> tuple[tuple[Outcome, ...], Snapshot]:
    """The outcomes of the aftermath's calls, run alone on a final store, and the snapshot after them."""
    begins = later(now, aftermath.clock_advance)
    # No observers and no recovery: an aftermath judges what is stored, and no client crashes in it.
    reads, calls = scenario.time != "sleeps", tuple(aftermath.calls)
    program = Program(AFTERMATH, calls, reads=reads, tick=scenario.tick, conditions=scenario.objects)
    after, views = drive_alone(program, cells, begins)
    outcomes = tuple(Outcome(call.status, call.value, call.error) for call in views)
    # No clients: an aftermath is judged once for all states with this final store.
    seen, before = (snapshot(each, begins, ()).only(AFTER_READS, AFTER_REPAIR) for each in (after, cells))
    # ``before`` lets a check compare the final store with what the aftermath made of it. One list: see `findings`.
    return outcomes, attrs.evolve(seen, before=before, refused=before.refused)


@cache
def _decode(cell: Cell, value: bytes) -> Record | bytes:
    """Kept for the process: a value that was decoded stays so, and most states share their values."""
    assert len(cell) == 3, f"{cell} is not in the store"
    # Bytes that the key schema of lakeFS does not know are shown as they are.
    return decode_at(cell[1], cell[2], value) or value


def snapshot(cells: Cells, now: int, clients: tuple[tuple[CallView, ...], ...]) -> Snapshot:
    """The snapshot of a global state."""
    store: dict[kv.Address, Record | bytes] = {}
    objects: dict[str, StoredObject] = {}
    channels: dict[str, Messages] = {}
    for cell, value in cells.items():
        if cell[0] == "kv":
            store[cell[1], cell[2]] = _decode(cell, kv.plain(value))  # type: ignore[arg-type, index, misc]
        # Timers and watches have no branch: they belong to the machinery of clients, and no invariant sees them.
        elif cell[0] == CHANNEL:
            channels[cell[1]] = value  # type: ignore[assignment, index]
        elif cell[0] == "object":
            objects[cell[1]] = value  # type: ignore[assignment, index]
    found = Snapshot(store=store, objects=objects, now=now, clients=clients, channels=channels)
    # The number in ``now`` is a marker there: an invariant that read it would compute with -(1 << 62).
    return found.only(frozenset(Reads) - {Reads.CLOCK}, UNREAD) if unreadable(now) else found

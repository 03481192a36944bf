"""The stepped driver: one global state that moves by hand, one effect at a time.

A `World` runs real coroutines and knows nothing of tries or tables. The Hypothesis machines, replay, the plain
search and the brute-force enumeration are built on it; the vectorised search is compared with it.

Example: two clients take one lock; the second one's step is made first.

>>> async def take(env, name):
...     await env.store.set_if(b"p", b"lock", name, None)
>>> from lakeproof.search.setup import prepare
>>> from lakeproof.scenario import Scenario
>>> clients = [[Call(take, b"one")], [Call(take, b"two")]]
>>> expected = {"no-unhandled-exception": "violated"}
>>> world = World(prepare(Scenario(name="lock", clients=clients, invariants=[], expect=expected)))
>>> [(move.client, move.mode.name) for move in world.moves()]
[(0, 'NORMAL'), (1, 'NORMAL')]
>>> [world.step(Move(client, Mode.NORMAL)).reply for client in (1, 0)]
[None, PredicateFailed()]
>>> world.cells
{('kv', b'p', b'lock'): b'two'}
"""

from collections.abc import Hashable, Iterator

import attrs

from lakeproof.impl.effects import Effect, Local, Now
from lakeproof.impl.parallel import Cancelled
from lakeproof.model import kv
from lakeproof.model.snapshot import CallView, Event, Invoked, Snapshot, Status, events_of_ended
from lakeproof.scenario import Call, ScenarioError
from lakeproof.search.execution import Execution, label
from lakeproof.search.faults import BUDGETS, COST, REPEATED, Mode, Move, Result, outcomes
from lakeproof.search.replies import RESTARTED, reply_of_task
from lakeproof.search.semantics import (
    AWAITED,
    TIMER,
    Cells,
    Value,
    apply,
    due,
    footprint,
    later,
    pass_time,
    patch,
    unreadable,
    write_of,
)
from lakeproof.search.setup import Setting, snapshot


@attrs.frozen(cache_hash=True)
class LateWrite:
    """An unacknowledged write that will arrive once more."""

    op: Effect
    client: int
    call: CallView


@attrs.frozen
class ExecutedStep:
    """One transition as it happened."""

    move: Move
    call: CallView | None
    """The call that moved (as it was before), or whose late write arrived; None for the clock."""
    client: int
    """Whose call it is; for the clock, -1."""
    op: Effect | None
    reply: object
    """What the client received; `Cancelled` where its task was cancelled."""
    answer: object
    """What the specification answers, whatever the client received."""
    changes: tuple[tuple[object, Value | None, Value | None], ...]  # (cell, before, after)
    events: tuple[Event, ...]
    ended: tuple[CallView, ...]
    """The calls that this step ended, answered or not."""
    passed: int = 0
    """How much time has passed, microseconds."""


class World:
    """A global state of a scenario, and the moves that lead on from it."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.cells: Cells = dict(setting.cells)
        self.clients = [Execution(program) for program in setting.programs]
        self.crashed: list[bool] = [False] * len(self.clients)
        self.jumps = 0
        self.passed = 0
        self.left = dict(zip(BUDGETS, setting.budgets, strict=True))
        self.late: LateWrite | None = None
        self.history: list[Move] = []
        # What each client received: with its program, all that decides it.
        self.replies: list[list[object]] = [[] for _ in self.clients]

    def start(self, *calls: Call) -> int:
        """Let one more client join, with these calls. Returns its number. Not for worlds that are to be forked."""
        client = len(self.clients)
        # The clock, time and conditions are those of all clients. It has no Trie, so nothing but a World can run it.
        program = attrs.evolve(self.setting.programs[0], label=label(client), calls=calls, recover=())
        self.setting = attrs.evolve(
            self.setting,
            programs=(*self.setting.programs, program),
            skews=(*self.setting.skews, 0),
        )
        self.clients.append(Execution(program))
        self.crashed.append(False)
        self.replies.append([])
        return client

    def alive(self, client: int) -> bool:
        """Whether the client still waits for an effect."""
        return self.clients[client].op is not None and not self.crashed[client]

    @property
    def now(self) -> int:
        """The clock of the stores, microseconds since 1970."""
        return later(self.setting.times[self.jumps], self.passed)

    @property
    def quiescent(self) -> bool:
        """Whether no client can move, now or later, and no time to live is left. A late write may still arrive."""
        # A key that is still to expire changes the final store without any client, so the state is not final yet.
        leased = self.setting.scenario.tick and any(isinstance(value, kv.Leased) for value in self.cells.values())
        waiting = (self.alive(client) and not self._blocked(client) for client in range(len(self.clients)))
        return not leased and not any(waiting)

    def moves(self) -> list[Move]:
        """Every possible transition, in a fixed order."""
        found = [move for client in range(len(self.clients)) for move in self._moves_of(client)]
        if self.late is not None:
            found.append(Move(-1, Mode.DELIVER))
        found += [Move(-1, Mode.EXPIRE, name) for name in due(self.cells)] if self.setting.scenario.tick else []
        # At the end a jump would change nothing but the clock, and each final state would be there once for each jump.
        if self._time_passes and not self.quiescent:
            found.append(Move(-1, Mode.TICK))
        return found

    def step(self, move: Move) -> ExecutedStep:
        """Make one transition.

        Raises:
            ScenarioError: the move is not possible here.
        """
        # Checked here and not in each handler: replays and machines hand over moves that were recorded elsewhere.
        if move not in self.moves():
            raise ScenarioError(f"{move} is not possible here; possible: {', '.join(map(str, self.moves()))}")
        self.history.append(move)
        match move.mode:
            case Mode.TICK:
                return self._tick(move)
            case Mode.DELIVER:
                return self._deliver(move)
            case Mode.EXPIRE:
                return self._expire(move)
            case Mode.CRASH:
                return self._crash(move)
            case Mode.RESTART:
                return self._restart(move)
            case _:
                return self._perform(move)

    def snapshot(self) -> Snapshot:
        """What invariants see of this state."""
        return snapshot(self.cells, self.now, self._views())

    def _views(self) -> tuple[tuple[CallView, ...], ...]:
        return tuple(
            run.calls(Status.CRASHED if crashed else Status.PENDING)
            for run, crashed in zip(self.clients, self.crashed, strict=True)
        )

    def key(self) -> Hashable:
        """The raw identity of this state: equal keys have equal futures. Clients count with their whole
        past. Compare it by `identity`."""
        return (
            frozenset(self.cells.items()),
            tuple(tuple(replies) for replies in self.replies),  # in place of coroutines, which cannot be compared
            tuple(self.crashed),
            (self.jumps, self.passed),
            tuple(self.left.values()),
            self.late,
        )

    def final(self) -> Hashable:
        """What is left of an execution at its end: the cells and what each client received. By `identity`, not ==."""
        return (frozenset(self.cells.items()), self._views())

    def fork(self) -> "World":
        """Another world in the same state, with coroutines of its own. Cost: re-runs this world's moves."""
        twin = World(self.setting)
        for move in self.history:
            twin.step(move)
        return twin

    def close(self) -> None:
        """Abandon all coroutines."""
        for run in self.clients:
            run.close()

    def _blocked(self, client: int) -> bool:
        """Whether the client waits for messages or changes and nothing else, where there are none."""
        open_ = [op for _, op in self.clients[client].open]
        # Exact types: a TryReceive derives from Receive, and never waits.
        if any(type(op) not in AWAITED for op in open_):
            return False
        return all(self.cells.get(footprint(op).cells[0]) == AWAITED[type(op)] for op in open_)

    @property
    def _time_passes(self) -> bool:
        """Whether the clock is to jump, or a timer to run out."""
        if self.setting.scenario.timers:
            return pass_time(self.cells, self.setting.scenario.tick)[0] > 0
        return self.jumps + 1 < len(self.setting.times)

    def _moves_of(self, client: int) -> Iterator[Move]:
        if self.alive(client):
            yield from self._moves_of_effects(client)
        # Not within `alive`: a process may restart after its calls have ended, too. One that crashed stays down.
        run = self.clients[client]
        if run.program.recover and not run.broken and not self.crashed[client] and self._affordable(Mode.RESTART):
            yield Move(client, Mode.RESTART)

    def _moves_of_effects(self, client: int) -> Iterator[Move]:
        for task, op in self.clients[client].open:
            for result in self._results(client, op):
                if self._affordable(result.mode):
                    yield Move(client, result.mode, task)
        if Mode.CRASH in self.setting.modes and self._affordable(Mode.CRASH):
            yield Move(client, Mode.CRASH)

    def _affordable(self, mode: Mode) -> bool:
        # A second write in flight is out of bounds (`REPEATED`): the packed state has one column for it.
        if mode in REPEATED and self.late is not None:
            return False
        return all(self.left[kind] > 0 for kind in COST[mode])

    def _results(self, client: int, op: Effect) -> Iterator[Result]:
        if isinstance(op, Now):
            # The clock is no cell: `apply` knows no client, and each client reads it with its own skew.
            return outcomes(op, self.setting.now(client, self.now), {}, self.setting.modes)
        return outcomes(op, *apply(self.cells, op, self.now), self.setting.modes)

    def _spend(self, mode: Mode) -> None:
        for kind in COST[mode]:
            self.left[kind] -= 1

    def _tick(self, move: Move) -> ExecutedStep:
        passed, self.cells = pass_time(self.cells, self.setting.scenario.tick)
        # No timer runs in a scenario of clock_jumps; `pass_time` then changes no cell.
        if not passed:
            self.jumps += 1
            passed = self.setting.times[self.jumps] - self.setting.times[self.jumps - 1]
        # Where nothing may read the time, two states that differ by it alone are one.
        elif not unreadable(self.now):
            self.passed += passed
        return ExecutedStep(move, None, -1, None, None, None, (), (), (), passed)

    def _expire(self, move: Move) -> ExecutedStep:
        cell = due(self.cells)[move.task]
        # A delete by way of `apply`, so that watches over the key see its end as well.
        _, gone = apply(self.cells, kv.Delete(cell[1], cell[2]))  # type: ignore[arg-type, misc]  # of a key
        before, self.cells = self.cells, patch(self.cells, gone)
        return ExecutedStep(move, None, -1, None, None, None, _changes(before, gone), (), ())

    def _crash(self, move: Move) -> ExecutedStep:
        self._spend(move.mode)
        run = self.clients[move.client]
        self.crashed[move.client] = True
        calls = run.calls(Status.CRASHED)
        run.close()
        return ExecutedStep(move, calls[-1] if calls else None, move.client, None, None, None, (), (), ())

    def _restart(self, move: Move) -> ExecutedStep:
        self._spend(move.mode)
        run, index = self.clients[move.client], self.clients[move.client].index
        under_way, earlier = run.calls()[index:], self._earlier(move.client)
        self.replies[move.client].append(RESTARTED)
        run.send(RESTARTED)
        # A call that was cut off comes first in ``finished``, as CRASHED: it did not end, and has no Returned event.
        ended = tuple(run.finished[index + len(under_way) :])
        events = events_of_ended(move.client, enumerate(run.finished[index:], start=index))
        call = under_way[0] if under_way else None
        return ExecutedStep(move, call, move.client, None, None, None, (), (*earlier, *events), ended)

    def _earlier(self, client: int) -> list[Event]:
        """What a client's calls have returned before its first effect: a part of its first step."""
        finished = [] if self.replies[client] else self.clients[client].finished
        return list(events_of_ended(client, enumerate(finished)))

    def _perform(self, move: Move) -> ExecutedStep:
        run = self.clients[move.client]
        op, index = dict(run.open)[move.task], run.index
        # The modes of one effect are distinct, so the mode names its result.
        result = next(result for result in self._results(move.client, op) if result.mode is move.mode)
        # For the record only: the flow raises Cancelled whatever reply its task is sent.
        reply = Cancelled() if run.cancelled(move.task) else result.reply
        self._spend(move.mode)
        events = self._earlier(move.client)
        call = run.current_view()
        if run.begins:
            # A call begins with its first effect, not when it is queued.
            events.append(Invoked(move.client, index, call.name, call.args))
        if move.mode in REPEATED:
            # The bare write: when it arrives, its task and its timeout are long over.
            self.late = LateWrite(write_of(op), move.client, call)
        before, self.cells = self.cells, patch(self.cells, result.writes)
        changes = _changes(before, result.writes)
        if isinstance(op, Local):
            # Read before `send`, which makes the client change its store.
            after, reply = kv.step(run.local, op.op)
            changes = _local_changes(label(move.client), run.local, after)
        self.replies[move.client].append(reply_of_task(move.task, result.reply))
        run.send(reply_of_task(move.task, result.reply))
        # More than one where further calls end without an effect: they run in the same step.
        ended = tuple(run.finished[index:])
        events.extend(events_of_ended(move.client, enumerate(ended, start=index), index))
        # What the store would have answered without a fault: a story shows both.
        answer = result.reply if isinstance(op, Now) else apply(before, op, self.now)[0]
        return ExecutedStep(move, call, move.client, op, reply, answer, changes, tuple(events), ended)

    def _deliver(self, move: Move) -> ExecutedStep:
        late = self.late
        assert late is not None
        self.late = None
        reply, writes = apply(self.cells, late.op, self.now)
        before, self.cells = self.cells, patch(self.cells, writes)
        return ExecutedStep(move, late.call, late.client, late.op, reply, reply, _changes(before, writes), (), ())


def _changes(before: Cells, writes: object) -> tuple[tuple[object, Value | None, Value | None], ...]:
    assert isinstance(writes, dict)
    # Timers are no content.
    return tuple((cell, before.get(cell), after) for cell, after in sorted(writes.items()) if cell[0] != TIMER)


def _local_changes(
    owner: str, before: kv.Store, after: kv.Store
) -> tuple[tuple[object, bytes | None, bytes | None], ...]:
    """The same of a client's own store."""
    changed = sorted(at for at in before.keys() | after.keys() if before.get(at) != after.get(at))
    return tuple((("local", owner, *at), before.get(at), after.get(at)) for at in changed)

"""The states of a scenario and the moves between them: clients, faults, late writes and the clock."""

from collections.abc import Callable, Hashable, Iterator, Sequence

import attrs

from lakeproof.impl.effects import Effect, Local, Now
from lakeproof.model import kv
from lakeproof.model.invariants import Monitor
from lakeproof.model.snapshot import CallView, Event, Invoked, Outcome, Returned, Snapshot, Status, Transition
from lakeproof.scenario import Call, Faults, Scenario, recovery
from tests.differential.clients import Client, Restarted, Standing
from tests.differential.stores import Contents, condition_failed, conditional, continues, perform, writes
from tests.differential.typed import typed

LETTERS = "abcdefghijklmnopqr"
"""A fresh identifier is its client's letter and a number. "s" is the setup, "z" the aftermath."""

Views = tuple[tuple[CallView, ...], ...]


@attrs.frozen(eq=False)
class Late:
    """A write whose answer was lost, and that will be applied once more."""

    op: Effect
    client: int
    call: CallView


@attrs.frozen(eq=False)
class State:
    """All that the future depends on, and all that is visible."""

    contents: Contents
    clients: tuple[Standing, ...]
    crashed: tuple[bool, ...]
    ticks: int
    left: Faults
    late: Late | None
    monitors: tuple[object, ...]

    @property
    def movable(self) -> tuple[int, ...]:
        """The clients that can move."""
        pairs = enumerate(zip(self.clients, self.crashed, strict=True))
        return tuple(client for client, (standing, crashed) in pairs if standing.op is not None and not crashed)

    @property
    def views(self) -> Views:
        return tuple(
            standing.calls(crashed=crashed) for standing, crashed in zip(self.clients, self.crashed, strict=True)
        )

    def key(self, identity: Callable[[object], Hashable]) -> Hashable:
        """Equal keys, equal states. ``identity``: what the states of monitors are known by."""
        late = self.late
        return (
            frozenset(self.contents.keys.items()),
            frozenset(self.contents.held.items()),
            tuple(standing.number for standing in self.clients),
            self.crashed,
            self.ticks,
            self.left,
            late and (typed(late.op), late.client, typed(late.call)),
            tuple(identity(state) for state in self.monitors),
        )


@attrs.frozen(eq=False)
class Step:
    """One move out of a state. The monitors of ``after`` have not heard of it yet."""

    after: State
    watched: Transition | None = None
    """What took place in the stores (or was read from the clock), if anything did."""
    events: tuple[Event, ...] = ()


class Moves:
    """The moves of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        faults = scenario.faults
        self.times = [scenario.start_time]
        for jump in faults.clock_jumps:
            self.times.append(self.times[-1] + jump)
        ahead = dict(enumerate(faults.clock_skew))
        self.ahead = [ahead.get(client, 0) for client in range(len(scenario.clients))]
        observers = [observer for invariant in scenario.invariants for observer in invariant.observers]
        self.clients = [
            Client(
                LETTERS[at],
                calls,
                observers,
                None if faults.clock_jumps else self.times[0] + self.ahead[at],
                recovery(calls) if faults.restarts else (),
            )
            for at, calls in enumerate(scenario.clients)
        ]

    def first(self) -> State:
        """The state that every execution begins in."""
        contents, outcomes = run_alone("s", self.scenario.setup, Contents(), self.times[0])
        assert all(outcome.status is Status.OK for outcome in outcomes), "a setup must succeed"
        return State(
            contents=contents,
            clients=tuple(client.start for client in self.clients),
            crashed=tuple(False for _ in self.clients),
            ticks=0,
            left=self.scenario.faults,
            late=None,
            monitors=tuple(i.initial for i in self.scenario.invariants if isinstance(i, Monitor)),
        )

    def steps(self, state: State) -> Iterator[Step]:
        """All moves, two of which may lead to one state."""
        for client in state.movable:
            if isinstance(state.clients[client].op, Now):
                yield self._reads_the_clock(state, client)
            elif isinstance(state.clients[client].op, Local):
                yield self._answered(state, client, None)
            else:
                yield from self._acts(state, client)
            if state.left.crashes:
                crashed = tuple(was or at == client for at, was in enumerate(state.crashed))
                yield Step(_spend(attrs.evolve(state, crashed=crashed), "crashes"))
        for client, standing in enumerate(state.clients):
            ended_itself = bool(standing.ended) and standing.ended[-1].error is not None and standing.op is None
            broken = ended_itself and standing.ended[-1].status is Status.CRASHED
            if state.left.restarts and self.clients[client].recover and not state.crashed[client] and not broken:
                yield self._answered(_spend(state, "restarts"), client, Restarted.RESTARTED)
        if state.late is not None:
            yield self._arrives(state, state.late)
        # A clock that jumps when nobody can look at it any more changes nothing that a flow could see.
        if state.movable and state.ticks + 1 < len(self.times):
            yield Step(attrs.evolve(state, ticks=state.ticks + 1))

    def _reads_the_clock(self, state: State, client: int) -> Step:
        reply = self.times[state.ticks] + self.ahead[client]
        return self._answered(state, client, reply, watched=self._transition(state, client, reply, state.contents))

    def _acts(self, state: State, client: int) -> Iterator[Step]:
        """Every way in which a client's operation may turn out."""
        op = state.clients[client].op
        after, reply = perform(state.contents, op, self.times[state.ticks])
        watched = self._transition(state, client, reply, after)
        done = attrs.evolve(state, contents=after)
        left = state.left
        yield self._answered(done, client, reply, watched=watched)
        if left.refusals:
            yield self._answered(_spend(state, "refusals"), client, kv.Refused())
        if left.lost_answers and writes(op):
            unknown = kv.OutcomeUnknown()
            yield self._answered(_spend(done, "lost_answers"), client, unknown, watched=watched)
            yield self._answered(_spend(state, "lost_answers"), client, unknown)
            if left.duplicates and state.late is None:
                current = state.clients[client].current
                assert op is not None
                assert current is not None
                late = Late(op, client, current)
                for base, seen in ((done, watched), (state, None)):
                    again = attrs.evolve(_spend(base, "lost_answers", "duplicates"), late=late)
                    yield self._answered(again, client, unknown, watched=seen)
        if left.false_predicates and conditional(op) and reply is None:
            yield self._answered(_spend(done, "false_predicates"), client, condition_failed(op), watched=watched)
        if left.scan_failures and continues(op):
            yield self._answered(_spend(state, "scan_failures"), client, kv.ScanInterrupted())

    def _arrives(self, state: State, late: Late) -> Step:
        """A late write, at the stores' clock of now."""
        after, reply = perform(state.contents, late.op, self.times[state.ticks])
        before, then = self.stores(state), self.stores(attrs.evolve(state, contents=after))
        watched = Transition(late.client, late.call, late.op, reply, before, then)
        return Step(attrs.evolve(state, contents=after, late=None), watched)

    def stores(self, state: State, views: Views = ()) -> Snapshot:
        """What invariants see of a state."""
        now = self.times[state.ticks]
        return Snapshot(dict(state.contents.keys), state.contents.stored_objects(), now, views)

    def _transition(self, state: State, client: int, reply: object, after: Contents) -> Transition:
        standing = state.clients[client]
        assert standing.current is not None
        before, then = self.stores(state), self.stores(attrs.evolve(state, contents=after))
        return Transition(client, standing.current, standing.op, reply, before, then)

    def _answered(self, state: State, client: int, reply: object, *, watched: Transition | None = None) -> Step:
        """The client is told this, and goes on to its next effect."""
        before = state.clients[client]
        after = self.clients[client].after(before, reply)
        index = len(before.ended)
        # What a client's calls have returned before its first effect is heard with its first step.
        begins = before.begins and reply is not Restarted.RESTARTED
        events: list[Event] = []
        for at, view in enumerate(after.ended):
            if at < index and before.replies:
                continue  # heard before
            done = view.status is not Status.CRASHED
            # One that was not under way had no effect. A restart cuts off the one that was.
            under_way = at == index and reply is not Restarted.RESTARTED
            if begins if under_way else done:
                events.append(Invoked(client, at, view.name, view.args))
            if done:
                events.append(Returned(client, at, view))
        if begins and index == len(after.ended):
            assert before.current is not None
            events.append(Invoked(client, index, before.current.name, before.current.args))
        clients = tuple(after if at == client else standing for at, standing in enumerate(state.clients))
        return Step(attrs.evolve(state, clients=clients), watched, tuple(events))


def _spend(state: State, *kinds: str) -> State:
    """The same with a unit less of these budgets."""
    return attrs.evolve(state, left=attrs.evolve(state.left, **{kind: getattr(state.left, kind) - 1 for kind in kinds}))


def run_alone(label: str, calls: Sequence[Call], contents: Contents, now: int) -> tuple[Contents, tuple[Outcome, ...]]:
    """Calls that run alone, one after the other and without faults: a setup or an aftermath."""
    client = Client(label, calls, now=now)
    standing = client.start
    while standing.op is not None:
        contents, reply = perform(contents, standing.op, now)
        standing = client.after(standing, reply)
    return contents, tuple(Outcome(view.status, view.value, view.error) for view in standing.ended)

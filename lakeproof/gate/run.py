"""Running schedules of a real program: hold, wait until it is quiet, choose, let go, judge.

Example: two clients of `examples/gate/first.py` add an entry to a list, by a GET and a PUT. The second schedule:

    quiet, and these requests wait           the search lets go    the list then
    c1 GET bucket/list, c2 GET bucket/list   c1 GET                []
    c1 PUT bucket/list, c2 GET bucket/list   c2 GET                []
    c1 PUT bucket/list, c2 PUT bucket/list   c1 PUT                ["a"]
    c2 PUT bucket/list                       c2 PUT                ["b"]
    none: the calls have returned            ``after`` reads ["b"]; "a was added, and the list is ['b']"
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Final, Protocol

import attrs
import trio

from lakeproof.gate.classes import Choice, Diverged, Name, Pending
from lakeproof.gate.cuts import Exchange, judge_moments, moments
from lakeproof.gate.fronts.aws import StoreRequest
from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.programs import ClientProcess, ProgramError, Returned
from lakeproof.gate.quiet import CAN_SEE, SETTLING_SECONDS, Watch
from lakeproof.gate.scenario import GateCall, GateScenario, Outcome, found_by, reached_by
from lakeproof.gate.server import ENDING, EXPIRED, NORMAL, Gate, WaitingRequest, ways
from lakeproof.gate.unheld import PassingFront
from lakeproof.gate.walks import OneRun, find_overtaken
from lakeproof.words import Unusable

PATIENCE_SECONDS: Final = 10.0
"""How long a call may ask for nothing and not return, while all threads sleep: before a retry of its own, say."""
BUSY_SECONDS: Final = 120.0
"""How long a program may compute between two requests, and how long a call outside of the schedule may take."""
PAUSES_SECONDS: Final = (0.00005, 0.0001, 0.0002, 0.0004, 0.0008)
"""How long to leave the cores to a program that moves, after each look at it; the last one again and again."""
WATCH_SECONDS: Final = 0.05
"""How often to look at a program of which a request or a result is still to come, so that it cannot be quiet."""
RETURNED_MAX: Final = 300
"""So many characters of what a call has returned are shown."""
CRASHED_CALL: Final = "Crashed"
"""The error of a call whose process was killed."""
BLOCKED: Final = Returned(error="Blocked", message="it waits in the store, and nothing comes any more")
"""How a call has ended that has not returned when nothing is left to let go."""
BLOCKED_SECONDS: Final = 1.0
"""How long the first schedule with such an end lasts on: if a timer wakes the call, it was not at its end."""
GOES_ON: Final = "a call goes on after a time, while a request of it waits in the store; raise calm_seconds"
OPEN: Final = "reader"
"""The client whose requests never wait."""


class Chooser(OneRun, Protocol):
    """A search over schedules, as `lakeproof.gate.classes.Classes`."""

    runs: int

    @property
    def all_run(self) -> bool: ...

    def begin(self) -> bool: ...


@attrs.frozen(kw_only=True)
class Release:
    """A request that was let go."""

    name: Name
    """Of the request."""
    mode: str
    status: int | str
    """Of the answer: of HTTP, or in a word; 0: none was given."""
    footprint: Footprint = ()


@attrs.frozen(kw_only=True)
class Schedule:
    """One schedule that was run."""

    steps: tuple[Release, ...]
    outcome: Outcome | None = None
    """None: it was given up, as another one covers it."""
    violated: Mapping[str, str] = attrs.field(factory=dict)
    """Evidence, by the name of the invariant."""
    on_the_way: Mapping[str, tuple[Release, ...]] = attrs.field(factory=dict)
    """For an invariant of every step that is violated: an order of the class that passes through the violation."""
    trouble: str = ""
    """Why it says nothing: the program diverged, or waits for ever."""
    unreal: str = ""
    """Why it is not judged, though it has come to its end: no store has it. See `lakeproof.gate.server`."""
    reached: bool = False
    """Whether a call of a client has done what it is for, as far as the scenario says what that is."""
    unproved: str = ""
    """Why it proves nothing though it has come to its end: a call has sent no request, and so answers from what is not
    in the store; a client writes after its calls; or a call of ``after`` asks for what the gate does not have."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What leads through it again."""
        return tuple(Choice(each.name, each.mode) for each in self.steps)


@attrs.frozen(kw_only=True)
class _QuietState:
    """What a look at a program sees whose threads all sleep."""

    requests: int
    """So many have arrived, ever."""
    spent: Mapping[int, int]
    """How long each process has run."""
    under_way: bool
    """Something that was sent, by the program or to it, is unread, or is not whole."""


class Runner:
    """The processes of a scenario behind a gate. Open it with `lakeproof.gate.startup.open_runner`."""

    def __init__(
        self,
        scenario: GateScenario,
        front: PassingFront,
        gate: Gate,
        children: dict[str, ClientProcess],
    ) -> None:
        self.scenario = scenario
        self.front = front
        self.gate = gate
        self.children = children
        for each in (*scenario.invariants, *scenario.always):
            if hasattr(each, "reached"):
                each.reached = 0  # what another scenario has tested shows nothing here
        self.fresh = gate.state  # until the setup has run: then `open_runner` sets what it has left
        self.watch = Watch()
        self.steps: list[Release] = []
        self.made: list[WaitingRequest] = []
        self.unfinished: set[str] = set()
        self.crashed: set[str] = set()
        self.calm: set[str] = set()  # clients with which a schedule has ended while they wait in the store
        self.blocked: list[WaitingRequest] = []  # at the end of a schedule, until the next one begins
        self.unproved = ""
        self.results: dict[str, list[tuple[GateCall, Returned]]] = {}
        """Of the schedule that is run: the calls that have ended, by client."""

    async def schedule(self, search: OneRun) -> Schedule:
        """Run one schedule as the search chooses, and tell it."""
        await self._end_blocked()
        # A process that starts reads what the setup has left, and is answered at once.
        self.gate.state, self.gate.unknown = self.fresh, ""
        self.gate.open()
        await self._revive()
        # What a process has written as it started is no part of the schedule.
        self.gate.state = self.fresh
        # Of tables that only an earlier schedule has created, labels would have keys that they had not had there.
        self.front.dynamodb.keys_of_tables = {name: each.key_names for name, each in self.fresh.dynamodb.tables.items()}
        self.gate.hold(frozenset(name for name in self.children if name != OPEN), OPEN)
        self.steps, self.made = [], []
        self.front.passed.clear()
        self.unproved = ""
        self.results = {name: [] for name in self.children if name != OPEN}
        self.unfinished = set(self.results)
        async with trio.open_nursery() as nursery:
            for name, calls in zip(self.results, self.scenario.clients, strict=True):
                nursery.start_soon(self._client, name, tuple(calls))
            finished, trouble = await self._steer(search)
            # A call may take the end of its service for an answer, and one that has returned does not see its own.
            for name, child in self.children.items():
                if name not in self.crashed and child.ended:
                    raise ProgramError(f"{self.scenario.name}: {name}: {child.ended}")
            # A call that ends by itself leaves a process that can be used again; only the others are restarted.
            if not finished:
                self.gate.open()
                # Calls may end by themselves.
                with trio.move_on_after(PATIENCE_SECONDS):
                    while self.unfinished:
                        await self.gate.arrived.wait(PATIENCE_SECONDS)
            # Which of them wait in the store is kept, so that their programs see nothing before all is judged.
            self.blocked, self.gate.blocked = self.gate.blocked, []
            for name, call in self._under_way():
                self.results[name].append((call, BLOCKED))
            nursery.cancel_scope.cancel()
        if not finished:
            for name in sorted(self.unfinished):
                await self.children[name].restart()
            search.fail() if trouble else search.end()
            return Schedule(steps=tuple(self.steps), trouble=trouble)
        # `end` counts a class that is new, and only such a class is judged.
        complete = search.complete
        try:
            search.end()
        except Diverged as error:
            return Schedule(steps=tuple(self.steps), trouble=str(error))
        self.gate.over = frozenset(self.results)
        self.gate.open()
        # The first schedule once more, and it was the same, or the search begins anew; or one that no store has.
        if (again := search.complete <= complete) or self.gate.unreal:
            unreal = "" if again else self.gate.unreal
            names = [[each.name for each in several] for several in (self.blocked, self.steps)]
            overtaken = find_overtaken(*names) if unreal and not self.scenario.parallel else ""
            return Schedule(steps=tuple(self.steps), unreal=unreal, unproved=overtaken)
        return await self._judged()

    async def open_call(self, call: GateCall) -> Returned:
        """Make a call whose requests do not wait. Raises Unusable: it does not end; ProgramError: its process died."""
        with trio.move_on_after(BUSY_SECONDS):
            return await self._made(OPEN, call)
        raise Unusable(f"{self.scenario.name}: {call} has not returned after {BUSY_SECONDS:g} s, and no request waits")

    def exchanges(self) -> list[tuple[str, Exchange]]:
        """The requests of each client in the last schedule, with their answers."""
        return [(each.name.client, Exchange.of(each)) for each in self.made]

    async def _steer(self, search: OneRun) -> tuple[bool, str]:
        """Whether the schedule came to its end, and what kept it from it if that was no choice of the search."""
        spent: list[str] = []
        while True:
            if trouble := await self._quiet() or self.gate.unknown:
                return False, trouble
            self.gate.settle(len(self.steps) - 1)
            # `_quiet` returns only when every call that has not ended waits here. So all others have ended.
            if not self.gate.pending:
                if self.unfinished - self.calm and await self.gate.arrived.wait(BLOCKED_SECONDS):
                    return False, f"{', '.join(sorted(self.unfinished))}: {GOES_ON}"
                self.calm |= self.unfinished
                return True, ""
            pending = [self._pending(waiting, spent) for waiting in self._first()]
            try:
                choice = search.choose(pending)
            except Diverged as error:
                return False, str(error)
            if choice is None:
                return False, ""
            spent.append(choice.mode)
            # Only now, with another request there: a schedule of exactly so many steps may end.
            if len(self.steps) == self.scenario.steps_max:
                asking = ", ".join(f"{each} {call}" for each, call in self._under_way()) or "all calls have returned"
                return False, f"more than {self.scenario.steps_max:,} requests in a schedule, and no end: {asking}"
            waiting = await self._let_go(choice)
            step = Release(name=waiting.name, mode=waiting.mode, status=waiting.status, footprint=waiting.footprint)
            self.steps.append(step)
            search.let_go(waiting.footprint)

    def _under_way(self) -> list[tuple[str, GateCall]]:
        """The clients that have not made all their calls, each with the call that has not returned."""
        clients = zip(self.results, self.scenario.clients, strict=True)
        return [(name, calls[len(self.results[name])]) for name, calls in clients if name in self.unfinished]

    async def _let_go(self, choice: Choice) -> WaitingRequest:
        """Let a request go."""
        client = choice.name.client
        crashes = choice.mode in ENDING
        # Before the release: with its answer the call may return, and the next one begin.
        self.gate.pending[choice.name].call = len(self.results[client])
        if crashes:  # the process is killed first: it must see nothing of what comes
            self.crashed.add(client)  # before the kill: else `_client` reports the death as an error of the program
            self.gate.unblock(client)
            self.children[client].crash()
        waiting = await self.gate.let_go(choice.name, choice.mode)
        if crashes:
            # Requests under way end with their process. That one of them was applied first is another schedule.
            await self.gate.drop(client)
        self.made.append(waiting)
        return waiting

    async def _revive(self) -> None:
        """Start anew what has crashed; or all clients, if each schedule begins with fresh ones."""
        ended = {name for name in self.children if name != OPEN} if self.scenario.fresh else self.crashed
        self.gate.over -= ended
        async with trio.open_nursery() as nursery:
            for name in sorted(ended):
                nursery.start_soon(self.children[name].restart)
        self.crashed.clear()
        # No call runs yet, so that `_quiet` waits for what the processes do by themselves as they start.
        if self.scenario.fresh:
            self.unfinished = set()
            if trouble := await self._quiet():
                raise Unusable(f"{self.scenario.name}: fresh: {trouble}")
            if self.gate.state != self.fresh:
                why = "its processes write to the store as they start, and each schedule would begin in another state"
                raise Unusable(f"{self.scenario.name}: fresh: {why}")

    async def _end_blocked(self) -> None:
        """End the calls that wait in the store, as by CLIENT UNBLOCK; start their processes anew if they go on."""
        clients = Counter(each.client for each in self.blocked)
        self.gate.over -= clients.keys()
        while self.blocked:
            self.blocked.pop().ended.set()
        for name in sorted(clients):
            # One whose call has returned has a thread that would wait again; and so may one with several.
            if name not in self.unfinished or clients[name] > 1 or not await self.children[name].ends():
                await self.children[name].restart()

    def _first(self) -> list[WaitingRequest]:
        """The requests that may be let go: all that wait, or of each client the first one by its label."""
        waiting = sorted(self.gate.pending.values(), key=lambda each: each.name)
        if self.scenario.parallel:
            return waiting
        # In a dictionary the last entry of a client stays: reversed, it is the request whose name comes first.
        return list({each.name.client: each for each in reversed(waiting)}.values())

    def _pending(self, waiting: WaitingRequest, spent: Sequence[str]) -> Pending:
        left = [each for each in ways(self.scenario.budgets, spent) if each in (NORMAL, *waiting.faults)]
        if EXPIRED in left and not self._expires(waiting.request):
            left.remove(EXPIRED)  # else two classes are run that differ in nothing
        return Pending(waiting.name, tuple(left), waiting.faults, self.gate.would_wait(waiting.request))

    def _expires(self, request: StoreRequest) -> bool:
        """Whether it makes a difference if what a request touches expires before it."""
        # These are always two: `EXPIRED` is a mode only of a request that has a late form.
        ways = [each for each in (request, self.front.late(request)) if each is not None]
        one, other = (self.front.perform(self.gate.state, each, self.gate.now())[:2] for each in ways)
        return one != other

    async def _client(self, name: str, calls: tuple[GateCall, ...]) -> None:
        for each in calls:
            try:
                returned = await self._made(name, each)
            except ProgramError as error:
                if name not in self.crashed:
                    raise ProgramError(f"{self.scenario.name}: {name}: {each}: {error}") from None
                self.results[name].append((each, Returned(error=CRASHED_CALL, message="its process was killed")))
                break  # a client that has crashed makes no further call
            self.results[name].append((each, returned))
        self.unfinished.discard(name)
        self.gate.arrived.ring()  # `_quiet` may wait for a request of this client

    async def _made(self, name: str, call: GateCall) -> Returned:
        """Make a call of a client, and see whether it asks the store."""
        before = self.gate.counts[name]
        returned = await self.children[name].call(call.name, call.args)
        if self.gate.counts[name] == before:
            found = f"{returned.error}: {returned.message}" if returned.error else repr(returned.value)
            self.unproved = (
                f"{name}: {call} returned without a request: what it answers from is not in the store. It returned "
                f"{found[:RETURNED_MAX]}"
            )
        return returned

    async def _quiet(self) -> str:
        """Wait until every call that has not returned waits for an answer of ours, and nothing else moves. Returns an
        empty text; or what has not come to that."""
        begun = moved = trio.current_time()
        before: _QuietState | None = None
        pauses = chain(PAUSES_SECONDS, repeat(PAUSES_SECONDS[-1]))
        while True:
            seen = None
            # Every call has a request here. More may be on the way: a call can send several at once.
            if self.unfinished <= self.gate.waiting:
                seen = await self._seen_twice()
                if seen is None or seen.under_way or self.scenario.calm_seconds:
                    time.sleep(next(pauses))  # noqa: ASYNC251  # trio's timers are no finer than 1 ms, and all wait
            # Some call neither waits nor has ended. The bell rings when it does; a look finds one that is stuck.
            elif not await self.gate.arrived.wait(WATCH_SECONDS):
                seen = await self._seen_twice()
            now, silent = trio.current_time(), sorted(self.unfinished - self.gate.waiting)
            # A process that has run in between has moved, too, though it has sent nothing.
            if seen is None or seen != before:
                moved = now
            rests = seen is not None and not seen.under_way
            if rests and not silent and now - moved >= self.scenario.calm_seconds:
                return ""
            before = seen
            # All threads sleep, and no bytes are new: only a timer of the program's own can wake it.
            if now - moved > PATIENCE_SECONDS:
                stuck = "a request that has begun does not end, or an answer is not read"
                what = "no request and no answer" if rests else stuck
                return f"{', '.join(silent) or 'the program'}: {what} for {PATIENCE_SECONDS:g} s, and all threads sleep"
            # A thread that never sleeps moves all the time, and so is never stuck.
            if now - begun > BUSY_SECONDS:
                return f"not quiet after {BUSY_SECONDS:g} s: a thread of the program runs on"

    async def _seen_twice(self) -> "_QuietState | None":
        """What two looks have seen, if it is the same; else None."""
        first = self._seen()
        # Between the two looks a task of this process may run that has an answer to write.
        if first is None or CAN_SEE:
            await trio.lowlevel.checkpoint()
        else:
            await trio.sleep(SETTLING_SECONDS)
        return first if first is not None and self._seen() == first else None

    def _seen(self) -> "_QuietState | None":
        """What changes if anything moves; None: a thread does. The threads come first: once they sleep, what they have
        sent is either unread, or was read and acted on."""
        server = self.gate.server
        # The reader makes no call during a schedule, and has nothing to wait for.
        pids = [pid for name, child in self.children.items() if name != OPEN for pid in child.pids]
        spent = self.watch.asleep(pids) if CAN_SEE else {}
        if spent is None:
            return None
        return _QuietState(requests=server.seen, spent=spent, under_way=server.busy > 0 or server.arrivals.unread())

    async def _judged(self) -> Schedule:
        if trouble := self.front.trouble([(str(each.name), each.footprint) for each in self.steps]):
            raise Unusable(f"{self.scenario.name}: through: {trouble}")
        # Before the calls of ``after``: an invariant of the store judges what the clients have left.
        store = self.gate.state
        after = [await self.open_call(each) for each in self.scenario.after]
        # Unproved, and not failed: the search has already counted this class as run.
        if self.gate.unknown:
            return Schedule(steps=tuple(self.steps), unproved=self.gate.unknown)
        self.unproved = self.gate.belated or self.unproved
        outcome = Outcome(results=self.results, after=after, store=store)
        checks = {each.__name__: partial(each, outcome) for each in self.scenario.invariants}
        found = ((name, found_by(self.scenario.name, name, invariant)) for name, invariant in checks.items())
        violated = {name: evidence for name, evidence in found if evidence is not None}
        passed = judge_moments(self.scenario, moments(self.front, self.fresh, self.made), self.results, len(self.made))
        return Schedule(
            steps=tuple(self.steps),
            outcome=outcome,
            violated=violated | {name: evidence for name, (evidence, _) in passed.items()},
            on_the_way={name: tuple(self.steps[at] for at in order) for name, (_, order) in passed.items()},
            reached=reached_by(self.scenario, outcome),
            unproved=self.unproved,
        )

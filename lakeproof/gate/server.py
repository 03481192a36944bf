"""The gate itself: a server that holds each request until the search lets it go.

A program may have several requests under way at once, and the order in which they arrive is chance. So a request is
named only when the program is quiet, and by what it asks for. Two that differ in nothing but what is minted are named
as they arrived.

Example: c1 puts two objects at once, with fresh UUIDs in their names, and c2 a third. They arrive in some order. The
program is quiet: `Gate.settle` sorts them by what two runs have in common, here client and body, and names them. Then
they are let go, one by one; only now the store changes, and an answer is sent.

    arrived                     body   name                   let go                        status   the store has
    c1 PUT bucket/326b53ac-...  2      c1 PUT bucket/<c1.2>   2nd: "normal"                 200      e5fa4d21, 326b53ac
    c1 PUT bucket/e5fa4d21-...  1      c1 PUT bucket/<c1.1>   1st: "lost answer, applied"   0        e5fa4d21
    c2 PUT bucket/head          h      c2 PUT bucket/head     3rd: "refused"                503      e5fa4d21, 326b53ac

In the next run the UUIDs are others, and the names are the same: so the search can choose by name.

A request may also wait in the store itself: ``BLPOP q 0`` of an empty list. It was let go, and is no step again. If the
store then gets what it waits for, a real one would answer it at once; the schedule is ``unreal``, and not judged, but
run to its end, as a search that runs all needs what it shows. Nothing is lost: in the schedule in which the request
arrives only then, all is the same, and that one is run, too. Only of a wait for several keys this is not so, where
they are filled at once: that is noted as not known.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Final

import attrs
import trio

from lakeproof.gate.classes import Name
from lakeproof.gate.fronts.aws import AWSFront, Store, StoreRequest
from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Cut, Request, Response, Server
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.fronts.redis.replies import NIL, WAITS
from lakeproof.gate.names import NAME, SLASH, Names, beginning_of_names, blank_minted

NORMAL: Final = "normal"
REFUSED: Final = "refused"
LOST_APPLIED: Final = "lost answer, applied"
LOST_DROPPED: Final = "lost answer, not applied"
CONFLICT: Final = "conflict"
EXPIRED: Final = "expired before it"
CRASHED: Final = "crash before it"
CRASHED_APPLIED: Final = "crash after it"
COSTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        NORMAL: (),  # first: searches take it for the way without a fault
        REFUSED: ("refusals",),
        LOST_APPLIED: ("lost_answers",),
        LOST_DROPPED: ("lost_answers",),
        CONFLICT: ("conflicts",),
        EXPIRED: ("expiries",),
        CRASHED: ("crashes",),
        CRASHED_APPLIED: ("crashes",),
    }
)
"""The ways to let a request go, and the budgets that each is spent from."""
ENDING: Final = frozenset({CRASHED, CRASHED_APPLIED})
"""Those that end the client."""
PASSED: Final = "let through"
"""The client of requests that wait in no schedule."""
STRAY: Final = "a request in a schedule that AWS_ACCESS_KEY_ID gives to none of its clients"
SEVERAL: Final = "which of several keys ends a wait for all of them"
SETUP: Final = "setup"
"""The client of all names from before the first schedule."""


def ways(budgets: Mapping[str, int], spent: Sequence[str]) -> tuple[str, ...]:
    """The modes in which a write can be let go, after others were let go in the modes ``spent``."""
    used = Counter(budget for mode in spent for budget in COSTS[mode])
    return tuple(mode for mode, cost in COSTS.items() if all(used[each] < budgets[each] for each in cost))


class Bell:
    """Wakes the tasks that wait for it; an earlier ring is lost."""

    def __init__(self) -> None:
        self._waiting = trio.lowlevel.ParkingLot()

    def ring(self) -> None:
        self._waiting.unpark_all()

    async def wait(self, seconds: float) -> bool:
        """Until it rings, or for so long; whether it has rung."""
        with trio.move_on_after(seconds):
            await self._waiting.park()
            return True
        return False


@attrs.define(eq=False)
class WaitingRequest:
    """A request that waits, or was let go."""

    client: str
    label: str
    """The request in one line, with names as they were minted."""
    request: StoreRequest
    body: bytes
    faults: tuple[str, ...]
    """The modes other than `NORMAL` in which it can be let go."""
    named: Name | None = None
    born: int = -1
    """The step after which it first waited, that `Gate.settle` was given; -1: it did at the beginning."""
    call: int = 0
    """The number of its call, among those of its client."""
    decided: trio.Event = attrs.field(factory=trio.Event)
    mode: str = NORMAL
    now: int = 0
    """When it was performed, by the clock of the store; 0: it was not."""
    footprint: Footprint = ()
    answer: Answer | None = None
    """That was given; None: none was."""
    answered: trio.Event = attrs.field(factory=trio.Event)
    ended: trio.Event = attrs.field(factory=trio.Event)
    """Set when it is to wait in the store no longer."""

    @property
    def name(self) -> Name:
        """Of a request that `Gate.settle` has named."""
        assert self.named is not None, f"{self.client} {self.label} has no name yet"
        return self.named

    @property
    def status(self) -> int | str:
        """Of the answer, of HTTP or in a word; 0: none was given."""
        return 0 if self.answer is None else self.answer.status


class Gate:
    """Holds the requests of known clients, and answers all others at once.

    state: what the store holds; may be set to another while no request waits. now: the store's clock.
    """

    def __init__(self, front: AWSFront, state: Store, now: Callable[[], int]) -> None:
        self.front = front
        self.state = state
        self.now = now
        self.server = Server(self._handle, self.note)
        self.pending: dict[Name, WaitingRequest] = {}
        """What waits and has a name."""
        self._arrived: list[WaitingRequest] = []
        """What waits and has none yet."""
        self.blocked: list[WaitingRequest] = []
        """What was let go and waits in the store, for ever as far as the schedule goes."""
        self.timed: list[WaitingRequest] = []
        """What has waited there until its timeout, and may have waited longer."""
        self.unreal = ""
        """Which of ``blocked`` a real store would have answered meanwhile: it has come to have what that waits for."""
        self._holding: frozenset[str] | None = None
        """None: no client was ever chosen; what the setup mints gets its names."""
        self.arrived = Bell()
        """Rung when a request begins to wait."""
        self.rounds = 0
        """How often holding has begun anew, with a state of its own."""
        self.counts: Counter[str] = Counter()
        """How many requests of each client have come since holding began."""
        self.unknown = ""
        """The first request that the front could not answer as the store does: what follows from it is not judged."""
        self.belated = ""
        """The first write of a client that has come after its calls, and what to do; empty: none has."""
        self.over: frozenset[str] = frozenset()
        """The clients that have made all calls of a schedule which is judged, and have not begun the next one."""
        self._reader = ""
        self._of_setup = Names()
        self._names = Names()
        self._counted: Counter[tuple[str, str]] = Counter()
        self._bodies: list[bytes] = []
        """Of what had its name before."""
        self._passed_on: set[str] = set()
        """The names of what was in a body before it was in a label: each client that reads the body may be the first
        to ask for it, in another order."""

    def hold(self, clients: frozenset[str], reader: str = "") -> None:
        """From now on: hold the requests of these clients. Names are counted anew, those of the setup stay. reader: the
        only other one that may ask meanwhile, and does not write."""
        self._holding, self.over, self.unreal = clients, frozenset(), ""
        self.timed.clear()
        self._reader = reader
        self.rounds += 1
        # In each schedule a client's first name is ``<c1.1>`` again: the search compares requests of two runs by them.
        self._names = self._of_setup.copy()
        self._counted.clear()
        self._bodies.clear()
        self._passed_on.clear()
        self.counts.clear()

    def open(self) -> None:
        """Let go what waits, and hold nothing any more."""
        self._holding = frozenset()  # of no client; None would name what follows as a part of the setup
        for waiting in (*self.pending.values(), *self._arrived, *self.blocked):
            waiting.decided.set()
            waiting.ended.set()
        self.blocked.clear()
        self.pending.clear()
        self._arrived.clear()

    @property
    def waiting(self) -> frozenset[str]:
        """The clients of which a request waits."""
        return frozenset(waiting.client for waiting in (*self.pending.values(), *self._arrived, *self.blocked))

    def names_of_setup(self) -> Names:
        """The names of what was minted before the first schedule."""
        return self._of_setup.copy()

    def begin_with(self, state: Store, names: Names) -> None:
        """Hold what a setup has left elsewhere, with the names of what was minted there."""
        self.state, self._of_setup = state, names.copy()

    def settle(self, step: int = -1) -> None:
        """Name what has arrived since a step. To be called when the program is quiet: then all that it requests at once
        is here."""
        several, known = len(self._arrived) > 1, len(self._names.given)
        # One alone needs no order, and its body may be large.
        for waiting in sorted(self._arrived, key=_content) if several else self._arrived:
            label = self._names.renamed(waiting.label, waiting.client)
            # Keys that are not in the label, too. Named at the release, their numbers would depend on the schedule.
            for key in self.front.keys_of(waiting.request):
                self._names.renamed(key, waiting.client)
            self._counted[waiting.client, label] += 1
            waiting.named = Name(waiting.client, label, self._counted[waiting.client, label])
            waiting.born = step
            self.pending[waiting.named] = waiting
        for found, name in islice(self._names.given.items(), known, None):
            last = re.split(SLASH, found)[-1].encode()  # a text may name it without its folder
            if any(last in body for body in self._bodies):
                self._passed_on.add(name)
        self._bodies += [waiting.body for waiting in self._arrived]
        self._arrived.clear()

    def would_wait(self, request: StoreRequest) -> bool:
        """Whether a request would wait in the store if it was let go now."""
        awaits_all = self.front.awaited(self.state, request) == 0  # it may have a timeout, and is answered then
        return awaits_all and self.front.perform(self.state, request, self.now())[1].status == WAITS

    async def let_go(self, name: Name, mode: str) -> WaitingRequest:
        """Let one request go; returns once its answer is sent, or its connection is closed."""
        waiting = self.pending[name]
        await self._release(waiting, mode)
        return waiting

    async def drop(self, client: str) -> None:
        """Close the connections on which requests of a client wait."""
        for waiting in (*self.pending.values(), *self._arrived):
            if waiting.client == client:
                await self._release(waiting, LOST_DROPPED)

    def unblock(self, client: str) -> None:
        """Let its requests wait in the store no longer."""
        for waiting in [each for each in self.blocked if each.client == client]:
            self.blocked.remove(waiting)
            waiting.ended.set()

    async def _release(self, waiting: WaitingRequest, mode: str) -> None:
        # Here, and not only when the waiting task runs: a second release must not find it.
        self._forget(waiting)
        waiting.mode = mode
        waiting.decided.set()
        # `ask` sets it just before it returns. The task of the connection then writes the answer, or closes the
        # connection, without a checkpoint, and this task runs after that.
        await waiting.answered.wait()

    async def _handle(self, request: Request) -> Response:
        parsed = self.front.understood(request)
        if isinstance(parsed, Response):
            self.note(f"{request.method} {request.path}", parsed.unknown)
            return parsed
        answer = await self.ask(parsed, request.body)
        assert isinstance(answer, Response)
        return answer

    async def ask(
        self, request: StoreRequest, body: bytes, closed: Callable[[], Awaitable[object]] = trio.sleep_forever
    ) -> Answer:
        """The answer to a request, once it is let go. body: it distinguishes requests of one label. closed: ends when
        the client has closed its connection, while the request waits in the store.

        Raises:
            Cut: it is to have none.
        """
        client, label = self.front.client_of(request), self.front.label_of(request)
        self.counts[client] += 1
        if self._holding is None:
            # The calls of a setup run one after the other, so that the order of arrival is no chance.
            for text in (label, *self.front.keys_of(request)):
                self._of_setup.renamed(text, SETUP)
        if self._holding is None or client not in self._holding:
            self.state, answer, _ = self.front.perform(self.state, request, self.now())
            # What is no step of the schedule, and changes what its steps see, or sees what they change, is not judged.
            others = client != PASSED and (client != self._reader or self.front.writes(request))
            stray = STRAY if self._holding and others else ""
            self.note(f"{client or 'unnamed client'} {label}", answer.unknown or stray)
            if client in self.over and self.front.writes(request):
                why = "the program goes on after its calls; let it end what it has begun, or raise calm_seconds"
                self.belated = self.belated or f"{client} {label} came when the schedule was over: {why}"
            return answer
        waiting = WaitingRequest(client, label, request, body, self._faults(request))
        self._arrived.append(waiting)
        self.arrived.ring()
        try:
            await waiting.decided.wait()
            answer = self._answer(waiting)
            if answer.status == WAITS and client in (self._holding or ()):  # after `open` nothing more comes
                self.blocked.append(waiting)
                waiting.answered.set()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._give_up, waiting, closed)
                    await waiting.ended.wait()
                    nursery.cancel_scope.cancel()
            return answer
        finally:
            # Again, for a task that is cancelled while it waits.
            self._forget(waiting)
            waiting.answered.set()

    async def _give_up(self, waiting: WaitingRequest, closed: Callable[[], Awaitable[object]]) -> None:
        await closed()
        # Whether it comes before what the request waits for is in no footprint.
        if waiting in self.blocked:
            self.note(f"{waiting.client} {waiting.label}", "a wait that the program gives up")
        waiting.ended.set()

    def _faults(self, request: StoreRequest) -> tuple[str, ...]:
        writes = self.front.writes(request)
        # The modes that have no entry here are faults of writes alone.
        can = {NORMAL: False, CONFLICT: self.front.conflict(request) is not None}
        can[EXPIRED] = self.front.late(request) is not None
        return tuple(mode for mode in COSTS if can.get(mode, writes))

    def _forget(self, waiting: WaitingRequest) -> None:
        if waiting.named is not None:
            self.pending.pop(waiting.named, None)
        for several in (self._arrived, self.blocked):
            if waiting in several:
                several.remove(waiting)

    def _answer(self, waiting: WaitingRequest) -> Answer:
        if waiting.mode == REFUSED:
            # It does not look at the store. So the footprint stays empty: no other client can tell.
            response = self.front.refusal(waiting.request)
        elif waiting.mode in (LOST_DROPPED, CRASHED):
            raise Cut
        else:
            changes = {EXPIRED: self.front.late, CONFLICT: self.front.conflict}
            if waiting.mode in changes:
                # It stays with the step: a replay in memory must let the same keys expire, say.
                waiting.request = changes[waiting.mode](waiting.request) or waiting.request
            waiting.now, before = self.now(), self.state
            self.state, response, footprint = self.front.perform(self.state, waiting.request, waiting.now)
            waiting.footprint = self._stable(footprint, waiting.client)
            self.note(f"{waiting.client} {waiting.label}", "" if response.status == WAITS else response.unknown)
            for each in (*self.blocked, *self.timed):
                earlier, there = (self.front.awaited(state, each.request) or 0 for state in (before, self.state))
                # Of a schedule that is unreal already, a store may have done by itself the steps that have waited.
                waited = self.front.awaited(before, waiting.request) is not None
                if there > 1 >= earlier and (waited or not (self.unreal or earlier)):
                    self.note(f"{each.client} {each.label}", SEVERAL)
                if there and each in self.blocked:
                    self.unreal = f"{each.name} waits in it for what has come"
            if response.status == NIL and self.front.awaited(self.state, waiting.request) == 0:
                self.timed.append(waiting)
            # Only the answer is lost: what was touched is in the footprint as that of any other write.
            if waiting.mode in (LOST_APPLIED, CRASHED_APPLIED):
                raise Cut
        waiting.answer = response
        return response

    def note(self, request: str, unknown: str) -> None:
        """A request was answered. unknown: what the front does not have of it; empty: it has all."""
        if unknown and not self.unknown:
            repair = "set it" if "GateScenario(" in unknown else "let the program do without it"
            self.unknown = f"{request}: {unknown} is not known here, so what follows is not judged; {repair}"

    def _stable(self, footprint: Footprint, client: str) -> Footprint:
        """A footprint that can be compared with those of other runs, in which the program mints other names."""
        # The names as they are stay in it: a listing may have a prefix that ends in the middle of one.
        keys = (self._names.renamed(each.key, client) for each in footprint)
        named = [attrs.evolve(each, key=NAME.sub(self._marked, key)) for each, key in zip(footprint, keys, strict=True)]
        # A listing by a part of a minted name may find whatever has a minted name there.
        named += [attrs.evolve(each, key=beginning_of_names(each.key)) for each in named if each.prefix]
        return (*footprint, *(each for each in named if each not in footprint))

    def _marked(self, match: re.Match[str]) -> str:
        """A name in a key; with a ``?`` if it says nothing of who has minted what it names."""
        return f"{match[0][:-1]}?>" if match[0] in self._passed_on else match[0]


def _content(waiting: WaitingRequest) -> tuple[str, str, str]:
    """What two runs have in common of a request, to sort by."""
    return waiting.client, blank_minted(waiting.label), blank_minted(waiting.body.decode("latin-1"))

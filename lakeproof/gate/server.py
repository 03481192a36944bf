"""The gate itself: a server that holds each request until it is told how to let it go.

A program may have several requests under way at once, and the order in which they arrive is chance. So a request is
named only when the program is quiet, and by what it asks for. Two that differ in nothing but what is minted are named
as they arrived.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Generic

import attrs
import trio

from lakeproof.gate.classes import Name
from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Cut, Request, Response, Server
from lakeproof.gate.fronts.interface import Answer, Asked, Front, State
from lakeproof.gate.names import Names, blank_minted

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
        NORMAL: (),
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
SETUP: Final = "setup"
"""Whose names those of the time before any client is held are."""


def ways(budgets: Mapping[str, int], spent: Sequence[str]) -> tuple[str, ...]:
    """The modes in which a write can be let go, after others were let go in the modes ``spent``."""
    used = Counter(budget for mode in spent for budget in COSTS[mode])
    return tuple(mode for mode, cost in COSTS.items() if all(used[each] < budgets[each] for each in cost))


class Bell:
    """Wakes who waits for it; nobody hears an earlier ring."""

    def __init__(self) -> None:
        self._rung = trio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = trio.Event()

    async def wait(self, seconds: float) -> bool:
        """Until it rings, or for so long; whether it has rung."""
        rung = self._rung
        with trio.move_on_after(seconds):
            await rung.wait()
        return rung.is_set()


@attrs.define(eq=False)
class WaitingRequest(Generic[Asked]):
    """A request that waits."""

    client: str
    label: str
    """What it asks for, with names as they were minted."""
    asked: Asked
    body: bytes
    faults: tuple[str, ...]
    """The modes other than `NORMAL` in which it can be let go."""
    named: Name | None = None
    decided: trio.Event = attrs.field(factory=trio.Event)
    mode: str = NORMAL
    footprint: Footprint = ()
    status: int | str = 0
    """Of the answer that was given, of HTTP or in a word; 0: none was."""
    answered: trio.Event = attrs.field(factory=trio.Event)

    @property
    def name(self) -> Name:
        """Of a request that `Gate.settle` has named."""
        assert self.named is not None, f"{self.client} {self.label} has no name yet"
        return self.named


class Gate(Generic[State, Asked]):
    """Holds the requests of known clients, and answers all others at once.

    state: what the store holds; may be set to another while nothing is held. now: the store's clock.
    """

    def __init__(self, front: Front[State, Asked], state: State, now: Callable[[], int]) -> None:
        self.front = front
        self.state = state
        self.now = now
        self.server = Server(self._handle, self.note)
        self.held: dict[Name, WaitingRequest[Asked]] = {}
        """What waits and has a name."""
        self._arrived: list[WaitingRequest[Asked]] = []
        """What waits and has none yet."""
        self._holding: frozenset[str] | None = None
        """None: nothing was ever held; what the setup mints gets its names."""
        self.arrived = Bell()
        """Rung when a request is held."""
        self.rounds = 0
        """How often holding has begun anew, with a state of its own."""
        self.asked: Counter[str] = Counter()
        """How many requests of each client were held."""
        self.unknown = ""
        """The first request that the front could not answer as the store does: what follows from it is not judged."""
        self._of_setup = Names()
        self._names = Names()
        self._counted: Counter[tuple[str, str]] = Counter()

    def hold(self, clients: frozenset[str]) -> None:
        """From now on: hold the requests of these clients. Names are counted anew, those of the setup stay."""
        self._holding = clients
        self.rounds += 1
        self._names = self._of_setup.copy()
        self._counted.clear()
        self.asked.clear()

    def open(self) -> None:
        """Let go what is held, and hold nothing any more."""
        self._holding = frozenset()
        for held in (*self.held.values(), *self._arrived):
            held.decided.set()
        self.held.clear()
        self._arrived.clear()

    @property
    def waiting(self) -> frozenset[str]:
        """The clients of which a request waits."""
        return frozenset(held.client for held in (*self.held.values(), *self._arrived))

    def names_of_setup(self) -> Names:
        """The names of what was minted before any client was held."""
        return self._of_setup.copy()

    def begin_with(self, state: State, names: Names) -> None:
        """Hold what a setup has left elsewhere, with the names of what was minted there."""
        self.state, self._of_setup = state, names.copy()

    def settle(self) -> None:
        """Name what has arrived. To be called when the program is quiet: then all that it asks for at once is here."""
        several = len(self._arrived) > 1
        for held in sorted(self._arrived, key=_content) if several else self._arrived:
            label = self._names.renamed(held.label, held.client)
            for key in self.front.keys_of(held.asked):
                self._names.renamed(key, held.client)
            self._counted[held.client, label] += 1
            held.named = Name(held.client, label, self._counted[held.client, label])
            self.held[held.named] = held
        self._arrived.clear()

    async def let_go(self, name: Name, mode: str) -> WaitingRequest[Asked]:
        """Let one request go; returns once its answer is sent, or its connection is closed."""
        held = self.held[name]
        await self._release(held, mode)
        return held

    async def drop(self, client: str) -> None:
        """Close the connections on which requests of a client wait."""
        for held in (*self.held.values(), *self._arrived):
            if held.client == client:
                await self._release(held, LOST_DROPPED)

    async def _release(self, held: WaitingRequest[Asked], mode: str) -> None:
        self._forget(held)
        held.mode = mode
        held.decided.set()
        await held.answered.wait()

    async def _handle(self, request: Request) -> Response:
        asked = self.front.understood(request)
        if isinstance(asked, Response):
            self.note(f"{request.method} {request.path}", asked.unknown)
            return asked
        answer = await self.ask(asked, request.body)
        assert isinstance(answer, Response)
        return answer

    async def ask(self, asked: Asked, body: bytes) -> Answer:
        """The answer to a request, once it is let go. body: what tells it from others of its label.

        Raises:
            Cut: it is to have none.
        """
        client, label = self.front.client_of(asked), self.front.label_of(asked)
        if self._holding is None:
            for text in (label, *self.front.keys_of(asked)):
                self._of_setup.renamed(text, SETUP)
        if self._holding is None or client not in self._holding:
            self.state, answer, _ = self.front.perform(self.state, asked, self.now())
            self.note(f"{client} {label}", answer.unknown)
            return answer
        self.asked[client] += 1
        held = WaitingRequest(client, label, asked, body, self._faults(asked))
        self._arrived.append(held)
        self.arrived.ring()
        try:
            await held.decided.wait()
            return self._answer(held)
        finally:
            self._forget(held)
            held.answered.set()

    def _faults(self, asked: Asked) -> tuple[str, ...]:
        writes = self.front.writes(asked)
        can = {NORMAL: False, CONFLICT: self.front.conflict(asked) is not None}
        can[EXPIRED] = self.front.late(asked) is not None
        return tuple(mode for mode in COSTS if can.get(mode, writes))

    def _forget(self, held: WaitingRequest[Asked]) -> None:
        if held.named is not None:
            self.held.pop(held.named, None)
        elif held in self._arrived:
            self._arrived.remove(held)

    def _answer(self, held: WaitingRequest[Asked]) -> Answer:
        conflict = self.front.conflict(held.asked) if held.mode == CONFLICT else None
        if conflict is not None:
            response = conflict
        elif held.mode == REFUSED:
            response = self.front.refusal(held.asked)
        elif held.mode in (LOST_DROPPED, CRASHED):
            raise Cut
        else:
            if held.mode == EXPIRED:
                held.asked = self.front.late(held.asked) or held.asked
            self.state, response, footprint = self.front.perform(self.state, held.asked, self.now())
            held.footprint = self._stable(footprint, held.client)
            self.note(f"{held.client} {held.label}", response.unknown)
            if held.mode in (LOST_APPLIED, CRASHED_APPLIED):
                raise Cut
        held.status = response.status
        return response

    def note(self, request: str, unknown: str) -> None:
        """A request was answered. unknown: what the front does not have of it; empty: it has all."""
        if unknown and not self.unknown:
            why = "the gate does not have it, so what follows is not judged; let the program do without it"
            self.unknown = f"{request}: {unknown} is not known here: {why}"

    def _stable(self, footprint: Footprint, client: str) -> Footprint:
        """A footprint that can be compared with those of other runs, in which the program mints other names.

        The names as they are stay in it: a listing may have a prefix that ends in the middle of one.
        """
        named = (attrs.evolve(each, key=self._names.renamed(each.key, client)) for each in footprint)
        return (*footprint, *(each for each in named if each not in footprint))


def _content(held: WaitingRequest[Asked]) -> tuple[str, str, str]:
    """What two runs have in common of a request, to sort by."""
    return held.client, blank_minted(held.label), blank_minted(held.body.decode("latin-1"))

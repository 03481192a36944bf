"""Toy programs for searches over schedules: clients that read, write, list, and decide by what they have read."""

from collections.abc import Iterator, Mapping
from typing import Final

import attrs
from hypothesis import strategies as st

from lakeproof.gate.classes import Name, Pending
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch, dependent
from lakeproof.gate.run import Chooser
from lakeproof.gate.walks import OneRun

KEYS: Final = ("a/1", "a/2", "b")


@attrs.frozen
class Request:
    """A request of a toy: ``get``, ``set``, ``put_new``, ``delete`` of a key, or ``list`` of a prefix. ``pop``: the
    first of two keys that is there, which is deleted; ``move`` of a key to another one, if it is there."""

    kind: str
    key: str
    value: int = 0

    @property
    def writes(self) -> bool:
        return self.kind in ("set", "put_new", "delete", "pop", "move")

    def touched(self) -> Footprint:
        touch = {"get": Touch.READ, "list": Touch.READ, "delete": Touch.DELETE}.get(self.kind, Touch.WRITE)
        return (Access(touch, self.key, prefix=self.kind == "list"),)


READ: Final = (Access(Touch.READ, "k"),)
WRITE: Final = (Access(Touch.WRITE, "k"),)


def pending(*names: str) -> list[Pending]:
    """A request of each of these clients, named as it is."""
    return [Pending(Name(name, name)) for name in names]


FAULTY: Final = ("normal", "lost, applied", "lost, dropped", "crash, applied", "crash, dropped")
PLAIN: Final = FAULTY[:1]
Store = Mapping[str, int]


def perform(store: Store, request: Request) -> tuple[Store, object, Footprint]:
    """The store after a request, its reply, and what it has touched."""
    match request.kind:
        case "get":
            return store, store.get(request.key), request.touched()
        case "list":
            found = tuple(sorted(item for item in store.items() if item[0].startswith(request.key)))
            return store, found, request.touched()
        case "delete":
            return {key: value for key, value in store.items() if key != request.key}, None, request.touched()
        case "pop":
            read: Footprint = ()
            for name in request.key.split(","):
                if name in store:
                    left = {key: value for key, value in store.items() if key != name}
                    return left, (name, store[name]), (*read, Access(Touch.WRITE, name))
                read = (*read, Access(Touch.READ, name))
            return store, None, read
        case "move" if request.key.split(",")[0] in store:
            one, other = request.key.split(",")
            left = {key: value for key, value in store.items() if key != one}
            return {**left, other: store[one]}, True, (Access(Touch.WRITE, one), Access(Touch.WRITE, other))
        case "move":
            return store, False, (Access(Touch.READ, request.key.split(",")[0]),)
        case "put_new" if request.key in store:
            return store, False, (Access(Touch.READ, request.key),)
        case _:
            return {**store, request.key: request.value}, True, request.touched()


@attrs.frozen
class Client:
    """Waves of requests; those of a wave wait together. A wave is skipped if a reply of the one before is false."""

    waves: tuple[tuple[Request, ...], ...]


def client(*requests: str) -> Client:
    """One request after the other, each as ``KIND KEY``."""
    return Client(tuple(wave(each) for each in requests))


def wave(*requests: str) -> tuple[Request, ...]:
    """Requests at once."""
    pairs = (each.split() for each in requests)
    return tuple(Request(kind, key, 1) for kind, key in pairs)


@attrs.frozen
class Event:
    """What was let go: of whom, what, how, with which reply."""

    client: int
    request: Request
    number: int
    mode: str
    reply: object
    footprint: Footprint


class Run:
    """One run of a toy program. The oracle and the search drive it by the same moves."""

    def __init__(self, clients: tuple[Client, ...], faults: int) -> None:
        self.clients = clients
        self.faults = faults
        self.store: Store = {}
        self.events: list[Event] = []
        self.wave = [0] * len(clients)
        self.waiting: dict[Name, Request] = {}
        self.truth: list[bool] = [True] * len(clients)
        for client in range(len(clients)):
            self._open(client)

    def _open(self, client: int) -> None:
        waves = self.clients[client].waves
        while self.wave[client] < len(waves):
            number = self.wave[client]
            self.wave[client] += 1
            if self.truth[client] or number == 0:
                for at, request in enumerate(waves[number]):
                    self.waiting[Name(str(client), request.kind, number * 10 + at)] = request
                self.truth[client] = True
                return
            self.truth[client] = True

    def modes(self, request: Request) -> tuple[str, ...]:
        return FAULTY if self.faults and request.writes else ("normal",)

    def move(self, who: Name, mode: str) -> Event:
        request = self.waiting.pop(who)
        footprint: Footprint = ()
        reply: object = "lost"
        if not mode.endswith("dropped"):
            self.store, answer, footprint = perform(self.store, request)
            if mode == "normal":
                reply = answer
        if mode != "normal":
            self.faults -= 1
        event = Event(int(who.client), request, who.number, mode, reply, footprint)
        self.events.append(event)
        if mode.startswith("crash"):
            self.waiting = {each: asked for each, asked in self.waiting.items() if each.client != who.client}
            self.wave[event.client] = len(self.clients[event.client].waves)
        if not reply:
            self.truth[event.client] = False
        if not any(each.client == who.client for each in self.waiting):
            self._open(event.client)
        return event

    def class_(self, threads: bool = False) -> frozenset[object]:
        """What all equivalent schedules have in common: the events, and the order of those that are dependent.

        threads: requests of one wave are not dependent for being of one client.
        """
        pairs = {
            (one, other)
            for at, one in enumerate(self.events)
            for other in self.events[at + 1 :]
            if (one.client == other.client and (not threads or one.number // 10 != other.number // 10))
            or dependent(one.footprint, other.footprint)
        }
        return frozenset((*self.events, *pairs))


Program = tuple[tuple[Client, ...], int]


def by_brute_force(program: Program, threads: bool = False) -> set[frozenset[object]]:
    """The classes of all schedules of a program."""
    return set(fewest_preemptions(program, threads))


def fewest_preemptions(program: Program, threads: bool = False) -> dict[frozenset[object], int]:
    """For each class of all schedules of a program: how many preemptions the schedule with the fewest has."""

    def go(moves: tuple[tuple[Name, str], ...], preemptions: int) -> Iterator[tuple[frozenset[object], int]]:
        run = Run(*program)
        for move in moves:
            run.move(*move)
        if not run.waiting:
            yield run.class_(threads), preemptions
        last = moves[-1][0].client if moves else ""
        waits = any(each.client == last for each in run.waiting)
        for who, request in run.waiting.items():
            for mode in run.modes(request):
                yield from go((*moves, (who, mode)), preemptions + (waits and who.client != last))

    found: dict[frozenset[object], int] = {}
    for class_, preemptions in go((), 0):
        found[class_] = min(preemptions, found.get(class_, preemptions))
    return found


def driven(program: Program, search: OneRun) -> Run:
    """One run of a program as a search chooses, which is then to be told its end."""
    run = Run(*program)
    while run.waiting:
        waiting = run.waiting.items()
        choice = search.choose(
            [Pending(who, run.modes(request), FAULTY[1:] if request.writes else ()) for who, request in waiting]
        )
        if choice is None:
            break
        search.let_go(run.move(choice.name, choice.mode).footprint)
    return run


def by_search(program: Program, search: Chooser) -> list[Run]:
    """Run the search over a program: its complete runs."""
    found = []
    while search.begin():
        run = driven(program, search)
        complete = search.complete
        search.end()
        found += [run] if search.complete > complete else []
    return found


def classes_met(program: Program, search: Chooser) -> list[frozenset[object]]:
    """The class of each complete run."""
    return [run.class_() for run in by_search(program, search)]


requests = st.builds(
    Request,
    kind=st.sampled_from(["get", "set", "put_new", "delete", "list"]),
    key=st.sampled_from(KEYS),
    value=st.integers(1, 2),
) | st.builds(Request, kind=st.just("list"), key=st.just("a"))


of_several_keys = st.builds(
    Request,
    kind=st.sampled_from(["pop", "move"]),
    key=st.permutations(KEYS).map(lambda keys: ",".join(keys[:2])),
)


def programs(
    requests_max: int, at_once: int = 2, asked: st.SearchStrategy[Request] = requests
) -> st.SearchStrategy[Program]:
    """Programs of two or three clients with so many requests at most, some with a fault. at_once: in parallel."""
    waves = st.lists(st.lists(asked, min_size=1, max_size=at_once).map(tuple), min_size=1, max_size=3).map(tuple)
    clients = st.lists(waves.map(Client), min_size=2, max_size=3).map(tuple)
    small = clients.filter(lambda found: sum(len(wave) for each in found for wave in each.waves) <= requests_max)
    return st.tuples(small, st.integers(0, 1))

"""Toy workers that wait at lists without a timeout: behind the gate, and behind an oracle that serves as Redis does."""

from collections.abc import Hashable, Iterator
from copy import copy
from itertools import chain
from typing import Final

import attrs
import trio
import trio.testing
from hypothesis import strategies as st

from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.http import Cut
from lakeproof.gate.fronts.redis.front import RedisRequest
from lakeproof.gate.fronts.redis.replies import Failure, NilArray, Reply
from lakeproof.gate.run import Chooser
from lakeproof.gate.server import COSTS, CRASHED, CRASHED_APPLIED, ENDING, NORMAL, Gate, ways
from lakeproof.gate.walks import Pending
from tests.gate.redis_requests import words

Line = str
"""A command; several with ``;`` are a transaction; one that begins with ``?`` is left out after an answer that is none
or 0."""
Thread = tuple[Line, ...]
Client = tuple[Thread, ...]
"""Its connections."""
Program = tuple[tuple[Client, ...], int]
"""Clients, and how many of them may crash."""
Outcome = tuple[object, ...]
"""For each connection its answers, or that it has crashed; and what the lists hold."""
READS: Final = ("LLEN", "LRANGE")
BLOCKING: Final = ("BLPOP", "BRPOP", "BLMOVE")


def is_write(line: Line) -> bool:
    return not all(each.split()[0] in READS for each in line.strip("?").split(";"))


def plain(value: object) -> object:
    match value:
        case Failure(text):
            return text.partition(" ")[0]
        case NilArray():
            return None
        case bytes():
            return value.decode()
        case tuple():
            return tuple(map(plain, value))
        case _:
            return value


class Misjudged(Exception):
    """The gate says that it does not know something."""


def by_gate(program: Program, search: Chooser) -> tuple[set[Outcome], int]:
    """The outcomes of the schedules that are judged; and how many are not."""
    found: set[Outcome] = set()
    unreal = 0
    while search.begin():
        complete = search.complete
        outcome = trio.run(_one_run, program, search)
        search.end()
        if search.complete > complete:
            found |= {outcome} if outcome else set()
            unreal += not outcome
    return found, unreal


async def _one_run(program: Program, search: Chooser) -> Outcome | None:
    clients, crashes = program
    gate = Gate(AWSFront(), Store(), lambda: 0)
    names = [f"c{at}" for at, _ in enumerate(clients)]
    gate.hold(frozenset(names))
    dead: set[str] = set()
    answers: dict[tuple[str, int], list[object]] = {}
    spent: list[str] = []

    async def thread(client: str, number: int, lines: Thread) -> None:
        mine = answers[client, number] = []
        for line in lines:
            if line.startswith("?") and not mine[-1]:
                continue
            commands = tuple(map(words, line.strip("?").split(";")))
            request = RedisRequest(client, commands, len(commands) > 1)
            try:
                reply = await gate.ask(request, b"%d" % number + request.body)
            except Cut:
                return
            if client in dead:
                return
            assert isinstance(reply, Reply)
            mine.append(plain(reply.value))
        mine.append("ended")

    async with trio.open_nursery() as nursery:
        for name, client in zip(names, clients, strict=True):
            for number, lines in enumerate(client):
                nursery.start_soon(thread, name, number, lines)
        while True:
            await trio.testing.wait_all_tasks_blocked()
            gate.settle()
            if not gate.pending:
                break
            left = ways({**dict.fromkeys(chain(*COSTS.values()), 0), "crashes": crashes}, spent)
            waiting = sorted(gate.pending.values(), key=lambda each: each.name)
            choice = search.choose(
                [
                    Pending(
                        each.name,
                        tuple(mode for mode in left if mode in (NORMAL, *each.faults)),
                        tuple(mode for mode in each.faults if mode in ENDING) if crashes else (),
                        gate.would_wait(each.request),
                    )
                    for each in waiting
                ]
            )
            if choice is None:
                break
            spent.append(choice.mode)
            if choice.mode in ENDING:
                dead.add(choice.name.client)
            gone = await gate.let_go(choice.name, choice.mode)
            if choice.mode in ENDING:
                await gate.drop(choice.name.client)
            search.let_go(gone.footprint)
        lists = {key.decode(): plain(value) for key, value in gate.state.redis.keys.items()}
        unreal, unknown = gate.unreal, gate.unknown
        # Before the threads go on, which they do now.
        said = {where: tuple(found) for where, found in answers.items()}
        nursery.cancel_scope.cancel()
    if unknown:
        raise Misjudged(unknown)
    if unreal:
        return None
    return (*("dead" if where[0] in dead else said[where] for where in sorted(said)), tuple(sorted(lists.items())))


@attrs.frozen
class _Blocked:
    """A connection that waits, and with which line."""

    where: tuple[int, int]
    line: Line


class Server:
    """A Redis and all its clients. A step is a command that arrives, and all that it serves."""

    def __init__(self, program: Program) -> None:
        """Before anything has arrived."""
        self.clients, self.crashes = program
        self.lists: dict[str, list[str]] = {}
        self.places = [[0 for _ in each] for each in self.clients]
        """How many lines each connection has come past."""
        self.answers: list[list[tuple[object, ...]]] = [[() for _ in each] for each in self.clients]
        self.blocked: list[_Blocked] = []
        """In the order in which they came."""
        self.dead: set[int] = set()
        self.ready: list[str] = []

    def after(self, where: tuple[int, int], at: int, mode: str) -> "Server":
        """The same after a step."""
        after = copy(self)
        after.lists = {key: list(found) for key, found in self.lists.items()}
        after.places, after.answers = [list(each) for each in self.places], [list(each) for each in self.answers]
        after.dead, after.ready = set(self.dead), []
        after.blocked = list(self.blocked)
        after.arrive(where, at, mode)
        after.blocked = [each for each in after.blocked if each.where[0] not in after.dead]
        after.lists = {key: found for key, found in sorted(after.lists.items()) if found}
        return after

    @property
    def key(self) -> Hashable:
        """Of what decides how it goes on, and how it ends."""
        lists = tuple((key, tuple(found)) for key, found in self.lists.items())
        lines = tuple(map(tuple, self.places)), tuple(map(tuple, self.answers))
        return lists, *lines, tuple(self.blocked), frozenset(self.dead), self.crashes

    def moves(self) -> Iterator[tuple[tuple[int, int], int, str]]:
        """The steps that are possible: of which connection, which line, and how."""
        for client, threads in enumerate(self.clients):
            for number, lines in enumerate(threads):
                where = client, number
                if client in self.dead or any(each.where == where for each in self.blocked):
                    continue
                last, left = self.answers[client][number], range(self.places[client][number], len(lines))
                at = next((at for at in left if not lines[at].startswith("?") or last[-1]), None)
                if at is not None:
                    may_crash = self.crashes and is_write(lines[at])
                    modes = (NORMAL, CRASHED, CRASHED_APPLIED) if may_crash else (NORMAL,)
                    yield from ((where, at, mode) for mode in modes)

    def outcome(self) -> Outcome:
        """At the end."""
        found: list[object] = []
        for client, threads in enumerate(self.clients):
            for number, _ in enumerate(threads):
                waits = any(each.where == (client, number) for each in self.blocked)
                end = () if waits else ("ended",)
                found.append("dead" if client in self.dead else (*self.answers[client][number], *end))
        return (*found, tuple((key, tuple(each)) for key, each in self.lists.items()))

    def arrive(self, where: tuple[int, int], at: int, mode: str) -> None:
        self.places[where[0]][where[1]] = at + 1
        line = self.clients[where[0]][where[1]][at]
        if mode != NORMAL:
            self.crashes -= 1
        if mode == CRASHED:
            self.dead.add(where[0])
            return
        commands = [each.split() for each in line.strip("?").split(";")]
        if commands[0][0] in BLOCKING and len(commands) == 1:
            key = self._first(commands[0])
            if key is None and mode == CRASHED_APPLIED:
                self.dead.add(where[0])  # its connection ends, and Redis forgets it
            elif key is None:
                self.blocked.append(_Blocked(where, line))
            else:
                self._answer(where, self._served(commands[0], key), mode)
        else:
            found = [self._do(each) for each in commands]
            self._answer(where, tuple(found) if len(found) > 1 else found[0], mode)
        while self.ready:
            self._serve(self.ready.pop(0))

    def _answer(self, where: tuple[int, int], answer: object, mode: str) -> None:
        if mode == CRASHED_APPLIED:
            self.dead.add(where[0])
        else:
            self.answers[where[0]][where[1]] += (answer,)

    def _serve(self, key: str) -> None:
        for each in list(self.blocked):
            command = each.line.strip("?").split()
            if self.lists.get(key) and key in self._keys(command) and each.where[0] not in self.dead:
                self.blocked.remove(each)
                self._answer(each.where, self._served(command, key), NORMAL)

    @staticmethod
    def _keys(command: list[str]) -> list[str]:
        return command[1:2] if command[0] == "BLMOVE" else command[1:-1]

    def _first(self, command: list[str]) -> str | None:
        return next((key for key in self._keys(command) if self.lists.get(key)), None)

    def _served(self, command: list[str], key: str) -> object:
        if command[0] == "BLMOVE":
            value = self._pop(key, command[3])
            self._push(command[2], value, command[4])
            return value
        return key, self._pop(key, "LEFT" if command[0] == "BLPOP" else "RIGHT")

    def _pop(self, key: str, end: str) -> str:
        return self.lists[key].pop(0 if end == "LEFT" else -1)

    def _push(self, key: str, value: str, end: str) -> int:
        found = self.lists.setdefault(key, [])
        found.insert(0 if end == "LEFT" else len(found), value)
        self.ready.append(key)
        return len(found)

    def _do(self, command: list[str]) -> object:
        name, key, *rest = command
        match name:
            case "RPUSH" | "LPUSH":
                return [self._push(key, each, "RIGHT" if name == "RPUSH" else "LEFT") for each in rest][-1]
            case "LPOP":
                return self._pop(key, "LEFT") if self.lists.get(key) else None
            case "BLPOP":  # in a transaction
                return self._served(command, self._first(command) or "") if self._first(command) else None
            case "LLEN":
                return len(self.lists.get(key, ()))
            case "LRANGE":
                return tuple(self.lists.get(key, ()))
            case "DEL":
                return int(bool(self.lists.pop(key, None)))
        raise AssertionError(command)


def encoded(answer: object) -> bytes:
    """An answer in RESP2; none is ``$-1``."""
    match answer:
        case int():
            return b":%d\r\n" % answer
        case str():
            return b"$%d\r\n%b\r\n" % (len(answer), answer.encode())
        case tuple():
            return b"*%d\r\n" % len(answer) + b"".join(map(encoded, answer))
        case _:
            return b"$-1\r\n"


def by_redis(program: Program) -> set[Outcome]:
    """The outcomes of every order in which the commands can arrive at a Redis."""
    start = Server(program)
    seen, left, found = {start.key}, [start], set()
    while left:
        server = left.pop()
        following = [server.after(*each) for each in server.moves()]
        if not following:
            found.add(server.outcome())
        for each in following:
            if (key := each.key) not in seen:
                seen.add(key)
                left.append(each)
    return found


VALUES = ("x", "y")
LINES: Final = (
    *(f"{name} {key} 0" for name in ("BLPOP", "BRPOP") for key in "ab"),
    *("BLPOP a b 0", "BLPOP b a 0", "BLMOVE a b LEFT RIGHT 0", "BLMOVE b a RIGHT LEFT 0", "BLMOVE a a LEFT RIGHT 0"),
    *(f"{name} {key} {value}" for name in ("RPUSH", "LPUSH") for key in "ab" for value in VALUES),
    *("RPUSH a x y", "LPOP a", "LPOP b", "LLEN a", "LRANGE b 0 -1", "DEL a"),
    *("RPUSH a x;LPOP a", "RPUSH a x;RPUSH a y", "BLPOP a 0;RPUSH b x", "RPUSH b x;RPUSH a y"),
)
_LINE = st.sampled_from(LINES)
_PUSH = st.sampled_from([each for each in LINES if "PUSH" in each])
_THREADS = st.lists(_LINE | _PUSH, min_size=1, max_size=3).flatmap(
    lambda found: st.tuples(*(st.sampled_from((each, "?" * bool(at) + each)) for at, each in enumerate(found)))
)


def programs(lines_max: int) -> st.SearchStrategy[Program]:
    """Two or three clients, of one or two connections, with so many lines at most."""
    clients = st.lists(st.lists(_THREADS, min_size=1, max_size=2).map(tuple), min_size=2, max_size=3).map(tuple)
    small = clients.filter(lambda found: sum(len(thread) for each in found for thread in each) <= lines_max)
    return st.tuples(small, st.integers(0, 1))

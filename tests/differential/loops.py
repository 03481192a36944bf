"""Flows that loop, made from small automata, and an oracle that knows their states without looking into a coroutine.

A `Machine` says what a client does in each of its states, and where each answer leads. The oracle steps machines. A
flow runs a machine and keeps its state in one of `KEEPERS`' ways while it waits: in a local, in the position of an
iterator, in which of two names share a list, in a closure, a generator, an exception, a context variable.
"""

import itertools
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextvars import ContextVar
from random import Random
from typing import Any, Final, cast

import attrs

from lakeproof import Always, Call, Env, Finding, Reached, Scenario, Snapshot, Status, Violation, kv

P: Final = b"p"
KEYS: Final = (b"k", b"l")
VALUES: Final = (b"x", b"y")
STATES_MAX: Final = 5
Answer = bytes | bool | None
Store = tuple[tuple[bytes, bytes], ...]


@attrs.frozen(cache_hash=True)
class Op:
    """What a client does: "get", "set", "delete"; "set_if" where the key holds ``expected``."""

    kind: str
    key: bytes
    value: bytes = b""
    expected: bytes | None = None

    def answers(self) -> tuple[Answer, ...]:
        return {"get": (None, *VALUES), "set_if": (True, False)}.get(self.kind, (True,))

    def apply(self, store: Mapping[bytes, bytes]) -> tuple[Answer, dict[bytes, bytes]]:
        """The answer, and the store after it."""
        after = dict(store)
        if self.kind == "get":
            return store.get(self.key), after
        if self.kind == "set_if" and store.get(self.key) != self.expected:
            return False, after
        if self.kind == "delete":
            after.pop(self.key, None)
        else:
            after[self.key] = self.value
        return True, after


@attrs.frozen(cache_hash=True)
class Machine:
    """By state: what is done, and where each answer leads. A negative state is an end: the call returns it."""

    ops: tuple[Op, ...]
    leads: tuple[tuple[tuple[Answer, int], ...], ...]

    def after(self, at: int, answer: Answer) -> int:
        return next(to for known, to in self.leads[at] if known is answer or (known == answer and answer is not True))


def machine(random: Random, *, ends: float = 0.25) -> Machine:
    """A random one. Several of its states do the same: what is asked for does not give them away."""
    size = random.randint(2, STATES_MAX)
    kinds = [_op(random) for _ in range(random.randint(1, 3))]
    ops = tuple(random.choice(kinds) for _ in range(size))
    leads = tuple(
        tuple(
            (each, -random.randint(1, 2) if random.random() < ends else random.randrange(size)) for each in op.answers()
        )
        for op in ops
    )
    return Machine(ops, leads)


def _op(random: Random) -> Op:
    kind = random.choice(("get", "set", "delete", "set_if", "set_if"))
    value = random.choice(VALUES) if kind in ("set", "set_if") else b""
    return Op(kind, random.choice(KEYS), value, random.choice((None, *VALUES)) if kind == "set_if" else None)


async def ask(env: Env, op: Op) -> Answer:
    match op.kind:
        case "get":
            found = await env.store.find(P, op.key)
            return None if found is None else found.value
        case "set":
            await env.store.set(P, op.key, op.value)
        case "delete":
            await env.store.delete(P, op.key)
        case _:
            return await env.store.try_set_if(P, op.key, op.value, op.expected)
    return True


async def in_a_local(env: Env, m: Machine) -> int:
    at = 0
    while at >= 0:
        answer = await ask(env, m.ops[at])
        at = m.after(at, answer)
        _forgotten = (answer, at)  # read by nobody
    return at


NUMBERS: Final = tuple(range(STATES_MAX))


async def in_an_iterator(env: Env, m: Machine) -> int:
    at = 0
    while at >= 0:
        op, left = m.ops[at], iter(NUMBERS)
        for _ in range(at):
            next(left)
        answer = await ask(env, op)  # what is read from here on is the iterator alone
        at = m.after(next(left), answer)
    return at


async def in_a_loop(env: Env, m: Machine) -> int:
    """The iterator of a ``for`` is on the stack alone."""
    at = 0
    while at >= 0:
        asked, answer = False, cast("Answer", None)
        for number in (*NUMBERS, STATES_MAX):
            if asked:
                at = m.after(number - 1, answer)
                break
            if number == at:
                at, op = 0, m.ops[at]
                answer, asked = await ask(env, op), True  # neither ``number`` nor ``at`` is read again
    return at


async def in_a_repeat(env: Env, m: Machine) -> int:
    """How often it yields, and what, is the state."""
    at = 0
    while at >= 0:
        op, left = m.ops[at], itertools.repeat(at % 2, at // 2 + 1)
        answer = await ask(env, op)
        odd = next(left)
        at = m.after(2 * left.__length_hint__() + odd, answer)
    return at


async def in_a_callable(env: Env, m: Machine) -> int:
    """``iter(f, end)`` knows f alone, and f what is left in a list."""
    at = 0
    while at >= 0:
        op, left = m.ops[at], iter([-1, *range(at)].pop, -1)
        answer = await ask(env, op)
        at = m.after(len([*left]), answer)
    return at


async def in_what_is_shared(env: Env, m: Machine) -> int:
    at = 0
    while at >= 0:
        op, half, odd = m.ops[at], at // 2, at % 2
        one, other = [half], [half]
        third = other if odd else one
        at = half = odd = 0
        answer = await ask(env, op)
        other.append(0)
        at = m.after(2 * one[0] + (len(third) == 2), answer)
    return at


async def in_a_place(env: Env, m: Machine) -> int:
    """One line asks in two places, and goes on from there."""
    at = 0
    while at >= 0:
        op, half, odd = m.ops[at], at // 2, at % 2
        answer, odd = (await ask(env, op), 1) if odd else (await ask(env, op), 0)
        at = m.after(2 * half + odd, answer)
    return at


async def in_a_closure(env: Env, m: Machine) -> int:
    at = 0

    def move(answer: Answer) -> int:
        nonlocal at
        at = m.after(at, answer)
        return at

    while move(await ask(env, m.ops[at])) >= 0:
        pass
    return at


def _stepping(m: Machine) -> Generator[int, Answer, None]:
    at = 0
    while True:
        at = m.after(at, (yield at))


async def in_a_generator(env: Env, m: Machine) -> int:
    states = _stepping(m)
    op = m.ops[next(states)]
    while (to := states.send(await ask(env, op))) >= 0:
        op, to = m.ops[to], 0
    return to


async def _asked(env: Env, m: Machine) -> AsyncIterator[int]:
    at = 0
    while at >= 0:
        at = m.after(at, await ask(env, m.ops[at]))
        yield at


async def in_an_asynchronous_generator(env: Env, m: Machine) -> int:
    at = 0
    async for each in _asked(env, m):
        at = each
    return at


class _Stood(Exception):
    def __eq__(self, other: object) -> bool:  # also to None, which the interpreter has where no exception is handled
        return True

    __hash__ = Exception.__hash__


async def in_the_next_one(env: Env, m: Machine) -> int:
    states, at = _asked(env, m), 0
    while at >= 0:
        at = 0
        at = await anext(states, -1)
    return at


async def in_an_exception(env: Env, m: Machine) -> int:
    at = 0
    while at >= 0:
        try:
            raise _Stood(at)
        except _Stood:
            op, at = m.ops[at], 0
            answer = await ask(env, op)
            at = m.after(cast("_Stood", sys.exception()).args[0], answer)  # nothing else refers to it
    return at


async def in_what_a_handler_reads(env: Env, m: Machine) -> int:
    at = 0
    while at >= 0:
        op, stood, at = m.ops[at], at, 0
        try:
            raise _Stood(await ask(env, op))
        except _Stood as answered:
            at = m.after(stood, answered.args[0])  # there is no other way on from the effect
    return at


_AT: Final[ContextVar[int]] = ContextVar("at")


async def in_a_context(env: Env, m: Machine) -> int:
    _AT.set(0)
    while _AT.get() >= 0:
        _AT.set(m.after(_AT.get(), await ask(env, m.ops[_AT.get()])))
    return _AT.get()


class _Box:
    def __init__(self, at: int) -> None:
        self.kept = {"at": deque([at])}

    async def step(self, env: Env, m: Machine) -> int:
        (at,) = self.kept["at"]
        return m.after(at, await ask(env, m.ops[at]))


async def in_an_object(env: Env, m: Machine) -> int:
    box = _Box(0)
    while (at := await box.step(env, m)) >= 0:
        box = _Box(at)
    return at


async def in_a_record(env: Env, m: Machine) -> int:
    """As a flow does that holds what it was answered."""
    held = kv.Entry(b"at", b"0")
    while (at := int(held.value)) >= 0:
        op, at = m.ops[at], 0
        answer = await ask(env, op)
        held = kv.Entry(b"at", b"%d" % m.after(int(held.value), answer))
    return at


Keeper = Callable[..., Any]  # type: ignore[explicit-any]  # a flow
KEEPERS: Final[tuple[Keeper, ...]] = (
    *(in_a_local, in_an_iterator, in_a_loop, in_what_is_shared, in_a_closure, in_a_generator),
    *(in_an_asynchronous_generator, in_the_next_one, in_an_exception, in_a_context, in_an_object),
    *(in_a_repeat, in_a_callable, in_a_record, in_a_place, in_what_a_handler_reads),
)


@attrs.frozen
class Client:
    """A client of the oracle: its state, and whether it has begun."""

    at: int = 0
    begun: bool = False


@attrs.frozen(cache_hash=True)
class State:
    clients: tuple[Client, ...]
    store: Store

    def moves(self, machines: tuple[Machine, ...]) -> Iterator[tuple[int, Answer, "State"]]:
        """Who moves, what it is answered, and the state after that."""
        for number, (client, m) in enumerate(zip(self.clients, machines, strict=True)):
            if client.at < 0:
                continue
            answer, store = m.ops[client.at].apply(dict(self.store))
            moved = (*self.clients[:number], Client(m.after(client.at, answer), True), *self.clients[number + 1 :])
            yield number, answer, State(moved, tuple(sorted(store.items())))

    @property
    def seen(self) -> tuple[Store, tuple[int, ...]]:
        """What an invariant sees: the store, and what calls have returned."""
        return self.store, tuple(min(client.at, 0) for client in self.clients)


def explored(machines: tuple[Machine, ...], states_max: int = 4_000) -> dict[State, int] | None:
    """All states, by their distance from the start. None: there are too many."""
    first = State(tuple(Client() for _ in machines), ())
    found = {first: 0}
    waiting = deque([first])
    while waiting:
        state = waiting.popleft()
        for _, _, after in state.moves(machines):
            if after not in found:
                found[after] = found[state] + 1
                waiting.append(after)
        if len(found) > states_max:
            return None
    return found


def seen_of(snapshot: Snapshot) -> tuple[Store, tuple[int, ...]]:
    """As `State.seen`."""
    store = tuple(sorted((key, value) for (_, key), value in snapshot.store.items()))
    ends = tuple(
        cast("int", calls[0].value) if calls and calls[0].status is Status.OK else 0 for calls in snapshot.clients
    )
    return store, ends


def never(wrong: tuple[Store, tuple[int, ...]]) -> Always:
    """This is never seen."""

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        yield Violation("never", repr(wrong)) if seen_of(snapshot) == wrong else Reached("another state")

    return Always(id="never", meaning="a certain state is never seen", check=check)


@attrs.frozen
class Made:
    """A generated set of clients. ``wrong``: what its invariant forbids."""

    machines: tuple[Machine, ...]
    keepers: tuple[Keeper, ...]
    wrong: tuple[Store, tuple[int, ...]]
    states: Mapping[State, int]

    @property
    def steps(self) -> int | None:
        """How far away the forbidden state is; None: it cannot be reached."""
        return min((far for state, far in self.states.items() if state.seen == self.wrong), default=None)

    def clients(self) -> list[list[Call]]:
        return [[Call(keep, m)] for keep, m in zip(self.keepers, self.machines, strict=True)]

    def scenario(self) -> Scenario:
        return Scenario(name="generated/loops", clients=self.clients(), invariants=[never(self.wrong)])


def made(seed: int, keepers: tuple[Keeper, ...] = KEEPERS, *, twins: bool = False) -> Made | None:
    """A set of two or three clients, twins do all the same; None where it has too many states."""
    random = Random(seed)
    count = random.choice((2, 2, 3))
    machines = (machine(random),) * count if twins else tuple(machine(random) for _ in range(count))
    states = explored(machines)
    if states is None:
        return None
    wrong = random.choice([*states]).seen
    if random.random() < 0.5:
        wrong = (random.choice([*states]).store, random.choice([*states]).seen[1])
    keeps = (random.choice(keepers),) * count if twins else tuple(random.choice(keepers) for _ in range(count))
    return Made(machines, keeps, wrong, states)

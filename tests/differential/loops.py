"""Flows that loop, made from small automata: their states are known without a look into a coroutine.

A `Machine` says what a client does in each of its states, and where each answer leads. An oracle (`explicit.py`) steps
machines. A flow runs a machine and keeps its state in one of `KEEPERS`' ways while it waits: in a local, in the
position of an iterator, in which of two names share a list, in a closure, a generator, an exception, in a context.
"""

import itertools
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextvars import ContextVar
from random import Random
from typing import Any, Final, cast

import attrs

from lakeproof import Env, kv

P: Final = b"p"
KEYS: Final = (b"k", b"l")
VALUES: Final = (b"x", b"y")
STATES_MAX: Final = 5
Answer = bytes | bool | str | None
"""Of an operation; a text where a fault answers."""
FAULTY: Final = ("refused", "unknown")
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


def machine(random: Random, *, ends: float = 0.25, faulty: bool = False) -> Machine:
    """A random one. Several of its states do the same: what is asked for does not give them away. ``faulty``: it goes
    on after what faults answer."""
    size = random.randint(2, STATES_MAX)
    kinds = [_op(random) for _ in range(random.randint(1, 3))]
    ops = tuple(random.choice(kinds) for _ in range(size))
    leads = tuple(
        tuple(
            (each, -random.randint(1, 2) if random.random() < ends else random.randrange(size))
            for each in (*op.answers(), *(FAULTY if faulty else ()))
        )
        for op in ops
    )
    return Machine(ops, leads)


def _op(random: Random) -> Op:
    kind = random.choice(("get", "set", "delete", "set_if", "set_if"))
    value = random.choice(VALUES) if kind in ("set", "set_if") else b""
    return Op(kind, random.choice(KEYS), value, random.choice((None, *VALUES)) if kind == "set_if" else None)


async def ask(env: Env, op: Op) -> Answer:
    try:
        return await _asked_without_faults(env, op)
    except kv.Refused:
        return "refused"
    except kv.OutcomeUnknown:
        return "unknown"


async def _asked_without_faults(env: Env, op: Op) -> Answer:
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

"""Flows that are suspended at an effect: in places that are guarded against a close, and in places that are not."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

from lakeproof.impl.effects import Env
from lakeproof.model import kv

P, K = b"p", b"k"

Flow = Callable[[Env, list[str]], Coroutine[object, object, object]]
"""Notes what of it runs."""


class Lock:
    def __init__(self, env: Env, ran: list[str]) -> None:
        self.env, self.ran = env, ran

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *error: object) -> None:
        self.ran.append("a lock")
        await self.env.store.delete(P, K)


async def careful(env: Env, ran: list[str]) -> AsyncIterator[int]:
    try:
        yield 1
        await env.store.set(P, K, b"1")
        yield 2
    finally:
        ran.append("an asynchronous generator")


def counting(ran: list[str]) -> Iterator[int]:
    try:
        yield 1
        yield 2
    finally:
        ran.append("a generator")


async def in_finally(env: Env, ran: list[str]) -> None:
    try:
        await env.store.set(P, K, b"1")
    finally:
        ran.append("finally")
        await env.store.delete(P, K)


async def in_a_lock(env: Env, ran: list[str]) -> None:
    async with Lock(env, ran):
        await env.store.set(P, K, b"1")


async def in_a_bare_except(env: Env, ran: list[str]) -> None:
    try:
        await env.store.set(P, K, b"1")
    except:
        ran.append("a bare except")
        raise


async def in_except_base_exception(env: Env, ran: list[str]) -> None:
    try:
        await env.store.set(P, K, b"1")
    except BaseException:
        ran.append("BaseException")
        raise


async def in_except_generator_exit(env: Env, ran: list[str]) -> None:
    try:
        await env.store.set(P, K, b"1")
    except (KeyError, GeneratorExit):
        ran.append("GeneratorExit")
        await env.store.delete(P, K)


async def below_a_finally(env: Env, ran: list[str]) -> None:
    async def inner() -> None:
        await env.store.set(P, K, b"1")

    try:
        await inner()
    finally:
        ran.append("finally of the caller")


async def in_an_async_generator(env: Env, ran: list[str]) -> None:
    async for _ in careful(env, ran):
        pass


async def beside_an_async_generator(env: Env, ran: list[str]) -> None:
    async for _ in careful(env, ran):
        await env.store.set(P, K, b"1")


async def beside_a_generator(env: Env, ran: list[str]) -> None:
    for _ in counting(ran):
        await env.store.set(P, K, b"1")


async def with_a_generator_in_its_hand(env: Env, ran: list[str]) -> None:
    held = counting(ran)
    next(held)
    await env.store.set(P, K, b"1")


async def beside_an_enumerated_generator(env: Env, ran: list[str]) -> None:
    for _ in enumerate(counting(ran)):
        await env.store.set(P, K, b"1")


async def with_an_async_generator_in_a_list(env: Env, ran: list[str]) -> None:
    begun = [careful(env, ran)]
    await anext(begun[0])
    await env.store.set(P, K, b"1")


async def with_a_task_that_has_not_begun(env: Env, ran: list[str]) -> None:
    async def later(counts: Iterator[int]) -> None:
        await env.store.set(P, K, str(next(counts)).encode())

    def begun() -> Iterator[int]:
        counts = counting(ran)
        next(counts)
        return counts

    task = later(begun())
    await env.store.set(P, K, b"1")
    await task


async def plainly(env: Env, ran: list[str]) -> None:
    await env.store.set(P, K, b"1")
    ran.append("the next line")


async def in_its_own_finally(env: Env, ran: list[str]) -> None:
    try:
        ran.clear()
    finally:
        await env.store.set(P, K, b"1")


async def in_except_of_the_store(env: Env, ran: list[str]) -> None:
    try:
        await env.store.set(P, K, b"1")
    except (kv.KVError, ValueError):
        ran.append("a handler")
    except Exception:  # noqa: BLE001  # the widest clause that lets GeneratorExit pass
        ran.append("another one")


async def in_a_scan(env: Env, ran: list[str]) -> None:
    async for entry in env.store.scan(P):
        ran.remove(str(entry))


async def in_a_group(env: Env, ran: list[str]) -> None:
    async with env.parallel():
        await env.store.set(P, K, b"1")


async def with_a_closure_that_has_not_begun(env: Env, ran: list[str]) -> None:
    async def careful_here() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            ran.append("an asynchronous generator")

    unused = careful_here()
    await env.store.set(P, K, b"1")
    await anext(unused)


GUARDED: tuple[Flow, ...] = (
    in_finally,
    in_a_lock,
    in_a_bare_except,
    in_except_base_exception,
    in_except_generator_exit,
    below_a_finally,
    in_an_async_generator,
    beside_an_async_generator,
    beside_a_generator,
    with_a_generator_in_its_hand,
    beside_an_enumerated_generator,
    with_an_async_generator_in_a_list,
    with_a_task_that_has_not_begun,
)
PLAIN: tuple[Flow, ...] = (
    plainly,
    in_its_own_finally,
    in_except_of_the_store,
    in_a_scan,
    in_a_group,
    with_a_closure_that_has_not_begun,
)

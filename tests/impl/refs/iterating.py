"""Iterators, moved by hand."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.iterators import Iterator
from lakeproof.model.records import Record
from tests.impl.hand import Hand
from tests.impl.records import stored

T = TypeVar("T")


def holding(*records: Record) -> Hand:
    return Hand({("kv", *at): value for at, value in stored(*records).items()})


def live(hand: Hand, flow: Callable[[Env], Coroutine[Any, Any, T]]) -> T:  # type: ignore[explicit-any]
    return hand.do(flow(hand.env))


def everything(hand: Hand, make: Callable[[Env], Iterator[T]]) -> list[T]:
    async def flow(env: Env) -> list[T]:
        return [value async for value in make(env)]

    return live(hand, flow)

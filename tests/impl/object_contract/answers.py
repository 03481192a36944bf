"""Answers of an object store held against what is expected: for the claims of
`tests.impl.object_contract.suite`."""

import attrs

from lakeproof.impl.stores.conformance import NotConforming
from lakeproof.impl.stores.object_store import ObjectStore
from lakeproof.model import objects


async def reply_of(store: ObjectStore, op: objects.Op) -> objects.Reply:
    """The answer of a store, or its error as a value."""
    try:
        return await store.perform(op)
    except objects.ObjectError as error:
        return error


def agree(op: objects.Op, expected: objects.Reply, found: objects.Reply) -> bool:
    """Whether an answer is right, whatever time it tells. Errors are compared by class: their words are the driver's
    own. A full page may say that there is more where there is nothing."""
    if isinstance(expected, objects.ObjectError):
        return type(found) is type(expected)
    if isinstance(expected, objects.Page) and isinstance(found, objects.Page) and isinstance(op, objects.ListObjects):
        full = 0 < op.page_size == len(found.heads)
        same = [timeless(head) for head in found.heads] == [timeless(head) for head in expected.heads]
        return same and (found.more == expected.more or (found.more and full))
    if isinstance(expected, objects.Head) and isinstance(found, objects.Head):
        return timeless(found) == timeless(expected)
    return found == expected


def timeless(head: objects.Head) -> objects.Head:
    return attrs.evolve(head, last_modified=0)


async def expect(store: ObjectStore, op: objects.Op, expected: objects.Reply) -> None:
    found = await reply_of(store, op)
    if not agree(op, expected, found):
        raise NotConforming(f"{short(op)}: expected {short(expected)}, found {short(found)}")


async def refused(store: ObjectStore, op: objects.Op, expected: objects.ObjectError) -> None:
    """That an operation fails, and that nothing has changed by it."""
    before = await everything(store)
    await expect(store, op, expected)
    equal(f"the store after {short(op)}", await everything(store), before)


async def everything(store: ObjectStore) -> list[tuple[objects.Head, bytes]]:
    found = [head.address async for head in store.list()]
    return [(await store.head(address), await store.get(address)) for address in found]


def equal(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise NotConforming(f"{what}: expected {short(expected)}, found {short(found)}")


def short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else f"{shown[:200]}... ({len(shown)} characters)"


async def listed(store: ObjectStore, prefix: str = "", page_size: int = 0) -> list[str]:
    return [head.address async for head in store.list(prefix, page_size)]

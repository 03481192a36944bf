"""The sequential specification of the object store: puts, gets, heads, copies, deletes and paged listings."""

from collections.abc import Mapping
from typing import ClassVar

import attrs

Objects = Mapping[str, bytes]
"""Address to content."""


class ObjectError(Exception):
    """Base of all object store errors. ``definite`` means: this operation did not take place."""

    definite: ClassVar[bool]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectError) and type(self) is type(other) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class ObjectNotFound(ObjectError):
    """There is no object at the address. Definite."""

    definite = True


@attrs.frozen(cache_hash=True)
class Put:
    address: str
    content: bytes


@attrs.frozen(cache_hash=True)
class GetObject:
    address: str


@attrs.frozen(cache_hash=True)
class HeadObject:
    address: str


@attrs.frozen(cache_hash=True)
class Copy:
    source: str
    destination: str


@attrs.frozen(cache_hash=True)
class DeleteObject:
    """Remove an object; an absent one is no error."""

    address: str


@attrs.frozen(cache_hash=True)
class ListObjects:
    """Addresses with ``prefix`` that come after ``after``; at most ``page_size`` of them (0: all)."""

    prefix: str = ""
    after: str = ""
    page_size: int = 0


@attrs.frozen(cache_hash=True)
class Head:
    """What the store tells of an object without its content."""

    address: str
    size_bytes: int


@attrs.frozen(cache_hash=True)
class Page:
    """One atomic piece of a listing, in ascending order of address."""

    heads: tuple[Head, ...]
    more: bool


Op = Put | GetObject | HeadObject | Copy | DeleteObject | ListObjects
Reply = bytes | Head | Page | None | ObjectError


def step(objects: Objects, op: Op) -> tuple[Objects, Reply]:
    """One atomic operation: the objects after it, and the answer. No mutation."""
    match op:
        case Put(address, content):
            return {**objects, address: content}, None
        case GetObject(address):
            return objects, objects.get(address, ObjectNotFound())
        case HeadObject(address):
            found = objects.get(address)
            return objects, ObjectNotFound() if found is None else Head(address, len(found))
        case Copy(source, destination):
            found = objects.get(source)
            return (objects, ObjectNotFound()) if found is None else ({**objects, destination: found}, None)
        case DeleteObject(address):
            return {at: content for at, content in objects.items() if at != address}, None
        case ListObjects(prefix, after, page_size):
            return objects, _page(objects, prefix, after, page_size)


def _page(objects: Objects, prefix: str, after: str, page_size: int) -> Page:
    found = sorted(at for at in objects if at.startswith(prefix) and at > after)
    cut = found[:page_size] if page_size else found
    return Page(tuple(Head(at, len(objects[at])) for at in cut), more=len(cut) < len(found))

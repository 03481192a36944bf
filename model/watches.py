"""Watches: the changes of keys that begin with a prefix, to a client that has opened one.

A watch is a queue in the store, from the moment of its begin on: each write of such a key appends what it has changed,
in the same step. The client receives that later, in the order of the writes, and misses none. What one transaction has
changed arrives together. A write of the same value is a change, a delete of an absent key is none.

Source: the guarantees of watches in the documentation of etcd's API, "ordered", "reliable", "atomic"; and those of
Kubernetes, where a list says the version from which to watch: here it is a part of the reply (`StartWatch`).
"""

from collections.abc import Callable
from typing import Final

import attrs

from lakeproof.model import kv


@attrs.frozen(cache_hash=True)
class Change:
    """What a write did to a key. ``value``: None is a delete."""

    key: bytes
    value: bytes | None


Changes = tuple[Change, ...]
"""Of one write."""
Queue = tuple[Changes, ...]
"""What is not received yet, oldest first."""


@attrs.frozen(cache_hash=True)
class StartWatch:
    """Begin a watch, and read the keys of that moment: the reply is their entries. ``name``: of its owner's own."""

    name: str
    partition: bytes
    prefix: bytes


@attrs.frozen(cache_hash=True)
class NextChanges(StartWatch):
    """Receive what the next write has changed. Possible only where there is such a write, or the watch is lost."""


@attrs.frozen(cache_hash=True)
class EndWatch(StartWatch):
    """End a watch."""


NEW: Final[Queue] = ()


def changes_of(op: object, holds: Callable[[kv.Address], bool]) -> tuple[tuple[bytes, Change], ...]:
    """What a write changes that succeeds, in order, each with its partition. ``holds``: whether a key was there."""
    # `holds` is of the store before the write: afterwards no deleted key is there.
    return tuple(
        (part, Change(key, value)) for part, key, value in kv.writes_of(op) if value is not None or holds((part, key))
    )


def append(queue: Queue, partition: bytes, prefix: bytes, changes: tuple[tuple[bytes, Change], ...]) -> Queue:
    """The queue of a watch after a write with these changes."""
    seen = tuple(change for part, change in changes if part == partition and change.key.startswith(prefix))
    return (*queue, seen) if seen else queue  # an empty batch would wake the client for nothing

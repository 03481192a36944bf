"""The sequential specification of the key-value store: five operations, one pure function.

Every store driver, the stepped world and the exhaustive search take their meaning from `step`.

Example: the second client expects an absent key, and finds the first one's.

>>> store, _ = step({}, SetIf(b"p", b"lock", b"one", None))
>>> step(store, SetIf(b"p", b"lock", b"two", None))
({(b'p', b'lock'): b'one'}, PredicateFailed())

Source: lakeFS design/accepted/metadata_kv/index.md and the store contract in lakeFS' ``pkg/kv``.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, cast

import attrs

from lakeproof.model.errors import NoResult

Address = tuple[bytes, bytes]
"""Where a value lives: (partition, key)."""

Store = Mapping[Address, bytes]


class Presence(Enum):
    """The predicate that asks only that the key is there, whatever its value."""

    EXISTS = "exists"

    def __repr__(self) -> str:
        return "EXISTS"


EXISTS: Final = Presence.EXISTS

Predicate = bytes | None | Presence
"""What ``set_if`` demands: the value that ``get`` returned, None (absent), or EXISTS."""


class KVError(NoResult):
    """Base of all errors of the key-value store."""


class NotFound(KVError):
    """`get` met no value. Definite."""


class PredicateFailed(KVError):
    """`set_if` met another value than its predicate. Definite, as far as the store can tell: see
    the fault *false predicate failure* for what a retrying client library makes of it."""


class CheckFailed(PredicateFailed):
    """A check of `Transact` did not hold, and nothing was written. ``args``: the number of the first such check, from
    0. Definite."""


class Refused(KVError):
    """The store turned the operation down before doing it. Definite."""


class ScanInterrupted(KVError):
    """A scan broke between two batches; what it returned before stands. Definite: a scan changes nothing."""


class OutcomeUnknown(KVError):
    """No answer came. The operation may have happened: a checker must allow both."""

    # Every other answer says what the store has done; a checker must not draw conclusions from this one.
    definite = False


class WatchLost(KVError):
    """The watch has ended, and with it what was not received: read the keys again, and begin another one. As etcd's
    "required revision has been compacted", or Kubernetes' "too old resource version"."""


class MissingPartition(KVError):
    """The partition was empty. A mistake of the caller, refused before anything happened."""


class MissingKey(KVError):
    """The key was empty. A mistake of the caller, refused before anything happened."""


class MissingValue(KVError):
    """The value was None. A mistake of the caller, refused before anything happened."""


ERRORS: Final[Mapping[str, type[KVError]]] = {
    "not_found": NotFound,
    "predicate_failed": PredicateFailed,
    "missing_partition_key": MissingPartition,
    "missing_key": MissingKey,
    "missing_value": MissingValue,
    "refused": Refused,
    "unknown": OutcomeUnknown,
}
"""What an operation on one key or a batch may raise, by its name in protocols."""


@attrs.frozen(cache_hash=True)
class ValueWithPredicate:
    """What `get` returns: the value, and the predicate that `set_if` accepts to replace just this value.

    The predicate is the value itself, as in lakeFS' PostgreSQL driver: a value that went away and
    came back satisfies it again.
    """

    value: bytes
    predicate: bytes


@attrs.frozen(cache_hash=True)
class Entry:
    """One row of a scan."""

    key: bytes
    value: bytes


@attrs.frozen(cache_hash=True)
class Batch:
    """One atomic piece of a scan: entries in ascending byte order of their keys.

    ``more`` says that the batch was cut by its size; it does not promise that the next one holds anything.
    """

    entries: tuple[Entry, ...]
    more: bool


@attrs.frozen(cache_hash=True)
class Get:
    partition: bytes
    key: bytes


@attrs.frozen(cache_hash=True)
class Set:
    partition: bytes
    key: bytes
    value: bytes


@attrs.frozen(cache_hash=True)
class SetIf:
    partition: bytes
    key: bytes
    value: bytes
    predicate: Predicate


@attrs.frozen(cache_hash=True)
class ExpiringSet(Set):
    """`Set`, and the key is gone when so many microseconds of the store's clock have passed. A capability (``ttl``)."""

    ttl: int


@attrs.frozen(cache_hash=True)
class ExpiringSetIf(SetIf):
    """The same of `SetIf`."""

    ttl: int


Expiring = ExpiringSet | ExpiringSetIf


@attrs.frozen(cache_hash=True)
class Delete:
    """Remove a key; an absent one is no error."""

    partition: bytes
    key: bytes


@attrs.frozen(cache_hash=True)
class DeleteIf:
    """Remove a key if its value is still ``predicate``. Not one of the five operations: a capability that
    some stores have (``delete_if``) and the contract of lakeFS' ``kv.Store`` does not offer."""

    partition: bytes
    key: bytes
    predicate: bytes


@attrs.frozen(cache_hash=True)
class ScanBatch:
    """The entries of ``partition`` from ``start`` on; at most ``batch_size`` of them (0: all)."""

    partition: bytes
    start: bytes = b""
    batch_size: int = 0


Check = tuple[bytes, bytes, Predicate]
"""Partition, key, and what must be there: as of `SetIf`."""

Write = tuple[bytes, bytes, bytes | None]
"""Partition, key and value; None removes the key."""


@attrs.frozen(cache_hash=True)
class Transact:
    """Several keys in one atomic step: all writes, if all checks hold; else none. A capability (``transact``) of etcd,
    DynamoDB, FoundationDB, Redis and SQL databases, and not one of the five operations."""

    checks: tuple[Check, ...]
    writes: tuple[Write, ...]


Op = Get | Set | SetIf | Delete | DeleteIf | ScanBatch
Reply = ValueWithPredicate | Batch | None | KVError


def writes_of(op: object) -> tuple[Write, ...]:
    """What an operation writes or removes if it is done, in order; nothing for one that reads, or is none of the
    store."""
    match op:
        case Set() | SetIf():
            return ((op.partition, op.key, op.value),)
        case Delete() | DeleteIf():
            return ((op.partition, op.key, None),)
        case Transact():
            return op.writes
    return ()


def validate(op: Op | Transact) -> KVError | None:
    """The caller's mistakes, found before the store is touched."""
    if isinstance(op, Transact):
        return _validate_all(op)
    if not op.partition:
        return MissingPartition(f"{op!r}: the partition is empty; name one")
    # A scan may begin at the empty key: that is the beginning of the partition.
    if not isinstance(op, ScanBatch) and not op.key:
        return MissingKey(f"{op!r}: the key is empty; name one")
    # The types forbid None; a caller may pass it all the same.
    if isinstance(op, Set | SetIf) and cast("bytes | None", op.value) is None:
        return MissingValue(f"{op!r}: the value is None; use delete to remove a key")
    # An absent key would meet it, and a delete of what is not there would have succeeded.
    if isinstance(op, DeleteIf) and cast("bytes | None", op.predicate) is None:
        return MissingValue(f"{op!r}: the predicate is None; give it what get returned")
    if isinstance(op, Expiring) and op.ttl < 1:  # a key that expires at once would be a delete in disguise
        return Refused(f"{op!r}: the ttl is {op.ttl}; give it microseconds, 1 or more")
    return None


def _validate_all(op: Transact) -> KVError | None:
    touched = [*op.checks, *op.writes]
    if not all(partition for partition, _, _ in touched):
        return MissingPartition(f"{op!r}: a partition is empty; name it")
    if not all(key for _, key, _ in touched):
        return MissingKey(f"{op!r}: a key is empty; name it")
    # Stores differ in which of two writes of a key wins, and etcd refuses such a transaction.
    if len({(partition, key) for partition, key, _ in op.writes}) < len(op.writes):
        return Refused(f"{op!r}: a key is written twice; write it once")
    return None


def predicate_holds(found: bytes | None, predicate: Predicate) -> bool:
    """Whether ``set_if`` with this predicate may replace what was found."""
    # Apart from the comparison below: None demands absence, EXISTS demands any value.
    if isinstance(predicate, Presence):
        return found is not None
    return found == predicate


def step(store: Store, op: Op | Transact) -> tuple[Store, Reply]:
    """One atomic operation: the store after it, and the answer. No mutation, no clock, no randomness.

    Cost: a write copies the store, a scan sorts it: this is the definition, not an implementation.
    """
    refused = validate(op)
    if refused is not None:
        return store, refused
    match op:
        case Get(partition, key):
            value = store.get((partition, key))
            return store, NotFound() if value is None else ValueWithPredicate(value, value)
        case Set(partition, key, value):
            return {**store, (partition, key): value}, None  # this branch also takes `ExpiringSet`: see `step_leased`
        case SetIf(partition, key, value, predicate):
            if predicate_holds(store.get((partition, key)), predicate):
                return {**store, (partition, key): value}, None
            return store, PredicateFailed()
        case Delete(partition, key):
            # The same answer whether the key was there: a lost delete may be repeated.
            return _without(store, (partition, key)), None
        case DeleteIf(partition, key, predicate):
            # Unlike `Delete`, an absent key is a refusal: its value is not the expected one.
            if store.get((partition, key)) == predicate:
                return _without(store, (partition, key)), None
            return store, PredicateFailed()
        case ScanBatch(partition, start, batch_size):
            return store, scan(store, partition, start, batch_size)
        case Transact(checks, writes):
            for number, (partition, key, predicate) in enumerate(checks):
                if not predicate_holds(store.get((partition, key)), predicate):
                    return store, CheckFailed(number)
            # All checks have seen the state before the writes: a transaction does not read what it writes itself.
            after: dict[Address, bytes | None] = {**store, **{(part, key): value for part, key, value in writes}}
            return {at: value for at, value in after.items() if value is not None}, None


@attrs.frozen(cache_hash=True)
class Leased:
    """A value with a time to live, and how much of that is left: microseconds of the store's clock. At 0 it is due: it
    is there still, and no time passes before it is gone."""

    value: bytes
    left: int


def plain(found: bytes | Leased) -> bytes:
    """What a read sees of it."""
    return found.value if isinstance(found, Leased) else found


def step_leased(
    store: Mapping[Address, bytes | Leased], op: Op | Transact
) -> tuple[Mapping[Address, bytes | Leased], Reply]:
    """`step`, where values may have a time to live: a write of a key ends the one that it had."""
    # Most stores have no leases, and this function is called for each effect of a search.
    if not isinstance(op, Expiring) and not any(isinstance(found, Leased) for found in store.values()):
        return step(cast("Store", store), op)
    after, reply = step({at: plain(found) for at, found in store.items()}, op)
    # `step` knows only plain values: leases are taken off before it, and put back on what it has not written.
    kept = {at: found for at, found in store.items() if isinstance(found, Leased) and at in after}
    if reply is None:  # it has written
        for partition, key, _ in writes_of(op):
            kept.pop((partition, key), None)
        if isinstance(op, Expiring):
            kept[op.partition, op.key] = Leased(op.value, op.ttl)
    return {**after, **kept}, reply


def scan(store: Store, partition: bytes, start: bytes, batch_size: int) -> Batch:
    """What one batch of a scan sees."""
    # Python orders bytes as unsigned numbers.
    keys = sorted(key for part, key in store if part == partition and key >= start)
    cut = keys[:batch_size] if batch_size else keys
    return Batch(tuple(Entry(key, store[partition, key]) for key in cut), more=len(cut) < len(keys))


def _without(store: Store, address: Address) -> Store:
    return {at: value for at, value in store.items() if at != address}

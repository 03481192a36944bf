"""How CPython lays sets and dicts out: what the order of a set will be depends on it, and the set does not show it.

A set is a table of slots. A removed element leaves a mark in its slot, and `set.pop` looks on from where it found the
last one. So two sets that are equal, and iterate alike, may differ after the same ``pop``:

>>> one, other = {0, 1, 2}, {0, 1, 2}
>>> one.add(one.pop())
>>> list(one) == list(other), layout_of(one) == layout_of(other)
(True, False)
>>> one.pop(), other.pop()
(1, 0)

Source: Objects/setobject.c, Objects/dictobject.c of CPython 3.11 to 3.15. An interpreter is trusted once `_is_known`
has read examples of its own rightly.
"""

import ctypes
import sys
from collections.abc import Set as AbstractSet
from functools import cache

Layout = tuple[int, bytes]


def layout_of(value: AbstractSet[object]) -> Layout | None:
    """Of a set: where `set.pop` looks next, and for each slot whether it is free (0), was left (1), or is taken (2).
    None: this interpreter lays sets out in an unknown way. Cost: linear in the table."""
    return _read_set(value) if _is_known() else None


def has_gaps(value: dict[object, object] | set[object]) -> bool:
    """Whether something was removed, so that nothing shows where an iterator stands; or the layout is unknown."""
    if not _is_known():
        return True
    return _dict_has_gaps(value) if isinstance(value, dict) else 1 in _read_set(value)[1]


def _words(address: int, count: int) -> list[int]:
    return list((ctypes.c_ssize_t * count).from_address(address))


def _read_set(value: AbstractSet[object]) -> Layout:
    # PySetObject after its header: fill, used, mask, table, hash, finger.
    _, _, mask, table, _, finger = _words(id(value) + object.__basicsize__, 6)
    slots = _words(table, 2 * (mask + 1))  # of each: the address of the element, and its hash, -1 when it has left
    taken = (2 if digest != -1 else 1 for digest in slots[1::2])
    # `pop` takes the finger modulo the table: two that differ by more than that lead to the same slot.
    return finger & mask, bytes(state if address else 0 for address, state in zip(slots[::2], taken, strict=True))


def _dict_has_gaps(value: object) -> bool:
    # PyDictObject after its header: used, a version tag, keys. In the keys, the fourth word counts the entries.
    used, _, keys = _words(id(value) + object.__basicsize__, 3)
    return _words(keys, 4)[3] != used  # entries that were made, those of removed keys included


@cache
def _is_known() -> bool:
    # A header of another size: a build that traces references, or one without the global lock.
    if sys.implementation.name != "cpython" or object.__basicsize__ != 2 * ctypes.sizeof(ctypes.c_ssize_t):
        return False
    # Small integers hash to themselves: slots 0 to 3 of 8. 1 is removed; `pop` takes 0, and moves the finger to 1.
    numbers, table = {0, 1, 2, 3}, dict.fromkeys(range(4))
    numbers.remove(1)
    numbers.pop()
    whole = _dict_has_gaps(table)
    del table[1]
    return (_read_set(numbers), whole, _dict_has_gaps(table)) == ((1, b"\1\1\2\2\0\0\0\0"), False, True)

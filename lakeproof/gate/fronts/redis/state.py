"""What the Redis front holds: keys with values and versions, and scripts. A value: nothing is changed in place."""

import zlib
from collections.abc import Mapping
from typing import Final

import attrs


@attrs.frozen
class Hash:
    """Values by field, in the order in which the fields came. Never empty."""

    fields: Mapping[bytes, bytes]


@attrs.frozen
class SortedSet:
    """Scores by member. Never empty."""

    scores: Mapping[bytes, float]

    @property
    def members(self) -> list[bytes]:
        """By score, and by bytes where it is the same."""
        # The order of ZRANGEBYLEX, where all scores are equal.
        return sorted(self.scores, key=lambda member: (self.scores[member], member))


Stored = bytes | tuple[bytes, ...] | frozenset[bytes] | Hash | SortedSet
"""What a key holds: bytes are a string, a tuple is a list, and a frozenset a set; neither is ever empty."""


@attrs.frozen
class RedisKey:
    """What is known of a key."""

    stored: Stored | None = None
    """None: it was removed."""
    version: int = 0
    """How often it was changed: by this WATCH knows whether it was touched. So one that is made anew goes on."""
    life: int | None = None
    """How long it was given to live, in milliseconds. No time passes: it is there until an expiry removes it."""


ABSENT: Final = RedisKey()


@attrs.frozen
class RedisState:
    """All that the front knows."""

    entries: Mapping[bytes, RedisKey] = attrs.field(factory=dict)
    """Also of keys that were removed."""
    scripts: Mapping[str, bytes] = attrs.field(factory=dict)
    """The texts of the scripts that were loaded, by their SHA-1."""
    expires: bool = False
    """Whether keys may be given a time to live. Else such a command is not known."""

    @property
    def keys(self) -> Mapping[bytes, Stored]:
        """What is there."""
        return {key: each.stored for key, each in self.entries.items() if each.stored is not None}

    def stored(self, key: bytes) -> Stored | None:
        """What a key holds; None: it is not there."""
        return self.entries.get(key, ABSENT).stored

    def text(self, key: str) -> str | None:
        """The string at a key, for invariants; None: there is none. Bytes that are no UTF-8 are escaped."""
        stored = self.stored(key.encode())  # a key that is no UTF-8 has no such name
        return stored.decode(errors="backslashreplace") if isinstance(stored, bytes) else None


def place(key: bytes) -> int:
    """Where a key comes in a scan: a number that depends on nothing but the key."""
    return zlib.crc32(key)  # 32 bits: several keys may have one place


def scan_order(key: bytes) -> tuple[int, bytes]:
    """Keys of one place are ordered among themselves."""
    return place(key), key
